package ddb

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// retries notes how often the SDK's client sent a request again. A Create that
// was sent more than once and finds its item there may have found its own.
type retries struct {
	n    atomic.Int32
	lost atomic.Bool // one of the answers left open whether the request was carried out
}

// serverFault is the first of HTTP's codes which do not say that a request was refused.
const serverFault = 500

// note is told of what made the client send a request again.
func (r *retries) note(err error) {
	r.n.Add(1)
	var answer interface{ HTTPStatusCode() int }
	if !errors.As(err, &answer) || answer.HTTPStatusCode() >= serverFault {
		r.lost.Store(true)
	}
}

// watch is an option for one call.
func (r *retries) watch(o *dynamodb.Options) {
	switch retryer := o.Retryer.(type) {
	case aws.RetryerV2:
		o.Retryer = watchedV2{retryer, r}
	case aws.Retryer:
		o.Retryer = watched{retryer, r}
	}
}

func (r *retries) count() int { return int(r.n.Load()) }

type watched struct {
	aws.Retryer
	retries *retries
}

// RetryDelay is asked before every attempt but the first.
func (w watched) RetryDelay(attempt int, err error) (time.Duration, error) {
	w.retries.note(err)
	return w.Retryer.RetryDelay(attempt, err)
}

type watchedV2 struct {
	aws.RetryerV2
	retries *retries
}

// RetryDelay is asked before every attempt but the first.
func (w watchedV2) RetryDelay(attempt int, err error) (time.Duration, error) {
	w.retries.note(err)
	return w.RetryerV2.RetryDelay(attempt, err)
}
