package ddbtest_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/export"
)

// TestSeed asserts that items are created as Create does, and that two with one
// key fail the test.
func TestSeed(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open opener) {
		s := ddbtest.Open(t, open(t), newShop)
		ddbtest.Seed(t, s.users, User{ID: "1"}, User{ID: "2"})
		ddbtest.Seed(t, s.users)
		if n, err := s.users.Query(User{ID: "2"}).Count(t.Context()); n != 1 || err != nil {
			t.Errorf("got %d and %v, want 1", n, err)
		}
		wantFailure(t, func(t ddbtest.TB) { ddbtest.Seed(t, s.users, User{ID: "3"}, User{ID: "1"}) }, "seed 1", ddb.ErrExists.Error())
		wantFailure(t, func(t ddbtest.TB) { ddbtest.Seed(t, s.users, User{}) }, "seed 0", ddb.ErrKey.Error())
	})
}

// exported writes items to a file in the format of a table export.
func exported(t *testing.T, name string, items ...item) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	var text bytes.Buffer
	w := export.NewWriter(&text)
	for _, it := range items {
		if err := w.Write(it); err != nil {
			t.Fatal(err)
		}
	}
	data := text.Bytes()
	if filepath.Ext(name) == ".gz" {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		if _, err := z.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		data = packed.Bytes()
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func user(id string) item {
	return item{"PK": str("USER#" + id), "SK": str("PROFILE"), "EntityType": str("User"), "ID": str(id), "Name": str("x"), "Orders": num("0")}
}

// TestLoad asserts that items of several files are put, plain or compressed, and
// that nothing is put if one of them does not fit the table.
func TestLoad(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open opener) {
		db := open(t)
		s := ddbtest.Open(t, db, newShop)
		ddbtest.Load(t, db, s.table, exported(t, "a.json", user("1"), user("2")), exported(t, "b.json.gz", user("3")))
		for _, id := range []string{"1", "2", "3"} {
			if _, err := s.users.Get(User{ID: id}).Run(t.Context()); err != nil {
				t.Errorf("user %s: %v", id, err)
			}
		}
		wrong := user("5")
		wrong["PK"] = str("USER#6")
		bad := exported(t, "c.json", user("4"), wrong)
		ddbtest.Unchanged(t, db, func() {
			wantFailure(t, func(t ddbtest.TB) { ddbtest.Load(t, db, s.table, bad) }, "c.json:2", ddb.ErrKey.Error())
			wantFailure(t, func(t ddbtest.TB) { ddbtest.Load(t, db, s.table, "none.json") }, "none.json")
		})
	})
}

// TestLoadOfBadValues asserts that an item which the engine refuses is named.
func TestLoadOfBadValues(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	s := ddbtest.Open(t, db, newShop)
	bad := user("1")
	bad["extra"] = &types.AttributeValueMemberN{Value: "1E999"}
	path := exported(t, "a.json", bad)
	wantFailure(t, func(t ddbtest.TB) { ddbtest.Load(t, db, s.table, path) }, "table AppTable", "ValidationException")
}
