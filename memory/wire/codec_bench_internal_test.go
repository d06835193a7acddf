package wire

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/internal/bare"
	"github.com/seed530093c6/ddb/internal/versus"
	"github.com/seed530093c6/ddb/memory/internal/av"
)

// hand reads a PutItem and nothing else, in one pass over a body that it takes to
// be sound: no escapes, no nulls, no member of a wrong type.
type hand struct {
	body string
	pos  int
}

func (h *hand) skip(c byte) {
	if h.pos < len(h.body) && h.body[h.pos] == c {
		h.pos++
	}
}

func (h *hand) text() string {
	h.pos++
	n := strings.IndexByte(h.body[h.pos:], '"')
	s := strings.Clone(h.body[h.pos : h.pos+n])
	h.pos += n + 1
	return s
}

// name reads what comes before a value.
func (h *hand) name() string {
	s := h.text()
	h.skip(':')
	return s
}

// open enters an object or array and leave reports whether it ends.
func (h *hand) open() { h.pos++ }

func (h *hand) leave(closing byte) bool {
	if h.body[h.pos] == closing {
		h.pos++
		return true
	}
	h.skip(',')
	return false
}

func (h *hand) item() map[string]types.AttributeValue {
	m := make(map[string]types.AttributeValue, 8)
	for h.open(); !h.leave('}'); {
		name := h.name()
		m[name] = h.value()
	}
	return m
}

func (h *hand) value() (v types.AttributeValue) {
	h.open()
	switch h.name() {
	case "S":
		v = &types.AttributeValueMemberS{Value: h.text()}
	case "N":
		v = &types.AttributeValueMemberN{Value: h.text()}
	case "BOOL":
		v = &types.AttributeValueMemberBOOL{Value: h.body[h.pos] == 't'}
		h.pos += strings.IndexByte(h.body[h.pos:], 'e') + 1
	case "SS":
		var set []string
		for h.open(); !h.leave(']'); {
			set = append(set, h.text())
		}
		v = &types.AttributeValueMemberSS{Value: set}
	case "M":
		v = &types.AttributeValueMemberM{Value: h.item()}
	}
	h.skip('}')
	return v
}

func (h *hand) putItem() *dynamodb.PutItemInput {
	in := new(dynamodb.PutItemInput)
	for h.open(); !h.leave('}'); {
		switch h.name() {
		case "TableName":
			name := h.text()
			in.TableName = &name
		case "Item":
			in.Item = h.item()
		}
	}
	return in
}

// BenchmarkDecode reads a PutItem of 400 bytes, against code by hand that knows no
// other request and checks nothing.
func BenchmarkDecode(b *testing.B) {
	var e encoder
	e.attributeMap(bare.Parcel(1))
	body := []byte(`{"TableName":"Orders","Item":` + string(e.buf) + `}`)
	versus.Run(b,
		versus.Side{Name: "hand", Setup: func(b *testing.B) func(int) {
			return func(int) {
				h := hand{body: string(body)}
				if in := h.putItem(); *in.TableName != "Orders" || len(in.Item) != 10 || h.pos != len(body) {
					b.Fatal(in)
				}
			}
		}},
		versus.Side{Name: "codec", Setup: func(b *testing.B) func(int) {
			c := new(codec)
			return func(int) {
				in := new(dynamodb.PutItemInput)
				if err := c.decode(body, in); err != nil || *in.TableName != "Orders" || len(in.Item) != 10 {
					b.Fatal(in, err)
				}
			}
		}})
}

// quoted appends a text, looking at every byte for what needs an escape.
func quoted(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return strconv.AppendQuote(dst, s)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

// queryByHand writes a response to a Query and nothing else.
func queryByHand(dst []byte, items []av.Map) []byte {
	dst = fmt.Appendf(dst, `{"Count":%d,"Items":[`, len(items))
	for i, m := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = itemByHand(dst, m)
	}
	return fmt.Appendf(dst, `],"ScannedCount":%d}`, len(items))
}

func itemByHand(dst []byte, m av.Map) []byte {
	dst = append(dst, '{')
	for i := range m {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(quoted(dst, m[i].Name), ':')
		switch v := m[i].Value; v.Kind() {
		case av.S:
			dst = append(quoted(append(dst, `{"S":`...), v.Text()), '}')
		case av.N:
			dst = append(quoted(append(dst, `{"N":`...), v.Text()), '}')
		case av.BOOL:
			dst = fmt.Appendf(dst, `{"BOOL":%t}`, v.Truth())
		case av.SS:
			dst = append(dst, `{"SS":[`...)
			for j, s := range v.Texts() {
				if j > 0 {
					dst = append(dst, ',')
				}
				dst = quoted(dst, s)
			}
			dst = append(dst, `]}`...)
		case av.M:
			dst = append(itemByHand(append(dst, `{"M":`...), v.Map()), '}')
		}
	}
	return append(dst, '}')
}

// BenchmarkEncode writes a response with a hundred items of 400 bytes, against code
// by hand that knows no other response.
func BenchmarkEncode(b *testing.B) {
	var stored []av.Map
	out := &dynamodb.QueryOutput{Count: 100, ScannedCount: 100}
	for n := range 100 {
		m, err := av.MapFromSDK(bare.Parcel(n))
		if err != nil {
			b.Fatal(err)
		}
		stored = append(stored, m)
		out.Items = append(out.Items, m.Stored())
	}
	var buf []byte
	versus.Run(b,
		versus.Side{Name: "hand", Setup: func(*testing.B) func(int) {
			return func(int) { buf = queryByHand(buf[:0], stored) }
		}},
		versus.Side{Name: "codec", Setup: func(b *testing.B) func(int) {
			c, want := new(codec), string(queryByHand(nil, stored))
			return func(int) {
				if buf = c.encode(buf[:0], out); len(buf) != len(want) {
					b.Fatalf("%s, want %s", buf, want)
				}
			}
		}})
}
