package ddb_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/memory"
)

// TestQueryBesidePrefix promises that an entity whose sort key is the very
// prefix of another's is left out of a query for that other.
func TestQueryBesidePrefix(t *testing.T) {
	t.Parallel()
	type head struct {
		_ ddb.Entity `name:"Head" pk:"DOC#{ID}" sk:"V"`

		ID string
	}
	type version struct {
		_ ddb.Entity `name:"Version" pk:"DOC#{ID}" sk:"V{N:03}"`

		ID string
		N  int
	}
	db := memory.New()
	table := ddb.NewTable("Documents", backend(t, db))
	heads, versions := ddb.Define[head](table), ddb.Define[version](table)
	create(t, db, table)
	ctx := context.Background()
	if err := ddb.Batch(heads.Put(&head{ID: "a"}), versions.Put(&version{ID: "a", N: 1})).Run(ctx); err != nil {
		t.Fatal(err)
	}
	var got []version
	for v, err := range versions.Query(version{ID: "a"}).All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, v)
	}
	if diff := cmp.Diff(got, []version{{ID: "a", N: 1}}, ignoreMarkers); diff != "" {
		t.Errorf("versions (-got +want)\n%s", diff)
	}
}
