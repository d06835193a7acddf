package byhand

import (
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// timeLayout is the form of times that sorts.
const timeLayout = "2006-01-02T15:04:05.000000000Z"

// Marshal returns the item of an order.
func Marshal(o *Order) map[string]types.AttributeValue {
	s := func(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
	n := func(v int64) types.AttributeValue {
		return &types.AttributeValueMemberN{Value: strconv.FormatInt(v, 10)}
	}
	item := make(map[string]types.AttributeValue, 14)
	item["UserID"] = s(o.UserID)
	item["OrderID"] = s(o.OrderID)
	item["Status"] = s(o.Status)
	item["PlacedAt"] = s(o.PlacedAt.UTC().Format(timeLayout))
	item["Total"] = n(o.Total)
	item["Discount"] = &types.AttributeValueMemberN{Value: strconv.FormatFloat(o.Discount, 'f', -1, 64)}
	item["Paid"] = &types.AttributeValueMemberBOOL{Value: o.Paid}
	item["Version"] = n(int64(o.Version))
	item["Currency"] = s(o.Currency)
	if o.Note != "" {
		item["Note"] = s(o.Note)
	}
	if o.Tags != nil {
		tags := make([]types.AttributeValue, len(o.Tags))
		for i, tag := range o.Tags {
			tags[i] = s(tag)
		}
		item["Tags"] = &types.AttributeValueMemberL{Value: tags}
	}
	if o.Lines != nil {
		lines := make([]types.AttributeValue, len(o.Lines))
		for i := range o.Lines {
			l := &o.Lines[i]
			lines[i] = &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
				"SKU": s(l.SKU), "Name": s(l.Name), "Quantity": n(int64(l.Quantity)), "Price": n(l.Price),
			}}
		}
		item["Lines"] = &types.AttributeValueMemberL{Value: lines}
	}
	if o.Labels != nil {
		labels := make(map[string]types.AttributeValue, len(o.Labels))
		for k, v := range o.Labels {
			labels[k] = s(v)
		}
		item["Labels"] = &types.AttributeValueMemberM{Value: labels}
	}
	if len(o.Coupons) > 0 {
		item["Coupons"] = &types.AttributeValueMemberSS{Value: append([]string{}, o.Coupons...)}
	}
	return item
}
