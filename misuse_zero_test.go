package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// failure is the error that a read ended with.
func failure[V any](_ V, err error) error { return err }

// lastOf is the error that a sequence ended with.
func lastOf[V any](seq iter.Seq2[V, error]) (err error) {
	for _, err = range seq {
	}
	return err
}

// outcome returns what a call returns; a panic counts as a failure of its own.
func outcome(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it panicked: %v", p)
		}
	}()
	return call()
}

// TestZeroReads asserts that whatever was never made, and whatever is nil, is an
// error that can be told, where it is used.
func TestZeroReads(t *testing.T) {
	t.Parallel()
	s, db := open(t)
	ctx := t.Context()
	put(t, s.notes, Note{UserID: "u", NoteID: "1"})
	notes, none := s.notes.Query(Note{UserID: "u"}), (*ddb.Definition[Note])(nil)
	var zero ddb.Definition[Note]
	var unset ddb.Attribute[Note, string]
	for name, test := range map[string]struct {
		call func() error
		want error
	}{
		"query":           {func() error { return lastOf(ddb.QueryOp[Note]{}.All(ctx)) }, ddb.ErrDefinition},
		"query input":     {func() error { return failure(ddb.QueryOp[Note]{}.Input()) }, ddb.ErrDefinition},
		"query count":     {func() error { return failure(ddb.QueryOp[Note]{}.Index("GSI1").Count(ctx)) }, ddb.ErrDefinition},
		"query page":      {func() error { return failure(ddb.QueryOp[Note]{}.Limit(1).Project(nil).Page(ctx, "x")) }, ddb.ErrDefinition},
		"scan":            {func() error { return failure(ddb.ScanOp[Note]{}.Filter(ddb.Cond[Note]{}).First(ctx)) }, ddb.ErrDefinition},
		"scan input":      {func() error { return failure(ddb.ScanOp[Note]{}.Input()) }, ddb.ErrDefinition},
		"get":             {func() error { return failure(ddb.GetOp[Note]{}.HideExpired().Run(ctx)) }, ddb.ErrDefinition},
		"get in a batch":  {func() error { return ddb.BatchGet(ddb.GetOp[Note]{}.Into(new(ddb.Result[Note]))).Run(ctx) }, ddb.ErrDefinition},
		"reshard":         {func() error { return failure(ddb.ReshardOp[Note]{}.Run(ctx)) }, ddb.ErrDefinition},
		"collection":      {func() error { return failure(ddb.CollectionOp{}.Only(s.notes).Load(ctx)) }, ddb.ErrDefinition},
		"no partition":    {func() error { return failure(s.table.Collection(ddb.Partition{}.Index("x")).Load(ctx)) }, ddb.ErrIndex},
		"sum":             {func() error { return failure(ddb.Sum(ctx, ddb.QueryOp[Note]{}, func(Note) int { return 1 })) }, ddb.ErrDefinition},
		"sum of nothing":  {func() error { return failure(ddb.Sum(ctx, nil, func(Note) int { return 1 })) }, ddb.ErrExpression},
		"sum by nothing":  {func() error { return failure(ddb.Sum[Note, int](ctx, notes, nil)) }, ddb.ErrExpression},
		"max by nothing":  {func() error { return failure(ddb.Max[Note, int](ctx, notes, nil)) }, ddb.ErrExpression},
		"fold by nothing": {func() error { return failure(ddb.Fold[Note, int](ctx, notes, nil, nil, nil)) }, ddb.ErrExpression},
		"each":            {func() error { return ddb.Each(ctx, notes, nil) }, ddb.ErrExpression},
		"read":            {func() error { return ddb.TransactGet(ddb.Read{}).Run(ctx) }, ddb.ErrExpression},
		"no result":       {func() error { return ddb.TransactGet(s.notes.Get(Note{UserID: "u", NoteID: "1"}).Into(nil)).Run(ctx) }, ddb.ErrExpression},
		"zero definition": {func() error { return failure(zero.Get(Note{}).Run(ctx)) }, ddb.ErrDefinition},
		"its partition":   {func() error { return failure(s.table.Collection(zero.Partition(Note{})).Load(ctx)) }, ddb.ErrIndex},
		"its path":        {func() error { return failure(zero.Path("Text")) }, ddb.ErrDefinition},
		"its item":        {func() error { return failure(zero.Decode(nil)) }, ddb.ErrDefinition},
		"its batch":       {func() error { return failure(zero.GetAll(ctx, Note{})) }, ddb.ErrDefinition},
		"nil definition":  {func() error { return lastOf(none.Query(Note{}).All(ctx)) }, ddb.ErrDefinition},
		"its scan":        {func() error { return failure(none.ParallelScan(2).Count(ctx)) }, ddb.ErrDefinition},
		"its name":        {func() error { _ = none.Name() + zero.Name(); return nil }, nil},
		"its handle": {func() error {
			return failure(notes.Filter(ddb.Field(none, func(n *Note) *string { return &n.Text }).Eq("")).Count(ctx))
		}, ddb.ErrDefinition},
		"handle":           {func() error { return failure(notes.Filter(unset.Eq("x")).Count(ctx)) }, ddb.ErrDefinition},
		"handle projected": {func() error { return failure(notes.Project(unset).First(ctx)) }, ddb.ErrDefinition},
		"nil projected":    {func() error { return failure(s.notes.Get(Note{UserID: "u", NoteID: "1"}).Project(nil).Run(ctx)) }, ddb.ErrDefinition},
		"nil edit":         {func() error { return failure(notes.Edit(nil).First(ctx)) }, nil},
		"only nil": {func() error {
			return failure(s.table.Collection(s.notes.Partition(Note{UserID: "u"})).Only(nil).Load(ctx))
		}, ddb.ErrExpression},
		"only a nil one": {func() error {
			return failure(s.table.Collection(s.notes.Partition(Note{UserID: "u"})).Only(none).Load(ctx))
		}, ddb.ErrExpression},
		"nil context":       {func() error { return failure(notes.First(noContext)) }, ddb.ErrExpression},
		"nil context, many": {func() error { return failure(s.notes.ParallelScan(3).Count(noContext)) }, ddb.ErrExpression},
		"table":             {func() error { return failure(ddb.Define[Note](&ddb.Table{}).Get(Note{}).Run(ctx)) }, ddb.ErrDefinition},
		"no table":          {func() error { return failure(ddb.Define[Note](nil).Get(Note{}).Run(ctx)) }, ddb.ErrDefinition},
		"zero table":        {func() error { return (&ddb.Table{}).Err() }, ddb.ErrDefinition},
		"nil table": {func() error {
			var none *ddb.Table
			none.Declare(ddb.QueryOp[Note]{})
			if none.Name() != "" || fmt.Sprint(none) == "" || none.Now().IsZero() {
				return errors.New("the nil table does not tell what it is")
			}
			return none.Err()
		}, ddb.ErrDefinition},
		"schema of a nil table":   {func() error { return failure((*ddb.Table)(nil).Schema()) }, ddb.ErrDefinition},
		"creation of a nil table": {func() error { return failure((*ddb.Table)(nil).CreateTableInput()) }, ddb.ErrDefinition},
		"expiry of a nil table":   {func() error { return failure((*ddb.Table)(nil).UpdateTimeToLiveInput()) }, ddb.ErrDefinition},
		"item of a nil table":     {func() error { return (*ddb.Table)(nil).Verify(nil) }, ddb.ErrDefinition},
		"collection of a nil table": {func() error {
			return failure((*ddb.Table)(nil).Collection(s.notes.Partition(Note{UserID: "u"})).Load(ctx))
		}, ddb.ErrDefinition},
		"nil option":  {func() error { return ddb.NewTable("Shop", db, nil).Err() }, nil},
		"nil client":  {func() error { return ddb.NewTable("Shop", (*dynamodb.Client)(nil)).Err() }, ddb.ErrDefinition},
		"nil pattern": {func() error { t := ddb.NewTable("Shop", db); t.Declare(nil, (*ddb.QueryOp[Note])(nil)); return t.Err() }, ddb.ErrDefinition},
		"zero pattern": {func() error {
			t := ddb.NewTable("Shop", db)
			t.Declare(ddb.QueryOp[Note]{}.Named("x"), ddb.GetOp[Note]{})
			return t.Err()
		}, ddb.ErrDefinition},
		"changes":         {func() error { return (&ddb.Changes{}).Handle(ctx, ddb.Record{}) }, ddb.ErrDefinition},
		"changes of none": {func() error { return ddb.NewChanges(nil, nil).Err() }, ddb.ErrDefinition},
		"nil changes":     {func() error { var c *ddb.Changes; ddb.On(c, s.notes, nil); return c.Err() }, ddb.ErrDefinition},
		"its changes":     {func() error { c := ddb.NewChanges(s.table); ddb.On(c, none, nil); return c.Err() }, ddb.ErrDefinition},
		"stream":          {func() error { return ddb.NewChanges(s.table).Follow(nil).CatchUp(ctx) }, ddb.ErrDefinition},
		"follow":          {func() error { return ddb.FollowOp{}.Checkpoints(nil).OnError(nil).Run(ctx) }, ddb.ErrDefinition},
	} {
		err := outcome(test.call)
		if !errors.Is(err, test.want) || err != nil && !strings.HasPrefix(err.Error(), "ddb: ") {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
	}
	if got := ddb.Of(nil, s.notes); len(got) != 0 {
		t.Errorf("got %v of no collection", got)
	}
}

// TestErrorsOfNothing asserts that errors which the package did not make have texts
// and can be tested, and that sizes can be asked of what is missing.
func TestErrorsOfNothing(t *testing.T) {
	t.Parallel()
	for _, err := range []error{&ddb.OpError{Op: "Get"}, &ddb.ConditionError{}, &ddb.DefinitionError{}, &ddb.ChangeError{}, &ddb.EncodeError{}, &ddb.DecodeError{}} {
		if err.Error() == "" || errors.Is(err, ddb.ErrNotFound) {
			t.Errorf("%T: got %q", err, err)
		}
	}
	if !errors.Is(&ddb.ConditionError{}, ddb.ErrConditionFailed) {
		t.Error("a ConditionError is no failed condition")
	}
	of := map[string]types.AttributeValue{
		"a": nil, "b": &types.AttributeValueMemberL{Value: []types.AttributeValue{nil}}, "c": (*types.AttributeValueMemberS)(nil),
	}
	if got, want := ddb.ItemSize(of), 3+3+1; got != want {
		t.Errorf("got %d bytes, want %d", got, want)
	}
}

// silent is a backend that answers nothing, as stand-ins made by mocking tools do.
type silent struct{ ddb.Backend }

func (silent) GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return nil, nil
}
func (silent) Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return nil, nil
}
func (silent) Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	return nil, nil
}
func (silent) BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	return nil, nil
}
func (silent) TransactGetItems(context.Context, *dynamodb.TransactGetItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactGetItemsOutput, error) {
	return nil, nil
}

// TestSilentBackend asserts that no reply is an empty one, also to observers that
// leave out what they need not give.
func TestSilentBackend(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	quiet := ddb.Trace(func(context.Context, ddb.Call) (context.Context, func(ddb.Call)) { return nil, nil })
	for _, opts := range [][]ddb.TableOption{nil, {quiet, ddb.Observe(nil), ddb.Trace(nil), ddb.Clock(nil)}} {
		s := newShop(silent{}, opts...)
		if _, err := s.notes.Get(Note{UserID: "u", NoteID: "1"}).Run(ctx); !errors.Is(err, ddb.ErrNotFound) {
			t.Errorf("get: got %v, want ErrNotFound", err)
		}
		if n, err := s.notes.Query(Note{UserID: "u"}).Count(ctx); n != 0 || err != nil {
			t.Errorf("query: got %d and %v", n, err)
		}
		if page, err := s.notes.Scan().Page(ctx, ""); len(page.Items) != 0 || err != nil {
			t.Errorf("scan: got %v and %v", page, err)
		}
		if all, err := s.notes.GetAll(ctx, Note{UserID: "u", NoteID: "1"}); len(all) != 1 || all[0] != nil || err != nil {
			t.Errorf("batch: got %v and %v", all, err)
		}
		got := ddb.Result[Note]{Found: true}
		if err := ddb.TransactGet(s.notes.Get(Note{UserID: "u", NoteID: "1"}).Into(&got)).Run(ctx); got.Found || err != nil {
			t.Errorf("transaction: got %v and %v", got, err)
		}
	}
}

// noContext is what a caller passes who has none.
var noContext context.Context

// TestFaultsOfHandles asserts that a handle which cannot be made fails where it is
// used, with its place, and that neither it nor a faulty pattern keeps anything else
// from working.
func TestFaultsOfHandles(t *testing.T) {
	t.Parallel()
	s := newShop(memory.New())
	outside := ""
	ddb.Field(s.users, func(*User) *string { return &outside })
	if err := s.table.Err(); !errors.Is(err, ddb.ErrDefinition) {
		t.Errorf("got %v, want the handle's fault", err)
	}
	s, _ = open(t)
	ctx := t.Context()
	put(t, s.users, User{ID: "u", Email: "e"})
	faulty := ddb.Field(s.users, func(*User) *string { return &outside })
	s.table.Declare(s.users.Get(User{}).Named("x"))
	for name, test := range map[string]struct {
		c    ddb.Cond[User]
		want string
	}{
		"element of a set": {ddb.Element(s.tags, 0).Eq("x"), "ddb: Query Shop: User.Tags: faulty definition: ddb.Element: []string is not stored as a list"},
		"no field":         {faulty.Eq("x"), "ddb: Query Shop: User: faulty definition: ddb.Field: the function must return"},
		"never made":       {ddb.Attribute[User, string]{}.Exists(), "ddb: Query Shop: User: faulty definition: an attribute handle was used"},
	} {
		_, err := s.users.Query(User{ID: "u"}).Filter(test.c).Count(ctx)
		if !errors.Is(err, ddb.ErrDefinition) || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
	if n, err := s.users.Query(User{ID: "u"}).Count(ctx); n != 1 || err != nil {
		t.Errorf("got %d and %v, want the item", n, err)
	}
	if err := s.users.Put(&User{ID: "u", Email: "f"}).Run(ctx); err != nil {
		t.Error(err)
	}
	if _, err := s.table.Schema(); !errors.Is(err, ddb.ErrDefinition) {
		t.Errorf("got %v, want the fault of the pattern", err)
	}
}
