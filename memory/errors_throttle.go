package memory

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Errors and texts of throttling and of conflicts between transactions.

const (
	textProvisionedTable = "The level of configured provisioned throughput for the table was exceeded. " +
		"Consider increasing your provisioning level with the UpdateTable API."
	textProvisionedIndex = "The level of configured provisioned throughput for one or more global secondary indexes of the table was exceeded. " +
		"Consider increasing your provisioning level for the under-provisioned global secondary indexes with the UpdateTable API."
	textOnDemandTable = "Throughput exceeds the current capacity of your table or index. " +
		"DynamoDB is automatically scaling your table or index so please try again shortly. " +
		"If exceptions persist, check if you have a hot key: " +
		"https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html."
	textOnDemandIndex = "Throughput exceeds the current capacity for one or more global secondary indexes. " +
		"DynamoDB is automatically scaling your index so please try again shortly."
	textConflict      = "Transaction is ongoing for the item"
	textInternalError = "Internal server error"
)

// Codes of cancellation reasons.
const (
	codeProvisioned = "ProvisionedThroughputExceeded"
	codeThrottling  = "ThrottlingError"
	codeConflict    = "TransactionConflict"
)

// The ends of throttling reasons, behind what is throttled.
// API_ThrottlingReason.html
const (
	limitProvisioned = "ProvisionedThroughputExceeded"
	limitKeyRange    = "KeyRangeThroughputExceeded"
	limitMaxOnDemand = "MaxOnDemandThroughputExceeded"
)

// refusal is a limit that stood against a load.
type refusal struct {
	*load
	onDemand bool // when it was refused
	limit    string
}

func (r *refusal) reason() types.ThrottlingReason {
	what := "Table"
	if r.on.index {
		what = "Index"
	}
	how := "Read"
	if r.way == writes {
		how = "Write"
	}
	return types.ThrottlingReason{Reason: aws.String(what + how + r.limit), Resource: aws.String(r.on.arn)}
}

// throttled reports a request that exceeds the capacity there is. It never
// leaves the engine: run and transactions turn it into what the service returns.
type throttled struct {
	refused []refusal // one at least; those of tables before those of their indexes
}

func (t *throttled) Error() string { return t.text() }

// text names an index only where that is the cause alone. An on-demand index
// that is itself read is called "table or index".
func (t *throttled) text() string {
	first := &t.refused[0]
	switch {
	case !first.onDemand && first.on.index:
		return textProvisionedIndex
	case !first.onDemand:
		return textProvisionedTable
	case first.on.index && first.way == writes:
		return textOnDemandIndex
	}
	return textOnDemandTable
}

// exception returns what the service returns.
func (t *throttled) exception() error {
	var reasons []types.ThrottlingReason
	for i := range t.refused {
		reason := t.refused[i].reason()
		if !slices.ContainsFunc(reasons, func(r types.ThrottlingReason) bool {
			return *r.Reason == *reason.Reason && *r.Resource == *reason.Resource
		}) {
			reasons = append(reasons, reason)
		}
	}
	if t.refused[0].onDemand {
		return &types.ThrottlingException{Message: aws.String(t.text()), ThrottlingReasons: reasons}
	}
	return &types.ProvisionedThroughputExceededException{Message: aws.String(t.text()), ThrottlingReasons: reasons}
}

// cancellation returns the error of a transaction of n actions, of which those
// that own the loads were refused.
func (t *throttled) cancellation(n int) error {
	reasons := make([]*types.CancellationReason, n)
	for i := range t.refused {
		r := &t.refused[i]
		if reasons[r.owner] != nil {
			continue
		}
		code := codeProvisioned
		if r.onDemand {
			code = codeThrottling
		}
		own := throttled{t.refused[i:]}
		reasons[r.owner] = &types.CancellationReason{Code: aws.String(code), Message: aws.String(own.text())}
	}
	return errCancelled(reasons)
}

// errConflict reports a write of an item that a transaction is writing.
func errConflict() error {
	return &types.TransactionConflictException{Message: aws.String(textConflict)}
}

func conflictReason() *types.CancellationReason {
	return &types.CancellationReason{Code: aws.String(codeConflict), Message: aws.String(textConflict)}
}

func errInternal() error {
	return &types.InternalServerError{Message: aws.String(textInternalError)}
}
