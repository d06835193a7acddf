package memory

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// Errors and texts of streams. Those of reading them are exceptions of the
// streams service, which has types of its own for the same names.

const (
	textStreamARN       = "Invalid StreamArn"
	textShardIterator   = "Invalid ShardIterator"
	textTimestampFuture = "Timestamp must not be in the future"
)

func errStreamNotFound(arn string) error {
	return &streamtypes.ResourceNotFoundException{Message: aws.String(noSuchTable + ": Stream: " + arn + " not found")}
}

func errShardNotFound() error {
	return &streamtypes.ResourceNotFoundException{Message: aws.String(noSuchTable + ": Shard does not exist")}
}

func errTrimmed() error {
	return &streamtypes.TrimmedDataAccessException{Message: aws.String("The data you are trying to access has been trimmed.")}
}

func errIteratorExpired() error {
	return &streamtypes.ExpiredIteratorException{Message: aws.String("The provided iterator exceeds the maximum age allowed.")}
}

// errSequenceNumber reports a number that the shard cannot have.
func errSequenceNumber(shard string) error {
	return invalid("Invalid SequenceNumber: it is not of the shard " + shard)
}

func errIteratorNeeds(member string, t streamtypes.ShardIteratorType) error {
	return invalid(member + " must be specified when ShardIteratorType is " + string(t))
}

func errIteratorForbids(member string, t streamtypes.ShardIteratorType) error {
	return invalid(member + " must not be specified when ShardIteratorType is " + string(t))
}

// Streams in CreateTable and UpdateTable.

const (
	textStreamView      = wereInvalid + "Table is being created with a stream disabled, UpdateViewType should not be specified"
	textStreamNoView    = wereInvalid + "Table is being created with a stream enabled, UpdateViewType is required"
	textDisabledView    = wereInvalid + "If stream is being disabled, then UpdateViewType must not be specified"
	textEnabledNoView   = wereInvalid + "If stream is being enabled then UpdateViewType is required"
	textStreamIOPS      = wereInvalid + "You cannot modify stream status while updating table IOPS"
	textStreamWithIndex = wereInvalid + "You cannot create or delete index while changing stream status"
)

func errStreamEnabled(table string) error {
	return invalid("Table already has an enabled stream: TableName: " + table)
}

func errNoStream(table string) error {
	return invalid("Table has no stream to disable: TableName: " + table)
}

// checkStream demands a view of a stream that is enabled, and none of one that is
// not.
func checkStream(s *types.StreamSpecification, noView, view string) error {
	switch {
	case s == nil:
	case *s.StreamEnabled && s.StreamViewType == "":
		return invalid(noView)
	case !*s.StreamEnabled && s.StreamViewType != "":
		return invalid(view)
	}
	return nil
}
