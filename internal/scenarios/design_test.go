package scenarios_test

import (
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/design"
	"github.com/seed530093c6/ddb/examples/shop/schema"
)

// TestS24Design: the patterns of a table become its document, with what each was
// seen to cost, and a check says of a bad table what is wrong with it.
func TestS24Design(t *testing.T) {
	everywhere(t, func(t *testing.T, open opener) {
		t.Run("document", func(t *testing.T) {
			w := open(t)
			traffic := new(design.Traffic)
			s := w.shop(t, ddb.Observe(traffic.Observe))
			john(t, s)
			p := s.Patterns()
			value[schema.User](t)(p.UserByID.Run(t.Context()))
			value[*ddb.Collection](t)(p.EverythingOfUser.Load(t.Context()))
			document := string(design.Document{Table: described(t, s.Table), Usage: traffic.Usage()}.Markdown())
			for _, want := range []string{
				"S1 a user by id", "PK = USER#{ID} AND SK = PROFILE",
				"S2 everything of a user", "S3 a user's orders, newest first", "begins_with(SK, ORDER#)",
				"S4 an order by its id alone", "GSI_Order_PK = ORDER#{ID}", "S5 the orders of a day", "S6 orders by status",
				"S7 the latest orders of a product", "S8 place an order", "S9 a user by e-mail address", "S10 a user's orders of a month",
				"S11 a product by id", "S12 the latest version of a document", "```mermaid",
			} {
				if !strings.Contains(document, want) {
					t.Errorf("the document lacks %q:\n%s", want, document)
				}
			}
		})
		t.Run("check", func(t *testing.T) {
			w := open(t)
			traffic, ctx := new(design.Traffic), t.Context()
			table := ddb.NewTable("Tickets", w, ddb.Observe(traffic.Observe))
			tickets := ddb.Define[Ticket](table)
			region := ddb.Field(tickets, func(k *Ticket) *string { return &k.Region })
			active := tickets.Query(Ticket{Status: "ACTIVE"}).Filter(region.Eq("APAC")).Named("active tickets of a region")
			everything := tickets.Scan().Named("all tickets")
			table.Declare(active, everything, tickets.Query(Ticket{Region: "EU"}).Index("ByRegion").Named("tickets of Europe"))
			ddbtest.Create(t, w, table)
			seedTickets(t, tickets)
			for _, read := range []interface {
				Count(context.Context) (int, error)
			}{active, everything} {
				value[int](t)(read.Count(ctx))
			}
			items := value[[]map[string]types.AttributeValue](t)(design.Sample(ctx, w, "Tickets", 1000))
			found := design.Check(described(t, table), design.Evidence{Items: items, Usage: traffic.Usage(), Heat: w.engine.Heat("Tickets")})
			var got []string
			for _, f := range found {
				got = append(got, string(f.Code)+" "+f.Subject)
				if f.Reason == "" || f.Mend == "" {
					t.Errorf("%s lacks a reason or a mend", f)
				}
			}
			equal(t, "findings", got, []string{
				"low-cardinality Ticket in the table, STATUS#{Status}",
				"low-cardinality Ticket in ByRegion, REGION#{Region}",
				"time-key Ticket in ByDate, DATE#{Opened:2006-01-02}",
				"unpadded-number Ticket in the table, {Seq:plain}",
				"time-format Ticket.Closed",
				"unused-index ByDate",
				"item-size Ticket",
				"nesting Ticket",
				"dropping-filter active tickets of a region",
				"scan all tickets",
			})
		})
		t.Run("indexes", func(t *testing.T) {
			found := design.Check(described(t, open(t).shop(t).Table), design.Evidence{})
			if !has(found, design.ManyIndexes, "订单") {
				t.Errorf("five indexes of one entity: got %v, want a finding", found)
			}
		})
	})
}

// seedTickets stores tickets as a bad design has them: one near 400 KB, one nested
// near 32 levels, times in two forms.
func seedTickets(t *testing.T, tickets *ddb.Definition[Ticket]) {
	t.Helper()
	var nested any = "leaf"
	for range 28 {
		nested = []any{nested}
	}
	closed := []string{"2024-01-02T10:00:00Z", "2024-01-02 18:00:00"}
	for i := range 120 {
		k := Ticket{Status: "ACTIVE", Seq: i, Region: "EU", Opened: at("2024-01-01T10:00:00Z"), Closed: closed[i%len(closed)]}
		switch i {
		case 0:
			k.Notes = strings.Repeat("x", 380<<10)
		case 1:
			k.Notes = nested
		}
		ddbtest.Seed(t, tickets, k)
	}
}
