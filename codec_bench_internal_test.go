package ddb

import (
	"fmt"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
)

// The order of a shop, as large as orders are.

type shopOrder struct {
	UserID, OrderID, Status string
	PlacedAt                time.Time
	Total                   int64
	Discount                float64
	Paid                    bool
	Version                 int
	Currency                string
	Note                    string `dynamodbav:",omitempty"`
	Tags                    []string
	Lines                   []shopLine
	Labels                  map[string]string
	Coupons                 []string `dynamodbav:",stringset"`
}

type shopLine struct {
	SKU, Name string
	Quantity  int
	Price     int64
}

func sampleOrder() shopOrder {
	o := shopOrder{
		UserID: "12345", OrderID: "2024-001", Status: "PENDING", Currency: "EUR", Note: "ring twice",
		PlacedAt: time.Date(2024, 5, 20, 12, 30, 0, 120_000_000, time.UTC),
		Total:    129_900, Discount: 12.5, Paid: true, Version: 7,
		Tags:    []string{"gift", "express", "first"},
		Labels:  map[string]string{"channel": "web", "campaign": "spring", "store": "berlin"},
		Coupons: []string{"WELCOME10", "SPRING"},
	}
	for i := range 5 {
		o.Lines = append(o.Lines, shopLine{SKU: fmt.Sprint("SKU-", i), Name: "T-shirt, blue", Quantity: i + 1, Price: 1999})
	}
	return o
}

// marshalByHand and unmarshalByHand are the limit: what a patient person writes
// for this one type.

func marshalByHand(o *shopOrder) map[string]types.AttributeValue {
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

func unmarshalByHand(item map[string]types.AttributeValue) (*shopOrder, error) {
	o, h := new(shopOrder), &hand{item: item}
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
	unmarshalCollectionsByHand(h, o)
	return o, h.err
}

func unmarshalCollectionsByHand(h *hand, o *shopOrder) {
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
		o.Lines = make([]shopLine, len(v.Value))
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

func sampleItem(t testing.TB) map[string]types.AttributeValue {
	t.Helper()
	o := sampleOrder()
	return marshalByHand(&o)
}

// TestHandWritten asserts that the three ways which the benchmarks compare do
// the same.
func TestHandWritten(t *testing.T) {
	t.Parallel()
	o := sampleOrder()
	plan := planOf(t, reflect.TypeFor[shopOrder]())
	want := marshalByHand(&o)
	got, err := plan.encodeItem(reflect.ValueOf(&o).Elem())
	if diff := cmp.Diff(want, got, cmpItems); err != nil || diff != "" {
		t.Errorf("error %v, difference (-want +got):\n%s", err, diff)
	}
	by, err := unmarshalByHand(want)
	if err != nil {
		t.Error(err)
	}
	var ours shopOrder
	if err := plan.decodeItem(want, reflect.ValueOf(&ours).Elem()); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(&o, by); diff != "" {
		t.Errorf("by hand (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(o, ours); diff != "" {
		t.Errorf("by plan (-want +got):\n%s", diff)
	}
}

func BenchmarkEncode(b *testing.B) {
	o := sampleOrder()
	b.Run("plan", func(b *testing.B) {
		plan := planOf(b, reflect.TypeFor[shopOrder]())
		b.ReportAllocs()
		for b.Loop() {
			if _, err := plan.encodeItem(reflect.ValueOf(&o).Elem()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("hand", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			marshalByHand(&o)
		}
	})
	b.Run("attributevalue", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := attributevalue.MarshalMap(&o); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	item := sampleItem(b)
	b.Run("plan", func(b *testing.B) {
		plan := planOf(b, reflect.TypeFor[shopOrder]())
		b.ReportAllocs()
		for b.Loop() {
			if err := plan.decodeItem(item, reflect.ValueOf(new(shopOrder)).Elem()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("hand", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := unmarshalByHand(item); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("attributevalue", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := attributevalue.UnmarshalMap(item, new(shopOrder)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// TestFewAllocations asserts that items cost at most six tenths of the
// allocations that they cost by hand.
func TestFewAllocations(t *testing.T) {
	o := sampleOrder()
	plan := planOf(t, reflect.TypeFor[shopOrder]())
	got := testing.AllocsPerRun(100, func() {
		if _, err := plan.encodeItem(reflect.ValueOf(&o).Elem()); err != nil {
			t.Error(err)
		}
	})
	hand := testing.AllocsPerRun(100, func() { marshalByHand(&o) })
	if got > 0.6*hand {
		t.Errorf("%v allocations, want at most 0.6 of %v", got, hand)
	}
}
