package ddb

import (
	"reflect"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/internal/byhand"
	"github.com/seed530093c6/ddb/internal/versus"
)

// TestHandWritten asserts that the three ways which the benchmarks compare do
// the same.
func TestHandWritten(t *testing.T) {
	t.Parallel()
	o := byhand.Sample()
	plan := planOf(t, reflect.TypeFor[byhand.Order]())
	want := byhand.Marshal(&o)
	got, err := plan.encodeItem(reflect.ValueOf(&o).Elem())
	if diff := cmp.Diff(want, got, cmpItems); err != nil || diff != "" {
		t.Errorf("error %v, difference (-want +got):\n%s", err, diff)
	}
	by, err := byhand.Unmarshal(want)
	if err != nil {
		t.Error(err)
	}
	var ours byhand.Order
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
	o := byhand.Sample()
	versus.Run(b,
		versus.Side{Name: "hand", Setup: func(*testing.B) func(int) {
			return func(int) { byhand.Marshal(&o) }
		}},
		versus.Side{Name: "plan", Setup: func(b *testing.B) func(int) {
			plan := planOf(b, reflect.TypeFor[byhand.Order]())
			return func(int) {
				if _, err := plan.encodeItem(reflect.ValueOf(&o).Elem()); err != nil {
					b.Fatal(err)
				}
			}
		}},
		versus.Side{Name: "attributevalue", Setup: func(b *testing.B) func(int) {
			return func(int) {
				if _, err := attributevalue.MarshalMap(&o); err != nil {
					b.Fatal(err)
				}
			}
		}})
}

func BenchmarkDecode(b *testing.B) {
	o := byhand.Sample()
	item := byhand.Marshal(&o)
	versus.Run(b,
		versus.Side{Name: "hand", Setup: func(b *testing.B) func(int) {
			return func(int) {
				if _, err := byhand.Unmarshal(item); err != nil {
					b.Fatal(err)
				}
			}
		}},
		versus.Side{Name: "plan", Setup: func(b *testing.B) func(int) {
			plan := planOf(b, reflect.TypeFor[byhand.Order]())
			return func(int) {
				if err := plan.decodeItem(item, reflect.ValueOf(new(byhand.Order)).Elem()); err != nil {
					b.Fatal(err)
				}
			}
		}},
		versus.Side{Name: "attributevalue", Setup: func(b *testing.B) func(int) {
			return func(int) {
				if err := attributevalue.UnmarshalMap(item, new(byhand.Order)); err != nil {
					b.Fatal(err)
				}
			}
		}})
}

// TestFewAllocations asserts that items cost at most six tenths of the
// allocations that writing them costs by hand, and no more than reading them does.
// It is not parallel, since it counts what the whole process allocates.
func TestFewAllocations(t *testing.T) {
	o := byhand.Sample()
	plan := planOf(t, reflect.TypeFor[byhand.Order]())
	got := testing.AllocsPerRun(100, func() {
		if _, err := plan.encodeItem(reflect.ValueOf(&o).Elem()); err != nil {
			t.Error(err)
		}
	})
	hand := testing.AllocsPerRun(100, func() { byhand.Marshal(&o) })
	if got > 0.6*hand {
		t.Errorf("%v allocations, want at most 0.6 of %v", got, hand)
	}

	item := byhand.Marshal(&o)
	got = testing.AllocsPerRun(100, func() {
		if err := plan.decodeItem(item, reflect.ValueOf(new(byhand.Order)).Elem()); err != nil {
			t.Error(err)
		}
	})
	hand = testing.AllocsPerRun(100, func() {
		if _, err := byhand.Unmarshal(item); err != nil {
			t.Error(err)
		}
	})
	if got > hand {
		t.Errorf("%v allocations to read an item, want at most %v", got, hand)
	}
}
