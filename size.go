package ddb

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// maxItemBytes is the largest item DynamoDB stores: 400 KB, names included.
// Constraints.html#limits-items.
const maxItemBytes = 400 * 1024

// ItemSize returns the size of a stored item in bytes as DynamoDB counts it, the
// names of its attributes included: what its limit of 400 KB, the 1 MB of a page
// and capacity units go by. CapacityUnitCalculations.html.
func ItemSize(item map[string]types.AttributeValue) int { return itemSize(item) }

func itemSize(item map[string]types.AttributeValue) int {
	n := 0
	for name, v := range item {
		n += len(name) + valueSize(v)
	}
	return n
}

func valueSize(v types.AttributeValue) int {
	n := 0
	if isNil(v) {
		return n
	}
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return len(v.Value)
	case *types.AttributeValueMemberN:
		return numberSize(v.Value)
	case *types.AttributeValueMemberB:
		return len(v.Value)
	case *types.AttributeValueMemberBOOL, *types.AttributeValueMemberNULL:
		return 1
	case *types.AttributeValueMemberSS:
		for _, s := range v.Value {
			n += len(s)
		}
	case *types.AttributeValueMemberNS:
		for _, s := range v.Value {
			n += numberSize(s)
		}
	case *types.AttributeValueMemberBS:
		for _, b := range v.Value {
			n += len(b)
		}
	case *types.AttributeValueMemberL:
		n = 3 + len(v.Value)
		for _, e := range v.Value {
			n += valueSize(e)
		}
	case *types.AttributeValueMemberM:
		n = 3 + len(v.Value) + itemSize(v.Value)
	}
	return n
}

// checkSize refuses an item that DynamoDB would not store. most is at least its size;
// most items are so small that they need not be measured.
func checkSize(item item, most int) error {
	if most <= maxItemBytes {
		return nil
	}
	if size := itemSize(item); size > maxItemBytes {
		return because(ErrItemTooLarge, "%d bytes, attribute names included; DynamoDB allows %d", size, maxItemBytes)
	}
	return nil
}

// maxNumberBytes is the size of the longest number: a sign and 38 digits, an odd number
// of them on either side of the point.
const maxNumberBytes = 1 + 20 + 1

// numberSize counts a text that is no number by its length: the service will
// say what is wrong with it.
func numberSize(text string) int {
	d, ok := scanDecimal(text)
	if !ok {
		return len(text)
	}
	return d.size()
}
