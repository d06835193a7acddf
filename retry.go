package ddb

import (
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// retries notes whether the SDK's client sent a request more than once. Then a
// Create that finds its item there may have found its own.
type retries struct{ happened atomic.Bool }

// watch is an option for one call.
func (r *retries) watch(o *dynamodb.Options) {
	switch retryer := o.Retryer.(type) {
	case aws.RetryerV2:
		o.Retryer = watchedV2{retryer, r}
	case aws.Retryer:
		o.Retryer = watched{retryer, r}
	}
}

func (r *retries) note(retried bool) bool {
	if retried {
		r.happened.Store(true)
	}
	return retried
}

type watched struct {
	aws.Retryer
	retries *retries
}

// IsErrorRetryable is asked after every attempt that failed.
func (w watched) IsErrorRetryable(err error) bool {
	return w.retries.note(w.Retryer.IsErrorRetryable(err))
}

type watchedV2 struct {
	aws.RetryerV2
	retries *retries
}

// IsErrorRetryable is asked after every attempt that failed.
func (w watchedV2) IsErrorRetryable(err error) bool {
	return w.retries.note(w.RetryerV2.IsErrorRetryable(err))
}
