package ddbtest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
)

// TestRecords asserts that records made of values are those that a stream has of
// the same changes, but for what tells records apart, and that handlers get the
// values back.
func TestRecords(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	s := ddbtest.Open(t, db, newShop)
	_, err := db.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
		TableName: aws.String(ddbtest.TableName),
		StreamSpecification: &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	ann, eve := User{ID: "1", Name: "Ann"}, User{ID: "1", Name: "Eve", Expires: time.Unix(1_800_000_000, 0).UTC()}
	order := Order{UserID: "1", ID: "a", Status: "OPEN"}
	for _, run := range []func(context.Context) error{
		s.users.Create(&ann).Run, s.users.Put(&eve).Run, s.orders.Create(&order).Run, s.users.Delete(eve).Run,
	} {
		if err := run(ctx); err != nil {
			t.Fatal(err)
		}
	}
	var streamed []ddb.Record
	changes := ddb.NewChanges(s.table)
	ddb.On(changes, s.users, func(_ context.Context, c ddb.Change[User]) error { streamed = append(streamed, *c.Record); return nil })
	ddb.On(changes, s.orders, func(_ context.Context, c ddb.Change[Order]) error { streamed = append(streamed, *c.Record); return nil })
	if err := changes.Follow(db).CatchUp(ctx); err != nil {
		t.Fatal(err)
	}

	made := ddbtest.Records(t, ddbtest.Insert(s.users, ann), ddbtest.Modify(s.users, ann, eve), ddbtest.Insert(s.orders, order), ddbtest.Remove(s.users, eve))
	particulars := cmpopts.IgnoreFields(ddb.Record{}, "EventID", "SequenceNumber", "Time")
	if diff := cmp.Diff(made, streamed, ddbtest.Values(), particulars); diff != "" {
		t.Errorf("what was made differs (-made +streamed)\n%s", diff)
	}

	var got []string
	changes = ddb.NewChanges(s.table)
	ddb.On(changes, s.users, func(_ context.Context, c ddb.Change[User]) error {
		got = append(got, fmt.Sprintf("%s %s %s %t", c.Kind, nameOf(c.Old), nameOf(c.New), c.Expired))
		return nil
	})
	made = append(made, ddbtest.Records(t, ddbtest.Expire(s.users, eve))...)
	if err := changes.Handle(ctx, made...); err != nil {
		t.Fatal(err)
	}
	want := []string{"INSERT - Ann false", "MODIFY Ann Eve false", "REMOVE Eve - false", "REMOVE Eve - true"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("what handlers saw (-got +want)\n%s", diff)
	}
}

func nameOf(u *User) string {
	if u == nil {
		return "-"
	}
	return u.Name
}

// TestRecordsAreTold asserts that records have IDs of their own and are in order.
func TestRecordsAreTold(t *testing.T) {
	t.Parallel()
	s := ddbtest.Open(t, ddbtest.New(t), newShop)
	insert := ddbtest.Insert(s.users, User{ID: "1"})
	rs := ddbtest.Records(t, insert, insert)
	if rs[0].EventID == rs[1].EventID || rs[0].SequenceNumber >= rs[1].SequenceNumber || !rs[0].Time.Before(rs[1].Time) {
		t.Errorf("got %+v", rs)
	}
}

// TestLambdaEvent asserts that the event of a function decodes to the records it
// was made of.
func TestLambdaEvent(t *testing.T) {
	t.Parallel()
	s := ddbtest.Open(t, ddbtest.New(t), newShop)
	records := ddbtest.Records(t, ddbtest.Insert(s.users, User{ID: "1", Name: "张三"}),
		ddbtest.Modify(s.users, User{ID: "1"}, User{ID: "1", Orders: 5}), ddbtest.Expire(s.users, User{ID: "1"}))
	event := ddbtest.LambdaEvent(t, records...)
	got, err := ddb.DecodeRecords(event)
	if diff := cmp.Diff(got, records, ddbtest.Values()); err != nil || diff != "" {
		t.Errorf("error %v, the records (-got +want)\n%s", err, diff)
	}
	if got, err := ddb.DecodeRecords(ddbtest.LambdaEvent(t)); err != nil || len(got) != 0 {
		t.Errorf("no records: got %v and %v", got, err)
	}
	if !json.Valid(event) {
		t.Errorf("%s is no JSON", event)
	}
}

// TestRecordsOfNothing asserts that what cannot have happened fails the test.
func TestRecordsOfNothing(t *testing.T) {
	t.Parallel()
	s := ddbtest.Open(t, ddbtest.New(t), newShop)
	for name, test := range map[string]struct {
		happening ddbtest.Happening
		want      string
	}{
		"no key":      {ddbtest.Insert(s.users, User{}), "bad key value"},
		"another key": {ddbtest.Modify(s.users, User{ID: "1"}, User{ID: "2"}), "the key has changed"},
		"bad index":   {ddbtest.Remove(s.orders, Order{UserID: "1", ID: "a"}), "Status"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantFailure(t, func(t ddbtest.TB) { ddbtest.Records(t, test.happening) }, "record 0", test.want)
		})
	}
}
