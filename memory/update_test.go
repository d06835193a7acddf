package memory_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

// TestUpdateReturnValues checks each ReturnValues for updates of each kind.
func TestUpdateReturnValues(t *testing.T) {
	t.Parallel()
	stored := item{"pk": str("a"), "n": num(1), "m": obj(item{"x": num(1), "y": num(2)}), "l": seq(num(0), num(1), num(2))}
	tests := []struct {
		name   string
		pk     string
		text   string
		values item
		want   map[types.ReturnValue]item // of ALL_OLD UPDATED_OLD ALL_NEW UPDATED_NEW; nil where missing
	}{
		{"set of a nested value", "a", "SET m.x = :v", item{":v": num(9)}, map[types.ReturnValue]item{
			types.ReturnValueAllOld: stored, types.ReturnValueUpdatedOld: {"m": obj(item{"x": num(1)})},
			types.ReturnValueAllNew:     {"pk": str("a"), "n": num(1), "m": obj(item{"x": num(9), "y": num(2)}), "l": stored["l"]},
			types.ReturnValueUpdatedNew: {"m": obj(item{"x": num(9)})},
		}},
		{"set to the same value", "a", "SET n = :v", item{":v": num("1.0")}, map[types.ReturnValue]item{
			types.ReturnValueAllOld: stored, types.ReturnValueUpdatedOld: {"n": num(1)},
			types.ReturnValueAllNew: stored, types.ReturnValueUpdatedNew: {"n": num(1)},
		}},
		{"remove", "a", "REMOVE n", nil, map[types.ReturnValue]item{
			types.ReturnValueAllOld: stored, types.ReturnValueUpdatedOld: {"n": num(1)},
			types.ReturnValueAllNew: {"pk": str("a"), "m": stored["m"], "l": stored["l"]},
		}},
		{"append past the end", "a", "SET l[7] = :v", item{":v": num(3)}, map[types.ReturnValue]item{
			types.ReturnValueAllOld: stored,
			types.ReturnValueAllNew: {"pk": str("a"), "n": num(1), "m": stored["m"], "l": seq(num(0), num(1), num(2), num(3))},
		}},
		{"remove from a list", "a", "REMOVE l[1]", nil, map[types.ReturnValue]item{
			types.ReturnValueAllOld: stored, types.ReturnValueUpdatedOld: {"l": seq(num(1))},
			types.ReturnValueAllNew:     {"pk": str("a"), "n": num(1), "m": stored["m"], "l": seq(num(0), num(2))},
			types.ReturnValueUpdatedNew: {"l": seq(num(2))},
		}},
		{"new item", "new", "ADD n :v", item{":v": num(5)}, map[types.ReturnValue]item{
			types.ReturnValueAllNew: {"pk": str("new"), "n": num(5)}, types.ReturnValueUpdatedNew: {"n": num(5)},
		}},
		{"remove from a missing item", "new", "REMOVE n", nil, nil},
		{"no update of an item", "a", "", nil, map[types.ReturnValue]item{
			types.ReturnValueAllOld: stored, types.ReturnValueAllNew: stored,
		}},
		{"no update of a missing item", "new", "", nil, map[types.ReturnValue]item{
			types.ReturnValueAllNew: {"pk": str("new")},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, rv := range append(types.ReturnValue("").Values(), "") {
				db := newDB(t)
				create(t, db, define("Returns", "pk:S"))
				put(t, db, "Returns", stored)
				in := &dynamodb.UpdateItemInput{TableName: aws.String("Returns"), Key: item{"pk": str(tt.pk)},
					ExpressionAttributeValues: tt.values, ReturnValues: rv}
				if tt.text != "" {
					in.UpdateExpression = aws.String(tt.text)
				}
				out, err := db.UpdateItem(t.Context(), in)
				if err != nil {
					t.Fatal(err)
				}
				diff(t, "attributes of "+string(rv), out.Attributes, tt.want[rv])
			}
		})
	}
}

// TestUpdateOfNothing checks which updates make a missing item.
func TestUpdateOfNothing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   dynamodb.UpdateItemInput
		want item
	}{
		{"no update", dynamodb.UpdateItemInput{}, keyA},
		{"empty legacy updates", dynamodb.UpdateItemInput{AttributeUpdates: map[string]types.AttributeValueUpdate{}}, keyA},
		{"remove", dynamodb.UpdateItemInput{UpdateExpression: aws.String("REMOVE q.x, n")}, nil},
		{"delete", dynamodb.UpdateItemInput{UpdateExpression: aws.String("DELETE s :s"), ExpressionAttributeValues: item{":s": strs("x")}}, nil},
		{"legacy delete", dynamodb.UpdateItemInput{AttributeUpdates: map[string]types.AttributeValueUpdate{"n": {Action: types.AttributeActionDelete}}}, nil},
		{"set", dynamodb.UpdateItemInput{UpdateExpression: aws.String("SET n = :n REMOVE s"), ExpressionAttributeValues: item{":n": num(1)}}, item{"pk": str("a"), "n": num(1)}},
	}
	for _, tt := range tests {
		db := newDB(t)
		create(t, db, define("Missing", "pk:S"))
		tt.in.TableName, tt.in.Key = aws.String("Missing"), keyA
		if _, err := db.UpdateItem(t.Context(), &tt.in); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		diff(t, tt.name, get(t, db, "Missing", keyA), tt.want)
	}
}

// TestItemCollectionMetrics checks that every write reports the collections that it
// has touched, each once, and only those of tables with local indexes.
func TestItemCollectionMetrics(t *testing.T) {
	t.Parallel()
	const size = types.ReturnItemCollectionMetricsSize
	both := func(pk string, sk int) item { return item{"pk": str(pk), "sk": num(sk)} }
	// Each way writes to Plain and to Local and returns what is said of the collections.
	ways := map[string]func(db *memory.DB, mode types.ReturnItemCollectionMetrics) (plain, local []types.ItemCollectionMetrics, err error){
		"put": func(db *memory.DB, mode types.ReturnItemCollectionMetrics) (plain, local []types.ItemCollectionMetrics, err error) {
			return twice(func(table *string) (*types.ItemCollectionMetrics, error) {
				out, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: table, Item: both("a", 1), ReturnItemCollectionMetrics: mode})
				return out.ItemCollectionMetrics, err
			})
		},
		"update": func(db *memory.DB, mode types.ReturnItemCollectionMetrics) (plain, local []types.ItemCollectionMetrics, err error) {
			return twice(func(table *string) (*types.ItemCollectionMetrics, error) {
				out, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{TableName: table, Key: both("a", 1), ReturnItemCollectionMetrics: mode})
				return out.ItemCollectionMetrics, err
			})
		},
		"delete": func(db *memory.DB, mode types.ReturnItemCollectionMetrics) (plain, local []types.ItemCollectionMetrics, err error) {
			return twice(func(table *string) (*types.ItemCollectionMetrics, error) {
				out, err := db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: table, Key: both("a", 1), ReturnItemCollectionMetrics: mode})
				return out.ItemCollectionMetrics, err
			})
		},
		"batch": func(db *memory.DB, mode types.ReturnItemCollectionMetrics) (plain, local []types.ItemCollectionMetrics, err error) {
			requests := []types.WriteRequest{putRequest(both("a", 1)), deleteRequest(both("a", 2))}
			out, err := db.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{ReturnItemCollectionMetrics: mode,
				RequestItems: map[string][]types.WriteRequest{"Plain": requests, "Local": requests}})
			return out.ItemCollectionMetrics["Plain"], out.ItemCollectionMetrics["Local"], err
		},
		"transaction": func(db *memory.DB, mode types.ReturnItemCollectionMetrics) (plain, local []types.ItemCollectionMetrics, err error) {
			out, err := db.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{ReturnItemCollectionMetrics: mode, TransactItems: actions{
				putAction("Plain", both("a", 1)), putAction("Local", both("a", 1)), deleteAction("Local", both("a", 2)),
				checkAction("Local", both("b", 1), "attribute_not_exists(pk)")}})
			return out.ItemCollectionMetrics["Plain"], out.ItemCollectionMetrics["Local"], err
		},
	}
	for name, way := range ways {
		db := newDB(t)
		create(t, db, define("Plain", "pk:S", "sk:N"))
		create(t, db, withLSI(define("Local", "pk:S", "sk:N"), "local", "at:S"))
		for _, mode := range []types.ReturnItemCollectionMetrics{"", types.ReturnItemCollectionMetricsNone, size} {
			plain, local, err := way(db, mode)
			if err != nil {
				t.Fatal(err)
			}
			var want []types.ItemCollectionMetrics
			if mode == size {
				want = []types.ItemCollectionMetrics{{ItemCollectionKey: keyA, SizeEstimateRangeGB: []float64{0, 1}}}
			}
			if plain != nil {
				t.Errorf("%s, %q: a table without local indexes has %v", name, mode, plain)
			}
			diff(t, name+" "+string(mode), local, want)
		}
	}
}

// twice makes a write to Plain and one to Local.
func twice(write func(table *string) (*types.ItemCollectionMetrics, error)) (plain, local []types.ItemCollectionMetrics, err error) {
	for name, out := range map[string]*[]types.ItemCollectionMetrics{"Plain": &plain, "Local": &local} {
		m, failed := write(aws.String(name))
		if failed != nil {
			return nil, nil, failed
		}
		if m != nil {
			*out = append(*out, *m)
		}
	}
	return plain, local, nil
}
