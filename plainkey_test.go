package ddb_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

type digest [4]byte

// Sample has a key attribute of each type, in the table and in local indexes.
type Sample struct {
	_ ddb.Entity `name:"Sample" pk:"{Source}" sk:"{No}"`
	_ ddb.Index  `name:"BySum" sk:"{Sum}"`
	_ ddb.Index  `name:"ByTaken" sk:"{Taken}"`
	_ ddb.Index  `name:"BySpan" sk:"{Span}"`
	_ ddb.Index  `name:"ByWeight" sk:"{Weight}"`
	_ ddb.Index  `name:"ByLabel" sk:"{Label}"`

	Source digest
	No     int64
	Sum    []byte                `dynamodbav:",omitempty"`
	Taken  time.Time             `dynamodbav:",unixtime"`
	Span   uint32                `dynamodbav:",omitempty"`
	Weight attributevalue.Number `dynamodbav:",omitempty"`
	Label  string                `dynamodbav:",omitempty"`
}

func openSamples(t rapidOrTest, b func(*memory.DB) ddb.Backend) *ddb.Definition[Sample] {
	t.Helper()
	db := memory.New()
	table := ddb.NewTable("Samples", b(db), ddb.Keys("Source", "No"),
		ddb.LSI("BySum", "Sum"), ddb.LSI("ByTaken", "Taken"), ddb.LSI("BySpan", "Span"), ddb.LSI("ByWeight", "Weight"), ddb.LSI("ByLabel", "Label"))
	samples := ddb.Define[Sample](table)
	in, err := table.CreateTableInput()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.CreateTable(context.Background(), in); err != nil {
		t.Fatal(err)
	}
	return samples
}

// TestPlainKeysOfAllTypes asserts that attributes of every key type select and
// sort by value, in each direction and range, under cursors.
func TestPlainKeysOfAllTypes(t *testing.T) {
	t.Parallel()
	source := digest{0, 1, 0xff, 0}
	orders := []struct {
		index   string
		compare func(a, b Sample) int
		in      func(Sample) bool
	}{
		{"", func(a, b Sample) int { return cmp.Compare(a.No, b.No) }, func(Sample) bool { return true }},
		{"BySum", func(a, b Sample) int { return slices.Compare(a.Sum, b.Sum) }, func(s Sample) bool { return len(s.Sum) > 0 }},
		{"ByTaken", func(a, b Sample) int { return a.Taken.Compare(b.Taken) }, func(Sample) bool { return true }},
		{"BySpan", func(a, b Sample) int { return cmp.Compare(a.Span, b.Span) }, func(s Sample) bool { return s.Span > 0 }},
		{"ByWeight", func(a, b Sample) int { return cmp.Compare(number(a), number(b)) }, func(s Sample) bool { return s.Weight != "" }},
		{"ByLabel", func(a, b Sample) int { return strings.Compare(a.Label, b.Label) }, func(s Sample) bool { return s.Label != "" }},
	}
	rapid.Check(t, func(t *rapid.T) {
		samples := openSamples(t, direct)
		draw := func(i int) Sample {
			return Sample{
				Source: source, No: int64(rapid.IntRange(-3, 3).Draw(t, "decade")*10 + i%10),
				Sum:    rapid.SampledFrom([][]byte{nil, {0}, {0, 0}, {1}, {0x7f, 0xff}, {0xff}}).Draw(t, "sum"),
				Taken:  time.Unix(rapid.SampledFrom([]int64{-5, 9, 10, 1_700_000_000}).Draw(t, "taken"), 0).UTC(),
				Span:   rapid.SampledFrom([]uint32{0, 9, 10, 1 << 31}).Draw(t, "span"),
				Weight: rapid.SampledFrom([]attributevalue.Number{"", "-1.5", "9", "10", "1000", "0.25"}).Draw(t, "weight"),
				Label:  rapid.SampledFrom([]string{"", "a", "a#b", "B", "é", "😀"}).Draw(t, "label"),
			}
		}
		stored := make(map[int64]Sample)
		for i := range rapid.IntRange(0, 9).Draw(t, "items") {
			s := draw(i)
			if err := samples.Put(&s).Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			stored[s.No] = s
		}
		o := rapid.SampledFrom(orders).Draw(t, "order")
		lo, hi := draw(1), draw(2)
		if !o.in(lo) || !o.in(hi) || o.compare(lo, hi) > 0 {
			return
		}
		var want []Sample
		for _, s := range stored {
			if o.in(s) && o.compare(lo, s) <= 0 && o.compare(s, hi) <= 0 {
				want = append(want, s)
			}
		}
		slices.SortFunc(want, o.compare)
		q := samples.Query(Sample{Source: source}).Index(o.index).Between(lo, hi).Consistent().Limit(2)
		if rapid.Bool().Draw(t, "descending") {
			q = q.Desc()
			slices.Reverse(want)
		}
		var got []Sample
		for cursor, more := "", true; more; more = cursor != "" {
			page, err := q.Page(context.Background(), cursor)
			if err != nil {
				t.Fatal(err)
			}
			got, cursor = append(got, page.Items...), page.Next
		}
		if !slices.EqualFunc(got, want, func(a, b Sample) bool { return o.compare(a, b) == 0 }) {
			t.Fatalf("%s between %+v and %+v: got %+v, want %+v", o.index, lo, hi, got, want)
		}
		for _, s := range got {
			if diff := gocmp.Diff(stored[s.No], s, ignoreMarkers, sameEmpty); diff != "" {
				t.Fatalf("read back (-want +got):\n%s", diff)
			}
		}
	})
}

// sameEmpty lets an omitted list come back as nil.
var sameEmpty = gocmp.Transformer("empty", func(b []byte) string { return string(b) })

func number(s Sample) float64 {
	f, _ := s.Weight.Float64()
	return f
}

// TestPlainKeysOverTheWire asserts that each type of key is sent and taken back
// as what it is.
func TestPlainKeysOverTheWire(t *testing.T) {
	t.Parallel()
	samples := openSamples(t, func(db *memory.DB) ddb.Backend { return client(t, db) })
	ctx := t.Context()
	want := Sample{Source: digest{1}, No: -7, Sum: []byte{0xff}, Taken: time.Unix(5, 0).UTC(), Span: 3, Weight: "12345678901234567890.5", Label: "é"}
	put(t, samples, want)
	got, err := samples.Get(Sample{Source: digest{1}, No: -7}).Run(ctx)
	if diff := gocmp.Diff(want, got, ignoreMarkers); err != nil || diff != "" {
		t.Fatalf("error %v, difference (-want +got):\n%s", err, diff)
	}
	for _, index := range []string{"BySum", "ByTaken", "BySpan", "ByWeight", "ByLabel"} {
		q := samples.Query(want).Index(index)
		if got, err := q.First(ctx); err != nil || got.No != -7 {
			t.Errorf("%s: got %+v and %v", index, got, err)
		}
		if got := collect(t, q.Index(index), func(s Sample) string { return fmt.Sprint(s.No) }); !slices.Equal(got, []string{"-7"}) {
			t.Errorf("%s: got %v", index, got)
		}
	}
	if _, err := samples.Get(Sample{No: 1}).Run(ctx); !errors.Is(err, ddb.ErrKey) {
		t.Errorf("empty key: got %v, want ErrKey", err)
	}
	if err := samples.Put(&Sample{Source: digest{1}, Sum: []byte{}}).Run(ctx); !errors.Is(err, ddb.ErrKey) {
		t.Errorf("empty bytes, which are stored: got %v, want ErrKey", err)
	}
}

// TestKeyLengths asserts that the last key that fits is stored and the first
// that does not is refused before any call, by role and by the field at fault.
func TestKeyLengths(t *testing.T) {
	t.Parallel()
	type Doc struct {
		_ ddb.Entity `pk:"DOC#{ID}" sk:"REV#{Rev}"`
		_ ddb.Index  `name:"GSI1" pk:"{Tag}" sk:"{Rev}"`
		_ ddb.Index  `name:"GSI2" pk:"{Plain},{ID}"`

		ID, Rev string
		Tag     string `dynamodbav:",omitempty"`
		Plain   string `dynamodbav:",omitempty"`
	}
	db := memory.New()
	table := ddb.NewTable("Docs", backend(t, db))
	docs := ddb.Define[Doc](table)
	create(t, db, table)
	ctx := t.Context()
	text := func(n int) string { return strings.Repeat("x", n-2) + "é" }
	for _, c := range []struct {
		name  string
		doc   Doc
		field string // "" where it fits
	}{
		{"longest partition key", Doc{ID: text(2044), Rev: "1"}, ""},
		{"partition key too long", Doc{ID: text(2045), Rev: "1"}, "ID"},
		{"longest sort key", Doc{ID: "1", Rev: text(1020)}, ""},
		{"sort key too long", Doc{ID: "1", Rev: text(1021)}, "Rev"},
		{"longest index key", Doc{ID: "1", Rev: "1", Tag: text(2048)}, ""},
		{"index key too long", Doc{ID: "1", Rev: "1", Tag: text(2049)}, "Tag"},
		{"longest attributes together", Doc{ID: "1", Rev: "1", Plain: text(2047)}, ""},
		{"attributes too long together", Doc{ID: "1", Rev: "1", Plain: text(2048)}, "ID"},
	} {
		err := docs.Put(&c.doc).Run(ctx)
		if c.field == "" && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var op *ddb.OpError
		if c.field != "" && (!errors.Is(err, ddb.ErrKey) || !errors.As(err, &op) || op.Field != c.field || !strings.Contains(err.Error(), "bytes")) {
			t.Errorf("%s: got %v, want ErrKey for %s", c.name, err, c.field)
		}
		if !strings.Contains(c.name, "partition") && !strings.Contains(c.name, "sort") || c.field == "" {
			continue
		}
		if _, err := docs.Get(c.doc).Run(ctx); !errors.Is(err, ddb.ErrKey) {
			t.Errorf("%s, get: got %v, want ErrKey", c.name, err)
		}
	}
	tag := ddb.Field(docs, func(d *Doc) *string { return &d.Tag })
	if _, err := docs.Update(Doc{ID: "1", Rev: "1"}).Set(tag.To(text(2049))).Run(ctx); !errors.Is(err, ddb.ErrKey) {
		t.Errorf("update: got %v, want ErrKey", err)
	}
	if _, err := docs.Query(Doc{ID: text(3000)}).Count(ctx); !errors.Is(err, ddb.ErrKey) {
		t.Errorf("query: got %v, want ErrKey", err)
	}
}

// TestUpdatesOfPlainKeys asserts that no call is made with a value that the
// service would not take as a key, were it only for items without the attribute.
func TestUpdatesOfPlainKeys(t *testing.T) {
	t.Parallel()
	samples := openSamples(t, func(db *memory.DB) ddb.Backend { return db })
	key := Sample{Source: digest{1}, No: 1}
	label := ddb.Field(samples, func(s *Sample) *string { return &s.Label })
	sum := ddb.Field(samples, func(s *Sample) *[]byte { return &s.Sum })
	span := ddb.Field(samples, func(s *Sample) *uint32 { return &s.Span })
	long := strings.Repeat("x", 1025)
	for _, tt := range []struct {
		name   string
		change ddb.Assign[Sample]
		where  string // index and field at fault, "" for none
	}{
		{"set a text", label.To("x"), ""},
		{"set an empty text", label.To(""), "ByLabel.Label"},
		{"set a long text", label.To(long), "ByLabel.Label"},
		{"set if absent", label.SetIfAbsent("x"), ""},
		{"set an empty text if absent", label.SetIfAbsent(""), "ByLabel.Label"},
		{"set a long text if absent", label.SetIfAbsent(long), "ByLabel.Label"},
		{"set an empty binary", sum.To([]byte{}), "BySum.Sum"},
		{"set an empty binary if absent", sum.SetIfAbsent([]byte{}), "BySum.Sum"},
		{"set a number that is zero", span.To(0), ""},
		{"set a number that is zero if absent", span.SetIfAbsent(0), ""},
	} {
		_, err := samples.Update(key).Set(tt.change).Input()
		var op *ddb.OpError
		switch {
		case tt.where == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.where != "" && (!errors.Is(err, ddb.ErrKey) || !errors.As(err, &op) || op.Index+"."+op.Field != tt.where):
			t.Errorf("%s: got %v, want ErrKey for %s", tt.name, err, tt.where)
		}
	}
}

// level marshals itself by a method of the pointer.
type level int

func (l *level) MarshalText() ([]byte, error) { return []byte{'L', '0' + byte(*l)}, nil }

func (l *level) UnmarshalText(b []byte) error {
	*l = level(b[1] - '0')
	return nil
}

// TestDiscriminators asserts that the attribute that tells entities apart can
// have any name and value, and that keys take every type that has a text.
func TestDiscriminators(t *testing.T) {
	t.Parallel()
	type Product struct {
		_  ddb.Entity `pk:"PROD#{ID}" sk:"{L}"`
		_  ddb.Index  `name:"ByType" sk:"{Name}"`
		ID string
		L  level

		Name string `dynamodbav:"名称"`
		Old  string `dynamodbav:"EntityType,omitempty"` // a name like any other here
	}
	db := memory.New()
	table := ddb.NewTable("Products", backend(t, db), ddb.Discriminator("类型"), ddb.GSI("ByType", "类型", "名称"))
	products := ddb.Define[Product](table)
	create(t, db, table)
	want := Product{ID: "P001", L: 3, Name: "纯棉T恤", Old: "x"}
	put(t, products, want)
	item, err := products.Item(&want)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := item["类型"].(*types.AttributeValueMemberS); !ok || got.Value != "Product" {
		t.Errorf("got %v, want the struct's name", item["类型"])
	}
	if got, ok := item["SK"].(*types.AttributeValueMemberS); !ok || got.Value != "L3" {
		t.Errorf("got %v, want the text of a pointer's method", item["SK"])
	}
	got, err := products.Query(Product{}).Index("ByType").From(Product{Name: "纯"}).First(t.Context())
	if diff := gocmp.Diff(want, got, ignoreMarkers); err != nil || diff != "" {
		t.Errorf("error %v, difference (-want +got):\n%s", err, diff)
	}
	all, err := table.Collection(products.Partition(Product{}).Index("ByType")).Load(t.Context())
	if err != nil || len(ddb.Of(all, products)) != 1 {
		t.Errorf("got %+v and %v, want all products", all, err)
	}
}

// TestFreeText asserts that a separator below all that texts hold lets any text be a
// part of a sort key that others follow, in the order of the texts.
func TestFreeText(t *testing.T) {
	t.Parallel()
	type person struct {
		_ ddb.Entity `pk:"TEAM\x1f{Team}" sk:"NAME\x1f{Name}\x1f{ID}"`

		Team, Name, ID string
	}
	db := memory.New()
	table := ddb.NewTable("People", backend(t, db), ddb.Separator('\x1f'))
	people := ddb.Define[person](table)
	create(t, db, table)
	names := []string{"Ann", "Ann Lee", "Ann!", "Anna", "Jo #2"}
	for i, name := range names {
		put(t, people, person{Team: "t", Name: name, ID: fmt.Sprint(9 - i)})
	}
	var got []string
	for p, err := range people.Query(person{Team: "t"}).All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p.Name)
	}
	if !slices.Equal(got, names) {
		t.Errorf("got %q, want %q", got, names)
	}
	one, err := people.Query(person{Team: "t"}).Prefix(person{Name: "Ann"}).One(t.Context())
	if err != nil || one.ID != "9" {
		t.Errorf("got %+v and %v, want Ann alone", one, err)
	}
}
