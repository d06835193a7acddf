package ddb_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// sdkTypes lets go-cmp look into the SDK's values.
var sdkTypes = cmpopts.IgnoreUnexported(
	types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberB{},
	types.AttributeValueMemberBOOL{}, types.AttributeValueMemberNULL{}, types.AttributeValueMemberL{},
	types.AttributeValueMemberM{}, types.AttributeValueMemberSS{}, types.AttributeValueMemberNS{}, types.AttributeValueMemberBS{},
)

// stored returns every item of the table.
func stored(t rapidOrTest, db *memory.DB) []map[string]types.AttributeValue {
	t.Helper()
	out, err := db.Scan(context.Background(), scanOf("Shop"))
	if err != nil {
		t.Fatal(err)
	}
	return out.Items
}

type rapidOrTest interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// keyColumns returns the key attributes of an item.
func keyColumns(item map[string]types.AttributeValue) map[string]types.AttributeValue {
	out := make(map[string]types.AttributeValue)
	for name, v := range item {
		if name == "PK" || name == "SK" || strings.HasPrefix(name, "GSI") {
			out[name] = v
		}
	}
	return out
}

// TestKeysFollowAttributes asserts that after any history of writes on any path
// the stored key attributes are those that the stored attributes make.
func TestKeysFollowAttributes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		db := memory.New()
		s := newShop(db)
		in, err := s.table.CreateTableInput()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.CreateTable(context.Background(), in); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 12).Draw(t, "writes") {
			writeTask(t, s)
			writeOrder(t, s)
			checkTasks(t, s, db)
			checkOrders(t, s, db)
		}
		if err := db.Check(); err != nil {
			t.Fatal(err)
		}
	})
}

func checkTasks(t *rapid.T, s shop, db *memory.DB) {
	for _, item := range stored(t, db) {
		if item["EntityType"].(*types.AttributeValueMemberS).Value != "Task" {
			continue
		}
		id := item["TaskID"].(*types.AttributeValueMemberS).Value
		task, err := s.tasks.Get(Task{UserID: "u", TaskID: id}).Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		rebuilt, err := s.tasks.Put(&task).Input()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(keyColumns(rebuilt.Item), keyColumns(item), sdkTypes); diff != "" {
			t.Fatalf("%+v: keys (-of the attributes +stored):\n%s", task, diff)
		}
	}
}

func checkOrders(t *rapid.T, s shop, db *memory.DB) {
	for o, err := range s.orders.Query(Order{UserID: "u"}).All(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		rebuilt, err := s.orders.Put(&o).Input()
		if err != nil {
			t.Fatal(err)
		}
		out, err := db.GetItem(context.Background(), &dynamodb.GetItemInput{TableName: aws.String("Shop"), Key: map[string]types.AttributeValue{
			"PK": rebuilt.Item["PK"], "SK": rebuilt.Item["SK"],
		}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rebuilt.Item, out.Item, sdkTypes); diff != "" {
			t.Fatalf("%+v: item (-of the attributes +stored):\n%s", o, diff)
		}
	}
}

// expected lets the errors pass that a random write may meet.
func expected(t *rapid.T, err error) {
	for _, is := range []error{ddb.ErrNotFound, ddb.ErrExists, ddb.ErrConditionFailed, ddb.ErrIndexPartMissing} {
		if errors.Is(err, is) {
			return
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func writeTask(t *rapid.T, s shop) {
	ctx := context.Background()
	task := Task{
		UserID:   "u",
		TaskID:   rapid.SampledFrom([]string{"a", "b"}).Draw(t, "task"),
		Priority: rapid.IntRange(0, 3).Draw(t, "priority"),
		State:    rapid.SampledFrom([]string{"", "open", "closed"}).Draw(t, "state"),
	}
	key := Task{UserID: "u", TaskID: task.TaskID}
	update := s.tasks.Update(key)
	if loaded, err := s.tasks.Get(key).Run(ctx); err == nil && rapid.Bool().Draw(t, "pass the loaded item") {
		update = update.From(loaded)
	}
	change := func(changes ...ddb.Assign[Task]) error {
		_, err := update.Set(changes...).Run(ctx)
		return err
	}
	state := s.state.Remove()
	if task.State != "" {
		state = s.state.To(task.State)
	}
	var err error
	switch rapid.IntRange(0, 12).Draw(t, "write") {
	case 0:
		err = s.tasks.Create(&task).Run(ctx)
	case 1:
		err = s.tasks.Put(&task).Run(ctx)
	case 2:
		err = change(s.priority.To(task.Priority))
	case 3:
		err = change(state)
	case 4:
		err = change(state, s.priority.To(task.Priority))
	case 5:
		err = change(s.note.To("n"))
	case 6:
		err = s.tasks.Delete(key).Run(ctx)
	case 7:
		_, err = s.tasks.Upsert(key).Set(state, s.priority.To(task.Priority)).Run(ctx)
	case 8:
		_, err = s.tasks.Modify(ctx, key, func(v *Task) error { v.State, v.Priority = task.State, task.Priority; return nil })
	case 9:
		err = ddb.Batch(s.tasks.Put(&task)).Run(ctx)
	case 10:
		err = ddb.Transact(s.tasks.Put(&task)).Run(ctx)
	case 11:
		err = ddb.Transact(update.Set(state)).Run(ctx)
	case 12:
		err = ddb.Transact(s.tasks.Upsert(key).Set(s.priority.To(task.Priority), state)).Run(ctx)
	}
	expected(t, err)
}

func writeOrder(t *rapid.T, s shop) {
	ctx := context.Background()
	o := Order{
		UserID: "u", OrderID: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "order"),
		PlacedAt:  time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC),
		Status:    rapid.SampledFrom([]string{"NEW", "PAID"}).Draw(t, "status"),
		ProductID: rapid.SampledFrom([]string{"", "p1", "p2"}).Draw(t, "product"),
	}
	product := s.product.Remove()
	if o.ProductID != "" {
		product = s.product.To(o.ProductID)
	}
	var err error
	switch rapid.IntRange(0, 3).Draw(t, "order write") {
	case 0:
		err = s.orders.Put(&o).Run(ctx)
	case 1:
		_, err = s.orders.Update(o).Set(s.status.To(o.Status)).Run(ctx)
	case 2:
		_, err = s.orders.Update(o).Set(product).Run(ctx)
	case 3:
		_, err = s.orders.Update(o).Set(product, s.status.To(o.Status), s.total.Add(1)).Run(ctx)
	}
	expected(t, err)
}

// TestUpdateNeverHalvesAKey asserts what becomes of an index key of two parts
// when an update names one of them.
func TestUpdateNeverHalvesAKey(t *testing.T) {
	t.Parallel()
	s, db := open(t)
	ctx := t.Context()
	task := Task{UserID: "u", TaskID: "t", Priority: 3, State: "open"}
	if err := s.tasks.Create(&task).Run(ctx); err != nil {
		t.Fatal(err)
	}
	keys := func() string {
		item := stored(t, db)[0]
		pk, _ := item["GSI3PK"].(*types.AttributeValueMemberS)
		sk, _ := item["GSI3SK"].(*types.AttributeValueMemberS)
		if pk == nil || sk == nil {
			return fmt.Sprint(pk != nil, sk != nil)
		}
		return pk.Value + " " + sk.Value
	}
	key := Task{UserID: "u", TaskID: "t"}
	if _, err := s.tasks.Update(key).Set(s.state.To("closed")).Run(ctx); !errors.Is(err, ddb.ErrIndexPartMissing) {
		t.Errorf("one part alone: got %v, want ErrIndexPartMissing", err)
	}
	if got, want := keys(), "PRIORITY#003 open#t"; got != want {
		t.Errorf("after a refused update: got %s, want %s", got, want)
	}
	if _, err := s.tasks.Update(key).Set(s.state.To("closed")).From(task).Run(ctx); err != nil {
		t.Error(err)
	}
	if got, want := keys(), "PRIORITY#003 closed#t"; got != want {
		t.Errorf("with the loaded item: got %s, want %s", got, want)
	}
	stale := task
	stale.Priority = 7
	if _, err := s.tasks.Update(key).Set(s.state.To("open")).From(stale).Run(ctx); !errors.Is(err, ddb.ErrConditionFailed) {
		t.Errorf("with a stale item: got %v, want ErrConditionFailed", err)
	}
	if got, want := keys(), "PRIORITY#003 closed#t"; got != want {
		t.Errorf("after a stale update: got %s, want %s", got, want)
	}
	if _, err := s.tasks.Update(key).Set(s.state.Remove()).Run(ctx); err != nil {
		t.Error(err)
	}
	if got, want := keys(), "false false"; got != want {
		t.Errorf("after removing a part: got %s, want both key attributes gone", got)
	}
	if _, err := s.tasks.Update(key).Set(s.state.To("open"), s.priority.To(0)).Run(ctx); err != nil {
		t.Error(err)
	}
	if got, want := keys(), "PRIORITY#000 open#t"; got != want {
		t.Errorf("with both parts: got %s, want %s", got, want)
	}
}

// TestIndexSharesTheKeysForm asserts that an index key may have a part which the
// primary key has in the same coarse form, and in no other.
func TestIndexSharesTheKeysForm(t *testing.T) {
	t.Parallel()
	type Slot struct {
		_ ddb.Entity `pk:"ROOM#{Room}" sk:"SLOT#{Day:2006-01-02}"`
		_ ddb.Index  `name:"GSI1" pk:"STATE#{State}" sk:"{Day:2006-01-02}#{Room}"`
		_ ddb.Index  `name:"GSI2" pk:"OWNER#{Owner}" sk:"{Day:2006-01}#{Room}"`

		Room, State string
		Owner       string `dynamodbav:",omitempty"`
		Day         time.Time
	}
	db := memory.New()
	table := ddb.NewTable("Slots", db)
	slots := ddb.Define[Slot](table)
	state := ddb.Field(slots, func(s *Slot) *string { return &s.State })
	owner := ddb.Field(slots, func(s *Slot) *string { return &s.Owner })
	create, err := table.CreateTableInput()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.CreateTable(t.Context(), create); err != nil {
		t.Fatal(err)
	}
	s := Slot{Room: "r", State: "free", Day: time.Date(2024, 5, 31, 9, 0, 0, 0, time.UTC)}
	if err := slots.Create(&s).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	day := Slot{Room: "r", Day: time.Date(2024, 5, 31, 0, 0, 0, 0, time.UTC)}
	if _, err := slots.Update(day).Set(state.To("taken")).Run(t.Context()); err != nil {
		t.Errorf("in the key's form: %v", err)
	}
	n, err := slots.Query(Slot{State: "taken"}).Index("GSI1").Count(t.Context())
	if n != 1 || err != nil {
		t.Errorf("the index has %d, %v; want 1", n, err)
	}
	if _, err := slots.Update(day).Set(owner.To("ann")).Run(t.Context()); !errors.Is(err, ddb.ErrIndexPartMissing) {
		t.Errorf("in another form than the key: got %v, want ErrIndexPartMissing", err)
	}
}
