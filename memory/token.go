package memory

import (
	"sync"
	"time"
)

// tokenLife is how long a ClientRequestToken is valid after the request that
// brought it is done.
// APIReference/API_TransactWriteItems.html#DDB-TransactWriteItems-request-ClientRequestToken
const tokenLife = 10 * time.Minute

// tokens remembers the transactions that carried a ClientRequestToken until the
// token is no longer valid. The zero tokens is empty.
type tokens struct {
	mu    sync.Mutex // guards all below
	known map[string]*tokenUse
	done  queue[*tokenUse] // in the order in which they were done
}

// tokenUse is a transaction that runs or has run under a token.
type tokenUse struct {
	token string
	print fingerprint
	again *bill     // what a repetition reports; nil while the first call runs
	at    time.Time // when the first call was done
}

// begin claims a token for a request. If the same request was done under it
// before, nothing is claimed and what a repetition reports is returned.
func (ts *tokens) begin(token string, p fingerprint, now time.Time) (*bill, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.forgetLocked(now)
	use := ts.known[token]
	switch {
	case use == nil:
		if ts.known == nil {
			ts.known = make(map[string]*tokenUse)
		}
		ts.known[token] = &tokenUse{token: token, print: p}
		return nil, nil
	case use.print != p:
		return nil, errTokenReused()
	case use.again == nil:
		return nil, errTokenInProgress()
	}
	return use.again, nil
}

// end keeps what repetitions report. Without it the token is given back, so that
// a request that failed can be tried again.
func (ts *tokens) end(token string, again *bill, now time.Time) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if again == nil {
		delete(ts.known, token)
		return
	}
	use := ts.known[token]
	use.again, use.at = again, now
	ts.done.push(use)
}

// forgetLocked drops the uses whose time is over.
func (ts *tokens) forgetLocked(now time.Time) {
	n := 0
	for _, use := range ts.done.all() {
		if now.Sub(use.at) < tokenLife {
			break
		}
		delete(ts.known, use.token)
		n++
	}
	ts.done.drop(n)
}
