package memory_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/memory"
)

// expireBy makes items of a table expire.
func expireBy(t testing.TB, db *memory.DB, table, attribute string) {
	t.Helper()
	_, err := db.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{TableName: aws.String(table),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{Enabled: aws.Bool(true), AttributeName: aws.String(attribute)}})
	if err != nil {
		t.Fatal(err)
	}
}

func expire(t testing.TB, db *memory.DB) int {
	t.Helper()
	n, err := db.Expire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// What expires is what holds a number of seconds that are past, but not for more
// than five years; every other value never does. Until the sweep all is read.
func TestExpire(t *testing.T) {
	t.Parallel()
	const now = 1_700_000_000
	fiveYears := int(time.Unix(now, 0).AddDate(-5, 0, 0).Unix())
	for _, tt := range []struct {
		name    string
		value   types.AttributeValue
		expires bool
	}{
		{"none", nil, false},
		{"now", num(now), true},
		{"a second later", num(now + 1), false},
		{"a second ago", num(now - 1), true},
		{"a fraction later", num("1700000000.5"), false},
		{"a fraction ago", num("1699999999.5"), true},
		{"with an exponent", num("1.7e9"), true},
		{"five years ago", num(fiveYears), true},
		{"more than five years ago", num(fiveYears - 1), false},
		{"1970", num(0), false},
		{"milliseconds", num("1600000000000"), false},
		{"negative", num(-now), false},
		{"38 digits", num("16999999999999999999999999999999999999e-28"), true},
		{"a string", str("1600000000"), false},
		{"binary", bin("1600000000"), false},
		{"a list", seq(num(now - 1)), false},
		{"a map", obj(item{"ttl": num(now - 1)}), false},
		{"a set", &types.AttributeValueMemberNS{Value: []string{"1699999999"}}, false},
		{"true", boolean(true), false},
		{"null", &types.AttributeValueMemberNULL{Value: true}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db := newDB(t)
			create(t, db, withGSI(define("Tab", "pk:S"), "gsi", []string{"g:S"}, nil))
			expireBy(t, db, "Tab", "ttl")
			it := item{"pk": str("a"), "g": str("g")}
			if tt.value != nil {
				it["ttl"] = tt.value
			}
			put(t, db, "Tab", it)
			if get(t, db, "Tab", item{"pk": str("a")}) == nil {
				t.Fatal("the item cannot be read before the sweep")
			}
			want := 0
			if tt.expires {
				want = 1
			}
			if got := expire(t, db); got != want {
				t.Errorf("%d items expired, want %d", got, want)
			}
			if gone := get(t, db, "Tab", item{"pk": str("a")}) == nil; gone != tt.expires {
				t.Errorf("gone is %v, want %v", gone, tt.expires)
			}
			if left := int(query(t, db, "Tab", "gsi", "g = :a", nil, str("g")).Count); left != 1-want {
				t.Errorf("%d entries in the index, want %d", left, 1-want)
			}
		})
	}
}

// On a clock that moves: an item expires in its second, not before and not by
// itself; one whose time was moved stays; tables without the setting, or with
// another attribute, keep everything. The record names the service.
func TestExpireByTheClock(t *testing.T) {
	t.Parallel()
	db, c := newTimedDB(t, memory.Throttling())
	for _, name := range []string{"Tab", "Other", "Never"} {
		create(t, db, streamed(withLSI(define(name, "pk:S", "sk:N"), "local", "ttl:N"), types.StreamViewTypeNewAndOldImages))
	}
	expireBy(t, db, "Tab", "ttl")
	expireBy(t, db, "Other", "until")
	at := int(c.now().Unix()) + 60
	for _, name := range []string{"Tab", "Other", "Never"} {
		put(t, db, name, item{"pk": str("a"), "sk": num(1), "ttl": num(at)}, item{"pk": str("a"), "sk": num(2), "ttl": num(at)})
	}
	c.advance(time.Minute - time.Millisecond)
	if n := expire(t, db); n != 0 {
		t.Errorf("%d items expired a millisecond early", n)
	}
	c.advance(time.Millisecond)
	if got := int(query(t, db, "Tab", "local", "pk = :a", nil, str("a")).Count); got != 2 {
		t.Errorf("%d items are read before the sweep, want 2", got)
	}
	if _, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String("Tab"), Key: item{"pk": str("a"), "sk": num(2)}, UpdateExpression: aws.String("SET #t = #t + :d"),
		ExpressionAttributeNames: map[string]string{"#t": "ttl"}, ExpressionAttributeValues: item{":d": num(1)},
	}); err != nil {
		t.Fatalf("an expired item cannot be changed: %v", err)
	}
	if n := expire(t, db); n != 1 {
		t.Errorf("%d items expired, want the one whose time did not change", n)
	}
	if got := int(query(t, db, "Tab", "local", "pk = :a", nil, str("a")).Count); got != 1 {
		t.Errorf("%d entries are left, want 1", got)
	}
	for _, name := range []string{"Other", "Never"} {
		if got := int(query(t, db, name, "", "pk = :a", nil, str("a")).Count); got != 2 {
			t.Errorf("%s has %d items, want 2", name, got)
		}
	}
	records := briefs(recordsOf(t, db, latestStream(t, db, "Tab")))
	want := fmt.Sprintf("REMOVE pk=a sk=1: pk=a sk=1 ttl=%d -> none by Service dynamodb.amazonaws.com", at)
	if got := records[len(records)-1]; got != want {
		t.Errorf("the last record is\n%s\nwant\n%s", got, want)
	}
	if got := records[len(records)-2]; got != fmt.Sprintf("MODIFY pk=a sk=2: pk=a sk=2 ttl=%d -> pk=a sk=2 ttl=%d", at, at+1) {
		t.Errorf("the record of the change is %s", got)
	}
	c.advance(time.Second)
	if n := expire(t, db); n != 1 {
		t.Errorf("%d items expired a second later, want 1", n)
	}
}

// Expiry costs no capacity, so it goes on where writes are throttled.
func TestExpiryIsFree(t *testing.T) {
	t.Parallel()
	db, c := newTimedDB(t, memory.Throttling(), memory.TrackHeat(1))
	create(t, db, provisioned(define("Tab", "pk:S"), 1, 1))
	expireBy(t, db, "Tab", "ttl")
	put(t, db, "Tab", item{"pk": str("a"), "ttl": num(int(c.now().Unix()))})
	_, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("Tab"), Item: item{"pk": str("b")}})
	if !is[*types.ProvisionedThroughputExceededException](err) {
		t.Fatalf("a write beyond the throughput: %v", err)
	}
	before := db.Heat("Tab").Total
	if n := expire(t, db); n != 1 {
		t.Errorf("%d items expired, want 1", n)
	}
	if d := cmp.Diff(db.Heat("Tab").Total, before); d != "" {
		t.Errorf("traffic (-after +before):\n%s", d)
	}
}

// Nothing expires while the setting is on its way, and nothing after it was taken
// back.
func TestExpiryOnItsWay(t *testing.T) {
	t.Parallel()
	db, c := newTimedDB(t, memory.TransitionTime(time.Minute))
	create(t, db, define("Tab", "pk:S"))
	c.advance(time.Minute)
	put(t, db, "Tab", item{"pk": str("a"), "ttl": num(int(c.now().Unix()))})
	expireBy(t, db, "Tab", "ttl")
	if n := expire(t, db); n != 0 {
		t.Errorf("%d items expired while TTL is ENABLING", n)
	}
	c.advance(time.Minute)
	if n := expire(t, db); n != 1 {
		t.Errorf("%d items expired, want 1", n)
	}
}

// A sweep ends with its context, and reports a journal that fails; what it could
// not keep stays.
func TestExpireFails(t *testing.T) {
	t.Parallel()
	var j tape
	db := newDB(t, memory.WithJournal(&j))
	create(t, db, define("Tab", "pk:S"))
	expireBy(t, db, "Tab", "ttl")
	put(t, db, "Tab", item{"pk": str("a"), "ttl": num(1_700_000_000)})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if n, err := db.Expire(ctx); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %d, %v", n, err)
	}
	j.onAppend = errors.New("disk full")
	if n, err := db.Expire(t.Context()); n != 0 || !errors.Is(err, j.onAppend) {
		t.Errorf("with a journal that fails: %d, %v", n, err)
	}
	if get(t, db, "Tab", item{"pk": str("a")}) == nil {
		t.Error("the item is gone, though that could not be kept")
	}
}
