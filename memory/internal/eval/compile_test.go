package eval_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
	"github.com/seed530093c6/ddb/memory/internal/limits"
)

type (
	names  = map[string]string
	valueM = map[string]types.AttributeValue
)

func ptr(s string) *string { return &s }

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func num(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", limits.PlaceholderBytes)
	in := make([]string, limits.InOperands+1)
	for i := range in {
		in[i] = "b"
	}
	tests := []struct {
		name string
		r    eval.Request
		want string
	}{
		// Maps of placeholders.
		{
			"names without expressions", eval.Request{Names: names{"#a": "a"}, Values: valueM{":a": str("a")}},
			"ExpressionAttributeNames can only be specified when using expressions",
		},
		{
			"values without expressions", eval.Request{Values: valueM{":a": str("a")}},
			"ExpressionAttributeValues can only be specified when using expressions",
		},
		{
			"empty names without expressions", eval.Request{Names: names{}},
			"ExpressionAttributeNames can only be specified when using expressions",
		},
		{
			"empty names", eval.Request{Filter: ptr(""), Names: names{}, Values: valueM{}},
			"ExpressionAttributeNames must not be empty",
		},
		{
			"empty values", eval.Request{Filter: ptr(""), Values: valueM{}},
			"ExpressionAttributeValues must not be empty",
		},
		{
			"key of a name", eval.Request{Filter: ptr(""), Names: names{"a": "a", "#ok": "a"}, Values: valueM{}},
			`ExpressionAttributeNames contains invalid key: Syntax error; key: "a"`,
		},
		{
			"first of several keys", eval.Request{Filter: ptr(""), Names: names{"b": "a", "#": "a", "#c-d": "a"}},
			`ExpressionAttributeNames contains invalid key: Syntax error; key: "#"`,
		},
		{
			"key of a value", eval.Request{Filter: ptr(""), Values: valueM{"a": str("b")}},
			`ExpressionAttributeValues contains invalid key: Syntax error; key: "a"`,
		},
		{
			"keys before values", eval.Request{Filter: ptr(""), Values: valueM{":a": num("x"), "b": str("b")}},
			`ExpressionAttributeValues contains invalid key: Syntax error; key: "b"`,
		},
		{
			"key too long", eval.Request{Filter: ptr(""), Names: names{"#" + long: "a"}},
			"ExpressionAttributeNames contains invalid key: The expression attribute map contains a key that is too long; key size: 256",
		},
		{
			"empty name", eval.Request{Filter: ptr(""), Names: names{"#a": ""}},
			"ExpressionAttributeNames contains invalid value: Empty attribute name for key #a",
		},
		{
			"name too long", eval.Request{Filter: ptr(""), Names: names{"#a": strings.Repeat("x", 65536)}},
			"ExpressionAttributeNames contains invalid value: Attribute name is too large, must be less than 65536 bytes for key #a",
		},
		{
			"value at fault", eval.Request{Filter: ptr(""), Values: valueM{":a": str("a"), ":b": num("abc")}},
			"The parameter cannot be converted to a numeric value: abc",
		},
		{
			"value of no type", eval.Request{Filter: ptr(""), Values: valueM{":b": nil}},
			"ExpressionAttributeValues contains invalid value: Supplied AttributeValue is empty, must contain exactly one of the supported datatypes for key :b",
		},

		// One expression after the other.
		{
			"update first", eval.Request{
				Update: ptr(""), Condition: ptr(""), KeyCondition: ptr(""), Filter: ptr(""), Projection: ptr(""),
			},
			"Invalid UpdateExpression: The expression can not be empty;",
		},
		{
			"condition second", eval.Request{Update: ptr("REMOVE a"), Condition: ptr(""), KeyCondition: ptr("")},
			"Invalid ConditionExpression: The expression can not be empty;",
		},
		{
			"key condition third", eval.Request{Condition: ptr("a = b"), KeyCondition: ptr(""), Filter: ptr("")},
			"Invalid KeyConditionExpression: The expression can not be empty;",
		},
		{
			"filter fourth", eval.Request{KeyCondition: ptr("a < b OR c = d"), Filter: ptr(""), Projection: ptr("")},
			"Invalid FilterExpression: The expression can not be empty;",
		},
		{
			"projection last", eval.Request{KeyCondition: ptr("a < b OR c = d"), Filter: ptr("a = b"), Projection: ptr("")},
			"Invalid ProjectionExpression: The expression can not be empty;",
		},
		{
			"operands of one before the syntax of the next", eval.Request{Update: ptr("SET a = :v"), Condition: ptr("a =")},
			"Invalid UpdateExpression: An expression attribute value used in expression is not defined; attribute value: :v",
		},

		// Unused placeholders, then the form of the key condition.
		{
			"unused name before unused value",
			eval.Request{Update: ptr("REMOVE a"), Names: names{"#b": "b"}, Values: valueM{":a": str("a")}},
			"Value provided in ExpressionAttributeNames unused in expressions: keys: {#b}",
		},
		{
			"several unused names", eval.Request{Update: ptr("REMOVE #b"), Names: names{"#c": "c", "#a": "a", "#b": "b"}},
			"Value provided in ExpressionAttributeNames unused in expressions: keys: {#a, #c}",
		},
		{
			"unused value", eval.Request{Filter: ptr("a = :v10"), Values: valueM{":v1": str("a"), ":v10": str("b")}},
			"Value provided in ExpressionAttributeValues unused in expressions: keys: {:v1}",
		},
		{
			"unused value before a bad key condition",
			eval.Request{KeyCondition: ptr("a = :a OR b = :a"), Values: valueM{":a": str("a"), ":b": str("b")}},
			"Value provided in ExpressionAttributeValues unused in expressions: keys: {:b}",
		},
		{
			"form of the key condition", eval.Request{KeyCondition: ptr("a = :a OR b = :a"), Values: valueM{":a": str("a")}},
			"Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: OR",
		},

		// Limits.
		{
			"members of IN", eval.Request{Filter: ptr("a IN (" + strings.Join(in, ",") + ")")},
			"Invalid FilterExpression: The IN operator is provided with too many operands; number of operands: 101",
		},
		{
			"nesting of paths", eval.Request{Projection: ptr("a" + strings.Repeat(".b", limits.PathElements))},
			"Invalid ProjectionExpression: The document path has too many nesting levels; nesting levels: 33",
		},
		{
			"operators", eval.Request{Condition: ptr("a = b" + strings.Repeat(" AND a = b", 150))},
			"Invalid ConditionExpression: The expression contains too many operators; operator count: 301",
		},
		{
			"size", eval.Request{Update: ptr("REMOVE a" + strings.Repeat(" ", limits.ExpressionBytes))},
			"Invalid UpdateExpression: Expression size has exceeded the maximum allowed size;",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := eval.Compile(tt.r)
			if err == nil {
				t.Fatalf("Compile: got %v, want error %s", got, tt.want)
			}
			if err.Error() != tt.want {
				t.Errorf("Compile:\n got %s\nwant %s", err, tt.want)
			}
		})
	}
}

// A faulty value has two wordings, and only some faults are counted.
func TestCompileFaultyValue(t *testing.T) {
	t.Parallel()
	const prefix = "ExpressionAttributeValues contains invalid value: "
	const invalid = "One or more parameter values were invalid: "
	const none = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes for key :v"
	const many = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes for key :v"
	tests := []struct {
		name  string
		value types.AttributeValue
		want  eval.Error
	}{
		{
			"duplicates", &types.AttributeValueMemberSS{Value: []string{"a", "a"}},
			eval.Error{
				Text:    invalid + `Input collection ["a", "a"] contains duplicates.`,
				Older:   prefix + invalid + `Input collection [a, a] contains duplicates. for key :v`,
				Counted: true,
			},
		},
		{
			"empty number", num(""),
			eval.Error{
				Text:    "The parameter cannot be converted to a numeric value: ",
				Older:   prefix + "The parameter cannot be converted to a numeric value for key :v",
				Counted: true,
			},
		},
		{
			"NULL of false", &types.AttributeValueMemberNULL{},
			eval.Error{
				Text:    invalid + "Null attribute value types must have the value of true",
				Older:   prefix + invalid + "Null attribute value types must have the value of true for key :v",
				Counted: true,
			},
		},
		{"no type", nil, eval.Error{Text: prefix + none, Older: prefix + none}},
		{
			"several types", &types.UnknownUnionMember{Tag: av.ManyKinds},
			eval.Error{Text: prefix + many, Older: prefix + many},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := eval.Compile(eval.Request{Filter: ptr("a = :v"), Values: valueM{":v": tt.value}})
			if diff := cmp.Diff(err, error(&tt.want)); diff != "" {
				t.Errorf("Compile (-got +want):\n%s", diff)
			}
		})
	}
}

func TestCompileTells(t *testing.T) {
	t.Parallel()
	if got := compile(t, eval.Request{}); got != (eval.Compiled{}) {
		t.Errorf("no expressions: got %v", got)
	}
	c := compile(t, eval.Request{
		Update:     ptr("SET a.#b = c, d = e REMOVE f[1] ADD g :n DELETE h :s"),
		Condition:  ptr("#b = a.x AND (attribute_exists(p[0]) OR NOT size(q) > :n)"),
		Filter:     ptr("r BETWEEN s AND :n OR t2 IN (u, :n) OR contains(:s, v)"),
		Projection: ptr("x, #b.y[3]"),
		Names:      names{"#b": "b.b"},
		Values:     valueM{":n": num("1"), ":s": &types.AttributeValueMemberSS{Value: []string{"a"}}},
	})
	for _, tt := range []struct {
		name  string
		paths []eval.Path
		want  string
	}{
		{"update", c.Update.Paths(), "[[a, b.b] [d] [f, [1]] [g] [h]]"},
		{"condition", c.Condition.Paths(), "[[b.b] [a, x] [p, [0]] [q]]"},
		{"filter", c.Filter.Paths(), "[[r] [s] [t2] [u] [v]]"},
		{"projection", c.Projection.Paths(), "[[x] [b.b, y, [3]]]"},
	} {
		if got := fmt.Sprint(tt.paths); got != tt.want {
			t.Errorf("paths of %s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	if got, want := c.Update.Paths()[2].Root(), "f"; got != want {
		t.Errorf("Root: got %s, want %s", got, want)
	}
	if c.KeyCondition != nil {
		t.Errorf("KeyCondition: got %v, want none", c.KeyCondition)
	}
}

func TestCreates(t *testing.T) {
	t.Parallel()
	set := valueM{":v": &types.AttributeValueMemberSS{Value: []string{"a"}}}
	for text, want := range map[string]bool{
		"SET a = :v":               true,
		"ADD a :v":                 true,
		"DELETE a :v":              false,
		"DELETE a :v REMOVE b":     false,
		"REMOVE b SET a = :v":      true,
		"DELETE a :v ADD b :v":     true,
		"REMOVE b, c DELETE a :v ": false,
	} {
		c, err := eval.Compile(eval.Request{Update: &text, Values: set})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Update.Creates(); got != want {
			t.Errorf("Creates of %q: got %t, want %t", text, got, want)
		}
	}
	if !eval.NewUpdate().Creates() {
		t.Error("an update without actions does not create the item")
	}
}

// TestSubstitutionsAreBounded checks the limit on all that placeholders stand for,
// names and values together.
func TestSubstitutionsAreBounded(t *testing.T) {
	t.Parallel()
	const most = 2 << 20
	text := "#a = :v OR b = :w"
	request := func(more int) eval.Request {
		return eval.Request{Filter: &text, Names: map[string]string{"#a": "name"}, Values: valueM{
			":v": &types.AttributeValueMemberS{Value: strings.Repeat("v", most/2)},
			":w": &types.AttributeValueMemberS{Value: strings.Repeat("w", most/2-len("name")+more)},
		}}
	}
	if _, err := eval.Compile(request(0)); err != nil {
		t.Errorf("just enough fails with %v", err)
	}
	_, err := eval.Compile(request(1))
	if want := "The names and values that placeholders stand for exceed the limit of 2097152 bytes"; err == nil || err.Error() != want {
		t.Errorf("too much fails with %v, want %s", err, want)
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	values := valueM{":n": num("1"), ":s": &types.AttributeValueMemberSS{Value: []string{"a"}}, ":l": &types.AttributeValueMemberL{}}
	for text, want := range map[string]string{
		"SET b = :n, a = :s":                       "b N {N:1}, a SS {SS:[a]}",
		"SET a = :n, b.c = :s, d[0] = :s":          "a N {N:1}",
		"SET a = b, c = :n + :n":                   "c N",
		"SET a = b - :n, c = list_append(:l, d)":   "a N, c L",
		"SET a = if_not_exists(a, :n)":             "",
		"ADD a :n DELETE b :s REMOVE c":            "a N, b SS",
		"SET e = :n ADD a :s, b.c :n REMOVE c":     "e N {N:1}, a SS",
		"SET e = if_not_exists(e, :n) + :n":        "e N",
		"SET e = :n ADD a :n DELETE b :s REMOVE c": "e N {N:1}, a N, b SS",
	} {
		c, err := eval.Compile(eval.Request{Update: &text, Values: mentioned(text, values)})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range c.Update.Outcomes() {
			shown := o.Name + " " + o.Kind.String()
			if o.Value.Exists() {
				shown += " " + o.Value.Print()
			}
			got = append(got, shown)
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("Outcomes of %q: got %s, want %s", text, got, want)
		}
	}
}

func TestReads(t *testing.T) {
	t.Parallel()
	values := valueM{":n": num("1"), ":l": &types.AttributeValueMemberL{}}
	for text, want := range map[string]string{
		"SET a = :n":                 "",
		"SET a = b.c, d = e[1] + :n": "[b, c] [e, [1]]",
		"SET a = if_not_exists(b, if_not_exists(c, d))": "[b] [c] [d]",
		"SET a = list_append(b, if_not_exists(c, :l))":  "[b] [c]",
		"SET a = b - c ADD d :n REMOVE e":               "[b] [c]",
	} {
		c, err := eval.Compile(eval.Request{Update: &text, Values: mentioned(text, values)})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range c.Update.Reads() {
			got = append(got, p.String())
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("Reads of %q: got %s, want %s", text, got, want)
		}
	}
}

// mentioned returns the values whose placeholders a text holds.
func mentioned(text string, values valueM) valueM {
	used := valueM{}
	for name, v := range values {
		if strings.Contains(text, name) {
			used[name] = v
		}
	}
	if len(used) == 0 {
		return nil
	}
	return used
}

// Twelve conditions on twelve names, and names that begin alike.
func TestPlaceholdersAreWholeTokens(t *testing.T) {
	t.Parallel()
	var parts []string
	r := eval.Request{Names: names{}, Values: valueM{}}
	var item []av.Attr
	for i := range 12 {
		parts = append(parts, fmt.Sprintf("#%d = :v%d", i, i))
		r.Names[fmt.Sprintf("#%d", i)] = fmt.Sprintf("a%d", i)
		r.Values[fmt.Sprintf(":v%d", i)] = num(fmt.Sprint(i))
		item = append(item, av.Attr{Name: fmt.Sprintf("a%d", i), Value: av.Num(av.Int(i))})
	}
	r.Filter = ptr(strings.Join(parts, " AND "))
	c, err := eval.Compile(r)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Filter.Match(av.NewMap(item)) {
		t.Error("Match = false")
	}
}

// A Compiler gives what Compile gives, for texts it knows and for others, and
// binds a known text to the placeholders of each request anew.
func TestCompilerRemembersTreesOnly(t *testing.T) {
	t.Parallel()
	var compiler eval.Compiler
	item := av.NewMap([]av.Attr{{Name: "a", Value: av.String("x")}, {Name: "b", Value: av.String("y")}})
	for _, tt := range []struct {
		name, value string
		want        bool
	}{{"a", "x", true}, {"a", "y", false}, {"b", "y", true}, {"b", "x", false}} {
		c, err := compiler.Compile(eval.Request{
			Condition: ptr("#n = :v"), Names: names{"#n": tt.name}, Values: valueM{":v": str(tt.value)},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Condition.Match(item); got != tt.want {
			t.Errorf("%s = %s: got %t, want %t", tt.name, tt.value, got, tt.want)
		}
	}
	_, err := compiler.Compile(eval.Request{Condition: ptr("#n = :v"), Names: names{"#n": "a"}})
	if err == nil || !strings.Contains(err.Error(), "not defined") {
		t.Errorf("missing value: got %v", err)
	}
}

func stringSet(members ...string) types.AttributeValue {
	return &types.AttributeValueMemberSS{Value: members}
}
