package scenarios_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/examples/shop/schema"
)

// TestS11ShopRecords: attributes and values in Chinese, in items, keys of
// indexes, filters, projections and updates; an order keeps name and price.
func TestS11ShopRecords(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		w := open(t)
		s, ctx := w.shop(t), t.Context()
		ddbtest.Seed(t, s.Users, schema.User{ID: "U001", Name: "张三", Phone: "13800138000", Registered: at("2024-01-01T00:00:00Z")})
		ddbtest.Seed(t, s.Products, schema.Product{ID: "P001", Name: "纯棉T恤", Price: 99, Stock: 100})
		o := placed("U001", "ORD001", "2024-05-20T12:00:00Z")
		o.Status = "已完成"
		ddbtest.Seed(t, s.Orders, o, placed("U001", "ORD002", "2024-05-21T12:00:00Z"))

		user := w.stored(t, "AppTable", "USER#U001", "PROFILE")
		equal(t, "user", user, ddbtest.Item{
			"PK": "USER#U001", "SK": "PROFILE", "类型": "用户", "用户ID": "U001", "姓名": "张三", "手机号": "13800138000",
			"注册时间": "2024-01-01T00:00:00.000000000Z", "订单数": ddbtest.N("0"),
		})
		product := w.stored(t, "AppTable", "PROD#P001", "PRODUCT")
		equal(t, "product", product, ddbtest.Item{
			"PK": "PROD#P001", "SK": "PRODUCT", "类型": "商品", "商品ID": "P001", "名称": "纯棉T恤", "价格": ddbtest.N("99"), "库存": ddbtest.N("100"),
		})
		order := w.stored(t, "AppTable", "USER#U001", "ORDER#ORD001")
		for attr, want := range map[string]any{
			"类型": "订单", "订单ID": "ORD001", "用户ID": "U001", "商品ID": "P001", "下单时间": "2024-05-20T12:00:00.000000000Z",
			"金额": ddbtest.N("99"), "状态": "已完成", "GSI_Order_PK": "ORDER#ORD001",
			"GSI_PK": "USER#U001", "GSI_SK": "2024-05-20T12:00:00Z#ORD001",
			"GSI_PK_Prod": "PROD#P001", "GSI_SK_Prod": "2024-05-20T12:00:00Z#ORD001",
		} {
			equal(t, "order, "+attr, order[attr], want)
		}

		mine := s.Orders.Query(schema.Order{UserID: "U001"})
		done := mine.Filter(s.Status.Eq("已完成").And(s.Amount.Ge(99)))
		ddbtest.Cost(t, w, func() { equal(t, "filtered", all(t, done, orderID), []string{"ORD001"}) }).Exactly(1, 0.5, 2)
		for o, err := range mine.Limit(1).Project(s.Status).All(ctx) {
			must(t, err)
			equal(t, "projected, with its key", o, schema.Order{UserID: "U001", ID: "ORD001", Status: "已完成"})
		}

		// The product becomes dearer and gets another name; the order stays.
		name := ddb.Field(s.Products, func(p *schema.Product) *string { return &p.Name })
		p := value[schema.Product](t)(s.Products.Update(schema.Product{ID: "P001"}).
			Set(s.Price.To(129), s.Stock.Add(-1), name.To("加厚纯棉T恤")).If(s.Stock.Ge(1)).Run(ctx))
		equal(t, "product after", p, schema.Product{ID: "P001", Name: "加厚纯棉T恤", Price: 129, Stock: 99})
		kept := value[schema.Order](t)(s.Orders.Get(o).Run(ctx))
		equal(t, "order after", []any{kept.ProductName, kept.Price, kept.Amount}, []any{"纯棉T恤", 99, 99})
	})
}

// TestS12DocumentVersions: the tenth version is the latest, though as a text it
// would come before the second.
func TestS12DocumentVersions(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		w := open(t)
		s, ctx := w.shop(t), t.Context()
		for _, n := range [][2]int{{1, 0}, {10, 0}, {1, 1}, {2, 0}, {1, 10}} {
			ddbtest.Seed(t, s.Documents, schema.Document{Name: "README", Major: n[0], Minor: n[1], Published: at("2024-01-01T00:00:00Z")})
		}
		version := func(d schema.Document) string { return fmt.Sprintf("v%d.%d", d.Major, d.Minor) }
		versions := s.Documents.Query(schema.Document{Name: "README"})
		equal(t, "all", all(t, versions, version), []string{"v1.0", "v1.1", "v1.10", "v2.0", "v10.0"})
		ddbtest.Cost(t, w, func() {
			equal(t, "latest", version(value[schema.Document](t)(versions.Desc().First(ctx))), "v10.0")
		}).Exactly(1, 0.5, 1)
		equal(t, "of version 1", all(t, versions.Prefix(schema.Document{Major: 1}), version), []string{"v1.0", "v1.1", "v1.10"})
		equal(t, "from 2.0", all(t, versions.From(schema.Document{Major: 2}), version), []string{"v2.0", "v10.0"})

		keys := slices.Sorted(maps.Keys(ddbtest.ItemsOf(t, w, "AppTable")))
		equal(t, "keys", keys, []string{
			"DOC#README / v0001.0000", "DOC#README / v0001.0001", "DOC#README / v0001.0010", "DOC#README / v0002.0000", "DOC#README / v0010.0000",
		})
		again := schema.Document{Name: "README", Major: 2, Published: at("2024-01-02T00:00:00Z")}
		if err := s.Documents.Create(&again).Run(ctx); !errors.Is(err, ddb.ErrExists) {
			t.Errorf("version 2.0 again: got %v, want ErrExists", err)
		}
		wide := schema.Document{Name: "README", Major: 10_000, Published: at("2024-01-02T00:00:00Z")}
		if err := s.Documents.Create(&wide).Run(ctx); !errors.Is(err, ddb.ErrKey) {
			t.Errorf("a version too wide for the key: got %v, want ErrKey", err)
		}
	})
}
