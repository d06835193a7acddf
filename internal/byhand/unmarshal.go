package byhand

import (
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// hand reads attributes and keeps the first mistake.
type hand struct {
	item map[string]types.AttributeValue
	err  error
}

func (h *hand) fail(name string) { h.err = fmt.Errorf("attribute %s does not fit", name) }

func (h *hand) string(name string) string {
	switch v := h.item[name].(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case nil:
	default:
		h.fail(name)
	}
	return ""
}

func (h *hand) int(name string) int64 {
	switch v := h.item[name].(type) {
	case *types.AttributeValueMemberN:
		i, err := strconv.ParseInt(v.Value, 10, 64)
		if err != nil {
			h.err = err
		}
		return i
	case nil:
	default:
		h.fail(name)
	}
	return 0
}

// Unmarshal returns the order of an item, and an error for an attribute that does not
// fit.
func Unmarshal(item map[string]types.AttributeValue) (*Order, error) {
	o, h := new(Order), &hand{item: item}
	o.UserID = h.string("UserID")
	o.OrderID = h.string("OrderID")
	o.Status = h.string("Status")
	o.Currency = h.string("Currency")
	o.Note = h.string("Note")
	o.Total = h.int("Total")
	o.Version = int(h.int("Version"))
	switch v := item["PlacedAt"].(type) {
	case *types.AttributeValueMemberS:
		t, err := time.Parse(time.RFC3339, v.Value)
		if err != nil {
			h.err = err
		}
		o.PlacedAt = t.UTC()
	case nil:
	default:
		h.fail("PlacedAt")
	}
	switch v := item["Discount"].(type) {
	case *types.AttributeValueMemberN:
		f, err := strconv.ParseFloat(v.Value, 64)
		if err != nil {
			h.err = err
		}
		o.Discount = f
	case nil:
	default:
		h.fail("Discount")
	}
	switch v := item["Paid"].(type) {
	case *types.AttributeValueMemberBOOL:
		o.Paid = v.Value
	case nil:
	default:
		h.fail("Paid")
	}
	switch v := item["Coupons"].(type) {
	case *types.AttributeValueMemberSS:
		o.Coupons = append([]string{}, v.Value...)
	case nil:
	default:
		h.fail("Coupons")
	}
	unmarshalCollections(h, o)
	return o, h.err
}

func unmarshalCollections(h *hand, o *Order) {
	switch v := h.item["Tags"].(type) {
	case *types.AttributeValueMemberL:
		o.Tags = make([]string, len(v.Value))
		for i, av := range v.Value {
			switch av := av.(type) {
			case *types.AttributeValueMemberS:
				o.Tags[i] = av.Value
			default:
				h.fail("Tags")
			}
		}
	case nil:
	default:
		h.fail("Tags")
	}
	switch v := h.item["Lines"].(type) {
	case *types.AttributeValueMemberL:
		o.Lines = make([]Line, len(v.Value))
		for i, av := range v.Value {
			switch av := av.(type) {
			case *types.AttributeValueMemberM:
				l, line := &o.Lines[i], &hand{item: av.Value}
				l.SKU, l.Name = line.string("SKU"), line.string("Name")
				l.Quantity, l.Price = int(line.int("Quantity")), line.int("Price")
				if line.err != nil {
					h.err = line.err
				}
			default:
				h.fail("Lines")
			}
		}
	case nil:
	default:
		h.fail("Lines")
	}
	switch v := h.item["Labels"].(type) {
	case *types.AttributeValueMemberM:
		o.Labels = make(map[string]string, len(v.Value))
		for k, av := range v.Value {
			switch av := av.(type) {
			case *types.AttributeValueMemberS:
				o.Labels[k] = av.Value
			default:
				h.fail("Labels")
			}
		}
	case nil:
	default:
		h.fail("Labels")
	}
}
