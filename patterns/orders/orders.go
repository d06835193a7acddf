package orders

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed530093c6/ddb"
)

// Pending is the status of a new order.
const Pending = "PENDING"

// ErrStatus says that the order does not have the status that was expected.
var ErrStatus = errors.New("order has another status")

// The indexes by which orders are found.
const (
	byStatus  = "GSI1"
	byProduct = "GSI2"
	byDay     = "GSI3"
	byID      = "GSI4"
)

// Order is an order of one product. User, time and ID together are its key.
type Order struct {
	_ ddb.Entity `name:"Order" pk:"USER#{UserID}" sk:"ORDER#{PlacedAt}#{ID}"`
	_ ddb.Index  `name:"GSI1" pk:"ORDER_STATUS#{Status}" sk:"{PlacedAt}#{ID}"`
	_ ddb.Index  `name:"GSI2" pk:"PROD#{ProductID}" sk:"{PlacedAt}#{ID}"`
	_ ddb.Index  `name:"GSI3" pk:"ORDER_DATE#{PlacedAt:2006-01-02}#{shard:10}" sk:"{PlacedAt}#{ID}"`
	_ ddb.Index  `name:"GSI4" pk:"ORDER#{ID}" sk:"ORDER"`

	UserID      string
	ID          string
	PlacedAt    time.Time // the table's time if it is not given
	Status      string    // Pending if it is not given
	ProductID   string    `dynamodbav:",omitempty"`
	ProductName string    `dynamodbav:",omitempty"` // as it was
	Price       int64     // as it was, of one, in the smallest unit of the currency
	Quantity    int
	Amount      int64
}

// orderCount says how many orders a user has.
type orderCount struct {
	_ ddb.Entity `name:"OrderCount" pk:"USER#{UserID}" sk:"ORDERCOUNT"`

	UserID string
	Orders int
}

// Orders are the orders of a table. It is safe for concurrent use.
type Orders struct {
	table  *ddb.Table
	orders *ddb.Definition[Order]
	counts *ddb.Definition[orderCount]

	status ddb.Attribute[Order, string]
	count  ddb.Attribute[orderCount, int]
}

// New defines orders and their counts in a table, beside its other entities. A
// table that lists its indexes needs GSI1 to GSI4 among them. Faults are reported
// by the table's Err.
func New(table *ddb.Table) *Orders {
	o := &Orders{table: table, orders: ddb.Define[Order](table), counts: ddb.Define[orderCount](table)}
	o.status = ddb.Field(o.orders, func(v *Order) *string { return &v.Status })
	o.count = ddb.Field(o.counts, func(c *orderCount) *int { return &c.Orders })
	return o
}

// Place stores a new order, after setting what is not given, and counts it, all or
// nothing with up to 98 further operations. If one of these fails, so does Place,
// with the *ddb.TxError.
//
// The same order placed again changes nothing. Another with the same user, time
// and ID fails with ddb.ErrExists.
func (o *Orders) Place(ctx context.Context, order *Order, with ...ddb.Write) error {
	if order.PlacedAt.IsZero() {
		order.PlacedAt = o.table.Now()
	}
	if order.Status == "" {
		order.Status = Pending
	}
	err := ddb.Transact(
		o.orders.Create(order),
		o.counts.Upsert(orderCount{UserID: order.UserID}).Set(o.count.Add(1)),
	).And(with...).Run(ctx)
	failed, ok := errors.AsType[*ddb.TxError](err)
	if !ok || !errors.Is(failed.Reasons[0], ddb.ErrExists) {
		return err
	}
	stored, again := o.Get(ctx, *order)
	if again != nil {
		return again
	}
	if !stored.sameAs(*order) {
		return failed.Reasons[0]
	}
	return nil
}

// sameAs reports whether two orders are one, whatever has become of its status.
func (o Order) sameAs(other Order) bool {
	o.Status = other.Status
	same := o.PlacedAt.Equal(other.PlacedAt)
	o.PlacedAt = other.PlacedAt
	return same && o == other
}

// SetStatus changes the status of the order with the user, time and ID of order,
// provided that it is from. It fails with [ErrStatus] if it is not, and with
// ddb.ErrNotFound if there is no such order.
func (o *Orders) SetStatus(ctx context.Context, order Order, from, to string) error {
	err := ddb.Transact(o.orders.Update(order).Set(o.status.To(to)).If(o.status.Eq(from))).Run(ctx)
	if errors.Is(err, ddb.ErrConditionFailed) && !errors.Is(err, ddb.ErrNotFound) {
		return fmt.Errorf("%w: %w", ErrStatus, err)
	}
	return err
}

// Remove deletes the order with the user, time and ID of order and counts it no
// more. It fails with ddb.ErrNotFound if there is no such order.
func (o *Orders) Remove(ctx context.Context, order Order) error {
	return ddb.Transact(
		o.orders.Delete(order).MustExist(),
		o.counts.Update(orderCount{UserID: order.UserID}).Set(o.count.Add(-1)),
	).Run(ctx)
}

// Get returns the order with the user, time and ID of order as it is now, or fails
// with ddb.ErrNotFound.
func (o *Orders) Get(ctx context.Context, order Order) (Order, error) {
	return o.orders.Get(order).Consistent().Run(ctx)
}

// ByID returns the order with an ID, or fails with ddb.ErrNotFound. It is
// eventually consistent: a new order takes a moment to be found.
func (o *Orders) ByID(ctx context.Context, id string) (Order, error) {
	return o.orders.Query(Order{ID: id}).Index(byID).First(ctx)
}

// OfUser returns the query of a user's orders, oldest first. Desc turns it round;
// ranges take the field PlacedAt.
func (o *Orders) OfUser(user string) ddb.QueryOp[Order] {
	return o.orders.Query(Order{UserID: user})
}

// ByStatus returns the query of the orders with a status, oldest first.
func (o *Orders) ByStatus(status string) ddb.QueryOp[Order] {
	return o.orders.Query(Order{Status: status}).Index(byStatus)
}

// OfProduct returns the query of the orders of a product, oldest first.
func (o *Orders) OfProduct(product string) ddb.QueryOp[Order] {
	return o.orders.Query(Order{ProductID: product}).Index(byProduct)
}

// OfDay returns the query of the orders of the day, in UTC, that holds a moment,
// oldest first.
func (o *Orders) OfDay(moment time.Time) ddb.QueryOp[Order] {
	return o.orders.Query(Order{PlacedAt: moment}).Index(byDay)
}

// Count returns how many orders a user has, without reading them.
func (o *Orders) Count(ctx context.Context, user string) (int, error) {
	c, err := o.counts.Get(orderCount{UserID: user}).Run(ctx)
	if errors.Is(err, ddb.ErrNotFound) {
		return 0, nil
	}
	return c.Orders, err
}
