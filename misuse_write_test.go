package ddb_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/seed530093c6/ddb"
)

// TestWritesThatNobodyMade asserts that the operations of no Definition, and of the
// zero one, fail as faulty definitions do.
func TestWritesThatNobodyMade(t *testing.T) {
	t.Parallel()
	s := newShop(unreachable{})
	ctx := t.Context()
	one := func(_ Note, err error) error { return err }
	old := func(_ ddb.Result[Note], err error) error { return err }
	n := Note{UserID: "u", NoteID: "n"}
	good := s.notes.Put(&n)
	var put *ddb.PutOp[Note]
	errs := map[string]error{
		"put":         ddb.PutOp[Note]{}.Run(ctx),
		"put, more":   old(ddb.PutOp[Note]{}.If(ddb.Cond[Note]{}).HideExpired().Named("x").Edit(nil).RunOld(ctx)),
		"update":      one(ddb.UpdateOp[Note]{}.Run(ctx)),
		"update more": old(ddb.UpdateOp[Note]{}.Set(ddb.Assign[Note]{}).From(n).HideExpired().Named("x").Edit(nil).RunOld(ctx)),
		"delete":      ddb.DeleteOp[Note]{}.MustExist().HideExpired().Named("x").Edit(nil).Run(ctx),
		"check":       ddb.Transact(ddb.CheckOp[Note]{}.HideExpired().If(ddb.Cond[Note]{})).Run(ctx),
		"transaction": ddb.Transact(good, ddb.PutOp[Note]{}).Run(ctx),
		"batch":       ddb.Batch(good, ddb.DeleteOp[Note]{}).Run(ctx),
		"once":        func() error { _, err := ddb.Once(ctx, nil, &n); return err }(),
	}
	for name, d := range map[string]*ddb.Definition[Note]{"nil": nil, "zero": {}} {
		errs[name+" create"] = d.Create(&n).Run(ctx)
		errs[name+" put"] = d.Put(&n).Run(ctx)
		errs[name+" update"] = one(d.Update(n).Run(ctx))
		errs[name+" upsert"] = one(d.Upsert(n).Run(ctx))
		errs[name+" delete"] = d.Delete(n).Run(ctx)
		errs[name+" check"] = ddb.Transact(d.Check(n)).Run(ctx)
		errs[name+" modify"] = one(d.Modify(ctx, n, func(*Note) error { return nil }))
		errs[name+" claim"] = d.ClaimUnique(ctx, n)
	}
	for name, err := range errs {
		if !errors.Is(err, ddb.ErrDefinition) || !strings.Contains(err.Error(), "ddb.Define") {
			t.Errorf("%s: got %v, want ErrDefinition", name, err)
		}
	}
	for name, err := range map[string]error{
		"nil in a transaction":         ddb.Transact(good, nil).Run(ctx),
		"nil pointer in a transaction": ddb.Transact(good, put).Run(ctx),
		"nil pointer in a batch":       ddb.Batch(good, put).Run(ctx),
		"Retry of nothing":             ddb.Retry(ctx, nil),
		"Modify by nothing":            one(s.notes.Modify(ctx, n, nil)),
		"zero transaction":             ddb.TxOp{}.Run(ctx),
	} {
		if !errors.Is(err, ddb.ErrExpression) || !strings.HasPrefix(err.Error(), "ddb: ") {
			t.Errorf("%s: got %v, want ErrExpression", name, err)
		}
	}
	if err := s.notes.Put(nil).Run(ctx); !errors.Is(err, ddb.ErrKey) {
		t.Errorf("put of nil: got %v, want ErrKey", err)
	}
	if err := (ddb.BatchOp{}).Run(ctx); err != nil {
		t.Errorf("zero batch: got %v, want nothing done", err)
	}
}

// wordless is a backend whose writes answer with nothing at all, as stand-ins do.
type wordless struct{ ddb.Backend }

func (wordless) PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	return nil, nil
}

func (wordless) UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	return nil, nil
}

func (wordless) DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	return nil, nil
}

func (wordless) BatchWriteItem(context.Context, *dynamodb.BatchWriteItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	return nil, nil
}

func (wordless) TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	return nil, nil
}

// TestWritesOfSilentBackends asserts that writes take no reply for an empty one.
func TestWritesOfSilentBackends(t *testing.T) {
	t.Parallel()
	s := newShop(wordless{})
	ctx := t.Context()
	n := Note{UserID: "u", NoteID: "n"}
	_, old := s.notes.Delete(n).RunOld(ctx)
	for name, err := range map[string]error{
		"put": s.notes.Put(&n).Run(ctx), "delete": s.notes.Delete(n).Run(ctx), "delete of what was": old,
		"batch": ddb.Batch(s.notes.Put(&n)).Run(ctx), "transaction": ddb.Transact(s.notes.Put(&n)).Run(ctx),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.orders.Update(order("u", "o", "2024-05-20T12:00:00Z", "NEW")).Set(s.total.To(1)).Run(ctx); !errors.Is(err, ddb.ErrDecode) {
		t.Errorf("update: got %v, want ErrDecode", err)
	}
}

// TestForeignHandlesInWrites asserts that conditions of writes, like changes, take
// the handles of their own definition only.
func TestForeignHandlesInWrites(t *testing.T) {
	t.Parallel()
	s, other := newShop(unreachable{}), newShop(unreachable{})
	ctx := t.Context()
	o := order("u", "o", "2024-05-20T12:00:00Z", "NEW")
	_, update := s.orders.Update(o).Set(s.total.To(1)).If(other.total.Eq(1)).Run(ctx)
	for name, err := range map[string]error{
		"put": s.orders.Put(&o).If(s.total.Eq(1).And(other.total.Eq(1))).Run(ctx), "update": update,
		"delete": s.orders.Delete(o).If(other.total.Size().Eq(1)).Run(ctx),
		"check":  ddb.Transact(s.orders.Check(o).If(other.total.Eq(1).Not())).Run(ctx),
	} {
		if !errors.Is(err, ddb.ErrExpression) || !strings.Contains(err.Error(), "Order.Total: ") {
			t.Errorf("%s: got %v, want ErrExpression of the handle", name, err)
		}
	}
}

// TestSetsWithMembersTwice asserts that no set which DynamoDB would refuse is sent.
func TestSetsWithMembersTwice(t *testing.T) {
	t.Parallel()
	s := newShop(unreachable{})
	many := strings.Split(strings.Repeat("a", 20)+strings.Repeat("b", 20), "")
	for i := range many {
		many[i] += strings.Repeat("x", i%20)
	}
	for name, c := range map[string]struct {
		tags  []string
		field string
	}{"few": {[]string{"a", "b", "a"}, "Tags[2]"}, "many": {append(many, many[3]), "Tags[40]"}} {
		err := s.users.Put(&User{ID: "u", Tags: c.tags}).Run(t.Context())
		if op, ok := errors.AsType[*ddb.OpError](err); !errors.Is(err, ddb.ErrEncode) || !ok || op.Field != c.field {
			t.Errorf("%s: got %v, want ErrEncode of %s", name, err, c.field)
		}
		_, err = s.users.Update(User{ID: "u"}).Set(s.tags.Add(c.tags)).Run(t.Context())
		if !errors.Is(err, ddb.ErrEncode) || !strings.Contains(err.Error(), "User.Tags: ") {
			t.Errorf("%s, added: got %v, want ErrEncode of the field", name, err)
		}
		if _, err := s.users.Item(&User{ID: "u", Tags: c.tags[:len(c.tags)-1]}); err != nil {
			t.Errorf("%s, each once: %v", name, err)
		}
	}
}
