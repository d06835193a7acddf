package ddbtest

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
)

// Service is what [Conform] needs: the operations on items, and those on tables
// with which it makes its own. *memory.DB and *dynamodb.Client have them.
type Service interface {
	ddb.Backend
	CreateTable(context.Context, *dynamodb.CreateTableInput, ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error)
	DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error)
	DeleteTable(context.Context, *dynamodb.DeleteTableInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteTableOutput, error)
}

// Conform holds a service against what DynamoDB does with items: what is stored
// and returned, which error comes first, what it says, and what is left behind.
// Each rule is a subtest, named by the rule.
//
// It makes two tables of names that nobody has, on demand, and deletes them in the
// end. Against the service itself it takes a minute and costs less than a cent.
// Errors are compared by their code and by that part of their text which is the
// same in all regions. Reads of indexes are repeated until they show what was
// written, for at most half a minute.
func Conform(t *testing.T, service Service) {
	t.Helper()
	s := newSuite(t, service)
	for _, group := range []struct {
		name string
		run  func(*testing.T, *suite)
	}{
		{"values", conformValues},
		{"items", conformItems},
		{"conditions", conformConditions},
		{"updates", conformUpdates},
		{"refusals", conformRefusals},
		{"queries", conformQueries},
		{"scans", conformScans},
		{"indexes", conformIndexes},
		{"batches", conformBatches},
		{"transactions", conformTransactions},
		{"capacity", conformCapacity},
	} {
		t.Run(group.name, func(t *testing.T) { group.run(t, s) })
	}
}

// suite is one run of Conform.
type suite struct {
	db Service
	// main has the string keys PK and SK and three indexes: the local byNum (PK,
	// num) with keys only, the global byTag (tag, num) with everything, and the
	// global thin (kind) that includes note.
	main string
	// odd has the number n and the binary b as its keys.
	odd string
}

func newSuite(t *testing.T, db Service) *suite {
	t.Helper()
	prefix := "ddbtest-" + strings.ToLower(rand.Text()[:12])
	s := &suite{db: db, main: prefix + "-main", odd: prefix + "-odd"}
	s.create(t, &dynamodb.CreateTableInput{
		TableName: aws.String(s.main), KeySchema: schema("PK", "SK"), AttributeDefinitions: definitions("PK:S", "SK:S", "num:N", "tag:S", "kind:S"),
		LocalSecondaryIndexes: []types.LocalSecondaryIndex{{
			IndexName: aws.String("byNum"), KeySchema: schema("PK", "num"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{
			{IndexName: aws.String("byTag"), KeySchema: schema("tag", "num"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll}},
			{IndexName: aws.String("thin"), KeySchema: schema("kind"), Projection: &types.Projection{
				ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: []string{"note"},
			}},
		},
	})
	s.create(t, &dynamodb.CreateTableInput{
		TableName: aws.String(s.odd), KeySchema: schema("n", "b"), AttributeDefinitions: definitions("n:N", "b:B"),
	})
	return s
}

// schema is a key schema of one or two attributes.
func schema(attributes ...string) []types.KeySchemaElement {
	kinds := []types.KeyType{types.KeyTypeHash, types.KeyTypeRange}
	var out []types.KeySchemaElement
	for i, name := range attributes {
		out = append(out, types.KeySchemaElement{AttributeName: aws.String(name), KeyType: kinds[i]})
	}
	return out
}

// definitions declares attributes, given as name:TYPE.
func definitions(attributes ...string) []types.AttributeDefinition {
	var out []types.AttributeDefinition
	for _, a := range attributes {
		name, kind, _ := strings.Cut(a, ":")
		out = append(out, types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: types.ScalarAttributeType(kind)})
	}
	return out
}

// tableWait is how long a table may take until it can be used.
const tableWait = 5 * time.Minute

// create makes a table and waits until it can be used. It is deleted after the
// test.
func (s *suite) create(t *testing.T, in *dynamodb.CreateTableInput) {
	t.Helper()
	in.BillingMode = types.BillingModePayPerRequest
	if _, err := s.db.CreateTable(t.Context(), in); err != nil {
		t.Fatalf("create a table: %v", err)
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context()) // which has ended by now
		if _, err := s.db.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: in.TableName}); err != nil {
			t.Errorf("delete table %s: %v", *in.TableName, err)
		}
	})
	waiter := dynamodb.NewTableExistsWaiter(s.db, func(o *dynamodb.TableExistsWaiterOptions) { o.MinDelay = time.Second })
	if err := waiter.Wait(t.Context(), &dynamodb.DescribeTableInput{TableName: in.TableName}, tableWait); err != nil {
		t.Fatalf("wait for table %s: %v", *in.TableName, err)
	}
}

// trial is one rule that is put to the test, on items of its own: all have its
// partition key, which is also how it marks entries in indexes.
type trial struct {
	*testing.T
	*suite
	pk string
}

// try tests a rule beside others.
func (s *suite) try(t *testing.T, rule string, f func(trial)) {
	t.Helper()
	t.Run(rule, func(t *testing.T) {
		t.Parallel()
		f(trial{t, s, t.Name()})
	})
}

type stored = map[string]types.AttributeValue

func vS(s string) types.AttributeValue     { return &types.AttributeValueMemberS{Value: s} }
func vN(n string) types.AttributeValue     { return &types.AttributeValueMemberN{Value: n} }
func vB(b string) types.AttributeValue     { return &types.AttributeValueMemberB{Value: []byte(b)} }
func vBool(b bool) types.AttributeValue    { return &types.AttributeValueMemberBOOL{Value: b} }
func vNull() types.AttributeValue          { return &types.AttributeValueMemberNULL{Value: true} }
func vM(m stored) types.AttributeValue     { return &types.AttributeValueMemberM{Value: m} }
func vSS(s ...string) types.AttributeValue { return &types.AttributeValueMemberSS{Value: s} }
func vNS(n ...string) types.AttributeValue { return &types.AttributeValueMemberNS{Value: n} }
func vL(l ...types.AttributeValue) types.AttributeValue {
	return &types.AttributeValueMemberL{Value: l}
}

// key is the primary key of one of the trial's items.
func (c trial) key(sk string) stored { return stored{"PK": vS(c.pk), "SK": vS(sk)} }

// with returns the item with that sort key and these attributes.
func (c trial) with(sk string, attributes stored) stored {
	item := c.key(sk)
	for name, v := range attributes {
		item[name] = v
	}
	return item
}

// put stores an item with these attributes and returns it.
func (c trial) put(sk string, attributes stored) stored {
	c.Helper()
	item := c.with(sk, attributes)
	if _, err := c.db.PutItem(c.Context(), &dynamodb.PutItemInput{TableName: &c.main, Item: item}); err != nil {
		c.Fatalf("put: %v", err)
	}
	return item
}

// get reads an item, nil if there is none.
func (c trial) get(sk string) stored {
	c.Helper()
	out, err := c.db.GetItem(c.Context(), &dynamodb.GetItemInput{TableName: &c.main, Key: c.key(sk), ConsistentRead: aws.Bool(true)})
	if err != nil {
		c.Fatalf("get: %v", err)
	}
	return out.Item
}

// holds demands that the stored item is the one wanted, or none.
func (c trial) holds(sk string, want stored) {
	c.Helper()
	c.equal("the stored item", c.get(sk), want)
}

// equal demands that two values mean the same.
func (c trial) equal(what string, got, want any) {
	c.Helper()
	if diff := cmp.Diff(got, want, Values()); diff != "" {
		c.Errorf("%s (-got +want)\n%s", what, diff)
	}
}

// fine demands that there is no error.
func (c trial) fine(err error) {
	c.Helper()
	if err != nil {
		c.Fatalf("got the error %v, want none", err)
	}
}

// refused demands an error of the service with that code, whose message has the
// text.
func (c trial) refused(err error, code, text string) {
	c.Helper()
	api, ok := errors.AsType[smithy.APIError](err)
	switch {
	case !ok:
		c.Errorf("got %v, want %s: %s", err, code, text)
	case api.ErrorCode() != code || !strings.Contains(api.ErrorMessage(), text):
		c.Errorf("got %s: %s\nwant %s: %s", api.ErrorCode(), api.ErrorMessage(), code, text)
	}
}

// Codes of the errors that the suite demands.
const (
	invalid  = "ValidationException"
	notMet   = "ConditionalCheckFailedException"
	noTable  = "ResourceNotFoundException"
	canceled = "TransactionCanceledException"
)

// indexWait is how long an index may take to follow its table.
const indexWait = 30 * time.Second

// eventually demands that a read of an index shows what was written, in the end.
func (c trial) eventually(what string, want any, read func() (any, error)) {
	c.Helper()
	deadline, again := time.After(indexWait), time.NewTicker(20*time.Millisecond)
	defer again.Stop()
	for {
		got, err := read()
		c.fine(err)
		if cmp.Equal(got, want, Values()) {
			return
		}
		select {
		case <-deadline:
			c.equal(what, got, want)
			return
		case <-again.C:
		}
	}
}
