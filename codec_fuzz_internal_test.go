package ddb

import (
	"encoding/json"
	"errors"
	"math/big"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// everything has a field of each kind that codecs know.
type everything struct {
	Bool    bool
	Text    string
	Color   color
	Int     int8
	Uint    uint16
	Float   float32
	Number  json.Number
	Other   attributevalue.Number
	Bytes   []byte
	Array   [2]byte
	Time    time.Time
	Unix    time.Time `dynamodbav:",unixtime"`
	When    *when
	Level   level
	Addr    netip.Addr
	Span    *span
	Money   money
	Celsius *celsius
	Big     *big.Int
	Quoted  int      `dynamodbav:",string"`
	Texts   []string `dynamodbav:",stringset"`
	Keys    map[string]bool
	Set     map[level]void `dynamodbav:",stringset"`
	Sums    map[int]**float64
	Map     map[string]string
	Lists   [][]*line
	Fixed   [2]any
	Any     any
	Raw     types.AttributeValue
	Member  *types.AttributeValueMemberL
	*Traced
	Again *everything
}

// FuzzDecode asserts that whatever is stored, reading it panics nowhere: it gives
// a value, which can be stored again, or an error that says what does not fit.
// The input says which attributes there are and of what kind.
func FuzzDecode(f *testing.F) {
	plan := planOf(f, reflect.TypeFor[everything]())
	for kind := range byte(14) {
		seed := make([]byte, 0, 64)
		for range plan.fields {
			seed = append(seed, kind, 2, 3)
			seed = append(seed, "1.5"...)
		}
		f.Add(append(seed, "2024-05-20T12:30:00Z"...))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		r := &avReader{rest: input}
		for _, f := range plan.fields {
			item := map[string]types.AttributeValue{f.attr: r.value(4)}
			v := reflect.New(plan.typ).Elem()
			if err := plan.decodeItem(item, v); err != nil {
				if d := (*DecodeError)(nil); !errors.Is(err, ErrDecode) || !errors.As(err, &d) || d.Path == "" || d.Error() == "" {
					t.Fatalf("%s: got %v, want a DecodeError with a path", f.name, err)
				}
				continue
			}
			if _, err := plan.encodeItem(v); err != nil && !errors.Is(err, ErrEncode) {
				t.Fatalf("%s: got %v, want ErrEncode", f.name, err)
			}
		}
	})
}

// avReader makes attribute values of bytes.
type avReader struct{ rest []byte }

func (r *avReader) byte() byte {
	if len(r.rest) == 0 {
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

func (r *avReader) text() string {
	n := min(int(r.byte()%32), len(r.rest))
	text := string(r.rest[:n])
	r.rest = r.rest[n:]
	return text
}

func (r *avReader) value(depth int) types.AttributeValue {
	kind := r.byte() % 14
	n := int(r.byte() % 4)
	if depth == 0 && kind >= 8 {
		kind %= 8
	}
	switch kind {
	case 0:
		return str(r.text())
	case 1:
		return num(r.text())
	case 2:
		return num([]string{"0", "1", "-1.5", "300", "1e400"}[r.byte()%5])
	case 3:
		return &types.AttributeValueMemberB{Value: []byte(r.text())}
	case 4:
		return &types.AttributeValueMemberBOOL{Value: n > 0}
	case 5:
		return &types.AttributeValueMemberNULL{Value: n > 0}
	case 6:
		return nil
	case 7:
		return []types.AttributeValue{
			(*types.AttributeValueMemberS)(nil), (*types.AttributeValueMemberM)(nil), (*types.AttributeValueMemberL)(nil), &types.UnknownUnionMember{},
		}[n]
	case 8:
		ss := &types.AttributeValueMemberSS{}
		for range n {
			ss.Value = append(ss.Value, r.text())
		}
		return ss
	case 9:
		ns := &types.AttributeValueMemberNS{}
		for range n {
			ns.Value = append(ns.Value, r.text())
		}
		return ns
	case 10:
		bs := &types.AttributeValueMemberBS{}
		for range n {
			bs.Value = append(bs.Value, []byte(r.text()))
		}
		return bs
	case 11:
		l := &types.AttributeValueMemberL{}
		for range n {
			l.Value = append(l.Value, r.value(depth-1))
		}
		return l
	case 12:
		m := &types.AttributeValueMemberM{}
		if n > 0 {
			m.Value = make(map[string]types.AttributeValue)
		}
		for range n {
			m.Value[r.text()] = r.value(depth - 1)
		}
		return m
	}
	m := &types.AttributeValueMemberM{Value: make(map[string]types.AttributeValue)}
	for _, name := range []string{"Name", "Next", "Sums", "Raw", "Kept", "Any", "Again", "By"}[n*2 : n*2+2] {
		m.Value[name] = r.value(depth - 1)
	}
	return m
}
