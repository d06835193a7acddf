package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// Member has unique fields of each kind: alone, without regard to letter case, in
// one scope with another field and another entity, and of numbers and bytes.
type Member struct {
	_ ddb.Entity `name:"Member" pk:"MEMBER#{ID}" sk:"MEMBER"`
	_ ddb.Index  `name:"GSI1" pk:"EMAIL#{Email:lower}" sk:"MEMBER"`

	ID     string
	Email  string  `ddb:"unique,lower"`
	Phone  string  `ddb:"unique=phone" dynamodbav:",omitempty"`
	Second *string `ddb:"unique=phone" dynamodbav:",omitempty"`
	Number int     `ddb:"unique" dynamodbav:",omitempty"`
	Badge  []byte  `ddb:"unique" dynamodbav:",omitempty"`
	Name   string
	Visits int
}

// Clerk shares the scope of phones, and has all that is kept by itself.
type Clerk struct {
	_ ddb.Entity `name:"Clerk" pk:"CLERK#{ID}" sk:"CLERK"`

	ID      string
	Phone   string    `ddb:"unique=phone" dynamodbav:",omitempty"`
	Desk    string    `ddb:"unique=desk" dynamodbav:",omitempty"`
	Version int       `ddb:"version"`
	Created time.Time `ddb:"created"`
	Updated time.Time `ddb:"updated"`
	Expires time.Time `ddb:"ttl" dynamodbav:",omitempty"`
}

type club struct {
	db      *memory.DB
	table   *ddb.Table
	members *ddb.Definition[Member]
	clerks  *ddb.Definition[Clerk]
	email   ddb.Attribute[Member, string]
	phone   ddb.Attribute[Member, string]
	second  ddb.Attribute[Member, *string]
	number  ddb.Attribute[Member, int]
	badge   ddb.Attribute[Member, []byte]
	name    ddb.Attribute[Member, string]
	visits  ddb.Attribute[Member, int]
	desk    ddb.Attribute[Clerk, string]
	calls   *calls
}

// calls lists the operations that a table has called.
type calls struct {
	mu  sync.Mutex
	ops []string
}

func (c *calls) note(_ context.Context, call ddb.Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ops = append(c.ops, call.Op)
}

// take returns the calls since the last time.
func (c *calls) take() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	ops := strings.Join(c.ops, " ")
	c.ops = nil
	return ops
}

func openClub(t testing.TB) club {
	t.Helper()
	db := memory.New()
	c := clubOn(backend(t, db))
	c.db = db
	create(t, db, c.table)
	return c
}

func clubOn(b ddb.Backend) club {
	c := club{calls: new(calls)}
	c.table = ddb.NewTable("Club", b, ddb.Observe(c.calls.note))
	c.members, c.clerks = ddb.Define[Member](c.table), ddb.Define[Clerk](c.table)
	c.email = ddb.Field(c.members, func(m *Member) *string { return &m.Email })
	c.phone = ddb.Field(c.members, func(m *Member) *string { return &m.Phone })
	c.second = ddb.Field(c.members, func(m *Member) **string { return &m.Second })
	c.number = ddb.Field(c.members, func(m *Member) *int { return &m.Number })
	c.badge = ddb.Field(c.members, func(m *Member) *[]byte { return &m.Badge })
	c.name = ddb.Field(c.members, func(m *Member) *string { return &m.Name })
	c.visits = ddb.Field(c.members, func(m *Member) *int { return &m.Visits })
	c.desk = ddb.Field(c.clerks, func(c *Clerk) *string { return &c.Desk })
	return c
}

// items returns what is stored: markers by key with their owner's partition key,
// and how many other items there are.
func (c club) items(t rapidOrTest) (markers map[string]string, others int) {
	t.Helper()
	out, err := c.db.Scan(context.Background(), scanOf("Club"))
	if err != nil {
		t.Fatal(err)
	}
	markers = make(map[string]string)
	for _, item := range out.Items {
		if item["EntityType"].(*types.AttributeValueMemberS).Value != "UNIQUE" {
			others++
			continue
		}
		pk, sk := item["PK"].(*types.AttributeValueMemberS).Value, item["SK"].(*types.AttributeValueMemberS).Value
		owner := item["UniqueOwner"].(*types.AttributeValueMemberM).Value
		if pk != sk || len(item) != 4 {
			t.Fatalf("got the marker %v, want both keys alike and nothing else", item)
		}
		markers[pk] = owner["Key"].(*types.AttributeValueMemberM).Value["PK"].(*types.AttributeValueMemberS).Value
		if err := c.table.Verify(item); err != nil {
			t.Fatal(err)
		}
	}
	return markers, others
}

func (c club) wantMarkers(t *testing.T, want map[string]string) {
	t.Helper()
	got, _ := c.items(t)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("markers (-want +got):\n%s", diff)
	}
}

// wantTaken asserts that an error names entity and field and no value.
func wantTaken(t *testing.T, err error, entity, field string) *ddb.UniqueError {
	t.Helper()
	taken, ok := errors.AsType[*ddb.UniqueError](err)
	op, located := errors.AsType[*ddb.OpError](err)
	if !ok || !errors.Is(err, ddb.ErrUnique) || errors.Is(err, ddb.ErrConditionFailed) || taken.Entity != entity || taken.Field != field {
		t.Fatalf("got %v, want a UniqueError of %s.%s", err, entity, field)
	}
	if !located || op.Entity != entity || op.Field != field || strings.Contains(err.Error(), "@") {
		t.Errorf("got %v, want an OpError that names %s.%s and no value", err, entity, field)
	}
	return taken
}

// TestUniqueLifeCycle walks unique values through every verb: claimed by create,
// moved by change, freed by removal and deletion.
func TestUniqueLifeCycle(t *testing.T) {
	t.Parallel()
	c := openClub(t)
	ctx := t.Context()
	a := Member{ID: "a", Email: "A@x", Phone: "1", Number: 7, Badge: []byte{0xfb, 0xff}}
	b := Member{ID: "b", Email: "b@x"}
	put(t, c.members, a, b)
	all := map[string]string{
		"UNIQUE#Member.Email#a@x": "MEMBER#a", "UNIQUE#phone#1": "MEMBER#a", "UNIQUE#Member.Number#7": "MEMBER#a", "UNIQUE#Member.Badge#-_8": "MEMBER#a",
		"UNIQUE#Member.Email#b@x": "MEMBER#b",
	}
	c.wantMarkers(t, all)

	err := c.members.Create(&Member{ID: "c", Email: "a@X"}).Run(ctx)
	taken := wantTaken(t, err, "Member", "Email")
	if taken.OwnerEntity != "Member" || taken.Owner["PK"].(*types.AttributeValueMemberS).Value != "MEMBER#a" {
		t.Errorf("got %+v, want the owner", taken)
	}
	_, err = c.members.Update(b).Set(c.email.To("a@x")).Run(ctx)
	wantTaken(t, err, "Member", "Email")
	_, err = c.members.Modify(ctx, b, func(m *Member) error { m.Number = 7; return nil })
	wantTaken(t, err, "Member", "Number")
	_, err = c.members.Upsert(Member{ID: "d"}).Set(c.badge.To([]byte{0xfb, 0xff}), c.email.To("d@x")).Run(ctx)
	wantTaken(t, err, "Member", "Badge")
	err = c.clerks.Put(&Clerk{ID: "k", Phone: "1"}).Run(ctx)
	wantTaken(t, err, "Clerk", "Phone")
	c.wantMarkers(t, all)
	if _, others := c.items(t); others != 2 {
		t.Errorf("got %d items after refused writes, want 2", others)
	}

	got, err := c.members.Update(b).Set(c.email.To("c@x"), c.visits.Add(1)).Run(ctx)
	if diff := cmp.Diff(Member{ID: "b", Email: "c@x", Visits: 1}, got, ignoreMarkers); err != nil || diff != "" {
		t.Errorf("update: error %v, difference (-want +got):\n%s", err, diff)
	}
	if found, err := c.members.Query(Member{Email: "C@x"}).Index("GSI1").Count(ctx); err != nil || found != 1 {
		t.Errorf("index: got %d and %v, want it to follow", found, err)
	}
	put(t, c.members, Member{ID: "e", Email: "b@x"})
	if _, err := c.members.Update(a).Set(c.phone.Remove(), c.number.To(8)).Run(ctx); err != nil {
		t.Fatal(err)
	}
	put(t, c.clerks, Clerk{ID: "k", Phone: "1"})
	if err := c.members.Put(&Member{ID: "a", Email: "a2@x", Badge: []byte{1}}).Run(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := c.members.Modify(ctx, a, func(m *Member) error { m.Badge = nil; m.Number = 9; return nil }); err != nil {
		t.Fatal(err)
	}
	for _, key := range []Member{b, {ID: "nobody"}} {
		if err := c.members.Delete(key).Run(ctx); err != nil {
			t.Fatal(err)
		}
	}
	c.wantMarkers(t, map[string]string{
		"UNIQUE#Member.Email#a2@x": "MEMBER#a", "UNIQUE#Member.Number#9": "MEMBER#a", "UNIQUE#Member.Email#b@x": "MEMBER#e", "UNIQUE#phone#1": "CLERK#k",
	})
}

// TestUniqueCalls asserts what each write of an entity with unique fields sends:
// no more than it would without them if none of them changes.
func TestUniqueCalls(t *testing.T) {
	t.Parallel()
	c := openClub(t)
	ctx := t.Context()
	m := Member{ID: "a", Email: "a@x", Phone: "1"}
	var loaded Member
	update := func(op ddb.UpdateOp[Member]) func() error { return func() error { _, err := op.Run(ctx); return err } }
	key := Member{ID: "a"}
	for _, step := range []struct {
		name string
		run  func() error
		want string
	}{
		{"create", func() error { return c.members.Create(&m).Run(ctx) }, "TransactWriteItems"},
		{"update of another field", update(c.members.Update(key).Set(c.name.To("n"))), "UpdateItem"},
		{"update to the same value", update(c.members.Update(key).Set(c.email.To("a@x"), c.name.To("m"))), "GetItem UpdateItem"},
		{"update in letter case alone", update(c.members.Update(key).Set(c.email.To("A@x"))), "GetItem UpdateItem"},
		{"update to another value", update(c.members.Update(key).Set(c.email.To("b@x"))), "GetItem TransactWriteItems GetItem"},
		{"set if absent, which it is not", update(c.members.Update(key).Set(c.phone.SetIfAbsent("2"))), "GetItem UpdateItem"},
		{"set if absent, which it is", update(c.members.Update(key).Set(c.number.SetIfAbsent(2))), "GetItem TransactWriteItems GetItem"},
		{"upsert to the same value", update(c.members.Upsert(key).Set(c.name.To("o"), c.email.To("b@x"))), "GetItem UpdateItem"},
		{"put of the same values", func() error { return c.members.Put(&Member{ID: "a", Email: "B@x", Phone: "1", Number: 2}).Run(ctx) }, "GetItem PutItem"},
		{"put of others", func() error { return c.members.Put(&m).Run(ctx) }, "GetItem TransactWriteItems"},
		{"modify of another field", func() (err error) {
			loaded, err = c.members.Modify(ctx, key, func(m *Member) error { m.Name = "p"; return nil })
			return err
		}, "GetItem UpdateItem"},
		{"modify", func() (err error) {
			loaded, err = c.members.Modify(ctx, key, func(m *Member) error { m.Phone = "3"; return nil })
			return err
		}, "GetItem TransactWriteItems"},
		{"update from the loaded item", func() error {
			_, err := c.members.Update(key).From(loaded).Set(c.phone.To("4")).Run(ctx)
			return err
		}, "TransactWriteItems GetItem"},
		{"delete", func() error { return c.members.Delete(key).Run(ctx) }, "GetItem TransactWriteItems"},
		{"delete of nothing", func() error { return c.members.Delete(key).Run(ctx) }, "GetItem DeleteItem"},
		{"put of something new", func() error { return c.members.Put(&m).Run(ctx) }, "GetItem TransactWriteItems"},
		{"two in a transaction", func() error {
			return ddb.Transact(c.members.Update(key).Set(c.email.To("z@x")), c.members.Delete(Member{ID: "b"})).Run(ctx)
		}, "BatchGetItem TransactWriteItems"},
		{"transaction beside unique fields", func() error { return ddb.Transact(c.members.Update(key).Set(c.name.To("q"))).Run(ctx) }, "TransactWriteItems"},
	} {
		c.calls.take()
		err := step.run()
		if got := c.calls.take(); err != nil || got != step.want {
			t.Errorf("%s: got %s and %v, want %s", step.name, got, err, step.want)
		}
	}
	c.wantMarkers(t, map[string]string{"UNIQUE#Member.Email#z@x": "MEMBER#a", "UNIQUE#phone#1": "MEMBER#a"})
}

// TestUniqueInTransactions asserts that markers go with the operation they belong
// to, that values pass from one item to another, and that reasons name the user's
// operation.
func TestUniqueInTransactions(t *testing.T) {
	t.Parallel()
	c := openClub(t)
	ctx := t.Context()
	a, b := Member{ID: "a", Email: "a@x", Phone: "1"}, Member{ID: "b", Email: "b@x"}
	never := ddb.Transact(c.members.Create(&a))
	if _, err := never.Input(ctx); err != nil {
		t.Fatal(err)
	}
	if markers, others := c.items(t); len(markers)+others != 0 {
		t.Fatal("a transaction that was not run has written")
	}
	if err := ddb.Transact(c.members.Create(&a), c.members.Create(&b)).Run(ctx); err != nil {
		t.Fatal(err)
	}

	err := ddb.Transact(
		c.members.Update(b).Set(c.name.To("n")),
		c.clerks.Create(&Clerk{ID: "k", Desk: "9", Phone: "1"}),
		c.members.Create(&Member{ID: "c", Email: "c@x"}),
	).Run(ctx)
	tx, ok := errors.AsType[*ddb.TxError](err)
	if !ok || len(tx.Reasons) != 3 || tx.Reasons[0] != nil || tx.Reasons[2] != nil {
		t.Fatalf("got %v, want the reason of operation 1 alone", err)
	}
	wantTaken(t, tx.Reasons[1], "Clerk", "Phone")
	if cancelled := (*types.TransactionCanceledException)(nil); !errors.As(err, &cancelled) {
		t.Errorf("got %v, want the SDK's exception in it", err)
	}

	err = ddb.Transact(c.members.Create(&Member{ID: "c", Email: "new@x"}), c.members.Create(&Member{ID: "d", Email: "NEW@x"})).Run(ctx)
	wantTaken(t, err, "Member", "Email")
	if !strings.Contains(err.Error(), "operation 1") {
		t.Errorf("one value twice: got %v, want it to name operation 1", err)
	}
	c.wantMarkers(t, map[string]string{"UNIQUE#Member.Email#a@x": "MEMBER#a", "UNIQUE#Member.Email#b@x": "MEMBER#b", "UNIQUE#phone#1": "MEMBER#a"})

	err = ddb.Transact(
		c.members.Update(a).Set(c.email.To("b@x"), c.phone.Remove()),
		c.members.Update(b).Set(c.email.To("a@x")),
		c.clerks.Create(&Clerk{ID: "k", Phone: "1"}),
	).Run(ctx)
	if err != nil {
		t.Fatalf("exchange: %v", err)
	}
	c.wantMarkers(t, map[string]string{"UNIQUE#Member.Email#b@x": "MEMBER#a", "UNIQUE#Member.Email#a@x": "MEMBER#b", "UNIQUE#phone#1": "CLERK#k"})

	err = ddb.Transact(c.members.Delete(a), c.members.Create(&Member{ID: "c", Email: "b@x"}), c.clerks.Delete(Clerk{ID: "k"})).Run(ctx)
	if err != nil {
		t.Fatalf("handed over: %v", err)
	}
	c.wantMarkers(t, map[string]string{"UNIQUE#Member.Email#b@x": "MEMBER#c", "UNIQUE#Member.Email#a@x": "MEMBER#b"})
}

// TestUniqueWithinAnItem asserts that two fields of one item in one scope cannot
// have one value, also if an update touches only one of them.
func TestUniqueWithinAnItem(t *testing.T) {
	t.Parallel()
	c := openClub(t)
	ctx := t.Context()
	one, two := "1", "2"
	err := c.members.Create(&Member{ID: "a", Email: "a@x", Phone: "1", Second: &one}).Run(ctx)
	wantTaken(t, err, "Member", "Second")
	put(t, c.members, Member{ID: "a", Email: "a@x", Phone: "1", Second: &two})
	_, err = c.members.Update(Member{ID: "a"}).Set(c.phone.To("2")).Run(ctx)
	wantTaken(t, err, "Member", "Second")
	if _, err := c.members.Update(Member{ID: "a"}).Set(c.phone.To("2"), c.second.To(&one)).Run(ctx); err != nil {
		t.Errorf("exchange: %v", err)
	}
	if _, err := c.members.Update(Member{ID: "a"}).Set(c.second.Remove()).Run(ctx); err != nil {
		t.Error(err)
	}
	c.wantMarkers(t, map[string]string{"UNIQUE#Member.Email#a@x": "MEMBER#a", "UNIQUE#phone#2": "MEMBER#a"})
}

// TestUniqueValues asserts which values are claimed, which are none, and which are
// refused before any call.
func TestUniqueValues(t *testing.T) {
	t.Parallel()
	c := openClub(t)
	ctx := t.Context()
	put(t, c.members, Member{ID: "a", Email: "a", Phone: "1"}, Member{ID: "b", Email: "é"}, Member{ID: "c", Email: "ÉÉ", Phone: "a#b#c"})
	if _, err := c.members.Update(Member{ID: "a"}).Set(c.phone.To(""), c.number.To(0)).Run(ctx); err != nil {
		t.Error(err)
	}
	if _, err := c.members.Update(Member{ID: "b"}).Set(c.phone.To(""), c.number.To(0)).Run(ctx); err != nil {
		t.Errorf("empty values of optional fields: %v", err)
	}
	put(t, c.members, Member{ID: "d", Email: "d", Number: -5})
	c.wantMarkers(t, map[string]string{
		"UNIQUE#Member.Email#a": "MEMBER#a", "UNIQUE#phone#a#b#c": "MEMBER#c", "UNIQUE#Member.Email#é": "MEMBER#b", "UNIQUE#Member.Email#éé": "MEMBER#c",
		"UNIQUE#Member.Email#d": "MEMBER#d", "UNIQUE#Member.Number#-5": "MEMBER#d",
	})
	c.calls.take()
	long := strings.Repeat("x", 1020)
	for name, op := range map[string]interface{ Run(context.Context) error }{
		"empty": c.members.Put(&Member{ID: "e"}), "too long": c.members.Create(&Member{ID: "e", Email: "e", Phone: long}),
	} {
		if err := op.Run(ctx); !errors.Is(err, ddb.ErrKey) || strings.Contains(err.Error(), "xxx") {
			t.Errorf("%s: got %v, want ErrKey", name, err)
		}
	}
	if err := c.members.Create(&Member{ID: "e", Email: "e", Phone: "\xff"}).Run(ctx); !errors.Is(err, ddb.ErrEncode) {
		t.Errorf("not UTF-8: got %v, want ErrEncode", err)
	}
	_, err := c.members.Update(Member{ID: "a"}).Set(c.email.To("")).Run(ctx)
	if op := (*ddb.OpError)(nil); !errors.Is(err, ddb.ErrKey) || !errors.As(err, &op) || op.Field != "Email" {
		t.Errorf("update to empty: got %v, want ErrKey that names the field", err)
	}
	_, err = c.members.Update(Member{ID: "a"}).Set(c.number.Add(1)).Run(ctx)
	if op := (*ddb.OpError)(nil); !errors.Is(err, ddb.ErrKeyChange) || !errors.As(err, &op) || op.Field != "Number" {
		t.Errorf("sum: got %v, want ErrKeyChange that names the field", err)
	}
	for name, b := range map[string]ddb.BatchWrite{"put": c.members.Put(&Member{ID: "a", Email: "a"}), "delete": c.members.Delete(Member{ID: "a"})} {
		if err := ddb.Batch(b).Run(ctx); !errors.Is(err, ddb.ErrExpression) || !strings.Contains(err.Error(), "unique") {
			t.Errorf("batched %s: got %v, want it refused", name, err)
		}
	}
	many := make([]ddb.Write, 60)
	for i := range many {
		many[i] = c.members.Create(&Member{ID: fmt.Sprint("m", i), Email: fmt.Sprint("m", i)})
	}
	if err := ddb.Transact(many...).Run(ctx); !errors.Is(err, ddb.ErrExpression) || !strings.Contains(err.Error(), "these are 120") {
		t.Errorf("too many with markers: got %v, want ErrExpression", err)
	}
	if got := strings.ReplaceAll(c.calls.take(), "GetItem", ""); strings.TrimSpace(got) != "" {
		t.Errorf("got calls %q of refused writes, want reads at most", got)
	}
}

// TestUniqueKeepsStamps asserts that versions, times and old items are what they
// are without unique fields.
func TestUniqueKeepsStamps(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	db := memory.New()
	table := ddb.NewTable("Club", backend(t, db), ddb.Clock(func() time.Time { return now }))
	clerks := ddb.Define[Clerk](table)
	desk := ddb.Field(clerks, func(c *Clerk) *string { return &c.Desk })
	create(t, db, table)
	ctx := t.Context()
	k := Clerk{ID: "k", Desk: "1"}
	if err := clerks.Create(&k).Run(ctx); err != nil || k.Version != 1 || !k.Created.Equal(now) {
		t.Fatalf("create: got %+v and %v", k, err)
	}
	stale := k
	now = now.Add(time.Hour)
	k.Desk = "2"
	old, err := clerks.Put(&k).RunOld(ctx)
	if err != nil || k.Version != 2 || !k.Updated.Equal(now) || !old.Found || old.Value.Desk != "1" || old.Value.Version != 1 {
		t.Errorf("put: got %+v, before %+v and %v", k, old, err)
	}
	if got, err := clerks.Update(k).Set(desk.To("3")).Run(ctx); err != nil || got.Version != 3 || got.Desk != "3" || !got.Updated.Equal(now) {
		t.Errorf("update: got %+v and %v", got, err)
	}
	old, err = clerks.Update(k).Set(desk.To("4")).RunOld(ctx)
	if err != nil || old.Value.Version != 3 || old.Value.Desk != "3" {
		t.Errorf("update: got %+v before and %v", old, err)
	}
	if got, err := clerks.Modify(ctx, k, func(c *Clerk) error { c.Desk = "5"; return nil }); err != nil || got.Version != 5 {
		t.Errorf("modify: got %+v and %v", got, err)
	}
	stale.Desk = "6"
	if err := clerks.Put(&stale).Run(ctx); !errors.Is(err, ddb.ErrVersion) || stale.Version != 1 {
		t.Errorf("stale put: got %v, want ErrVersion", err)
	}
	if _, err := clerks.Update(k).From(stale).Set(desk.To("7")).Run(ctx); !errors.Is(err, ddb.ErrVersion) {
		t.Errorf("update from a stale item: got %v, want ErrVersion", err)
	}
	if err := clerks.Delete(stale).Run(ctx); !errors.Is(err, ddb.ErrVersion) {
		t.Errorf("stale delete: got %v, want ErrVersion", err)
	}
	old, err = clerks.Delete(Clerk{ID: "k"}).RunOld(ctx)
	if err != nil || old.Value.Desk != "5" || old.Value.Version != 5 {
		t.Errorf("delete: got %+v before and %v", old, err)
	}
	if old, err = clerks.Delete(Clerk{ID: "k"}).RunOld(ctx); err != nil || old.Found {
		t.Errorf("second delete: got %+v before and %v", old, err)
	}
	if out, err := db.Scan(ctx, scanOf("Club")); err != nil || out.Count != 0 {
		t.Errorf("got %d items and %v, want none", out.Count, err)
	}
}

// TestUniqueVerdicts asserts that conditions, missing and existing items are told
// as without unique fields, with the stored item.
func TestUniqueVerdicts(t *testing.T) {
	t.Parallel()
	c := openClub(t)
	ctx := t.Context()
	a := Member{ID: "a", Email: "a@x", Name: "n"}
	put(t, c.members, a)
	one := func(_ Member, err error) error { return err }
	for _, test := range []struct {
		name   string
		err    error
		is     error
		stored bool
	}{
		{"create of what exists", c.members.Create(&Member{ID: "a", Email: "new@x"}).Run(ctx), ddb.ErrExists, true},
		{"put against a condition", c.members.Put(&Member{ID: "a", Email: "new@x"}).If(c.name.Eq("z")).Run(ctx), ddb.ErrConditionFailed, true},
		{"put of the same against a condition", c.members.Put(&a).If(c.name.Eq("z")).Run(ctx), ddb.ErrConditionFailed, true},
		{"update of nothing", one(c.members.Update(Member{ID: "z"}).Set(c.email.To("z@x")).Run(ctx)), ddb.ErrNotFound, false},
		{"update against a condition", one(c.members.Update(a).Set(c.email.To("z@x")).If(c.name.Eq("z")).Run(ctx)), ddb.ErrConditionFailed, true},
		{"upsert against a condition", one(c.members.Upsert(Member{ID: "z"}).Set(c.email.To("z@x")).If(c.name.Eq("z")).Run(ctx)), ddb.ErrConditionFailed, false},
		{"delete against a condition", c.members.Delete(a).If(c.name.Eq("z")).Run(ctx), ddb.ErrConditionFailed, true},
		{"delete of what must exist", c.members.Delete(Member{ID: "z"}).MustExist().Run(ctx), ddb.ErrNotFound, false},
		{"update from a stale item", one(c.members.Update(a).From(Member{ID: "a", Email: "old@x"}).Set(c.email.To("z@x")).Run(ctx)), ddb.ErrConditionFailed, true},
		{"claim of nothing", c.members.ClaimUnique(ctx, Member{ID: "z", Email: "z@x"}), ddb.ErrNotFound, false},
		{"claim of what has changed", c.members.ClaimUnique(ctx, Member{ID: "a", Email: "old@x"}), ddb.ErrConditionFailed, true},
	} {
		failed, ok := errors.AsType[*ddb.ConditionError](test.err)
		if !errors.Is(test.err, test.is) || !ok || (failed.Item != nil) != test.stored {
			t.Errorf("%s: got %v with %+v, want %v", test.name, test.err, failed, test.is)
		}
		if op := (*ddb.OpError)(nil); !errors.As(test.err, &op) || op.Entity != "Member" {
			t.Errorf("%s: got %v, want an OpError", test.name, test.err)
		}
	}
	c.wantMarkers(t, map[string]string{"UNIQUE#Member.Email#a@x": "MEMBER#a"})
}
