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

// BenchmarkMarshal makes an item of an order of 14 fields. ddb does it on the way
// to a whole request, whose key it checks. The benchmarks of the codec alone are
// in the root package, BenchmarkEncode and BenchmarkDecode.
func BenchmarkMarshal(b *testing.B) {
	o := Order{Order: byhand.Sample()}
	orders := ordersOn(b, newStub())
	versus.Run(b,
		side("hand", func() error { byhand.Marshal(&o.Order); return nil }),
		side("ddb", func() error { _, err := orders.Put(&o).Input(); return err }),
		side("guregu", func() error { _, err := dynamo.MarshalItem(&o.Order); return err }),
		side("attributevalue", func() error { _, err := attributevalue.MarshalMap(&o.Order); return err }),
	)
}

// BenchmarkUnmarshal makes an order of an item. ddb does it behind a whole read from
// a backend that answers at once.
func BenchmarkUnmarshal(b *testing.B) {
	backend := newStub()
	orders, key, it := ordersOn(b, backend), sampleKey(), backend.get.Item
	versus.Run(b,
		side("hand", func() error { _, err := byhand.Unmarshal(it); return err }),
		side("ddb", func() error { _, err := orders.Get(key).Run(b.Context()); return err }),
		side("guregu", func() error { return dynamo.UnmarshalItem(it, new(byhand.Order)) }),
		side("attributevalue", func() error { return attributevalue.UnmarshalMap(it, new(byhand.Order)) }),
	)
}
