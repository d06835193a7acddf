package wire

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

func TestDecodeValues(t *testing.T) {
	t.Parallel()
	s := func(text string) types.AttributeValue { return &types.AttributeValueMemberS{Value: text} }
	many := func(number []byte) types.AttributeValue {
		return &types.UnknownUnionMember{Tag: av.ManyKinds, Value: number}
	}
	tests := []struct {
		name, value string
		want        types.AttributeValue
	}{
		{"string", `{"S":"a"}`, s("a")},
		{"white space", " {\n\"S\"\t:\r\"a\" } ", s("a")},
		{"escapes", `{"S":"\"\\\/\b\f\n\r\t\u00e9\u20AC"}`, s("\"\\/\b\f\n\r\té€")},
		{"escaped name", `{"\u0053":"a"}`, s("a")},
		{"surrogate pair", `{"S":"\ud83d\ude00"}`, s("\U0001F600")},
		{"lone surrogate", `{"S":"\ud83dx"}`, s("\uFFFDx")},
		{"surrogate before another escape", `{"S":"\ud83d\u0041"}`, s("\uFFFDA")},
		{"NUL", `{"S":"\u0000"}`, s("\x00")},
		{"number", `{"N":"1e5"}`, &types.AttributeValueMemberN{Value: "1e5"}},
		{"binary", `{"B":"AAH/"}`, &types.AttributeValueMemberB{Value: []byte{0, 1, 0xFF}}},
		{"empty binary", `{"B":""}`, &types.AttributeValueMemberB{Value: []byte{}}},
		{"boolean", `{"BOOL":true}`, &types.AttributeValueMemberBOOL{Value: true}},
		{"boolean as a word", `{"BOOL":"No"}`, &types.AttributeValueMemberBOOL{Value: false}},
		{"boolean as a digit", `{"BOOL":"1"}`, &types.AttributeValueMemberBOOL{Value: true}},
		{"null", `{"NULL":true}`, &types.AttributeValueMemberNULL{Value: true}},
		{"null that is false", `{"NULL":false}`, &types.AttributeValueMemberNULL{Value: false}},
		{"string set", `{"SS":["b","a"]}`, &types.AttributeValueMemberSS{Value: []string{"b", "a"}}},
		{"empty set", `{"NS":[]}`, &types.AttributeValueMemberNS{Value: []string{}}},
		{"null in a set", `{"NS":["1",null]}`, &types.AttributeValueMemberNS{Value: []string{"1", ""}}},
		{"binary set", `{"BS":["AA=="]}`, &types.AttributeValueMemberBS{Value: [][]byte{{0}}}},
		{"list", `{"L":[{"S":"a"},{"L":[]}]}`, &types.AttributeValueMemberL{Value: []types.AttributeValue{
			s("a"), &types.AttributeValueMemberL{Value: []types.AttributeValue{}},
		}}},
		{"null in a list", `{"L":[null]}`, &types.AttributeValueMemberL{Value: []types.AttributeValue{nil}}},
		{"map", `{"M":{"":{"S":"a"},"n":null}}`, &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
			"": s("a"), "n": nil,
		}}},
		{"no kind", `{}`, nil},
		{"null for a value", `null`, nil},
		{"null for a kind", `{"S":null}`, nil},
		{"unknown kind", `{"X":{"deep":[1,2,{"x":-1.5e+3}]}}`, nil},
		{"unknown kind beside a known one", `{"X":[],"S":"a"}`, s("a")},
		{"two kinds", `{"S":"a","BOOL":true}`, many(nil)},
		{"two kinds, one null", `{"S":"a","BOOL":null}`, s("a")},
		{"two kinds, one a number", `{"N":"x","S":"a"}`, many([]byte("x"))},
		{"two kinds, one an empty number", `{"S":"a","N":""}`, many([]byte{})},
		{"one kind twice", `{"S":"a","S":"b"}`, s("b")},
		{"one kind twice around another", `{"S":"a","BOOL":true,"S":"b"}`, many(nil)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got dynamodb.PutItemInput
			if err := new(codec).decode([]byte(`{"Item":{"a":`+tt.value+`}}`), &got); err != nil {
				t.Fatalf("decode: %v", err)
			}
			if diff := cmp.Diff(got.Item, map[string]types.AttributeValue{"a": tt.want}, exported); diff != "" {
				t.Errorf("item (-got +want):\n%s", diff)
			}
		})
	}
}

func TestDecodeMembers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		got, want  any
	}{
		{
			name: "null is absent", got: &dynamodb.QueryInput{}, want: &dynamodb.QueryInput{TableName: aws.String("t")},
			body: `{"TableName":"t","Limit":null,"ConsistentRead":null,"KeyConditions":null,"AttributesToGet":null,"Select":null}`,
		},
		{
			name: "unknown members are ignored", got: &dynamodb.QueryInput{}, want: &dynamodb.QueryInput{TableName: aws.String("t")},
			body: `{"tableName":"x","Unknown":{"a":[1,true,"\u0041"]},"TableName":"t"}`,
		},
		{
			name: "the last of equal members counts", got: &dynamodb.QueryInput{}, want: &dynamodb.QueryInput{TableName: aws.String("b")},
			body: `{"TableName":"a","TableName":"b"}`,
		},
		{
			name: "fractions of integers are dropped", got: &dynamodb.QueryInput{}, want: &dynamodb.QueryInput{Limit: aws.Int32(20)},
			body: `{"Limit":2.09e1}`,
		},
		{
			name: "integers fill their range", got: &dynamodb.QueryInput{}, want: &dynamodb.QueryInput{Limit: aws.Int32(-1 << 31)},
			body: `{"Limit":-2147483648}`,
		},
		{
			name: "booleans as words", got: &dynamodb.QueryInput{}, want: &dynamodb.QueryInput{ConsistentRead: aws.Bool(true), ScanIndexForward: aws.Bool(false)},
			body: `{"ConsistentRead":"YES","ScanIndexForward":"0"}`,
		},
		{
			name: "empty collections are present", got: &dynamodb.QueryInput{},
			want: &dynamodb.QueryInput{AttributesToGet: []string{}, ExpressionAttributeNames: map[string]string{}, ExclusiveStartKey: map[string]types.AttributeValue{}},
			body: `{"AttributesToGet":[],"ExpressionAttributeNames":{},"ExclusiveStartKey":{}}`,
		},
		{
			name: "null among elements is their zero value", got: &dynamodb.BatchGetItemInput{},
			want: &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"t": {Keys: []map[string]types.AttributeValue{nil}}, "u": {}}},
			body: `{"RequestItems":{"t":{"Keys":[null]},"u":null}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := new(codec).decode([]byte(tt.body), tt.got); err != nil {
				t.Fatalf("decode: %v", err)
			}
			if diff := cmp.Diff(tt.got, tt.want, exported); diff != "" {
				t.Errorf("request (-got +want):\n%s", diff)
			}
		})
	}
}

func TestDecodeTimestamp(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"Timestamp":1731456000}`:       "2024-11-13T00:00:00Z",
		`{"Timestamp":1731456000.123}`:   "2024-11-13T00:00:00.123Z",
		`{"Timestamp":1.731456000123E9}`: "2024-11-13T00:00:00.123Z",
		`{"Timestamp":-1.5}`:             "1969-12-31T23:59:58.5Z",
	} {
		var in dynamodbstreams.GetShardIteratorInput
		if err := new(codec).decode([]byte(body), &in); err != nil {
			t.Errorf("decode(%s): %v", body, err)
			continue
		}
		if got, err := in.Timestamp.MarshalText(); err != nil || string(got) != want {
			t.Errorf("decode(%s) = %s, %v, want %s", body, got, err, want)
		}
	}
}

// Texts for members of the wrong type, for every place that words them
// differently.
func TestDecodeMismatch(t *testing.T) {
	t.Parallel()
	const (
		notFound = "Start of structure or map found where not expected"
		field    = "Unexpected field type"
		element  = "Unexpected value type in payload"
		cast     = "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of loader 'bootstrap')"
		unknown  = "Unrecognized collection type "
		classes  = "com.amazonaws.dynamodb.v20120810."
	)
	// In each body, @ stands for the value.
	places := []struct {
		name, body string
		in         func() any
		texts      map[string]string
	}{
		{
			name: "string", body: `{"TableName":@}`, in: newPut, texts: map[string]string{
				`true`: "TRUE_VALUE cannot be converted to String", `false`: "FALSE_VALUE cannot be converted to String",
				`23`: "NUMBER_VALUE cannot be converted to String", `-34.56`: "DECIMAL_VALUE cannot be converted to String",
				`[]`: unknown + "class java.lang.String", `{}`: notFound,
			},
		},
		{
			name: "enum", body: `{"ReturnValues":@}`, in: newPut, texts: map[string]string{
				`23`: "NUMBER_VALUE cannot be converted to String", `["a",{}]`: unknown + "class java.lang.String", `{"a":1}`: notFound,
			},
		},
		{
			name: "integer", body: `{"Limit":@}`, in: newQuery, texts: map[string]string{
				`"23"`: "STRING_VALUE cannot be converted to Integer", `true`: "TRUE_VALUE cannot be converted to Integer",
				`[]`: unknown + "class java.lang.Integer", `{}`: notFound,
				`2147483648`: "NUMBER_VALUE cannot be converted to Integer", `1e99`: "DECIMAL_VALUE cannot be converted to Integer",
			},
		},
		{
			name: "long", body: `{"ProvisionedThroughput":{"ReadCapacityUnits":@}}`, in: newCreate, texts: map[string]string{
				`"23"`: "STRING_VALUE cannot be converted to Long", `false`: "FALSE_VALUE cannot be converted to Long",
				`[]`: unknown + "class java.lang.Long", `{}`: notFound,
			},
		},
		{
			name: "boolean", body: `{"ConsistentRead":@}`, in: newQuery, texts: map[string]string{
				`"23"`: "Unexpected token received from parser", `23`: "NUMBER_VALUE cannot be converted to Boolean",
				`34.56`: "DECIMAL_VALUE cannot be converted to Boolean", `[]`: unknown + "class java.lang.Boolean", `{}`: notFound,
			},
		},
		{
			name: "timestamp", body: `{"Timestamp":@}`, in: newIterator, texts: map[string]string{
				`"2024"`: "STRING_VALUE cannot be converted to Date", `1e99`: "DECIMAL_VALUE cannot be converted to Date",
			},
		},
		{
			name: "list", body: `{"AttributesToGet":@}`, in: newQuery, texts: map[string]string{
				`"23"`: field, `true`: field, `23`: field, `{}`: notFound, `[23]`: "NUMBER_VALUE cannot be converted to String",
			},
		},
		{
			name: "list in a map", body: `{"RequestItems":{"t":@}}`, in: newBatchWrite, texts: map[string]string{
				`"23"`: cast, `true`: cast, `{}`: notFound, `["a"]`: element,
			},
		},
		{
			name: "map of strings", body: `{"ExpressionAttributeNames":@}`, in: newPut, texts: map[string]string{
				`"23"`: field, `{"#a":1}`: "NUMBER_VALUE cannot be converted to String",
				`[]`: unknown + "java.util.Map<java.lang.String, java.lang.String>",
			},
		},
		{
			name: "map of values", body: `{"Item":@}`, in: newPut, texts: map[string]string{
				`"23"`: field, `false`: field,
				`[]`: unknown + "java.util.Map<java.lang.String, " + classes + "AttributeValue>",
			},
		},
		{
			name: "map of structures", body: `{"Expected":@}`, in: newPut, texts: map[string]string{
				`1`: field, `[]`: unknown + "java.util.Map<java.lang.String, " + classes + "ExpectedAttributeValue>",
				`{"a":1}`: element, `{"a":[]}`: unknown + "class " + classes + "ExpectedAttributeValue",
			},
		},
		{
			name: "map of lists", body: `{"RequestItems":@}`, in: newBatchWrite, texts: map[string]string{
				`1`: field, `[]`: unknown + "java.util.Map<java.lang.String, java.util.List<" + classes + "WriteRequest>>",
			},
		},
		{
			name: "map in a list", body: `{"RequestItems":{"t":{"Keys":[@]}}}`, in: newBatchGet, texts: map[string]string{
				`"23"`: cast, `[]`: unknown + "java.util.Map<java.lang.String, " + classes + "AttributeValue>",
			},
		},
		{
			name: "structure", body: `{"ProvisionedThroughput":@}`, in: newCreate, texts: map[string]string{
				`"23"`: field, `[]`: unknown + "class " + classes + "ProvisionedThroughput",
			},
		},
		{
			name: "structure in a list", body: `{"KeySchema":[@]}`, in: newCreate, texts: map[string]string{
				`"23"`: element, `[]`: unknown + "class " + classes + "KeySchemaElement",
			},
		},
		{
			name: "value", body: `{"Expected":{"a":{"Value":@}}}`, in: newPut, texts: map[string]string{
				`"23"`: field, `[]`: unknown + "class " + classes + "AttributeValue",
			},
		},
		{
			name: "value in a map", body: `{"Item":{"a":@}}`, in: newPut, texts: map[string]string{
				`"23"`: element, `5`: element, `[]`: unknown + "class " + classes + "AttributeValue",
				`{"S":5}`: "NUMBER_VALUE cannot be converted to String", `{"N":5}`: "NUMBER_VALUE cannot be converted to String",
				`{"N":1.5}`: "DECIMAL_VALUE cannot be converted to String", `{"S":{}}`: notFound,
				`{"BOOL":"maybe"}`: "Unexpected token received from parser", `{"NULL":1}`: "NUMBER_VALUE cannot be converted to Boolean",
				`{"SS":"a"}`: field, `{"SS":{}}`: notFound, `{"NS":[1]}`: "NUMBER_VALUE cannot be converted to String",
				`{"BS":[1]}`: "only base-64-encoded strings are convertible to bytes",
				`{"L":{}}`:   notFound, `{"L":1}`: field, `{"L":[1]}`: element,
				`{"M":[]}`: unknown + "java.util.Map<java.lang.String, " + classes + "AttributeValue>",
				`{"M":1}`:  field, `{"M":{"b":1}}`: element,
			},
		},
		{
			name: "binary", body: `{"Item":{"a":{"B":@}}}`, in: newPut, texts: map[string]string{
				`true`: "only base-64-encoded strings are convertible to bytes", `23`: "only base-64-encoded strings are convertible to bytes",
				`[]`: unknown + "class java.nio.ByteBuffer", `{}`: notFound,
				`"23456"`: "Base64 encoded length is expected a multiple of 4 bytes but found: 5",
				`"=+/="`:  "Invalid last non-pad Base64 character dectected", `"+/+="`: "Invalid last non-pad Base64 character dectected",
				`"AA-A"`: "Invalid Base64 character: '-'", `"AA\n="`: "Invalid Base64 character: '\n'",
			},
		},
	}
	for _, p := range places {
		for value, want := range p.texts {
			t.Run(p.name+" "+value, func(t *testing.T) {
				t.Parallel()
				body := strings.Replace(p.body, "@", value, 1)
				err := new(codec).decode([]byte(body), p.in())
				api, ok := errors.AsType[smithy.APIError](err)
				if !ok || api.ErrorCode() != "SerializationException" || api.ErrorMessage() != want {
					t.Errorf("decode(%s):\ngot  %v\nwant %s", body, err, want)
				}
				broken := body[:len(body)-1]
				if err := new(codec).decode([]byte(broken), p.in()); !errors.Is(err, errSyntax) {
					t.Errorf("decode(%s) = %v, want a fault of the syntax", broken, err)
				}
			})
		}
	}
}

func newPut() any        { return new(dynamodb.PutItemInput) }
func newQuery() any      { return new(dynamodb.QueryInput) }
func newCreate() any     { return new(dynamodb.CreateTableInput) }
func newBatchGet() any   { return new(dynamodb.BatchGetItemInput) }
func newBatchWrite() any { return new(dynamodb.BatchWriteItemInput) }
func newIterator() any   { return new(dynamodbstreams.GetShardIteratorInput) }

func TestDecodeReportsTheFirstMismatch(t *testing.T) {
	t.Parallel()
	err := new(codec).decode([]byte(`{"Item":{"a":{"BOOL":7}},"TableName":true}`), newPut())
	const want = "NUMBER_VALUE cannot be converted to Boolean"
	if api, ok := errors.AsType[smithy.APIError](err); !ok || api.ErrorMessage() != want {
		t.Errorf("decode = %v, want %s", err, want)
	}
}

func TestDecodeSyntax(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		``, ` `, `null`, `[]`, `"a"`, `7`, `{`, `}`, `{}}`, `{} {}`, `{,}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":1 "b":2}`,
		`{a:1}`, `{'a':1}`, `{"a":[1,]}`, `{"a":[1 2]}`, `{"a":tru}`, `{"a":nul}`, `{"a":nulL}`, `{"a":01}`, `{"a":-}`, `{"a":1.}`,
		`{"a":.5}`, `{"a":1e}`, `{"a":+1}`, `{"a":NaN}`, `{"a":"` + "\n" + `"}`, `{"a":"\x"}`, `{"a":"\u12"}`, `{"a":"\u12G4"}`,
		`{"a":"`, `{"a":"\`, `{"a":"\ud83d\u"}`, "{\"a\":\"\xff\"}", `{"TableName":"a"`, `{"TableName":{]}`,
		`{"Item":` + strings.Repeat(`[`, 2_000_000), `{"Item":{"a":` + strings.Repeat(`{"M":{"a":`, 1_000_000),
		`{"a":` + strings.Repeat(`[`, maxDepth) + strings.Repeat(`]`, maxDepth) + `}`,
	} {
		if err := new(codec).decode([]byte(body), newPut()); !errors.Is(err, errSyntax) {
			t.Errorf("decode(%.60s) = %v, want a fault of the syntax", body, err)
		}
		if wellFormed([]byte(body)) {
			t.Errorf("wellFormed(%.60s) = true", body)
		}
	}
}

func TestDecodeNestsAsDeepAsTheServiceStores(t *testing.T) {
	t.Parallel()
	body := `{"Item":{"a":` + strings.Repeat(`{"M":{"a":`, 100) + `{"S":"x"}` + strings.Repeat(`}}`, 100) + `}}`
	var in dynamodb.PutItemInput
	if err := new(codec).decode([]byte(body), &in); err != nil {
		t.Fatalf("decode: %v", err)
	}
	depth := 0
	for v := in.Item["a"]; ; depth++ {
		m, ok := v.(*types.AttributeValueMemberM)
		if !ok {
			break
		}
		v = m.Value["a"]
	}
	if depth != 100 {
		t.Errorf("depth is %d, want 100", depth)
	}
}

// Types that nobody has decoded yet are studied once, whoever comes first.
func TestCodecIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	c := new(codec)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			in := []func() any{newPut, newQuery, newCreate, newBatchGet, newBatchWrite, newIterator}[i%6]()
			if err := c.decode([]byte(`{"TableName":"t"}`), in); err != nil {
				t.Errorf("decode: %v", err)
			}
			c.encodeError(nil, &types.TransactionCanceledException{})
		})
	}
	wg.Wait()
}

// Strings decode as encoding/json decodes them, and encode so that it
// understands them.
func TestStringsAgreeWithEncodingJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		given := rapid.String().Draw(t, "string")
		quoted, err := json.Marshal(given)
		if err != nil {
			t.Fatal(err)
		}
		var in dynamodb.PutItemInput
		if err := new(codec).decode([]byte(`{"TableName":`+string(quoted)+`}`), &in); err != nil || *in.TableName != given {
			t.Fatalf("decode(%s) = %q, %v", quoted, aws.ToString(in.TableName), err)
		}
		var e encoder
		e.string(given)
		var back string
		if err := json.Unmarshal(e.buf, &back); err != nil || back != given {
			t.Fatalf("%q encodes as %s, read as %q, %v", given, e.buf, back, err)
		}
	})
}
