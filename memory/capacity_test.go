package memory_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

// sized returns an item of Cost with a size of n bytes.
func sized(n int, more item) item {
	it := item{"pk": str("p"), "sk": num(1)}
	size := 3 + 2 + 2
	for k, v := range more {
		it[k] = v
		size += len(k) + len(v.(*types.AttributeValueMemberS).Value)
	}
	it["v"] = str(strings.Repeat("x", n-size-1))
	return it
}

func costDB(t testing.TB) *memory.DB {
	db := newDB(t)
	in := withLSI(define("Cost", "pk:S", "sk:N"), "local", "at:S", "-")
	create(t, db, withGSI(in, "gsi", []string{"g:S"}, nil, "x"))
	return db
}

func unitsOf(c *types.ConsumedCapacity) float64 { return *c.CapacityUnits }

// TestWriteUnits counts what single writes cost on the table.
func TestWriteUnits(t *testing.T) {
	t.Parallel()
	key := item{"pk": str("p"), "sk": num(1)}
	putting := func(it item) func(t testing.TB, db *memory.DB) float64 {
		return func(t testing.TB, db *memory.DB) float64 {
			out, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("Cost"), Item: it, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal})
			if err != nil {
				t.Fatal(err)
			}
			return unitsOf(out.ConsumedCapacity)
		}
	}
	updating := func(text string) func(t testing.TB, db *memory.DB) float64 {
		return func(t testing.TB, db *memory.DB) float64 {
			out, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{TableName: aws.String("Cost"), Key: key, UpdateExpression: aws.String(text),
				ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal})
			if err != nil {
				t.Fatal(err)
			}
			return unitsOf(out.ConsumedCapacity)
		}
	}
	deleting := func(t testing.TB, db *memory.DB) float64 {
		out, err := db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("Cost"), Key: key, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal})
		if err != nil {
			t.Fatal(err)
		}
		return unitsOf(out.ConsumedCapacity)
	}
	tests := []struct {
		name   string
		before item
		write  func(t testing.TB, db *memory.DB) float64
		want   float64
	}{
		{"put of 1 KB", nil, putting(sized(1024, nil)), 1},
		{"put of 1 KB and a byte", nil, putting(sized(1025, nil)), 2},
		{"put in place of a larger item", sized(3000, nil), putting(sized(100, nil)), 3},
		{"put of the same again", sized(3000, nil), putting(sized(3000, nil)), 3},
		{"update counts the whole item", sized(3000, nil), updating("SET w = sk"), 3},
		{"update that makes it small", sized(3000, nil), updating("REMOVE v"), 3},
		{"update of nothing", nil, updating("REMOVE v"), 1},
		{"delete", sized(3000, nil), deleting, 3},
		{"delete of nothing", nil, deleting, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db := costDB(t)
			if tt.before != nil {
				put(t, db, "Cost", tt.before)
			}
			if got := tt.write(t, db); got != tt.want {
				t.Errorf("cost is %v, want %v", got, tt.want)
			}
		})
	}
}

// TestIndexWriteUnits counts what changes of entries cost, in the order of the
// steps; an index that does not change has no entry in the report.
func TestIndexWriteUnits(t *testing.T) {
	t.Parallel()
	db := costDB(t)
	steps := []struct {
		name       string
		item       item
		table      float64
		local, gsi float64 // 0 for no entry
	}{
		{"not in any index", sized(100, nil), 1, 0, 0},
		{"comes into both", sized(100, item{"g": str("g"), "at": str("a")}), 1, 1, 1},
		{"what neither projects", sized(200, item{"g": str("g"), "at": str("a")}), 1, 0, 0},
		{"what one projects", sized(200, item{"g": str("g"), "at": str("a"), "x": str("x")}), 1, 0, 1},
		{"larger entry", sized(4000, item{"g": str("g"), "at": str("a"), "x": str(strings.Repeat("x", 2000))}), 4, 0, 2},
		{"moves in both", sized(4000, item{"g": str("h"), "at": str("b"), "x": str(strings.Repeat("x", 2000))}), 4, 2, 4},
		{"the same again", sized(4000, item{"g": str("h"), "at": str("b"), "x": str(strings.Repeat("x", 2000))}), 4, 0, 0},
		{"leaves one", sized(4000, item{"at": str("b"), "x": str(strings.Repeat("x", 2000))}), 4, 0, 2},
		{"leaves the other", sized(100, nil), 4, 1, 0},
	}
	for _, step := range steps {
		out, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("Cost"), Item: step.item,
			ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes})
		if err != nil {
			t.Fatal(err)
		}
		arm := func(name string, units float64) map[string]types.Capacity {
			if units == 0 {
				return nil
			}
			return map[string]types.Capacity{name: {CapacityUnits: aws.Float64(units)}}
		}
		diff(t, step.name, out.ConsumedCapacity, &types.ConsumedCapacity{
			TableName: aws.String("Cost"), CapacityUnits: aws.Float64(step.table + step.local + step.gsi),
			Table:                 &types.Capacity{CapacityUnits: aws.Float64(step.table)},
			LocalSecondaryIndexes: arm("local", step.local), GlobalSecondaryIndexes: arm("gsi", step.gsi),
		})
	}
}

func TestReadUnits(t *testing.T) {
	t.Parallel()
	db := costDB(t)
	put(t, db, "Cost", sized(4097, item{"g": str("g"), "at": str("a")}))
	getting := func(sk int, consistent bool) float64 {
		out, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("Cost"), Key: item{"pk": str("p"), "sk": num(sk)},
			ConsistentRead: aws.Bool(consistent), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal, ProjectionExpression: aws.String("pk")})
		if err != nil {
			t.Fatal(err)
		}
		return unitsOf(out.ConsumedCapacity)
	}
	for _, tt := range []struct {
		name string
		got  float64
		want float64
	}{
		{"get", getting(1, false), 1}, {"consistent get", getting(1, true), 2},
		{"get of nothing", getting(2, false), 0.5}, {"consistent get of nothing", getting(2, true), 1},
	} {
		if tt.got != tt.want {
			t.Errorf("%s costs %v, want %v", tt.name, tt.got, tt.want)
		}
	}
	for i := 2; i <= 5; i++ { // five items of 4097 bytes are read as one amount
		it := sized(4097, item{"at": str("a")})
		it["sk"] = num(i)
		put(t, db, "Cost", it)
	}
	querying := func(index, condition string, value types.AttributeValue, change func(in *dynamodb.QueryInput)) *types.ConsumedCapacity {
		return query(t, db, "Cost", index, condition, func(in *dynamodb.QueryInput) {
			in.ReturnConsumedCapacity = types.ReturnConsumedCapacityIndexes
			if change != nil {
				change(in)
			}
		}, value).ConsumedCapacity
	}
	units := func(n float64) *types.Capacity { return &types.Capacity{CapacityUnits: aws.Float64(n)} }
	consistent := func(in *dynamodb.QueryInput) { in.ConsistentRead = aws.Bool(true) }
	all := func(in *dynamodb.QueryInput) { in.Select = types.SelectAllAttributes }
	diff(t, "query", querying("", "pk = :a", str("p"), nil),
		&types.ConsumedCapacity{TableName: aws.String("Cost"), CapacityUnits: aws.Float64(3), Table: units(3)})
	diff(t, "consistent query", querying("", "pk = :a", str("p"), consistent),
		&types.ConsumedCapacity{TableName: aws.String("Cost"), CapacityUnits: aws.Float64(6), Table: units(6)})
	diff(t, "empty query", querying("", "pk = :a", str("none"), nil),
		&types.ConsumedCapacity{TableName: aws.String("Cost"), CapacityUnits: aws.Float64(0.5), Table: units(0.5)})
	diff(t, "query of a global index", querying("gsi", "g = :a", str("g"), nil),
		&types.ConsumedCapacity{TableName: aws.String("Cost"), CapacityUnits: aws.Float64(0.5), Table: units(0),
			GlobalSecondaryIndexes: map[string]types.Capacity{"gsi": *units(0.5)}})
	diff(t, "query of a local index with fetches", querying("local", "pk = :a", str("p"), all),
		&types.ConsumedCapacity{TableName: aws.String("Cost"), CapacityUnits: aws.Float64(5.5), Table: units(5),
			LocalSecondaryIndexes: map[string]types.Capacity{"local": *units(0.5)}})
}

// TestSizesAreBytes checks that capacity is counted in UTF-8 bytes, not in
// what size() yields.
func TestSizesAreBytes(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Text", "pk:S"))
	put(t, db, "Text", item{"pk": str("a"), "v": str(strings.Repeat("é", 512))})
	if got := *describeTable(t, db, "Text").TableSizeBytes; got != 3+1+1024 {
		t.Errorf("the table has %d bytes, want 1028", got)
	}
}
