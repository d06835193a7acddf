package schema

import (
	"time"

	"github.com/seed530093c6/ddb"
)

// User is a customer.
type User struct {
	_ ddb.Entity `name:"用户" pk:"USER#{ID}" sk:"PROFILE"`
	_ ddb.Index  `name:"GSI1" pk:"EMAIL#{Email:lower}" sk:"USER#{ID}"`

	ID         string    `dynamodbav:"用户ID"`
	Name       string    `dynamodbav:"姓名"`
	Phone      string    `dynamodbav:"手机号,omitempty"`
	Email      string    `dynamodbav:"邮箱,omitempty" ddb:"unique,lower"`
	Registered time.Time `dynamodbav:"注册时间"`
	Orders     int       `dynamodbav:"订单数"` // kept in the transaction that creates an order
}

// Address is one of a user's addresses.
type Address struct {
	_ ddb.Entity `name:"地址" pk:"USER#{UserID}" sk:"ADDRESS#{Label}"`

	UserID string `dynamodbav:"用户ID"`
	Label  string `dynamodbav:"标签"` // HOME, WORK
	City   string `dynamodbav:"城市"`
	Street string `dynamodbav:"街道"`
}

// Order is an order of one product. Name and price are copied from the product
// as they were when the order was placed.
type Order struct {
	_ ddb.Entity `name:"订单" pk:"USER#{UserID}" sk:"ORDER#{ID}"`
	_ ddb.Index  `name:"GSI1" pk:"ORDER_STATUS#{Status}" sk:"{PlacedAt:2006-01-02T15:04:05Z}#{ID}"`
	_ ddb.Index  `name:"GSI_Order" pk:"ORDER#{ID}"`
	_ ddb.Index  `name:"GSI_Date" pk:"ORDER_DATE#{PlacedAt:2006-01-02}" sk:"{PlacedAt:2006-01-02T15:04:05Z}#{ID}"`
	_ ddb.Index  `name:"GSI_User_Orders" pk:"USER#{UserID}" sk:"{PlacedAt:2006-01-02T15:04:05Z}#{ID}"`
	_ ddb.Index  `name:"GSI_Product_Orders" pk:"PROD#{ProductID}" sk:"{PlacedAt:2006-01-02T15:04:05Z}#{ID}"`

	ID          string    `dynamodbav:"订单ID"`
	UserID      string    `dynamodbav:"用户ID"`
	ProductID   string    `dynamodbav:"商品ID,omitempty"`
	ProductName string    `dynamodbav:"商品名称,omitempty"`
	Price       int       `dynamodbav:"单价"`
	Quantity    int       `dynamodbav:"数量"`
	Amount      int       `dynamodbav:"金额"`
	Status      string    `dynamodbav:"状态"` // PENDING, PAID, SHIPPED, COMPLETED; 已完成 in orders taken over from the old shop
	PlacedAt    time.Time `dynamodbav:"下单时间"`
}

// Product is an article of the shop.
type Product struct {
	_ ddb.Entity `name:"商品" pk:"PROD#{ID}" sk:"PRODUCT"`

	ID    string `dynamodbav:"商品ID"`
	Name  string `dynamodbav:"名称"`
	Price int    `dynamodbav:"价格"`
	Stock int    `dynamodbav:"库存"`
}

// Document is one version of a text, such as the terms of sale. Versions stay:
// an order is held to the one of its day.
type Document struct {
	_ ddb.Entity `name:"文档" pk:"DOC#{Name}" sk:"v{Major:04}.{Minor:04}"`

	Name      string    `dynamodbav:"文档名"`
	Major     int       `dynamodbav:"主版本"`
	Minor     int       `dynamodbav:"次版本"`
	Text      string    `dynamodbav:"正文"`
	Published time.Time `dynamodbav:"发布时间"`
}

// Shop is the table with its entities and the attributes that conditions and
// updates name.
type Shop struct {
	Table     *ddb.Table
	Users     *ddb.Definition[User]
	Addresses *ddb.Definition[Address]
	Orders    *ddb.Definition[Order]
	Products  *ddb.Definition[Product]
	Documents *ddb.Definition[Document]

	OrderCount ddb.Attribute[User, int]
	Status     ddb.Attribute[Order, string]
	Amount     ddb.Attribute[Order, int]
	Price      ddb.Attribute[Product, int]
	Stock      ddb.Attribute[Product, int]
}

// TableName is the table's name.
const TableName = "AppTable"

// New describes the shop's table on a backend.
func New(backend ddb.Backend, opts ...ddb.TableOption) Shop {
	t := ddb.NewTable(TableName, backend, append([]ddb.TableOption{
		ddb.Discriminator("类型"),
		ddb.GSI("GSI1", "GSI1PK", "GSI1SK"),
		ddb.GSI("GSI_Order", "GSI_Order_PK", "", ddb.Include("类型", "订单ID", "用户ID", "单价", "数量", "金额", "状态", "下单时间")),
		ddb.GSI("GSI_Date", "GSI_Date_PK", "GSI_Date_SK"),
		ddb.GSI("GSI_User_Orders", "GSI_PK", "GSI_SK"),
		ddb.GSI("GSI_Product_Orders", "GSI_PK_Prod", "GSI_SK_Prod"),
	}, opts...)...)
	s := Shop{
		Table:     t,
		Users:     ddb.Define[User](t),
		Addresses: ddb.Define[Address](t),
		Orders:    ddb.Define[Order](t),
		Products:  ddb.Define[Product](t),
		Documents: ddb.Define[Document](t),
	}
	s.OrderCount = ddb.Field(s.Users, func(u *User) *int { return &u.Orders })
	s.Status = ddb.Field(s.Orders, func(o *Order) *string { return &o.Status })
	s.Amount = ddb.Field(s.Orders, func(o *Order) *int { return &o.Amount })
	s.Price = ddb.Field(s.Products, func(p *Product) *int { return &p.Price })
	s.Stock = ddb.Field(s.Products, func(p *Product) *int { return &p.Stock })
	s.Patterns().declare(t)
	return s
}
