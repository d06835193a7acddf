package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/aws/smithy-go/middleware"
	"github.com/google/go-cmp/cmp"
)

// transport answers every request of a client without a network.
type transport func(body []byte) (status int, reply []byte)

func (answer transport) Do(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	status, reply := answer(body)
	return &http.Response{
		StatusCode: status,
		Header:     http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:       io.NopCloser(bytes.NewReader(reply)),
	}, nil
}

// call is one operation of a real client.
type call struct {
	target  string
	in, out reflect.Type
	send    func(in any) (out any, err error)
}

// eachOperation runs test for every operation of the clients of both services.
func eachOperation(t *testing.T, answer transport, test func(t *testing.T, op call)) {
	t.Helper()
	credentials := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "AKID", SecretAccessKey: "SECRET"}, nil
	})
	clients := []any{
		dynamodb.New(dynamodb.Options{
			Region: "us-east-1", Credentials: credentials, HTTPClient: answer, Retryer: aws.NopRetryer{},
			BaseEndpoint: aws.String("http://localhost"),
		}),
		dynamodbstreams.New(dynamodbstreams.Options{
			Region: "us-east-1", Credentials: credentials, HTTPClient: answer, Retryer: aws.NopRetryer{},
			BaseEndpoint: aws.String("http://localhost"),
		}),
	}
	n := 0
	for _, client := range clients {
		v := reflect.ValueOf(client)
		for i := range v.NumMethod() {
			method := v.Type().Method(i)
			if method.Type.NumIn() != 4 || !strings.HasSuffix(method.Type.In(2).String(), "Input") {
				continue
			}
			n++
			t.Run(method.Name, func(t *testing.T) {
				send := func(in any) (any, error) {
					out := v.Method(i).Call([]reflect.Value{reflect.ValueOf(t.Context()), reflect.ValueOf(in)})
					err, _ := out[1].Interface().(error)
					return out[0].Interface(), err
				}
				target := targetDynamoDB + method.Name
				if _, ok := client.(*dynamodbstreams.Client); ok {
					target = targetStreams + method.Name
				}
				test(t, call{target, method.Type.In(2).Elem(), method.Type.Out(0).Elem(), send})
			})
		}
	}
	if n != 66 {
		t.Errorf("the clients have %d operations, want 66", n)
	}
}

// filler sets every exported field that can be reached to a value of its own.
type filler struct{ n int }

func (f *filler) fill(v reflect.Value) {
	f.n++
	switch v.Type() {
	case reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.UnixMilli(1731456000_123 + int64(f.n)*1000).UTC()))
		return
	case reflect.TypeFor[types.AttributeValue]():
		v.Set(reflect.ValueOf(everyKind(f.n)))
		return
	case reflect.TypeFor[streamtypes.AttributeValue]():
		v.Set(reflect.ValueOf(everyStreamKind(f.n)))
		return
	case reflect.TypeFor[middleware.Metadata]():
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && v.Type().Field(i).Name != "ErrorCodeOverride" {
				f.fill(v.Field(i))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(v.Index(0))
		f.fill(v.Index(1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			elem := reflect.New(v.Type().Elem()).Elem()
			f.fill(elem)
			v.SetMapIndex(reflect.ValueOf(fmt.Sprintf("key %d \"\\\n\x01é\U0001F600", f.n)), elem)
		}
	case reflect.String:
		v.SetString(fmt.Sprintf("text-%d", f.n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int32, reflect.Int64:
		v.SetInt(int64(f.n))
	case reflect.Float64:
		v.SetFloat(float64(f.n) / 2)
	default:
		panic("no filling for " + v.Type().String())
	}
}

func everyKind(n int) types.AttributeValue {
	text := fmt.Sprintf("%d <&>\u2028\t", n)
	return &types.AttributeValueMemberL{Value: []types.AttributeValue{
		&types.AttributeValueMemberS{Value: text},
		&types.AttributeValueMemberN{Value: "-12.50"},
		&types.AttributeValueMemberB{Value: []byte{0, 1, 0xFF, byte(n)}},
		&types.AttributeValueMemberB{Value: []byte{}},
		&types.AttributeValueMemberBOOL{Value: n%2 == 0},
		&types.AttributeValueMemberNULL{Value: true},
		&types.AttributeValueMemberSS{Value: []string{text, ""}},
		&types.AttributeValueMemberNS{Value: []string{"1", "1e5"}},
		&types.AttributeValueMemberBS{Value: [][]byte{{0}, {1, 2}}},
		&types.AttributeValueMemberL{Value: []types.AttributeValue{}},
		&types.AttributeValueMemberM{Value: map[string]types.AttributeValue{}},
		&types.AttributeValueMemberM{Value: map[string]types.AttributeValue{text: &types.AttributeValueMemberS{}}},
	}}
}

func everyStreamKind(n int) streamtypes.AttributeValue {
	return &streamtypes.AttributeValueMemberL{Value: []streamtypes.AttributeValue{
		&streamtypes.AttributeValueMemberS{Value: fmt.Sprint(n)},
		&streamtypes.AttributeValueMemberN{Value: "-12.50"},
		&streamtypes.AttributeValueMemberB{Value: []byte{0, 1, 0xFF, byte(n)}},
		&streamtypes.AttributeValueMemberBOOL{Value: n%2 == 0},
		&streamtypes.AttributeValueMemberNULL{Value: true},
		&streamtypes.AttributeValueMemberSS{Value: []string{"a", ""}},
		&streamtypes.AttributeValueMemberNS{Value: []string{"1", "1e5"}},
		&streamtypes.AttributeValueMemberBS{Value: [][]byte{{0}, {1, 2}}},
		&streamtypes.AttributeValueMemberL{Value: []streamtypes.AttributeValue{}},
		&streamtypes.AttributeValueMemberM{Value: map[string]streamtypes.AttributeValue{"m": &streamtypes.AttributeValueMemberS{}}},
	}}
}

// exported compares what the SDK's types show.
var exported = cmp.FilterPath(func(p cmp.Path) bool {
	f, ok := p.Last().(cmp.StructField)
	return ok && (f.Name() == "ResultMetadata" || f.Name() == "noSmithyDocumentSerde")
}, cmp.Ignore())

// Every operation of the service is either served or known to be left out.
func TestOperationsAreAccountedFor(t *testing.T) {
	t.Parallel()
	eachOperation(t, nil, func(t *testing.T, op call) {
		entry, served := operations[op.target]
		_, name, _ := strings.Cut(op.target, ".")
		if served == beyond[name] {
			t.Errorf("%s is served: %v, left out: %v", op.target, served, beyond[name])
		}
		if served && entry.input != op.in {
			t.Errorf("%s takes a %v, want %v", op.target, entry.input, op.in)
		}
	})
}

// What a real client sends arrives as it was given.
func TestDecodeRequestsOfTheSDK(t *testing.T) {
	t.Parallel()
	c := new(codec)
	var got any
	var failed error
	answer := func(body []byte) (int, []byte) {
		failed = c.decode(body, got)
		return http.StatusOK, []byte("{}")
	}
	eachOperation(t, answer, func(t *testing.T, op call) {
		sent := reflect.New(op.in)
		new(filler).fill(sent.Elem())
		got = reflect.New(op.in).Interface()
		if _, err := op.send(sent.Interface()); err != nil {
			t.Fatalf("the client does not send: %v", err)
		}
		if failed != nil {
			t.Fatalf("decode: %v", failed)
		}
		if diff := cmp.Diff(got, sent.Interface(), exported); diff != "" {
			t.Errorf("request (-got +sent):\n%s", diff)
		}
	})
}

// What is sent to a real client arrives as it was given.
func TestEncodeResponsesForTheSDK(t *testing.T) {
	t.Parallel()
	c := new(codec)
	var reply any
	answer := func([]byte) (int, []byte) { return http.StatusOK, c.encode(nil, reply) }
	eachOperation(t, answer, func(t *testing.T, op call) {
		request, response := reflect.New(op.in), reflect.New(op.out)
		new(filler).fill(request.Elem())
		new(filler).fill(response.Elem())
		reply = response.Interface()
		got, err := op.send(request.Interface())
		if err != nil {
			t.Fatalf("the client does not understand %s: %v", c.encode(nil, reply), err)
		}
		if diff := cmp.Diff(got, reply, exported); diff != "" {
			t.Errorf("response (-got +sent):\n%s", diff)
		}
	})
}
