package lambdaevent_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/lambdaevent"
	"github.com/seed530093c6/ddb/memory"
)

var _ lambda.Handler = (*ddb.Changes)(nil)

var sameValues = cmpopts.IgnoreUnexported(
	types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberB{}, types.AttributeValueMemberBOOL{},
	types.AttributeValueMemberNULL{}, types.AttributeValueMemberSS{}, types.AttributeValueMemberNS{}, types.AttributeValueMemberBS{},
	types.AttributeValueMemberL{}, types.AttributeValueMemberM{})

// event returns an event with values of every kind, as JSON and as the type of
// aws-lambda-go.
func event(t *testing.T) ([]byte, events.DynamoDBEvent) {
	t.Helper()
	text, err := os.ReadFile("../testdata/lambda_event.json")
	if err != nil {
		t.Fatal(err)
	}
	var e events.DynamoDBEvent
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatal(err)
	}
	return text, e
}

// The types of aws-lambda-go give the same records as the JSON that they are made
// of.
func TestRecords(t *testing.T) {
	t.Parallel()
	text, e := event(t)
	want, err := ddb.DecodeRecords(text)
	if err != nil {
		t.Fatal(err)
	}
	got, err := lambdaevent.Records(e)
	if d := cmp.Diff(got, want, sameValues); d != "" || err != nil {
		t.Errorf("error %v, records (-got +want):\n%s", err, d)
	}
	e.Records[0].Change.NewImage["Data"].Binary()[0] = 9
	if got[0].New["Data"].(*types.AttributeValueMemberB).Value[0] == 9 {
		t.Error("the record shares memory with the event")
	}
	e.Records[1].Change.ApproximateCreationDateTime = events.SecondsEpochTime{}
	if r, err := lambdaevent.Record(e.Records[1]); err != nil || !r.Time.IsZero() {
		t.Errorf("without a time: got %v, %v", r.Time, err)
	}
}

// A value that was never set is an error, however deep it lies.
func TestFaultyValues(t *testing.T) {
	t.Parallel()
	var unset events.DynamoDBAttributeValue
	for _, v := range []events.DynamoDBAttributeValue{
		unset, events.NewListAttribute([]events.DynamoDBAttributeValue{unset}),
		events.NewMapAttribute(map[string]events.DynamoDBAttributeValue{"a": unset}),
	} {
		e := events.DynamoDBEvent{Records: []events.DynamoDBEventRecord{
			{Change: events.DynamoDBStreamRecord{Keys: map[string]events.DynamoDBAttributeValue{"a": v}}},
		}}
		if _, err := lambdaevent.Records(e); !errors.Is(err, ddb.ErrDecode) || !strings.Contains(err.Error(), "record 0") {
			t.Errorf("got %v, want ErrDecode", err)
		}
	}
}

// Parcel is the entity of the handler's test.
type Parcel struct {
	_ ddb.Entity `name:"Everything" pk:"ALL#{ID}" sk:"ALL"`

	ID string
}

// The handler answers with the record that failed, as Changes does.
func TestHandler(t *testing.T) {
	t.Parallel()
	table := ddb.NewTable("Post", memory.New(), ddb.Clock(func() time.Time { return time.Unix(0, 0) }))
	parcels := ddb.Define[Parcel](table)
	fail := ""
	changes := ddb.NewChanges(table)
	ddb.On(changes, parcels, func(_ context.Context, c ddb.Change[Parcel]) error {
		if c.Key.ID == fail {
			return errors.New("boom")
		}
		return nil
	})
	handle := lambdaevent.Handler(changes)
	text, e := event(t)
	for _, fail = range []string{"", "1", "2"} {
		answer, err := handle(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		want, err := changes.Invoke(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(got), string(want)); d != "" {
			t.Errorf("when %q fails (-got +want):\n%s", fail, d)
		}
	}
}
