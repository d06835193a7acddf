package design_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The entities of the tests' table.

type Customer struct {
	_ ddb.Entity `name:"客户" pk:"CUSTOMER#{ID}" sk:"PROFILE"`
	_ ddb.Index  `name:"GSI1" pk:"EMAIL#{Email:lower}" sk:"CUSTOMER"`

	ID      string `dynamodbav:"客户ID"`
	Email   string `dynamodbav:"邮箱,omitempty"`
	Name    string `dynamodbav:"姓名"`
	Home    Place  `dynamodbav:"住址"`
	Version int    `ddb:"version"`
}

type Place struct{ City, Street string }

type Order struct {
	_ ddb.Entity `name:"订单" pk:"CUSTOMER#{CustomerID}" sk:"ORDER#{PlacedAt}#{ID}"`
	_ ddb.Index  `name:"GSI1" pk:"STATUS#{Status}" sk:"{PlacedAt}#{ID}"`
	_ ddb.Index  `name:"ByDay" pk:"DAY#{PlacedAt:2006-01-02}#{shard:10}" sk:"{PlacedAt}#{ID}"`

	ID         string    `dynamodbav:"订单ID"`
	CustomerID string    `dynamodbav:"客户ID"`
	Status     string    `dynamodbav:"状态"`
	PlacedAt   time.Time `dynamodbav:"下单时间"`
	Amount     int       `dynamodbav:"金额"`
	Expires    time.Time `dynamodbav:"过期" ddb:"ttl"`
}

type store struct {
	table     *ddb.Table
	customers *ddb.Definition[Customer]
	orders    *ddb.Definition[Order]
}

func newStore(b ddb.Backend, opts ...ddb.TableOption) store {
	t := ddb.NewTable("Store", b, append([]ddb.TableOption{
		ddb.Discriminator("类型"),
		ddb.GSI("GSI1", "GSI1PK", "GSI1SK"),
		ddb.GSI("ByDay", "DayPK", "DaySK", ddb.Include("类型", "金额")),
	}, opts...)...)
	return store{t, ddb.Define[Customer](t), ddb.Define[Order](t)}
}

// nowhere is the backend of a table that is only described.
type nowhere struct{ ddb.Backend }

func describe(t testing.TB, table *ddb.Table) schema.Table {
	t.Helper()
	s, err := table.Schema()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func instant(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

func anOrder() Order {
	return Order{ID: "O1", CustomerID: "C1", Status: "PAID", PlacedAt: instant("2024-05-20T12:00:00Z"), Amount: 99}
}

// sampleItems are a customer and an order in stored form.
func sampleItems(t testing.TB, s store) []map[string]types.AttributeValue {
	t.Helper()
	order := anOrder()
	c, err := s.customers.Item(&Customer{ID: "C1", Email: "Li@example.com", Name: "李雷", Home: Place{"上海", "人民路"}})
	if err != nil {
		t.Fatal(err)
	}
	o, err := s.orders.Item(&order)
	if err != nil {
		t.Fatal(err)
	}
	return []map[string]types.AttributeValue{c, o}
}

// create makes a table and its expiry in an engine.
func create(t testing.TB, db creator, table *ddb.Table) {
	t.Helper()
	in, err := table.CreateTableInput()
	if err != nil {
		t.Fatal(err)
	}
	ttl, err := table.UpdateTimeToLiveInput()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if _, err := db.CreateTable(ctx, in); err != nil {
		t.Fatal(err)
	}
	if ttl == nil {
		return
	}
	if _, err := db.UpdateTimeToLive(ctx, ttl); err != nil {
		t.Fatal(err)
	}
}

// golden compares with a file, or writes it anew.
func golden(t testing.TB, name string, got []byte) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("differs from %s (-got +want)\n%s", name, cmp.Diff(string(got), string(want)))
	}
}
