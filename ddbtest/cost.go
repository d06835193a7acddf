package ddbtest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/seed530093c6/ddb/memory"
)

// Bill says what a piece of code cost, and holds it to what it may cost. Its
// methods return the bill itself, for the next demand; one that is not met fails
// the test, and names what was done.
type Bill struct {
	// Requests is how many calls of operations on items reached the engine: those
	// that the SDK's client sent again count again, those that the service would
	// refuse for their form do not count.
	Requests int
	// ReadUnits and WriteUnits are capacity units, of indexes too. Failed
	// conditions cost; throttled requests do not.
	ReadUnits, WriteUnits float64
	// Examined is how many items were read, whether a filter let them pass or not.
	Examined int
	// Throttled is how many requests were refused by memory.Throttling.
	Throttled int
	// Keys are the partition keys, of tables and indexes, that were used, the one
	// with the most units first.
	Keys []KeyCost

	t     TB
	calls []string // what each request was
	scans []string // those that were scans
}

// KeyCost is what the items with one partition key cost.
type KeyCost struct {
	Where      string // the table, or table.index
	Key        string // the key's value
	ReadUnits  float64
	WriteUnits float64
}

// Units is how many units were consumed.
func (k KeyCost) Units() float64 { return k.ReadUnits + k.WriteUnits }

// Units is how many units were consumed.
func (b *Bill) Units() float64 { return b.ReadUnits + b.WriteUnits }

// Cost runs f and returns what it cost: all that the engine did meanwhile,
// whoever asked for it. Of requests to a DB made with memory.TrackHeat(0), or not
// by this package, it knows nothing but their number.
func Cost(t TB, db Backend, f func()) *Bill {
	t.Helper()
	engine := db.engine()
	w := &watch{db: engine, before: make(map[string]memory.Heat)}
	stop := engine.Inject(memory.Fault{}, w.see)
	defer stop()
	f()
	stop()
	return w.bill(t)
}

// watch notes the calls that an engine gets.
type watch struct {
	db *DB

	mu           sync.Mutex // guards what follows
	calls, scans []string
	before       map[string]memory.Heat // of each table when it was first used
}

// see is a memory.Match. It is asked before a call is carried out.
func (w *watch) see(c *memory.Call) bool {
	if !slices.Contains(operations, c.Operation) {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	what := describe(c)
	w.calls = append(w.calls, what)
	if c.Operation == "Scan" {
		w.scans = append(w.scans, what)
	}
	for _, table := range c.Tables {
		if _, ok := w.before[table]; !ok {
			w.before[table] = w.db.Heat(table)
		}
	}
	return false
}

// describe says what a call is about: Query AppTable.GSI1.
func describe(c *memory.Call) string {
	what := c.Operation + " " + strings.Join(c.Tables, ", ")
	switch in := c.Input.(type) {
	case *dynamodb.QueryInput:
		what += indexSuffix(in.IndexName)
	case *dynamodb.ScanInput:
		what += indexSuffix(in.IndexName)
	}
	return what
}

func indexSuffix(name *string) string {
	if name == nil {
		return ""
	}
	return "." + aws.ToString(name)
}

func (w *watch) bill(t TB) *Bill {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	b := &Bill{Requests: len(w.calls), t: t, calls: w.calls, scans: w.scans}
	for table, before := range w.before {
		after := w.db.Heat(table)
		b.add(table, before, after)
		for _, ix := range after.Indexes {
			was := slices.IndexFunc(before.Indexes, func(h memory.Heat) bool { return h.Name == ix.Name })
			if was < 0 {
				b.add(table+"."+ix.Name, memory.Heat{}, ix)
			} else {
				b.add(table+"."+ix.Name, before.Indexes[was], ix)
			}
		}
	}
	slices.SortFunc(b.Keys, func(x, y KeyCost) int {
		return cmp.Or(cmp.Compare(y.Units(), x.Units()), cmp.Compare(x.Where, y.Where), cmp.Compare(x.Key, y.Key))
	})
	return b
}

// add adds what a table or index has served between two reports.
func (b *Bill) add(where string, before, after memory.Heat) {
	b.ReadUnits += after.Total.ReadUnits - before.Total.ReadUnits
	b.WriteUnits += after.Total.WriteUnits - before.Total.WriteUnits
	b.Examined += int(after.Total.Examined - before.Total.Examined)
	b.Throttled += int(after.Total.Throttled - before.Total.Throttled)
	was := make(map[string]memory.KeyHeat, len(before.Keys))
	for _, k := range before.Keys {
		was[heatKey(k)] = k
	}
	for _, k := range after.Keys {
		old := was[heatKey(k)]
		cost := KeyCost{
			Where: where, Key: heatKey(k),
			ReadUnits: k.ReadUnits - old.ReadUnits, WriteUnits: k.WriteUnits - old.WriteUnits,
		}
		if cost.Units() > 0 {
			b.Keys = append(b.Keys, cost)
		}
	}
}

// heatKey is the text of a partition key, in the order of its attributes' names.
func heatKey(k memory.KeyHeat) string {
	return keyText(sortedNames(k.Key), k.Key)
}

// AtMost demands that no more was consumed: requests, capacity units, reads and
// writes together, and items examined.
func (b *Bill) AtMost(requests int, units float64, examined int) *Bill {
	b.t.Helper()
	if b.Requests > requests || b.Units() > units || b.Examined > examined {
		b.t.Errorf("ddbtest: it cost %s; want at most %s, %s, %s", b,
			count(requests, "request"), amount(units, "unit"), count(examined, "item")+" examined")
	}
	return b
}

// Exactly demands that just so much was consumed, so that a saving shows as well
// and the figures in a comment stay true.
func (b *Bill) Exactly(requests int, units float64, examined int) *Bill {
	b.t.Helper()
	if b.Requests != requests || b.Units() != units || b.Examined != examined {
		b.t.Errorf("ddbtest: it cost %s; want %s, %s, %s", b,
			count(requests, "request"), amount(units, "unit"), count(examined, "item")+" examined")
	}
	return b
}

// NoScan demands that nothing was scanned.
func (b *Bill) NoScan() *Bill {
	b.t.Helper()
	if len(b.scans) > 0 {
		b.t.Errorf("ddbtest: it scanned: %s", tally(b.scans))
	}
	return b
}

// KeyAtMost demands that no partition key of a table or index took more units: a
// partition serves 1,000 write units and 3,000 read units a second, however many
// there are.
func (b *Bill) KeyAtMost(units float64) *Bill {
	b.t.Helper()
	if len(b.Keys) > 0 && b.Keys[0].Units() > units {
		k := b.Keys[0]
		b.t.Errorf("ddbtest: the hottest partition key, %s of %s, took %s of %s; want at most %s",
			k.Key, k.Where, amount(k.Units(), "unit"), amount(b.Units(), "unit"), amount(units, "unit"))
	}
	return b
}

// String says in a line what was consumed, and by which requests.
func (b *Bill) String() string {
	s := fmt.Sprintf("%s, %s, %s, %s examined", count(b.Requests, "request"), amount(b.ReadUnits, "read unit"),
		amount(b.WriteUnits, "write unit"), count(b.Examined, "item"))
	if len(b.calls) > 0 {
		s += " (" + tally(b.calls) + ")"
	}
	return s
}

func count(n int, what string) string { return amount(float64(n), what) }

func amount(n float64, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%v %s", n, what)
}

// tally lists what there is, in the order of the first of each, with how often.
func tally(all []string) string {
	var order []string
	times := make(map[string]int)
	for _, one := range all {
		if times[one]++; times[one] == 1 {
			order = append(order, one)
		}
	}
	for i, one := range order {
		if n := times[one]; n > 1 {
			order[i] = fmt.Sprintf("%d × %s", n, one)
		}
	}
	return strings.Join(order, ", ")
}
