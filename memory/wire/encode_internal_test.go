package wire

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
)

func TestEncodeResponse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		out  any
		want string
	}{
		{"nothing asked for", &dynamodb.PutItemOutput{}, `{}`},
		{"no members at all", &dynamodb.TagResourceOutput{}, ``},
		{"counts are always there", &dynamodb.QueryOutput{}, `{"Count":0,"ScannedCount":0}`},
		{"empty collections stay", &dynamodb.BatchGetItemOutput{
			Responses:       map[string][]map[string]types.AttributeValue{"t": {}},
			UnprocessedKeys: map[string]types.KeysAndAttributes{},
		}, `{"Responses":{"t":[]},"UnprocessedKeys":{}}`},
		{"an empty item stays", &dynamodb.GetItemOutput{Item: map[string]types.AttributeValue{}}, `{"Item":{}}`},
		{"names in order", &dynamodb.GetItemOutput{Item: map[string]types.AttributeValue{
			"b": &types.AttributeValueMemberBOOL{}, "a": &types.AttributeValueMemberB{Value: []byte{0xFF}}, "B": &types.AttributeValueMemberNULL{Value: true},
		}}, `{"Item":{"B":{"NULL":true},"a":{"B":"/w=="},"b":{"BOOL":false}}}`},
		{"units have a decimal", &dynamodb.PutItemOutput{ConsumedCapacity: &types.ConsumedCapacity{
			CapacityUnits: aws.Float64(1), TableName: aws.String("t"), ReadCapacityUnits: aws.Float64(0.5), WriteCapacityUnits: aws.Float64(0),
		}}, `{"ConsumedCapacity":{"CapacityUnits":1.0,"ReadCapacityUnits":0.5,"TableName":"t","WriteCapacityUnits":0.0}}`},
		{"size estimates", &dynamodb.PutItemOutput{ItemCollectionMetrics: &types.ItemCollectionMetrics{SizeEstimateRangeGB: []float64{0, 1}}},
			`{"ItemCollectionMetrics":{"SizeEstimateRangeGB":[0.0,1.0]}}`},
		{"times are seconds", &dynamodb.DescribeTableOutput{Table: &types.TableDescription{CreationDateTime: aws.Time(time.UnixMilli(1731456000123))}},
			`{"Table":{"CreationDateTime":1731456000.123}}`},
		{"whole seconds", &dynamodb.DescribeTableOutput{Table: &types.TableDescription{CreationDateTime: aws.Time(time.Unix(1731456000, 0))}},
			`{"Table":{"CreationDateTime":1731456000.0}}`},
		{"enums that are set", &dynamodb.DescribeTableOutput{Table: &types.TableDescription{TableStatus: types.TableStatusActive}},
			`{"Table":{"TableStatus":"ACTIVE"}}`},
		{"a transaction's missing item", &dynamodb.TransactGetItemsOutput{Responses: []types.ItemResponse{{}, {Item: map[string]types.AttributeValue{}}}},
			`{"Responses":[{},{"Item":{}}]}`},
		{"stream records begin small", &dynamodbstreams.GetRecordsOutput{Records: []streamtypes.Record{{
			EventID: aws.String("1"), EventName: streamtypes.OperationTypeInsert, AwsRegion: aws.String("r"),
			UserIdentity: &streamtypes.Identity{PrincipalId: aws.String("p"), Type: aws.String("Service")},
			Dynamodb:     &streamtypes.StreamRecord{Keys: map[string]streamtypes.AttributeValue{"a": &streamtypes.AttributeValueMemberN{Value: "1"}}},
		}}}, `{"Records":[{"awsRegion":"r","dynamodb":{"Keys":{"a":{"N":"1"}}},"eventID":"1","eventName":"INSERT","userIdentity":{"PrincipalId":"p","Type":"Service"}}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(string(new(codec).encode(nil, tt.out)), tt.want); diff != "" {
				t.Errorf("body (-got +want):\n%s", diff)
			}
		})
	}
}

func TestEncodeStrings(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"":                    `""`,
		"plain é \U0001F600":  `"plain é ` + "\U0001F600" + `"`,
		`quote " backslash \`: `"quote \" backslash \\"`,
		"\n\r\t\x00\x1f\x7f":  `"\n\r\t\u0000\u001f` + "\x7f" + `"`,
		"<&>\u2028/":          "\"<&>\u2028/\"",
		"a\xffb\xc3":          "\"a\ufffdb\ufffd\"",
	} {
		var e encoder
		e.string(s)
		if got := string(e.buf); got != want {
			t.Errorf("string(%q) = %s, want %s", s, got, want)
		}
	}
}

func TestEncodeError(t *testing.T) {
	t.Parallel()
	message := aws.String("m")
	tests := []struct {
		name   string
		err    error
		want   string
		status int
	}{
		{"no message", errSyntax, `{"__type":"com.amazon.coral.service#SerializationException"}`, 400},
		{"serialization", exception("SerializationException", "m"), `{"__type":"com.amazon.coral.service#SerializationException","Message":"m"}`, 400},
		{"validation", exception("ValidationException", "m"), `{"__type":"com.amazon.coral.validate#ValidationException","message":"m"}`, 400},
		{"access", exception("AccessDeniedException", "m"), `{"__type":"com.amazon.coral.service#AccessDeniedException","Message":"m"}`, 400},
		{"wrapped", fmt.Errorf("deep: %w", exception("ValidationException", "m")), `{"__type":"com.amazon.coral.validate#ValidationException","message":"m"}`, 400},
		{"modelled", &types.ResourceNotFoundException{Message: message},
			`{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"m"}`, 400},
		{"of streams", &streamtypes.ExpiredIteratorException{Message: message},
			`{"__type":"com.amazonaws.dynamodb.v20120810#ExpiredIteratorException","message":"m"}`, 400},
		{"with the item", &types.ConditionalCheckFailedException{Message: message, Item: map[string]types.AttributeValue{"a": &types.AttributeValueMemberS{Value: "x"}}},
			`{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","Item":{"a":{"S":"x"}},"message":"m"}`, 400},
		{"with reasons", &types.TransactionCanceledException{Message: message, CancellationReasons: []types.CancellationReason{
			{Code: aws.String("None")}, {Code: aws.String("ValidationError"), Message: aws.String("why")},
		}}, `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","CancellationReasons":[{"Code":"None"},{"Code":"ValidationError","Message":"why"}],"Message":"m"}`, 400},
		{"mismatching token", &types.IdempotentParameterMismatchException{Message: message},
			`{"__type":"com.amazonaws.dynamodb.v20120810#IdempotentParameterMismatchException","Message":"m"}`, 400},
		{"in progress", &types.TransactionInProgressException{Message: message},
			`{"__type":"com.amazonaws.dynamodb.v20120810#TransactionInProgressException","Message":"m"}`, 400},
		{"provisioned throughput", &types.ProvisionedThroughputExceededException{Message: message, ThrottlingReasons: []types.ThrottlingReason{{Reason: aws.String("r"), Resource: aws.String("arn")}}},
			`{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","ThrottlingReasons":[{"reason":"r","resource":"arn"}],"message":"m"}`, 400},
		{"throttling", &types.ThrottlingException{Message: message, ThrottlingReasons: []types.ThrottlingReason{{Reason: aws.String("r")}}},
			`{"__type":"com.amazon.coral.availability#ThrottlingException","throttlingReasons":[{"reason":"r"}],"message":"m"}`, 400},
		{"server", &types.InternalServerError{Message: message}, `{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"m"}`, 500},
		{"not of the service", context.Canceled,
			`{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"The request processing has failed because of an unknown error, exception or failure."}`, 500},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body, status := new(codec).encodeError(nil, tt.err)
			if diff := cmp.Diff(string(body), tt.want); diff != "" {
				t.Errorf("body (-got +want):\n%s", diff)
			}
			if status != tt.status {
				t.Errorf("status %d, want %d", status, tt.status)
			}
		})
	}
}

// Exceptions reach the caller of a real client with all they carry.
func TestErrorsReachTheSDK(t *testing.T) {
	t.Parallel()
	sent := []smithy.APIError{
		&types.ConditionalCheckFailedException{}, &types.TransactionCanceledException{}, &types.ResourceNotFoundException{},
		&types.ResourceInUseException{}, &types.ProvisionedThroughputExceededException{}, &types.RequestLimitExceeded{},
		&types.ThrottlingException{}, &types.LimitExceededException{}, &types.TransactionConflictException{},
		&types.TransactionInProgressException{}, &types.IdempotentParameterMismatchException{},
		&types.ItemCollectionSizeLimitExceededException{}, &types.DuplicateItemException{}, &types.InternalServerError{},
	}
	for _, want := range sent {
		new(filler).fill(reflect.ValueOf(want).Elem())
		t.Run(want.ErrorCode(), func(t *testing.T) {
			t.Parallel()
			body, status := new(codec).encodeError(nil, want)
			client := dynamodb.New(dynamodb.Options{
				Region: "us-east-1", Credentials: aws.AnonymousCredentials{}, Retryer: aws.NopRetryer{},
				HTTPClient: transport(func([]byte) (int, []byte) { return status, body }),
			})
			_, err := client.ExecuteTransaction(t.Context(), &dynamodb.ExecuteTransactionInput{TransactStatements: []types.ParameterizedStatement{}})
			got, ok := errors.AsType[smithy.APIError](err)
			if !ok {
				t.Fatalf("error is %v", err)
			}
			if got.ErrorCode() != want.ErrorCode() || got.ErrorMessage() != want.ErrorMessage() {
				t.Errorf("error is %v, want %v", got, want)
			}
			if reflect.TypeOf(got) == reflect.TypeOf(want) {
				if diff := cmp.Diff(got, want, exported); diff != "" {
					t.Errorf("exception (-got +want):\n%s", diff)
				}
			} else if _, generic := got.(*smithy.GenericAPIError); !generic {
				t.Errorf("error is a %T", got)
			}
		})
	}
}
