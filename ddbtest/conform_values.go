package ddbtest

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// conformValues tests what can be stored and how it comes back.
func conformValues(t *testing.T, s *suite) {
	s.try(t, "values of every kind come back as they were", func(c trial) {
		c.holds("a", c.put("a", stored{
			"s": vS("text, 文字, \x00"), "empty": vS(""), "n": vN("-12.5"), "b": vB("\x00\xff"), "noBytes": vB(""), "yes": vBool(true), "no": vBool(false), "null": vNull(),
			"ss": vSS("b", "a", ""), "ns": vNS("3", "-1"), "bs": &types.AttributeValueMemberBS{Value: [][]byte{{1}, {}}},
			"l": vL(vS("x"), vN("1"), vL(), vM(stored{})), "m": vM(stored{"k": vM(stored{"k": vNull()})}), "with.dot and space": vN("1"),
		}))
	})
	for _, n := range numbers {
		s.try(t, "the number "+n.in+" is stored in full, without an exponent", func(c trial) {
			c.put("a", stored{"x": vN(n.in)})
			got, ok := c.get("a")["x"].(*types.AttributeValueMemberN)
			if !ok || got.Value != n.out {
				c.Errorf("got %+v, want %s", got, n.out)
			}
		})
	}
	for _, v := range badValues {
		s.try(t, "refused: "+v.rule, func(c trial) {
			_, err := c.db.PutItem(c.Context(), &dynamodb.PutItemInput{TableName: &c.main, Item: c.with("a", stored{"x": v.value})})
			c.refused(err, invalid, v.text)
			c.holds("a", nil)
		})
	}
	s.try(t, "an item of 400 KB is stored, one byte more is not", func(c trial) {
		fill := 409_600 - len("PK"+c.pk+"SK"+"a"+"x")
		c.put("a", stored{"x": vS(strings.Repeat("x", fill))})
		_, err := c.db.PutItem(c.Context(), &dynamodb.PutItemInput{TableName: &c.main, Item: c.with("a", stored{"x": vS(strings.Repeat("y", fill+1))})})
		c.refused(err, invalid, "Item size has exceeded the maximum allowed size")
		_, err = c.db.UpdateItem(c.Context(), &dynamodb.UpdateItemInput{
			TableName: &c.main, Key: c.key("a"), UpdateExpression: aws.String("SET y = :y"), ExpressionAttributeValues: stored{":y": vN("1")},
		})
		c.refused(err, invalid, "Item size to update has exceeded the maximum allowed size")
	})
	s.try(t, "32 levels of nesting are stored, one more is not", func(c trial) {
		nested := func(levels int) types.AttributeValue {
			v := vS("leaf")
			for range levels {
				v = vM(stored{"k": v})
			}
			return v
		}
		c.put("a", stored{"x": nested(31)})
		_, err := c.db.PutItem(c.Context(), &dynamodb.PutItemInput{TableName: &c.main, Item: c.with("b", stored{"x": nested(32)})})
		c.refused(err, invalid, "Nesting Levels have exceeded supported limits")
	})
}

var numbers = []struct{ in, out string }{
	{"0", "0"}, {"-0", "0"}, {"007", "7"}, {"1.0", "1"}, {"1e2", "100"}, {".5", "0.5"}, {"+3", "3"},
	{"12345678901234567890123456789012345678", "12345678901234567890123456789012345678"},
	{"0.1234567890123456789012345678901234567", "0.1234567890123456789012345678901234567"},
	{"1E125", "1" + strings.Repeat("0", 125)},
	{"-1E-130", "-0." + strings.Repeat("0", 129) + "1"},
}

var badValues = []struct {
	rule  string
	value types.AttributeValue
	text  string
}{
	{"a number of 39 digits", vN("123456789012345678901234567890123456789"), "Attempting to store more than 38 significant digits in a Number"},
	{"a number too large", vN("1E126"), "Number overflow. Attempting to store a number with magnitude larger than supported range"},
	{"a number too small", vN("1E-131"), "Number underflow. Attempting to store a number with magnitude smaller than supported range"},
	{"text as a number", vN("abc"), "The parameter cannot be converted to a numeric value: abc"},
	{"a number with a space", vN("1 "), "The parameter cannot be converted to a numeric value: 1 "},
	{"an empty set of strings", vSS(), "An string set  may not be empty"},
	{"a set with a string twice", vSS("a", "a"), "contains duplicates"},
	{"a set with a number twice", vNS("1", "1.0"), "contains duplicates"},
	{"a duplicate in a set inside a list", vL(vSS("a", "a")), "contains duplicates"},
	{"NULL that is false", &types.AttributeValueMemberNULL{Value: false}, "Null attribute value types must have the value of true"},
}
