package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/examples/internal/meter"
	"github.com/seed530093c6/ddb/examples/shop/schema"
)

// pattern is one question that the shop asks of its table.
type pattern struct {
	id, title string
	// answer prints the rows.
	answer func(context.Context, schema.Shop, rows) error
	// restore puts back what the pattern changed.
	restore func(context.Context, schema.Shop) error
}

// rows shows rows of an answer.
type rows struct{ meter.Rows }

// show answers every pattern and says what it cost.
func show(ctx context.Context, shop schema.Shop, m *meter.Meter, w io.Writer) error {
	for _, p := range patterns {
		fmt.Fprintf(w, "\n%s  %s\n", p.id, p.title)
		m.Reset()
		err := p.answer(ctx, shop, rows{meter.To(w)})
		if errors.Is(err, ddb.ErrNotFound) {
			meter.To(w).Print("there is no such item")
			err = nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.id, err)
		}
		m.Print(w)
		if p.restore == nil {
			continue
		}
		if err := p.restore(ctx, shop); err != nil && !errors.Is(err, ddb.ErrNotFound) {
			return fmt.Errorf("%s: put back: %w", p.id, err)
		}
	}
	return nil
}

func instant(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{} // refused by the key it goes into
	}
	return t
}

func (r rows) order(o schema.Order) {
	r.Print("%-9s %s  %-9s %5d  %s", o.ID, o.PlacedAt.Format(time.DateTime), o.Status, o.Amount, o.ProductName)
}

// orders prints what a query finds.
func (r rows) orders(ctx context.Context, q ddb.QueryOp[schema.Order]) error {
	for o, err := range q.All(ctx) {
		if err != nil {
			return err
		}
		r.order(o)
	}
	return nil
}

const john, zhang = "12345", "U001"

var patterns = []pattern{
	{id: "S1", title: "a user by id", answer: userByID},
	{id: "S2", title: "everything of a user in one query", answer: everythingOfUser},
	{id: "S3", title: "a user's orders, newest first, in pages of two", answer: ordersOfUser},
	{id: "S4", title: "an order by its id: by key, then by the id alone", answer: orderByID},
	{id: "S5", title: "the orders of a day", answer: ordersOfDay},
	{id: "S6", title: "orders by status; a plain update moves an order", answer: ordersByStatus, restore: reopen},
	{id: "S7", title: "the latest orders of a product", answer: ordersOfProduct},
	{id: "S8", title: "how many orders a user has: counted, and kept with each order", answer: countOrders, restore: dropOrder},
	{id: "S9", title: "a user by e-mail address, which only one user can have", answer: userByEmail, restore: signOff},
	{id: "S10", title: "a user's orders of May 2024, to the last second", answer: ordersOfMay},
	{id: "S11", title: "a user, a product and an order that keeps the price of its day", answer: shopRecords, restore: oldPrice},
	{id: "S12", title: "the versions of a document, and the latest", answer: versions, restore: withdraw},
}

func userByID(ctx context.Context, s schema.Shop, r rows) error {
	u, err := s.Users.Get(schema.User{ID: john}).Run(ctx)
	if err != nil {
		return err
	}
	r.Print("%s %s, registered %s", u.ID, u.Name, u.Registered.Format(time.DateOnly))
	if _, err := s.Users.Get(schema.User{ID: "nobody"}).Run(ctx); !errors.Is(err, ddb.ErrNotFound) {
		return fmt.Errorf("a user that does not exist: got %v", err)
	}
	r.Print("nobody: not found")
	return nil
}

func everythingOfUser(ctx context.Context, s schema.Shop, r rows) error {
	c, err := s.Table.Collection(s.Users.Partition(schema.User{ID: john})).Load(ctx)
	if err != nil {
		return err
	}
	for _, u := range ddb.Of(c, s.Users) {
		r.Print("user    %s %s", u.ID, u.Name)
	}
	for _, a := range ddb.Of(c, s.Addresses) {
		r.Print("address %s %s, %s", a.Label, a.Street, a.City)
	}
	for _, o := range ddb.Of(c, s.Orders) {
		r.Print("order   %s %s", o.ID, o.Status)
	}
	r.Print("complete: %t", c.Complete())
	return nil
}

func ordersOfUser(ctx context.Context, s schema.Shop, r rows) error {
	q := s.Orders.Query(schema.Order{UserID: john}).Desc().Limit(2)
	for cursor, n := "", 1; ; n++ {
		page, err := q.Page(ctx, cursor)
		if err != nil {
			return err
		}
		r.Print("page %d", n)
		for _, o := range page.Items {
			r.order(o)
		}
		if cursor = page.Next; cursor == "" {
			return nil
		}
	}
}

func orderByID(ctx context.Context, s schema.Shop, r rows) error {
	o, err := s.Orders.Get(schema.Order{UserID: john, ID: "2024-001"}).Run(ctx)
	if err != nil {
		return err
	}
	r.order(o)
	o, err = s.Orders.Query(schema.Order{ID: "2024-001"}).Index("GSI_Order").First(ctx)
	if err != nil {
		return err
	}
	r.Print("%s is %s's, %s (an index is read eventually consistent)", o.ID, o.UserID, o.Status)
	return nil
}

func ordersOfDay(ctx context.Context, s schema.Shop, r rows) error {
	return r.orders(ctx, s.Orders.Query(schema.Order{PlacedAt: instant("2024-01-01T00:00:00Z")}).Index("GSI_Date"))
}

func ordersByStatus(ctx context.Context, s schema.Shop, r rows) error {
	pending := s.Orders.Query(schema.Order{Status: "PENDING"}).Index("GSI1")
	before, err := pending.Count(ctx)
	if err != nil {
		return err
	}
	if err := r.orders(ctx, pending.Limit(3)); err != nil {
		return err
	}
	o, err := s.Orders.Get(schema.Order{UserID: john, ID: "2024-001"}).Run(ctx)
	if err != nil {
		return err
	}
	if _, err := s.Orders.Update(o).From(o).Set(s.Status.To("COMPLETED")).If(s.Status.Eq("PENDING")).Run(ctx); err != nil {
		return err
	}
	after, err := pending.Count(ctx)
	if err != nil {
		return err
	}
	r.Print("pending: %d, and %d after order %s was completed", before, after, o.ID)
	return nil
}

func reopen(ctx context.Context, s schema.Shop) error {
	o, err := s.Orders.Get(schema.Order{UserID: john, ID: "2024-001"}).Run(ctx)
	if err != nil {
		return err
	}
	_, err = s.Orders.Update(o).From(o).Set(s.Status.To("PENDING")).Run(ctx)
	return err
}

func ordersOfProduct(ctx context.Context, s schema.Shop, r rows) error {
	return r.orders(ctx, s.Orders.Query(schema.Order{ProductID: "P001"}).Index("GSI_Product_Orders").Desc().Limit(4))
}

// newOrder is the order that the pattern of counting places.
func newOrder() schema.Order {
	return schema.Order{
		ID: "2024-999", UserID: john, ProductID: "P001", ProductName: "纯棉T恤", Price: 99, Quantity: 1, Amount: 99,
		Status: "PENDING", PlacedAt: instant("2024-12-24T18:00:00Z"),
	}
}

func countOrders(ctx context.Context, s schema.Shop, r rows) error {
	counted := s.Orders.Query(schema.Order{UserID: john})
	n, err := counted.Count(ctx)
	if err != nil {
		return err
	}
	r.Print("%d orders", n)
	o := newOrder()
	if err := ddb.Transact(
		s.Orders.Create(&o),
		s.Users.Update(schema.User{ID: john}).Set(s.OrderCount.Add(1)),
		s.Products.Update(schema.Product{ID: o.ProductID}).Set(s.Stock.Add(-1)).If(s.Stock.Ge(1)),
	).Run(ctx); err != nil {
		return err
	}
	u, err := s.Users.Get(schema.User{ID: john}).Consistent().Run(ctx)
	if err != nil {
		return err
	}
	if n, err = counted.Consistent().Count(ctx); err != nil {
		return err
	}
	r.Print("one more placed: %d counted, %d kept with the user", n, u.Orders)
	return nil
}

func dropOrder(ctx context.Context, s schema.Shop) error {
	o := newOrder()
	return ddb.Transact(
		s.Orders.Delete(o).MustExist(),
		s.Users.Update(schema.User{ID: john}).Set(s.OrderCount.Add(-1)),
		s.Products.Update(schema.Product{ID: o.ProductID}).Set(s.Stock.Add(1)),
	).Run(ctx)
}

var newUser = schema.User{ID: "NEW1", Name: "Grace", Email: "grace@example.com", Registered: instant("2024-06-01T08:00:00Z")}

func userByEmail(ctx context.Context, s schema.Shop, r rows) error {
	u, err := s.Users.Query(schema.User{Email: "John@Example.com"}).Index("GSI1").First(ctx)
	if err != nil {
		return err
	}
	r.Print("John@Example.com is %s", u.ID)
	first, second := newUser, newUser
	if err := s.Users.Create(&first).Run(ctx); err != nil {
		return err
	}
	r.Print("%s signed up with %s", first.ID, first.Email)
	second.ID, second.Email = "NEW2", strings.ToUpper(first.Email)
	if err := s.Users.Create(&second).Run(ctx); !errors.Is(err, ddb.ErrUnique) {
		return fmt.Errorf("a second user with one address: got %v", err)
	}
	r.Print("%s cannot: the address is taken, and nothing was written", second.ID)
	return nil
}

func signOff(ctx context.Context, s schema.Shop) error {
	return s.Users.Delete(newUser).Run(ctx)
}

func ordersOfMay(ctx context.Context, s schema.Shop, r rows) error {
	return r.orders(ctx, s.Orders.Query(schema.Order{UserID: zhang}).Index("GSI_User_Orders").Between(
		schema.Order{PlacedAt: instant("2024-05-01T00:00:00Z")},
		schema.Order{PlacedAt: instant("2024-05-31T23:59:59Z")},
	))
}

// raise is what the pattern of shop records adds to a price.
const raise = 10

func shopRecords(ctx context.Context, s schema.Shop, r rows) error {
	p, err := s.Products.Get(schema.Product{ID: "P001"}).Run(ctx)
	if err != nil {
		return err
	}
	dearer, err := s.Products.Update(p).Set(s.Price.Add(raise)).If(s.Price.Eq(p.Price)).Run(ctx)
	if err != nil {
		return err
	}
	r.Print("PROD#%s  %s, 价格 %d, 库存 %d; from now on %d", p.ID, p.Name, p.Price, p.Stock, dearer.Price)
	u, err := s.Users.Get(schema.User{ID: zhang}).Run(ctx)
	if err != nil {
		return err
	}
	r.Print("USER#%s  %s %s", u.ID, u.Name, u.Phone)
	o, err := s.Orders.Get(schema.Order{UserID: zhang, ID: "ORD001"}).Run(ctx)
	if err != nil {
		return err
	}
	r.Print("ORDER#%s  %s, 单价 %d, 金额 %d, %s", o.ID, o.ProductName, o.Price, o.Amount, o.Status)
	return r.orders(ctx, s.Orders.Query(schema.Order{UserID: zhang}).Filter(s.Status.Eq("已完成").And(s.Amount.Gt(100))))
}

func oldPrice(ctx context.Context, s schema.Shop) error {
	_, err := s.Products.Update(schema.Product{ID: "P001"}).Set(s.Price.Add(-raise)).Run(ctx)
	return err
}

// newVersion is what the pattern of documents publishes.
var newVersion = schema.Document{Name: "TERMS", Major: 10, Minor: 1, Text: "TERMS, version 10.1", Published: instant("2024-06-01T08:00:00Z")}

func versions(ctx context.Context, s schema.Shop, r rows) error {
	all := s.Documents.Query(schema.Document{Name: newVersion.Name})
	for d, err := range all.All(ctx) {
		if err != nil {
			return err
		}
		r.Print("%s v%d.%d, %s", d.Name, d.Major, d.Minor, d.Published.Format(time.DateOnly))
	}
	latest, err := all.Desc().First(ctx)
	if err != nil {
		return err
	}
	next := newVersion
	if err := s.Documents.Create(&next).Run(ctx); err != nil {
		return err
	}
	newest, err := all.Desc().Consistent().First(ctx)
	if err != nil {
		return err
	}
	r.Print("the latest is v%d.%d, then v%d.%d", latest.Major, latest.Minor, newest.Major, newest.Minor)
	if err := s.Documents.Create(&next).Run(ctx); !errors.Is(err, ddb.ErrExists) {
		return fmt.Errorf("a version published twice: got %v", err)
	}
	r.Print("what was published stays as it is: v%d.%d cannot be published again", next.Major, next.Minor)
	return nil
}

func withdraw(ctx context.Context, s schema.Shop) error {
	return s.Documents.Delete(newVersion).Run(ctx)
}
