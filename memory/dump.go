package memory

import (
	"fmt"
	"strings"
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
