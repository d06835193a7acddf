package memory

import (
	"fmt"
	"iter"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Dump prints a table in a fixed form for tests and for reading: its items in
// the order of a Scan, then each index, local ones first, with its entries. Equal
// contents print equally, whatever the number of partitions. Of a table that
// does not exist it prints nothing.
func (db *DB) Dump(table string) string {
	t := db.table(table)
	if t == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "table %s\n", t.name)
	t.base.dump(&b)
	for _, ix := range t.layout.Load().indexes {
		fmt.Fprintf(&b, "index %s\n", ix.name)
		ix.lag.catchUp(db.now())
		ix.space.dump(&b)
	}
	return b.String()
}

// Items yields the items of a table in the order of a Scan, nothing of a table
// that does not exist. It is for tests: no injected fault strikes it, and it
// neither costs capacity nor counts as heat. It locks one partition at a time,
// for as long as it takes to copy references to the items, and nothing while it
// yields. The items belong to the caller.
func (db *DB) Items(table string) iter.Seq[map[string]types.AttributeValue] {
	return func(yield func(map[string]types.AttributeValue) bool) {
		t := db.table(table)
		if t == nil {
			return
		}
		for _, p := range t.base.partitions {
			for _, r := range p.records() {
				if !yield(r.item.SDK()) {
					return
				}
			}
		}
	}
}

func (ks *keyspace) dump(b *strings.Builder) {
	for _, p := range ks.partitions {
		p.mu.RLock()
		p.store.walk(everything, func(_ string, r *record) bool {
			b.WriteString("  {")
			for i, a := range r.item {
				if i > 0 {
					b.WriteString(", ")
				}
				fmt.Fprintf(b, "%q: %s", a.Name, a.Value.Print())
			}
			b.WriteString("}\n")
			return true
		})
		p.mu.RUnlock()
	}
}
