package ddb_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// What callers get wrong, and backends: it ends in an error, in the caller's own
// goroutine, before anything is sent.

// TestTextThatIsNone asserts that no text which JSON would change on its way to
// DynamoDB is sent, neither in items nor by handles.
func TestTextThatIsNone(t *testing.T) {
	t.Parallel()
	s := newShop(unreachable{})
	ctx := t.Context()
	ann := User{ID: "ann"}
	update := func(op ddb.UpdateOp[User]) error {
		_, err := op.Run(ctx)
		return err
	}
	rename := s.users.Update(ann).Set(s.city.To("x"))
	for name, test := range map[string]struct {
		err   error
		want  error
		field string
	}{
		"item":            {s.users.Put(&User{ID: "ann", Name: "x\xffy"}).Run(ctx), ddb.ErrEncode, "Name"},
		"inside an item":  {s.users.Put(&User{ID: "ann", Address: Address{City: "\xff"}}).Run(ctx), ddb.ErrEncode, "Address.City"},
		"set":             {s.users.Put(&User{ID: "ann", Tags: []string{"a", "\xff"}}).Run(ctx), ddb.ErrEncode, "Tags[1]"},
		"assigned":        {update(s.users.Update(ann).Set(s.name.To("\xff"))), ddb.ErrEncode, "Name"},
		"assigned inside": {update(s.users.Update(ann).Set(s.city.SetIfAbsent("\xff"))), ddb.ErrEncode, "Address.City"},
		"added":           {update(s.users.Update(ann).Set(s.tags.Add([]string{"\xff"}))), ddb.ErrEncode, "Tags"},
		"compared":        {update(rename.If(s.name.Eq("x\xfey"))), ddb.ErrEncode, "Name"},
		"one of many":     {update(rename.If(s.name.In("a", "\xff"))), ddb.ErrEncode, "Name"},
		"beginning":       {update(rename.If(s.name.BeginsWith("\xff"))), ddb.ErrEncode, "Name"},
		"member":          {update(rename.If(s.tags.Contains("\xff"))), ddb.ErrEncode, "Tags"},
		"key":             {update(s.users.Update(User{ID: "\xff"}).Set(s.name.To("x"))), ddb.ErrKey, "ID"},
	} {
		var op *ddb.OpError
		if !errors.Is(test.err, test.want) || !errors.As(test.err, &op) || op.Field != test.field {
			t.Errorf("%s: got %v, want %v at %s", name, test.err, test.want, test.field)
		}
	}
	if _, err := s.orders.Path(`Lines."\xff"`); !errors.Is(err, ddb.ErrExpression) {
		t.Errorf("got %v, want ErrExpression", err)
	}
}

// TestCursorSecrets asserts that no table signs cursors with a secret that anybody
// knows, and that a caller who wipes a secret does not wipe the table's.
func TestCursorSecrets(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][][]byte{
		"none": {}, "nil": {nil}, "empty": {{}}, "empty beside a good one": {[]byte("good"), {}}, "empty text": {[]byte("")},
	} {
		if err := ddb.NewTable("Shop", unreachable{}, ddb.CursorKeys(keys...)).Err(); !errors.Is(err, ddb.ErrDefinition) {
			t.Errorf("%s: got %v, want ErrDefinition", name, err)
		}
	}
	secret := []byte("secret")
	s, db := open(t, ddb.CursorKeys(secret))
	put(t, s.notes, Note{UserID: "u", NoteID: "1"}, Note{UserID: "u", NoteID: "2"})
	page, err := s.notes.Query(Note{UserID: "u"}).Limit(1).Page(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	clear(secret)
	same := newShop(backend(t, db), ddb.CursorKeys([]byte("secret")))
	if _, err := s.notes.Query(Note{UserID: "u"}).Limit(1).Page(t.Context(), page.Next); err != nil {
		t.Error(err)
	}
	if _, err := same.notes.Query(Note{UserID: "u"}).Limit(1).Page(t.Context(), page.Next); err != nil {
		t.Error(err)
	}
}

// TestFieldsInTheKeyAlone asserts that every read finds in the key what an item has
// no attribute for, and leaves alone what it has one for.
func TestFieldsInTheKeyAlone(t *testing.T) {
	t.Parallel()
	s, db := open(t)
	ctx := t.Context()
	key := func(sk string, more storedItem) storedItem {
		more["PK"], more["SK"] = &types.AttributeValueMemberS{Value: "USER#u"}, &types.AttributeValueMemberS{Value: sk}
		return more
	}
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	bare := key("NOTE#1", storedItem{"EntityType": text("Note"), "Text": text("hello")})
	odd := key("NOTE#2", storedItem{"EntityType": text("Note"), "UserID": text("other"), "NoteID": text("")})
	for _, it := range []storedItem{bare, odd} {
		if _, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("Shop"), Item: it}); err != nil {
			t.Fatal(err)
		}
	}
	want := []Note{{UserID: "u", NoteID: "1", Text: "hello"}, {UserID: "other"}}
	compare := func(name string, got []Note, err error) {
		t.Helper()
		if diff := cmp.Diff(want, got, ignoreMarkers); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
	first, err := s.notes.Get(Note{UserID: "u", NoteID: "1"}).Run(ctx)
	second, err2 := s.notes.Get(Note{UserID: "u", NoteID: "2"}).Run(ctx)
	compare("get", []Note{first, second}, errors.Join(err, err2))
	page, err := s.notes.Query(Note{UserID: "u"}).Limit(9).Page(ctx, "")
	compare("query", page.Items, err)
	page, err = s.notes.Scan().Limit(9).Page(ctx, "")
	compare("scan", page.Items, err)
	all, err := s.notes.GetAll(ctx, Note{UserID: "u", NoteID: "1"}, Note{UserID: "u", NoteID: "2"})
	compare("batch", []Note{*all[0], *all[1]}, err)
	c, err := s.table.Collection(s.notes.Partition(Note{UserID: "u"})).Load(ctx)
	compare("collection", ddb.Of(c, s.notes), err)
	decoded, err := s.notes.Decode(bare)
	compare("decode", []Note{decoded, {UserID: "other"}}, err)
	changed, err := s.notes.Modify(ctx, Note{UserID: "u", NoteID: "1"}, func(n *Note) error { n.Text += "!"; return nil })
	if want := (Note{UserID: "u", NoteID: "1", Text: "hello!"}); err != nil || cmp.Diff(want, changed, ignoreMarkers) != "" {
		t.Errorf("got %v and %v, want %v", changed, err, want)
	}
	for _, it := range []storedItem{bare, odd} {
		if err := s.table.Verify(it); !errors.Is(err, ddb.ErrKey) {
			t.Errorf("got %v, want ErrKey", err)
		}
	}
}

type storedItem = map[string]types.AttributeValue

// TestNoCondition asserts that the zero condition is always true wherever it is
// joined to others, and has no opposite.
func TestNoCondition(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ctx := t.Context()
	put(t, s.users, User{ID: "u", Email: "e", Name: "n"})
	var none ddb.Cond[User]
	never := s.name.Eq("other")
	for name, test := range map[string]struct {
		c    ddb.Cond[User]
		want error
	}{
		"none":             {none, nil},
		"none or":          {none.Or(never), nil},
		"or none":          {never.Or(none), nil},
		"none and":         {none.And(never), ddb.ErrConditionFailed},
		"not none":         {none.Not(), ddb.ErrExpression},
		"not none or":      {none.Not().Or(never), ddb.ErrExpression},
		"not (x or none)":  {never.Or(none).Not(), ddb.ErrExpression},
		"not not":          {never.Not().Not(), ddb.ErrConditionFailed},
		"faulty or none":   {s.name.In().Or(none), ddb.ErrExpression},
		"none or not none": {none.Or(none.Not()), ddb.ErrExpression},
	} {
		if _, err := s.users.Update(User{ID: "u"}).Set(s.city.To("x")).If(test.c).Run(ctx); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
	}
	if err := s.users.Delete(User{ID: "u"}).If(none.Not()).Run(ctx); !errors.Is(err, ddb.ErrExpression) {
		t.Errorf("got %v, want ErrExpression", err)
	}
	if _, err := s.users.Get(User{ID: "u"}).Run(ctx); err != nil {
		t.Error(err)
	}
	if _, err := s.users.Query(User{ID: "u"}).Filter(none.Not()).Count(ctx); !errors.Is(err, ddb.ErrExpression) {
		t.Errorf("got %v, want ErrExpression", err)
	}
}

// stubborn is a backend that never looks at the context and whose pages never end.
type stubborn struct {
	ddb.Backend
	calls  int
	cancel func() // called with the third call
}

func (s *stubborn) Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if s.calls++; s.calls == 3 {
		s.cancel()
	}
	return &dynamodb.QueryOutput{LastEvaluatedKey: storedItem{
		"PK": &types.AttributeValueMemberS{Value: "USER#u"}, "SK": &types.AttributeValueMemberS{Value: "NOTE#1"},
	}}, nil
}

// TestEndlessPages asserts that what reads page after page looks at the context
// before each, whatever the backend does.
func TestEndlessPages(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func(context.Context, shop) error{
		"all": func(ctx context.Context, s shop) (err error) {
			for _, err = range s.notes.Query(Note{UserID: "u"}).All(ctx) {
			}
			return err
		},
		"page": func(ctx context.Context, s shop) error {
			_, err := s.notes.Query(Note{UserID: "u"}).Limit(1).Page(ctx, "")
			return err
		},
		"count": func(ctx context.Context, s shop) error {
			_, err := s.notes.Query(Note{UserID: "u"}).Count(ctx)
			return err
		},
		"first": func(ctx context.Context, s shop) error {
			_, err := s.notes.Query(Note{UserID: "u"}).First(ctx)
			return err
		},
		"collection": func(ctx context.Context, s shop) error {
			_, err := s.table.Collection(s.notes.Partition(Note{UserID: "u"})).Load(ctx)
			return err
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		b := &stubborn{cancel: cancel}
		err := read(ctx, newShop(b))
		var op *ddb.OpError
		if !errors.Is(err, context.Canceled) || !errors.As(err, &op) || b.calls != 3 {
			t.Errorf("%s: got %v after %d calls, want an OpError that says the context has ended, after 3", name, err, b.calls)
		}
	}
}

// TestPanicsStayWithTheCaller asserts that a panic of a caller's function comes out
// of the call that was given it, though others of its kind run beside it.
func TestPanicsStayWithTheCaller(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ctx := t.Context()
	for _, id := range strings.Split("a b c d e f", " ") {
		put(t, s.notes, Note{UserID: "u" + id, NoteID: "1"})
	}
	mine := errors.New("mine")
	scan := s.notes.ParallelScan(4)
	for name, call := range map[string]func(){
		"each": func() {
			_ = ddb.Each(ctx, scan, func(context.Context, Note) error { panic(mine) })
		},
		"fold": func() {
			_, _ = ddb.Sum(ctx, scan, func(Note) int { panic(mine) })
		},
		"progress": func() {
			_ = ddb.Batch(s.notes.Put(&Note{UserID: "u", NoteID: "1"})).Progress(func(int, int) { panic(mine) }).Run(ctx)
		},
		"observer": func() {
			table := ddb.NewTable("Shop", memory.New(), ddb.Observe(func(context.Context, ddb.Call) { panic(mine) }))
			_, _ = ddb.Define[Note](table).ParallelScan(4).Count(ctx)
		},
	} {
		func() {
			defer func() {
				if got := recover(); got != mine {
					t.Errorf("%s: got %v, want the caller's panic", name, got)
				}
			}()
			call()
			t.Errorf("%s: it returned", name)
		}()
	}
}

// TestEndedGoroutinesEndTheCaller asserts that a caller's function which ends its
// goroutine, as FailNow of a test does, lets no call pass for done that is not.
func TestEndedGoroutinesEndTheCaller(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ctx := t.Context()
	for _, id := range strings.Split("a b c d e f", " ") {
		put(t, s.notes, Note{UserID: "u" + id, NoteID: "1"})
	}
	scan := s.notes.ParallelScan(4)
	for name, call := range map[string]func(){
		"each": func() {
			_ = ddb.Each(ctx, scan, func(context.Context, Note) error { runtime.Goexit(); return nil })
		},
		"fold": func() {
			_, _ = ddb.Sum(ctx, scan, func(Note) int { runtime.Goexit(); return 0 })
		},
		"progress": func() {
			_ = ddb.Batch(s.notes.Put(&Note{UserID: "u", NoteID: "1"})).Progress(func(int, int) { runtime.Goexit() }).Run(ctx)
		},
		"edit": func() {
			_, _ = scan.Edit(func(*dynamodb.ScanInput) { runtime.Goexit() }).First(ctx)
		},
	} {
		returned := false
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			call()
			returned = true
		}()
		if <-ended; returned {
			t.Errorf("%s: it returned as if all were done", name)
		}
	}
}
