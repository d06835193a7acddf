package ddb

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb/internal/byhand"
)

// cmpItems compares attribute values.
var cmpItems = cmpopts.IgnoreUnexported(
	types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberB{},
	types.AttributeValueMemberBOOL{}, types.AttributeValueMemberNULL{}, types.AttributeValueMemberL{}, types.AttributeValueMemberM{},
	types.AttributeValueMemberSS{}, types.AttributeValueMemberNS{}, types.AttributeValueMemberBS{},
)

// planOf makes the plan of a type without faults.
func planOf(t testing.TB, typ reflect.Type) *structPlan {
	t.Helper()
	return newStructPlan(typ, func(tag, problem string) { t.Fatalf("%s: %s: %s", typ, tag, problem) })
}

// show prints an item on one line, attributes by name: A:S(x) B:L[N(1) NULL].
func show(item map[string]types.AttributeValue) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(item)) {
		parts = append(parts, name+":"+showValue(item[name]))
	}
	return strings.Join(parts, " ")
}

func showValue(av types.AttributeValue) string {
	switch av := av.(type) {
	case *types.AttributeValueMemberS:
		return "S(" + av.Value + ")"
	case *types.AttributeValueMemberN:
		return "N(" + av.Value + ")"
	case *types.AttributeValueMemberB:
		return "B(" + string(av.Value) + ")"
	case *types.AttributeValueMemberBOOL:
		return fmt.Sprint(av.Value)
	case *types.AttributeValueMemberNULL:
		return "NULL"
	case *types.AttributeValueMemberSS:
		return "SS(" + strings.Join(av.Value, " ") + ")"
	case *types.AttributeValueMemberNS:
		return "NS(" + strings.Join(av.Value, " ") + ")"
	case *types.AttributeValueMemberBS:
		return fmt.Sprintf("BS(%s)", av.Value)
	case *types.AttributeValueMemberL:
		var parts []string
		for _, m := range av.Value {
			parts = append(parts, showValue(m))
		}
		return "L[" + strings.Join(parts, " ") + "]"
	case *types.AttributeValueMemberM:
		return "M{" + show(av.Value) + "}"
	}
	return fmt.Sprintf("%T", av)
}

// level is an enum with a text.
type level int

var levels = []string{"low", "mid", "high"}

func (l level) MarshalText() ([]byte, error) {
	if l < 0 || int(l) >= len(levels) {
		return nil, errors.New("no such level")
	}
	return []byte(levels[l]), nil
}

func (l *level) UnmarshalText(text []byte) error {
	i := slices.Index(levels, string(text))
	if i < 0 {
		return fmt.Errorf("no level %s", text)
	}
	*l = level(i)
	return nil
}

// TestTypeFaults asserts that types whose values would be lost, or could not be
// read back, are faults of the definition, found wherever they lie, all at once.
func TestTypeFaults(t *testing.T) {
	t.Parallel()
	type opaque time.Location
	type options struct {
		A string `dynamodbav:",omitemtpy"`
		B []int  `dynamodbav:",stringset"`
	}
	type same struct {
		A string `dynamodbav:"x"`
		B string `dynamodbav:"x"`
	}
	type clash struct {
		Same1
		Same2
	}
	type pointsInside struct{ *unexported }
	type tree struct {
		Kids []tree
		Bad  *opaque
	}
	cases := []struct {
		name string
		typ  reflect.Type
		want []string // what is said, in order; each a part of it
	}{
		{"opaque struct", reflect.TypeFor[struct{ F opaque }](), []string{"F: holds ddb.opaque, which has no field that can be stored"}},
		{"empty struct", reflect.TypeFor[struct{ F map[string]struct{} }](), []string{"F: holds struct {}, which has no field"}},
		{"mutex", reflect.TypeFor[struct{ F *sync.Mutex }](), []string{"F: holds sync.Mutex, which has no field"}},
		{"embedded mutex", reflect.TypeFor[struct {
			sync.Mutex
			A int
		}](), []string{`Mutex: embeds sync.Mutex, which has no field that can be stored; tag it dynamodbav:"-"`}},
		{"opaque in everything", reflect.TypeFor[struct {
			A []opaque
			B map[string]opaque
			C **opaque
			D [2]opaque
			E struct{ X opaque }
			F opaque `dynamodbav:"-"`
		}](), []string{"A: ", "B: ", "C: ", "D: ", "E: "}},
		{"in a type that holds itself", reflect.TypeFor[tree](), []string{"Bad: holds ddb.opaque"}},
		{"interface", reflect.TypeFor[struct{ F []error }](), []string{"F: holds the interface error, which cannot be read back"}},
		{"interface that unmarshals", reflect.TypeFor[struct{ F attributevalue.Unmarshaler }](), []string{"F: holds the interface attributevalue.Unmarshaler"}},
		{"only one method", reflect.TypeFor[struct{ F half }](), []string{"F: holds ddb.half, which has no field"}},
		{"channel", reflect.TypeFor[struct{ F chan int }](), []string{"F: holds a chan int, which cannot be stored"}},
		{"function", reflect.TypeFor[struct{ F map[string]func() }](), []string{"F: holds a func(), which"}},
		{"complex number", reflect.TypeFor[struct{ F complex128 }](), []string{"F: holds a complex128, which"}},
		{"keys", reflect.TypeFor[struct{ F map[[2]string]int }](), []string{"F: holds map[[2]string]int, whose keys are no strings"}},
		{"pointers as keys", reflect.TypeFor[struct{ F map[*string]int }](), []string{"F: holds map[*string]int, whose keys"}},
		{"string set of numbers", reflect.TypeFor[struct {
			F []int `dynamodbav:",stringset"`
		}](), []string{"F: is tagged as the set SS, but its members are stored as N"}},
		{"number set of enums", reflect.TypeFor[struct {
			F []level `dynamodbav:",numberset"`
		}](), []string{"F: is tagged as the set NS, but its members are stored as S"}},
		{"set of keys of another kind", reflect.TypeFor[struct {
			F map[int]bool `dynamodbav:",stringset"`
		}](), []string{"F: is tagged as the set SS, but its members are stored as N"}},
		{"map that is no set", reflect.TypeFor[struct {
			F map[string]int `dynamodbav:",stringset"`
		}](), []string{"F: is tagged as a set; a map that is one goes to bool or struct{}, not to int"}},
		{"set of one", reflect.TypeFor[struct {
			F string `dynamodbav:",stringset"`
		}](), []string{`F dynamodbav:",stringset": the option stringset is for slices, arrays and maps, not for string`}},
		{"two sets", reflect.TypeFor[struct {
			F []any `dynamodbav:",stringset,numberset"`
		}](), []string{"the options numberset and stringset contradict"}},
		{"left out and NULL", reflect.TypeFor[struct {
			F *int   `dynamodbav:",omitempty,nullempty"`
			G []*int `dynamodbav:",omitemptyelem,nullemptyelem"`
		}](), []string{"the options omitempty and nullempty contradict", "the options omitemptyelem and nullemptyelem contradict"}},
		{"unixtime of a number", reflect.TypeFor[struct {
			F int64 `dynamodbav:",unixtime"`
		}](), []string{"the option unixtime is for times, not for int64"}},
		{"misspelt inside", reflect.TypeFor[struct{ F []*options }](), []string{
			`F: holds ddb.options: A dynamodbav:",omitemtpy": unknown option "omitemtpy"`, "F: is tagged as the set SS"}},
		{"one name inside", reflect.TypeFor[struct{ F same }](), []string{`F: holds ddb.same: B: the attribute "x" is taken by field A`}},
		{"one name in two embedded structs", reflect.TypeFor[clash](), []string{`N: the attribute "N" is taken by field N`}},
		{"pointer to an unexported struct", reflect.TypeFor[pointsInside](), []string{"unexported: embeds a pointer to the unexported struct ddb.unexported"}},
		{"embedded unexported string", reflect.TypeFor[struct {
			color `dynamodbav:"c"`
		}](), []string{"color: embeds the unexported type ddb.color, which cannot be set"}},
		{"struct with a form of its own", reflect.TypeFor[struct{ F amount }](), nil},
		{"embedded struct without anything", reflect.TypeFor[struct {
			void
			A int
		}](), nil},
		{"embedded struct with a name", reflect.TypeFor[struct {
			unexported `dynamodbav:"inner"`
		}](), nil},
		{"struct that embeds itself", reflect.TypeFor[Loop](), nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			newStructPlan(c.typ, func(tag, problem string) { got = append(got, tag+": "+problem) })
			if len(got) != len(c.want) {
				t.Fatalf("got %q, want %q", got, c.want)
			}
			for i, want := range c.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("got %q, want it to say %q", got[i], want)
				}
			}
		})
	}
}

type (
	Same1 struct{ N int }
	Same2 struct{ N int }
	Loop  struct {
		*Loop
		A int
	}
	half time.Location // marshals, but does not unmarshal
)

func (half) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) { return newNull(), nil }

// Inner and Outer are embedded in each other's manner.
type Inner struct {
	ID   string
	Note string `dynamodbav:"note"`
	Size int
}

type Outer struct {
	ID string // hides that of Inner
	*Inner
	unexported
	Named Inner `dynamodbav:"named"`
	Aside struct {
		Inner `dynamodbav:"inner"`
	}
	hidden int
	Gone   string `dynamodbav:"-"`
	Size   string `dynamodbav:"size"` // Inner's has another attribute
}

type unexported struct{ From string }

// TestEmbedding asserts which attributes embedded fields become, and that a nil
// pointer to a struct stays nil unless one of its attributes is there.
func TestEmbedding(t *testing.T) {
	t.Parallel()
	plan := planOf(t, reflect.TypeFor[Outer]())
	empty := "Aside:M{inner:M{ID:S() Size:N(0) note:S()}} From:S() ID:S() named:M{ID:S() Size:N(0) note:S()} size:S()"
	full := Outer{ID: "outer", Inner: &Inner{ID: "inner", Note: "n", Size: 3}, unexported: unexported{"f"}, hidden: 1, Gone: "x", Size: "s"}
	for _, c := range []struct {
		name string
		in   Outer
		item string
		back Outer
	}{
		{"nil", Outer{}, empty, Outer{}},
		{"set", full, "Aside:M{inner:M{ID:S() Size:N(0) note:S()}} From:S(f) ID:S(outer) Size:N(3) named:M{ID:S() Size:N(0) note:S()} note:S(n) size:S(s)",
			Outer{ID: "outer", Inner: &Inner{Note: "n", Size: 3}, unexported: unexported{"f"}, Size: "s"}},
	} {
		item, err := plan.encodeItem(reflect.ValueOf(c.in))
		if got := show(item); err != nil || got != c.item {
			t.Errorf("%s: stored %s and %v, want %s", c.name, got, err, c.item)
		}
		var back Outer
		if err := plan.decodeItem(item, reflect.ValueOf(&back).Elem()); err != nil {
			t.Error(err)
		}
		if !reflect.DeepEqual(back, c.back) {
			t.Errorf("%s: came back as %+v, want %+v", c.name, back, c.back)
		}
	}
	if f := plan.byName["ID"]; f == nil || f.attr != "ID" || len(f.index) != 1 {
		t.Errorf("ID is %+v, want the outer field", f)
	}
	type twins struct {
		A struct{ X int } `dynamodbav:"-"`
		*Twin1
		*Twin2
	}
	if f := planOf(t, reflect.TypeFor[twins]()).byName["X"]; f != nil {
		t.Errorf("X is %+v, want it ambiguous", f)
	}
}

type (
	Twin1 struct {
		X int `dynamodbav:"x1"`
	}
	Twin2 struct {
		X int `dynamodbav:"x2"`
	}
)

// TestWholeForm asserts that an entity with its own stored form has it, and that
// one which is no map is an error.
func TestWholeForm(t *testing.T) {
	t.Parallel()
	plan := planOf(t, reflect.TypeFor[whole]())
	item, err := plan.encodeItem(reflect.ValueOf(whole{A: 1}))
	if got, want := show(item), "a:N(1)"; err != nil || got != want {
		t.Errorf("got %s and %v, want %s", got, err, want)
	}
	var back whole
	if err := plan.decodeItem(map[string]types.AttributeValue{"a": str("secret")}, reflect.ValueOf(&back).Elem()); err != nil || back.A != 6 {
		t.Errorf("got %+v and %v, want the length of the text", back, err)
	}
	if _, err := planOf(t, reflect.TypeFor[misshapen]()).encodeItem(reflect.ValueOf(misshapen{})); !errors.Is(err, ErrEncode) {
		t.Errorf("got %v, want ErrEncode", err)
	}
}

// whole is an entity with its own stored form.
type whole struct{ A int }

func (w whole) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	return &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"a": num(fmt.Sprint(w.A))}}, nil
}

func (w *whole) UnmarshalDynamoDBAttributeValue(av types.AttributeValue) error {
	w.A = len(av.(*types.AttributeValueMemberM).Value["a"].(*types.AttributeValueMemberS).Value)
	return nil
}

// misshapen is an entity whose stored form is no map.
type misshapen struct{ A int }

func (misshapen) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) { return str("x"), nil }

// TestNothingShared asserts that neither a stored item shares memory with the
// value that it was made of, nor a value with the item that it was read from.
func TestNothingShared(t *testing.T) {
	t.Parallel()
	type all struct {
		Bytes []byte
		Array [2]byte
		Set   [][]byte
		Deep  map[string][]byte
		Any   any
		Raw   types.AttributeValue
		Texts []string `dynamodbav:",stringset"`
	}
	fresh := func() all {
		return all{
			Bytes: []byte("aa"), Array: [2]byte{'a', 'a'}, Set: [][]byte{[]byte("aa")}, Deep: map[string][]byte{"k": []byte("aa")},
			Any: []any{[]byte("aa")}, Raw: list(&types.AttributeValueMemberBS{Value: [][]byte{[]byte("aa")}}), Texts: []string{"aa"},
		}
	}
	spoil := func(v *all) {
		copy(v.Bytes, "bb")
		copy(v.Array[:], "bb")
		copy(v.Set[0], "bb")
		copy(v.Deep["k"], "bb")
		copy(v.Any.([]any)[0].([]byte), "bb")
		copy(v.Raw.(*types.AttributeValueMemberL).Value[0].(*types.AttributeValueMemberBS).Value[0], "bb")
		v.Texts[0] = "bb"
	}
	plan := planOf(t, reflect.TypeFor[all]())
	in := fresh()
	item, err := plan.encodeItem(reflect.ValueOf(&in).Elem())
	if err != nil {
		t.Fatal(err)
	}
	want := show(item)
	spoil(&in)
	if got := show(item); got != want {
		t.Errorf("the item is %s after a change of the value, want %s", got, want)
	}
	var back all
	if err := plan.decodeItem(item, reflect.ValueOf(&back).Elem()); err != nil {
		t.Fatal(err)
	}
	spoil(&back)
	if got := show(item); got != want {
		t.Errorf("the item is %s after a change of what was read, want %s", got, want)
	}
}

// TestCodecsAreConcurrent asserts that one plan serves many goroutines, types in
// an any included, which are compiled when they turn up.
func TestCodecsAreConcurrent(t *testing.T) {
	t.Parallel()
	plan := planOf(t, reflect.TypeFor[struct{ F []any }]())
	in := struct{ F []any }{[]any{byhand.Line{SKU: "a"}, []color{"b"}, map[level]*line{1: {}}, noon, &span{1, 2}, ring{}}}
	want, err := plan.encodeItem(reflect.ValueOf(in))
	if err != nil {
		t.Fatal(err)
	}
	again := planOf(t, reflect.TypeFor[struct{ F []any }]())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				got, err := again.encodeItem(reflect.ValueOf(in))
				if err != nil || show(got) != show(want) {
					t.Errorf("got %s and %v, want %s", show(got), err, show(want))
				}
			}
		})
	}
	wg.Wait()
}

// TestTimesSort asserts that written times sort as they are, and are read back.
func TestTimesSort(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) time.Time {
			seconds := rapid.Int64Range(-62167219200, 253402300799).Draw(t, name) // years 0 to 9999
			return time.Unix(seconds, rapid.Int64Range(0, 999_999_999).Draw(t, name+" ns")).UTC()
		}
		a, b := draw("a"), draw("b")
		textA, textB := string(appendTime(nil, a)), string(appendTime(nil, b))
		if textA != a.Format(timeLayout) {
			t.Fatalf("got %s, want %s", textA, a.Format(timeLayout))
		}
		if got, want := strings.Compare(textA, textB), a.Compare(b); got != want {
			t.Fatalf("%s and %s compare as %d, want %d", textA, textB, got, want)
		}
		if back, ok := parseTime(textA); !ok || !back.Equal(a) {
			t.Fatalf("%s came back as %s", textA, back)
		}
	})
}
