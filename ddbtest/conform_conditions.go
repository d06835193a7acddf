package ddbtest

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// itemOf returns the item that a failed condition carries.
func itemOf(err error) stored {
	if failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok && len(failed.Item) > 0 {
		return failed.Item
	}
	return nil
}

// conformConditions tests conditions and filters, which are the same.
func conformConditions(t *testing.T, s *suite) {
	for _, k := range conditions {
		s.try(t, k.text, func(c trial) {
			item := c.put("a", subject)
			values := k.values
			_, err := c.db.PutItem(c.Context(), &dynamodb.PutItemInput{
				TableName: &c.main, Item: item, ConditionExpression: &k.text, ExpressionAttributeValues: values,
			})
			if k.holds {
				c.fine(err)
			} else {
				c.refused(err, notMet, "The conditional request failed")
			}
			filtered := stored{":pk": vS(c.pk)}
			for name, v := range values {
				filtered[name] = v
			}
			out, err := c.db.Query(c.Context(), &dynamodb.QueryInput{
				TableName: &c.main, KeyConditionExpression: aws.String("PK = :pk"), FilterExpression: &k.text, ExpressionAttributeValues: filtered,
				ConsistentRead: aws.Bool(true),
			})
			c.fine(err)
			if got := out.Count == 1; got != k.holds || out.ScannedCount != 1 {
				c.Errorf("as a filter: %d of %d items pass, want %t", out.Count, out.ScannedCount, k.holds)
			}
		})
	}
	s.try(t, "a condition on a missing item sees no attributes", func(c trial) {
		for text, holds := range map[string]bool{"attribute_not_exists(PK)": true, "x <> :v": true, "x = :v": false, "NOT x = :v": true} {
			in := &dynamodb.DeleteItemInput{TableName: &c.main, Key: c.key("none"), ConditionExpression: aws.String(text)}
			if text != "attribute_not_exists(PK)" {
				in.ExpressionAttributeValues = stored{":v": vN("1")}
			}
			if _, err := c.db.DeleteItem(c.Context(), in); (err == nil) != holds {
				c.Errorf("%s: got %v, want it to hold: %t", text, err, holds)
			}
		}
	})
}

// subject is what conditions are about.
var subject = stored{
	"s": vS("hello"), "wide": vS("é𝄞"), "empty1": vS(""), "n": vN("10"), "b": vB("\x80"), "yes": vBool(true), "nothing": vNull(),
	"ss": vSS("a", "b"), "ns": vNS("1", "2"), "l": vL(vN("1"), vS("x"), vM(stored{"k": vS("v")})), "m": vM(stored{"a": vM(stored{"b": vN("5")})}),
}

var conditions = []struct {
	text   string
	values stored
	holds  bool
}{
	{"s = :v", stored{":v": vS("hello")}, true},
	{"s = :v", stored{":v": vS("Hello")}, false},
	{"n = :v", stored{":v": vN("10.0")}, true},
	{"n = :v", stored{":v": vS("10")}, false},
	{"n <> :v", stored{":v": vS("10")}, true},
	{"absent <> :v", stored{":v": vN("1")}, true},
	{"absent = :v", stored{":v": vN("1")}, false},
	{"NOT absent = :v", stored{":v": vN("1")}, true},
	{"absent = absent2", nil, false},
	{"absent <> absent2", nil, true},
	{"absent < :v", stored{":v": vN("1")}, false},
	{"n > :v", stored{":v": vN("9")}, true},
	{"s > :v", stored{":v": vS("Z")}, true},
	{"b > :v", stored{":v": vB("\x7f")}, true},
	{"s > :v", stored{":v": vN("1")}, false},
	{"yes = :v", stored{":v": vBool(true)}, true},
	{"nothing = :v", stored{":v": vNull()}, true},
	{"ss = :v", stored{":v": vSS("b", "a")}, true},
	{"ns = :v", stored{":v": vNS("2.0", "1")}, true},
	{"l = :v", stored{":v": vL(vN("1.0"), vS("x"), vM(stored{"k": vS("v")}))}, true},
	{"m = :v", stored{":v": vM(stored{"a": vM(stored{"b": vN("6")})})}, false},
	{"n BETWEEN :lo AND :hi", stored{":lo": vN("10"), ":hi": vN("10")}, true},
	{"n BETWEEN :lo AND :hi", stored{":lo": vN("11"), ":hi": vN("12")}, false},
	{"n IN (:a, :b)", stored{":a": vS("10"), ":b": vN("10")}, true},
	{"n IN (:a)", stored{":a": vS("10")}, false},
	{"attribute_exists(m.a.b)", nil, true},
	{"attribute_exists(m.a.c)", nil, false},
	{"attribute_not_exists(l[3])", nil, true},
	{"attribute_exists(l[2].k)", nil, true},
	{"attribute_exists(s.x)", nil, false},
	{"attribute_type(nothing, :t)", stored{":t": vS("NULL")}, true},
	{"attribute_type(ss, :t)", stored{":t": vS("S")}, false},
	{"attribute_type(absent, :t)", stored{":t": vS("S")}, false},
	{"begins_with(s, :p)", stored{":p": vS("he")}, true},
	{"begins_with(s, :p)", stored{":p": vS("")}, true},
	{"begins_with(n, :p)", stored{":p": vS("1")}, false},
	{"contains(s, :v)", stored{":v": vS("ell")}, true},
	{"contains(ss, :v)", stored{":v": vS("a")}, true},
	{"contains(ns, :v)", stored{":v": vN("2.0")}, true},
	{"contains(ns, :v)", stored{":v": vS("2")}, false},
	{"contains(l, :v)", stored{":v": vM(stored{"k": vS("v")})}, true},
	{"contains(absent, :v)", stored{":v": vS("a")}, false},
	{"size(s) = :n", stored{":n": vN("5")}, true},
	{"size(wide) = :n", stored{":n": vN("3")}, true}, // UTF-16 code units
	{"size(empty1) = :n", stored{":n": vN("0")}, true},
	{"size(l) >= :n AND size(m) = :one", stored{":n": vN("3"), ":one": vN("1")}, true},
	{"size(n) > :n", stored{":n": vN("0")}, false},
	{"size(absent) >= :n", stored{":n": vN("0")}, false},
	{"n = :x OR n = :y AND s = :z", stored{":x": vN("10"), ":y": vN("10"), ":z": vS("no")}, true},
	{"NOT n = :x AND s = :z", stored{":x": vN("10"), ":z": vS("hello")}, false},
	{"not (n = :x and s = :z)", stored{":x": vN("10"), ":z": vS("no")}, true},
	{"m.a.b = :v", stored{":v": vN("5")}, true},
	{":v = :w", stored{":v": vN("1"), ":w": vN("1.0")}, true},
}
