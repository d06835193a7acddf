package schema

import (
	"time"

	"github.com/seed530093c6/ddb"
)

// Patterns are the questions and changes that the table is there for, each with
// sample values.
type Patterns struct {
	UserByID         ddb.GetOp[User]
	EverythingOfUser ddb.CollectionOp
	OrdersOfUser     ddb.QueryOp[Order]
	OrderByKey       ddb.GetOp[Order]
	OrderByID        ddb.QueryOp[Order]
	OrdersOfDay      ddb.QueryOp[Order]
	OrdersByStatus   ddb.QueryOp[Order]
	CompleteOrder    ddb.UpdateOp[Order]
	OrdersOfProduct  ddb.QueryOp[Order]
	PlaceOrder       ddb.TxOp
	UserByEmail      ddb.QueryOp[User]
	SignUp           ddb.PutOp[User]
	OrdersOfMay      ddb.QueryOp[Order]
	ProductByID      ddb.GetOp[Product]
	LatestDocument   ddb.QueryOp[Document]
	Versions         ddb.QueryOp[Document]
}

// Patterns returns the access patterns of the shop.
func (s Shop) Patterns() Patterns {
	day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	order := Order{
		ID: "2024-001", UserID: "12345", ProductID: "P001", ProductName: "纯棉T恤", Price: 99, Quantity: 1, Amount: 99,
		Status: "PENDING", PlacedAt: day.Add(10 * time.Hour),
	}
	user := User{ID: "U999", Name: "Grace", Email: "grace@example.com", Registered: day}
	return Patterns{
		UserByID:         s.Users.Get(User{ID: "12345"}).Named("S1 a user by id"),
		EverythingOfUser: s.Table.Collection(s.Users.Partition(User{ID: "12345"})).Named("S2 everything of a user"),
		OrdersOfUser:     s.Orders.Query(Order{UserID: "12345"}).Desc().Limit(2).Named("S3 a user's orders, newest first"),
		OrderByKey:       s.Orders.Get(order).Named("S4 an order of a user"),
		OrderByID:        s.Orders.Query(Order{ID: order.ID}).Index("GSI_Order").Limit(1).Named("S4 an order by its id alone"),
		OrdersOfDay:      s.Orders.Query(Order{PlacedAt: day}).Index("GSI_Date").Named("S5 the orders of a day"),
		OrdersByStatus:   s.Orders.Query(Order{Status: "PENDING"}).Index("GSI1").Limit(20).Named("S6 orders by status"),
		CompleteOrder:    s.Orders.Update(order).From(order).Set(s.Status.To("COMPLETED")).Named("S6 complete an order"),
		OrdersOfProduct:  s.Orders.Query(Order{ProductID: "P001"}).Index("GSI_Product_Orders").Desc().Limit(4).Named("S7 the latest orders of a product"),
		PlaceOrder: ddb.Transact(
			s.Orders.Create(&order),
			s.Users.Update(User{ID: order.UserID}).Set(s.OrderCount.Add(1)),
			s.Products.Update(Product{ID: order.ProductID}).Set(s.Stock.Add(-1)).If(s.Stock.Ge(1)),
		).Named("S8 place an order"),
		UserByEmail: s.Users.Query(User{Email: "john@example.com"}).Index("GSI1").Limit(1).Named("S9 a user by e-mail address"),
		SignUp:      s.Users.Create(&user).Named("S9 sign up"),
		OrdersOfMay: s.Orders.Query(Order{UserID: "U001"}).Index("GSI_User_Orders").Between(
			Order{PlacedAt: time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)},
			Order{PlacedAt: time.Date(2024, 5, 31, 23, 59, 59, 0, time.UTC)},
		).Named("S10 a user's orders of a month"),
		ProductByID:    s.Products.Get(Product{ID: "P001"}).Named("S11 a product by id"),
		LatestDocument: s.Documents.Query(Document{Name: "TERMS"}).Desc().Limit(1).Named("S12 the latest version of a document"),
		Versions:       s.Documents.Query(Document{Name: "TERMS"}).Named("S12 all versions of a document"),
	}
}

// declare tells the table of the patterns.
func (p Patterns) declare(t *ddb.Table) {
	t.Declare(
		p.UserByID, p.EverythingOfUser, p.OrdersOfUser, p.OrderByKey, p.OrderByID, p.OrdersOfDay, p.OrdersByStatus, p.CompleteOrder,
		p.OrdersOfProduct, p.PlaceOrder, p.UserByEmail, p.SignUp, p.OrdersOfMay, p.ProductByID, p.LatestDocument, p.Versions,
	)
}
