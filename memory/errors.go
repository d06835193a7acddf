package memory

import (
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
)

// Every error that the engine returns is made here, and every text that the
// service words itself stands here, unless it belongs to a single value (package
// av) or to an expression (package eval).

// validationException is the code of the exception that the SDK does not model.
const validationException = "ValidationException"

// invalid returns a ValidationException.
func invalid(text string) error {
	return &smithy.GenericAPIError{Code: validationException, Message: text, Fault: smithy.FaultClient}
}

// A requestFault is a fault that a transaction reports for the request as a
// whole, though it comes up where others cancel the transaction. It never leaves
// the engine: run unwraps it.
type requestFault struct{ error }

func (f *requestFault) Unwrap() error { return f.error }

// public returns an error as callers see it; what only the engine knows is
// turned into what the service returns.
func public(err error) error {
	if f, ok := errors.AsType[*requestFault](err); ok {
		return f.error
	}
	if t, ok := errors.AsType[*throttled](err); ok {
		return t.exception()
	}
	return err
}

// journalFault reports that the [Journal] has failed. To a client it looks like an
// InternalServerError.
type journalFault struct{ cause error }

func errJournal(cause error) error { return &journalFault{cause} }

func (f *journalFault) Error() string { return "changes cannot be kept: " + f.cause.Error() }

func (f *journalFault) Unwrap() []error {
	return []error{&types.InternalServerError{Message: aws.String(f.Error())}, f.cause}
}

// Beginnings that texts share.
const (
	oneDetected   = "1 validation error detected: "
	wereInvalid   = "One or more parameter values were invalid: "
	areNotValid   = "One or more parameter values are not valid. "
	startingKey   = "The provided starting key is invalid"
	noSuchTable   = "Requested resource not found"
	conditionText = "The conditional request failed"
)

// Values and keys.

const (
	textKeySchema    = "The provided key element does not match the schema"
	textHashKeySize  = wereInvalid + "Size of hashkey has exceeded the maximum size limit of2048 bytes"
	textRangeKeySize = wereInvalid + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
	textItemSize     = "Item size has exceeded the maximum allowed size"
	textUpdateSize   = "Item size to update has exceeded the maximum allowed size"
	textNesting      = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
	textEmptyName    = "Empty attribute name"
	textNameSize     = "Attribute name is too large, must be less than 65536 bytes"
	textComputedKind = "The update expression attempted to update the secondary index key to unsupported type"
	textComputedSize = "The update expression attempted to update the secondary index key beyond allowed size limits"
)

func emptyKeyValue(k av.Kind) string {
	kind := "string"
	if k == av.B {
		kind = "binary"
	}
	return "The AttributeValue for a key attribute cannot contain an empty " + kind + " value."
}

func errEmptyKey(name string, k av.Kind) error {
	return &requestFault{invalid(areNotValid + emptyKeyValue(k) + " Key: " + name)}
}

func errMissingKey(name string) error {
	return invalid(wereInvalid + "Missing the key " + name + " in the item")
}

func errKeyKind(name string, want, got av.Kind) error {
	return invalid(fmt.Sprintf("%sType mismatch for key %s expected: %s actual: %s", wereInvalid, name, want, got))
}

func errIndexKeyKind(index, name string, want, got av.Kind) error {
	return invalid(fmt.Sprintf("%sType mismatch for Index Key %s Expected: %s Actual: %s IndexName: %s",
		wereInvalid, name, want, got, index))
}

func errIndexKeySize(index, name string, size, most int) error {
	return invalid(fmt.Sprintf("%sSize limit exceeded for Index Key %s Actual Size: %d bytes Max Size: %d bytes IndexName: %s",
		wereInvalid, name, size, most, index))
}

func errEmptyIndexKey(index, name string, k av.Kind) error {
	return &requestFault{invalid(fmt.Sprintf("%sA value specified for a secondary index key is not supported. %s IndexName: %s, IndexKey: %s",
		areNotValid, emptyKeyValue(k), index, name))}
}

// errUpdateToEmpty reports an update that makes an index key empty.
func errUpdateToEmpty(k av.Kind) error {
	return &requestFault{invalid(areNotValid +
		"The update expression attempted to update a secondary index key to a value that is not supported. " + emptyKeyValue(k))}
}

func errUpdatesKey(name string) error {
	return invalid(wereInvalid + "Cannot update attribute " + name + ". This attribute is part of the key")
}

// errKeyPath reports a path into a key attribute; role is Key or IndexKey.
func errKeyPath(role, name string) error {
	return invalid("Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: " + role + ": " + name)
}

// Conditions and return values.

const textReturnValues = "ReturnValues can only be ALL_OLD or NONE"

// errConditionFailed reports a false condition. It carries the stored item when
// the request asked for it and there is one.
func errConditionFailed(item map[string]types.AttributeValue) error {
	return &types.ConditionalCheckFailedException{Message: aws.String(conditionText), Item: item}
}

// Query and Scan.

const (
	textNoKeyCondition       = "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
	textConsistentIndexRead  = "Consistent reads are not supported on global secondary indexes"
	textStartKey             = startingKey
	textStartKeySchema       = startingKey + ": The provided key element does not match the schema"
	textStartKeyPartition    = "The provided starting key is outside query boundaries based on provided conditions"
	textStartKeyRange        = "The provided starting key does not match the range key predicate"
	textStartKeyOneRow       = "The query can return at most one row and cannot be restarted"
	textSelectProjected      = "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"
	textTotalSegmentsMissing = "The TotalSegments parameter is required but was not present in the request when Segment parameter is present"
	textSegmentMissing       = "The Segment parameter is required but was not present in the request when parameter TotalSegments is present"
)

const textSelectSpecific = "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"

// errStartKeyValue reports a starting key with a faulty value or key value.
func errStartKeyValue(err error) error {
	return invalid(startingKey + ": " + messageOf(err))
}

// errStartKeyOfOther reports a starting key that is not that of the one item
// which a query of a table without sort key can find.
func errStartKeyOfOther(start av.Map) error {
	shown := make([]string, len(start))
	for i, a := range start {
		shown[i] = a.Name + "=AttributeValue: " + a.Value.Print()
	}
	return invalid("The provided exclusive start key is invalid: ExclusiveStartKey: {" + strings.Join(shown, ", ") + "}")
}

func errStartKeySegment(segment, total int) error {
	return invalid(fmt.Sprintf("%s: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: %d Segment: %d",
		startingKey, total, segment))
}

func errSegmentRange(segment, total int) error {
	return invalid(fmt.Sprintf("The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: %d is not less than TotalSegments: %d",
		segment, total))
}

func selectWithText(parameter string, s types.Select) string {
	what := string(s)
	if s == types.SelectCount {
		what = "only the Count"
	}
	return "Cannot specify the " + parameter + " when choosing to get " + what
}

func errSelectAll(index string) error {
	return invalid(wereInvalid + "Select type ALL_ATTRIBUTES is not supported for global secondary index " + index +
		" because its projection type is not ALL")
}

func errNotProjected(index string, names []string) error {
	return invalid(wereInvalid + "Global secondary index " + index + " does not project " + list(names))
}

func errNoIndex(name string) error {
	return invalid("The table does not have the specified index: " + name)
}

func errFilterOnKey(parameter, name string) error {
	return invalid(parameter + " can only contain non-primary key attributes: Primary key attribute: " + name)
}

// Tables.

// errTableNotFound is what operations on items say of a missing table.
func errTableNotFound() error {
	return &types.ResourceNotFoundException{Message: aws.String(noSuchTable)}
}

// messageOf returns the text of an error that is to become part of another.
func messageOf(err error) string {
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		return api.ErrorMessage()
	}
	return err.Error()
}

// list prints names as the service does: [a, b].
func list(names []string) string { return "[" + strings.Join(names, ", ") + "]" }

// Legacy parameters.

const (
	textOperatorAlone     = "ConditionalOperator cannot be used without Filter or Expected"
	textOperatorOne       = "ConditionalOperator can only be used when Filter or Expected has two or more elements"
	textOnlyDelete        = wereInvalid + "Only DELETE action is allowed when no attribute value is specified"
	textKeyConditionCount = "Conditions can be of length 1 or 2 only"
	textArgumentKinds     = wereInvalid + "AttributeValues inside AttributeValueList must be of same type"
	textBetweenBounds     = "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
)

// misused reports what is wrong with legacy parameters, which the operations that
// count do count (observed of Expected).
func misused(text string) error {
	return &eval.Error{Text: text, Older: text, Counted: true}
}

func mixedText(legacy, expressions []string) string {
	return "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {" +
		strings.Join(legacy, ", ") + "} Expression parameters: {" + strings.Join(expressions, ", ") + "}"
}

func errDuplicateAttribute(name string) error {
	return invalid(wereInvalid + "Duplicate value in attribute name: " + name)
}

func errActionKind(action string, k av.Kind) error {
	return misused(fmt.Sprintf("%s%s is not supported for the type %s", wereInvalid, action, k))
}

func errExpected(fault, name string) error {
	return misused(wereInvalid + fault + " for Attribute: " + name)
}

func errArgumentCount(op types.ComparisonOperator) error {
	return misused(fmt.Sprintf("%sInvalid number of argument(s) for the %s ComparisonOperator", wereInvalid, op))
}

func errArgumentKind(op types.ComparisonOperator, k av.Kind) error {
	return misused(fmt.Sprintf("%sComparisonOperator %s is not valid for %s AttributeValue type", wereInvalid, op, k))
}
