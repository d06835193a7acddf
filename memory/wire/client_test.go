package wire_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/memory"
	"github.com/seed530093c6/ddb/memory/wire"
)

// newDB returns an engine whose identifiers and times are the same for all. Its
// streams have one shard.
func newDB() *memory.DB {
	return memory.New(memory.Clock(func() time.Time { return time.UnixMilli(1731456000123).UTC() }), memory.Partitions(1))
}

const (
	streamARN = "arn:aws:dynamodb:us-east-1:000000000000:table/AppTable/stream/2024-11-13T00:00:00.123"
	shardID   = "shardId-00000001731456000123-00000000"
)

// iterator returns the text of an iterator at the beginning of AppTable's stream,
// which is the same for all engines that newDB makes.
func iterator(t *testing.T) *string {
	t.Helper()
	db, in := newDB(), appTable()
	in.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeKeysOnly}
	if _, err := db.CreateTable(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	out, err := db.GetShardIterator(t.Context(), &dynamodbstreams.GetShardIteratorInput{
		StreamArn: aws.String(streamARN), ShardId: aws.String(shardID), ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon,
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.ShardIterator
}

// serve returns the options of a client that talks to h.
func serve(t testing.TB, h http.Handler) dynamodb.Options {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return clientOptions(server.URL, server.Client())
}

func clientOptions(url string, client dynamodb.HTTPClient) dynamodb.Options {
	return dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(url), HTTPClient: client, Retryer: aws.NopRetryer{},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "AKID", SecretAccessKey: "SECRET"}, nil
		}),
	}
}

type item = map[string]types.AttributeValue

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
func num(n string) types.AttributeValue { return &types.AttributeValueMemberN{Value: n} }

func order(user, id string) item {
	return item{
		"PK": str(user), "SK": str(id), "status": str("PENDING"), "amount": num("199.90"), "paid": &types.AttributeValueMemberBOOL{},
		"photo": &types.AttributeValueMemberB{Value: []byte{0, 0xFF, 1}}, "note": &types.AttributeValueMemberNULL{Value: true},
		"tags":  &types.AttributeValueMemberSS{Value: []string{"gift", "express"}},
		"sizes": &types.AttributeValueMemberNS{Value: []string{"10", "9.5"}},
		"raw":   &types.AttributeValueMemberBS{Value: [][]byte{{2}, {1}}},
		"parts": &types.AttributeValueMemberL{Value: []types.AttributeValue{
			&types.AttributeValueMemberM{Value: item{"sku": str("é\"\\\u2028"), "qty": num("2")}},
		}},
	}
}

func key(user, id string) item { return item{"PK": str(user), "SK": str(id)} }

func appTable() *dynamodb.CreateTableInput {
	return &dynamodb.CreateTableInput{
		TableName: aws.String("AppTable"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("SK"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("status"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("SK"), KeyType: types.KeyTypeRange},
		},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName:  aws.String("GSI1"),
			KeySchema:  []types.KeySchemaElement{{AttributeName: aws.String("status"), KeyType: types.KeyTypeHash}},
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}},
	}
}

// step is one call, and the code of the exception that it ends in.
type step struct {
	fails string
	in    any
}

const (
	invalid    = "ValidationException"
	noResource = "ResourceNotFoundException"
)

// steps is a history that calls every operation, with success and with the
// errors of its kind.
func steps(t *testing.T) []step {
	start := iterator(t)
	table := aws.String("AppTable")
	arn := aws.String("arn:aws:dynamodb:us-east-1:000000000000:table/AppTable")
	capacity := types.ReturnConsumedCapacityIndexes
	return []step{
		{noResource, &dynamodb.PutItemInput{TableName: table, Item: order("a", "1")}},
		{"", appTable()},
		{invalid, &dynamodb.CreateTableInput{TableName: aws.String("x")}},
		{"", &dynamodb.DescribeTableInput{TableName: table}},
		{noResource, &dynamodb.DescribeTableInput{TableName: aws.String("missing")}},
		{"", &dynamodb.ListTablesInput{Limit: aws.Int32(1)}},
		{"", &dynamodb.PutItemInput{TableName: table, Item: order("a", "1"), ReturnConsumedCapacity: capacity}},
		{"", &dynamodb.PutItemInput{TableName: table, Item: order("a", "2"), ReturnValues: types.ReturnValueAllOld}},
		{"", &dynamodb.PutItemInput{TableName: table, Item: order("b", "1")}},
		{"ConditionalCheckFailedException", &dynamodb.PutItemInput{
			TableName: table, Item: order("a", "1"), ConditionExpression: aws.String("attribute_not_exists(PK)"),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}},
		{invalid, &dynamodb.PutItemInput{TableName: table, Item: item{"PK": num("1"), "SK": str("x")}}},
		{invalid, &dynamodb.PutItemInput{TableName: table, Item: item{"PK": str("a"), "SK": str("x"), "n": num("1e400")}}},
		{"", &dynamodb.GetItemInput{TableName: table, Key: key("a", "1"), ReturnConsumedCapacity: capacity}},
		{"", &dynamodb.GetItemInput{TableName: table, Key: key("a", "missing")}},
		{"", &dynamodb.GetItemInput{TableName: table, Key: key("a", "1"), ProjectionExpression: aws.String("absent")}},
		{"", &dynamodb.UpdateItemInput{
			TableName: table, Key: key("a", "1"), ReturnValues: types.ReturnValueAllNew,
			UpdateExpression:          aws.String("SET #t = #t + :n, parts[0].qty = :n REMOVE note ADD tags :tags"),
			ExpressionAttributeNames:  map[string]string{"#t": "amount"},
			ExpressionAttributeValues: item{":n": num("0.1"), ":tags": &types.AttributeValueMemberSS{Value: []string{"new"}}},
		}},
		{invalid, &dynamodb.UpdateItemInput{TableName: table, Key: key("a", "1"), UpdateExpression: aws.String("SET amount = missing")}},
		{"", &dynamodb.QueryInput{
			TableName: table, KeyConditionExpression: aws.String("PK = :u"), ExpressionAttributeValues: item{":u": str("a")},
			Limit: aws.Int32(1), ScanIndexForward: aws.Bool(false), ReturnConsumedCapacity: capacity,
		}},
		{"", &dynamodb.QueryInput{
			TableName: table, IndexName: aws.String("GSI1"), KeyConditionExpression: aws.String("#s = :s"), Select: types.SelectCount,
			ExpressionAttributeNames: map[string]string{"#s": "status"}, ExpressionAttributeValues: item{":s": str("PENDING")},
		}},
		{invalid, &dynamodb.QueryInput{TableName: table, KeyConditionExpression: aws.String("PK <> :u"), ExpressionAttributeValues: item{":u": str("a")}}},
		{"", &dynamodb.ScanInput{
			TableName: table, FilterExpression: aws.String("amount > :n"), ExpressionAttributeValues: item{":n": num("199.95")},
			TotalSegments: aws.Int32(1), Segment: aws.Int32(0),
		}},
		{"", &dynamodb.ScanInput{TableName: table, ExclusiveStartKey: key("a", "1"), Limit: aws.Int32(10)}},
		{"", &dynamodb.BatchWriteItemInput{ReturnConsumedCapacity: capacity, RequestItems: map[string][]types.WriteRequest{*table: {
			{PutRequest: &types.PutRequest{Item: order("c", "1")}},
			{DeleteRequest: &types.DeleteRequest{Key: key("b", "1")}},
		}}}},
		{invalid, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{*table: {
			{DeleteRequest: &types.DeleteRequest{Key: key("b", "1")}}, {DeleteRequest: &types.DeleteRequest{Key: key("b", "1")}},
		}}}},
		{"", &dynamodb.BatchGetItemInput{ReturnConsumedCapacity: capacity, RequestItems: map[string]types.KeysAndAttributes{*table: {
			Keys: []map[string]types.AttributeValue{key("c", "1"), key("missing", "1")}, ProjectionExpression: aws.String("SK, parts[0].sku"),
		}}}},
		{"", &dynamodb.TransactGetItemsInput{ReturnConsumedCapacity: capacity, TransactItems: []types.TransactGetItem{
			{Get: &types.Get{TableName: table, Key: key("c", "1")}}, {Get: &types.Get{TableName: table, Key: key("missing", "1")}},
		}}},
		{"", &dynamodb.TransactWriteItemsInput{ClientRequestToken: aws.String("once"), TransactItems: []types.TransactWriteItem{
			{Put: &types.Put{TableName: table, Item: order("d", "1")}},
			{Update: &types.Update{TableName: table, Key: key("c", "1"), UpdateExpression: aws.String("REMOVE tags")}},
			{ConditionCheck: &types.ConditionCheck{TableName: table, Key: key("a", "1"), ConditionExpression: aws.String("attribute_exists(PK)")}},
		}}},
		{"IdempotentParameterMismatchException", &dynamodb.TransactWriteItemsInput{ClientRequestToken: aws.String("once"), TransactItems: []types.TransactWriteItem{
			{Put: &types.Put{TableName: table, Item: order("e", "1")}},
		}}},
		{"TransactionCanceledException", &dynamodb.TransactWriteItemsInput{ClientRequestToken: aws.String("twice"), TransactItems: []types.TransactWriteItem{
			{Delete: &types.Delete{TableName: table, Key: key("d", "1")}},
			{Put: &types.Put{
				TableName: table, Item: order("c", "1"), ConditionExpression: aws.String("attribute_not_exists(PK)"),
				ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
			}},
		}}},
		{"", &dynamodb.DeleteItemInput{TableName: table, Key: key("a", "2"), ReturnValues: types.ReturnValueAllOld}},
		{invalid, &dynamodb.DeleteItemInput{TableName: table, Key: item{"PK": str("a")}}},
		{"", &dynamodb.UpdateTableInput{
			TableName: table, AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("amount"), AttributeType: types.ScalarAttributeTypeN}},
			GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Create: &types.CreateGlobalSecondaryIndexAction{
				IndexName:  aws.String("GSI2"),
				KeySchema:  []types.KeySchemaElement{{AttributeName: aws.String("amount"), KeyType: types.KeyTypeHash}},
				Projection: &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: []string{"paid"}},
			}}},
		}},
		{invalid, &dynamodb.UpdateTableInput{TableName: table}},
		{"", &dynamodb.DescribeTableInput{TableName: table}},
		{"", &dynamodb.UpdateTimeToLiveInput{
			TableName: table, TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("expires"), Enabled: aws.Bool(true)},
		}},
		{invalid, &dynamodb.UpdateTimeToLiveInput{
			TableName: table, TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("other"), Enabled: aws.Bool(true)},
		}},
		{"", &dynamodb.DescribeTimeToLiveInput{TableName: table}},
		{"", &dynamodb.TagResourceInput{ResourceArn: arn, Tags: []types.Tag{{Key: aws.String("team"), Value: aws.String("")}, {Key: aws.String("a"), Value: aws.String("b")}}}},
		{invalid, &dynamodb.TagResourceInput{ResourceArn: aws.String("nonsense"), Tags: []types.Tag{{Key: aws.String("a"), Value: aws.String("b")}}}},
		{"", &dynamodb.UntagResourceInput{ResourceArn: arn, TagKeys: []string{"a"}}},
		{"", &dynamodb.ListTagsOfResourceInput{ResourceArn: arn}},
		{"", &dynamodb.UpdateTableInput{TableName: table, StreamSpecification: &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
		}}},
		{"", &dynamodb.DescribeTableInput{TableName: table}},
		{"", &dynamodb.PutItemInput{TableName: table, Item: order("s", "1")}},
		{"", &dynamodb.UpdateItemInput{TableName: table, Key: key("s", "1"), UpdateExpression: aws.String("REMOVE photo")}},
		{"", &dynamodb.DeleteItemInput{TableName: table, Key: key("s", "1")}},
		{"", &dynamodbstreams.ListStreamsInput{TableName: table}},
		{invalid, &dynamodbstreams.ListStreamsInput{Limit: aws.Int32(1000)}},
		{"", &dynamodbstreams.DescribeStreamInput{StreamArn: aws.String(streamARN), Limit: aws.Int32(10)}},
		{noResource, &dynamodbstreams.DescribeStreamInput{StreamArn: aws.String(streamARN + "4")}},
		{"", &dynamodbstreams.GetShardIteratorInput{
			StreamArn: aws.String(streamARN), ShardId: aws.String(shardID), ShardIteratorType: streamtypes.ShardIteratorTypeAtTimestamp,
			Timestamp: aws.Time(time.UnixMilli(1731456000123)),
		}},
		{invalid, &dynamodbstreams.GetShardIteratorInput{
			StreamArn: aws.String(streamARN), ShardId: aws.String(shardID), ShardIteratorType: streamtypes.ShardIteratorTypeAtSequenceNumber,
		}},
		{"", &dynamodbstreams.GetRecordsInput{ShardIterator: start, Limit: aws.Int32(2)}},
		{"", &dynamodbstreams.GetRecordsInput{ShardIterator: start}},
		{invalid, &dynamodbstreams.GetRecordsInput{ShardIterator: aws.String("garbage")}},
		{"", &dynamodb.DescribeContinuousBackupsInput{TableName: table}},
		{"", &dynamodb.DescribeLimitsInput{}},
		{"", &dynamodb.DescribeEndpointsInput{}},
		{"", &dynamodb.DeleteTableInput{TableName: table}},
		{noResource, &dynamodb.DeleteTableInput{TableName: table}},
	}
}

// clients are the SDK's two, whose operations are those of the engine.
type clients struct {
	*dynamodb.Client
	streams
}

// streams lets clients embed two types of one name.
type streams struct{ *dynamodbstreams.Client }

func newClients(t *testing.T, h http.Handler) clients {
	o := serve(t, h)
	return clients{dynamodb.New(o), streams{dynamodbstreams.New(dynamodbstreams.Options{
		Region: o.Region, BaseEndpoint: o.BaseEndpoint, HTTPClient: o.HTTPClient, Retryer: o.Retryer, Credentials: o.Credentials,
	})}}
}

// operationOf returns the name of the operation that an input belongs to.
func operationOf(in any) string { return strings.TrimSuffix(reflect.TypeOf(in).Elem().Name(), "Input") }

// call calls the method of that name, of a client or the engine.
func call(ctx context.Context, receiver, in any) (out any, err error) {
	results := reflect.ValueOf(receiver).MethodByName(operationOf(in)).Call([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(in)})
	err, _ = results[1].Interface().(error)
	return results[0].Interface(), err
}

// exported leaves out of a comparison what is not part of a response.
var exported = cmp.FilterPath(func(p cmp.Path) bool {
	f, ok := p.Last().(cmp.StructField)
	return ok && (f.Name() == "ResultMetadata" || f.Name() == "noSmithyDocumentSerde")
}, cmp.Ignore())

// A real client gets over the wire what a caller in process gets, response for
// response and error for error.
func TestClientSeesTheEngine(t *testing.T) {
	t.Parallel()
	direct, remote := newDB(), newClients(t, wire.Handler(newDB(), wire.StrictAuth()))
	for i, step := range steps(t) {
		t.Run(fmt.Sprintf("%02d %s", i, operationOf(step.in)), func(t *testing.T) {
			want, wantErr := call(t.Context(), direct, step.in)
			if code(wantErr) != step.fails {
				t.Fatalf("the engine answers %v, want %q", wantErr, step.fails)
			}
			got, err := call(t.Context(), remote, step.in)
			if diff := cmp.Diff(apiError(err), apiError(wantErr), exported); diff != "" {
				t.Fatalf("error (-wire +direct):\n%s", diff)
			}
			if diff := cmp.Diff(got, want, exported); err == nil && diff != "" {
				t.Errorf("response (-wire +direct):\n%s", diff)
			}
		})
	}
}

// code returns the code of the exception in err, nothing for success.
func code(err error) string {
	if e, ok := errors.AsType[smithy.APIError](err); ok {
		return e.ErrorCode()
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// apiError returns the exception in err, in one form for those the SDK does not
// model.
func apiError(err error) any {
	e, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return err
	}
	if g, ok := e.(*smithy.GenericAPIError); ok {
		return g.Code + ": " + g.Message
	}
	return e
}

// Whatever method the engine has in the form of an operation is served, and
// tested above.
func TestEveryOperationIsServed(t *testing.T) {
	t.Parallel()
	h := wire.Handler(memory.New())
	tested := make(map[string]bool)
	for _, step := range steps(t) {
		tested[operationOf(step.in)] = true
	}
	for method := range reflect.TypeFor[*memory.DB]().Methods() {
		if method.Type.NumIn() != 4 || !strings.HasSuffix(method.Type.In(2).String(), "Input") {
			continue
		}
		target := "DynamoDB_20120810."
		if strings.Contains(method.Type.In(2).String(), "dynamodbstreams") {
			target = "DynamoDBStreams_20120810."
		}
		response := perform(t, h, request("POST", "/", "{}", "X-Amz-Target", target+method.Name))
		if body := read(t, response.Body); strings.Contains(body, "UnknownOperationException") {
			t.Errorf("%s is not served: %s", method.Name, body)
		}
		if !tested[method.Name] {
			t.Errorf("%s is not tested", method.Name)
		}
	}
}

func TestCompressedResponses(t *testing.T) {
	t.Parallel()
	h := wire.Handler(newDB())
	client := dynamodb.New(serve(t, h))
	if _, err := client.CreateTable(t.Context(), appTable()); err != nil {
		t.Fatal(err)
	}
	large := key("large", "1")
	large["text"] = str(strings.Repeat("x", 5000))
	small := key("small", "1")
	small["text"] = str(strings.Repeat("x", 4000))
	for _, i := range []item{large, small} {
		if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("AppTable"), Item: i}); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ key, accept, want string }{
		{"large", "gzip", "gzip"},
		{"large", "deflate", "deflate"},
		{"large", "br", ""},
		{"large", "", ""},
		{"small", "gzip", ""},
	} {
		body := `{"TableName":"AppTable","Key":{"PK":{"S":"` + tt.key + `"},"SK":{"S":"1"}}}`
		r := request("POST", "/", body, "X-Amz-Target", "DynamoDB_20120810.GetItem", "Accept-Encoding", tt.accept)
		response := perform(t, h, r)
		if got := response.Header.Get("Content-Encoding"); got != tt.want {
			t.Errorf("%s item to a client that accepts %q comes in %q, want %q", tt.key, tt.accept, got, tt.want)
		}
		if text := read(t, plain(t, response)); !strings.Contains(text, strings.Repeat("x", 4000)) {
			t.Errorf("%s item to a client that accepts %q is %.100s", tt.key, tt.accept, text)
		}
	}
	// The SDK's own way of asking for compression.
	compressed := dynamodb.New(serve(t, h), func(o *dynamodb.Options) { o.EnableAcceptEncodingGzip = true })
	out, err := compressed.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("AppTable"), Key: key("large", "1")})
	if err != nil || len(out.Item) != 3 {
		t.Errorf("GetItem with compression = %v, %v", out, err)
	}
}
