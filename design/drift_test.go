package design_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/design"
	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/wire"
)

// describers are the engine and the SDK's client in front of it.
func describers(t *testing.T, db *memory.DB) map[string]design.Describer {
	t.Helper()
	server := httptest.NewServer(wire.Handler(db))
	t.Cleanup(server.Close)
	return map[string]design.Describer{
		"engine": db,
		"client": dynamodb.New(dynamodb.Options{
			BaseEndpoint: aws.String(server.URL), Region: "us-east-1",
			Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
				return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
			}),
		}),
	}
}

// codes lists what differences are about.
func codes(found []design.Difference) []string {
	var out []string
	for _, d := range found {
		out = append(out, string(d.Code)+" "+d.Subject)
	}
	return out
}

// TestNoDrift promises that a table does not differ from what it was created
// with, seen by engine and client.
func TestNoDrift(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		settings design.Settings
	}{
		{"plain", design.Settings{}},
		{"declared", design.Settings{Billing: types.BillingModePayPerRequest, DeletionProtection: true}},
		{"provisioned", design.Settings{Provisioned: design.Units{Read: 5, Write: 5}, Indexes: map[string]design.Units{"GSI1": {Read: 1, Write: 2}}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db := memory.New()
			table := newStore(db).table
			d := deploy(t, table, test.settings)
			ctx := context.Background()
			if _, err := db.CreateTable(ctx, d.CreateTableInput()); err != nil {
				t.Fatal(err)
			}
			ttl, err := table.UpdateTimeToLiveInput()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.UpdateTimeToLive(ctx, ttl); err != nil {
				t.Fatal(err)
			}
			for name, client := range describers(t, db) {
				found, err := d.Drift(ctx, client)
				if err != nil || len(found) > 0 {
					t.Errorf("%s: got %v, %v; want no differences", name, found, err)
				}
			}
		})
	}
}

// TestDrift promises that each difference is found, told from the others, and
// seen alike by engine and client.
func TestDrift(t *testing.T) {
	t.Parallel()
	type Log struct {
		_ ddb.Entity `pk:"{PK}" sk:"{SK}"`
		_ ddb.Index  `name:"GSI1" pk:"{GSI1PK}" sk:"L"`
		_ ddb.Index  `name:"Extra" pk:"{GSI1PK}" sk:"{SK}"`

		PK, SK string
		GSI1PK int
	}
	log := func(opts ...ddb.TableOption) func(ddb.Backend) *ddb.Table {
		return func(b ddb.Backend) *ddb.Table {
			table := ddb.NewTable("Store", b, opts...)
			ddb.Define[Log](table)
			return table
		}
	}
	same := func(b ddb.Backend) *ddb.Table { return newStore(b).table }
	for _, test := range []struct {
		name     string
		settings design.Settings
		actual   func(ddb.Backend) *ddb.Table
		created  design.Settings
		want     []string
	}{
		{"nothing else", design.Settings{}, same, design.Settings{}, nil},
		{"another table", design.Settings{}, log(ddb.GSI("GSI1", "GSI1PK", "OtherSK", ddb.KeysOnly()), ddb.GSI("Extra", "GSI1PK", "SK")), design.Settings{}, []string{
			"key GSI1", "attribute-type GSI1PK", "index-missing ByDay", "index-unknown Extra", "projection GSI1", "time-to-live Store",
		}},
		{"key", design.Settings{}, log(ddb.Keys("PK", "SK2")), design.Settings{}, []string{
			"key Store", "attribute-type GSI1PK", "index-missing ByDay", "index-unknown Extra", "time-to-live Store",
		}},
		{"include", design.Settings{}, func(b ddb.Backend) *ddb.Table {
			t := ddb.NewTable("Store", b, ddb.Discriminator("类型"), ddb.GSI("GSI1", "GSI1PK", "GSI1SK"), ddb.GSI("ByDay", "DayPK", "DaySK", ddb.Include("金额", "状态")))
			ddb.Define[Customer](t)
			ddb.Define[Order](t)
			return t
		}, design.Settings{}, []string{"projection ByDay"}},
		{"billing undeclared", design.Settings{}, same, design.Settings{Provisioned: design.Units{Read: 1, Write: 1}}, nil},
		{"billing", design.Settings{Billing: types.BillingModePayPerRequest}, same, design.Settings{Provisioned: design.Units{Read: 1, Write: 1}}, []string{"billing Store"}},
		{"throughput", design.Settings{Provisioned: design.Units{Read: 2, Write: 1}}, same, design.Settings{Provisioned: design.Units{Read: 1, Write: 1}},
			[]string{"throughput GSI1", "throughput ByDay", "throughput Store"}},
		{"stream and protection", design.Settings{Stream: types.StreamViewTypeKeysOnly, DeletionProtection: true}, same, design.Settings{},
			[]string{"stream Store", "deletion-protection Store"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db := memory.New()
			ctx := context.Background()
			actual := test.actual(db)
			if _, err := db.CreateTable(ctx, deploy(t, actual, test.created).CreateTableInput()); err != nil {
				t.Fatal(err)
			}
			if ttl, err := actual.UpdateTimeToLiveInput(); err == nil && ttl != nil {
				if _, err := db.UpdateTimeToLive(ctx, ttl); err != nil {
					t.Fatal(err)
				}
			}
			d := deploy(t, newStore(db).table, test.settings)
			for name, client := range describers(t, db) {
				found, err := d.Drift(ctx, client)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(codes(found), test.want); diff != "" {
					t.Errorf("%s (-got +want)\n%s", name, diff)
				}
			}
		})
	}
}

// TestDriftTexts promises that a difference says what is the case and what to
// do.
func TestDriftTexts(t *testing.T) {
	t.Parallel()
	db := memory.New()
	type Simple struct {
		_ ddb.Entity `pk:"{ID}"`

		ID string
	}
	actual := ddb.NewTable("Store", db, ddb.Keys("ID", ""))
	ddb.Define[Simple](actual)
	create(t, db, actual)
	found, err := deploy(t, newStore(db).table, design.Settings{}).Drift(context.Background(), db)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range found {
		got = append(got, d.String())
	}
	want := []string{
		"key Store: declared PK / SK, found ID: a table keeps it for life: create another table and move the items",
		"index-missing GSI1: declared global GSI1PK / GSI1SK, found nothing: create it with UpdateTable; it is filled from the items that have its key attributes",
		"index-missing ByDay: declared global DayPK / DaySK, found nothing: create it with UpdateTable; it is filled from the items that have its key attributes",
		"time-to-live Store: declared 过期, found nothing: switch the one off and the other on with UpdateTimeToLive, which takes an hour between the two",
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
}

// TestDriftOfIndexBeingMade promises that an index is not taken for one that
// can be read.
func TestDriftOfIndexBeingMade(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	db := memory.New(memory.Clock(func() time.Time { return now }), memory.TransitionTime(time.Minute))
	d := deploy(t, newStore(db).table, design.Settings{})
	if _, err := db.CreateTable(context.Background(), d.CreateTableInput()); err != nil {
		t.Fatal(err)
	}
	found, err := d.Drift(context.Background(), db)
	if diff := cmp.Diff(codes(found), []string{"index-status GSI1", "index-status ByDay", "time-to-live Store"}); err != nil || diff != "" {
		t.Errorf("%v (-got +want)\n%s", err, diff)
	}
}

// TestDriftWithoutTable promises that the error of the call can be tested.
func TestDriftWithoutTable(t *testing.T) {
	t.Parallel()
	db := memory.New()
	_, err := deploy(t, newStore(db).table, design.Settings{}).Drift(context.Background(), db)
	if _, ok := errors.AsType[*types.ResourceNotFoundException](err); !ok {
		t.Errorf("got %v, want a ResourceNotFoundException", err)
	}
}
