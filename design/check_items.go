package design

import (
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/schema"
)

// Sizes of items in bytes, names of attributes included.
// Constraints.html#limits-items.
const (
	kilobyte  = 1024
	itemLimit = 400 * kilobyte
	nearLimit = itemLimit * 4 / 5
	largeItem = 64 * kilobyte // 8 eventually consistent reads, 64 writes
)

// SizeClass is how large the items of one entity are, in bytes.
type SizeClass struct {
	Entity   string
	Items    int
	Smallest int
	Median   int
	Largest  int
}

// Sizes classes sample items by entity, in the order of the definitions.
// Entities without items are left out.
func Sizes(s schema.Table, items []map[string]types.AttributeValue) []SizeClass {
	sizes := make(map[string][]int)
	for _, item := range items {
		name := entityOf(s, item)
		sizes[name] = append(sizes[name], ddb.ItemSize(item))
	}
	var out []SizeClass
	for _, e := range s.Entities {
		if of := sizes[e.Name]; len(of) > 0 {
			slices.Sort(of)
			out = append(out, SizeClass{e.Name, len(of), of[0], of[len(of)/2], of[len(of)-1]})
		}
	}
	return out
}

// itemSizes finds entities with large items.
func (c *checker) itemSizes() {
	for _, s := range Sizes(c.table, c.seen.Items) {
		const mend = "split it into items under one partition key, keep what grows without bound in items of its own, or large contents in an object store"
		switch {
		case s.Largest >= nearLimit:
			c.find(ItemSize, Warning, s.Entity, fmt.Sprintf("its largest sample item has %d of at most 400 KB, beyond which writes are refused", s.Largest/kilobyte), mend)
		case s.Largest >= largeItem:
			c.find(ItemSize, Hint, s.Entity, fmt.Sprintf("its largest sample item has %d KB: every change of it, however small, costs %d units", s.Largest/kilobyte, (s.Largest+kilobyte-1)/kilobyte), mend)
		}
	}
}

// Depths of values: a scalar attribute is at level 1.
// Constraints.html#limits-attributes.
const (
	depthLimit = 32
	deep       = depthLimit * 3 / 4
)

// nesting finds types without a bound and deep values.
func (c *checker) nesting() {
	const mend = "keep the parts as items of their own under one partition key"
	for _, e := range c.table.Entities {
		if names := recursive(e.Fields, ""); len(names) > 0 {
			c.find(Nesting, Hint, e.Name, fmt.Sprintf("%s can hold values of their own type, to any depth; writes are refused beyond %d levels", list(names), depthLimit), mend)
		}
		deepest := 0
		for _, item := range c.itemsOf(e) {
			for _, v := range item {
				deepest = max(deepest, depth(v))
			}
		}
		if deepest >= deep {
			c.find(Nesting, Warning, e.Name, fmt.Sprintf("sample items are nested %d levels deep; writes are refused beyond %d", deepest, depthLimit), mend)
		}
	}
}

// recursive lists the fields that hold values of the type they are part of.
func recursive(fields []schema.Field, path string) []string {
	var out []string
	for _, f := range fields {
		if f.Recursive {
			out = append(out, path+f.Name)
		}
		out = append(out, recursive(f.Fields, path+f.Name+".")...)
	}
	return out
}

// depth counts the levels of a value.
func depth(v types.AttributeValue) int {
	inner := 0
	switch v := v.(type) {
	case *types.AttributeValueMemberM:
		for _, e := range v.Value {
			inner = max(inner, depth(e))
		}
	case *types.AttributeValueMemberL:
		for _, e := range v.Value {
			inner = max(inner, depth(e))
		}
	}
	return 1 + inner
}
