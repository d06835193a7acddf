package bare_test

import (
	"testing"

	"github.com/seed530093c6/ddb/internal/bare"
)

// TestParcels promises that parcels have keys of their own.
func TestParcels(t *testing.T) {
	t.Parallel()
	table := bare.New("PK", "SK")
	for n := range 250 {
		if err := table.Put(bare.Parcel(n)); err != nil {
			t.Fatal(err)
		}
	}
	for user, want := range map[string]int{"USER#000000": 100, "USER#000001": 100, "USER#000002": 50} {
		if got := len(table.Query(user, "ORDER#", 1000)); got != want {
			t.Errorf("%d parcels of %s, want %d", got, user, want)
		}
	}
	for n := range 250 {
		if it, err := table.Get(bare.ParcelKey(n)); it == nil || err != nil {
			t.Errorf("parcel %d: %v, %v", n, it, err)
		}
	}
}
