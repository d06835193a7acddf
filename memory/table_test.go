package memory_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed530093c6/ddb/memory"
)

func createCall(in *dynamodb.CreateTableInput) func(context.Context, *memory.DB) error {
	return func(ctx context.Context, db *memory.DB) error {
		_, err := db.CreateTable(ctx, in)
		return err
	}
}

// with changes a definition.
func with(in *dynamodb.CreateTableInput, change func(in *dynamodb.CreateTableInput)) *dynamodb.CreateTableInput {
	change(in)
	return in
}

func throughput(read, write int64) *types.ProvisionedThroughput {
	return &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(read), WriteCapacityUnits: aws.Int64(write)}
}

func provision(in *dynamodb.CreateTableInput) *dynamodb.CreateTableInput {
	in.BillingMode, in.ProvisionedThroughput = types.BillingModeProvisioned, throughput(5, 5)
	for i := range in.GlobalSecondaryIndexes {
		in.GlobalSecondaryIndexes[i].ProvisionedThroughput = throughput(5, 5)
	}
	return in
}

func TestCreateTableRefusals(t *testing.T) {
	t.Parallel()
	hash := func(change func(in *dynamodb.CreateTableInput)) func(context.Context, *memory.DB) error {
		return createCall(with(define("New", "pk:S"), change))
	}
	both := func(change func(in *dynamodb.CreateTableInput)) func(context.Context, *memory.DB) error {
		return createCall(with(define("New", "pk:S", "sk:S"), change))
	}
	element := func(name string, role types.KeyType) types.KeySchemaElement {
		return types.KeySchemaElement{AttributeName: aws.String(name), KeyType: role}
	}
	six := define("New", "pk:S", "sk:S")
	for i := range 6 {
		six = withLSI(six, fmt.Sprintf("local%d", i), "at:S")
	}
	many := define("New", "pk:S")
	for i := range 21 {
		many = withGSI(many, fmt.Sprintf("global%d", i), []string{"g:S"}, nil)
	}
	names := func(n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprintf("a%d", i)
		}
		return out
	}
	wide := define("New", "pk:S")
	for i := range 6 {
		wide = withGSI(wide, fmt.Sprintf("global%d", i), []string{"g:S"}, nil, names(20)...)
	}
	refuse(t, seedPlain, []refusal{
		{"no name", hash(func(in *dynamodb.CreateTableInput) { in.TableName = nil }), "",
			"The parameter 'TableName' is required but was not present in the request"},
		{"short name", hash(func(in *dynamodb.CreateTableInput) { in.TableName = aws.String("ab") }), "",
			one + "Value 'ab' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 3"},
		{"three keys", both(func(in *dynamodb.CreateTableInput) {
			in.KeySchema = append(in.KeySchema, element("x", types.KeyTypeRange))
		}), "",
			one + "Value '[KeySchemaElement(attributeName=pk, keyType=HASH), KeySchemaElement(attributeName=sk, keyType=RANGE), KeySchemaElement(attributeName=x, keyType=RANGE)]' " +
				"at 'keySchema' failed to satisfy constraint: Member must have length less than or equal to 2"},
		{"wrong words", hash(func(in *dynamodb.CreateTableInput) {
			in.AttributeDefinitions[0].AttributeType, in.KeySchema[0].KeyType, in.BillingMode = "BOOL", "SORT", "FREE"
		}), "", "3 validation errors detected: Value 'BOOL' at 'attributeDefinitions.1.member.attributeType' failed to satisfy constraint: Member must satisfy enum value set: [B, N, S]; " +
			"Value 'FREE' at 'billingMode' failed to satisfy constraint: Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]; " +
			"Value 'SORT' at 'keySchema.1.member.keyType' failed to satisfy constraint: Member must satisfy enum value set: [HASH, RANGE]"},
		{"throughput on demand", hash(func(in *dynamodb.CreateTableInput) { in.ProvisionedThroughput = throughput(1, 1) }), "",
			were + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"},
		{"no throughput", hash(func(in *dynamodb.CreateTableInput) { in.BillingMode = "" }), "",
			were + "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"},
		{"throughput out of bounds", hash(func(in *dynamodb.CreateTableInput) {
			provision(in).ProvisionedThroughput = throughput(1_000_000_000_001, 1)
		}), "",
			"Given value 1000000000001 for ReadCapacityUnits is out of bounds"},
		{"one attribute in both roles", hash(func(in *dynamodb.CreateTableInput) {
			in.KeySchema = append(in.KeySchema, element("pk", types.KeyTypeRange))
		}), "",
			"Invalid KeySchema: Some index key attribute have no definition"},
		{"one attribute in both roles, enough definitions", both(func(in *dynamodb.CreateTableInput) { in.KeySchema[1] = element("pk", types.KeyTypeRange) }), "",
			"Both the Hash Key and the Range Key element in the KeySchema have the same name"},
		{"undefined key", hash(func(in *dynamodb.CreateTableInput) { in.KeySchema[0] = element("x", types.KeyTypeHash) }), "",
			were + "Some index key attributes are not defined in AttributeDefinitions. Keys: [x], AttributeDefinitions: [pk]"},
		{"first not HASH", both(func(in *dynamodb.CreateTableInput) { in.KeySchema[0].KeyType = types.KeyTypeRange }), "",
			"Invalid KeySchema: The first KeySchemaElement is not a HASH key type"},
		{"second not RANGE", both(func(in *dynamodb.CreateTableInput) { in.KeySchema[1].KeyType = types.KeyTypeHash }), "",
			"Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"},
		{"a definition too many", hash(func(in *dynamodb.CreateTableInput) { addDefinitions(in, []string{"x"}, []string{"S"}) }), "",
			were + "Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions"},
		{"a definition too many with an index", createCall(with(withGSI(define("New", "pk:S"), "gsi", []string{"g:S"}, nil), func(in *dynamodb.CreateTableInput) {
			addDefinitions(in, []string{"x"}, []string{"S"})
		})), "", were + "Some AttributeDefinitions are not used. AttributeDefinitions: [pk, g, x], keys used: [pk, g]"},
		{"global list before local list", both(func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes, in.LocalSecondaryIndexes = []types.GlobalSecondaryIndex{}, []types.LocalSecondaryIndex{}
		}), "", were + "List of GlobalSecondaryIndexes is empty"},
		{"local index without sort key in the table", createCall(withLSI(define("New", "pk:S"), "local", "at:S")), "",
			were + "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex"},
		{"local index with another partition key", createCall(with(withLSI(define("New", "pk:S", "sk:S"), "local", "at:S"), func(in *dynamodb.CreateTableInput) {
			in.LocalSecondaryIndexes[0].KeySchema[0] = element("sk", types.KeyTypeHash)
		})), "", were + "Index KeySchema does not have the same leading hash key as table KeySchema for index: local. index hash key: sk, table hash key: pk"},
		{"local index without sort key", createCall(with(withLSI(define("New", "pk:S", "sk:S"), "local", "at:S"), func(in *dynamodb.CreateTableInput) {
			in.LocalSecondaryIndexes[0].KeySchema = in.LocalSecondaryIndexes[0].KeySchema[:1]
		})), "", were + "Index KeySchema does not have a range key for index: local"},
		{"names for ALL", createCall(with(withGSI(define("New", "pk:S"), "gsi", []string{"g:S"}, nil), func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes[0].Projection.NonKeyAttributes = []string{"x"}
		})), "", were + "ProjectionType is ALL, but NonKeyAttributes is specified"},
		{"no names for INCLUDE", createCall(with(withGSI(define("New", "pk:S"), "gsi", []string{"g:S"}, nil), func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes[0].Projection.ProjectionType = types.ProjectionTypeInclude
		})), "", were + "ProjectionType is INCLUDE, but NonKeyAttributes is not specified"},
		{"less warm reads than every table has", createCall(with(define("New", "pk:S"), func(in *dynamodb.CreateTableInput) {
			in.WarmThroughput = &types.WarmThroughput{ReadUnitsPerSecond: aws.Int64(11_999)}
		})), "", were + "Requested ReadUnitsPerSecond for WarmThroughput for table is lower than initial throughput for OnDemand"},
		{"less warm writes than every index has", createCall(with(withGSI(define("New", "pk:S"), "gsi", []string{"g:S"}, nil), func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes[0].WarmThroughput = &types.WarmThroughput{WriteUnitsPerSecond: aws.Int64(3999)}
		})), "", were + "Requested WriteUnitsPerSecond for WarmThroughput for index gsi is lower than initial throughput for OnDemand"},
		{"name twice", createCall(withGSI(define("New", "pk:S"), "gsi", []string{"g:S"}, nil, "x", "y", "x")), "",
			were + "Duplicate attribute in NonKeyAttributes: x"},
		{"short names of indexes", createCall(withGSI(withLSI(define("New", "pk:S", "sk:S"), "aa", "at:S"), "zz", []string{"g:S"}, nil)), "",
			"2 validation errors detected: Value 'zz' at 'globalSecondaryIndexes.1.member.indexName' failed to satisfy constraint: Member must have length greater than or equal to 3; " +
				"Value 'aa' at 'localSecondaryIndexes.1.member.indexName' failed to satisfy constraint: Member must have length greater than or equal to 3"},
		{"no projection type", createCall(with(withGSI(define("New", "pk:S"), "gsi", []string{"g:S"}, nil), func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes[0].Projection.ProjectionType = ""
		})), "", were + "Unknown ProjectionType: null"},
		{"index throughput on demand", createCall(with(withGSI(define("New", "pk:S"), "gsi", []string{"g:S"}, nil), func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes[0].ProvisionedThroughput = throughput(1, 1)
		})), "", were + "ProvisionedThroughput should not be specified for index: gsi when BillingMode is PAY_PER_REQUEST"},
		{"one name for two indexes", createCall(withLSI(withGSI(define("New", "pk:S", "sk:S"), "idx", []string{"g:S"}, nil), "idx", "at:S")), "",
			were + "Duplicate index name: idx"},
		{"six local indexes", createCall(six), "", were + "Number of LocalSecondaryIndexes exceeds per-table limit of 5"},
		{"twenty-one global indexes", createCall(many), "", were + "GlobalSecondaryIndex count exceeds the per-table limit of 20"},
		{"more than a hundred projected names", createCall(wide), "",
			were + "Number of attributes projected by name exceeds the per-table limit of 100. Number of attributes: 120"},
		{"HASH after RANGE", createCall(with(withGSI(define("New", "pk:S"), "gsi", []string{"g:S", "h:S"}, []string{"r:S"}), func(in *dynamodb.CreateTableInput) {
			k := in.GlobalSecondaryIndexes[0].KeySchema
			k[1], k[2] = k[2], k[1]
		})), "", "Invalid KeySchema: All HASH key elements must precede all RANGE key elements"},
		{"five HASH", createCall(withGSI(define("New", "pk:S"), "gsi", []string{"a:S", "b:S", "c:S", "d:S", "e:S"}, nil)), "",
			"Invalid KeySchema: Number of HASH key elements exceeds the limit of 4"},
		{"view of no stream", hash(func(in *dynamodb.CreateTableInput) {
			in.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(false), StreamViewType: types.StreamViewTypeNewImage}
		}), "", were + "Table is being created with a stream disabled, UpdateViewType should not be specified"},
		{"ceiling of a provisioned table", hash(func(in *dynamodb.CreateTableInput) {
			provision(in).OnDemandThroughput = &types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(5)}
		}), "", were + "MaxReadRequestUnits for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED."},
		{"write throughput of an index out of bounds", createCall(with(provision(withGSI(define("New", "pk:S"), "gsi", []string{"g:S"}, nil)), func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes[0].ProvisionedThroughput = throughput(1, 1_000_000_000_001)
		})), "", "Given value 1000000000001 for WriteCapacityUnits is out of bounds for index gsi"},
		{"index of a provisioned table without throughput", createCall(with(provision(withGSI(define("New", "pk:S"), "gsi", []string{"g:S"}, nil)), func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes[0].ProvisionedThroughput = nil
		})), "", were + "ProvisionedThroughput must be specified for index: gsi"},
		{"attribute defined twice", hash(func(in *dynamodb.CreateTableInput) {
			in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{AttributeName: aws.String("pk"), AttributeType: "N"})
		}), "", "Attribute Name is duplicated: pk"},
		{"empty list of local indexes", both(func(in *dynamodb.CreateTableInput) { in.LocalSecondaryIndexes = []types.LocalSecondaryIndex{} }), "",
			were + "List of LocalSecondaryIndexes is empty"},
		{"undefined key of a local index", createCall(with(withLSI(define("New", "pk:S", "sk:S"), "local", "at:S"), func(in *dynamodb.CreateTableInput) {
			in.LocalSecondaryIndexes[0].KeySchema[1].AttributeName = aws.String("x")
		})), "", were + "Some index key attributes are not defined in AttributeDefinitions. Keys: [pk, x], AttributeDefinitions: [pk, sk, at]"},
		{"names for KEYS_ONLY of a local index", createCall(with(withLSI(define("New", "pk:S", "sk:S"), "local", "at:S", "-"), func(in *dynamodb.CreateTableInput) {
			in.LocalSecondaryIndexes[0].Projection.NonKeyAttributes = []string{"x"}
		})), "", were + "ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified"},
		{"too many names of one index", createCall(withGSI(define("New", "pk:S"), "gsi", []string{"g:S"}, nil, names(21)...)), "",
			one + "Value '[" + strings.Join(names(21), ", ") + "]' at 'globalSecondaryIndexes.1.member.projection.nonKeyAttributes' " +
				"failed to satisfy constraint: Member must have length less than or equal to 20"},
		{"empty name of a projected attribute", createCall(withGSI(define("New", "pk:S"), "gsi", []string{"g:S"}, nil, "x", "")), "",
			one + "Value '' at 'globalSecondaryIndexes.1.member.projection.nonKeyAttributes.2.member' failed to satisfy constraint: Member must have length greater than or equal to 1"},
		{"no HASH among three", createCall(with(withGSI(define("New", "pk:S"), "gsi", []string{"g:S"}, []string{"h:S", "i:S"}), func(in *dynamodb.CreateTableInput) {
			in.GlobalSecondaryIndexes[0].KeySchema[0].KeyType = types.KeyTypeRange
		})), "", "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"},
		{"five RANGE", createCall(withGSI(define("New", "pk:S"), "gsi", []string{"g:S"}, []string{"a:S", "b:S", "c:S", "d:S", "e:S"})), "",
			"Invalid KeySchema: Number of RANGE key elements exceeds the limit of 4"},
		{"stream without view", hash(func(in *dynamodb.CreateTableInput) {
			in.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true)}
		}), "", were + "Table is being created with a stream enabled, UpdateViewType is required"},
		{"ceiling of nothing", hash(func(in *dynamodb.CreateTableInput) {
			in.OnDemandThroughput = &types.OnDemandThroughput{MaxWriteRequestUnits: aws.Int64(0)}
		}), "", were + "Requested MaxWriteRequestUnits for OnDemandThroughput for table is outside of valid range"},
		{"tag without a value", hash(func(in *dynamodb.CreateTableInput) { in.Tags = []types.Tag{{Key: aws.String("k")}} }), "",
			one + "Value null at 'tags.1.member.value' failed to satisfy constraint: Member must not be null"},
		{"too many tags", hash(func(in *dynamodb.CreateTableInput) {
			for i := range 51 {
				in.Tags = append(in.Tags, types.Tag{Key: aws.String(fmt.Sprint(i)), Value: aws.String("")})
			}
		}), "", were + "Number of tags exceeds the limit of 50 per resource"},
		{"what the engine leaves out", hash(func(in *dynamodb.CreateTableInput) { in.ResourcePolicy = aws.String("{}") }), "",
			"ResourcePolicy is not supported by this engine"},
		{"name taken", createCall(define("Hash", "pk:S")), "ResourceInUseException", "Table already exists: Hash"},
	})
}

func TestTableRefusals(t *testing.T) {
	t.Parallel()
	describe := func(name string) func(context.Context, *memory.DB) error {
		return func(ctx context.Context, db *memory.DB) error {
			_, err := db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(name)})
			return err
		}
	}
	refuse(t, seedPlain, []refusal{
		{"describe nothing", func(ctx context.Context, db *memory.DB) error {
			_, err := db.DescribeTable(ctx, nil)
			return err
		}, "", "The parameter 'TableName' is required but was not present in the request"},
		{"describe a short name", describe("ab"), "", "TableName must be at least 3 characters long and at most 255 characters long"},
		{"describe a bad name", describe("abc;"), "",
			one + "Value 'abc;' at 'tableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"},
		{"describe a missing table", describe("Nowhere"), "ResourceNotFoundException", "Requested resource not found: Table: Nowhere not found"},
		{"describe a missing table by ARN", describe("arn:aws:dynamodb:us-east-1:000000000000:table/Nowhere"), "ResourceNotFoundException",
			"Requested resource not found: Table: Nowhere not found"},
		{"delete a missing table", func(ctx context.Context, db *memory.DB) error {
			_, err := db.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: noTable})
			return err
		}, "ResourceNotFoundException", "Requested resource not found: Table: Nowhere not found"},
		{"list too many", func(ctx context.Context, db *memory.DB) error {
			_, err := db.ListTables(ctx, &dynamodb.ListTablesInput{Limit: aws.Int32(101)})
			return err
		}, "", one + "Value '101' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 100"},
		{"backups of a missing table", func(ctx context.Context, db *memory.DB) error {
			_, err := db.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: noTable})
			return err
		}, "TableNotFoundException", "Table not found: Nowhere"},
	})
}

func describeTable(t testing.TB, db *memory.DB, name string) *types.TableDescription {
	t.Helper()
	out, err := db.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(name)})
	if err != nil {
		t.Fatal(err)
	}
	return out.Table
}

// descriptions compares what describes tables by content.
var descriptions = cmpopts.IgnoreUnexported(
	types.TableDescription{}, types.AttributeDefinition{}, types.KeySchemaElement{}, types.Projection{},
	types.ProvisionedThroughputDescription{}, types.BillingModeSummary{}, types.TableWarmThroughputDescription{},
	types.GlobalSecondaryIndexDescription{}, types.LocalSecondaryIndexDescription{},
	types.GlobalSecondaryIndexWarmThroughputDescription{}, types.SSEDescription{}, types.TableClassSummary{},
	types.TimeToLiveDescription{}, types.Tag{}, types.OnDemandThroughput{},
)

func diffDescription(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got, descriptions); d != "" {
		t.Errorf("%s differs (-want +got):\n%s", what, d)
	}
}

// TestMadeAtOneMoment promises that a new table is made at one moment, whatever
// the clock does meanwhile.
func TestMadeAtOneMoment(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	db := newDB(t, memory.Clock(func() time.Time {
		now = now.Add(time.Millisecond)
		return now
	}))
	create(t, db, define("Shop", "pk:S"))
	d := describeTable(t, db, "Shop")
	if got, want := *d.BillingModeSummary.LastUpdateToPayPerRequestDateTime, *d.CreationDateTime; !got.Equal(want) {
		t.Errorf("on demand since %v, want %v, when it was made", got, want)
	}
}

func TestDescribeTable(t *testing.T) {
	t.Parallel()
	db := newDB(t, memory.Region("eu-west-1"), memory.Account("123456789012"))
	in := withLSI(withGSI(define("Shop", "pk:S", "sk:N"), "gsi", []string{"g:S"}, []string{"h:B"}, "x"), "local", "at:S", "-")
	created, err := db.CreateTable(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	put(t, db, "Shop", item{"pk": str("a"), "sk": num(1), "g": str("g"), "h": bin("h"), "x": str("xx"), "y": str("yy")})
	key := func(hash, sort string) []types.KeySchemaElement { return elements([]string{hash}, []string{sort}) }
	free := &types.ProvisionedThroughputDescription{NumberOfDecreasesToday: aws.Int64(0), ReadCapacityUnits: aws.Int64(0), WriteCapacityUnits: aws.Int64(0)}
	const arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/Shop"
	want := &types.TableDescription{
		TableName: aws.String("Shop"), TableArn: aws.String(arn), TableId: created.TableDescription.TableId,
		TableStatus: types.TableStatusActive, CreationDateTime: aws.Time(time.Unix(1_700_000_000, 0)),
		AttributeDefinitions: in.AttributeDefinitions, KeySchema: key("pk", "sk"),
		ItemCount: aws.Int64(1), TableSizeBytes: aws.Int64(3 + 4 + 2 + 2 + 3 + 3), DeletionProtectionEnabled: aws.Bool(false),
		ProvisionedThroughput: free,
		BillingModeSummary: &types.BillingModeSummary{
			BillingMode: types.BillingModePayPerRequest, LastUpdateToPayPerRequestDateTime: aws.Time(time.Unix(1_700_000_000, 0)),
		},
		WarmThroughput: &types.TableWarmThroughputDescription{
			ReadUnitsPerSecond: aws.Int64(12000), WriteUnitsPerSecond: aws.Int64(4000), Status: types.TableStatusActive,
		},
		LocalSecondaryIndexes: []types.LocalSecondaryIndexDescription{{
			IndexName: aws.String("local"), IndexArn: aws.String(arn + "/index/local"), KeySchema: key("pk", "at"),
			Projection: projectionOf([]string{"-"}), ItemCount: aws.Int64(0), IndexSizeBytes: aws.Int64(0),
		}},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndexDescription{{
			IndexName: aws.String("gsi"), IndexArn: aws.String(arn + "/index/gsi"), KeySchema: key("g", "h"),
			IndexStatus: types.IndexStatusActive, Projection: projectionOf([]string{"x"}),
			ItemCount: aws.Int64(1), IndexSizeBytes: aws.Int64(3 + 4 + 2 + 2 + 3), ProvisionedThroughput: free,
			WarmThroughput: &types.GlobalSecondaryIndexWarmThroughputDescription{
				ReadUnitsPerSecond: aws.Int64(12000), WriteUnitsPerSecond: aws.Int64(4000), Status: types.IndexStatusActive,
			},
		}},
	}
	diffDescription(t, "description", describeTable(t, db, "Shop"), want)
	diffDescription(t, "description by ARN", describeTable(t, db, arn), want)

	if got := created.TableDescription; got.TableStatus != types.TableStatusCreating || *got.ItemCount != 0 ||
		got.BillingModeSummary.LastUpdateToPayPerRequestDateTime != nil {
		t.Errorf("the answer to CreateTable says %s, %d items, on demand since %v", got.TableStatus, *got.ItemCount,
			got.BillingModeSummary.LastUpdateToPayPerRequestDateTime)
	}
	if got := created.TableDescription; got.WarmThroughput != nil || got.GlobalSecondaryIndexes[0].WarmThroughput != nil {
		t.Errorf("the answer to CreateTable says of warm throughput that nobody asked for %v, %v", got.WarmThroughput, got.GlobalSecondaryIndexes[0].WarmThroughput)
	}
	gone, err := db.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String(arn)})
	if err != nil {
		t.Fatal(err)
	}
	if d := gone.TableDescription; d.TableStatus != types.TableStatusDeleting || d.KeySchema != nil || d.AttributeDefinitions != nil ||
		d.CreationDateTime != nil || d.GlobalSecondaryIndexes != nil || d.LocalSecondaryIndexes != nil || d.WarmThroughput != nil {
		t.Errorf("the answer to DeleteTable still describes the schema: %+v", d)
	}
	if got := db.Dump("Shop"); got != "" {
		t.Errorf("the deleted table holds\n%s", got)
	}
}

func TestListTables(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	for _, name := range []string{"ccc", "Aaa", "bbb", "ddd"} {
		create(t, db, define(name, "pk:S"))
	}
	list := func(start string, limit int32) (names []string, last string) {
		in := &dynamodb.ListTablesInput{Limit: aws.Int32(limit)}
		if start != "" {
			in.ExclusiveStartTableName = aws.String(start)
		}
		out, err := db.ListTables(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return out.TableNames, aws.ToString(out.LastEvaluatedTableName)
	}
	for _, tt := range []struct {
		start string
		limit int32
		names []string
		last  string
	}{
		{"", 100, []string{"Aaa", "bbb", "ccc", "ddd"}, ""},
		{"", 2, []string{"Aaa", "bbb"}, "bbb"},
		{"bbb", 2, []string{"ccc", "ddd"}, ""},
		{"bb-not-there", 1, []string{"bbb"}, "bbb"},
		{"zzz", 1, []string{}, ""},
	} {
		names, last := list(tt.start, tt.limit)
		diff(t, fmt.Sprintf("names after %q", tt.start), names, tt.names)
		diff(t, fmt.Sprintf("last after %q", tt.start), last, tt.last)
	}
}

func TestIdentifiersFollowTheSeed(t *testing.T) {
	t.Parallel()
	id := func(seed uint64) string {
		db := newDB(t, memory.Seed(seed))
		create(t, db, define("Seeded", "pk:S"))
		return *describeTable(t, db, "Seeded").TableId
	}
	first, again, other := id(7), id(7), id(8)
	if first != again || first == other {
		t.Errorf("identifiers of seeds 7, 7, 8: %s, %s, %s", first, again, other)
	}
	if parts := strings.Split(first, "-"); len(parts) != 5 || len(first) != 36 {
		t.Errorf("identifier %s is no UUID", first)
	}
}
