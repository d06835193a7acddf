package ddbtest_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/ddbtest"
	"github.com/seed530093c6/ddb/memory"
)

// TestConform holds the engine against the suite: by itself, as a large table far
// away behaves, and over HTTP.
func TestConform(t *testing.T) {
	t.Parallel()
	t.Run("engine", func(t *testing.T) {
		t.Parallel()
		ddbtest.Conform(t, ddbtest.New(t))
	})
	t.Run("engine with lag, stale reads and one partition", func(t *testing.T) {
		t.Parallel()
		ddbtest.Conform(t, ddbtest.New(t, memory.IndexLag(30*time.Millisecond), memory.StaleReads(time.Second), memory.Partitions(1)))
	})
	t.Run("server", func(t *testing.T) {
		t.Parallel()
		ddbtest.Conform(t, ddbtest.NewServer(t))
	})
}

// endpointVariable names an endpoint to hold against the suite as well, such as
// https://dynamodb.eu-west-1.amazonaws.com. Region and credentials are taken from
// AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.
const endpointVariable = "DDBTEST_ENDPOINT"

// TestConformEndpoint holds the endpoint that the environment names against the
// suite; there is nothing to do where it names none.
func TestConformEndpoint(t *testing.T) {
	t.Parallel()
	endpoint := os.Getenv(endpointVariable)
	if endpoint == "" {
		t.Logf("%s names no endpoint", endpointVariable)
		return
	}
	ddbtest.Conform(t, dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(endpoint),
		Region:       os.Getenv("AWS_REGION"),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{
				AccessKeyID: os.Getenv("AWS_ACCESS_KEY_ID"), SecretAccessKey: os.Getenv("AWS_SECRET_ACCESS_KEY"),
				SessionToken: os.Getenv("AWS_SESSION_TOKEN"),
			}, nil
		}),
	}))
}

// brokenVariable makes [TestBroken] run: it names one of the services in broken.
const brokenVariable = "DDBTEST_BROKEN"

// broken are services that break one rule each, with the rule by which the suite
// finds it.
var broken = map[string]struct {
	service func(*memory.DB) ddbtest.Service
	rule    string
}{
	"forgets conditions": {func(db *memory.DB) ddbtest.Service { return noConditions{db} }, "TestBroken/conditions/"},
	"forgets pages":      {func(db *memory.DB) ddbtest.Service { return noPages{db} }, "TestBroken/queries/sort_key"},
	"reads lists as text": {func(db *memory.DB) ddbtest.Service { return flatLists{db} },
		"TestBroken/values/values_of_every_kind_come_back_as_they_were"},
	"answers in other words": {func(db *memory.DB) ddbtest.Service { return otherWords{db} }, "TestBroken/refusals/a_missing_table"},
}

type noConditions struct{ *memory.DB }

func (s noConditions) PutItem(ctx context.Context, in *dynamodb.PutItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	return s.DB.PutItem(ctx, &dynamodb.PutItemInput{TableName: in.TableName, Item: in.Item, ReturnValues: in.ReturnValues})
}

type noPages struct{ *memory.DB }

func (s noPages) Query(ctx context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	out, err := s.DB.Query(ctx, in)
	if err == nil {
		out.LastEvaluatedKey = nil
	}
	return out, err
}

type flatLists struct{ *memory.DB }

func (s flatLists) GetItem(ctx context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	out, err := s.DB.GetItem(ctx, in)
	if err == nil && out.Item["l"] != nil {
		out.Item["l"] = str("[]")
	}
	return out, err
}

type otherWords struct{ *memory.DB }

func (s otherWords) GetItem(ctx context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	out, err := s.DB.GetItem(ctx, in)
	if _, ok := errors.AsType[*types.ResourceNotFoundException](err); ok {
		err = &types.ResourceNotFoundException{Message: aws.String("no such table")}
	}
	return out, err
}

// TestBroken holds the broken service that the environment names against the
// suite, for [TestConformFinds]; there is nothing to do where it names none.
func TestBroken(t *testing.T) {
	if b, ok := broken[os.Getenv(brokenVariable)]; ok {
		ddbtest.Conform(t, b.service(memory.New()))
	}
}

// TestConformFinds asserts that the suite fails services that break a rule, and
// names it.
func TestConformFinds(t *testing.T) {
	t.Parallel()
	for name, b := range broken {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBroken$")
			cmd.Env = append(os.Environ(), brokenVariable+"="+name)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "--- FAIL: "+b.rule) {
				t.Errorf("got %v, want it to fail by %s:\n%s", err, b.rule, out)
			}
		})
	}
}
