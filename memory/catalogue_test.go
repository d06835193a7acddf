package memory_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb/memory"
)

// The tests in this file pin the exact words of errors, which of several faults
// is reported, and that a request that is refused changes nothing.

// refusal is a request with what the engine must answer.
type refusal struct {
	name string
	call func(ctx context.Context, db *memory.DB) error
	code string // "" for ValidationException
	want string
}

// Parts of texts.
const (
	one   = "1 validation error detected: "
	were  = "One or more parameter values were invalid: "
	areNt = "One or more parameter values are not valid. "
)

// refuse makes the calls on a DB of its own each, which seed fills.
func refuse(t *testing.T, seed func(t testing.TB, db *memory.DB), tests []refusal, opts ...memory.Option) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			db := newDB(t, opts...)
			seed(t, db)
			before := look(t, db)
			wantRefusal(t, tt.call(t.Context(), db), tt.code, tt.want)
			wantUnchanged(t, db, before)
		})
	}
}

// wantRefusal checks an error's code, "" standing for ValidationException, its
// message, and that it is of the SDK's type for the code.
func wantRefusal(t testing.TB, err error, code, message string) {
	t.Helper()
	api, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		t.Fatalf("got %v, want an API error", err)
	}
	if code == "" {
		code = "ValidationException"
	}
	if got := api.ErrorCode(); got != code {
		t.Errorf("code is %q, want %q", got, code)
	}
	if got, want := fmt.Sprintf("%T", api), sdkType(code); got != want {
		t.Errorf("the error is a %s, want a %s", got, want)
	}
	if got := api.ErrorMessage(); got != message {
		t.Errorf("message is\n%s\nwant\n%s", got, message)
	}
	if api.ErrorFault() != smithy.FaultClient {
		t.Errorf("the fault is %v, want the client's", api.ErrorFault())
	}
}

// sdkType returns the type that the SDK has for errors with a code.
func sdkType(code string) string {
	switch code {
	case "ValidationException", "AccessDeniedException":
		return "*smithy.GenericAPIError"
	}
	return "*types." + code
}

// wantUnchanged compares all that a DB shows of its tables with how it was before.
func wantUnchanged(t testing.TB, db *memory.DB, before map[string]string) {
	t.Helper()
	if d := cmp.Diff(before, look(t, db)); d != "" {
		t.Errorf("the request changed (-before +after)\n%s", d)
	}
}

// seedPlain makes the tables that most requests here are about.
func seedPlain(t testing.TB, db *memory.DB) {
	create(t, db, define("Hash", "pk:S"))
	in := withLSI(define("Both", "pk:S", "sk:N"), "local", "at:S", "-")
	in = withGSI(in, "gsi", []string{"c:S"}, []string{"n:N"}, "x")
	create(t, db, withGSI(in, "agsi", []string{"c:S"}, nil))
	create(t, db, define("Bin", "pk:B"))
	put(t, db, "Hash", item{"pk": str("a"), "n": num(1), "s": str("text"), "m": obj(item{"x": num(1)}), "l": seq(num(1))})
	put(t, db, "Both", item{"pk": str("a"), "sk": num(1), "at": str("t"), "c": str("c"), "n": num(1), "x": str("x"), "y": str("y")})
}

func putCall(in dynamodb.PutItemInput) func(context.Context, *memory.DB) error {
	return func(ctx context.Context, db *memory.DB) error {
		_, err := db.PutItem(ctx, &in)
		return err
	}
}

func updateCall(in dynamodb.UpdateItemInput) func(context.Context, *memory.DB) error {
	return func(ctx context.Context, db *memory.DB) error {
		_, err := db.UpdateItem(ctx, &in)
		return err
	}
}

func deleteCall(in dynamodb.DeleteItemInput) func(context.Context, *memory.DB) error {
	return func(ctx context.Context, db *memory.DB) error {
		_, err := db.DeleteItem(ctx, &in)
		return err
	}
}

func getCall(in dynamodb.GetItemInput) func(context.Context, *memory.DB) error {
	return func(ctx context.Context, db *memory.DB) error {
		_, err := db.GetItem(ctx, &in)
		return err
	}
}

func queryCall(in dynamodb.QueryInput) func(context.Context, *memory.DB) error {
	return func(ctx context.Context, db *memory.DB) error {
		_, err := db.Query(ctx, &in)
		return err
	}
}

func scanCall(in dynamodb.ScanInput) func(context.Context, *memory.DB) error {
	return func(ctx context.Context, db *memory.DB) error {
		_, err := db.Scan(ctx, &in)
		return err
	}
}

// Short forms for the requests below.
var (
	hashTable = aws.String("Hash")
	bothTable = aws.String("Both")
	noTable   = aws.String("Nowhere")
	keyA      = item{"pk": str("a")}
)

func nested(levels int) types.AttributeValue {
	v := str("leaf")
	for range levels {
		v = obj(item{"m": v})
	}
	return v
}
