package design_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/design"
	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/schema"
)

// found lists what findings are about.
func found(findings []design.Finding) []string {
	var out []string
	for _, f := range findings {
		out = append(out, string(f.Code)+" "+f.Subject)
	}
	return out
}

// define describes a table with the entity T.
func define[T any](opts ...ddb.TableOption) func(testing.TB) schema.Table {
	return func(t testing.TB) schema.Table {
		table := ddb.NewTable("Tests", nowhere{}, opts...)
		ddb.Define[T](table)
		return describe(t, table)
	}
}

// define2 describes a table with the entities T and U.
func define2[T, U any](opts ...ddb.TableOption) func(testing.TB) schema.Table {
	return func(t testing.TB) schema.Table {
		table := ddb.NewTable("Tests", nowhere{}, opts...)
		ddb.Define[T](table)
		ddb.Define[U](table)
		return describe(t, table)
	}
}

// with declares patterns.
func with(table func(testing.TB) schema.Table, patterns ...schema.Pattern) func(testing.TB) schema.Table {
	return func(t testing.TB) schema.Table {
		s := table(t)
		s.Patterns = patterns
		return s
	}
}

// reads is a pattern of one read.
func reads(name string, s schema.Step) schema.Pattern {
	if s.Operation == "" {
		s.Operation = "Query"
	}
	return schema.Pattern{Name: name, Steps: []schema.Step{s}}
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// items are n sample items of an entity, made by the number.
func items(n int, entity string, make func(int) map[string]types.AttributeValue) []map[string]types.AttributeValue {
	out := []map[string]types.AttributeValue{}
	for i := range n {
		item := make(i)
		item["EntityType"] = text(entity)
		out = append(out, item)
	}
	return out
}

// valued are sample items whose attribute V has the values.
func valued(entity string, values ...string) []map[string]types.AttributeValue {
	return items(len(values), entity, func(i int) map[string]types.AttributeValue {
		return map[string]types.AttributeValue{"V": text(values[i])}
	})
}

// deepItem has a value nested n levels deep.
func deepItem(n int) map[string]types.AttributeValue {
	v := text("leaf")
	for range n - 1 {
		v = &types.AttributeValueMemberL{Value: []types.AttributeValue{v}}
	}
	return map[string]types.AttributeValue{"V": v}
}

type checkCase struct {
	name  string
	table func(testing.TB) schema.Table
	seen  design.Evidence
	want  []string
}

func runChecks(t *testing.T, cases []checkCase) {
	t.Helper()
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			findings := design.Check(test.table(t), test.seen)
			if diff := cmp.Diff(found(findings), test.want); diff != "" {
				t.Errorf("(-got +want)\n%s", diff)
			}
			for _, f := range findings {
				if f.Level == "" || f.Reason == "" || f.Mend == "" {
					t.Errorf("%s lacks a level, a reason or a mend", f)
				}
			}
		})
	}
}

// TestPartitionKeys promises findings on keys that few values share or that are
// the time, and none on keys that are spread or have many values.
func TestPartitionKeys(t *testing.T) {
	t.Parallel()
	type user struct {
		_ ddb.Entity `name:"E" pk:"USER#{ID}" sk:"PROFILE"`

		ID string
	}
	type byStatus struct {
		_ ddb.Entity `name:"E" pk:"X#{ID}" sk:"X"`
		_ ddb.Index  `name:"G" pk:"STATUS#{OrderStatus}" sk:"{ID}"`

		ID, OrderStatus string
	}
	type byStatusSharded struct {
		_ ddb.Entity `name:"E" pk:"X#{ID}" sk:"X"`
		_ ddb.Index  `name:"G" pk:"STATUS#{Status}#{shard:4}" sk:"{ID}"`

		ID, Status string
	}
	type byStatusOfUser struct {
		_ ddb.Entity `name:"E" pk:"X#{ID}" sk:"X"`
		_ ddb.Index  `name:"G" pk:"USER#{User}#{Status}" sk:"{ID}"`

		ID, User, Status string
	}
	type byFlag struct {
		_ ddb.Entity `name:"E" pk:"X#{ID}" sk:"X"`
		_ ddb.Index  `name:"G" pk:"{On}" sk:"{ID}"`

		ID string
		On bool
	}
	type byAttribute struct {
		_ ddb.Entity `name:"E" pk:"X#{ID}" sk:"X"`
		_ ddb.Index  `name:"G" pk:"{Where}" sk:"{ID}"`

		ID    string
		Where string `dynamodbav:"地区"`
	}
	type settings struct {
		_ ddb.Entity `name:"E" pk:"CONFIG" sk:"CONFIG"`

		V string
	}
	type all struct {
		_ ddb.Entity `name:"E" pk:"ALL" sk:"X#{ID}"`

		ID string
	}
	type byDay struct {
		_ ddb.Entity `name:"E" pk:"DAY#{At:2006-01-02}" sk:"{ID}"`

		At time.Time
		ID string
	}
	type byDaySharded struct {
		_ ddb.Entity `name:"E" pk:"DAY#{At:2006-01-02}#{shard:10}" sk:"{ID}"`

		At time.Time
		ID string
	}
	type byDayAndRegion struct {
		_ ddb.Entity `name:"E" pk:"{Region}#{At:2006-01-02T15}" sk:"{ID}"`

		At         time.Time
		Region, ID string
	}
	type byDevice struct {
		_ ddb.Entity `name:"E" pk:"DEVICE#{Device}#{At:2006-01}" sk:"{ID}"`

		At         time.Time
		Device, ID string
	}
	type byInstant struct {
		_ ddb.Entity `name:"E" pk:"{At}" sk:"{ID}"`

		At time.Time
		ID string
	}
	many := items(101, "E", func(i int) map[string]types.AttributeValue {
		return map[string]types.AttributeValue{"GPK": text(strings.Repeat("x", i+1))}
	})
	runChecks(t, []checkCase{
		{"many values", define[user](), design.Evidence{}, nil},
		{"status", define[byStatus](), design.Evidence{}, []string{"low-cardinality E in G, STATUS#{OrderStatus}"}},
		{"status of which the sample has many", define[byStatus](), design.Evidence{Items: many}, nil},
		{"status of which the sample has less", define[byStatus](), design.Evidence{Items: many[:100]}, []string{"low-cardinality E in G, STATUS#{OrderStatus}"}},
		{"sharded status", define[byStatusSharded](), design.Evidence{}, nil},
		{"status of a user", define[byStatusOfUser](), design.Evidence{}, nil},
		{"bool", define[byFlag](), design.Evidence{}, []string{"low-cardinality E in G, {On}"}},
		{"region by its attribute", define[byAttribute](), design.Evidence{}, []string{"low-cardinality E in G, {Where}"}},
		{"a single item", define[settings](), design.Evidence{}, nil},
		{"all items", define[all](), design.Evidence{}, []string{"low-cardinality E in the table, ALL"}},
		{"day", define[byDay](), design.Evidence{}, []string{"time-key E in the table, DAY#{At:2006-01-02}"}},
		{"sharded day", define[byDaySharded](), design.Evidence{}, nil},
		{"day and region", define[byDayAndRegion](), design.Evidence{}, []string{"time-key E in the table, {Region}#{At:2006-01-02T15}"}},
		{"month of a device", define[byDevice](), design.Evidence{}, nil},
		{"instant", define[byInstant](), design.Evidence{}, nil},
	})
}

// TestSampleInReason promises that a finding on a key says what the sample shows.
func TestSampleInReason(t *testing.T) {
	t.Parallel()
	s := newStore(nowhere{})
	findings := design.Check(describe(t, s.table), design.Evidence{Items: sampleItems(t, s)})
	const want = "the sample has 1 item under 1 key"
	if len(findings) == 0 || !strings.Contains(findings[0].String(), want) {
		t.Errorf("got %v, want %q", findings, want)
	}
}

// TestOrder promises findings on numbers and times that do not sort.
func TestOrder(t *testing.T) {
	t.Parallel()
	type padded struct {
		_ ddb.Entity `name:"E" pk:"X#{ID}" sk:"V#{N:06}"`

		ID string
		N  int
	}
	type plain struct {
		_ ddb.Entity `name:"E" pk:"X#{ID}" sk:"V#{N:plain}"`

		ID string
		N  int
	}
	type quoted struct {
		_ ddb.Entity `name:"E" pk:"{ID}" sk:"{N}"`

		ID string
		N  int `dynamodbav:",string"`
	}
	type number struct {
		_ ddb.Entity `name:"E" pk:"{ID}" sk:"{N}"`

		ID string
		N  int
	}
	type version struct {
		_ ddb.Entity `name:"E" pk:"X#{ID}" sk:"V#{V}"`

		ID, V string
	}
	type dated struct {
		_ ddb.Entity `name:"E" pk:"X#{ID}" sk:"V#{Day:2006-01-02}#{V}"`

		ID, V string
		Day   time.Time
	}
	runChecks(t, []checkCase{
		{"padded number", define[padded](), design.Evidence{}, nil},
		{"unpadded number", define[plain](), design.Evidence{}, []string{"unpadded-number E in the table, V#{N:plain}"}},
		{"number as a string", define[quoted](ddb.Keys("ID", "N")), design.Evidence{}, []string{"unpadded-number E in the table, {N}"}},
		{"number", define[number](ddb.Keys("ID", "N")), design.Evidence{}, nil},
		{"versions of different widths", define[version](), design.Evidence{Items: valued("E", "v2.0", "v10.0", "v1.0")}, []string{"unpadded-number E in the table, V#{V}"}},
		{"versions of one width", define[version](), design.Evidence{Items: valued("E", "v02.0", "v10.0", "v01.0")}, nil},
		{"widths without trouble", define[version](), design.Evidence{Items: valued("E", "v1.0", "v1.10", "w2")}, nil},
		{"hexadecimal", define[version](), design.Evidence{Items: valued("E", "a9f1", "b10", "1c")}, nil},
		{"behind a time", define[dated](), design.Evidence{Items: valued("E", "2", "10")}, nil},
	})
}

// TestTimeFormats promises findings on times of several forms or without a zone.
func TestTimeFormats(t *testing.T) {
	t.Parallel()
	type utc struct {
		_ ddb.Entity `name:"E" pk:"X#{ID}" sk:"{At:2006-01-02T15:04:05Z}#{V}"`

		ID string
		V  string
		At time.Time
	}
	type local struct {
		_ ddb.Entity `name:"E" pk:"X#{ID}" sk:"{At:2006-01-02T15:04:05}#{V}"`

		ID, V string
		At    time.Time
	}
	type day struct {
		_ ddb.Entity `name:"E" pk:"X#{ID}" sk:"{At:2006-01-02}#{V}"`

		ID, V string
		At    time.Time
	}
	type first struct {
		_ ddb.Entity `name:"F" pk:"X#{ID}" sk:"X"`
		_ ddb.Index  `name:"G" pk:"FEED#{ID}" sk:"{At}"`

		ID string
		At time.Time
	}
	type second struct {
		_ ddb.Entity `name:"S" pk:"Y#{ID}" sk:"Y"`
		_ ddb.Index  `name:"G" pk:"FEED#{ID}" sk:"{When:2006-01-02T15:04:05Z}"`

		ID   string
		When time.Time
	}
	type elsewhere struct {
		_ ddb.Entity `name:"S" pk:"Y#{ID}" sk:"Y"`
		_ ddb.Index  `name:"G" pk:"OTHER#{ID}" sk:"{When:2006-01-02T15:04:05Z}"`

		ID   string
		When time.Time
	}
	type unix struct {
		_ ddb.Entity `name:"U" pk:"Y#{ID}" sk:"Y"`

		ID string
		At time.Time `dynamodbav:",unixtime"`
	}
	mixed := []string{"mixed-keys F in G", "mixed-keys S in G"}
	runChecks(t, []checkCase{
		{"UTC", define[utc](), design.Evidence{}, nil},
		{"no zone", define[local](), design.Evidence{}, []string{"time-format E in the table, {At:2006-01-02T15:04:05}#{V}"}},
		{"day", define[day](), design.Evidence{}, nil},
		{"two layouts in one partition", define2[first, second](), design.Evidence{}, append([]string{"time-format FEED#{ID} in G"}, mixed...)},
		{"two layouts in two partitions", define2[first, elsewhere](), design.Evidence{}, nil},
		{"text and number", define2[first, unix](), design.Evidence{}, []string{"time-format attribute At"}},
		{"sample of one form", define[utc](), design.Evidence{Items: valued("E", "2024-05-01T00:00:00Z", "2024-05-02T10:00:00Z", "no time")}, nil},
		{"sample of several forms", define[utc](), design.Evidence{Items: valued("E", "2024-05-01T00:00:00Z", "2024-05-01T00:00:00.5Z")}, []string{"time-format E.V"}},
		{"sample with offsets", define[utc](), design.Evidence{Items: valued("E", "2024-05-01T00:00:00+09:00")}, []string{"time-format E.V"}},
		{"sample without zones", define[utc](), design.Evidence{Items: valued("E", "2024-05-01 00:00:00")}, []string{"time-format E.V"}},
	})
}

// TestKeysThatMeet promises findings on entities that lie among each other and
// on items that replace each other.
func TestKeysThatMeet(t *testing.T) {
	t.Parallel()
	type note struct {
		_ ddb.Entity `name:"N" pk:"X#{ID}" sk:"A#{Text}"`

		ID, Text string
	}
	type answer struct {
		_ ddb.Entity `name:"A" pk:"X#{ID}" sk:"A#{Text}#TO#{User}"`

		ID, Text, User string
	}
	type apart struct {
		_ ddb.Entity `name:"B" pk:"X#{ID}" sk:"B#{Text}"`

		ID, Text string
	}
	type comment struct {
		_ ddb.Entity `name:"C" pk:"POST#{ID}" sk:"COMMENT#{At}"`

		ID string
		At time.Time
	}
	type named struct {
		_ ddb.Entity `name:"C" pk:"POST#{ID}" sk:"COMMENT#{At}#{User}"`

		ID, User string
		At       time.Time
	}
	type daily struct {
		_ ddb.Entity `name:"C" pk:"POST#{ID}" sk:"VISITS#{At:2006-01-02}"`

		ID string
		At time.Time
	}
	runChecks(t, []checkCase{
		{"one prefix", define2[note, answer](), design.Evidence{}, []string{"mixed-keys N in the table", "mixed-keys A in the table"}},
		{"two prefixes", define2[note, apart](), design.Evidence{}, nil},
		{"an instant as key", define[comment](), design.Evidence{}, []string{"overwrite C in the table"}},
		{"an instant and a user", define[named](), design.Evidence{}, nil},
		{"a day", define[daily](), design.Evidence{}, nil},
	})
}

// TestIndexes promises findings on indexes that are unused, many, too wide or
// too thin.
func TestIndexes(t *testing.T) {
	t.Parallel()
	type one struct {
		_ ddb.Entity `name:"E" pk:"X#{ID}" sk:"X"`
		_ ddb.Index  `name:"G" pk:"A#{A}" sk:"{ID}"`

		ID, A, B, C string
	}
	type two struct {
		_ ddb.Entity `name:"E" pk:"X#{ID}" sk:"X"`
		_ ddb.Index  `name:"G" pk:"A#{A}" sk:"{ID}"`
		_ ddb.Index  `name:"H" pk:"A#{A}" sk:"{ID}"`

		ID, A string
	}
	type other struct {
		_ ddb.Entity `name:"O" pk:"Y#{ID}" sk:"Y"`
		_ ddb.Index  `name:"H" pk:"B#{B}" sk:"{ID}"`

		ID, B string
	}
	type five struct {
		_ ddb.Entity `name:"E" pk:"X#{ID}" sk:"X"`
		_ ddb.Index  `name:"G1" pk:"A#{A}" sk:"X"`
		_ ddb.Index  `name:"G2" pk:"B#{B}" sk:"X"`
		_ ddb.Index  `name:"G3" pk:"C#{C}" sk:"X"`
		_ ddb.Index  `name:"G4" pk:"D#{D}" sk:"X"`
		_ ddb.Index  `name:"G5" pk:"E#{E}" sk:"X"`

		ID, A, B, C, D, E string
	}
	g := func(opts ...ddb.IndexOption) ddb.TableOption { return ddb.GSI("G", "GPK", "GSK", opts...) }
	h := func(opts ...ddb.IndexOption) ddb.TableOption { return ddb.GSI("H", "HPK", "HSK", opts...) }
	get := reads("get", schema.Step{Operation: "GetItem", Entity: "E"})
	byA := schema.Step{Entity: "E", Index: "G"}
	step := func(change func(*schema.Step)) schema.Step { s := byA; change(&s); return s }
	runChecks(t, []checkCase{
		{"nothing declared", define[one](), design.Evidence{}, nil},
		{"index not read", with(define[one](), get), design.Evidence{}, []string{"unused-index G"}},
		{"index read", with(define[one](), get, reads("by A", byA)), design.Evidence{}, nil},
		{"index written only", with(define[one](), schema.Pattern{Name: "put", Steps: []schema.Step{{Operation: "PutItem", Entity: "E", Index: "G"}}}), design.Evidence{}, []string{"unused-index G"}},
		{"index read in traffic", with(define[one](), get), design.Evidence{Usage: []design.Usage{{Op: "Query", Index: "G", Calls: 1}}}, nil},
		{"traffic beside the index", define[one](), design.Evidence{Usage: []design.Usage{{Op: "GetItem", Calls: 1}}}, []string{"unused-index G"}},
		{"index without entities", define[one](g(), h()), design.Evidence{}, []string{"unused-index H"}},

		{"same keys", define[two](), design.Evidence{}, []string{"many-indexes G and H"}},
		{"no entity in common", define2[one, other](g(), h()), design.Evidence{}, []string{"many-indexes G and H"}},
		{"another projection", define2[one, other](g(), h(ddb.KeysOnly())), design.Evidence{}, nil},
		{"five indexes", define[five](), design.Evidence{}, []string{"many-indexes E"}},

		{"wide for a count", with(define[one](), reads("count", step(func(s *schema.Step) { s.Count = true }))), design.Evidence{}, []string{"wide-projection G"}},
		{"wide for its reads", with(define[one](), reads("some", step(func(s *schema.Step) { s.Reads = []string{"B"} }))), design.Evidence{}, []string{"wide-projection G"}},
		{"wide, but read whole too", with(define[one](), reads("some", step(func(s *schema.Step) { s.Reads = []string{"B"} })), reads("all", byA)), design.Evidence{}, nil},
		{"as wide as its reads", with(define[one](g(ddb.Include("EntityType", "B", "C"))), reads("some", step(func(s *schema.Step) { s.Reads, s.Filter = []string{"B"}, []string{"C"} }))), design.Evidence{}, nil},
		{"included and not read", with(define[one](g(ddb.Include("EntityType", "B", "C"))), reads("some", step(func(s *schema.Step) { s.Reads = []string{"B"} }))), design.Evidence{}, []string{"wide-projection G"}},

		{"thin for whole reads", with(define[one](g(ddb.Include("EntityType", "B"))), reads("by A", byA)), design.Evidence{}, []string{"thin-projection by A"}},
		{"thin for a collection", with(define[one](g(ddb.Include("EntityType", "B"))), reads("by A", step(func(s *schema.Step) { s.Entity = "" }))), design.Evidence{}, []string{"thin-projection by A"}},
		{"thin and hydrated", with(define[one](g(ddb.Include("EntityType"))), reads("by A", step(func(s *schema.Step) { s.Hydrated = true }))), design.Evidence{}, nil},
		{"thin and counted", with(define[one](g(ddb.KeysOnly())), reads("by A", step(func(s *schema.Step) { s.Count = true }))), design.Evidence{}, nil},
		{"thin for what is read", with(define[one](g(ddb.Include("EntityType", "B"))), reads("by A", step(func(s *schema.Step) { s.Reads = []string{"B"} }))), design.Evidence{}, nil},
		{"thin, of keys alone", with(define2[other, other](h(ddb.KeysOnly())), reads("by B", schema.Step{Entity: "O", Index: "H"})), design.Evidence{}, nil},
	})
}

// TestItems promises findings on large and deep items.
func TestItems(t *testing.T) {
	t.Parallel()
	type document struct {
		_ ddb.Entity `name:"E" pk:"X#{ID}" sk:"X"`

		ID string
		V  any
	}
	type node struct {
		Name string
		Next []node
	}
	type tree struct {
		_ ddb.Entity `name:"E" pk:"X#{ID}" sk:"X"`

		ID   string
		Root node
	}
	sized := func(kb int) design.Evidence {
		return design.Evidence{Items: valued("E", "small", strings.Repeat("x", kb*1024))}
	}
	deep := func(n int) design.Evidence {
		return design.Evidence{Items: items(1, "E", func(int) map[string]types.AttributeValue { return deepItem(n) })}
	}
	runChecks(t, []checkCase{
		{"small", define[document](), sized(10), nil},
		{"large", define[document](), sized(64), []string{"item-size E"}},
		{"near the limit", define[document](), sized(330), []string{"item-size E"}},
		{"of another entity", define[document](), design.Evidence{Items: valued("other", strings.Repeat("x", 1<<18))}, nil},
		{"flat", define[document](), deep(10), nil},
		{"deep", define[document](), deep(24), []string{"nesting E"}},
		{"without bound", define[tree](), design.Evidence{}, []string{"nesting E"}},
	})
	near := design.Check(define[document]()(t), sized(330))[0]
	if near.Level != design.Warning || !strings.Contains(near.Reason, "330 of at most 400 KB") {
		t.Errorf("near the limit: got %s", near)
	}
}

// TestTraffic promises findings on filters that drop what they read, scans, hot
// keys and throttled calls.
func TestTrafficFindings(t *testing.T) {
	t.Parallel()
	type one struct {
		_ ddb.Entity `name:"E" pk:"X#{ID}" sk:"X"`

		ID string
	}
	usage := func(u ...design.Usage) design.Evidence { return design.Evidence{Usage: u} }
	query := design.Usage{Pattern: "open", Op: "Query", Entity: "E", Calls: 3, Items: 49, Examined: 100, Filtered: true}
	changed := func(change func(*design.Usage)) design.Usage { u := query; change(&u); return u }
	// heat is that of keys with so many units each.
	heat := func(units ...float64) memory.Heat {
		h := memory.Heat{Name: "Tests"}
		for i, n := range units {
			h.Total.ReadUnits += n
			h.Keys = append(h.Keys, memory.KeyHeat{
				Key:    map[string]types.AttributeValue{"PK": text(string(rune('A' + i)))},
				Served: memory.Served{Requests: int64(n), ReadUnits: n},
			})
		}
		return h
	}
	cold := []float64{10, 10, 10, 10, 10, 10, 10, 10, 10}
	throttledKey := heat(1)
	throttledKey.Keys[0].Throttled = 2
	inIndex := memory.Heat{Indexes: []memory.Heat{heat(append([]float64{500}, cold...)...)}}
	inIndex.Indexes[0].Name = "G"
	runChecks(t, []checkCase{
		{"filter that drops", define[one](), usage(query), []string{"dropping-filter open"}},
		{"filter that keeps half", define[one](), usage(changed(func(u *design.Usage) { u.Items = 50 })), nil},
		{"filter with too few items", define[one](), usage(changed(func(u *design.Usage) { u.Items, u.Examined = 1, 99 })), nil},
		{"no filter", define[one](), usage(changed(func(u *design.Usage) { u.Filtered = false })), nil},
		{"unnamed", define[one](), usage(changed(func(u *design.Usage) { u.Pattern = "" })), []string{"dropping-filter Query E"}},

		{"declared scan", with(define[one](), reads("all", schema.Step{Operation: "Scan", Entity: "E"})), design.Evidence{}, []string{"scan all"}},
		{"observed scan", define[one](), usage(design.Usage{Op: "Scan", Entity: "E", Calls: 1, Examined: 9}), []string{"scan Scan E"}},
		{"declared and observed scan", with(define[one](), reads("all", schema.Step{Operation: "Scan", Entity: "E"})),
			usage(design.Usage{Pattern: "all", Op: "Scan", Entity: "E", Calls: 1}), []string{"scan all"}},
		{"queries", with(define[one](), reads("some", schema.Step{Entity: "E"})), usage(design.Usage{Op: "Query", Calls: 1, Examined: 9}), nil},

		{"even heat", define[one](), design.Evidence{Heat: heat(cold...)}, nil},
		{"hot key", define[one](), design.Evidence{Heat: heat(append([]float64{500}, cold...)...)}, []string{"hot-key PK = A in the table"}},
		{"few keys", define[one](), design.Evidence{Heat: heat(300, 100, 100)}, nil},
		{"little heat", define[one](), design.Evidence{Heat: heat(80, 1, 1, 1, 1, 1, 1, 1, 1, 1)}, nil},
		{"hot key of an index", define[one](), design.Evidence{Heat: inIndex}, []string{"hot-key PK = A in G"}},
		{"throttled key", define[one](), design.Evidence{Heat: throttledKey}, []string{"hot-key PK = A in the table"}},
		{"throttled calls", define[one](), usage(design.Usage{Pattern: "write", Op: "PutItem", Calls: 9, Failed: 2, Throttled: 2}), []string{"hot-key write"}},
		{"failed calls", define[one](), usage(design.Usage{Pattern: "write", Op: "PutItem", Calls: 9, Failed: 2}), nil},
	})
}

// TestAccept promises that what is meant leaves the list, and that acceptances
// without a finding are named.
func TestAccept(t *testing.T) {
	t.Parallel()
	findings := []design.Finding{{Code: design.Scan, Subject: "export"}, {Code: design.Scan, Subject: "search"}}
	meant := design.Acceptance{Code: design.Scan, Subject: "export", Why: "a nightly job"}
	old := design.Acceptance{Code: design.Nesting, Subject: "export", Why: "was once so"}
	left, stale := design.Accept(findings, meant, old)
	if diff := cmp.Diff(found(left), []string{"scan search"}); diff != "" {
		t.Errorf("left (-got +want)\n%s", diff)
	}
	if diff := cmp.Diff(stale, []design.Acceptance{old}); diff != "" {
		t.Errorf("stale (-got +want)\n%s", diff)
	}
}
