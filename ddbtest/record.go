package ddbtest

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/export"
)

// Happening is a change of an item, to make a record of.
type Happening struct {
	record ddb.Record
	err    error
}

// Insert is that an item came to be.
func Insert[T any](d *ddb.Definition[T], item T) Happening {
	return happening(d, ddb.Inserted, nil, &item)
}

// Modify is that an item changed. Both values must have the same key.
func Modify[T any](d *ddb.Definition[T], before, after T) Happening {
	return happening(d, ddb.Modified, &before, &after)
}

// Remove is that an item was deleted.
func Remove[T any](d *ddb.Definition[T], item T) Happening {
	return happening(d, ddb.Removed, &item, nil)
}

// Expire is that DynamoDB removed an item because its time to live was over.
func Expire[T any](d *ddb.Definition[T], item T) Happening {
	h := happening(d, ddb.Removed, &item, nil)
	h.record.Expired = true
	return h
}

// happening makes all of a record but what tells it from others.
func happening[T any](d *ddb.Definition[T], kind ddb.ChangeKind, before, after *T) (h Happening) {
	h.record.Kind = kind
	for _, m := range []struct {
		value *T
		image *map[string]types.AttributeValue
	}{{before, &h.record.Old}, {after, &h.record.New}} {
		if m.value == nil || h.err != nil {
			continue
		}
		key, err := d.Get(*m.value).Input()
		if err != nil {
			h.err = err
			continue
		}
		if h.record.Keys != nil && keyText(sortedNames(key.Key), key.Key) != keyText(sortedNames(key.Key), h.record.Keys) {
			h.err = fmt.Errorf("%s: the key has changed; that is a Remove and an Insert", d.Name())
		}
		h.record.Keys = key.Key
		if *m.image, err = d.Item(m.value); err != nil {
			h.err = err
		}
	}
	return h
}

// firstRecord is the time of the first record, the others following by the second.
var firstRecord = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// Records returns the records that a stream with both images has of what happened,
// in order, for ddb.Changes. Values are stored as they are given: version and times
// are not touched. Event IDs are random; to let a record come twice, hand it over
// twice. The records are of the first of January 2024, a second apart. The test
// fails at once if an item cannot be stored.
func Records(t TB, happened ...Happening) []ddb.Record {
	t.Helper()
	out := make([]ddb.Record, len(happened))
	for i, h := range happened {
		if h.err != nil {
			t.Fatalf("ddbtest: record %d: %v", i, h.err)
		}
		out[i] = h.record
		var id [16]byte
		_, _ = rand.Read(id[:]) // never fails
		out[i].EventID = hex.EncodeToString(id[:])
		out[i].SequenceNumber = fmt.Sprintf("1%020d", i)
		out[i].Time = firstRecord.Add(time.Duration(i) * time.Second)
	}
	return out
}

// lambdaEvent is what AWS Lambda is given of a stream.
// with-ddb-example.html
type lambdaEvent struct {
	Records []lambdaRecord
}

type lambdaRecord struct {
	EventID        string          `json:"eventID"`
	EventName      ddb.ChangeKind  `json:"eventName"`
	EventVersion   string          `json:"eventVersion"`
	EventSource    string          `json:"eventSource"`
	AWSRegion      string          `json:"awsRegion"`
	EventSourceARN string          `json:"eventSourceARN"`
	UserIdentity   *lambdaIdentity `json:"userIdentity,omitempty"`
	DynamoDB       lambdaContent   `json:"dynamodb"`
}

type lambdaIdentity struct {
	Type        string `json:"type"`
	PrincipalID string `json:"principalId"`
}

type lambdaContent struct {
	ApproximateCreationDateTime int64
	Keys                        json.RawMessage
	OldImage                    json.RawMessage `json:",omitempty"`
	NewImage                    json.RawMessage `json:",omitempty"`
	SequenceNumber              string
	SizeBytes                   int
	StreamViewType              types.StreamViewType
}

// LambdaEvent returns the event with which AWS Lambda would hand records to a
// function, as JSON.
func LambdaEvent(t TB, records ...ddb.Record) []byte {
	t.Helper()
	event := lambdaEvent{Records: []lambdaRecord{}}
	for i, r := range records {
		out := lambdaRecord{
			EventID: r.EventID, EventName: r.Kind, EventVersion: "1.1", EventSource: "aws:dynamodb", AWSRegion: "us-east-1",
			EventSourceARN: "arn:aws:dynamodb:us-east-1:000000000000:table/" + TableName + "/stream/2024-01-01T00:00:00.000",
			DynamoDB: lambdaContent{
				ApproximateCreationDateTime: r.Time.Unix(), SequenceNumber: r.SequenceNumber, StreamViewType: types.StreamViewTypeNewAndOldImages,
				SizeBytes: ddb.ItemSize(r.Keys) + ddb.ItemSize(r.Old) + ddb.ItemSize(r.New),
			},
		}
		if r.Expired {
			out.UserIdentity = &lambdaIdentity{Type: "Service", PrincipalID: "dynamodb.amazonaws.com"}
		}
		for _, m := range []struct {
			to   *json.RawMessage
			from map[string]types.AttributeValue
		}{{&out.DynamoDB.Keys, r.Keys}, {&out.DynamoDB.OldImage, r.Old}, {&out.DynamoDB.NewImage, r.New}} {
			var err error
			if *m.to, err = attributesJSON(m.from); err != nil {
				t.Fatalf("ddbtest: record %d: %v", i, err)
			}
		}
		event.Records = append(event.Records, out)
	}
	text, err := json.Marshal(event)
	if err != nil {
		t.Fatalf("ddbtest: %v", err)
	}
	return text
}

// attributesJSON returns attributes in the form of the service's JSON, nil for
// none.
func attributesJSON(item map[string]types.AttributeValue) (json.RawMessage, error) {
	if item == nil {
		return nil, nil
	}
	line, err := export.Marshal(item)
	if err != nil {
		return nil, err
	}
	var exported struct{ Item json.RawMessage }
	err = json.Unmarshal(line, &exported)
	return exported.Item, err
}
