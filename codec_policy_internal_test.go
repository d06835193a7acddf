package ddb

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// codecCase is what happens to a field F of some type and tag.
type codecCase interface {
	run(t *testing.T)
	title() string
}

// stored says that a value is stored as an item and comes back as it was, or as
// back.
type stored[V any] struct {
	name string
	tag  string // options, with the comma in front
	in   V
	item string // of the field F, as show prints it
	back *V
}

func (c stored[V]) title() string { return c.name }

func (c stored[V]) run(t *testing.T) {
	t.Parallel()
	plan := planOf(t, oneField[V](c.tag))
	v := reflect.New(plan.typ).Elem()
	v.Field(0).Set(reflect.ValueOf(&c.in).Elem())
	item, most, err := plan.encodeSized(v)
	if err != nil {
		t.Fatal(err)
	}
	if size := itemSize(item); size > most {
		t.Errorf("is said to have at most %d bytes and has %d", most, size)
	}
	if got := show(item); got != c.item {
		t.Errorf("stored %s, want %s", got, c.item)
	}
	back := reflect.New(plan.typ).Elem()
	if err := plan.decodeItem(item, back); err != nil {
		t.Fatal(err)
	}
	want := c.in
	if c.back != nil {
		want = *c.back
	}
	got := back.Field(0).Addr().Interface().(*V)
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("came back as %#v, want %#v", *got, want)
	}
}

func oneField[V any](options string) reflect.Type {
	return reflect.StructOf([]reflect.StructField{{
		Name: "F", Type: reflect.TypeFor[V](), Tag: reflect.StructTag(`dynamodbav:"` + options + `"`),
	}})
}

func ref[V any](v V) *V { return &v }

// The types of the cases.

type (
	line struct {
		Name  string
		Next  *line                       `dynamodbav:",omitempty"`
		Notes []string                    // nil is left out
		Sums  map[string]int              // so here
		Raw   []byte                      // and here
		Tags  []string                    `dynamodbav:",stringset"`
		Kept  *int                        `dynamodbav:",nullempty"`
		Any   any                         `dynamodbav:",omitempty"`
		Deep  map[string]struct{ P *int } `dynamodbav:",omitempty"`
	}
	void  struct{}
	when  time.Time
	stamp struct{ time.Time } // the text of a time
	event struct {            // embeds a text beside another field
		time.Time
		Name string
	}
	span struct{ From, To int } // with a text by methods of the pointer
	// money has a text and a stored form, which wins, the latter by methods of
	// the pointer.
	money  struct{ cents int }
	zero   struct{ N int }
	digest [2]byte
	shade  uint8
	null   struct{}
	latin  string // a text that need not be UTF-8
	loose  string // the name in a map of a stored form of its own
	ring   struct {
		Next *ring
		All  []any
	}
)

func (s *span) MarshalText() ([]byte, error)    { return json.Marshal([]int{s.From, s.To}) }
func (s *span) UnmarshalText(text []byte) error { return json.Unmarshal(text, &[]*int{&s.From, &s.To}) }

func (m money) MarshalText() ([]byte, error)     { return []byte("text"), nil }
func (m *money) UnmarshalText(text []byte) error { return errors.New("text") }
func (m *money) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	return &types.AttributeValueMemberN{Value: new(big.Int).SetInt64(int64(m.cents)).String()}, nil
}
func (m *money) UnmarshalDynamoDBAttributeValue(av types.AttributeValue) error {
	n, ok := av.(*types.AttributeValueMemberN)
	if !ok {
		return errors.New("no number")
	}
	return json.Unmarshal([]byte(n.Value), &m.cents)
}

func (l latin) MarshalText() ([]byte, error)     { return []byte(l), nil }
func (l *latin) UnmarshalText(text []byte) error { *l = latin(text); return nil }

func (l loose) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	return &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{string(l): nil}}, nil
}
func (*loose) UnmarshalDynamoDBAttributeValue(types.AttributeValue) error { return nil }

func (z zero) IsZero() bool   { return z.N == 0 }
func (d digest) IsZero() bool { return d == digest{} }

func (null) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	return &types.AttributeValueMemberNULL{Value: true}, nil
}
func (*null) UnmarshalDynamoDBAttributeValue(types.AttributeValue) error { return nil }

var (
	noon   = time.Date(2024, 5, 20, 12, 30, 0, 120_000_000, time.UTC)
	abroad = noon.In(time.FixedZone("", 5*3600))
	nilInt *int
)

// TestStoredForms asserts the choices of codec.go row by row: what is stored of a
// value, and that it comes back.
func TestStoredForms(t *testing.T) {
	t.Parallel()
	n := func(v attributevalue.Number) any { return v }
	cases := []codecCase{
		// What is not there is left out.
		stored[*int]{name: "nil pointer", item: ""},
		stored[[]string]{name: "nil list", item: ""},
		stored[map[string]int]{name: "nil map", item: ""},
		stored[[]byte]{name: "nil bytes", item: ""},
		stored[[][]byte]{name: "nil set", item: ""},
		stored[[]string]{name: "nil set by tag", tag: ",stringset", item: ""},
		stored[[]string]{name: "empty set", tag: ",stringset", in: []string{}, item: "", back: ref([]string(nil))},
		stored[[]int]{name: "empty number set", tag: ",numberset,omitempty", in: []int{}, item: "", back: ref([]int(nil))},
		stored[[][]byte]{name: "empty binary set", in: [][]byte{}, item: "", back: ref([][]byte(nil))},
		stored[[]string]{name: "set whose members are all left out", tag: ",stringset,omitemptyelem", in: []string{""}, item: "", back: ref([]string(nil))},
		stored[map[string]bool]{name: "empty set of keys", tag: ",stringset", in: map[string]bool{"a": false}, item: "", back: ref(map[string]bool(nil))},
		stored[line]{name: "nil in a struct", in: line{Name: "a"}, item: "F:M{Kept:NULL Name:S(a)}"},
		stored[[]line]{name: "nil in structs of a list", in: []line{{Next: &line{Name: "b"}}}, item: "F:L[M{Kept:NULL Name:S() Next:M{Kept:NULL Name:S(b)}}]"},
		stored[map[string]line]{name: "nil in structs of a map", in: map[string]line{"k": {}}, item: "F:M{k:M{Kept:NULL Name:S()}}"},
		stored[any]{name: "nil in a struct in an any", in: struct{ P *int }{}, item: "F:M{}", back: ref(any(map[string]any{}))},

		// The options that ask for NULL.
		stored[*int]{name: "nullempty pointer", tag: ",nullempty", item: "F:NULL"},
		stored[[]string]{name: "nullempty set", tag: ",nullempty,stringset", in: []string{}, item: "F:NULL", back: ref([]string(nil))},
		stored[int]{name: "nullempty zero", tag: ",nullempty", item: "F:NULL"},
		stored[string]{name: "nullempty empty string", tag: ",nullempty", item: "F:NULL"},
		stored[[]string]{name: "nullemptyelem", tag: ",nullemptyelem", in: []string{"", "a"}, item: "F:L[NULL S(a)]"},
		stored[any]{name: "nil any", item: "F:NULL"},
		stored[**int]{name: "pointer to a nil pointer", in: &nilInt, item: "F:NULL", back: new(**int)},

		// Elements keep their places, entries their keys.
		stored[[]*int]{name: "nil in a list", in: []*int{nil, ref(1)}, item: "F:L[NULL N(1)]"},
		stored[[]*int]{name: "omitemptyelem", tag: ",omitemptyelem", in: []*int{nil, ref(1)}, item: "F:L[N(1)]", back: ref([]*int{ref(1)})},
		stored[[][]string]{name: "nil list in a list", in: [][]string{nil, {}}, item: "F:L[NULL L[]]"},
		stored[map[string]*int]{name: "nil in a map", in: map[string]*int{"a": nil}, item: "F:M{a:NULL}"},
		stored[map[string][][]byte]{name: "empty set in a map", in: map[string][][]byte{"a": {}}, item: "F:M{}", back: ref(map[string][][]byte{})},

		// What is there and empty stays.
		stored[[]string]{name: "empty list", tag: ",omitempty", in: []string{}, item: "F:L[]"},
		stored[[]line]{name: "empty list of structs", in: []line{}, item: "F:L[]"},
		stored[map[string]int]{name: "empty map", tag: ",omitempty", in: map[string]int{}, item: "F:M{}"},
		stored[[]byte]{name: "empty bytes", tag: ",omitempty", in: []byte{}, item: "F:B()"},
		stored[string]{name: "empty string", item: "F:S()"},
		stored[*[]string]{name: "pointer to an empty list", in: &[]string{}, item: "F:L[]"},
		stored[[0]int]{name: "array without elements", item: "F:L[]"},

		// Times.
		stored[time.Time]{name: "time", in: noon, item: "F:S(2024-05-20T12:30:00.120000000Z)"},
		stored[time.Time]{name: "time elsewhere", in: abroad, item: "F:S(2024-05-20T12:30:00.120000000Z)", back: &noon},
		stored[time.Time]{name: "zero time", item: "F:S(0001-01-01T00:00:00.000000000Z)"},
		stored[time.Time]{name: "zero time under omitempty", tag: ",omitempty", item: ""},
		stored[*time.Time]{name: "pointer to zero time under omitempty", tag: ",omitempty", in: new(time.Time), item: "", back: new(*time.Time)},
		stored[any]{name: "zero time in an any under omitempty", tag: ",omitempty", in: time.Time{}, item: "", back: new(any)},
		stored[time.Time]{name: "unixtime", tag: ",unixtime", in: time.Unix(1_700_000_000, 0).UTC(), item: "F:N(1700000000)"},
		stored[*time.Time]{name: "nil time under unixtime", tag: ",unixtime,omitempty", item: ""},
		stored[when]{name: "type made of time", in: when(noon), item: "F:S(2024-05-20T12:30:00.120000000Z)"},
		stored[when]{name: "zero of a type made of time", tag: ",omitempty,unixtime", item: ""},
		stored[attributevalue.UnixTime]{name: "UnixTime", in: attributevalue.UnixTime(time.Unix(1, 0)), item: "F:N(1)"},
		stored[time.Duration]{name: "duration", in: time.Second, item: "F:N(1000000000)"},

		// Texts.
		stored[level]{name: "enum", in: 2, item: "F:S(high)"},
		stored[level]{name: "zero enum under omitempty", tag: ",omitempty", item: ""},
		stored[[]level]{name: "set of enums", tag: ",stringset", in: []level{2, 0}, item: "F:SS(high low)"},
		stored[map[level]int]{name: "enum as a key", in: map[level]int{1: 5}, item: "F:M{mid:N(5)}"},
		stored[span]{name: "text by methods of the pointer", in: span{1, 2}, item: "F:S([1,2])"},
		stored[map[string]span]{name: "text of what has no address", in: map[string]span{"a": {1, 2}}, item: "F:M{a:S([1,2])}"},
		stored[map[span]bool]{name: "keys with a text by methods of the pointer", in: map[span]bool{{1, 2}: true}, item: "F:M{[1,2]:true}"},
		stored[netip.Addr]{name: "address", in: netip.MustParseAddr("10.0.0.1"), item: "F:S(10.0.0.1)"},
		stored[stamp]{name: "struct that embeds a text alone", in: stamp{noon}, item: "F:S(2024-05-20T12:30:00.12Z)"},
		stored[event]{name: "struct that embeds a text beside a field", in: event{noon, "x"}, item: "F:M{Name:S(x) Time:S(2024-05-20T12:30:00.120000000Z)}"},
		stored[money]{name: "stored form before text", in: money{5}, item: "F:N(5)"},
		stored[map[string]money]{name: "stored form of what has no address", in: map[string]money{"a": {5}}, item: "F:M{a:N(5)}"},
		stored[*money]{name: "stored form of a pointer", in: &money{5}, item: "F:N(5)"},
		stored[*money]{name: "nil pointer to a stored form", item: ""},
		stored[null]{name: "NULL by its own choice", item: "F:NULL"},
		stored[null]{name: "NULL by its own choice under omitempty", tag: ",omitempty", item: ""},

		// Emptiness of structs.
		stored[zero]{name: "struct that is zero", tag: ",omitempty", item: ""},
		stored[zero]{name: "struct that is not zero", tag: ",omitempty", in: zero{1}, item: "F:M{N:N(1)}"},
		stored[event]{name: "struct whose embedded time is zero", tag: ",omitempty", in: event{Name: "x"}, item: "F:M{Name:S(x) Time:S(0001-01-01T00:00:00.000000000Z)}"},
		stored[digest]{name: "array that is zero", tag: ",omitempty", item: ""},
		stored[struct{ N int }]{name: "struct that does not say", tag: ",omitempty", item: "F:M{N:N(0)}"},

		// Numbers.
		stored[int64]{name: "int64", in: 1556893286484340854, item: "F:N(1556893286484340854)"},
		stored[int64]{name: "least int64", in: math.MinInt64, item: "F:N(-9223372036854775808)"},
		stored[uint64]{name: "greatest uint64", in: math.MaxUint64, item: "F:N(18446744073709551615)"},
		stored[float64]{name: "float64", in: 0.1, item: "F:N(0.1)"},
		stored[float64]{name: "large float64", in: 1e125, item: "F:N(1" + strings.Repeat("0", 125) + ")"},
		stored[float64]{name: "negative zero", tag: ",omitempty", in: math.Copysign(0, -1), item: "", back: ref(0.0)},
		stored[float32]{name: "float32", in: 0.1, item: "F:N(0.1)"},
		stored[json.Number]{name: "json.Number", in: "1.50", item: "F:N(1.50)"},
		stored[attributevalue.Number]{name: "attributevalue.Number", in: "12345678901234567890123456789012345678", item: "F:N(12345678901234567890123456789012345678)"},
		stored[[]json.Number]{name: "number set of texts", tag: ",numberset", in: []json.Number{"1.50", "2"}, item: "F:NS(1.50 2)"},
		stored[any]{name: "number in an any", in: int64(1556893286484340854), item: "F:N(1556893286484340854)", back: ref(n("1556893286484340854"))},
		stored[[]any]{name: "numbers in an any", in: []any{1, 2.5}, item: "F:L[N(1) N(2.5)]", back: ref([]any{n("1"), n("2.5")})},
		stored[big.Int]{name: "big.Int", in: *big.NewInt(23), item: "F:N(23)"},
		stored[*big.Int]{name: "pointer to big.Int", in: huge(38), item: "F:N(" + strings.Repeat("9", 38) + ")"},
		stored[*big.Int]{name: "big.Int with zeros at the end", in: new(big.Int).Mul(huge(38), big.NewInt(1e9)), item: "F:N(" + strings.Repeat("9", 38) + "000000000)"},
		stored[*big.Int]{name: "nil big.Int", item: ""},
		stored[big.Int]{name: "zero big.Int under omitempty", tag: ",omitempty", item: ""},
		stored[map[string]big.Int]{name: "big.Int without an address", in: map[string]big.Int{"a": *big.NewInt(-1)}, item: "F:M{a:N(-1)}"},
		stored[int]{name: "string", tag: ",string", in: 5, item: "F:S(5)"},
		stored[*uint8]{name: "string and pointer", tag: ",string", in: ref(uint8(255)), item: "F:S(255)"},
		stored[float64]{name: "string and float", tag: ",string", in: -1.5, item: "F:S(-1.5)"},

		// Sets.
		stored[[]string]{name: "string set", tag: ",stringset", in: []string{"b", ""}, item: "F:SS(b )"},
		stored[[2]int8]{name: "number set of an array", tag: ",numberset", in: [2]int8{-1, 1}, item: "F:NS(-1 1)"},
		stored[[][3]byte]{name: "binary set of arrays", tag: ",binaryset", in: [][3]byte{{'a', 'b', 'c'}}, item: "F:BS([abc])"},
		stored[[][]byte]{name: "binary set without a tag", in: [][]byte{[]byte("a")}, item: "F:BS([a])"},
		stored[[]any]{name: "set of any", tag: ",stringset", in: []any{"a"}, item: "F:SS(a)"},
		stored[[]time.Time]{name: "set of times", tag: ",stringset", in: []time.Time{noon}, item: "F:SS(2024-05-20T12:30:00.120000000Z)"},
		stored[map[string]struct{}]{name: "set of keys", tag: ",stringset", in: map[string]struct{}{"b": {}, "a": {}}, item: "F:SS(a b)"},
		stored[map[color]void]{name: "set of keys of a string kind", tag: ",stringset", in: map[color]void{"b": {}}, item: "F:SS(b)"},
		stored[map[int]bool]{name: "set of numbers", tag: ",numberset", in: map[int]bool{10: true, 9: true, 8: false}, item: "F:NS(10 9)", back: &map[int]bool{10: true, 9: true}},
		stored[map[level]bool]{name: "set of texts", tag: ",stringset", in: map[level]bool{1: true}, item: "F:SS(mid)"},
		stored[map[[2]byte]struct{}]{name: "set of bytes", tag: ",binaryset", in: map[[2]byte]struct{}{{'b', 'b'}: {}, {'a', 'a'}: {}}, item: "F:BS([aa bb])"},

		// Keys of maps.
		stored[map[int]string]{name: "int keys", in: map[int]string{-1: "a"}, item: "F:M{-1:S(a)}"},
		stored[map[uint8]string]{name: "uint8 keys", in: map[uint8]string{255: "a"}, item: "F:M{255:S(a)}"},
		stored[map[bool]string]{name: "bool keys", in: map[bool]string{true: "a"}, item: "F:M{true:S(a)}"},
		stored[map[float64]string]{name: "float keys", in: map[float64]string{0.5: "a"}, item: "F:M{0.5:S(a)}"},
		stored[map[color]string]{name: "keys of a string kind", in: map[color]string{"a": "b"}, item: "F:M{a:S(b)}"},
		stored[map[attributevalue.Number]string]{name: "keys that are numbers", in: map[attributevalue.Number]string{"1": "b"}, item: "F:M{1:S(b)}"},

		// The rest.
		stored[[3]byte]{name: "array of bytes", in: [3]byte{'a', 'b', 'c'}, item: "F:B(abc)"},
		stored[map[string][3]byte]{name: "array without an address", in: map[string][3]byte{"k": {'a', 'b', 'c'}}, item: "F:M{k:B(abc)}"},
		stored[[]shade]{name: "bytes of a kind of their own", in: []shade{'a', 'b'}, item: "F:B(ab)"},
		stored[[2]shade]{name: "array of such bytes", in: [2]shade{'a', 'b'}, item: "F:B(ab)"},
		stored[[]color]{name: "list of a string kind", in: []color{"a"}, item: "F:L[S(a)]"},
		stored[map[string]string]{name: "map of strings", in: map[string]string{"a": "b"}, item: "F:M{a:S(b)}"},
		stored[types.AttributeValue]{name: "stored value", in: &types.AttributeValueMemberNS{Value: []string{"1"}}, item: "F:NS(1)"},
		stored[types.AttributeValue]{name: "stored NULL", in: &types.AttributeValueMemberNULL{Value: true}, item: "F:NULL"},
		stored[types.AttributeValue]{name: "no stored value", item: ""},
		stored[[]types.AttributeValue]{name: "no stored value in a list", in: []types.AttributeValue{nil}, item: "F:L[NULL]", back: &[]types.AttributeValue{newNull()}},
		stored[*types.AttributeValueMemberS]{name: "stored value of one kind", in: &types.AttributeValueMemberS{Value: "a"}, item: "F:S(a)"},
		stored[any]{name: "stored value in an any", in: &types.AttributeValueMemberN{Value: "7"}, item: "F:N(7)", back: ref(n("7"))},
		stored[any]{name: "nested any", in: map[string]any{"a": []any{true, nil, []byte("x"), [][]byte{{'y'}}}}, item: "F:M{a:L[true NULL B(x) BS([y])]}"},
		stored[any]{name: "set in an any", in: struct {
			S []string `dynamodbav:",stringset"`
		}{[]string{"a"}}, item: "F:M{S:SS(a)}", back: ref(any(map[string]any{"S": []string{"a"}}))},
		stored[any]{name: "list in an any", in: []string(nil), item: "F:L[]", back: ref(any([]any{}))},
	}
	for _, c := range cases {
		t.Run(c.title(), c.run)
	}
}

func huge(digits int) *big.Int {
	n, _ := new(big.Int).SetString(strings.Repeat("9", digits), 10)
	return n
}

// read says what an attribute is read as.
type read[V any] struct {
	name string
	tag  string
	av   types.AttributeValue
	want V
}

func (c read[V]) title() string { return c.name }

func (c read[V]) run(t *testing.T) {
	t.Parallel()
	plan := planOf(t, oneField[V](c.tag))
	v := reflect.New(plan.typ).Elem()
	if err := plan.decodeItem(map[string]types.AttributeValue{"F": c.av, "Unknown": c.av}, v); err != nil {
		t.Fatal(err)
	}
	if got := v.Field(0).Addr().Interface().(*V); !reflect.DeepEqual(*got, c.want) {
		t.Errorf("got %#v, want %#v", *got, c.want)
	}
}

func str(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
func num(v string) types.AttributeValue { return &types.AttributeValueMemberN{Value: v} }
func list(v ...types.AttributeValue) types.AttributeValue {
	return &types.AttributeValueMemberL{Value: v}
}

// TestReadForms asserts what is read that was stored by others.
func TestReadForms(t *testing.T) {
	t.Parallel()
	whole := time.Date(2024, 5, 20, 12, 30, 0, 0, time.UTC)
	cases := []codecCase{
		read[time.Time]{name: "time without a fraction", av: str("2024-05-20T12:30:00Z"), want: whole},
		read[time.Time]{name: "time with a short fraction", av: str("2024-05-20T12:30:00.12Z"), want: noon},
		read[time.Time]{name: "time with an offset", av: str("2024-05-20T17:30:00.12+05:00"), want: noon},
		read[time.Time]{name: "time in small letters", av: str("2024-05-20t12:30:00z"), want: whole},
		read[time.Time]{name: "time with a space", av: str("2024-05-20 12:30:00Z"), want: whole},
		read[time.Time]{name: "epoch seconds", av: num("1700000000"), want: time.Unix(1_700_000_000, 0).UTC()},
		read[time.Time]{name: "epoch seconds under unixtime", tag: ",unixtime", av: num("-1"), want: time.Unix(-1, 0).UTC()},
		read[time.Time]{name: "time under unixtime", tag: ",unixtime", av: str("2024-05-20T12:30:00Z"), want: whole},
		read[int]{name: "NULL", av: newNull(), want: 0},
		read[string]{name: "NULL string", av: newNull(), want: ""},
		read[time.Time]{name: "NULL time", av: newNull(), want: time.Time{}},
		read[line]{name: "NULL struct", av: newNull(), want: line{}},
		read[[]int]{name: "NULL list", av: newNull(), want: nil},
		read[[2]int]{name: "NULL in an array", av: list(newNull(), num("1")), want: [2]int{0, 1}},
		read[level]{name: "NULL text", av: newNull(), want: 0},
		read[big.Int]{name: "NULL big.Int", av: newNull(), want: big.Int{}},
		read[string]{name: "no value", av: nil, want: ""},
		read[*int]{name: "typed nil", av: (*types.AttributeValueMemberN)(nil), want: nil},
		read[level]{name: "enum stored as its number", av: num("2"), want: 2},
		read[string]{name: "number as text", av: num("1.50"), want: "1.50"},
		read[json.Number]{name: "text as a number", av: str("1.50"), want: "1.50"},
		read[int]{name: "number under string", tag: ",string", av: num("5"), want: 5},
		read[[]string]{name: "set without the option", av: &types.AttributeValueMemberSS{Value: []string{"a"}}, want: []string{"a"}},
		read[[]string]{name: "list with the option", tag: ",stringset", av: list(str("a")), want: []string{"a"}},
		read[[]string]{name: "numbers as texts", av: &types.AttributeValueMemberNS{Value: []string{"1"}}, want: []string{"1"}},
		read[[]string]{name: "list of texts and numbers", av: list(str("a"), num("1"), newNull()), want: []string{"a", "1", ""}},
		read[map[string]string]{name: "map of texts and numbers", av: &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"a": str("x"), "b": num("1")}},
			want: map[string]string{"a": "x", "b": "1"}},
		read[map[string]bool]{name: "list of keys", tag: ",stringset", av: list(str("a")), want: map[string]bool{"a": true}},
		read[[]byte]{name: "bytes as a list of numbers", av: list(num("1"), num("255")), want: []byte{1, 255}},
		read[[3]int]{name: "short list in an array", av: list(num("1")), want: [3]int{1}},
		read[[]money]{name: "set of stored forms", av: &types.AttributeValueMemberNS{Value: []string{"1", "2"}}, want: []money{{1}, {2}}},
		read[[]level]{name: "set of texts", av: &types.AttributeValueMemberSS{Value: []string{"low", "high"}}, want: []level{0, 2}},
		read[any]{name: "set of numbers", av: &types.AttributeValueMemberNS{Value: []string{"1"}}, want: []attributevalue.Number{"1"}},
		read[any]{name: "set of bytes", av: &types.AttributeValueMemberBS{Value: [][]byte{{1}}}, want: [][]byte{{1}}},
		read[any]{name: "set without members", av: &types.AttributeValueMemberSS{}, want: []string{}},
		read[struct{ Name string }]{name: "names differ in case", av: &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"name": str("x")}}},
	}
	for _, c := range cases {
		t.Run(c.title(), c.run)
	}
}

// misfit says that an attribute does not fit.
type misfit[V any] struct {
	name string
	tag  string
	av   types.AttributeValue
	want DecodeError // without type
	typ  reflect.Type
}

func (c misfit[V]) title() string { return c.name }

func (c misfit[V]) run(t *testing.T) {
	t.Parallel()
	plan := planOf(t, oneField[V](c.tag))
	err := plan.decodeItem(map[string]types.AttributeValue{"F": c.av}, reflect.New(plan.typ).Elem())
	var got *DecodeError
	if !errors.Is(err, ErrDecode) || !errors.As(err, &got) {
		t.Fatalf("got %v, want a DecodeError", err)
	}
	c.want.Type = reflect.TypeFor[V]()
	if c.typ != nil {
		c.want.Type = c.typ
	}
	if got.Path != c.want.Path || got.Kind != c.want.Kind || got.Type != c.want.Type || got.Problem != c.want.Problem {
		t.Errorf("got  %+v\nwant %+v", *got, c.want)
	}
	for _, value := range []string{"300", "1.5", "secret", "9999"} {
		if strings.Contains(err.Error(), value) {
			t.Errorf("%q shows the value", err)
		}
	}
}

// TestMisfits asserts that what does not fit is an error that says where, and
// what was stored there, and never shows it.
func TestMisfits(t *testing.T) {
	t.Parallel()
	const misfitting, range_, syntax = "does not fit", "is out of range", "is not such a number"
	m := func(name string, av types.AttributeValue) types.AttributeValue {
		return &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{name: av}}
	}
	deep := list(newNull(), m("Sums", m("k", str("secret"))))
	cases := []codecCase{
		misfit[int8]{name: "overflow", av: num("300"), want: DecodeError{Path: "F", Kind: "N", Problem: range_}},
		misfit[uint]{name: "negative", av: num("-300"), want: DecodeError{Path: "F", Kind: "N", Problem: syntax}},
		misfit[int]{name: "fraction", av: num("1.5"), want: DecodeError{Path: "F", Kind: "N", Problem: syntax}},
		misfit[uint64]{name: "beyond uint64", av: num("99999999999999999999"), want: DecodeError{Path: "F", Kind: "N", Problem: range_}},
		misfit[float32]{name: "beyond float32", av: num("1e300"), want: DecodeError{Path: "F", Kind: "N", Problem: range_}},
		misfit[int]{name: "quoted", tag: ",string", av: str("secret"), want: DecodeError{Path: "F", Kind: "S", Problem: syntax}},
		misfit[time.Time]{name: "no time", av: str("secret"), want: DecodeError{Path: "F", Kind: "S", Problem: "is no RFC 3339 time"}},
		misfit[time.Time]{name: "no day", av: str("2023-02-29T00:00:00.000000000Z"), want: DecodeError{Path: "F", Kind: "S", Problem: "is no RFC 3339 time"}},
		misfit[time.Time]{name: "no hour", av: str("2023-02-28T24:00:00.000000000Z"), want: DecodeError{Path: "F", Kind: "S", Problem: "is no RFC 3339 time"}},
		misfit[time.Time]{name: "fraction of a second", av: num("1700000000.5"), want: DecodeError{Path: "F", Kind: "N", Problem: "is no whole number of seconds"}},
		misfit[*big.Int]{name: "fraction of a big.Int", av: num("1.5"), typ: bigIntType, want: DecodeError{Path: "F", Kind: "N", Problem: "is no whole number"}},
		misfit[big.Int]{name: "text for a big.Int", av: str("1"), want: DecodeError{Path: "F", Kind: "S", Problem: misfitting}},
		misfit[level]{name: "no such text", av: str("secret"), want: DecodeError{Path: "F", Kind: "S", Problem: "is not its text"}},
		misfit[span]{name: "number for a text", av: num("300"), want: DecodeError{Path: "F", Kind: "N", Problem: misfitting}},
		misfit[money]{name: "refused by its method", av: str("secret"), want: DecodeError{Path: "F", Kind: "S", Problem: "does not unmarshal"}},
		misfit[int]{name: "unknown kind of value", av: &types.UnknownUnionMember{Tag: "X"}, want: DecodeError{Path: "F", Kind: "?", Problem: misfitting}},
		misfit[string]{name: "bool for a string", av: &types.AttributeValueMemberBOOL{}, want: DecodeError{Path: "F", Kind: "BOOL", Problem: misfitting}},
		misfit[bool]{name: "string for a bool", av: str("true"), want: DecodeError{Path: "F", Kind: "S", Problem: misfitting}},
		misfit[time.Time]{name: "map for a time", av: m("a", newNull()), want: DecodeError{Path: "F", Kind: "M", Problem: misfitting}},
		misfit[[]int]{name: "number for a list", av: num("1"), want: DecodeError{Path: "F", Kind: "N", Problem: misfitting}},
		misfit[line]{name: "list for a struct", av: list(), want: DecodeError{Path: "F", Kind: "L", Problem: misfitting}},
		misfit[map[string]int]{name: "set for a map", av: &types.AttributeValueMemberSS{Value: []string{"a"}}, want: DecodeError{Path: "F", Kind: "SS", Problem: misfitting}},
		misfit[map[string]bool]{name: "map for a set of keys", tag: ",stringset", av: m("a", newNull()), want: DecodeError{Path: "F", Kind: "M", Problem: misfitting}},
		misfit[[]byte]{name: "text for bytes", av: str("secret"), want: DecodeError{Path: "F", Kind: "S", Problem: misfitting}},
		misfit[[3]byte]{name: "bytes too long", av: &types.AttributeValueMemberB{Value: make([]byte, 4)}, want: DecodeError{Path: "F", Kind: "B", Problem: "is not 3 bytes long"}},
		misfit[[3]byte]{name: "bytes too short", av: &types.AttributeValueMemberB{Value: make([]byte, 2)}, want: DecodeError{Path: "F", Kind: "B", Problem: "is not 3 bytes long"}},
		misfit[[1]int]{name: "list too long", av: list(num("1"), num("2")), want: DecodeError{Path: "F", Kind: "L", Problem: "has more elements than fit"}},
		misfit[map[int]string]{name: "no key", av: m("k", str("x")), typ: reflect.TypeFor[int](), want: DecodeError{Path: "F.k", Kind: "M", Problem: "has a name that makes no key"}},
		misfit[map[int]int]{name: "two names for one key", av: &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"1": num("1"), "01": num("2")}},
			want: DecodeError{Path: "F", Kind: "M", Problem: "has two names that make one key"}},
		misfit[*types.AttributeValueMemberS]{name: "stored value of another kind", av: num("300"), want: DecodeError{Path: "F", Kind: "N", Problem: misfitting}},
		misfit[any]{name: "unknown kind in an any", av: list(m("a", &types.UnknownUnionMember{})), want: DecodeError{Path: "F[0].a", Kind: "?", Problem: misfitting}},
		misfit[[]*line]{name: "path", av: deep, typ: reflect.TypeFor[int](), want: DecodeError{Path: "F[1].Sums.k", Kind: "S", Problem: misfitting}},
		misfit[map[string]int]{name: "least of two", av: &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"b": list(), "a": str("x")}},
			typ: reflect.TypeFor[int](), want: DecodeError{Path: "F.a", Kind: "S", Problem: misfitting}},
	}
	for _, c := range cases {
		t.Run(c.title(), c.run)
	}
}

// unstorable says that a value has no stored form.
type unstorable[V any] struct {
	name string
	tag  string
	in   V
	path string
	says string
}

func (c unstorable[V]) title() string { return c.name }

func (c unstorable[V]) run(t *testing.T) {
	t.Parallel()
	plan := planOf(t, oneField[V](c.tag))
	v := reflect.New(plan.typ).Elem()
	v.Field(0).Set(reflect.ValueOf(&c.in).Elem())
	item, err := plan.encodeItem(v)
	var at *fieldError
	var got *EncodeError
	if !errors.Is(err, ErrEncode) || !errors.As(err, &got) || !errors.As(err, &at) {
		t.Fatalf("got %v and %v, want an EncodeError with its place", show(item), err)
	}
	if at.field != c.path || got.Path != c.path {
		t.Errorf("at %s and %s, want %s", at.field, got.Path, c.path)
	}
	if !strings.Contains(err.Error(), c.says) {
		t.Errorf("got %q, want it to say %q", err, c.says)
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("%q shows the value", err)
	}
}

// TestUnstorable asserts that what DynamoDB cannot hold is an error that says
// where it is, before any call.
func TestUnstorable(t *testing.T) {
	t.Parallel()
	loop := &ring{}
	loop.Next = loop
	all := &ring{}
	all.All = []any{all}
	cases := []codecCase{
		unstorable[float64]{name: "not a number", in: math.NaN(), path: "F", says: "the float64 is not a finite number"},
		unstorable[[]float32]{name: "infinity", in: []float32{0, float32(math.Inf(-1))}, path: "F[1]", says: "finite"},
		unstorable[float64]{name: "too large", in: 1e126, path: "F", says: "range of DynamoDB's numbers"},
		unstorable[float64]{name: "too small", in: -1e-131, path: "F", says: "range of DynamoDB's numbers"},
		unstorable[*big.Int]{name: "39 digits", in: huge(39), path: "F", says: "the big.Int has more than 38 significant digits"},
		unstorable[big.Int]{name: "127 digits", in: *new(big.Int).Exp(big.NewInt(10), big.NewInt(126), nil), path: "F", says: "range of DynamoDB's numbers"},
		unstorable[json.Number]{name: "text that is no number", in: "secret", path: "F", says: "the json.Number is no number"},
		unstorable[attributevalue.Number]{name: "empty number", path: "F", says: "is no number"},
		unstorable[time.Time]{name: "year 10000", in: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), path: "F", says: "year outside"},
		unstorable[map[string]level]{name: "value without a text", in: map[string]level{"a": 7}, path: "F.a", says: "has no text"},
		unstorable[map[level]int]{name: "key without a text", in: map[level]int{7: 1}, path: "F", says: "has no text"},
		unstorable[map[string]int]{name: "empty key", in: map[string]int{"": 1}, path: "F", says: "empty key"},
		unstorable[map[string]string]{name: "empty key among strings", in: map[string]string{"": "a"}, path: "F", says: "empty key"},
		unstorable[map[same]int]{name: "two keys with one text", in: map[same]int{1: 1, 2: 2}, path: "F.x", says: "is the text of two keys"},
		unstorable[[]failing]{name: "method that fails", in: []failing{{}}, path: "F[0]", says: "does not marshal"},
		unstorable[[]any]{name: "set with members of another kind", tag: ",stringset", in: []any{"a", 1}, path: "F", says: "is tagged as the set SS, but has a member that is stored as N"},
		unstorable[[]json.Number]{name: "set with a number in two forms", tag: ",numberset", in: []json.Number{"1.50", "2", "15E-1"}, path: "F[2]", says: "has a member twice"},
		unstorable[[]json.Number]{name: "set with zero and minus zero", tag: ",numberset", in: []json.Number{"0", "-0.0"}, path: "F[1]", says: "has a member twice"},
		unstorable[[]*string]{name: "set with nil", tag: ",stringset", in: []*string{nil}, path: "F", says: "stored as NULL"},
		unstorable[string]{name: "text that is none", in: "secret\xff", path: "F", says: "the string is not valid UTF-8"},
		unstorable[color]{name: "type of text", in: "\xff", path: "F", says: "the ddb.color is not valid UTF-8"},
		unstorable[[]string]{name: "text in a list", in: []string{"a", "\xff"}, path: "F[1]", says: "UTF-8"},
		unstorable[[]string]{name: "text in a set", tag: ",stringset", in: []string{"a", "\xff"}, path: "F[1]", says: "UTF-8"},
		unstorable[map[string]bool]{name: "text in a set of keys", tag: ",stringset", in: map[string]bool{"\xff": true}, path: "F", says: "UTF-8"},
		unstorable[map[string]string]{name: "text in a map", in: map[string]string{"a": "\xff", "b": "\xff"}, path: "F.a", says: "UTF-8"},
		unstorable[map[string]string]{name: "names in a map that would become one", in: map[string]string{"\xff": "1", "\xfe": "2"}, path: "F", says: "UTF-8"},
		unstorable[map[color]int]{name: "name in another map", in: map[color]int{"\xff": 1}, path: "F", says: "UTF-8"},
		unstorable[latin]{name: "text that a method makes", in: "\xe9", path: "F", says: "the ddb.latin is not valid UTF-8"},
		unstorable[json.Number]{name: "number as text", tag: ",string", in: "\xff", path: "F", says: "UTF-8"},
		unstorable[any]{name: "text in an any", in: []any{"\xff"}, path: "F[0]", says: "UTF-8"},
		unstorable[loose]{name: "text from a method of attributevalue", in: "\xff", path: "F", says: "the ddb.loose is not valid UTF-8"},
		unstorable[types.AttributeValue]{
			name: "stored values",
			in: &types.AttributeValueMemberL{Value: []types.AttributeValue{
				&types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"a": &types.AttributeValueMemberSS{Value: []string{"\xff"}}}},
			}},
			path: "F", says: "UTF-8",
		},
		unstorable[any]{name: "channel in an any", in: make(chan int), path: "F", says: "the interface {} holds a chan int, which cannot be stored"},
		unstorable[any]{name: "opaque struct in an any", in: []any{struct{ hidden int }{1}}, path: "F[0]", says: "no field that can be stored"},
		unstorable[*ring]{name: "ring of structs", in: loop, path: "F" + strings.Repeat(".Next", 31), says: "nested more than 31 levels deep"},
		unstorable[ring]{name: "ring through an any", in: *all, path: "F" + strings.Repeat(".All[0]", 15) + ".All", says: "nested more than 31 levels deep"},
	}
	for _, c := range cases {
		t.Run(c.title(), c.run)
	}
}

// same has one text for all values.
type same int

func (same) MarshalText() ([]byte, error) { return []byte("x"), nil }
func (*same) UnmarshalText([]byte) error  { return nil }

// failing does not marshal.
type failing struct{}

func (failing) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	return nil, errors.New("secret")
}
func (*failing) UnmarshalDynamoDBAttributeValue(types.AttributeValue) error { return nil }
