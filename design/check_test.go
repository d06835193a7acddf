package design_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

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

// with declares patterns.
func with(s schema.Table, patterns ...schema.Pattern) schema.Table {
	s.Patterns = patterns
	return s
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
	table schema.Table
	seen  design.Evidence
	want  []string
}

func runChecks(t *testing.T, cases []checkCase) {
	t.Helper()
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			findings := design.Check(test.table, test.seen)
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
	of := func(fields string, keys ...schema.EntityKey) schema.Table {
		return tableOf(nil, sketch("E", fields, keys...))
	}
	// indexed is an entity with a good key in the table and another in an index.
	indexed := func(fields, partition string) schema.Table {
		return of("ID string, "+fields, key("", "X#{ID}", "X"), key("G", partition, "{ID}"))
	}
	byStatus := indexed("OrderStatus string", "STATUS#{OrderStatus}")
	many := items(101, "E", func(i int) map[string]types.AttributeValue {
		return map[string]types.AttributeValue{"GPK": text(strings.Repeat("x", i+1))}
	})
	runChecks(t, []checkCase{
		{"many values", of("ID string", key("", "USER#{ID}", "PROFILE")), design.Evidence{}, nil},
		{"status", byStatus, design.Evidence{}, []string{"low-cardinality E in G, STATUS#{OrderStatus}"}},
		{"status of which the sample has many", byStatus, design.Evidence{Items: many}, nil},
		{"status of which the sample has less", byStatus, design.Evidence{Items: many[:100]}, []string{"low-cardinality E in G, STATUS#{OrderStatus}"}},
		{"sharded status", indexed("Status string", "STATUS#{Status}#{shard:4}"), design.Evidence{}, nil},
		{"status of a user", indexed("User string, Status string", "USER#{User}#{Status}"), design.Evidence{}, nil},
		{"bool", indexed("On bool", "{On}"), design.Evidence{}, []string{"low-cardinality E in G, {On}"}},
		{"region by its attribute", indexed("Where=地区 string", "{Where}"), design.Evidence{}, []string{"low-cardinality E in G, {Where}"}},
		{"a single item", of("V string", key("", "CONFIG", "CONFIG")), design.Evidence{}, nil},
		{"all items", of("ID string", key("", "ALL", "X#{ID}")), design.Evidence{}, []string{"low-cardinality E in the table, ALL"}},
		{"day", of("At time, ID string", key("", "DAY#{At:2006-01-02}", "{ID}")), design.Evidence{}, []string{"time-key E in the table, DAY#{At:2006-01-02}"}},
		{"sharded day", of("At time, ID string", key("", "DAY#{At:2006-01-02}#{shard:10}", "{ID}")), design.Evidence{}, nil},
		{"day and region", of("At time, Region string, ID string", key("", "{Region}#{At:2006-01-02T15}", "{ID}")), design.Evidence{}, []string{"time-key E in the table, {Region}#{At:2006-01-02T15}"}},
		{"month of a device", of("At time, Device string, ID string", key("", "DEVICE#{Device}#{At:2006-01}", "{ID}")), design.Evidence{}, nil},
		{"instant", of("At time, ID string", key("", "{At}", "{ID}")), design.Evidence{}, nil},
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
	sorted := func(fields, sort string) schema.Table {
		return tableOf(nil, sketch("E", "ID string, "+fields, key("", "X#{ID}", sort)))
	}
	version := sorted("V string", "V#{V}")
	runChecks(t, []checkCase{
		{"padded number", sorted("N int", "V#{N:06}"), design.Evidence{}, nil},
		{"unpadded number", sorted("N int", "V#{N:plain}"), design.Evidence{}, []string{"unpadded-number E in the table, V#{N:plain}"}},
		{"number as a string", sorted("N quoted", "N={N}"), design.Evidence{}, []string{"unpadded-number E in the table, {N}"}},
		{"number", sorted("N int", "N={N}"), design.Evidence{}, nil},
		{"versions of different widths", version, design.Evidence{Items: valued("E", "v2.0", "v10.0", "v1.0")}, []string{"unpadded-number E in the table, V#{V}"}},
		{"versions of one width", version, design.Evidence{Items: valued("E", "v02.0", "v10.0", "v01.0")}, nil},
		{"widths without trouble", version, design.Evidence{Items: valued("E", "v1.0", "v1.10", "w2")}, nil},
		{"hexadecimal", version, design.Evidence{Items: valued("E", "a9f1", "b10", "1c")}, nil},
		{"behind a time", sorted("V string, Day time", "V#{Day:2006-01-02}#{V}"), design.Evidence{Items: valued("E", "2", "10")}, nil},
	})
}

// TestTimeFormats promises findings on times of several forms or without a zone.
func TestTimeFormats(t *testing.T) {
	t.Parallel()
	sorted := func(sort string) schema.Table {
		return tableOf(nil, sketch("E", "ID string, V string, At time", key("", "X#{ID}", sort)))
	}
	utc := sorted("{At:2006-01-02T15:04:05Z}#{V}")
	feed := func(name, partition, sort string, meet ...string) schema.Entity {
		return sketch(name, "ID string, At time", key("", name+"#{ID}", name), meets(key("G", partition, sort), meet...))
	}
	first, second := feed("F", "FEED#{ID}", "{At}", "S"), feed("S", "FEED#{ID}", "{At:2006-01-02T15:04:05Z}", "F")
	alone, elsewhere := feed("F", "FEED#{ID}", "{At}"), feed("S", "OTHER#{ID}", "{At:2006-01-02T15:04:05Z}")
	unix := sketch("U", "ID string, At unix", key("", "Y#{ID}", "Y"))
	mixed := []string{"mixed-keys F in G", "mixed-keys S in G"}
	runChecks(t, []checkCase{
		{"UTC", utc, design.Evidence{}, nil},
		{"no zone", sorted("{At:2006-01-02T15:04:05}#{V}"), design.Evidence{}, []string{"time-format E in the table, {At:2006-01-02T15:04:05}#{V}"}},
		{"day", sorted("{At:2006-01-02}#{V}"), design.Evidence{}, nil},
		{"two layouts in one partition", tableOf(nil, first, second), design.Evidence{}, append([]string{"time-format FEED#{ID} in G"}, mixed...)},
		{"two layouts in two partitions", tableOf(nil, alone, elsewhere), design.Evidence{}, nil},
		{"text and number", tableOf(nil, alone, unix), design.Evidence{}, []string{"time-format attribute At"}},
		{"sample of one form", utc, design.Evidence{Items: valued("E", "2024-05-01T00:00:00Z", "2024-05-02T10:00:00Z", "no time")}, nil},
		{"sample of several forms", utc, design.Evidence{Items: valued("E", "2024-05-01T00:00:00Z", "2024-05-01T00:00:00.5Z")}, []string{"time-format E.V"}},
		{"sample with offsets", utc, design.Evidence{Items: valued("E", "2024-05-01T00:00:00+09:00")}, []string{"time-format E.V"}},
		{"sample without zones", utc, design.Evidence{Items: valued("E", "2024-05-01 00:00:00")}, []string{"time-format E.V"}},
	})
}

// TestKeysThatMeet promises findings on entities that lie among each other and
// on items that replace each other.
func TestKeysThatMeet(t *testing.T) {
	t.Parallel()
	of := func(name, fields, sort string, meet ...string) schema.Entity {
		return sketch(name, "ID string, "+fields, meets(key("", "X#{ID}", sort), meet...))
	}
	runChecks(t, []checkCase{
		{"one prefix", tableOf(nil, of("N", "Text string", "A#{Text}", "A"), of("A", "Text string, User string", "A#{Text}#TO#{User}", "N")), design.Evidence{}, []string{"mixed-keys N in the table", "mixed-keys A in the table"}},
		{"two prefixes", tableOf(nil, of("N", "Text string", "A#{Text}"), of("B", "Text string", "B#{Text}")), design.Evidence{}, nil},
		{"an instant as key", tableOf(nil, of("C", "At time", "COMMENT#{At}")), design.Evidence{}, []string{"overwrite C in the table"}},
		{"an instant and a user", tableOf(nil, of("C", "At time, User string", "COMMENT#{At}#{User}")), design.Evidence{}, nil},
		{"a day", tableOf(nil, of("C", "At time", "VISITS#{At:2006-01-02}")), design.Evidence{}, nil},
	})
}

// TestIndexes promises findings on indexes that are unused, many, too wide or
// too thin.
func TestIndexes(t *testing.T) {
	t.Parallel()
	entity := sketch("E", "ID string, A string, B string, C string", key("", "X#{ID}", "X"), key("G", "A#{A}", "{ID}"))
	other := sketch("O", "ID string, B string", key("", "Y#{ID}", "Y"), key("H", "B#{B}", "{ID}"))
	two := sketch("E", "ID string, A string", key("", "X#{ID}", "X"), key("G", "A#{A}", "{ID}"), key("H", "A#{A}", "{ID}"))
	five := sketch("E", "ID string, A string, B string, C string, D string, F string", key("", "X#{ID}", "X"),
		key("G1", "A#{A}", "X"), key("G2", "B#{B}", "X"), key("G3", "C#{C}", "X"), key("G4", "D#{D}", "X"), key("G5", "F#{F}", "X"))
	one := func(indexes ...schema.Index) schema.Table { return tableOf(indexes, entity) }
	get := reads("get", schema.Step{Operation: "GetItem", Entity: "E"})
	byA := schema.Step{Entity: "E", Index: "G"}
	step := func(change func(*schema.Step)) schema.Step { s := byA; change(&s); return s }
	runChecks(t, []checkCase{
		{"nothing declared", one(), design.Evidence{}, nil},
		{"index not read", with(one(), get), design.Evidence{}, []string{"unused-index G"}},
		{"index read", with(one(), get, reads("by A", byA)), design.Evidence{}, nil},
		{"index written only", with(one(), schema.Pattern{Name: "put", Steps: []schema.Step{{Operation: "PutItem", Entity: "E", Index: "G"}}}), design.Evidence{}, []string{"unused-index G"}},
		{"index read in traffic", with(one(), get), design.Evidence{Usage: []design.Usage{{Op: "Query", Index: "G", Calls: 1}}}, nil},
		{"traffic beside the index", one(), design.Evidence{Usage: []design.Usage{{Op: "GetItem", Calls: 1}}}, []string{"unused-index G"}},
		{"index without entities", one(schema.Index{Name: "G", Projection: "ALL"}, schema.Index{Name: "H", Projection: "ALL"}), design.Evidence{}, []string{"unused-index H"}},

		{"same keys", tableOf(nil, two), design.Evidence{}, []string{"many-indexes G and H"}},
		{"no entity in common", tableOf(nil, entity, other), design.Evidence{}, []string{"many-indexes G and H"}},
		{"another projection", tableOf([]schema.Index{keysOnly("H")}, entity, other), design.Evidence{}, nil},
		{"five indexes", tableOf(nil, five), design.Evidence{}, []string{"many-indexes E"}},

		{"wide for a count", with(one(), reads("count", step(func(s *schema.Step) { s.Count = true }))), design.Evidence{}, []string{"wide-projection G"}},
		{"wide for its reads", with(one(), reads("some", step(func(s *schema.Step) { s.Reads = []string{"B"} }))), design.Evidence{}, []string{"wide-projection G"}},
		{"wide, but read whole too", with(one(), reads("some", step(func(s *schema.Step) { s.Reads = []string{"B"} })), reads("all", byA)), design.Evidence{}, nil},
		{"as wide as its reads", with(one(include("G", "EntityType", "B", "C")), reads("some", step(func(s *schema.Step) { s.Reads, s.Filter = []string{"B"}, []string{"C"} }))), design.Evidence{}, nil},
		{"included and not read", with(one(include("G", "EntityType", "B", "C")), reads("some", step(func(s *schema.Step) { s.Reads = []string{"B"} }))), design.Evidence{}, []string{"wide-projection G"}},

		{"thin for whole reads", with(one(include("G", "EntityType", "B")), reads("by A", byA)), design.Evidence{}, []string{"thin-projection by A"}},
		{"thin for a collection", with(one(include("G", "EntityType", "B")), reads("by A", step(func(s *schema.Step) { s.Entity = "" }))), design.Evidence{}, []string{"thin-projection by A"}},
		{"thin and hydrated", with(one(include("G", "EntityType")), reads("by A", step(func(s *schema.Step) { s.Hydrated = true }))), design.Evidence{}, nil},
		{"thin and counted", with(one(keysOnly("G")), reads("by A", step(func(s *schema.Step) { s.Count = true }))), design.Evidence{}, nil},
		{"thin for what is read", with(one(include("G", "EntityType", "B")), reads("by A", step(func(s *schema.Step) { s.Reads = []string{"B"} }))), design.Evidence{}, nil},
		{"thin, of keys alone", with(tableOf([]schema.Index{keysOnly("H")}, other), reads("by B", schema.Step{Entity: "O", Index: "H"})), design.Evidence{}, nil},
	})
}

// TestItems promises findings on large and deep items.
func TestItems(t *testing.T) {
	t.Parallel()
	document := tableOf(nil, sketch("E", "ID string, V any", key("", "X#{ID}", "X")))
	tree := tableOf(nil, sketch("E", "ID string, V any", key("", "X#{ID}", "X")))
	tree.Entities[0].Fields[1].Fields = []schema.Field{{Name: "Next", Attribute: "Next", Type: "L", Recursive: true}}
	sized := func(kb int) design.Evidence {
		return design.Evidence{Items: valued("E", "small", strings.Repeat("x", kb*1024))}
	}
	deep := func(n int) design.Evidence {
		return design.Evidence{Items: items(1, "E", func(int) map[string]types.AttributeValue { return deepItem(n) })}
	}
	runChecks(t, []checkCase{
		{"small", document, sized(10), nil},
		{"large", document, sized(64), []string{"item-size E"}},
		{"near the limit", document, sized(330), []string{"item-size E"}},
		{"of another entity", document, design.Evidence{Items: valued("other", strings.Repeat("x", 1<<18))}, nil},
		{"flat", document, deep(10), nil},
		{"deep", document, deep(24), []string{"nesting E"}},
		{"without bound", tree, design.Evidence{}, []string{"nesting E"}},
	})
	near := design.Check(document, sized(330))[0]
	if near.Level != design.Warning || !strings.Contains(near.Reason, "330 of at most 400 KB") {
		t.Errorf("near the limit: got %s", near)
	}
}

// TestTrafficFindings promises findings on filters that drop what they read, scans, hot
// keys and throttled calls.
func TestTrafficFindings(t *testing.T) {
	t.Parallel()
	table := tableOf(nil, sketch("E", "ID string", key("", "X#{ID}", "X")))
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
		{"filter that drops", table, usage(query), []string{"dropping-filter open"}},
		{"filter that keeps half", table, usage(changed(func(u *design.Usage) { u.Items = 50 })), nil},
		{"filter with too few items", table, usage(changed(func(u *design.Usage) { u.Items, u.Examined = 1, 99 })), nil},
		{"no filter", table, usage(changed(func(u *design.Usage) { u.Filtered = false })), nil},
		{"unnamed", table, usage(changed(func(u *design.Usage) { u.Pattern = "" })), []string{"dropping-filter Query E"}},

		{"declared scan", with(table, reads("all", schema.Step{Operation: "Scan", Entity: "E"})), design.Evidence{}, []string{"scan all"}},
		{"observed scan", table, usage(design.Usage{Op: "Scan", Entity: "E", Calls: 1, Examined: 9}), []string{"scan Scan E"}},
		{"declared and observed scan", with(table, reads("all", schema.Step{Operation: "Scan", Entity: "E"})),
			usage(design.Usage{Pattern: "all", Op: "Scan", Entity: "E", Calls: 1}), []string{"scan all"}},
		{"queries", with(table, reads("some", schema.Step{Entity: "E"})), usage(design.Usage{Op: "Query", Calls: 1, Examined: 9}), nil},

		{"even heat", table, design.Evidence{Heat: heat(cold...)}, nil},
		{"hot key", table, design.Evidence{Heat: heat(append([]float64{500}, cold...)...)}, []string{"hot-key PK = A in the table"}},
		{"few keys", table, design.Evidence{Heat: heat(300, 100, 100)}, nil},
		{"little heat", table, design.Evidence{Heat: heat(80, 1, 1, 1, 1, 1, 1, 1, 1, 1)}, nil},
		{"hot key of an index", table, design.Evidence{Heat: inIndex}, []string{"hot-key PK = A in G"}},
		{"throttled key", table, design.Evidence{Heat: throttledKey}, []string{"hot-key PK = A in the table"}},
		{"throttled calls", table, usage(design.Usage{Pattern: "write", Op: "PutItem", Calls: 9, Failed: 2, Throttled: 2}), []string{"hot-key write"}},
		{"failed calls", table, usage(design.Usage{Pattern: "write", Op: "PutItem", Calls: 9, Failed: 2}), nil},
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
