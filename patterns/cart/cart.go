package cart

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed530093c6/ddb"
)

// What a cart may hold. The total of the largest fits an int64.
const (
	MaxLines    = 200
	MaxQuantity = 1_000_000
	MaxPrice    = 1_000_000_000
)

var (
	// ErrLine: a line has no product, a negative price, or one above [MaxPrice].
	ErrLine = errors.New("bad line")
	// ErrQuantity: a quantity is negative, 0 where something is to be added, or
	// would exceed [MaxQuantity].
	ErrQuantity = errors.New("bad quantity")
	// ErrNoLine: the cart has no line for the product.
	ErrNoLine = errors.New("product is not in the cart")
	// ErrFull: the cart has [MaxLines] lines.
	ErrFull = errors.New("cart is full")
	// ErrEmpty: there is nothing to check out.
	ErrEmpty = errors.New("cart is empty")
)

// Line is one product in a cart. Name and price are as they were when it was last
// added.
type Line struct {
	ProductID string
	Name      string
	Price     int64 // of one, in the smallest unit of the currency
	Quantity  int
}

// Cart is what a user is about to buy.
type Cart struct {
	_ ddb.Entity `name:"Cart" pk:"USER#{UserID}" sk:"CART"`

	UserID  string
	Lines   []Line    // in the order in which they were first added
	Total   int64     // of all lines
	Updated time.Time `ddb:"updated"`
	Version int       `ddb:"version"`
}

// Quantity returns how much of a product is in the cart.
func (c *Cart) Quantity(product string) int {
	if i := c.line(product); i >= 0 {
		return c.Lines[i].Quantity
	}
	return 0
}

func (c *Cart) line(product string) int {
	return slices.IndexFunc(c.Lines, func(l Line) bool { return l.ProductID == product })
}

// add adds a line, or its quantity to the line that there is.
func (c *Cart) add(l Line) error {
	i := c.line(l.ProductID)
	switch {
	case i >= 0:
		if l.Quantity > MaxQuantity-c.Lines[i].Quantity {
			return fmt.Errorf("%w: it would exceed %d", ErrQuantity, MaxQuantity)
		}
		l.Quantity += c.Lines[i].Quantity
		c.Lines[i] = l
	case len(c.Lines) == MaxLines:
		return ErrFull
	default:
		c.Lines = append(c.Lines, l)
	}
	return nil
}

// set sets the quantity of a line; without any, the line goes.
func (c *Cart) set(product string, quantity int) error {
	i := c.line(product)
	switch {
	case i < 0:
		return ErrNoLine
	case quantity == 0:
		c.Lines = slices.Delete(c.Lines, i, i+1)
	default:
		c.Lines[i].Quantity = quantity
	}
	return nil
}

// sum makes the total that of the lines.
func (c *Cart) sum() {
	c.Total = 0
	for _, l := range c.Lines {
		c.Total += l.Price * int64(l.Quantity)
	}
}

// Carts are the carts of a table. It is safe for concurrent use.
type Carts struct {
	carts    *ddb.Definition[Cart]
	receipts *ddb.Definition[Receipt]
}

// New defines carts and receipts in a table, beside its other entities. Faults
// are reported by the table's Err.
func New(table *ddb.Table) *Carts {
	return &Carts{carts: ddb.Define[Cart](table), receipts: ddb.Define[Receipt](table)}
}

// Get returns a user's cart as it is now; one that was never used is empty.
func (c *Carts) Get(ctx context.Context, user string) (Cart, error) {
	cart, err := c.carts.Get(Cart{UserID: user}).Consistent().Run(ctx)
	if errors.Is(err, ddb.ErrNotFound) {
		return Cart{UserID: user}, nil
	}
	return cart, err
}

// Add adds a line to a user's cart and returns the cart. If the product is in it
// already, the quantity is added, and name and price become those given. It fails
// with [ErrLine], [ErrQuantity] or [ErrFull], and changes nothing then.
func (c *Carts) Add(ctx context.Context, user string, l Line) (Cart, error) {
	switch {
	case l.ProductID == "":
		return Cart{}, fmt.Errorf("%w: it has no product", ErrLine)
	case l.Price < 0 || l.Price > MaxPrice:
		return Cart{}, fmt.Errorf("%w: a price is 0 to %d", ErrLine, MaxPrice)
	case l.Quantity < 1 || l.Quantity > MaxQuantity:
		return Cart{}, fmt.Errorf("%w: 1 to %d can be added", ErrQuantity, MaxQuantity)
	}
	return c.change(ctx, user, func(cart *Cart) error { return cart.add(l) })
}

// SetQuantity sets how much of a product is in a user's cart and returns the cart;
// 0 takes the line out. It fails with [ErrQuantity], or with [ErrNoLine] if there
// is no such line, and changes nothing then.
func (c *Carts) SetQuantity(ctx context.Context, user, product string, quantity int) (Cart, error) {
	if quantity < 0 || quantity > MaxQuantity {
		return Cart{}, fmt.Errorf("%w: it is 0 to %d", ErrQuantity, MaxQuantity)
	}
	return c.change(ctx, user, func(cart *Cart) error { return cart.set(product, quantity) })
}

// Remove takes a product out of a user's cart and returns the cart. A product that
// is not in it is no error.
func (c *Carts) Remove(ctx context.Context, user, product string) (Cart, error) {
	return c.change(ctx, user, func(cart *Cart) error {
		if err := cart.set(product, 0); !errors.Is(err, ErrNoLine) {
			return err
		}
		return nil
	})
}

// Clear takes everything out of a user's cart.
func (c *Carts) Clear(ctx context.Context, user string) error {
	_, err := c.change(ctx, user, func(cart *Cart) error {
		cart.Lines = nil
		return nil
	})
	return err
}

// change lets f change a user's cart, sees to the total and writes it, if it is
// different. f can run several times.
func (c *Carts) change(ctx context.Context, user string, f func(*Cart) error) (Cart, error) {
	var cart Cart
	err := ddb.Retry(ctx, func(ctx context.Context) (err error) {
		if cart, err = c.Get(ctx, user); err != nil {
			return err
		}
		before := slices.Clone(cart.Lines)
		if err := f(&cart); err != nil {
			return err
		}
		if slices.Equal(before, cart.Lines) {
			return nil
		}
		cart.sum()
		return ddb.Transact(c.carts.Put(&cart)).Run(ctx)
	})
	if err != nil {
		return Cart{}, err
	}
	return cart, nil
}
