package bench_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/guregu/dynamo/v2"

	"github.com/seed530093c6/ddb/internal/byhand"
	"github.com/seed530093c6/ddb/internal/versus"
)

// side makes a side that needs nothing but its call.
func side(name string, call func() error) versus.Side {
	return versus.Side{Name: name, Setup: func(b *testing.B) func(int) {
		return func(int) {
			if err := call(); err != nil {
				b.Fatal(err)
			}
		}
	}}
}

// BenchmarkMarshal makes an item of an order of 14 fields. That of ddb is complete: its
// keys are made, its size and texts checked. The benchmarks of the codec alone are in
// the root package, BenchmarkEncode and BenchmarkDecode.
func BenchmarkMarshal(b *testing.B) {
	o := Order{Order: byhand.Sample()}
	orders := ordersOn(b, newStub())
	versus.Run(b,
		side("hand", func() error { byhand.Marshal(&o.Order); return nil }),
		side("ddb", func() error { _, err := orders.Item(&o); return err }),
		side("guregu", func() error { _, err := dynamo.MarshalItem(&o.Order); return err }),
		side("attributevalue", func() error { _, err := attributevalue.MarshalMap(&o.Order); return err }),
	)
}

// BenchmarkUnmarshal makes an order of an item. ddb checks that it is one.
func BenchmarkUnmarshal(b *testing.B) {
	backend := newStub()
	orders, it := ordersOn(b, backend), backend.get.Item
	versus.Run(b,
		side("hand", func() error { _, err := byhand.Unmarshal(it); return err }),
		side("ddb", func() error { _, err := orders.Decode(it); return err }),
		side("guregu", func() error { return dynamo.UnmarshalItem(it, new(byhand.Order)) }),
		side("attributevalue", func() error { return attributevalue.UnmarshalMap(it, new(byhand.Order)) }),
	)
}
