package bare_test

import (
	"reflect"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/internal/bare"
)

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func key(sk string) bare.Item { return bare.Item{"pk": str("a"), "sk": str(sk)} }

// full is an item with a value of every kind.
func full(sk string) bare.Item {
	it := key(sk)
	it["n"] = &types.AttributeValueMemberN{Value: "1"}
	it["b"] = &types.AttributeValueMemberB{Value: []byte("b")}
	it["bool"] = &types.AttributeValueMemberBOOL{Value: true}
	it["null"] = &types.AttributeValueMemberNULL{Value: true}
	it["ss"] = &types.AttributeValueMemberSS{Value: []string{"x"}}
	it["ns"] = &types.AttributeValueMemberNS{Value: []string{"1"}}
	it["bs"] = &types.AttributeValueMemberBS{Value: [][]byte{[]byte("x")}}
	it["l"] = &types.AttributeValueMemberL{Value: []types.AttributeValue{str("x")}}
	it["m"] = &types.AttributeValueMemberM{Value: bare.Item{"x": str("x")}}
	return it
}

// spoil changes everything in an item that can be changed.
func spoil(it bare.Item) {
	for name, v := range it {
		switch v := v.(type) {
		case *types.AttributeValueMemberS:
			v.Value = "spoilt"
		case *types.AttributeValueMemberN:
			v.Value = "666"
		case *types.AttributeValueMemberB:
			v.Value[0] = '!'
		case *types.AttributeValueMemberBOOL:
			v.Value = false
		case *types.AttributeValueMemberNULL:
			v.Value = false
		case *types.AttributeValueMemberSS:
			v.Value[0] = "spoilt"
		case *types.AttributeValueMemberNS:
			v.Value[0] = "666"
		case *types.AttributeValueMemberBS:
			v.Value[0][0] = '!'
		case *types.AttributeValueMemberL:
			spoil(bare.Item{"": v.Value[0]})
		case *types.AttributeValueMemberM:
			spoil(v.Value)
		}
		delete(it, name)
	}
}

// TestShares promises that the table does the work it is there to do: whatever
// goes in or comes out is a copy.
func TestShares(t *testing.T) {
	t.Parallel()
	table := bare.New("pk", "sk")
	in := full("1")
	if err := table.Put(in); err != nil {
		t.Fatal(err)
	}
	spoil(in)
	for range 2 {
		got, err := table.Get(key("1"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, full("1"), cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
			t.Errorf("Get (-got +want)\n%s", diff)
		}
		spoil(got)
		for _, it := range table.Query("a", "", 10) {
			spoil(it)
		}
	}
}

// TestTable promises the answers of a table.
func TestTable(t *testing.T) {
	t.Parallel()
	table := bare.New("pk", "sk")
	for n := range 30 {
		if err := table.Put(key(strconv.Itoa(n))); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, it := range table.Query("a", "2", 3) {
		got = append(got, it["sk"].(*types.AttributeValueMemberS).Value)
	}
	if diff := cmp.Diff(got, []string{"2", "20", "21"}); diff != "" {
		t.Errorf("Query (-got +want)\n%s", diff)
	}
	for range 2 {
		if err := table.Add(key("2"), "visits", 3); err != nil {
			t.Fatal(err)
		}
	}
	it, err := table.Get(key("2"))
	if err != nil {
		t.Fatal(err)
	}
	if got := it["visits"].(*types.AttributeValueMemberN).Value; got != "6" {
		t.Errorf("visits %s, want 6", got)
	}
	if it, err := table.Get(bare.Item{"pk": str("b"), "sk": str("1")}); it != nil || err != nil {
		t.Errorf("Get of a missing item: %v, %v", it, err)
	}
	if err := table.Put(bare.Item{"pk": str("b")}); err == nil {
		t.Error("Put without a sort key succeeds")
	}
}
