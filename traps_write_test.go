package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// Crate has the kinds of attributes that writes most easily get wrong.
type Crate struct {
	_ ddb.Entity `name:"Crate" pk:"CRATE#{ID}" sk:"CRATE"`
	_ ddb.Index  `name:"GSI1" pk:"EVENT#{EventID}" sk:"CRATE#{ID}"`
	_ ddb.Index  `name:"GSI2" pk:"BOARD#{Board}" sk:"{Weight}"`
	_ ddb.Index  `name:"GSI3" pk:"{Name}" sk:"{ID}"`

	ID      string
	EventID string `dynamodbav:",omitempty"`
	Board   string `dynamodbav:",omitempty"`
	Weight  int
	Name    string              `dynamodbav:"name,omitempty"`
	Status  string              `dynamodbav:"status,omitempty"`
	Size    int                 `dynamodbav:"size"`
	Tags    []string            `dynamodbav:",stringset"`
	Events  []string            // no option: nil is left out
	Notes   map[string]string   `dynamodbav:",omitempty"`
	Deep    *Depth              `dynamodbav:",omitempty"`
	Warning string              `dynamodbav:"Safety.Warning,omitempty"`
	Safety  map[string]string   `dynamodbav:",omitempty"`
	Count   int64               `dynamodbav:",omitempty"`
	Exact   *big.Int            `dynamodbav:",omitempty"`
	At      time.Time           `dynamodbav:",omitempty"`
	Days    map[time.Month]int  `dynamodbav:",omitempty"`
	Marks   map[string]struct{} `dynamodbav:",stringset,omitempty"`
	Any     any                 `dynamodbav:",omitempty"`
}

type Depth struct {
	Next *Depth
	Text *string
	List []string
}

type crates struct {
	db    *memory.DB
	table *ddb.Table
	def   *ddb.Definition[Crate]
	key   Crate
}

func openCrates(t *testing.T, stored ...Crate) crates {
	t.Helper()
	db := memory.New()
	table := ddb.NewTable("Crates", backend(t, db),
		ddb.GSI("GSI1", "GSI1PK", "GSI1SK"), ddb.GSI("GSI2", "GSI2PK", "Weight"), ddb.GSI("GSI3", "name", "ID"))
	p := crates{db: db, table: table, def: ddb.Define[Crate](table), key: Crate{ID: "p"}}
	create(t, db, table)
	put(t, p.def, stored...)
	return p
}

func crateField[V any](p crates, at func(*Crate) *V) ddb.Attribute[Crate, V] {
	return ddb.Field(p.def, at)
}

func (p crates) update(t *testing.T, changes ...ddb.Assign[Crate]) Crate {
	t.Helper()
	got, err := p.def.Update(p.key).Set(changes...).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// raw returns the stored item.
func (p crates) raw(t *testing.T) map[string]types.AttributeValue {
	t.Helper()
	in, err := p.def.Get(p.key).Input()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.db.GetItem(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out.Item
}

func (p crates) count(t *testing.T, q ddb.QueryOp[Crate]) int {
	t.Helper()
	n, err := q.Count(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// trap is a mistake that a library for DynamoDB easily makes.
type trap struct {
	name string
	run  func(*testing.T)
}

func runTraps(t *testing.T, traps []trap) {
	t.Helper()
	for _, trap := range traps {
		t.Run(trap.name, func(t *testing.T) {
			t.Parallel()
			trap.run(t)
		})
	}
}

// TestIndexTraps asserts what easily goes wrong with index keys when items change.
func TestIndexTraps(t *testing.T) {
	t.Parallel()
	runTraps(t, []trap{
		{"the guard's old value goes into the key instead of the new one", func(t *testing.T) {
			s, db := open(t)
			put(t, s.tasks, Task{UserID: "u", TaskID: "t", Priority: 3, State: "open"})
			_, err := s.tasks.Update(Task{UserID: "u", TaskID: "t"}).Set(s.state.To("closed"), s.priority.To(3)).If(s.state.Eq("open")).Run(t.Context())
			if got := stored(t, db)[0]["GSI3SK"].(*types.AttributeValueMemberS).Value; err != nil || got != "closed#t" {
				t.Errorf("got %s and %v, want closed#t", got, err)
			}
		}},
		{"a removed part leaves half a key behind", func(t *testing.T) {
			p := openCrates(t, Crate{ID: "p", EventID: "e"})
			p.update(t, crateField(p, func(p *Crate) *string { return &p.EventID }).Remove())
			item := p.raw(t)
			if item["GSI1PK"] != nil || item["GSI1SK"] != nil || p.count(t, p.def.Query(Crate{EventID: "e"}).Index("GSI1")) != 0 {
				t.Errorf("got %v, want neither index key", item)
			}
		}},
		{"a part set to its empty value leaves half a key behind", func(t *testing.T) {
			p := openCrates(t, Crate{ID: "p", EventID: "e"})
			p.update(t, crateField(p, func(p *Crate) *string { return &p.EventID }).To(""))
			if item := p.raw(t); item["GSI1PK"] != nil || item["GSI1SK"] != nil {
				t.Errorf("got %v, want neither index key", item)
			}
		}},
		{"an item comes back to a sparse index with a part missing", func(t *testing.T) {
			s, db := open(t)
			put(t, s.tasks, Task{UserID: "u", TaskID: "t", Priority: 3, State: "open"})
			key := Task{UserID: "u", TaskID: "t"}
			if _, err := s.tasks.Update(key).Set(s.state.Remove()).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			_, err := s.tasks.Update(key).Set(s.state.To("open")).Run(t.Context())
			if !errors.Is(err, ddb.ErrIndexPartMissing) || stored(t, db)[0]["GSI3SK"] != nil {
				t.Errorf("got %v, want ErrIndexPartMissing and no key", err)
			}
		}},
		{"a part that only the key has is not found", func(t *testing.T) {
			p := openCrates(t, Crate{ID: "p"})
			p.update(t, crateField(p, func(p *Crate) *string { return &p.EventID }).To("e1"))
			item := p.raw(t)
			if diff := cmp.Diff(map[string]types.AttributeValue{
				"GSI1PK": &types.AttributeValueMemberS{Value: "EVENT#e1"}, "GSI1SK": &types.AttributeValueMemberS{Value: "CRATE#p"},
			}, keyColumns(map[string]types.AttributeValue{"GSI1PK": item["GSI1PK"], "GSI1SK": item["GSI1SK"]}), sdkTypes); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}},
		{"nothing is written as NULL or empty text where a key is", func(t *testing.T) {
			p := openCrates(t, Crate{ID: "p"})
			for attr, v := range p.raw(t) {
				if _, null := v.(*types.AttributeValueMemberNULL); null || strings.HasPrefix(attr, "GSI") || attr == "name" {
					t.Errorf("got %s: %v, want no attribute", attr, v)
				}
			}
		}},
		{"a sum in a text key", func(t *testing.T) {
			s, db := open(t)
			put(t, s.scores, Score{Game: "g", Player: "p", Points: 90})
			_, err := s.scores.Update(Score{Game: "g", Player: "p"}).Set(s.points.Add(10)).Run(t.Context())
			if got := stored(t, db)[0]["GSI1SK"].(*types.AttributeValueMemberS).Value; !errors.Is(err, ddb.ErrKeyChange) || got != "0000000090#p" {
				t.Errorf("got %v and %s, want ErrKeyChange", err, got)
			}
			got, err := s.scores.Modify(t.Context(), Score{Game: "g", Player: "p"}, func(s *Score) error { s.Points += 10; return nil })
			if key := stored(t, db)[0]["GSI1SK"].(*types.AttributeValueMemberS).Value; err != nil || got.Points != 100 || key != "0000000100#p" {
				t.Errorf("modified: got %v and %s, want the sum", err, key)
			}
		}},
		{"a sum in an index key that is the number itself", func(t *testing.T) {
			p := openCrates(t, Crate{ID: "p", Board: "b", Weight: 90})
			weight := crateField(p, func(p *Crate) *int { return &p.Weight })
			p.update(t, weight.Add(10))
			if n := p.count(t, p.def.Query(Crate{Board: "b"}).Index("GSI2").From(Crate{Weight: 100})); n != 1 {
				t.Errorf("got %d items at 100, want the entry moved", n)
			}
			p.update(t, weight.To(-5))
			if n := p.count(t, p.def.Query(Crate{Board: "b"}).Index("GSI2").Until(Crate{Weight: 0})); n != 1 {
				t.Errorf("got %d items below 0, want the entry moved", n)
			}
		}},
		{"a field is left out because it is an index key", func(t *testing.T) {
			p := openCrates(t, Crate{ID: "p", Name: "foo"})
			got := p.update(t, crateField(p, func(p *Crate) *string { return &p.Name }).To("bar"))
			if n := p.count(t, p.def.Query(Crate{Name: "bar"}).Index("GSI3")); n != 1 || got.Name != "bar" {
				t.Errorf("got %d entries and %q, want both changed", n, got.Name)
			}
		}},
		{"a change of the primary key makes a second item", func(t *testing.T) {
			p := openCrates(t, Crate{ID: "p"})
			_, err := p.def.Update(p.key).Set(crateField(p, func(p *Crate) *string { return &p.ID }).To("q")).Run(t.Context())
			if !errors.Is(err, ddb.ErrKeyChange) {
				t.Errorf("got %v, want ErrKeyChange", err)
			}
		}},
	})
}

// TestValueTraps asserts what easily goes wrong with values and with what an update
// leaves, removes or makes.
func TestValueTraps(t *testing.T) {
	t.Parallel()
	runTraps(t, []trap{
		{"a write that makes no item leaves a part of one", func(t *testing.T) {
			p := openCrates(t)
			size := crateField(p, func(p *Crate) *int { return &p.Size })
			if _, err := p.def.Update(p.key).Set(size.Add(1)).Run(t.Context()); !errors.Is(err, ddb.ErrNotFound) || p.raw(t) != nil {
				t.Errorf("update: got %v and %v, want nothing stored", err, p.raw(t))
			}
			if _, err := p.def.Upsert(p.key).Set(size.Add(1), crateField(p, func(p *Crate) *int { return &p.Weight }).To(0)).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := p.table.Verify(p.raw(t)); err != nil || p.raw(t)["EntityType"] == nil {
				t.Errorf("upsert: got %v, want a complete item", err)
			}
		}},
		{"a default overwrites what is there", func(t *testing.T) {
			p := openCrates(t, Crate{ID: "p", Size: 7})
			size := crateField(p, func(p *Crate) *int { return &p.Size })
			got, err := p.def.Upsert(p.key).Set(size.SetIfAbsent(0)).Run(t.Context())
			if err != nil || got.Size != 7 {
				t.Errorf("got %d and %v, want 7", got.Size, err)
			}
		}},
		{"nil inside a struct is written as NULL", func(t *testing.T) {
			p := openCrates(t, Crate{ID: "p", Deep: &Depth{Next: &Depth{}}})
			deep := p.raw(t)["Deep"].(*types.AttributeValueMemberM).Value
			if inner := deep["Next"].(*types.AttributeValueMemberM).Value; len(deep) != 1 || len(inner) != 0 {
				t.Errorf("got %v, want no attribute for what is nil", deep)
			}
		}},
		{"a change inside an attribute that is missing makes it, or fails without a reason", func(t *testing.T) {
			p := openCrates(t, Crate{ID: "p"})
			note := ddb.Entry(crateField(p, func(p *Crate) *map[string]string { return &p.Notes }), "n")
			_, err := p.def.Update(p.key).Set(note.To("x")).Run(t.Context())
			if !errors.Is(err, ddb.ErrValidation) || p.raw(t)["Notes"] != nil {
				t.Errorf("got %v and %v, want ErrValidation and nothing made", err, p.raw(t)["Notes"])
			}
			tx := ddb.Transact(p.def.Update(p.key).Set(note.To("x"))).Run(t.Context())
			if failed, ok := errors.AsType[*ddb.TxError](tx); !ok || !errors.Is(failed.Reasons[0], ddb.ErrValidation) {
				t.Errorf("in a transaction: got %v, want ErrValidation", tx)
			}
		}},
		{"setting, removing and not naming an attribute are one thing", func(t *testing.T) {
			p := openCrates(t, Crate{ID: "p", Status: "s", Count: 5, Size: 1})
			status, count := crateField(p, func(p *Crate) *string { return &p.Status }), crateField(p, func(p *Crate) *int64 { return &p.Count })
			p.update(t, status.To(""))
			if _, there := p.raw(t)["status"].(*types.AttributeValueMemberS); !there || p.raw(t)["Count"] == nil {
				t.Errorf("got %v, want an empty status, and the count untouched", p.raw(t))
			}
			p.update(t, count.To(0))
			if n(p.raw(t), "Count") != "0" {
				t.Errorf("got %v, want the count 0", p.raw(t)["Count"])
			}
			p.update(t, status.Remove())
			if item := p.raw(t); item["status"] != nil || n(item, "size") != "1" {
				t.Errorf("got %v, want no status, and the size untouched", item)
			}
		}},
		{"an empty set or list spoils a later addition", func(t *testing.T) {
			p := openCrates(t, Crate{ID: "p", Tags: []string{}, Marks: map[string]struct{}{}})
			item := p.raw(t)
			if item["Tags"] != nil || item["Events"] != nil || item["Marks"] != nil {
				t.Fatalf("got %v, want no attribute", item)
			}
			tags := crateField(p, func(p *Crate) *[]string { return &p.Tags })
			events := crateField(p, func(p *Crate) *[]string { return &p.Events })
			got := p.update(t, tags.Add([]string{"x", ""}), events.Append([]string{"e"}))
			if diff := cmp.Diff([][]string{{"", "x"}, {"e"}}, [][]string{got.Tags, got.Events}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got = p.update(t, tags.Delete([]string{"x", ""}), events.To([]string{})); got.Tags != nil || p.raw(t)["Tags"] != nil || got.Events == nil {
				t.Errorf("got %#v and %#v, want no set and an empty list", got.Tags, got.Events)
			}
		}},
		{"names that need a placeholder reach another attribute", func(t *testing.T) {
			notes := map[string]string{}
			for _, name := range []string{"hello world", "hello    world", "a-b", "a.b", "_v", "имя", "#0", ":0", "size", "[0]", "a]b["} {
				notes[name] = "old"
			}
			p := openCrates(t, Crate{ID: "p", Notes: notes, Name: "n", Status: "s"})
			field := crateField(p, func(p *Crate) *map[string]string { return &p.Notes })
			changes := []ddb.Assign[Crate]{
				crateField(p, func(p *Crate) *int { return &p.Size }).To(2), crateField(p, func(p *Crate) *string { return &p.Status }).To("t"),
			}
			cond := crateField(p, func(p *Crate) *string { return &p.Name }).Eq("n").And(crateField(p, func(p *Crate) *string { return &p.Status }).Eq("s"))
			want := map[string]string{}
			for name := range notes {
				entry := ddb.Entry(field, name)
				changes, cond = append(changes, entry.To("new "+name)), cond.And(entry.Eq("old"))
				want[name] = "new " + name
			}
			got, err := p.def.Update(p.key).Set(changes...).If(cond).Run(t.Context())
			if diff := cmp.Diff(want, got.Notes); err != nil || diff != "" || got.Status != "t" || got.Size != 2 {
				t.Errorf("error %v, difference (-want +got):\n%s", err, diff)
			}
		}},
		{"an attribute with a dot and what is inside an attribute are one", func(t *testing.T) {
			p := openCrates(t, Crate{ID: "p", Warning: "top", Safety: map[string]string{"Warning": "inside"}})
			warning := crateField(p, func(p *Crate) *string { return &p.Warning })
			inside := ddb.Entry(crateField(p, func(p *Crate) *map[string]string { return &p.Safety }), "Warning")
			got, err := p.def.Update(p.key).Set(warning.To("1"), inside.To("2")).If(warning.Eq("top").And(inside.Eq("inside"))).Run(t.Context())
			if err != nil || got.Warning != "1" || got.Safety["Warning"] != "2" {
				t.Errorf("got %q, %q and %v", got.Warning, got.Safety["Warning"], err)
			}
		}},
		{"numbers lose digits", func(t *testing.T) {
			exact, _ := new(big.Int).SetString("12345678901234567890123456789012345678", 10)
			p := openCrates(t, Crate{ID: "p", Count: 9007199254740993, Exact: exact})
			got := p.update(t, crateField(p, func(p *Crate) *int64 { return &p.Count }).Add(1))
			if got.Count != 9007199254740994 || got.Exact.Cmp(exact) != 0 {
				t.Errorf("got %d and %s", got.Count, got.Exact)
			}
			tooLong, _ := new(big.Int).SetString("123456789012345678901234567890123456789", 10)
			if err := p.def.Put(&Crate{ID: "p", Exact: tooLong}).Run(t.Context()); !errors.Is(err, ddb.ErrEncode) {
				t.Errorf("39 digits: got %v, want ErrEncode", err)
			}
		}},
		{"an instant has as many texts as there are zones", func(t *testing.T) {
			p := openCrates(t, Crate{ID: "p"})
			at := crateField(p, func(p *Crate) *time.Time { return &p.At })
			noon := time.Date(2024, 5, 1, 12, 0, 0, 500_000_000, time.UTC)
			for _, zone := range []int{0, 9 * 3600, -8 * 3600} {
				p.update(t, at.To(noon.In(time.FixedZone("", zone))))
				if got := p.raw(t)["At"].(*types.AttributeValueMemberS).Value; got != "2024-05-01T12:00:00.500000000Z" {
					t.Errorf("got %s", got)
				}
			}
			p.update(t, at.Remove())
			if p.raw(t)["At"] != nil {
				t.Error("got a zero time, want none")
			}
		}},
		{"values of kinds of their own come back as another kind", func(t *testing.T) {
			want := Crate{ID: "p", Days: map[time.Month]int{time.May: 31}, Marks: map[string]struct{}{"m": {}}, Notes: map[string]string{}, Any: map[string]any{"k": []any{true}}}
			p := openCrates(t, want)
			got, err := p.def.Get(p.key).Run(t.Context())
			if diff := cmp.Diff(want, got, ignoreMarkers, cmp.AllowUnexported(big.Int{})); err != nil || diff != "" {
				t.Errorf("error %v, difference (-want +got):\n%s", err, diff)
			}
		}},
	})
}

// TestBatchTraps asserts what easily goes wrong with many items at once, alone or
// together.
func TestBatchTraps(t *testing.T) {
	t.Parallel()
	runTraps(t, []trap{
		{"what a call leaves undone is forgotten", func(t *testing.T) {
			s, db := open(t)
			defer db.Inject(memory.Unprocessed(13), memory.OnOperation("BatchWriteItem"), memory.OnCall(1, 2))()
			defer db.Inject(memory.Unprocessed(50), memory.OnOperation("BatchGetItem"), memory.OnCall(1, 2))()
			var writes []ddb.BatchWrite
			for i := range 60 {
				writes = append(writes, s.notes.Put(&Note{UserID: "u", NoteID: fmt.Sprint(i)}))
			}
			if err := ddb.Batch(writes...).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			keys := make([]Note, 250)
			for i := range keys {
				keys[i] = Note{UserID: "u", NoteID: fmt.Sprint(i % 60)}
				if i >= 120 {
					keys[i].NoteID = fmt.Sprint("none", i)
				}
			}
			got, err := s.notes.GetAll(t.Context(), keys...)
			if err != nil || len(got) != 250 {
				t.Fatalf("got %d and %v, want 250 places", len(got), err)
			}
			for i, g := range got {
				if (g != nil) != (i < 120) || g != nil && g.NoteID != keys[i].NoteID {
					t.Errorf("at %d: got %+v, want %s", i, g, keys[i].NoteID)
				}
			}
		}},
		{"one key twice is sent twice, or found once", func(t *testing.T) {
			calls := new(calls)
			s, _ := open(t, ddb.Observe(calls.note))
			put(t, s.notes, Note{UserID: "u", NoteID: "a"}, Note{UserID: "u", NoteID: "b"})
			calls.take()
			a, b := Note{UserID: "u", NoteID: "a"}, Note{UserID: "u", NoteID: "b"}
			got, err := s.notes.GetAll(t.Context(), a, a, b)
			if err != nil || len(got) != 3 || slices.Contains(got, nil) || got[2].NoteID != "b" || calls.take() != "BatchGetItem" {
				t.Errorf("got %v and %v, want three in one call", got, err)
			}
		}},
		{"progress jumps, or is told for writes alone", func(t *testing.T) {
			s, db := open(t)
			defer db.Inject(memory.Unprocessed(5), memory.OnOperation("BatchWriteItem", "BatchGetItem"), memory.EveryCall(2))()
			var writes []ddb.BatchWrite
			var reads []ddb.Read
			results := make([]ddb.Result[Note], 130)
			for i := range results {
				n := Note{UserID: "u", NoteID: fmt.Sprint(i)}
				writes, reads = append(writes, s.notes.Put(&n)), append(reads, s.notes.Get(n).Into(&results[i]))
			}
			watch := func(seen *[]int) func(int, int) {
				return func(done, of int) {
					if of != 130 {
						t.Errorf("got %d of %d, want 130", done, of)
					}
					*seen = append(*seen, done)
				}
			}
			var written, read []int
			if err := ddb.Batch(writes...).Progress(watch(&written)).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := ddb.BatchGet(reads...).Progress(watch(&read)).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, seen := range [][]int{written, read} {
				if len(seen) < 3 || !slices.IsSorted(seen) || seen[len(seen)-1] != 130 {
					t.Errorf("got %v, want steps up to 130", seen)
				}
			}
		}},
		{"leftovers do not name all that is missing", func(t *testing.T) {
			s, l := openLazy(t, true)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			n := Note{UserID: "u", NoteID: "n"}
			var a, b ddb.Result[Note]
			left, ok := errors.AsType[*ddb.BatchError](ddb.BatchGet(s.notes.Get(n).Into(&a), s.notes.Get(n).Into(&b)).Run(ctx))
			if !ok || !slices.Equal(left.Left, []int{0, 1}) {
				t.Errorf("got %+v, want both reads of the key", left)
			}
			wantEmpty(t, l.DB)
		}},
		{"a transaction meets another and its caller has to know", func(t *testing.T) {
			s, db := open(t)
			n := Note{UserID: "u", NoteID: "n"}
			put(t, s.notes, n)
			put(t, s.orders, order("u", "o", "2024-01-01T00:00:00Z", "NEW"))
			key := order("u", "o", "2024-01-01T00:00:00Z", "NEW")
			for op, run := range map[string]func() error{
				"PutItem":    func() error { return s.notes.Put(&n).Run(t.Context()) },
				"UpdateItem": func() error { _, err := s.orders.Update(key).Set(s.total.Add(1)).Run(t.Context()); return err },
				"DeleteItem": func() error { return s.notes.Delete(n).Run(t.Context()) },
			} {
				stop := db.Inject(memory.Conflict(), memory.OnOperation(op), memory.FirstCalls(3))
				if err := run(); err != nil {
					t.Errorf("%s: got %v, want success at last", op, err)
				}
				stop()
			}
			if got, err := s.orders.Get(key).Run(t.Context()); err != nil || got.Total != 100 {
				t.Errorf("got %d and %v, want one addition", got.Total, err)
			}
		}},
		{"fifty at once lose one another's changes, or see conflicts", func(t *testing.T) {
			s, db := open(t)
			defer db.Inject(memory.Conflict(), memory.OnOperation("TransactWriteItems"), memory.OneIn(4, 1))()
			o := order("u", "o", "2024-01-01T00:00:00Z", "NEW")
			o.Total = 0
			put(t, s.orders, o)
			var wg sync.WaitGroup
			for i := range 50 {
				wg.Go(func() {
					like := Note{UserID: fmt.Sprint("u", i), NoteID: "like"}
					if err := ddb.Transact(s.notes.Create(&like), s.orders.Update(o).Set(s.total.Add(1))).Run(context.Background()); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if got, err := s.orders.Get(o).Run(t.Context()); err != nil || got.Total != 50 {
				t.Errorf("got %d and %v, want 50", got.Total, err)
			}
		}},
		{"a transaction built again is another, or a token serves two", func(t *testing.T) {
			s, _ := open(t)
			o := order("u", "o", "2024-01-01T00:00:00Z", "NEW")
			put(t, s.orders, o)
			build := func(by int) ddb.TxOp {
				u := User{ID: "v", Tags: []string{"a", "b"}, Address: Address{City: "x", Street: "y"}}
				return ddb.Transact(s.orders.Update(o).Set(s.total.Add(by), s.lines.Append([]string{"l"})), s.users.Put(&u)).Token("token")
			}
			for range 5 {
				if err := build(1).Run(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := s.orders.Get(o).Run(t.Context()); err != nil || got.Total != 100 {
				t.Errorf("got %d and %v, want one addition", got.Total, err)
			}
			var mismatch *types.IdempotentParameterMismatchException
			if err := build(2).Run(t.Context()); !errors.As(err, &mismatch) {
				t.Errorf("another under one token: got %v, want the SDK's exception", err)
			}
		}},
		{"a check and a write of one item reach the service", func(t *testing.T) {
			s := newShop(unreachable{})
			n := Note{UserID: "u", NoteID: "n"}
			err := ddb.Transact(s.notes.Check(n), s.notes.Put(&n)).Run(t.Context())
			if !errors.Is(err, ddb.ErrExpression) || !strings.Contains(err.Error(), "a check becoming a condition of the write") {
				t.Errorf("got %v, want it refused with advice", err)
			}
		}},
		{"keys whose texts run together are taken for one", func(t *testing.T) {
			type pair struct {
				_    ddb.Entity `pk:"{A}" sk:"{B}"`
				A, B string
			}
			table := ddb.NewTable("Pairs", unreachable{}, ddb.Keys("A", "B"))
			pairs := ddb.Define[pair](table)
			_, err := ddb.Transact(
				pairs.Put(&pair{A: `a" S"b`, B: "c"}), pairs.Put(&pair{A: "a", B: `b" S"c`}), pairs.Put(&pair{A: "a] map[S:b", B: "c"}), pairs.Put(&pair{A: "a", B: "b] map[S:c"}),
			).Input(t.Context())
			if err != nil {
				t.Error(err)
			}
		}},
		{"more than a transaction carries reaches the service", func(t *testing.T) {
			s := newShop(unreachable{})
			var writes []ddb.Write
			for i := range 11 {
				writes = append(writes, s.notes.Put(&Note{UserID: "u", NoteID: fmt.Sprint(i), Text: strings.Repeat("x", 390<<10)}))
			}
			if _, err := ddb.Transact(writes[:10]...).Input(t.Context()); err != nil {
				t.Errorf("3.9 MB: %v", err)
			}
			if err := ddb.Transact(writes...).Run(t.Context()); !errors.Is(err, ddb.ErrTransactionTooLarge) {
				t.Errorf("4.2 MB: got %v, want ErrTransactionTooLarge", err)
			}
		}},
		{"reasons are of places, not of operations", func(t *testing.T) {
			s, _ := open(t)
			put(t, s.notes, Note{UserID: "u", NoteID: "b", Text: "kept"})
			err := ddb.Transact(
				s.notes.Create(&Note{UserID: "u", NoteID: "a"}), s.notes.Create(&Note{UserID: "u", NoteID: "b"}), s.notes.Create(&Note{UserID: "u", NoteID: "c"}),
			).Run(t.Context())
			tx, ok := errors.AsType[*ddb.TxError](err)
			if !ok || tx.Reasons[0] != nil || tx.Reasons[2] != nil || !errors.Is(err, ddb.ErrConditionFailed) {
				t.Fatalf("got %v, want the reason of operation 1", err)
			}
			failed, ok := errors.AsType[*ddb.ConditionError](tx.Reasons[1])
			if !ok || !errors.Is(failed, ddb.ErrExists) || failed.Item["Text"].(*types.AttributeValueMemberS).Value != "kept" {
				t.Errorf("got %v, want ErrExists with the stored item", tx.Reasons[1])
			}
		}},
		{"places of reads shift", func(t *testing.T) {
			s, db := open(t)
			put(t, s.notes, Note{UserID: "u", NoteID: "a"}, Note{UserID: "u", NoteID: "b"}, Note{UserID: "u", NoteID: "x"})
			results := make([]ddb.Result[Note], 4)
			reads := make([]ddb.Read, 4)
			for i, id := range []string{"missing", "a", "x", "b"} {
				results[i].Found = true
				reads[i] = s.notes.Get(Note{UserID: "u", NoteID: id}).Into(&results[i])
			}
			if err := ddb.TransactGet(reads...).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if results[0].Found || results[1].Value.NoteID != "a" || results[2].Value.NoteID != "x" || results[3].Value.NoteID != "b" {
				t.Errorf("got %+v", results)
			}
			in, err := s.notes.Put(&Note{UserID: "u", NoteID: "x"}).Input()
			if err != nil {
				t.Fatal(err)
			}
			in.Item["EntityType"] = &types.AttributeValueMemberS{Value: "Foreign"}
			if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("Shop"), Item: in.Item}); err != nil {
				t.Fatal(err)
			}
			results[1] = ddb.Result[Note]{}
			if err := ddb.TransactGet(reads...).Run(t.Context()); !errors.Is(err, ddb.ErrEntityType) || results[1].Found {
				t.Errorf("a foreign item: got %v and %+v, want ErrEntityType and no result changed", err, results[1])
			}
		}},
		{"a cancelled read says nothing of its reads", func(t *testing.T) {
			s, db := open(t)
			reason := &types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{
				{Code: aws.String("None")}, {Code: aws.String("ValidationError"), Message: aws.String("bad key")},
			}}
			defer db.Inject(memory.FailBefore(reason), memory.OnOperation("TransactGetItems"))()
			var a, b ddb.Result[Note]
			err := ddb.TransactGet(s.notes.Get(Note{UserID: "u", NoteID: "a"}).Into(&a), s.notes.Get(Note{UserID: "u", NoteID: "b"}).Into(&b)).Run(t.Context())
			tx, ok := errors.AsType[*ddb.TxError](err)
			if !ok || tx.Reasons[0] != nil || !errors.Is(tx.Reasons[1], ddb.ErrValidation) {
				t.Errorf("got %v, want the reason of read 1", err)
			}
		}},
	})
}
