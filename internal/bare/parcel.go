package bare

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// CollectionSize is how many parcels have one partition key.
const CollectionSize = 100

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// ParcelKey returns the key, PK and SK, of the nth parcel.
func ParcelKey(n int) Item {
	return Item{
		"PK": str(fmt.Sprintf("USER#%06d", n/CollectionSize)),
		"SK": str(fmt.Sprintf("ORDER#2024-05-20T12:30:00Z#%04d", n%CollectionSize)),
	}
}

// Parcel returns the nth of the items that benchmarks store: ten attributes of
// several kinds, 400 bytes.
func Parcel(n int) Item {
	it := ParcelKey(n)
	it["type"], it["status"] = str("Order"), str("OPEN")
	it["paid"] = &types.AttributeValueMemberBOOL{Value: true}
	it["total"] = &types.AttributeValueMemberN{Value: "129.95"}
	it["count"] = &types.AttributeValueMemberN{Value: strconv.Itoa(n % 7)}
	it["tags"] = &types.AttributeValueMemberSS{Value: []string{"express", "gift", "first order of this customer"}}
	it["address"] = &types.AttributeValueMemberM{Value: Item{
		"street": str("Veldstraat 88"), "city": str("Ghent"), "zip": str("9000"), "country": str("BE"),
	}}
	it["note"] = str(strings.Repeat("please leave the parcel with the neighbours. ", 3))
	return it
}

// Text returns the text of a value of type S, "" for any other.
func Text(v types.AttributeValue) string {
	if s, ok := v.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}
