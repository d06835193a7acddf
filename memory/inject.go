package memory

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Inject makes a fault strike every call from now on for which all matches hold,
// until stop is called; calls under way then are struck still. Matches are asked
// in turn until one does not hold.
//
//	stop := db.Inject(memory.LoseReply(), memory.OnOperation("UpdateItem"), memory.FirstCalls(1))
//	defer stop()
//
// Several faults can be injected at once. Each sees every call; those that strike
// the same one add up: it waits for all delays, returns the error of the fault
// injected first, and leaves undone what any of them chooses.
//
// A fault strikes when everything about the request has been checked that can be
// without the key schema of its tables. Calls that fail before that, or whose
// context has ended, are not seen.
func (db *DB) Inject(f Fault, when ...Match) (stop func()) {
	in := &injection{f, slices.Clone(when)}
	db.faults.change(func(all []*injection) []*injection { return append(all, in) })
	return func() {
		db.faults.change(func(all []*injection) []*injection {
			return slices.DeleteFunc(all, func(other *injection) bool { return other == in })
		})
	}
}

// injection is a fault with what it strikes.
type injection struct {
	fault Fault
	when  []Match
}

func (in *injection) strikes(c *Call) bool {
	for _, holds := range in.when {
		if !holds(c) {
			return false
		}
	}
	return true
}

// faults are the injections of a DB, in the order in which they were made. Calls
// look at a list that never changes.
type faults struct {
	mu  sync.Mutex // held while the list is replaced
	now atomic.Pointer[[]*injection]
}

func (f *faults) change(to func(all []*injection) []*injection) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []*injection
	if old := f.now.Load(); old != nil {
		all = slices.Clone(*old)
	}
	if all = to(all); len(all) == 0 {
		f.now.Store(nil)
		return
	}
	f.now.Store(&all)
}

// A strike is all that injected faults do to one call; nil is nothing.
type strike struct {
	delay   time.Duration
	first   []func() // done before all else
	refusal error    // instead of the call
	after   error    // instead of its reply
	spared  []error  // by element of a batch, why it is left undone; nil for none
}

// strike asks all injections about a call.
func (f *faults) strike(in any, tables []*table) *strike {
	all := f.now.Load()
	if all == nil {
		return nil
	}
	v := newVictim(in, tables)
	var s *strike
	for _, i := range *all {
		if i.strikes(&v.call) {
			if s == nil {
				s = new(strike)
			}
			s.add(&i.fault, v)
		}
	}
	return s
}

// add adds what a fault does; of errors the first stays.
func (s *strike) add(f *Fault, v *victim) {
	s.delay += f.delay
	if f.meanwhile != nil {
		s.first = append(s.first, f.meanwhile)
	}
	keepFirst(&s.refusal, f.before)
	keepFirst(&s.after, f.after)
	if f.lose {
		keepFirst(&s.after, errInternal())
	}
	if f.throttle {
		keepFirst(&s.refusal, v.throttled())
	}
	if f.conflict != nil {
		keepFirst(&s.refusal, v.conflict(f.conflict))
	}
	if f.unprocessed != nil && v.shape == shapeBatch {
		for i, t := range v.call.Targets {
			if !f.unprocessed(t, i, len(v.call.Targets)) {
				continue
			}
			if s.spared == nil {
				s.spared = make([]error, len(v.call.Targets))
			}
			s.spared[i] = v.refused(i)
		}
	}
}

// keepFirst sets an error unless there is one.
func keepFirst(first *error, err error) {
	if *first == nil {
		*first = err
	}
}

// before lets others go first and the call wait, then fail if it is to.
func (s *strike) before(ctx context.Context, sleep func(context.Context, time.Duration) error) error {
	for _, f := range s.first {
		f()
	}
	if s.delay > 0 {
		if err := sleep(ctx, s.delay); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return s.refusal
}

// spares returns why an element of a batch is left undone, nil if it is not.
func (s *strike) spares(i int) error {
	if s == nil || s.spared == nil {
		return nil
	}
	return s.spared[i]
}
