package memory

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// TestCheckFindsFaults breaks each invariant in turn.
func TestCheckFindsFaults(t *testing.T) {
	t.Parallel()
	var (
		text  = func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
		first = func(ks *keyspace) (p *partition, key string, r *record) {
			for _, p = range ks.partitions {
				p.store.walk(everything, func(k string, rec *record) bool {
					key, r = k, rec
					return false
				})
				if r != nil {
					return p, key, r
				}
			}
			return nil, "", nil
		}
	)
	tests := []struct {
		name      string
		breakIt   func(tb *table)
		complaint string
	}{
		{"nothing", func(*table) {}, ""},
		{"sum of bytes", func(tb *table) {
			p, _, _ := first(tb.base)
			p.bytes++
		}, "bytes, counted as"},
		{"size of a record", func(tb *table) {
			_, _, r := first(tb.base)
			r.size++
		}, "has size"},
		{"place of a record", func(tb *table) {
			p, key, r := first(tb.base)
			p.put(key, nil)
			p.put(key+"x", r)
		}, "is not where its keys say"},
		{"partition of a record", func(tb *table) {
			p, key, r := first(tb.base)
			p.put(key, nil)
			tb.base.partitions[(tb.base.route(key)+1)%len(tb.base.partitions)].put(key, r)
		}, "belongs to partition"},
		{"record found by its key", func(tb *table) {
			p, key, r := first(tb.base)
			p.store.slots[key] = &slot{newRecord(r.item)}
		}, "is not what its key finds"},
		{"entry missing", func(tb *table) {
			p, key, _ := first(tb.layout.Load().index("keys").space)
			p.put(key, nil)
		}, "an item has no entry"},
		{"entry too many", func(tb *table) {
			p, key, _ := first(tb.base)
			p.put(key, nil)
		}, "entries for"},
		{"entry stale", func(tb *table) {
			p, key, r := first(tb.layout.Load().index("all").space)
			p.put(key, newRecord(r.item.With("v", av.String("other"))))
		}, "an entry is not the view of its item"},
		{"entry copied", func(tb *table) {
			p, key, r := first(tb.layout.Load().index("all").space)
			p.put(key, newRecord(r.item))
		}, "an entry does not share its item's record"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db := New()
			attribute := func(n string) types.AttributeDefinition {
				return types.AttributeDefinition{AttributeName: aws.String(n), AttributeType: types.ScalarAttributeTypeS}
			}
			hash := func(n string) []types.KeySchemaElement {
				return []types.KeySchemaElement{{AttributeName: aws.String(n), KeyType: types.KeyTypeHash}}
			}
			index := func(name string, p types.ProjectionType) types.GlobalSecondaryIndex {
				return types.GlobalSecondaryIndex{IndexName: aws.String(name), KeySchema: hash("g"), Projection: &types.Projection{ProjectionType: p}}
			}
			if _, err := db.CreateTable(t.Context(), &dynamodb.CreateTableInput{
				TableName: aws.String("Broken"), BillingMode: types.BillingModePayPerRequest,
				AttributeDefinitions:   []types.AttributeDefinition{attribute("pk"), attribute("g")},
				KeySchema:              hash("pk"),
				GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{index("all", types.ProjectionTypeAll), index("keys", types.ProjectionTypeKeysOnly)},
			}); err != nil {
				t.Fatal(err)
			}
			if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{
				TableName: aws.String("Broken"), Item: item{"pk": text("a"), "g": text("g"), "v": text("v")},
			}); err != nil {
				t.Fatal(err)
			}
			tt.breakIt(db.table("Broken"))
			err := db.Check()
			switch {
			case tt.complaint == "" && err != nil:
				t.Errorf("a sound table is said to have faults: %v", err)
			case tt.complaint != "" && err == nil:
				t.Error("the fault was not found")
			case tt.complaint != "" && !strings.Contains(err.Error(), tt.complaint):
				t.Errorf("got %v, want something with %q", err, tt.complaint)
			}
		})
	}
}
