package ddb_test

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed530093c6/ddb"
)

// Everything has a field for each kind of attribute value.
type Everything struct {
	_ ddb.Entity `name:"Everything" pk:"ALL#{ID}" sk:"ALL"`

	ID      string
	Text    string
	Big     *big.Int
	Exact   int64
	Data    []byte
	Flag    bool
	Nothing any
	Texts   []string `dynamodbav:",stringset"`
	Numbers []int    `dynamodbav:",numberset"`
	Datas   [][]byte `dynamodbav:",binaryset"`
	List    []any    `dynamodbav:",omitempty"`
	Map     map[string][]string
}

// lambdaEvent is an event as Lambda sends it, with values of every kind. The second
// record is of an item that expired.
//
//go:embed testdata/lambda_event.json
var lambdaEvent string

var (
	sameValues = cmpopts.IgnoreUnexported(
		types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberB{}, types.AttributeValueMemberBOOL{},
		types.AttributeValueMemberNULL{}, types.AttributeValueMemberSS{}, types.AttributeValueMemberNS{}, types.AttributeValueMemberBS{},
		types.AttributeValueMemberL{}, types.AttributeValueMemberM{})
	sameIntegers = cmp.Comparer(func(a, b *big.Int) bool { return a == nil && b == nil || a != nil && b != nil && a.Cmp(b) == 0 })
)

// TestLambdaEvent decodes an event field by field: what is told of the change, every
// kind of value, and images that are not there.
func TestLambdaEvent(t *testing.T) {
	t.Parallel()
	records, err := ddb.DecodeRecords([]byte(lambdaEvent))
	if err != nil {
		t.Fatal(err)
	}
	s, n := func(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} },
		func(v string) types.AttributeValue { return &types.AttributeValueMemberN{Value: v} }
	type values = map[string]types.AttributeValue
	want := []ddb.Record{
		{
			EventID: "c9fbe7d0261a5163fcb6940593e41797", Kind: ddb.Modified, SequenceNumber: "25648600000000008640687411",
			Time: time.Unix(1664559083, 0).UTC(), Keys: values{"PK": s("ALL#1"), "SK": s("ALL")},
			Old: values{"PK": s("ALL#1"), "SK": s("ALL"), "EntityType": s("Everything"), "ID": s("1"), "Text": s("")},
			New: values{
				"PK": s("ALL#1"), "SK": s("ALL"), "EntityType": s("Everything"), "ID": s("1"), "Text": s("é\u2028\""),
				"Big": n("12345678901234567890123456789012345678"), "Exact": n("9007199254740993"),
				"Data": &types.AttributeValueMemberB{Value: []byte{0, 1, 255, 128}}, "Flag": &types.AttributeValueMemberBOOL{Value: true},
				"Nothing": &types.AttributeValueMemberNULL{Value: true}, "Texts": &types.AttributeValueMemberSS{Value: []string{"Giraffe", "Zebra"}},
				"Numbers": &types.AttributeValueMemberNS{Value: []string{"1", "-2"}},
				"Datas":   &types.AttributeValueMemberBS{Value: [][]byte{{0, 1, 42, 65}, {65, 42, 1, 0}}},
				"List": &types.AttributeValueMemberL{Value: []types.AttributeValue{
					s("x"), &types.AttributeValueMemberL{Value: []types.AttributeValue{}},
					&types.AttributeValueMemberM{Value: values{"deep": &types.AttributeValueMemberBOOL{}}},
				}},
				"Map": &types.AttributeValueMemberM{Value: values{
					"a": &types.AttributeValueMemberL{Value: []types.AttributeValue{s("b")}}, "": &types.AttributeValueMemberL{Value: []types.AttributeValue{}},
				}},
			},
		},
		{
			EventID: "d2fbe7d0261a5163fcb6940593e41798", Kind: ddb.Removed, SequenceNumber: "25648600000000008640687412", Expired: true,
			Time: time.Unix(1664559084, 0).UTC(), Keys: values{"PK": s("ALL#2"), "SK": s("ALL")},
			Old: values{"PK": s("ALL#2"), "SK": s("ALL"), "EntityType": s("Everything"), "ID": s("2"), "Data": &types.AttributeValueMemberB{Value: []byte{}}},
		},
	}
	if d := cmp.Diff(records, want, sameValues); d != "" {
		t.Errorf("records (-got +want):\n%s", d)
	}
}

// TestLambdaFunction asserts that an event becomes typed values, and that the answer
// names the first record that fails, and none if all are handled.
func TestLambdaFunction(t *testing.T) {
	t.Parallel()
	table := ddb.NewTable("Post", unreachable{})
	everything := ddb.Define[Everything](table)
	var got []ddb.Change[Everything]
	var fail string
	var failures []string
	changes := ddb.NewChanges(table, ddb.OnChangeError(func(_ context.Context, err *ddb.ChangeError) { failures = append(failures, err.Error()) }))
	ddb.On(changes, everything, func(_ context.Context, c ddb.Change[Everything]) error {
		if c.Key.ID == fail {
			return errors.New("boom")
		}
		c.Record = nil
		got = append(got, c)
		return nil
	})
	whole, _ := new(big.Int).SetString("12345678901234567890123456789012345678", 10)
	want := []ddb.Change[Everything]{
		{
			Kind: ddb.Modified, EventID: "c9fbe7d0261a5163fcb6940593e41797", SequenceNumber: "25648600000000008640687411",
			Time: time.Unix(1664559083, 0).UTC(), Key: Everything{ID: "1"}, Old: &Everything{ID: "1"},
			New: &Everything{
				ID: "1", Text: "é\u2028\"", Big: whole, Exact: 9007199254740993, Data: []byte{0, 1, 255, 128}, Flag: true,
				Texts: []string{"Giraffe", "Zebra"}, Numbers: []int{1, -2}, Datas: [][]byte{{0, 1, 42, 65}, {65, 42, 1, 0}},
				List: []any{"x", []any{}, map[string]any{"deep": false}}, Map: map[string][]string{"a": {"b"}, "": {}},
			},
		},
		{
			Kind: ddb.Removed, EventID: "d2fbe7d0261a5163fcb6940593e41798", SequenceNumber: "25648600000000008640687412", Expired: true,
			Time: time.Unix(1664559084, 0).UTC(), Key: Everything{ID: "2"}, Old: &Everything{ID: "2", Data: []byte{}},
		},
	}
	const none = `{"batchItemFailures":[]}`
	answer, err := changes.Invoke(t.Context(), []byte(lambdaEvent))
	if string(answer) != none || err != nil {
		t.Errorf("got %s, %v, want %s", answer, err, none)
	}
	if d := cmp.Diff(got, want, ignoreMarkers, sameIntegers); d != "" {
		t.Errorf("changes (-got +want):\n%s", d)
	}
	malformed := strings.Replace(lambdaEvent, `{ "B": "" }`, `{ "B": "" , "S": "" }`, 1)
	for _, tt := range []struct{ name, event, fail, answer, why string }{
		{"the first fails", lambdaEvent, "1", `{"batchItemFailures":[{"itemIdentifier":"25648600000000008640687411"}]}`,
			"ddb: modify Post: Everything, record 25648600000000008640687411: boom"},
		{"the second fails", lambdaEvent, "2", `{"batchItemFailures":[{"itemIdentifier":"25648600000000008640687412"}]}`,
			"ddb: remove Post: Everything, record 25648600000000008640687412: boom"},
		{"the second cannot be read", malformed, "", `{"batchItemFailures":[{"itemIdentifier":"25648600000000008640687412"}]}`,
			"ddb: remove Post, record 25648600000000008640687412: attribute cannot be read: record 1 of the event: a value names no kind, or several"},
		{"nothing is known but the number", `{"Records":[{"dynamodb":{"SequenceNumber":"7","Keys":7}}]}`, "", `{"batchItemFailures":[{"itemIdentifier":"7"}]}`,
			"ddb: Post, record 7: attribute cannot be read: record 0 of the event: its content is no JSON of a change"},
	} {
		fail, failures = tt.fail, nil
		answer, err := changes.Invoke(t.Context(), []byte(tt.event))
		if string(answer) != tt.answer || err != nil {
			t.Errorf("%s: got %s, %v, want %s", tt.name, answer, err, tt.answer)
		}
		if d := cmp.Diff(failures, []string{tt.why}); d != "" {
			t.Errorf("%s: reported (-got +want):\n%s", tt.name, d)
		}
	}
}

// TestLambdaEventsThatAreNone asserts that what is no event of a stream is an error
// that says so, without showing values.
func TestLambdaEventsThatAreNone(t *testing.T) {
	t.Parallel()
	value := func(v string) string {
		return `{"Records":[{"eventName":"INSERT","dynamodb":{"SequenceNumber":"1","Keys":{"secret":` + v + `}}}]}`
	}
	for _, tt := range []struct{ name, event, want string }{
		{"nothing", ``, "no JSON of a stream"},
		{"no JSON", `hello`, "no JSON of a stream"},
		{"a list", `[]`, "no JSON of a stream"},
		{"another event", `{"detail-type":"Scheduled Event"}`, "is a stream its source?"},
		{"no content", `{"Records":[{"eventName":"INSERT"}]}`, "record 0"},
		{"content of another form", `{"Records":[{"dynamodb":7}]}`, "record 0"},
		{"no time", `{"Records":[{"dynamodb":{"ApproximateCreationDateTime":1e99}}]}`, "is no time"},
		{"value without kind", value(`{}`), "names no kind"},
		{"value that is null", value(`null`), "names no kind"},
		{"value of two kinds", value(`{"S":"secret","N":"1"}`), "or several"},
		{"value of an unknown kind", value(`{"X":"secret"}`), "names no kind"},
		{"a number that is none of JSON's texts", value(`{"N":1}`), "does not fit the kind"},
		{"binary that is not encoded", value(`{"B":"secret!"}`), "does not fit the kind"},
		{"fault further in", value(`{"L":[{"M":{"secret":{"BS":["?"]}}}]}`), "does not fit the kind"},
	} {
		_, err := ddb.DecodeRecords([]byte(tt.event))
		if !errors.Is(err, ddb.ErrDecode) || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want ErrDecode with %q", tt.name, err, tt.want)
		}
	}
	records, err := ddb.DecodeRecords([]byte(strings.Replace(lambdaEvent, `{ "B": "" }`, `{}`, 1)))
	if len(records) != 1 || err == nil {
		t.Errorf("the record before a faulty one: got %d, %v", len(records), err)
	}
}

// FuzzDecodeRecords asserts that no event makes the decoder panic, and that what it
// reads has values of known kinds only.
func FuzzDecodeRecords(f *testing.F) {
	f.Add([]byte(lambdaEvent))
	f.Add([]byte(`{"Records":[{"dynamodb":{"ApproximateCreationDateTime":-1.5e3,"Keys":{"a":{"L":[{"NULL":false}]}}}}]}`))
	f.Fuzz(func(t *testing.T, event []byte) {
		records, _ := ddb.DecodeRecords(event)
		for _, r := range records {
			for _, image := range []map[string]types.AttributeValue{r.Keys, r.Old, r.New} {
				for name, v := range image {
					if v == nil {
						t.Errorf("attribute %q has no value", name)
					}
				}
			}
		}
	})
}

// TestRecordOf asserts that a record of the SDK's streams client comes over whole,
// with what is missing left out.
func TestRecordOf(t *testing.T) {
	t.Parallel()
	list := &streamtypes.AttributeValueMemberL{Value: []streamtypes.AttributeValue{
		&streamtypes.AttributeValueMemberS{Value: "s"}, &streamtypes.AttributeValueMemberN{Value: "12345678901234567890123456789012345678"},
		&streamtypes.AttributeValueMemberB{Value: []byte{0}}, &streamtypes.AttributeValueMemberBOOL{Value: true},
		&streamtypes.AttributeValueMemberNULL{Value: true}, &streamtypes.AttributeValueMemberSS{Value: []string{"a"}},
		&streamtypes.AttributeValueMemberNS{Value: []string{"1"}}, &streamtypes.AttributeValueMemberBS{Value: [][]byte{{1}}},
		&streamtypes.AttributeValueMemberM{Value: map[string]streamtypes.AttributeValue{}},
	}}
	got, err := ddb.RecordOf(streamtypes.Record{
		EventID: aws.String("e"), EventName: streamtypes.OperationTypeRemove,
		UserIdentity: &streamtypes.Identity{Type: aws.String("Service"), PrincipalId: aws.String("dynamodb.amazonaws.com")},
		Dynamodb: &streamtypes.StreamRecord{
			SequenceNumber: aws.String("1"), ApproximateCreationDateTime: aws.Time(time.Unix(9, 0)),
			Keys: map[string]streamtypes.AttributeValue{"k": &streamtypes.AttributeValueMemberS{Value: "v"}}, OldImage: map[string]streamtypes.AttributeValue{"l": list},
		},
	})
	want := ddb.Record{
		EventID: "e", Kind: ddb.Removed, SequenceNumber: "1", Time: time.Unix(9, 0).UTC(), Expired: true, Keys: item("k", "v"),
		Old: map[string]types.AttributeValue{"l": &types.AttributeValueMemberL{Value: []types.AttributeValue{
			&types.AttributeValueMemberS{Value: "s"}, &types.AttributeValueMemberN{Value: "12345678901234567890123456789012345678"},
			&types.AttributeValueMemberB{Value: []byte{0}}, &types.AttributeValueMemberBOOL{Value: true},
			&types.AttributeValueMemberNULL{Value: true}, &types.AttributeValueMemberSS{Value: []string{"a"}},
			&types.AttributeValueMemberNS{Value: []string{"1"}}, &types.AttributeValueMemberBS{Value: [][]byte{{1}}},
			&types.AttributeValueMemberM{Value: map[string]types.AttributeValue{}},
		}}},
	}
	if d := cmp.Diff(got, want, sameValues); d != "" || err != nil {
		t.Errorf("error %v, record (-got +want):\n%s", err, d)
	}
	for name, r := range map[string]streamtypes.Record{
		"no content":       {EventID: aws.String("e")},
		"an unknown value": {Dynamodb: &streamtypes.StreamRecord{Keys: map[string]streamtypes.AttributeValue{"k": &streamtypes.UnknownUnionMember{Tag: "X"}}}},
	} {
		if _, err := ddb.RecordOf(r); !errors.Is(err, ddb.ErrDecode) {
			t.Errorf("%s: got %v, want ErrDecode", name, err)
		}
	}
}

// The answer to Lambda is JSON in its own words.
func TestBatchFailuresAsJSON(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(ddb.BatchFailures{ItemFailures: []ddb.ItemFailure{{SequenceNumber: "7"}}})
	if want := `{"batchItemFailures":[{"itemIdentifier":"7"}]}`; !bytes.Equal(text, []byte(want)) || err != nil {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
}
