package scenarios_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/design"
	"github.com/seed530093c6/ddb/examples/shop/schema"
	"github.com/seed530093c6/ddb/memory"
)

func orderID(o schema.Order) string { return o.ID }

// placed is a pending order of product P001.
func placed(user, id, when string) schema.Order {
	return schema.Order{UserID: user, ID: id, ProductID: "P001", ProductName: "纯棉T恤", Price: 99, Quantity: 1, Amount: 99, Status: "PENDING", PlacedAt: at(when)}
}

// TestS3OrdersOfAUser: only orders, newest first, in pages; ORDER#1 is not the
// beginning of ORDER#10.
func TestS3OrdersOfAUser(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		w := open(t)
		s := w.shop(t)
		john(t, s)
		orders := s.Orders.Query(schema.Order{UserID: "12345"})
		ddbtest.Cost(t, w, func() {
			equal(t, "newest first", all(t, orders.Desc(), orderID), []string{"2024-002", "2024-001"})
		}).Exactly(1, 0.5, 2)

		for _, id := range []string{"1", "10", "11", "2"} {
			ddbtest.Seed(t, s.Orders, placed("ann", id, "2024-03-01T00:00:00Z"))
		}
		ddbtest.Seed(t, s.Addresses, schema.Address{UserID: "ann", Label: "HOME"})
		anns := s.Orders.Query(schema.Order{UserID: "ann"})
		equal(t, "pages", pages(t, anns.Desc().Limit(3), orderID), [][]string{{"2", "11", "10"}, {"1"}})
		equal(t, "order 1", all(t, anns.Prefix(schema.Order{ID: "1"}), orderID), []string{"1"})
		equal(t, "what begins with 1, by name", all(t, anns.StartsWith(schema.Order{ID: "1"}), orderID), []string{"1", "10", "11"})

		first := value[ddb.Page[schema.Order]](t)(anns.Limit(1).Page(t.Context(), ""))
		if _, err := s.Orders.Query(schema.Order{UserID: "12345"}).Limit(1).Page(t.Context(), first.Next); !errors.Is(err, ddb.ErrCursor) {
			t.Errorf("another user's cursor: got %v, want ErrCursor", err)
		}
	})
}

// TestS4OrderByID: by its key at once, by its ID alone through an index that may
// be behind, and does not pretend otherwise.
func TestS4OrderByID(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		w := open(t, memory.IndexLag(time.Hour))
		s, ctx := w.shop(t), t.Context()
		john(t, s)
		ddbtest.Cost(t, w, func() {
			o := value[schema.Order](t)(s.Orders.Get(schema.Order{UserID: "12345", ID: "2024-001"}).Run(ctx))
			equal(t, "by key", o.Status, "PENDING")
		}).Exactly(1, 0.5, 1)

		byID := s.Orders.Query(schema.Order{ID: "2024-001"}).Index("GSI_Order")
		if _, err := byID.First(ctx); !errors.Is(err, ddb.ErrNotFound) {
			t.Errorf("before the index follows: got %v, want ErrNotFound", err)
		}
		w.engine.Settle()
		ddbtest.Cost(t, w, func() {
			o := value[schema.Order](t)(byID.One(ctx))
			equal(t, "by ID", []string{o.UserID, o.Status}, []string{"12345", "PENDING"})
		}).AtMost(1, 0.5, 1)
		if _, err := byID.Consistent().First(ctx); !errors.Is(err, ddb.ErrIndex) {
			t.Errorf("a consistent read of the index: got %v, want ErrIndex", err)
		}
	})
}

// TestS5OrdersOfADay: one query, and a warning that all of a day is one key. S19
// is the mend.
func TestS5OrdersOfADay(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		w := open(t)
		s := w.shop(t)
		john(t, s)
		ddbtest.Seed(t, s.Orders, placed("ann", "A", "2024-01-01T23:59:59Z"), placed("ann", "B", "2024-01-02T00:00:00Z"), placed("ann", "C", "2024-01-01T08:00:00+08:00"))
		b := ddbtest.Cost(t, w, func() {
			day := s.Orders.Query(schema.Order{PlacedAt: at("2024-01-01T12:00:00Z")}).Index("GSI_Date")
			equal(t, "orders of the day", all(t, day, orderID), []string{"C", "2024-001", "2024-002", "A"})
		})
		b.Exactly(1, 0.5, 4)
		equal(t, "keys asked", b.Keys, []ddbtest.KeyCost{{Where: "AppTable.GSI_Date", Key: "ORDER_DATE#2024-01-01", ReadUnits: 0.5}})

		found := design.Check(described(t, s.Table), design.Evidence{})
		if !has(found, design.TimeKey, "订单 in GSI_Date, ORDER_DATE#{PlacedAt:2006-01-02}") {
			t.Errorf("the check does not warn of the day's key: %v", found)
		}
	})
}

// TestS6OrdersByStatus: a plain update of the status moves the order in the
// index, both key attributes at once, or is refused.
func TestS6OrdersByStatus(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		w := open(t)
		s, ctx := w.shop(t), t.Context()
		john(t, s)
		ddbtest.Seed(t, s.Orders, placed("ann", "A", "2024-01-01T09:00:00Z"))
		of := func(status string) []string {
			return all(t, s.Orders.Query(schema.Order{Status: status}).Index("GSI1"), orderID)
		}
		equal(t, "pending, oldest first", of("PENDING"), []string{"A", "2024-001"})

		o := value[schema.Order](t)(s.Orders.Get(schema.Order{UserID: "12345", ID: "2024-001"}).Run(ctx))
		ddbtest.Cost(t, w, func() {
			_, err := s.Orders.Update(o).From(o).Set(s.Status.To("COMPLETED")).If(s.Status.Eq("PENDING")).Run(ctx)
			must(t, err)
		}).AtMost(1, 6, 0) // the item, two entries of GSI1, one of each index that carries the status
		equal(t, "pending", of("PENDING"), []string{"A"})
		equal(t, "completed", of("COMPLETED"), []string{"2024-001"})
		item := w.stored(t, "AppTable", "USER#12345", "ORDER#2024-001")
		equal(t, "index keys", []any{item["GSI1PK"], item["GSI1SK"]}, []any{"ORDER_STATUS#COMPLETED", "2024-01-01T10:00:00Z#2024-001"})

		// The time is part of the index's key. An update that does not know it
		// would leave half of it behind.
		ddbtest.Unchanged(t, w, func() {
			if _, err := s.Orders.Update(schema.Order{UserID: "ann", ID: "A"}).Set(s.Status.To("PAID")).Run(ctx); !errors.Is(err, ddb.ErrIndexPartMissing) {
				t.Errorf("got %v, want ErrIndexPartMissing", err)
			}
		})
		_, err := s.Orders.Modify(ctx, schema.Order{UserID: "ann", ID: "A"}, func(o *schema.Order) error {
			o.Status = "PAID"
			return nil
		})
		must(t, err)
		equal(t, "pending in the end", of("PENDING"), []string{})
		equal(t, "paid", of("PAID"), []string{"A"})
	})
}

// TestS7OrdersOfAProduct: latest first, from an index in which orders without a
// product have no entry.
func TestS7OrdersOfAProduct(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		w := open(t)
		s, ctx := w.shop(t), t.Context()
		card := schema.Order{UserID: "ann", ID: "CARD", Status: "PENDING", PlacedAt: at("2024-05-21T12:00:00Z"), Price: 50, Quantity: 1, Amount: 50}
		ddbtest.Seed(t, s.Orders, placed("ann", "ORD001", "2024-05-20T12:00:00Z"), placed("bob", "ORD002", "2024-05-22T12:00:00Z"), card)
		latest := s.Orders.Query(schema.Order{ProductID: "P001"}).Index("GSI_Product_Orders").Desc()
		ddbtest.Cost(t, w, func() {
			equal(t, "orders", all(t, latest, orderID), []string{"ORD002", "ORD001"})
		}).Exactly(1, 0.5, 2)
		item := w.stored(t, "AppTable", "USER#ann", "ORDER#ORD001")
		equal(t, "index keys", []any{item["GSI_PK_Prod"], item["GSI_SK_Prod"]}, []any{"PROD#P001", "2024-05-20T12:00:00Z#ORD001"})

		item = w.stored(t, "AppTable", "USER#ann", "ORDER#CARD")
		if _, there := item["GSI_PK_Prod"]; there || item["GSI_SK_Prod"] != nil {
			t.Errorf("an order without a product has keys in the index: %v", item)
		}
		equal(t, "entries", value[int](t)(s.Orders.Scan().Index("GSI_Product_Orders").Count(ctx)), 2)
		if _, err := s.Orders.Query(schema.Order{}).Index("GSI_Product_Orders").First(ctx); !errors.Is(err, ddb.ErrKey) {
			t.Errorf("no product asked for: got %v, want ErrKey", err)
		}

		product := ddb.Field(s.Orders, func(o *schema.Order) *string { return &o.ProductID })
		_, err := s.Orders.Update(card).From(card).Set(product.To("P001")).Run(ctx)
		must(t, err)
		equal(t, "with one more", all(t, latest, orderID), []string{"ORD002", "CARD", "ORD001"})
	})
}

// TestS8HowManyOrders: a count over all pages, and one kept with each order.
func TestS8HowManyOrders(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		w := open(t)
		s, ctx := w.shop(t), t.Context()
		ddbtest.Seed(t, s.Users, schema.User{ID: "ann", Registered: at("2024-01-01T00:00:00Z")})
		place := func(id string) error {
			o := placed("ann", id, "2024-05-20T12:00:00Z")
			o.ProductName = strings.Repeat("长", 100_000) // four to a page of 1 MB
			return ddb.Transact(s.Orders.Create(&o), s.Users.Update(schema.User{ID: "ann"}).Set(s.OrderCount.Add(1))).Run(ctx)
		}
		together(t, 10, never, func(i int) error { return place(fmt.Sprint(i)) })
		if err := place("3"); !errors.Is(err, ddb.ErrExists) {
			t.Errorf("placed twice: got %v, want ErrExists", err)
		}

		b := ddbtest.Cost(t, w, func() {
			n := value[int](t)(s.Orders.Query(schema.Order{UserID: "ann"}).Count(ctx))
			equal(t, "counted", n, 10)
		})
		equal(t, "pages counted", b.Requests, 3)
		ddbtest.Cost(t, w, func() {
			u := value[schema.User](t)(s.Users.Get(schema.User{ID: "ann"}).Run(ctx))
			equal(t, "kept", u.Orders, 10)
		}).Exactly(1, 0.5, 1)
	})
}

// TestS10OrdersOfMay: the last second of a month is in, the first of the next is
// not, though keys go on behind the time.
func TestS10OrdersOfMay(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		w := open(t)
		s := w.shop(t)
		ddbtest.Seed(t, s.Orders, placed("U001", "ORD007", "2024-04-30T23:59:59Z"), placed("U001", "ORD008", "2024-05-01T00:00:00Z"),
			placed("U001", "ORD001", "2024-05-20T12:00:00Z"), placed("U001", "ORD009", "2024-05-31T23:59:59Z"),
			placed("U001", "ORD010", "2024-06-01T00:00:00Z"), placed("U0011", "ORD011", "2024-05-20T12:00:00Z"))
		first, last := "2024-05-01T00:00:00Z", "2024-05-31T23:59:59Z"
		mine := s.Orders.Query(schema.Order{UserID: "U001"}).Index("GSI_User_Orders")
		ddbtest.Cost(t, w, func() {
			may := mine.Between(schema.Order{PlacedAt: at(first)}, schema.Order{PlacedAt: at(last)})
			equal(t, "May", all(t, may, orderID), []string{"ORD008", "ORD001", "ORD009"})
		}).Exactly(1, 0.5, 3)
		item := w.stored(t, "AppTable", "USER#U001", "ORDER#ORD009")
		equal(t, "index keys", []any{item["GSI_PK"], item["GSI_SK"]}, []any{"USER#U001", last + "#ORD009"})

		equal(t, "the bare bounds drop the last second", all(t, mine.RawBetween(first, last), orderID), []string{"ORD008", "ORD001"})
		equal(t, "until the last second", all(t, mine.Until(schema.Order{PlacedAt: at(last)}).Desc().Limit(1), orderID), []string{"ORD009"})
		equal(t, "before June", all(t, mine.Before(schema.Order{PlacedAt: at("2024-06-01T00:00:00Z")}).Desc().Limit(1), orderID), []string{"ORD009"})
		equal(t, "after the last second", all(t, mine.After(schema.Order{PlacedAt: at(last)}), orderID), []string{"ORD010"})
	})
}
