package lambdaevent

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
)

// Handler returns a function for lambda.Start that hands the records of each event
// to the handlers of changes, and names the first that fails. The event source
// mapping must report batch item failures; see [ddb.Changes.Invoke].
func Handler(changes *ddb.Changes) func(context.Context, events.DynamoDBEvent) (events.DynamoDBEventResponse, error) {
	return func(ctx context.Context, event events.DynamoDBEvent) (events.DynamoDBEventResponse, error) {
		answer := events.DynamoDBEventResponse{BatchItemFailures: []events.DynamoDBBatchItemFailure{}}
		records, err := Records(event)
		if err != nil {
			return answer, err
		}
		failures, err := changes.HandleBatch(ctx, records)
		for _, f := range failures.ItemFailures {
			answer.BatchItemFailures = append(answer.BatchItemFailures, events.DynamoDBBatchItemFailure{ItemIdentifier: f.SequenceNumber})
		}
		return answer, err
	}
}

// service marks what DynamoDB itself removed.
// time-to-live-ttl-streams.html
var service = events.DynamoDBUserIdentity{Type: "Service", PrincipalID: "dynamodb.amazonaws.com"}

// Records returns the records of an event. They share no memory with it. It fails
// with [ddb.ErrDecode].
func Records(event events.DynamoDBEvent) ([]ddb.Record, error) {
	records := make([]ddb.Record, len(event.Records))
	for i := range event.Records {
		var err error
		if records[i], err = Record(event.Records[i]); err != nil {
			return nil, fmt.Errorf("record %d of the event: %w", i, err)
		}
	}
	return records, nil
}

// Record returns one record of an event. It shares no memory with it. It fails
// with [ddb.ErrDecode].
func Record(r events.DynamoDBEventRecord) (ddb.Record, error) {
	out := ddb.Record{
		EventID: r.EventID, Kind: ddb.ChangeKind(r.EventName), SequenceNumber: r.Change.SequenceNumber,
		Expired: r.UserIdentity != nil && *r.UserIdentity == service,
	}
	if t := r.Change.ApproximateCreationDateTime.Time; !t.IsZero() {
		out.Time = t.UTC()
	}
	var err error
	for _, m := range []struct {
		to   *map[string]types.AttributeValue
		from map[string]events.DynamoDBAttributeValue
	}{{&out.Keys, r.Change.Keys}, {&out.Old, r.Change.OldImage}, {&out.New, r.Change.NewImage}} {
		if m.from != nil && err == nil {
			*m.to, err = attributes(m.from)
		}
	}
	return out, err
}

func attributes(from map[string]events.DynamoDBAttributeValue) (map[string]types.AttributeValue, error) {
	to := make(map[string]types.AttributeValue, len(from))
	for name, v := range from {
		var err error
		if to[name], err = attribute(v); err != nil {
			return nil, err
		}
	}
	return to, nil
}

// attribute returns a value in the SDK's type. The accessors of v panic unless
// they are asked for what is there.
func attribute(v events.DynamoDBAttributeValue) (types.AttributeValue, error) {
	kind := v.DataType()
	if v.IsNull() && kind != events.DataTypeNull {
		return nil, fmt.Errorf("%w: a value without a kind", ddb.ErrDecode)
	}
	switch kind {
	case events.DataTypeString:
		return &types.AttributeValueMemberS{Value: v.String()}, nil
	case events.DataTypeNumber:
		return &types.AttributeValueMemberN{Value: v.Number()}, nil
	case events.DataTypeBinary:
		return &types.AttributeValueMemberB{Value: slices.Clone(v.Binary())}, nil
	case events.DataTypeBoolean:
		return &types.AttributeValueMemberBOOL{Value: v.Boolean()}, nil
	case events.DataTypeNull:
		return &types.AttributeValueMemberNULL{Value: true}, nil
	case events.DataTypeStringSet:
		return &types.AttributeValueMemberSS{Value: slices.Clone(v.StringSet())}, nil
	case events.DataTypeNumberSet:
		return &types.AttributeValueMemberNS{Value: slices.Clone(v.NumberSet())}, nil
	case events.DataTypeBinarySet:
		set := slices.Clone(v.BinarySet())
		for i := range set {
			set[i] = slices.Clone(set[i])
		}
		return &types.AttributeValueMemberBS{Value: set}, nil
	case events.DataTypeList:
		list := make([]types.AttributeValue, len(v.List()))
		for i, e := range v.List() {
			var err error
			if list[i], err = attribute(e); err != nil {
				return nil, err
			}
		}
		return &types.AttributeValueMemberL{Value: list}, nil
	case events.DataTypeMap:
		m, err := attributes(v.Map())
		return &types.AttributeValueMemberM{Value: m}, err
	}
	return nil, fmt.Errorf("%w: a value of an unknown kind", ddb.ErrDecode)
}
