package ddb_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

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
