package docs_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// TestWritingCode promises that all code of writing.md stands in this file, and is
// therefore compiled and run.
func TestWritingCode(t *testing.T) {
	t.Parallel()
	wantCode(t, "writing.md", 20, "writing_test.go")
}

type Account struct {
	_ ddb.Entity `name:"Account" pk:"ACCOUNT#{ID}" sk:"ACCOUNT"`
	_ ddb.Index  `name:"GSI1" pk:"PLAN#{Plan}" sk:"{Since}#{ID}"`

	ID      string
	Plan    string
	Since   time.Time
	Email   string         `ddb:"unique,lower"`
	Phone   string         `ddb:"unique=phone" dynamodbav:",omitempty"`
	Tags    []string       `dynamodbav:",stringset"`
	Address Postal         `dynamodbav:",omitempty"`
	Limits  map[string]int // by name
	Devices []Device
	Credit  int
	Debt    int
	Version int       `ddb:"version"`
	Created time.Time `ddb:"created"`
	Updated time.Time `ddb:"updated"`
}

type Postal struct{ City, Street string }

type Device struct {
	Name string
	Uses int
}

type Memo struct {
	_ ddb.Entity `name:"Memo" pk:"MEMO#{ID}" sk:"MEMO"`

	ID, Text string
}

// newAccounts is a table with an account.
func newAccounts(t *testing.T) (*ddb.Definition[Account], Account) {
	t.Helper()
	db := memory.New()
	now := at("2024-05-01T12:00:00Z")
	table := ddb.NewTable("AppTable", db, ddb.Clock(func() time.Time { now = now.Add(time.Second); return now }))
	accounts := ddb.Define[Account](table)
	create(t, db, table)
	a := Account{
		ID: "a1", Plan: "FREE", Since: at("2024-01-01T00:00:00Z"), Email: "Grace@example.com", Credit: 10,
		Limits: map[string]int{"api.calls": 100}, Devices: []Device{{Name: "phone"}}, Address: Postal{City: "Köln"},
	}
	must(t, accounts.Create(&a).Run(context.Background()))
	return accounts, a
}

// TestVerbs runs what the guide says of verbs and conditions.
func TestVerbs(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	accounts, a := newAccounts(t)

	b := Account{ID: "b1", Plan: "FREE", Since: a.Since, Email: "b@example.com"}
	err := accounts.Create(&b).Run(ctx) // ErrExists if there is an account b1
	must(t, err)
	err = accounts.Put(&b).Run(ctx) // replaces it; ErrVersion if it is not the version that b is
	must(t, err)
	equal(t, "version", b.Version, 2)

	plan := ddb.Field(accounts, func(a *Account) *string { return &a.Plan })
	credit := ddb.Field(accounts, func(a *Account) *int { return &a.Credit })

	got, err := accounts.Update(a).From(a).Set(plan.To("PRO"), credit.Add(-5)).If(credit.Ge(5)).Run(ctx)
	must(t, err)
	equal(t, "credit", got.Credit, 5)

	_, err = accounts.Update(a).Set(credit.Add(-50)).If(credit.Ge(50)).Run(ctx)
	if failed, ok := errors.AsType[*ddb.ConditionError](err); ok {
		stored, err := accounts.Decode(failed.Item) // what stood against it
		must(t, err)
		equal(t, "stored", stored.Credit, 5)
	} else {
		t.Errorf("got %v, want a ConditionError", err)
	}

	got, err = accounts.Modify(ctx, a, func(a *Account) error {
		if a.Credit < 3 {
			return errors.New("not enough")
		}
		a.Credit -= 3
		return nil
	})
	must(t, err)
	equal(t, "credit", got.Credit, 2)

	old, err := accounts.Delete(b).RunOld(ctx) // old.Found, old.Value
	must(t, err)
	equal(t, "old", old.Value.Email, "b@example.com")
}

// TestHandles runs what the guide says of handles.
func TestHandles(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	accounts, a := newAccounts(t)

	city := ddb.Field(accounts, func(a *Account) *string { return &a.Address.City })
	limits := ddb.Field(accounts, func(a *Account) *map[string]int { return &a.Limits })
	devices := ddb.Field(accounts, func(a *Account) *[]Device { return &a.Devices })
	tags := ddb.Field(accounts, func(a *Account) *[]string { return &a.Tags })

	calls := ddb.Entry(limits, "api.calls") // the dot is part of the key
	uses := ddb.FieldOf(ddb.Element(devices, 0), func(d *Device) *int { return &d.Uses })

	got, err := accounts.Update(a).Set(city.To("Bonn"), calls.Add(50), uses.Add(1), tags.Add([]string{"beta"})).If(devices.Size().Lt(5)).Run(ctx)
	must(t, err)
	equal(t, "limits", got.Limits, map[string]int{"api.calls": 150})
	equal(t, "uses", got.Devices[0].Uses, 1)
	equal(t, "tags", got.Tags, []string{"beta"})

	credit := ddb.Field(accounts, func(a *Account) *int { return &a.Credit })
	debt := ddb.Field(accounts, func(a *Account) *int { return &a.Debt })
	got, err = accounts.Update(a).
		Set(debt.ToExpr(expression.Plus(credit.Name(), expression.Value(1)))).
		If(debt.LtAttr(credit).Or(accounts.Cond(expression.Name("Debt").AttributeNotExists()))).
		Run(ctx)
	must(t, err)
	equal(t, "debt", got.Debt, 11)

	path, err := accounts.Path(`Limits."api.calls"`) // ErrExpression if there is no such attribute
	must(t, err)
	got, err = accounts.Update(a).Set(path.To(7.0)).Run(ctx) // a float64, as JSON brings numbers
	must(t, err)
	equal(t, "by path", got.Limits["api.calls"], 7)
}

// TestIndexKeysFollow runs what the guide says of index keys.
func TestIndexKeysFollow(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	accounts, a := newAccounts(t)
	plan := ddb.Field(accounts, func(a *Account) *string { return &a.Plan })
	since := ddb.Field(accounts, func(a *Account) *time.Time { return &a.Since })

	_, err := accounts.Update(Account{ID: "a1"}).Set(plan.To("PRO")).Run(ctx) // ErrIndexPartMissing: Since
	if !errors.Is(err, ddb.ErrIndexPartMissing) {
		t.Errorf("got %v, want ErrIndexPartMissing", err)
	}
	_, err = accounts.Update(Account{ID: "a1"}).Set(plan.To("PRO")).From(a).Run(ctx)
	must(t, err)
	_, err = accounts.Update(Account{ID: "a1"}).Set(plan.To("MAX"), since.To(a.Since)).Run(ctx)
	must(t, err)
	n, err := accounts.Query(Account{Plan: "MAX"}).Index("GSI1").Count(ctx)
	must(t, err)
	equal(t, "in the index", n, 1)
}

// TestUniqueValues runs what the guide says of unique fields.
func TestUniqueValues(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	accounts, a := newAccounts(t)
	email := ddb.Field(accounts, func(a *Account) *string { return &a.Email })

	b := Account{ID: "b1", Plan: "FREE", Since: a.Since, Email: "grace@EXAMPLE.com"}
	err := accounts.Create(&b).Run(ctx)
	if taken, ok := errors.AsType[*ddb.UniqueError](err); ok {
		equal(t, "field", taken.Field, "Email")
	} else {
		t.Errorf("got %v, want a UniqueError", err)
	}
	_, err = accounts.Update(a).Set(email.To("hopper@example.com")).Run(ctx)
	must(t, err)
	err = accounts.Create(&b).Run(ctx) // the address is free again
	must(t, err)

	for a, err := range accounts.Scan().All(ctx) {
		must(t, err)
		err = accounts.ClaimUnique(ctx, a)
		must(t, err)
	}
}

// TestTransfers runs what the guide says of transactions.
func TestTransfers(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	accounts, from := newAccounts(t)
	to := Account{ID: "b1", Plan: "FREE", Since: from.Since, Email: "b@example.com"}
	must(t, accounts.Create(&to).Run(ctx))
	credit := ddb.Field(accounts, func(a *Account) *int { return &a.Credit })

	err := ddb.Transact(
		accounts.Update(from).Set(credit.Add(-5)).If(credit.Ge(5)),
		accounts.Update(to).Set(credit.Add(5)),
	).Run(ctx)
	must(t, err)

	err = ddb.Transact(
		accounts.Update(from).Set(credit.Add(-50)).If(credit.Ge(50)),
		accounts.Update(to).Set(credit.Add(50)),
	).Run(ctx)
	if tx, ok := errors.AsType[*ddb.TxError](err); ok {
		poor := errors.Is(tx.Reasons[0], ddb.ErrConditionFailed) // tx.Reasons[1] is nil
		equal(t, "poor", poor, true)
	} else {
		t.Errorf("got %v, want a TxError", err)
	}
}

// TestBatches runs what the guide says of batches.
func TestBatches(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := memory.New()
	table := ddb.NewTable("AppTable", db)
	memos := ddb.Define[Memo](table)
	create(t, db, table)
	var done int

	writes := []ddb.BatchWrite{memos.Put(&Memo{ID: "1"}), memos.Put(&Memo{ID: "2"}), memos.Delete(Memo{ID: "3"})}
	err := ddb.Batch(writes...).Progress(func(n, of int) { done = n }).Run(ctx)
	if left, ok := errors.AsType[*ddb.BatchError](err); ok {
		for _, i := range left.Left {
			_ = writes[i] // was not carried out; the others were
		}
	}
	must(t, err)
	equal(t, "progress", done, 3)

	found, err := memos.GetAll(ctx, Memo{ID: "1"}, Memo{ID: "9"}, Memo{ID: "2"}) // found[1] is nil
	must(t, err)
	equal(t, "gap", found[1] == nil && found[2].ID == "2", true)
}

// TestInputs runs what the guide says of the SDK's inputs.
func TestInputs(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	accounts, a := newAccounts(t)
	credit := ddb.Field(accounts, func(a *Account) *int { return &a.Credit })

	op := accounts.Update(a).Set(credit.Add(1)).Edit(func(in *dynamodb.UpdateItemInput) {
		in.ReturnItemCollectionMetrics = types.ReturnItemCollectionMetricsSize
	})
	in, err := op.Input() // what Run would send
	must(t, err)
	equal(t, "edited", in.ReturnItemCollectionMetrics, types.ReturnItemCollectionMetricsSize)
	whole, err := ddb.Transact(accounts.Delete(a)).Input(ctx) // with the markers that go with it
	must(t, err)
	equal(t, "actions", len(whole.TransactItems), 2)
}
