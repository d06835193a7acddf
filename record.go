package ddb

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// ChangeKind says what happened to an item.
type ChangeKind string

// The kinds of changes, in the words of DynamoDB.
const (
	Inserted ChangeKind = "INSERT" // there was no item with the key
	Modified ChangeKind = "MODIFY"
	Removed  ChangeKind = "REMOVE"
)

// Record is one change of an item as a stream tells it, before it is known of
// which entity the item is. [RecordOf] makes one of what the SDK's streams client
// returns, [DecodeRecords] of what a Lambda function is given. It belongs to the
// caller.
type Record struct {
	// EventID tells the record from all others; it is the same each time the
	// record comes.
	EventID string
	Kind    ChangeKind
	// SequenceNumber tells the order of the changes of one item.
	SequenceNumber string
	// Time is when the change was made, to the second.
	Time time.Time
	// Expired says that DynamoDB itself removed the item because its time to live
	// was over.
	Expired bool
	// Keys is the item's primary key.
	Keys map[string]types.AttributeValue
	// Old and New are the item before and after the change: nil if there was none,
	// or the view type of the stream leaves it out.
	Old, New map[string]types.AttributeValue
}

// The identity that marks what DynamoDB itself removed.
// time-to-live-ttl-streams.html
const (
	servicePrincipal = "dynamodb.amazonaws.com"
	serviceType      = "Service"
)

// RecordOf returns a record of the SDK's streams client. It fails with
// [ErrDecode] if there is a value of a kind that is not known.
func RecordOf(r streamtypes.Record) (Record, error) {
	out := Record{EventID: aws.ToString(r.EventID), Kind: ChangeKind(r.EventName)}
	if id := r.UserIdentity; id != nil {
		out.Expired = isService(aws.ToString(id.Type), aws.ToString(id.PrincipalId))
	}
	d := r.Dynamodb
	if d == nil {
		return out, because(ErrDecode, "the record of a stream has no content")
	}
	out.SequenceNumber = aws.ToString(d.SequenceNumber)
	if d.ApproximateCreationDateTime != nil {
		out.Time = d.ApproximateCreationDateTime.UTC()
	}
	for _, m := range []struct {
		to   *map[string]types.AttributeValue
		from map[string]streamtypes.AttributeValue
	}{{&out.Keys, d.Keys}, {&out.Old, d.OldImage}, {&out.New, d.NewImage}} {
		if m.from == nil {
			continue
		}
		values, err := attributevalue.FromDynamoDBStreamsMap(m.from)
		if err != nil {
			return out, because(ErrDecode, "the record of a stream holds a value of an unknown kind")
		}
		*m.to = values
	}
	return out, nil
}

func isService(kind, principal string) bool {
	return kind == serviceType && principal == servicePrincipal
}
