package byhand

import (
	"fmt"
	"time"
)

// Order is the order of a shop, as large as orders are: strings, numbers, a time, a
// list, a list of structs, a map and a set.
type Order struct {
	UserID, OrderID, Status string
	PlacedAt                time.Time
	Total                   int64
	Discount                float64
	Paid                    bool
	Version                 int
	Currency                string
	Note                    string `dynamodbav:",omitempty" dynamo:",omitempty"`
	Tags                    []string
	Lines                   []Line
	Labels                  map[string]string
	Coupons                 []string `dynamodbav:",stringset" dynamo:",set"`
}

// Line is a line of an [Order].
type Line struct {
	SKU, Name string
	Quantity  int
	Price     int64
}

// Sample returns an order with a value in every field.
func Sample() Order {
	o := Order{
		UserID: "12345", OrderID: "2024-001", Status: "PENDING", Currency: "EUR", Note: "ring twice",
		PlacedAt: time.Date(2024, 5, 20, 12, 30, 0, 120_000_000, time.UTC),
		Total:    129_900, Discount: 12.5, Paid: true, Version: 7,
		Tags:    []string{"gift", "express", "first"},
		Labels:  map[string]string{"channel": "web", "campaign": "spring", "store": "berlin"},
		Coupons: []string{"WELCOME10", "SPRING"},
	}
	for i := range 5 {
		o.Lines = append(o.Lines, Line{SKU: fmt.Sprint("SKU-", i), Name: "T-shirt, blue", Quantity: i + 1, Price: 1999})
	}
	return o
}
