package scenarios_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
)

func viewID(v View) string { return v.ID }

// TestS19HotKeys: the writes of a day spread evenly however its key is split, and
// reads give it back whole, in order, under one cursor, also after the number of
// suffixes has grown.
func TestS19HotKeys(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		const n = 500
		w := open(t)
		views, ctx := ddbtest.Open(t, w, ddb.Define[View]), t.Context()
		day := at("2024-01-01T00:00:00Z")
		var ids []string
		b := ddbtest.Cost(t, w, func() {
			for i := range n { // 09:00 to 17:19
				v := View{
					ID: fmt.Sprintf("%03d", i), At: day.Add(9*time.Hour + time.Duration(i)*time.Minute),
					UserID: fmt.Sprintf("U%03d", i%50), ProductID: fmt.Sprintf("P%03d", i%7),
				}
				ids = append(ids, v.ID)
				must(t, views.Create(&v).Run(ctx))
			}
		})
		spread(t, b, "ByDay", 10, n/4)
		spread(t, b, "ByUser", 10, n/4)
		spread(t, b, "ByHour", 9, 60)
		spread(t, b, "ByBoth", 350, 2)

		ofDay := views.Query(View{At: day}).Index("ByDay")
		ddbtest.Cost(t, w, func() {
			latest := slices.Clone(ids[n-50:])
			slices.Reverse(latest)
			equal(t, "the latest 50 of all suffixes", all(t, ofDay.Desc().Limit(50), viewID), latest)
		}).NoScan().AtMost(10, 10*3, 10*50)
		equal(t, "pages under one cursor", slices.Concat(pages(t, ofDay.Limit(70), viewID)...), ids)
		equal(t, "counted", value[int](t)(ofDay.Count(ctx)), n)

		ddbtest.Cost(t, w, func() {
			mine := views.Query(View{At: day, UserID: "U007"}).Index("ByUser")
			user := ddb.Field(views, func(v *View) *string { return &v.UserID })
			equal(t, "a user's, from one suffix", len(all(t, mine.Filter(user.Eq("U007")), viewID)), n/50)
		}).AtMost(1, 5, n/4)

		byHour := views.Query(View{At: day.Add(10 * time.Hour)}).Index("ByHour")
		ddbtest.Cost(t, w, func() { equal(t, "an hour", all(t, byHour, viewID), ids[60:120]) }).AtMost(1, 3, 60)
		over := views.Query(View{}).Index("ByHour").Between(View{At: day.Add(9*time.Hour + 50*time.Minute)}, View{At: day.Add(11 * time.Hour)})
		b = ddbtest.Cost(t, w, func() { equal(t, "over three hours", all(t, over, viewID), ids[50:121]) })
		equal(t, "hours asked", b.Requests, 3)

		both := views.Query(View{UserID: "U003", ProductID: "P003"}).Index("ByBoth")
		equal(t, "of a user and product", all(t, both, viewID), []string{"003", "353"})
		equal(t, "key of two fields", w.stored(t, "AppTable", "VIEW#003", "VIEW")["ByBothPK"], any("U003#P003"))

		grown := ddb.Define[ViewOfTwenty](ddb.NewTable("AppTable", w))
		b = ddbtest.Cost(t, w, func() {
			for i := range n {
				id := fmt.Sprintf("%03d", n+i)
				ids = append(ids, id)
				must(t, grown.Create(&ViewOfTwenty{ID: id, At: day.Add(18*time.Hour + time.Duration(i)*time.Second)}).Run(ctx))
			}
		})
		spread(t, b, "ByDay", 20, n/8)
		name := func(v ViewOfTwenty) string { return v.ID }
		equal(t, "old and new after growing", all(t, grown.Query(ViewOfTwenty{At: day}).Index("ByDay"), name), ids)
	})
}

// spread demands that a bill's writes of an index went to so many keys, and to
// none of them more than most.
func spread(t *testing.T, b *ddbtest.Bill, index string, keys, most int) {
	t.Helper()
	got := 0
	for _, k := range b.Keys {
		if !strings.HasSuffix(k.Where, "."+index) {
			continue
		}
		if got++; k.WriteUnits > float64(most) {
			t.Errorf("%s: key %s took %v write units, want at most %d", index, k.Key, k.WriteUnits, most)
		}
	}
	equal(t, index+": keys written", got, keys)
}
