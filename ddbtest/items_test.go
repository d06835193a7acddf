package ddbtest_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/ddbtest"
)

type item = map[string]types.AttributeValue

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
func num(n string) types.AttributeValue { return &types.AttributeValueMemberN{Value: n} }

// odd is an item with every kind of value.
func odd() item {
	return item{
		"PK": str("ODD"), "SK": str("A"), "b": &types.AttributeValueMemberB{Value: []byte{1, 255}},
		"yes": &types.AttributeValueMemberBOOL{Value: true}, "null": &types.AttributeValueMemberNULL{Value: true},
		"n":  num("-1.50"),
		"ss": &types.AttributeValueMemberSS{Value: []string{"b", "a"}},
		"ns": &types.AttributeValueMemberNS{Value: []string{"2", "1.0"}},
		"bs": &types.AttributeValueMemberBS{Value: [][]byte{{2}, {1}}},
		"m":  &types.AttributeValueMemberM{Value: item{"l": &types.AttributeValueMemberL{Value: []types.AttributeValue{num("1E3"), str("x\n")}}}},
	}
}

// TestItemsText asserts that items are shown readably and in a fixed order.
func TestItemsText(t *testing.T) {
	t.Parallel()
	db := ddbtest.New(t)
	s := ddbtest.Open(t, db, newShop)
	ddbtest.Seed(t, s.users, User{ID: "2", Name: "Bob"}, User{ID: "1", Name: "张三"})
	if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(ddbtest.TableName), Item: odd()}); err != nil {
		t.Fatal(err)
	}
	want := `ODD / A
	PK: "ODD"
	SK: "A"
	b: 0x01ff
	bs: BS[0x01, 0x02]
	m: {l: [1000, "x\n"]}
	n: -1.5
	ns: NS[1, 2]
	null: NULL
	ss: SS["a", "b"]
	yes: true
USER#1 / PROFILE
	EntityType: "User"
	ID: "1"
	Name: "张三"
	Orders: 0
	PK: "USER#1"
	SK: "PROFILE"
USER#2 / PROFILE
	EntityType: "User"
	ID: "2"
	Name: "Bob"
	Orders: 0
	PK: "USER#2"
	SK: "PROFILE"
`
	if diff := cmp.Diff(ddbtest.ItemsOf(t, db, ddbtest.TableName).String(), want); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
	wantFailure(t, func(t ddbtest.TB) { ddbtest.ItemsOf(t, db, "None") }, "items of table None", "ResourceNotFoundException")
}

// TestDiff asserts that a difference names what has changed and nothing else.
func TestDiff(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open opener) {
		db := open(t)
		s := ddbtest.Open(t, db, newShop)
		ddbtest.Seed(t, s.users, User{ID: "1"}, User{ID: "2"})
		before := ddbtest.ItemsOf(t, db, ddbtest.TableName)
		if diff := before.Diff(ddbtest.ItemsOf(t, db, ddbtest.TableName)); diff != "" {
			t.Errorf("nothing has changed, but: %s", diff)
		}
		if err := s.placeOrder(t.Context(), "1", "a"); err != nil {
			t.Fatal(err)
		}
		after := ddbtest.ItemsOf(t, db, ddbtest.TableName)
		want := ddbtest.Items{
			"USER#1 / PROFILE": {"EntityType": "User", "ID": "1", "Name": "", "Orders": ddbtest.N("1"), "PK": "USER#1", "SK": "PROFILE"},
			"USER#2 / PROFILE": before["USER#2 / PROFILE"],
			"USER#1 / ORDER#a": {
				"EntityType": "Order", "UserID": "1", "ID": "a", "Status": "OPEN", "PK": "USER#1", "SK": "ORDER#a",
				"GSI1PK": "STATUS#OPEN", "GSI1SK": "a",
			},
		}
		if diff := after.Diff(want); diff != "" {
			t.Errorf("(-got +want)\n%s", diff)
		}
		if before.Diff(after) == "" {
			t.Error("an order was placed, but nothing has changed")
		}
	})
}

// TestUnchanged asserts that a change anywhere is seen, and that calls which
// change nothing pass, whatever faults are on.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open opener) {
		db := open(t)
		s := ddbtest.Open(t, db, newShop)
		ddbtest.Seed(t, s.users, User{ID: "1"})
		wantFailure(t, func(t ddbtest.TB) {
			ddbtest.Unchanged(t, db, func() { _ = s.placeOrder(t.Context(), "nobody", "a") })
		})
		wantFailure(t, func(t ddbtest.TB) {
			ddbtest.Unchanged(t, db, func() { _ = s.placeOrder(t.Context(), "1", "a") })
		}, "items have changed", "USER#1 / ORDER#a", "Orders")
	})
}

// TestValues asserts that values compare by what they mean.
func TestValues(t *testing.T) {
	t.Parallel()
	got := odd()
	want := odd()
	want["n"], want["m"] = num("-15e-1"), &types.AttributeValueMemberM{Value: item{
		"l": &types.AttributeValueMemberL{Value: []types.AttributeValue{num("1000"), str("x\n")}},
	}}
	want["ss"] = &types.AttributeValueMemberSS{Value: []string{"a", "b"}}
	want["ns"] = &types.AttributeValueMemberNS{Value: []string{"1", "2.00"}}
	want["bs"] = &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2}}}
	if diff := cmp.Diff(got, want, ddbtest.Values()); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
	for name, other := range map[string]types.AttributeValue{
		"text and number":     str("1"),
		"another number":      num("1.0000000000000000000000000000000000001"),
		"NULL":                &types.AttributeValueMemberNULL{Value: true},
		"set of one":          &types.AttributeValueMemberNS{Value: []string{"1"}},
		"binary of its digit": &types.AttributeValueMemberB{Value: []byte("1")},
		"nothing":             nil,
	} {
		if cmp.Equal(item{"x": num("1")}, item{"x": other}, ddbtest.Values()) {
			t.Errorf("%s: equal to the number 1", name)
		}
	}
}

// TestNumbers asserts the one form of each number, exact to the last digit.
func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{"0", "0"}, {"-0", "0"}, {"007", "7"}, {"1.50", "1.5"}, {"1E3", "1000"}, {"-12e-1", "-1.2"},
		{"99999999999999999999999999999999999999", "99999999999999999999999999999999999999"},
		{"1E-5", "0.00001"}, {"x", "x"},
	} {
		if got := ddbtest.Plain(num(test.text)); got != ddbtest.N(test.want) {
			t.Errorf("%s: got %v, want %s", test.text, got, test.want)
		}
	}
	tiny := "1.2345678901234567890123456789012345678E-130"
	if a, b := ddbtest.Plain(num(tiny)), ddbtest.Plain(num("1.2345678901234567890123456789012345679E-130")); a == b {
		t.Error("two numbers that differ in the last digit are equal")
	}
}
