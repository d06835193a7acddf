package memory

import (
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// Errors and texts of batches and transactions.

const (
	textDuplicateKeys = "Provided list of item keys contains duplicates"
	textTooManyGets   = "Too many items requested for the BatchGetItem call"
	textTooManyWrites = "Too many items requested for the BatchWriteItem call"
	textOneRequest    = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
	textOneAction     = "TransactItems can only contain one of Check, Put, Update or Delete"
	textNoAction      = "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"
	textSameItem      = "Transaction request cannot include multiple operations on one item"
)

// errPayload reports a transaction whose request is too large; the service's
// words were not recorded beyond "size cannot exceed".
func errPayload() error {
	return invalid("Transaction payload size cannot exceed " + strconv.Itoa(limits.TransactBytes) + " bytes")
}

func errTokenReused() error {
	return &types.IdempotentParameterMismatchException{
		Message: aws.String("The client request token was used before by a request with other parameters"),
	}
}

func errTokenInProgress() error {
	return &types.TransactionInProgressException{
		Message: aws.String("The transaction with the given request token is already in progress."),
	}
}

// Codes of cancellation reasons.
const (
	codeNone            = "None"
	codeConditionFailed = "ConditionalCheckFailed"
	codeValidation      = "ValidationError"
)

// errCancelled reports a transaction of which some actions cannot be done. There
// is one reason per action; nil stands for none.
func errCancelled(reasons []*types.CancellationReason) error {
	e := &types.TransactionCanceledException{CancellationReasons: make([]types.CancellationReason, len(reasons))}
	codes := make([]string, len(reasons))
	for i, r := range reasons {
		if r == nil {
			r = &types.CancellationReason{Code: aws.String(codeNone)}
		}
		e.CancellationReasons[i] = *r
		codes[i] = *r.Code
	}
	e.Message = aws.String("Transaction cancelled, please refer cancellation reasons for specific reasons " + list(codes))
	return e
}

// cancelledBy reports a transaction of n actions that is cancelled because of
// what is wrong with one. Further faults of this kind are not reported
// (observed).
func cancelledBy(i, n int, err error) error {
	reasons := make([]*types.CancellationReason, n)
	reasons[i] = &types.CancellationReason{Code: aws.String(codeValidation), Message: aws.String(messageOf(err))}
	return errCancelled(reasons)
}
