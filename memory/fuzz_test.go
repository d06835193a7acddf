package memory_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/memory"
)

// calls are the methods of DB that are operations of the service.
func calls(db *memory.DB) []reflect.Value {
	var out []reflect.Value
	v := reflect.ValueOf(db)
	for i := range v.NumMethod() {
		m := v.Method(i)
		if m.Type().IsVariadic() && m.Type().NumIn() == 3 && m.Type().In(2) == reflect.TypeFor[[]func(*dynamodb.Options)]() {
			out = append(out, m)
		}
	}
	return out
}

// sound returns requests that the tables of seedPlain can serve, as many as it takes
// to have all members that matter. They are new each time, to be changed.
func sound() []any {
	values := item{":a": num(1), ":b": str("b")}
	names := map[string]string{"#a": "n"}
	key, both := item{"pk": str("a")}, item{"pk": str("a"), "sk": num(1)}
	arn := aws.String("arn:aws:dynamodb:us-east-1:000000000000:table/Hash")
	equals := map[string]types.Condition{"pk": {ComparisonOperator: types.ComparisonOperatorEq, AttributeValueList: []types.AttributeValue{str("a")}}}
	return []any{
		&dynamodb.PutItemInput{TableName: aws.String("Both"), Item: item{"pk": str("a"), "sk": num(1), "c": str("c")}, ConditionExpression: aws.String("#a = :a OR n <> :b"),
			ExpressionAttributeNames: names, ExpressionAttributeValues: values},
		&dynamodb.PutItemInput{TableName: aws.String("Hash"), Item: key, Expected: map[string]types.ExpectedAttributeValue{"n": {Value: num(1)}, "pk": {Exists: aws.Bool(false)}}},
		&dynamodb.UpdateItemInput{TableName: aws.String("Both"), Key: both, UpdateExpression: aws.String("SET n = :a, x = :b"), ConditionExpression: aws.String("#a = :a"),
			ExpressionAttributeNames: names, ExpressionAttributeValues: values},
		&dynamodb.UpdateItemInput{TableName: aws.String("Hash"), Key: key, AttributeUpdates: map[string]types.AttributeValueUpdate{
			"n": {Action: types.AttributeActionAdd, Value: num(1)}, "s": {Action: types.AttributeActionDelete}}},
		&dynamodb.DeleteItemInput{TableName: aws.String("Hash"), Key: key, ConditionExpression: aws.String("n = :a"), ExpressionAttributeValues: item{":a": num(1)}},
		&dynamodb.GetItemInput{TableName: aws.String("Hash"), Key: key, ProjectionExpression: aws.String("#a, m.x"), ExpressionAttributeNames: names},
		&dynamodb.QueryInput{TableName: aws.String("Both"), KeyConditionExpression: aws.String("pk = :b AND sk >= :a"), FilterExpression: aws.String("#a = :a"),
			ExpressionAttributeNames: names, ExpressionAttributeValues: values, ExclusiveStartKey: item{"pk": str("b"), "sk": num(3)}},
		&dynamodb.QueryInput{TableName: aws.String("Both"), IndexName: aws.String("local"), KeyConditions: equals, QueryFilter: map[string]types.Condition{
			"n": {ComparisonOperator: types.ComparisonOperatorNotNull}}},
		&dynamodb.ScanInput{TableName: aws.String("Both"), IndexName: aws.String("gsi"), FilterExpression: aws.String("n = :a"), ExpressionAttributeValues: item{":a": num(1)}},
		&dynamodb.ScanInput{TableName: aws.String("Hash"), Segment: aws.Int32(0), TotalSegments: aws.Int32(2), AttributesToGet: []string{"n"}},
		&dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"Hash": {Keys: []item{key}}, "Both": {Keys: []item{both}}}},
		&dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"Hash": {putRequest(item{"pk": str("b")}), deleteRequest(key)}}},
		&dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{{Get: &types.Get{TableName: aws.String("Hash"), Key: key}}, {Get: &types.Get{TableName: aws.String("Both"), Key: both}}}},
		&dynamodb.TransactWriteItemsInput{TransactItems: actions{putAction("Hash", item{"pk": str("b")}), updateAction("Both", both, "SET n = :a", item{":a": num(1)}),
			deleteAction("Hash", item{"pk": str("c")}), checkAction("Hash", key, "attribute_exists(pk)")}, ClientRequestToken: aws.String("token")},
		withLSI(withGSI(define("New", "pk:S", "sk:N"), "gsi", []string{"c:S"}, nil, "n"), "local", "at:S"),
		&dynamodb.CreateTableInput{TableName: aws.String("New"), KeySchema: elements([]string{"pk"}, nil),
			AttributeDefinitions:  []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: "S"}},
			ProvisionedThroughput: &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(1), WriteCapacityUnits: aws.Int64(1)},
			StreamSpecification:   &types.StreamSpecification{StreamEnabled: aws.Bool(false)}, SSESpecification: &types.SSESpecification{Enabled: aws.Bool(true)}},
		&dynamodb.UpdateTableInput{TableName: aws.String("Both"), AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("x"), AttributeType: "S"}},
			GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Create: &types.CreateGlobalSecondaryIndexAction{
				IndexName: aws.String("new"), KeySchema: elements([]string{"x"}, nil), Projection: projectionOf(nil)}}}},
		&dynamodb.UpdateTableInput{TableName: aws.String("Both"), BillingMode: types.BillingModeProvisioned,
			ProvisionedThroughput: &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(1), WriteCapacityUnits: aws.Int64(1)},
			GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: aws.String("gsi")}},
				{Update: &types.UpdateGlobalSecondaryIndexAction{IndexName: aws.String("agsi"),
					ProvisionedThroughput: &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(1), WriteCapacityUnits: aws.Int64(1)}}}}},
		&dynamodb.UpdateTableInput{TableName: aws.String("Hash"), OnDemandThroughput: &types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(5)},
			WarmThroughput: &types.WarmThroughput{ReadUnitsPerSecond: aws.Int64(20_000)}, DeletionProtectionEnabled: aws.Bool(true)},
		&dynamodb.UpdateTimeToLiveInput{TableName: aws.String("Hash"), TimeToLiveSpecification: &types.TimeToLiveSpecification{Enabled: aws.Bool(true), AttributeName: aws.String("n")}},
		&dynamodb.TagResourceInput{ResourceArn: arn, Tags: []types.Tag{{Key: aws.String("k"), Value: aws.String("v")}}},
		&dynamodb.UntagResourceInput{ResourceArn: arn, TagKeys: []string{"k"}},
	}
}

// FuzzRequest sends requests of every operation in which members were filled in at
// random. None makes the engine panic or break an invariant, every refusal is an
// error of the service, and a request that is refused changes nothing.
func FuzzRequest(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		f.Add(randomBytes(r))
	}
	f.Fuzz(sendRequest)
}

// TestRequests sends many such requests.
func TestRequests(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		sendRequest(t, randomBytes(r))
	}
}

func randomBytes(r *rand.Rand) []byte {
	data := make([]byte, 200)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

func sendRequest(t *testing.T, data []byte) {
	db := memory.New()
	seedPlain(t, db)
	before := look(t, db)
	in := &filler{data}
	ops := calls(db)
	call := ops[in.below(len(ops))]
	request := in.request(call.Type().In(1))

	out := call.Call([]reflect.Value{reflect.ValueOf(t.Context()), request})
	if err, ok := out[1].Interface().(error); ok {
		if api, ok := errors.AsType[smithy.APIError](err); !ok || fmt.Sprintf("%T", api) != sdkType(api.ErrorCode()) {
			t.Errorf("%s\nfails with %v, a %T, which is no error of the SDK", printed(request), err, err)
		}
		if d := cmp.Diff(before, look(t, db)); d != "" {
			t.Errorf("%s\nis refused with %v and changes (-before +after)\n%s", printed(request), err, d)
		}
	}
	if err := db.Check(); err != nil {
		t.Errorf("%s\nbreaks invariants: %v", printed(request), err)
	}
}

// A filler fills structures in with what data says.
type filler struct{ data []byte }

// next returns the next byte, 0 once there are no more.
func (f *filler) next() byte {
	if len(f.data) == 0 {
		return 0
	}
	b := f.data[0]
	f.data = f.data[1:]
	return b
}

func (f *filler) below(n int) int { return int(f.next()) % n }

// request makes a request of a type: a sound one if there is one, with up to three
// members filled in anew, or else one that is filled in as a whole.
func (f *filler) request(of reflect.Type) reflect.Value {
	var bases []reflect.Value
	for _, r := range sound() {
		if reflect.TypeOf(r) == of {
			bases = append(bases, reflect.ValueOf(r))
		}
	}
	if bases == nil || f.below(8) == 0 {
		request := reflect.New(of.Elem())
		f.fill(request.Elem(), "", 0)
		return request
	}
	request := bases[f.below(len(bases))]
	f.express(request.Elem())
	for range f.below(4) {
		f.change(request.Elem(), "", 0)
	}
	return request
}

// express gives half of the expressions that a request has another text.
func (f *filler) express(request reflect.Value) {
	for i := range request.NumField() {
		name := request.Type().Field(i).Name
		if !request.Type().Field(i).IsExported() {
			continue
		}
		if text, ok := request.Field(i).Interface().(*string); ok && text != nil && strings.HasSuffix(name, "Expression") && f.below(2) == 0 {
			*text = f.expression(name)
		}
	}
}

// change fills one member in anew, somewhere within v.
func (f *filler) change(v reflect.Value, name string, depth int) {
	within := f.below(3) > 0
	switch {
	case within && v.Kind() == reflect.Pointer && !v.IsNil():
		f.change(v.Elem(), name, depth)
	case (within || depth == 0) && v.Kind() == reflect.Struct:
		for {
			if i := f.below(v.NumField()); v.Type().Field(i).IsExported() {
				f.change(v.Field(i), v.Type().Field(i).Name, depth+1)
				return
			}
		}
	case within && v.Kind() == reflect.Slice && v.Len() > 0:
		f.change(v.Index(f.below(v.Len())), name, depth+1)
	case within && v.Kind() == reflect.Map && v.Len() > 0:
		elem := reflect.New(v.Type().Elem()).Elem()
		f.fill(elem, "", depth+1)
		v.SetMapIndex(reflect.ValueOf(f.text("")), elem)
	default:
		v.SetZero()
		f.fill(v, name, depth)
	}
}

// Texts that requests may mean something with, by the name of the member.
var fillings = map[string][]string{
	"TableName":              {"Hash", "Both", "Bin", "Nowhere", "New", "ab", "", "b;d"},
	"IndexName":              {"local", "gsi", "agsi", "none", "x"},
	"AttributeName":          {"pk", "sk", "at", "c", "n", "z", ""},
	"ResourceArn":            {"arn:aws:dynamodb:us-east-1:000000000000:table/Hash", "arn:x", "Hash"},
	"ConditionExpression":    {"attribute_exists(pk)", "attribute_not_exists(pk)", "#a = :a", "n > :a AND #a <> :b", "size(", ""},
	"UpdateExpression":       {"SET n = :a", "SET n = n + :a REMOVE #a", "ADD n :a", "DELETE s :a", "SET c = :a", "REMOVE pk", "SET", ""},
	"KeyConditionExpression": {"pk = :a", "pk = :a AND sk > :b", "c = :a AND n BETWEEN :a AND :b", "pk = :a OR sk = :b", ""},
	"FilterExpression":       {"n = :a", "contains(#a, :b)", "pk = :a", "n IN (:a, :b)", "((n = :a))"},
	"ProjectionExpression":   {"pk, n", "m.x, l[0]", "#a", "n, n", "pk.x", ","},
	"":                       {"pk", "sk", "n", "c", "at", "x", ":a", ":b", "#a", "#b", "", "Hash", "Both"},
}

func (f *filler) text(name string) string {
	if strings.HasSuffix(name, "Expression") && f.below(3) > 0 {
		return f.expression(name)
	}
	texts, ok := fillings[name]
	if !ok {
		texts = fillings[""]
	}
	return texts[f.below(len(texts))]
}

// deepest bounds structures within structures.
const deepest = 6

var attributeValue = reflect.TypeFor[types.AttributeValue]()

func (f *filler) fill(v reflect.Value, name string, depth int) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				f.fill(v.Field(i), field.Name, depth+1)
			}
		}
	case reflect.Pointer:
		// Names are mostly there, the many other members mostly not.
		_, known := fillings[name]
		if depth > deepest || f.below(4) > 0 != known {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), name, depth)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(f.text(name)))
			return
		}
		n := f.below(5) - 1
		if depth > deepest || n < 0 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			f.fill(v.Index(i), name, depth+1)
		}
	case reflect.Map:
		n := f.below(5) - 1
		if depth > deepest || n < 0 {
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		for range n {
			elem := reflect.New(v.Type().Elem()).Elem()
			f.fill(elem, "", depth+1)
			v.SetMapIndex(reflect.ValueOf(f.text("")), elem)
		}
	case reflect.Interface:
		if v.Type() == attributeValue && depth <= deepest+2 {
			f.value(v, depth)
		}
	case reflect.String:
		f.word(v, name)
	case reflect.Bool:
		v.SetBool(f.below(2) == 1)
	case reflect.Int32, reflect.Int64:
		v.SetInt([]int64{1, 2, 5, 0, -1, 1_000_001}[f.below(6)])
	}
}

// word fills in a text, or one of the words of an enumeration.
func (f *filler) word(v reflect.Value, name string) {
	values := v.MethodByName("Values")
	if !values.IsValid() {
		v.SetString(f.text(name))
		return
	}
	words := values.Call(nil)[0]
	switch n := f.below(2*words.Len() + 1); {
	case n < words.Len():
		v.Set(words.Index(n))
	case n == words.Len():
		v.SetString("X")
	}
}

// value fills in a value of any kind, or none.
func (f *filler) value(v reflect.Value, depth int) {
	members := []types.AttributeValue{
		str("a"), num(1), str(""), num("x"), bin("b"), boolean(true), &types.AttributeValueMemberNULL{Value: f.below(4) > 0},
		&types.AttributeValueMemberSS{}, &types.AttributeValueMemberNS{Value: []string{"1", "1.0"}}, strs("a", "b"),
		&types.AttributeValueMemberL{}, &types.AttributeValueMemberM{}, (*types.AttributeValueMemberS)(nil),
	}
	n := f.below(len(members) + 1)
	if n == len(members) {
		return
	}
	member := reflect.ValueOf(members[n])
	if k := member.Type(); k == reflect.TypeFor[*types.AttributeValueMemberL]() || k == reflect.TypeFor[*types.AttributeValueMemberM]() {
		f.fill(member.Elem(), "", depth+1)
	}
	v.Set(member)
}
