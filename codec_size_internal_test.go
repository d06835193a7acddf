package ddb

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// TestSizeIsAtMostWhatIsSaid asserts that the bound which spares most items from being
// measured holds for each kind of value, large ones in whose size nothing else is lost.
func TestSizeIsAtMostWhatIsSaid(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	digits := strings.Repeat("123456789", 4)
	nulls := make([]*string, 5000)
	type wide struct {
		AttributeOfALongName1, AttributeOfALongName2, AttributeOfALongName3 *string `dynamodbav:",nullempty"`
	}
	for name, v := range map[string]any{
		"string":        struct{ F string }{long},
		"bytes":         struct{ F []byte }{[]byte(long)},
		"text":          struct{ F longText }{},
		"own":           struct{ F longOwn }{},
		"stored":        struct{ F types.AttributeValue }{&types.AttributeValueMemberSS{Value: []string{long}}},
		"any":           struct{ F any }{[]any{long, map[string]any{long: long}}},
		"number":        struct{ F json.Number }{json.Number("-0." + digits)},
		"numbers":       struct{ F []json.Number }{[]json.Number{json.Number("-" + digits[:19] + "." + digits[:19])}},
		"small numbers": struct{ F []int64 }{make([]int64, 5000)},
		"string set": struct {
			F []string `dynamodbav:",stringset"`
		}{[]string{long, long + "y"}},
		"number set": struct {
			F []json.Number `dynamodbav:",numberset"`
		}{[]json.Number{"-1.1", "1.2", json.Number(digits)}},
		"binary set": struct{ F [][]byte }{[][]byte{[]byte(long), []byte("y")}},
		"keys as a set": struct {
			F map[string]bool `dynamodbav:",stringset"`
		}{map[string]bool{long: true, "y" + long: true}},
		"list":         struct{ F []string }{strings.Split(long, "")},
		"NULLs":        struct{ F []*string }{nulls},
		"bools":        struct{ F []bool }{make([]bool, 5000)},
		"map":          struct{ F map[string]string }{map[string]string{long: long, "y" + long: ""}},
		"map of bools": struct{ F map[string]bool }{map[string]bool{long: true, "y" + long: false}},
		"structs":      struct{ F []wide }{make([]wide, 1000)},
	} {
		plan := planOf(t, reflect.TypeOf(v))
		item, most, err := plan.encodeSized(reflect.ValueOf(v))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if size := itemSize(item); most < size || most > 12*size+100 {
			t.Errorf("%s: said to be at most %d bytes, has %d", name, most, size)
		}
	}
}

// longText is stored as its text.
type longText struct{ _ int }

func (longText) MarshalText() ([]byte, error)  { return []byte(strings.Repeat("x", 5000)), nil }
func (*longText) UnmarshalText(_ []byte) error { return nil }

// longOwn has a stored form of its own.
type longOwn struct{ _ int }

func (longOwn) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	return text(strings.Repeat("x", 5000)), nil
}

func (*longOwn) UnmarshalDynamoDBAttributeValue(types.AttributeValue) error { return nil }
