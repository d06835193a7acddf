package design

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/schema"
)

// numbers finds numbers that sort as texts, in definitions and sample items.
func (c *checker) numbers() {
	c.keys(func(e schema.Entity, k schema.EntityKey) {
		for _, t := range k.Sort {
			for _, p := range t.Parts {
				field, _ := e.Field(p.Field)
				if p.Kind == schema.Number && (p.Format == "plain" || t.Plain && field.Type == "S") {
					c.find(UnpaddedNumber, Warning, in(e.Name, k.Index)+", "+t.Source, fmt.Sprintf("{%s} is not padded, and 10 comes before 9", p.Field),
						"give it a width, as in {"+p.Field+":012}, or make a number the sort key itself")
				}
			}
			c.numbersInTexts(e, k, t)
		}
	})
}

// numbersInTexts looks at the texts in the first place of a sort key, by which
// the items are sorted: v2.0 should not come after v10.0.
func (c *checker) numbersInTexts(e schema.Entity, k schema.EntityKey, t schema.Template) {
	i := slices.IndexFunc(t.Parts, func(p schema.Part) bool { return p.Field != "" })
	if i < 0 || t.Parts[i].Kind != schema.Text {
		return
	}
	field, _ := e.Field(t.Parts[i].Field)
	groups := make(map[string][]string) // texts by what stands around their digits
	for _, item := range c.itemsOf(e) {
		if v, ok := item[field.Attribute].(*types.AttributeValueMemberS); ok {
			form := digits.ReplaceAllString(v.Value, "0")
			groups[form] = append(groups[form], v.Value)
		}
	}
	for _, texts := range groups {
		slices.Sort(texts)
		for j := 1; j < len(texts); j++ {
			if compareNumbers(texts[j-1], texts[j]) > 0 {
				c.find(UnpaddedNumber, Hint, in(e.Name, k.Index)+", "+t.Source,
					fmt.Sprintf("values of {%s} hold numbers of different widths, which do not sort by size", field.Name),
					"pad the numbers, or split the field so that they get a format such as {Number:06}")
				return
			}
		}
	}
}

var digits = regexp.MustCompile(`[0-9]+`)

// compareNumbers compares the numbers in two texts that are equal but for them.
func compareNumbers(a, b string) int {
	as, bs := digits.FindAllString(a, -1), digits.FindAllString(b, -1)
	for i := range min(len(as), len(bs)) {
		x, y := strings.TrimLeft(as[i], "0"), strings.TrimLeft(bs[i], "0")
		if len(x) != len(y) {
			return len(x) - len(y)
		}
		if x != y {
			return strings.Compare(x, y)
		}
	}
	return 0
}

// timeFormats finds times that do not sort among each other, or that do not say
// their zone.
func (c *checker) timeFormats() {
	c.keys(func(e schema.Entity, k schema.EntityKey) {
		for _, t := range k.Sort {
			for _, p := range t.Parts {
				if p.Kind == schema.Time && strings.Contains(p.Format, "04") && !zoned(p.Format) {
					c.find(TimeFormat, Hint, in(e.Name, k.Index)+", "+t.Source, fmt.Sprintf("the layout of {%s} has no zone: it is UTC, but others read it as local time", p.Field),
						"end the layout with Z, or leave it out")
				}
			}
		}
	})
	c.mixedLayouts()
	c.mixedStorage()
	c.timesInTexts()
}

func zoned(layout string) bool {
	return strings.Contains(layout, "Z") || strings.Contains(layout, "-07") || strings.Contains(layout, "MST")
}

// mixedLayouts compares the entities that lie in one partition and begin their
// sort keys alike.
func (c *checker) mixedLayouts() {
	indexes := []string{""}
	for _, ix := range c.table.Indexes {
		indexes = append(indexes, ix.Name)
	}
	for _, index := range indexes {
		for _, group := range collections(c.table.Entities, index) {
			layouts := make(map[string][]string) // by the text in front of the time
			for _, m := range group.members {
				if front, layout, ok := leadingTime(m.key.Sort); ok && !slices.Contains(layouts[front], layout) {
					layouts[front] = append(layouts[front], layout)
				}
			}
			for _, front := range slices.Sorted(maps.Keys(layouts)) {
				if len(layouts[front]) > 1 {
					c.find(TimeFormat, Warning, in(group.partition, index), fmt.Sprintf("its items are sorted by times in the layouts %s, which do not sort among each other", list(layouts[front])),
						"use one layout for all entities of the partition")
				}
			}
		}
	}
}

// leadingTime returns the layout of a sort key that begins with a time, and the
// literal text in front of it.
func leadingTime(sort []schema.Template) (front, layout string, ok bool) {
	if len(sort) == 0 {
		return "", "", false
	}
	for _, p := range sort[0].Parts {
		switch p.Kind {
		case schema.Literal:
			front += p.Literal
		case schema.Time:
			return front, p.Format, true
		default:
			return "", "", false
		}
	}
	return "", "", false
}

// mixedStorage finds attributes that are a time as text in one entity and as a
// number in another.
func (c *checker) mixedStorage() {
	kinds := make(map[string][]string)
	var names []string
	for _, e := range c.table.Entities {
		for _, f := range e.Fields {
			if f.GoType == "time.Time" && !slices.Contains(kinds[f.Attribute], f.Type) {
				kinds[f.Attribute] = append(kinds[f.Attribute], f.Type)
				names = append(names, f.Attribute)
			}
		}
	}
	for _, name := range names {
		if len(kinds[name]) > 1 {
			c.find(TimeFormat, Warning, "attribute "+name, "it is a time as text in one entity and as a number in another, which no filter or index can compare",
				"store it in one form")
			kinds[name] = nil
		}
	}
}

// instant is the form of texts that are times.
var instant = regexp.MustCompile(`^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?([.,]\d+)?(Z|[+-]\d\d:?\d\d)?$`)

// timesInTexts looks at the texts of sample items that are times.
func (c *checker) timesInTexts() {
	for _, e := range c.table.Entities {
		items := c.itemsOf(e)
		for _, f := range e.Fields {
			forms := make(map[string]bool)
			for _, item := range items {
				v, ok := item[f.Attribute].(*types.AttributeValueMemberS)
				if m := match(v, ok); m != nil {
					forms[fmt.Sprintf("%d digits of the fraction, %s", max(0, len(m[2])-1), zoneOf(m[3]))] = true
				}
			}
			local := slices.ContainsFunc(slices.Collect(maps.Keys(forms)), func(form string) bool { return !strings.HasSuffix(form, "UTC") })
			switch {
			case len(forms) > 1:
				c.find(TimeFormat, Warning, e.Name+"."+f.Name, fmt.Sprintf("its times have %d forms (%s), which do not sort among each other", len(forms), strings.Join(slices.Sorted(maps.Keys(forms)), "; ")),
					"use a field of type time.Time, which has one form, and write the items anew")
			case local:
				c.find(TimeFormat, Warning, e.Name+"."+f.Name, "its times are not in UTC, so that they do not sort across zones and changes of the clock",
					"use a field of type time.Time, which is stored in UTC, and write the items anew")
			}
		}
	}
}

func match(v *types.AttributeValueMemberS, ok bool) []string {
	if !ok {
		return nil
	}
	return instant.FindStringSubmatch(v.Value)
}

func zoneOf(suffix string) string {
	switch suffix {
	case "Z":
		return "UTC"
	case "":
		return "no zone"
	}
	return "an offset"
}
