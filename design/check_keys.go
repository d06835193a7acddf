package design

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/schema"
)

// cardinality is how many values a part of a partition key has.
type cardinality int

const (
	few    cardinality = iota // a handful
	moment                    // many in all, one at a time
	plenty
)

// fewValues are what fields with a handful of values are called, in lower case:
// the last word of a field's name, or the name of its attribute.
var fewValues = []string{
	"status", "state", "type", "kind", "category", "class", "region", "country", "continent", "gender", "sex", "level",
	"tier", "plan", "role", "stage", "phase", "priority", "severity", "channel", "platform", "environment", "env",
	"language", "locale", "currency", "color", "active", "enabled", "deleted", "flag", "weekday",
	"状态", "类型", "类别", "分类", "种类", "地区", "区域", "国家", "性别", "等级", "级别", "优先级", "渠道", "平台", "语言", "币种",
}

func cardinalityOf(e schema.Entity, p schema.Part) cardinality {
	field, _ := e.Field(p.Field)
	switch {
	case p.Kind == schema.Bool:
		return few
	case p.Kind == schema.Time && coarse(p.Format):
		return moment
	case slices.Contains(fewValues, lastWord(p.Field)), slices.Contains(fewValues, strings.ToLower(field.Attribute)):
		return few
	}
	return plenty
}

// coarse reports whether a layout says no more than the minute.
func coarse(layout string) bool { return layout != "" && !strings.Contains(layout, "05") }

// lastWord returns the last word of a Go name in lower case: status of
// OrderStatus.
func lastWord(name string) string {
	at := strings.LastIndexFunc(name, unicode.IsUpper)
	return strings.ToLower(name[max(at, 0):])
}

// partitionKeys finds keys that few values share, and keys that are times. A key
// spread over shards is neither.
func (c *checker) partitionKeys() {
	c.keys(func(e schema.Entity, k schema.EntityKey) {
		best, fields := few, 0
		for _, t := range k.Partition {
			for _, p := range t.Parts {
				switch p.Kind {
				case schema.Shard:
					return
				case schema.Literal:
				default:
					fields++
					best = max(best, cardinalityOf(e, p))
				}
			}
		}
		if best == plenty || fields == 0 && !varies(k.Sort) {
			return // or a single item
		}
		keys, items := c.spread(e, k)
		if keys > manyKeys && best == few {
			return // the name misled
		}
		subject := in(e.Name, k.Index) + ", " + sources(k.Partition)
		sample := ""
		if items > 0 {
			sample = fmt.Sprintf("; the sample has %s under %s", plural(items, "item", "items"), plural(keys, "key", "keys"))
		}
		switch {
		case best == moment:
			c.find(TimeKey, Warning, subject, "all items of one moment have the same partition key, and one key takes 1,000 writes a second at most"+sample,
				"spread the key with {shard:10}, or put a field with many values into it")
		case fields == 0:
			c.find(LowCardinality, Warning, subject, "all items have the same partition key, which takes 1,000 writes and 3,000 reads a second at most"+sample,
				"put a field with many values into the key, or spread it with {shard:10}")
		default:
			c.find(LowCardinality, Warning, subject, "the partition key has few values, each of which takes 1,000 writes and 3,000 reads a second at most"+sample,
				"put a field with many values into the key, spread it with {shard:10}, or keep the index sparse and small")
		}
	})
}

// manyKeys in a sample show that a field has many values.
const manyKeys = 100

func varies(templates []schema.Template) bool {
	return slices.ContainsFunc(templates, func(t schema.Template) bool {
		return slices.ContainsFunc(t.Parts, func(p schema.Part) bool { return p.Field != "" })
	})
}

// spread counts the partition keys that the sample items of an entity have in
// an index, and the items.
func (c *checker) spread(e schema.Entity, k schema.EntityKey) (keys, items int) {
	seen := make(map[string]bool)
	for _, item := range c.itemsOf(e) {
		id, whole := "", true
		for _, t := range k.Partition {
			text, ok := scalar(item[t.Attribute])
			id += fmt.Sprintf("%q", text)
			whole = whole && ok
		}
		if whole {
			seen[id] = true
			items++
		}
	}
	return len(seen), items
}

// scalar returns the text of a value that can be a key.
func scalar(v types.AttributeValue) (string, bool) {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value, true
	case *types.AttributeValueMemberN:
		return v.Value, true
	case *types.AttributeValueMemberB:
		return string(v.Value), true
	}
	return "", false
}

// A key is hot if it took a fifth of what was served, and five times the average
// of the keys. With less than that many units there is nothing to say.
const (
	hotShare   = 5
	hotAverage = 5
	heatUnits  = 100
)

// hotKeys finds them in the heat of table and indexes.
func (c *checker) hotKeys() {
	c.hotKeysOf("the table", c.seen.Heat)
	for _, ix := range c.seen.Heat.Indexes {
		c.hotKeysOf(ix.Name, ix)
	}
}

func (c *checker) hotKeysOf(place string, h memory.Heat) {
	total := h.Total.ReadUnits + h.Total.WriteUnits
	for _, k := range h.Keys {
		units := k.ReadUnits + k.WriteUnits
		hot := total >= heatUnits && units*hotShare >= total && units*float64(len(h.Keys)) >= total*hotAverage
		if !hot && k.Throttled == 0 {
			continue
		}
		reason := fmt.Sprintf("it took %.0f %% of all units, as one of %s", 100*units/max(total, 1), plural(len(h.Keys), "key", "keys"))
		if k.Throttled > 0 {
			reason += fmt.Sprintf(", and %s were throttled", plural(int(k.Throttled), "request", "requests"))
		}
		c.find(HotKey, Warning, keyValues(k.Key)+" in "+place, reason,
			"spread the key with {shard:10}, put another field into it, or cache what it is read for")
	}
}

// keyValues writes key attributes: PK = USER#1.
func keyValues(key map[string]types.AttributeValue) string {
	var out []string
	for name, v := range key {
		text, _ := scalar(v)
		if _, binary := v.(*types.AttributeValueMemberB); binary {
			text = fmt.Sprintf("%x", text)
		}
		out = append(out, name+" = "+text)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// throttling finds patterns whose calls were refused.
func (c *checker) throttling() {
	for _, u := range c.seen.Usage {
		if u.Throttled > 0 {
			c.find(HotKey, Warning, u.Name(), fmt.Sprintf("%d of %s were throttled", u.Throttled, plural(u.Calls, "call", "calls")),
				"look at the heat of its keys: spread a hot one; otherwise raise the capacity")
		}
	}
}

// mixedKeys finds queries that read other entities' items.
func (c *checker) mixedKeys() {
	c.keys(func(e schema.Entity, k schema.EntityKey) {
		if len(k.Meets) > 0 {
			c.find(MixedKeys, Hint, in(e.Name, k.Index), fmt.Sprintf("a query for it can read items of %s too, which are paid for and dropped", list(k.Meets)),
				"begin the sort key of each entity with literal text of its own")
		}
	})
}

// overwrites finds primary keys that end in an instant.
func (c *checker) overwrites() {
	for _, e := range c.table.Entities {
		last := lastField(e.Keys[0])
		if last.Kind == schema.Time && !coarse(last.Format) {
			c.find(Overwrite, Hint, in(e.Name, ""), "two items of one instant have the same key, so that one replaces the other",
				"end the key with an ID, or write with Create, which refuses the second")
		}
	}
}

// lastField returns the last part of a key that a field fills.
func lastField(k schema.EntityKey) schema.Part {
	var last schema.Part
	for _, t := range slices.Concat(k.Partition, k.Sort) {
		for _, p := range t.Parts {
			if p.Field != "" {
				last = p
			}
		}
	}
	return last
}
