package ddbtest

import (
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// conformUpdates tests update expressions, alone and in transactions.
func conformUpdates(t *testing.T, s *suite) {
	for _, u := range updates {
		s.try(t, u.text, func(c trial) {
			c.put("alone", u.before)
			c.put("in a transaction", u.before)
			_, err := c.db.UpdateItem(c.Context(), &dynamodb.UpdateItemInput{
				TableName: &c.main, Key: c.key("alone"), UpdateExpression: &u.text, ExpressionAttributeValues: u.values,
			})
			c.fine(err)
			c.holds("alone", c.with("alone", u.after))
			_, err = c.db.TransactWriteItems(c.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{Update: &types.Update{
				TableName: &c.main, Key: c.key("in a transaction"), UpdateExpression: &u.text, ExpressionAttributeValues: u.values,
			}}}})
			c.fine(err)
			c.holds("in a transaction", c.with("in a transaction", u.after))
		})
	}
	for _, u := range impossible {
		s.try(t, "impossible: "+u.text, func(c trial) {
			before := c.put("a", u.before)
			_, err := c.db.UpdateItem(c.Context(), &dynamodb.UpdateItemInput{
				TableName: &c.main, Key: c.key("a"), UpdateExpression: &u.text, ExpressionAttributeValues: u.values,
			})
			c.refused(err, invalid, u.error)
			_, err = c.db.TransactWriteItems(c.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{Update: &types.Update{
				TableName: &c.main, Key: c.key("a"), UpdateExpression: &u.text, ExpressionAttributeValues: u.values,
			}}}})
			c.cancelled(err, "ValidationError: "+u.error)
			c.holds("a", before)
		})
	}
	for text, creates := range map[string]bool{"SET x = :v": true, "ADD x :v": true, "REMOVE x": false} {
		s.try(t, text+" of a missing item", func(c trial) {
			in := &dynamodb.UpdateItemInput{TableName: &c.main, Key: c.key("a"), UpdateExpression: &text}
			if creates {
				in.ExpressionAttributeValues = stored{":v": vN("1")}
			}
			_, err := c.db.UpdateItem(c.Context(), in)
			c.fine(err)
			if creates {
				c.holds("a", c.with("a", stored{"x": vN("1")}))
			} else {
				c.holds("a", nil)
			}
		})
	}
}

// cancelled demands a transaction that was cancelled for these reasons: code and
// text of each, or None.
func (c trial) cancelled(err error, want ...string) {
	c.Helper()
	cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok {
		c.Errorf("got %v, want a cancelled transaction", err)
		return
	}
	var got []string
	for _, r := range cancelled.CancellationReasons {
		got = append(got, strings.TrimSuffix(aws.ToString(r.Code)+": "+aws.ToString(r.Message), ": "))
	}
	c.equal("the reasons", got, want)
}

type update struct {
	text   string
	before stored
	values stored
	after  stored
	error  string
}

var updates = []update{
	{text: "SET x = :v", before: nil, values: stored{":v": vS("a")}, after: stored{"x": vS("a")}},
	{text: "SET a = b, b = a", before: stored{"a": vN("1"), "b": vN("2")}, after: stored{"a": vN("2"), "b": vN("1")}},
	{text: "SET a = :v, c = a", before: stored{"a": vN("1")}, values: stored{":v": vN("9")}, after: stored{"a": vN("9"), "c": vN("1")}},
	{text: "SET n = n + :one", before: stored{"n": vN("0.1")}, values: stored{":one": vN("0.2")}, after: stored{"n": vN("0.3")}},
	{text: "SET n = n - :big", before: stored{"n": vN("1")}, values: stored{":big": vN("12345678901234567890123456789")},
		after: stored{"n": vN("-12345678901234567890123456788")}},
	{text: "SET n = if_not_exists(n, :zero) + :one", before: nil, values: stored{":zero": vN("0"), ":one": vN("1")}, after: stored{"n": vN("1")}},
	{text: "SET n = if_not_exists(n, :zero)", before: stored{"n": vN("5")}, values: stored{":zero": vN("0")}, after: stored{"n": vN("5")}},
	{text: "SET l = list_append(if_not_exists(l, :none), :v)", before: nil, values: stored{":none": vL(), ":v": vL(vN("1"))}, after: stored{"l": vL(vN("1"))}},
	{text: "SET l = list_append(:v, l)", before: stored{"l": vL(vN("2"))}, values: stored{":v": vL(vN("1"))}, after: stored{"l": vL(vN("1"), vN("2"))}},
	{text: "SET l[9] = :v", before: stored{"l": vL(vN("1"))}, values: stored{":v": vN("2")}, after: stored{"l": vL(vN("1"), vN("2"))}},
	{text: "SET m.a.b = :v", before: stored{"m": vM(stored{"a": vM(stored{"c": vN("1")})})}, values: stored{":v": vN("2")},
		after: stored{"m": vM(stored{"a": vM(stored{"b": vN("2"), "c": vN("1")})})}},
	{text: "REMOVE l[0], l[2]", before: stored{"l": vL(vN("0"), vN("1"), vN("2"), vN("3"))}, after: stored{"l": vL(vN("1"), vN("3"))}},
	{text: "REMOVE l[7], gone, m.k", before: stored{"l": vL(vN("0")), "m": vM(stored{"k": vN("1")})}, after: stored{"l": vL(vN("0")), "m": vM(stored{})}},
	{text: "REMOVE l[0] SET l[1] = :v", before: stored{"l": vL(vS("p"), vS("q"), vS("r"))}, values: stored{":v": vS("v")}, after: stored{"l": vL(vS("v"), vS("r"))}},
	{text: "ADD n :v", before: stored{"n": vN("5")}, values: stored{":v": vN("-7")}, after: stored{"n": vN("-2")}},
	{text: "ADD n :n, ss :s", before: nil, values: stored{":n": vN("1"), ":s": vSS("a")}, after: stored{"n": vN("1"), "ss": vSS("a")}},
	{text: "ADD ns :v", before: stored{"ns": vNS("1", "2")}, values: stored{":v": vNS("2.0", "3")}, after: stored{"ns": vNS("1", "2", "3")}},
	{text: "DELETE ss :v", before: stored{"ss": vSS("a", "b")}, values: stored{":v": vSS("b", "c")}, after: stored{"ss": vSS("a")}},
	{text: "DELETE ss :all", before: stored{"ss": vSS("a")}, values: stored{":all": vSS("a")}, after: nil},
	{text: "set x=:v remove y\n\tadd n :n", before: stored{"y": vN("1")}, values: stored{":v": vN("1"), ":n": vN("2")}, after: stored{"x": vN("1"), "n": vN("2")}},
}

const (
	noAttribute = "The provided expression refers to an attribute that does not exist in the item"
	wrongType   = "An operand in the update expression has an incorrect data type"
	noPath      = "The document path provided in the update expression is invalid for update"
	tooLarge    = "Number overflow. Attempting to store a number with magnitude larger than supported range"
)

// impossible are updates that do not fit the stored item.
var impossible = []update{
	{text: "SET n = n + :v", values: stored{":v": vN("1")}, error: noAttribute},
	{text: "SET x = y", error: noAttribute},
	{text: "SET l = list_append(l, :v)", values: stored{":v": vL()}, error: noAttribute},
	{text: "SET n = n + :v", before: stored{"n": vS("1")}, values: stored{":v": vN("1")}, error: wrongType},
	{text: "ADD n :v", before: stored{"n": vS("1")}, values: stored{":v": vN("1")}, error: wrongType},
	{text: "ADD ss :v", before: stored{"ss": vSS("1")}, values: stored{":v": vNS("1")}, error: wrongType},
	{text: "DELETE x :v", before: stored{"x": vNull()}, values: stored{":v": vSS("1")}, error: wrongType},
	{text: "SET l = list_append(l, :v)", before: stored{"l": vNull()}, values: stored{":v": vL()}, error: wrongType},
	{text: "SET m.a.b = :v", before: stored{"m": vM(stored{})}, values: stored{":v": vN("1")}, error: noPath},
	{text: "SET s.x = :v", before: stored{"s": vS("")}, values: stored{":v": vN("1")}, error: noPath},
	{text: "SET l[0] = :v", values: stored{":v": vN("1")}, error: noPath},
	{text: "REMOVE m.k", error: noPath},
	{text: "ADD n :v", before: stored{"n": vN("9E125")}, values: stored{":v": vN("9E125")}, error: tooLarge},
	{text: "SET n = n + :v", before: stored{"n": vN("1E38")}, values: stored{":v": vN("1")}, error: tooLarge},
}
