package memory_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

// query runs a query whose values are given as :a, :b and so on.
func query(t testing.TB, db *memory.DB, table, index, condition string, change func(in *dynamodb.QueryInput), values ...types.AttributeValue) *dynamodb.QueryOutput {
	t.Helper()
	in := &dynamodb.QueryInput{
		TableName: aws.String(table), IndexName: indexOrTable(index),
		KeyConditionExpression: aws.String(condition), ExpressionAttributeValues: item{},
	}
	for i, v := range values {
		in.ExpressionAttributeValues[":"+string(rune('a'+i))] = v
	}
	if change != nil {
		change(in)
	}
	out, err := db.Query(t.Context(), in)
	if err != nil {
		t.Fatalf("query %s %s: %v", table, condition, err)
	}
	return out
}

// pick returns one attribute of each item, as text.
func pick(items []item, name string) []string {
	out := []string{}
	for _, it := range items {
		switch v := it[name].(type) {
		case *types.AttributeValueMemberS:
			out = append(out, v.Value)
		case *types.AttributeValueMemberN:
			out = append(out, v.Value)
		case *types.AttributeValueMemberB:
			out = append(out, fmt.Sprintf("%x", v.Value))
		default:
			out = append(out, "-")
		}
	}
	return out
}

// TestSortOrder checks the order of sort keys of each kind, forward and
// backward.
func TestSortOrder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		kind string
		keys []types.AttributeValue
		want []string
	}{
		{"S", []types.AttributeValue{str("b"), str("B"), str("é"), str("a"), str("𝄞"), str("aa"), str("\x00"), str("a\x00")},
			[]string{"\x00", "B", "a", "a\x00", "aa", "b", "é", "𝄞"}},
		{"N", []types.AttributeValue{num("9007199254740993"), num("9007199254740992"), num("-1"), num("0"), num("-1.5"), num("10"), num("9"), num("1e-130"), num("-1e125")},
			[]string{"-1" + strings.Repeat("0", 125), "-1.5", "-1", "0", "0." + strings.Repeat("0", 129) + "1", "9", "10", "9007199254740992", "9007199254740993"}},
		{"B", []types.AttributeValue{bin("\x80"), bin("\x7f"), bin("\x00"), bin("\xff\xff"), bin("\xff")},
			[]string{"00", "7f", "80", "ff", "ffff"}},
	}
	for _, tt := range tests {
		t.Run(tt.kind, func(t *testing.T) {
			t.Parallel()
			db := newDB(t)
			create(t, db, define("Sorted", "pk:S", "sk:"+tt.kind))
			for _, key := range tt.keys {
				put(t, db, "Sorted", item{"pk": str("p"), "sk": key})
			}
			forward := pick(query(t, db, "Sorted", "", "pk = :a", nil, str("p")).Items, "sk")
			diff(t, "forward", forward, tt.want)
			backward := pick(query(t, db, "Sorted", "", "pk = :a", func(in *dynamodb.QueryInput) { in.ScanIndexForward = aws.Bool(false) }, str("p")).Items, "sk")
			for i := range backward {
				if backward[i] != tt.want[len(tt.want)-1-i] {
					t.Errorf("backward is %q", backward)
					break
				}
			}
		})
	}
}

// TestSortConditions checks the ends of what each operator selects, on keys of
// one and several attributes behind them.
func TestSortConditions(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, withGSI(define("Ends", "pk:S", "sk:S"), "gsi", []string{"g:S"}, []string{"sk:S"}))
	for _, sk := range []string{"a", "b", "b\x00", "bb", "c"} {
		put(t, db, "Ends", item{"pk": str("p"), "sk": str(sk), "g": str("g")}, item{"pk": str("q"), "sk": str(sk), "g": str("h")})
	}
	for condition, want := range map[string][]string{
		"sk = :b":                {"b"},
		"sk < :b":                {"a"},
		"sk <= :b":               {"a", "b"},
		"sk > :b":                {"b\x00", "bb", "c"},
		"sk >= :b":               {"b", "b\x00", "bb", "c"},
		"sk BETWEEN :b AND :c":   {"b", "b\x00", "bb"},
		"sk BETWEEN :b AND :b":   {"b"},
		"begins_with(sk, :b)":    {"b", "b\x00", "bb"},
		":b > sk":                {"a"},
		"(sk >= :b) AND pk = :a": {"b", "b\x00", "bb", "c"},
	} {
		values := []types.AttributeValue{str("p"), str("b")}
		if strings.Contains(condition, ":c") {
			values = append(values, str("bb"))
		}
		whole := condition
		if !strings.Contains(condition, "pk = ") {
			whole = "pk = :a AND " + condition
		}
		diff(t, condition, pick(query(t, db, "Ends", "", whole, nil, values...).Items, "sk"), want)
		values[0] = str("g")
		diff(t, condition+" on the index", pick(query(t, db, "Ends", "gsi", strings.Replace(whole, "pk", "g", 1), nil, values...).Items, "sk"), want)
	}
}

// TestScanOrder checks the order against digests computed outside the engine:
// MD5 of "Outliers" and the key.
func TestScanOrder(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Hashed", "pk:S"))
	for _, pk := range []string{"a", "b", "c"} { // f6558e…, 6521ac…, 961a1f…
		put(t, db, "Hashed", item{"pk": str(pk)})
	}
	out, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("Hashed")})
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "order", pick(out.Items, "pk"), []string{"b", "c", "a"})
}

// TestSegments checks that segments divide a table, that they do so by hash
// alone, and that more segments than there are slots are mostly empty.
func TestSegments(t *testing.T) {
	t.Parallel()
	for _, partitions := range []int{1, 16, 7} {
		db := newDB(t, memory.Partitions(partitions))
		create(t, db, define("Many", "pk:N", "sk:N"))
		for i := range 200 {
			put(t, db, "Many", item{"pk": num(i / 4), "sk": num(i % 4)})
		}
		for _, total := range []int{1, 2, 3, 8, 4096, 5000} {
			seen := map[string]int{}
			of := map[string]int{}
			for segment := range total {
				in := &dynamodb.ScanInput{TableName: aws.String("Many"), Segment: aws.Int32(int32(segment)), TotalSegments: aws.Int32(int32(total)), Limit: aws.Int32(37)}
				for {
					out, err := db.Scan(t.Context(), in)
					if err != nil {
						t.Fatal(err)
					}
					for _, it := range out.Items {
						pk := pick([]item{it}, "pk")[0]
						seen[pk+"/"+pick([]item{it}, "sk")[0]]++
						if other, there := of[pk]; there && other != segment {
							t.Fatalf("partition key %s is in segments %d and %d of %d", pk, other, segment, total)
						}
						of[pk] = segment
					}
					if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
						break
					}
				}
			}
			if len(seen) != 200 {
				t.Errorf("%d segments hold %d items, want 200", total, len(seen))
			}
			for key, n := range seen {
				if n != 1 {
					t.Errorf("%d segments hold %s %d times", total, key, n)
				}
			}
		}
	}
}

// TestLastEvaluatedKey checks when there is one, and what it holds.
func TestLastEvaluatedKey(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, withGSI(define("Paged", "pk:S", "sk:N"), "gsi", []string{"g:S"}, []string{"h:N"}, "-"))
	for i := range 4 {
		put(t, db, "Paged", item{"pk": str("p"), "sk": num(i), "g": str("g"), "h": num(0), "v": num(i)})
	}
	tests := []struct {
		name  string
		index string
		limit int32
		count types.Select
		want  item
	}{
		{"limit reached in the middle", "", 2, "", item{"pk": str("p"), "sk": num(1)}},
		{"limit reached at the end", "", 4, "", item{"pk": str("p"), "sk": num(3)}},
		{"end reached", "", 5, "", nil},
		{"only counted", "", 1, types.SelectCount, item{"pk": str("p"), "sk": num(0)}},
		{"index, between equal keys", "gsi", 2, "", item{"pk": str("p"), "sk": num(1), "g": str("g"), "h": num(0)}},
	}
	for _, tt := range tests {
		condition, value := "pk = :a", str("p")
		if tt.index != "" {
			condition, value = "g = :a", str("g")
		}
		out := query(t, db, "Paged", tt.index, condition, func(in *dynamodb.QueryInput) { in.Limit, in.Select = aws.Int32(tt.limit), tt.count }, value)
		diff(t, tt.name+": key", out.LastEvaluatedKey, tt.want)
		if (out.Items == nil) != (tt.count == types.SelectCount) {
			t.Errorf("%s: items are %v", tt.name, out.Items)
		}
	}
	scanned, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("Paged"), Limit: aws.Int32(4)})
	if err != nil || scanned.LastEvaluatedKey == nil {
		t.Errorf("scan with as many items as the limit has no last key: %v", err)
	}
	// A starting key need not be that of an item.
	out := query(t, db, "Paged", "", "pk = :a", func(in *dynamodb.QueryInput) {
		in.ExclusiveStartKey = item{"pk": str("p"), "sk": num("1.5")}
	}, str("p"))
	diff(t, "after a key of no item", pick(out.Items, "sk"), []string{"2", "3"})
}

// TestPagesOf1MB checks that the size of what is read ends a page, before filter
// and projection, and that the item that crosses the limit is part of it.
func TestPagesOf1MB(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Big", "pk:S", "sk:N"))
	for i := range 4 {
		put(t, db, "Big", item{"pk": str("p"), "sk": num(i), "v": str(strings.Repeat("x", 350*1024))})
	}
	for _, change := range []func(in *dynamodb.QueryInput){
		func(in *dynamodb.QueryInput) {},
		func(in *dynamodb.QueryInput) { in.Limit = aws.Int32(4) },
		func(in *dynamodb.QueryInput) { in.ProjectionExpression = aws.String("sk") },
		func(in *dynamodb.QueryInput) { in.FilterExpression = aws.String("attribute_not_exists(v)") },
		func(in *dynamodb.QueryInput) { in.Select = types.SelectCount },
	} {
		out := query(t, db, "Big", "", "pk = :a", change, str("p"))
		diff(t, "scanned", out.ScannedCount, int32(3))
		diff(t, "last key", out.LastEvaluatedKey, item{"pk": str("p"), "sk": num(2)})
	}
}

func TestFilterAndLimit(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Filtered", "pk:S", "sk:N"))
	for i := range 10 {
		put(t, db, "Filtered", item{"pk": str("p"), "sk": num(i), "odd": boolean(i%2 == 1)})
	}
	out := query(t, db, "Filtered", "", "pk = :a", func(in *dynamodb.QueryInput) {
		in.FilterExpression, in.Limit, in.ProjectionExpression = aws.String("odd = :b"), aws.Int32(3), aws.String("sk, nothing")
	}, str("p"), boolean(true))
	diff(t, "items", out.Items, []item{{"sk": num(1)}})
	diff(t, "counts", []int32{out.Count, out.ScannedCount}, []int32{1, 3})
	scanned, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("Filtered"),
		FilterExpression: aws.String("sk > :k"), ExpressionAttributeValues: item{":k": num(7)}, ProjectionExpression: aws.String("nothing")})
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "items with nothing selected still count", scanned.Items, []item{{}, {}})
	diff(t, "scan counts", []int32{scanned.Count, scanned.ScannedCount}, []int32{2, 10})
}

// TestSelect checks what is returned from tables and indexes of each projection.
func TestSelect(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	in := withLSI(define("Select", "pk:S", "sk:N"), "local", "at:N", "x")
	in = withGSI(in, "all", []string{"g:S"}, nil)
	in = withGSI(in, "some", []string{"g:S"}, nil, "x")
	in = withGSI(in, "keys", []string{"g:S"}, nil, "-")
	create(t, db, in)
	whole := item{"pk": str("p"), "sk": num(1), "at": num(5), "g": str("g"), "x": str("x"), "y": str("y")}
	put(t, db, "Select", whole)
	without := func(names ...string) item {
		it := item{}
		for k, v := range whole {
			it[k] = v
		}
		for _, n := range names {
			delete(it, n)
		}
		return it
	}
	tests := []struct {
		index      string
		sel        types.Select
		projection string
		filter     string
		want       item
	}{
		{"", "", "", "", whole},
		{"", types.SelectAllAttributes, "", "", whole},
		{"local", "", "", "", without("g", "y")},
		{"local", types.SelectAllProjectedAttributes, "", "", without("g", "y")},
		{"local", types.SelectAllAttributes, "", "", whole},
		{"local", "", "y, x", "", item{"x": str("x"), "y": str("y")}},
		{"local", types.SelectSpecificAttributes, "y", "", item{"y": str("y")}},
		{"local", "", "", "attribute_not_exists(y)", without("g", "y")}, // what is not read is missing
		{"local", types.SelectAllAttributes, "", "y = :v", whole},
		{"all", "", "", "", whole},
		{"all", types.SelectAllAttributes, "", "", whole},
		{"some", "", "", "", without("at", "y")},
		{"some", "", "x", "", item{"x": str("x")}},
		{"some", "", "", "attribute_not_exists(y)", without("at", "y")}, // what the index lacks is missing
		{"keys", types.SelectAllProjectedAttributes, "", "", without("at", "x", "y")},
	}
	for _, tt := range tests {
		name := fmt.Sprintf("%s %s %s %s", tt.index, tt.sel, tt.projection, tt.filter)
		condition, value := "g = :a", str("g")
		if tt.index == "" || tt.index == "local" {
			condition, value = "pk = :a", str("p")
		}
		out := query(t, db, "Select", tt.index, condition, func(in *dynamodb.QueryInput) {
			in.Select = tt.sel
			if tt.projection != "" {
				in.ProjectionExpression = aws.String(tt.projection)
			}
			if tt.filter != "" {
				in.FilterExpression = aws.String(tt.filter)
				if strings.Contains(tt.filter, ":v") {
					in.ExpressionAttributeValues[":v"] = str("y")
				}
			}
		}, value)
		diff(t, name, out.Items, []item{tt.want})
	}
}

// TestMultiAttributeKeys queries an index whose key has two attributes of each
// role, sorted by each sort attribute in its own order.
func TestMultiAttributeKeys(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, withGSI(define("Multi", "pk:N"), "gsi", []string{"country:S", "year:N"}, []string{"round:N", "team:S"}))
	n := 0
	for _, round := range []int{2, 10, 1} {
		for _, team := range []string{"b", "a"} {
			put(t, db, "Multi", item{"pk": num(n), "country": str("BE"), "year": num(2026), "round": num(round), "team": str(team)})
			n++
		}
	}
	put(t, db, "Multi", item{"pk": num(n), "country": str("BE"), "year": num(2025), "round": num(1), "team": str("a")})
	put(t, db, "Multi", item{"pk": num(n + 1), "country": str("BE"), "year": num(2026), "round": num(1)}) // not in the index
	names := func(in *dynamodb.QueryInput) {
		in.ExpressionAttributeNames = map[string]string{"#y": "year"}
	}
	show := func(items []item) string {
		var b strings.Builder
		for i, round := range pick(items, "round") {
			b.WriteString(round + pick(items, "team")[i] + " ")
		}
		return strings.TrimSpace(b.String())
	}
	const partition = "country = :a AND #y = :b"
	be, year := str("BE"), num(2026)
	tests := []struct {
		condition string
		values    []types.AttributeValue
		want      string
	}{
		{"", nil, "1a 1b 2a 2b 10a 10b"},
		{" AND round > :c", []types.AttributeValue{num(1)}, "2a 2b 10a 10b"},
		{" AND round BETWEEN :c AND :d", []types.AttributeValue{num(1), num(2)}, "1a 1b 2a 2b"},
		{" AND round = :c", []types.AttributeValue{num(10)}, "10a 10b"},
		{" AND round = :c AND team >= :d", []types.AttributeValue{num(2), str("b")}, "2b"},
		{" AND begins_with(team, :d) AND round = :c", []types.AttributeValue{num(2), str("a")}, "2a"},
	}
	for _, tt := range tests {
		values := append([]types.AttributeValue{be, year}, tt.values...)
		out := query(t, db, "Multi", "gsi", partition+tt.condition, names, values...)
		diff(t, tt.condition, show(out.Items), tt.want)
		// The same by pages of one.
		var paged []item
		in := func(start item) func(in *dynamodb.QueryInput) {
			return func(in *dynamodb.QueryInput) {
				names(in)
				in.Limit, in.ExclusiveStartKey = aws.Int32(1), start
			}
		}
		for start, more := item(nil), true; more; more = start != nil {
			p := query(t, db, "Multi", "gsi", partition+tt.condition, in(start), values...)
			paged, start = append(paged, p.Items...), p.LastEvaluatedKey
			if start != nil && len(start) != 5 {
				t.Errorf("%s: last key is %v", tt.condition, start)
			}
		}
		diff(t, tt.condition+" by pages", show(paged), tt.want)
	}
	_, err := db.Query(t.Context(), &dynamodb.QueryInput{TableName: aws.String("Multi"), IndexName: aws.String("gsi"),
		KeyConditionExpression: aws.String(partition + " AND team = :c"), ExpressionAttributeNames: map[string]string{"#y": "year"},
		ExpressionAttributeValues: item{":a": be, ":b": year, ":c": str("a")}})
	if got, want := messageOf(err), "RANGE key attributes round must have equality conditions specified in the query because a condition is present on key attribute team"; got != want {
		t.Errorf("query with a gap says %q, want %q", got, want)
	}
}

// TestSparseIndex checks that items come into an index and leave it with their
// key attributes.
func TestSparseIndex(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, withGSI(define("Sparse", "pk:S"), "gsi", []string{"g:S"}, []string{"h:N"}, "-"))
	entries := func() []string {
		out, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("Sparse"), IndexName: aws.String("gsi")})
		if err != nil {
			t.Fatal(err)
		}
		return pick(out.Items, "g")
	}
	update := func(text string, values item) {
		t.Helper()
		if _, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{TableName: aws.String("Sparse"), Key: keyA,
			UpdateExpression: aws.String(text), ExpressionAttributeValues: values}); err != nil {
			t.Fatal(err)
		}
	}
	put(t, db, "Sparse", item{"pk": str("a"), "g": str("one")}, item{"pk": str("b"), "h": num(1)}, item{"pk": str("c")})
	diff(t, "half a key", entries(), []string{})
	update("SET h = :h", item{":h": num(1)})
	diff(t, "whole key", entries(), []string{"one"})
	update("SET g = :g", item{":g": str("two")})
	diff(t, "moved", entries(), []string{"two"})
	update("REMOVE g", nil)
	diff(t, "removed", entries(), []string{})
	put(t, db, "Sparse", item{"pk": str("a"), "g": str("three"), "h": num(3)})
	diff(t, "put", entries(), []string{"three"})
	if _, err := db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("Sparse"), Key: keyA}); err != nil {
		t.Fatal(err)
	}
	diff(t, "deleted", entries(), []string{})
}

// TestTiesInAnIndex pages through entries with equal keys, forward and backward.
func TestTiesInAnIndex(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, withGSI(define("Ties", "pk:S"), "gsi", []string{"g:S"}, []string{"h:S"}))
	for i := range 5 {
		put(t, db, "Ties", item{"pk": str(strconv.Itoa(i)), "g": str("g"), "h": str("h")})
	}
	for _, forward := range []bool{true, false} {
		var got []string
		for start, more := item(nil), true; more; more = start != nil {
			p := query(t, db, "Ties", "gsi", "g = :a AND h = :b", func(in *dynamodb.QueryInput) {
				in.Limit, in.ExclusiveStartKey, in.ScanIndexForward = aws.Int32(1), start, aws.Bool(forward)
			}, str("g"), str("h"))
			got, start = append(got, pick(p.Items, "pk")...), p.LastEvaluatedKey
		}
		want := []string{"0", "1", "2", "3", "4"}
		if !forward {
			want = []string{"4", "3", "2", "1", "0"}
		}
		diff(t, fmt.Sprintf("forward %v", forward), got, want)
	}
}
