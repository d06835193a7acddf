package schema

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Items makes the shop's data: some users, products and orders that examples
// speak of, and plausible ones around them. The same seed gives the same items
// in the same order.
func Items(seed uint64) ([]map[string]types.AttributeValue, error) {
	g := &generator{
		shop: New(nowhere{}),
		rand: rand.New(rand.NewPCG(seed, seed)),
	}
	products := g.products()
	users := g.users()
	g.orders(users, products)
	for i := range users {
		add(g, g.shop.Users.Item, &users[i])
	}
	for i := range products {
		add(g, g.shop.Products.Item, &products[i])
	}
	g.documents()
	return g.items, g.err
}

type generator struct {
	shop  Shop
	rand  *rand.Rand
	items []map[string]types.AttributeValue
	err   error
}

// add keeps the stored form of a value, and the first error.
func add[T any](g *generator, item func(*T) (map[string]types.AttributeValue, error), v *T) {
	m, err := item(v)
	if err != nil && g.err == nil {
		g.err = err
	}
	g.items = append(g.items, m)
}

func (g *generator) pick(from []string) string { return from[g.rand.IntN(len(from))] }

var (
	families = []string{"王", "李", "张", "刘", "陈", "杨", "黄", "赵", "吴", "周"}
	givens   = []string{"伟", "芳", "娜", "敏", "静", "丽", "强", "磊", "军", "洋", "子涵", "浩然", "雨桐"}
	cities   = []string{"上海", "北京", "广州", "深圳", "杭州", "成都", "Berlin", "London"}
	streets  = []string{"人民路", "中山路", "解放路", "长江路", "Hauptstraße", "High Street"}
	articles = []string{
		"纯棉T恤", "牛仔裤", "运动鞋", "保温杯", "蓝牙耳机", "双肩包", "机械键盘", "台灯", "雨伞", "围巾",
		"陶瓷杯", "笔记本", "钢笔", "手机壳", "数据线", "移动电源", "棒球帽", "羽毛球拍", "瑜伽垫", "香薰蜡烛",
		"茶叶礼盒", "咖啡豆", "坚果", "拼图", "绘本",
	}
	states = []string{"PENDING", "PAID", "SHIPPED", "COMPLETED", "COMPLETED"}
)

func (g *generator) products() []Product {
	out := make([]Product, len(articles))
	for i, name := range articles {
		out[i] = Product{ID: fmt.Sprintf("P%03d", i+1), Name: name, Price: 19 + 10*g.rand.IntN(30), Stock: g.rand.IntN(500)}
	}
	out[0].Price, out[0].Stock = 99, 100
	return out
}

func (g *generator) users() []User {
	day := time.Date(2023, 1, 1, 9, 0, 0, 0, time.UTC)
	users := []User{
		{ID: "12345", Name: "John Smith", Phone: "+44 20 7946 0000", Email: "john@example.com", Registered: day},
		{ID: "U001", Name: "张三", Phone: "13800138000", Email: "zhangsan@example.com", Registered: day.AddDate(0, 0, 1)},
	}
	for n := 2; n <= 50; n++ {
		u := User{
			ID:         fmt.Sprintf("U%03d", n),
			Name:       g.pick(families) + g.pick(givens),
			Registered: day.AddDate(0, 0, n).Add(time.Duration(g.rand.IntN(600)) * time.Minute),
		}
		if g.rand.IntN(10) > 0 {
			u.Phone = fmt.Sprintf("13%09d", g.rand.IntN(1_000_000_000))
		}
		if g.rand.IntN(5) > 0 {
			u.Email = fmt.Sprintf("user%03d@example.com", n)
		}
		users = append(users, u)
	}
	for _, u := range users {
		for _, label := range []string{"HOME", "WORK"} {
			if label == "HOME" || g.rand.IntN(2) == 0 {
				add(g, g.shop.Addresses.Item, &Address{UserID: u.ID, Label: label, City: g.pick(cities), Street: g.pick(streets)})
			}
		}
	}
	return users
}

// orders gives every user some orders and counts them.
func (g *generator) orders(users []User, products []Product) {
	for _, o := range told {
		g.order(&users[o.user], o.id, o.at, o.status, &products[0], o.quantity)
	}
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := range 420 {
		at := start.Add(time.Duration(n)*26*time.Hour + time.Duration(g.rand.IntN(26*3600))*time.Second)
		p := &products[g.rand.IntN(len(products))]
		if g.rand.IntN(12) == 0 {
			p = nil // a gift card
		}
		user := &users[2+g.rand.IntN(len(users)-2)]
		g.order(user, fmt.Sprintf("2024-%04d", n+100), at, g.pick(states), p, 1+g.rand.IntN(3))
	}
}

// told are the orders that the example's output speaks of. The last second of
// May and the first of June lie on either side of a month's end.
var told = []struct {
	user     int
	id       string
	at       time.Time
	status   string
	quantity int
}{
	{0, "2024-001", time.Date(2024, 1, 1, 10, 0, 0, 0, time.UTC), "PENDING", 1},
	{0, "2024-002", time.Date(2024, 1, 1, 15, 30, 0, 0, time.UTC), "SHIPPED", 2},
	{0, "2024-003", time.Date(2024, 2, 14, 9, 0, 0, 0, time.UTC), "COMPLETED", 1},
	{1, "ORD001", time.Date(2024, 5, 20, 12, 0, 0, 0, time.UTC), "已完成", 1},
	{1, "ORD007", time.Date(2024, 4, 30, 23, 59, 59, 0, time.UTC), "已完成", 1},
	{1, "ORD008", time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC), "已完成", 3},
	{1, "ORD009", time.Date(2024, 5, 31, 23, 59, 59, 0, time.UTC), "已完成", 1},
	{1, "ORD010", time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC), "已完成", 2},
}

func (g *generator) order(u *User, id string, at time.Time, status string, p *Product, quantity int) {
	o := Order{ID: id, UserID: u.ID, Status: status, PlacedAt: at, Quantity: quantity, Price: 50}
	if p != nil {
		o.ProductID, o.ProductName, o.Price = p.ID, p.Name, p.Price
	}
	o.Amount = o.Price * o.Quantity
	u.Orders++
	add(g, g.shop.Orders.Item, &o)
}

// documents gives two documents their versions, among them a tenth, which as a
// text would come before the second.
func (g *generator) documents() {
	start := time.Date(2023, 6, 1, 0, 0, 0, 0, time.UTC)
	for _, name := range []string{"TERMS", "README"} {
		for i, n := range [][2]int{{1, 0}, {1, 1}, {2, 0}, {9, 0}, {10, 0}} {
			add(g, g.shop.Documents.Item, &Document{
				Name: name, Major: n[0], Minor: n[1], Text: fmt.Sprintf("%s, version %d.%d", name, n[0], n[1]), Published: start.AddDate(0, i, 0),
			})
		}
	}
}
