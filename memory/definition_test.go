package memory_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

// TestDefinitionsAreDescribed makes tables with all that a definition can hold and
// finds it in their descriptions.
func TestDefinitionsAreDescribed(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	onDemand := withLSI(withGSI(define("Metered", "pk:B", "sk:N"), "gsi", []string{"g:S", "h:N"}, []string{"i:B", "j:S"}, "x", "y"), "local", "at:S", "-")
	onDemand.DeletionProtectionEnabled = aws.Bool(true)
	onDemand.TableClass = types.TableClassStandardInfrequentAccess
	onDemand.SSESpecification = &types.SSESpecification{Enabled: aws.Bool(true), SSEType: types.SSETypeKms, KMSMasterKeyId: aws.String("1234abcd")}
	onDemand.OnDemandThroughput = &types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(40), MaxWriteRequestUnits: aws.Int64(-1)}
	onDemand.WarmThroughput = &types.WarmThroughput{ReadUnitsPerSecond: aws.Int64(13_000), WriteUnitsPerSecond: aws.Int64(5_000)}
	onDemand.GlobalSecondaryIndexes[0].OnDemandThroughput = &types.OnDemandThroughput{MaxWriteRequestUnits: aws.Int64(7)}
	onDemand.GlobalSecondaryIndexes[0].WarmThroughput = &types.WarmThroughput{ReadUnitsPerSecond: aws.Int64(14_000)}
	onDemand.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(false)}
	made, err := db.CreateTable(t.Context(), onDemand)
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "warm reads of the new table", *made.TableDescription.WarmThroughput.ReadUnitsPerSecond, int64(13_000))
	diff(t, "their status", made.TableDescription.WarmThroughput.Status, types.TableStatusUpdating)

	d := describeTable(t, db, "Metered")
	diffDescription(t, "definitions", d.AttributeDefinitions, onDemand.AttributeDefinitions)
	diffDescription(t, "key", d.KeySchema, onDemand.KeySchema)
	diff(t, "protection", *d.DeletionProtectionEnabled, true)
	diff(t, "billing", d.BillingModeSummary.BillingMode, types.BillingModePayPerRequest)
	diff(t, "class", d.TableClassSummary.TableClass, types.TableClassStandardInfrequentAccess)
	diffDescription(t, "encryption", d.SSEDescription, &types.SSEDescription{Status: types.SSEStatusEnabled, SSEType: types.SSETypeKms,
		KMSMasterKeyArn: aws.String("arn:aws:kms:us-east-1:000000000000:key/1234abcd")})
	diffDescription(t, "ceiling", d.OnDemandThroughput, onDemand.OnDemandThroughput)
	diff(t, "warm reads", *d.WarmThroughput.ReadUnitsPerSecond, int64(13_000))
	diff(t, "warm writes", *d.WarmThroughput.WriteUnitsPerSecond, int64(5_000))
	g := d.GlobalSecondaryIndexes[0]
	diffDescription(t, "key of the global index", g.KeySchema, onDemand.GlobalSecondaryIndexes[0].KeySchema)
	diffDescription(t, "projection of the global index", g.Projection, onDemand.GlobalSecondaryIndexes[0].Projection)
	diffDescription(t, "ceiling of the global index", g.OnDemandThroughput, &types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(-1), MaxWriteRequestUnits: aws.Int64(7)})
	diff(t, "warm reads of the global index", *g.WarmThroughput.ReadUnitsPerSecond, int64(14_000))
	diffDescription(t, "key of the local index", d.LocalSecondaryIndexes[0].KeySchema, onDemand.LocalSecondaryIndexes[0].KeySchema)
	diffDescription(t, "projection of the local index", d.LocalSecondaryIndexes[0].Projection, onDemand.LocalSecondaryIndexes[0].Projection)

	create(t, db, provision(withGSI(define("Paid", "pk:S"), "gsi", []string{"g:S"}, nil)))
	index := addIndex("Paid", "more", []string{"g:S"}, []string{"n:N"}, "-")
	index.GlobalSecondaryIndexUpdates[0].Create.ProvisionedThroughput = throughput(3, 4)
	index.GlobalSecondaryIndexUpdates[0].Create.WarmThroughput = &types.WarmThroughput{WriteUnitsPerSecond: aws.Int64(9)}
	alter(t, db, index)
	d = describeTable(t, db, "Paid")
	if d.BillingModeSummary != nil || d.SSEDescription != nil || d.TableClassSummary != nil || d.OnDemandThroughput != nil || d.StreamSpecification != nil {
		t.Errorf("a plain table is described with what it does not have: %s", printed(reflect.ValueOf(d)))
	}
	units := func(p *types.ProvisionedThroughputDescription) []int64 {
		return []int64{*p.ReadCapacityUnits, *p.WriteCapacityUnits}
	}
	diff(t, "throughput", units(d.ProvisionedThroughput), []int64{5, 5})
	diff(t, "warm throughput", []int64{*d.WarmThroughput.ReadUnitsPerSecond, *d.WarmThroughput.WriteUnitsPerSecond}, []int64{5, 5})
	g = d.GlobalSecondaryIndexes[1]
	diff(t, "name of the new index", *g.IndexName, "more")
	diff(t, "its throughput", units(g.ProvisionedThroughput), []int64{3, 4})
	diff(t, "its warm throughput", []int64{*g.WarmThroughput.ReadUnitsPerSecond, *g.WarmThroughput.WriteUnitsPerSecond}, []int64{3, 9})
	diffDescription(t, "its key", g.KeySchema, index.GlobalSecondaryIndexUpdates[0].Create.KeySchema)
	diffDescription(t, "its projection", g.Projection, projectionOf([]string{"-"}))

	create(t, db, define("Free", "pk:S"))
	index = addIndex("Free", "capped", []string{"g:S"}, nil)
	index.GlobalSecondaryIndexUpdates[0].Create.OnDemandThroughput = &types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(8)}
	alter(t, db, index)
	diffDescription(t, "ceiling of a new index", describeTable(t, db, "Free").GlobalSecondaryIndexes[0].OnDemandThroughput,
		&types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(8), MaxWriteRequestUnits: aws.Int64(-1)})
}

// TestWhatIsLeftOutIsRefused gives each member that the engine does not simulate.
func TestWhatIsLeftOutIsRefused(t *testing.T) {
	t.Parallel()
	var tests []refusal
	for member, in := range map[string]*dynamodb.CreateTableInput{
		"VectorIndexes":                      {VectorIndexes: []types.VectorIndex{{}}},
		"ResourcePolicy":                     {ResourcePolicy: aws.String("{}")},
		"GlobalTableSourceArn":               {GlobalTableSourceArn: aws.String("arn:x")},
		"GlobalTableSettingsReplicationMode": {GlobalTableSettingsReplicationMode: types.GlobalTableSettingsReplicationModeEnabled},
	} {
		plain := define("New", "pk:S")
		in.TableName, in.KeySchema, in.AttributeDefinitions, in.BillingMode = plain.TableName, plain.KeySchema, plain.AttributeDefinitions, plain.BillingMode
		tests = append(tests, refusal{"CreateTable " + member, createCall(in), "", member + " is not supported by this engine"})
	}
	for member, in := range map[string]dynamodb.UpdateTableInput{
		"ReplicaUpdates":                     {ReplicaUpdates: []types.ReplicationGroupUpdate{{}}},
		"VectorIndexUpdates":                 {VectorIndexUpdates: []types.VectorIndexUpdate{{}}},
		"MultiRegionConsistency":             {MultiRegionConsistency: types.MultiRegionConsistencyStrong},
		"GlobalTableWitnessUpdates":          {GlobalTableWitnessUpdates: []types.GlobalTableWitnessGroupUpdate{{}}},
		"GlobalTableSettingsReplicationMode": {GlobalTableSettingsReplicationMode: types.GlobalTableSettingsReplicationModeEnabled},
		"DisassociationProtectionEnabled":    {DisassociationProtectionEnabled: aws.Bool(true)},
	} {
		in.TableName = hashTable
		tests = append(tests, refusal{"UpdateTable " + member, alterCall(in), "", member + " is not supported by this engine"})
	}
	tests = append(tests, refusal{"ListTagsOfResource NextToken", calling("ListTagsOfResource", &dynamodb.ListTagsOfResourceInput{
		ResourceArn: aws.String("arn:aws:dynamodb:us-east-1:000000000000:table/Hash"), NextToken: aws.String("more")}), "", were + "Invalid NextToken"})
	refuse(t, seedPlain, tests)
}

// TestTablesByARN names tables by their ARNs wherever they can be named.
func TestTablesByARN(t *testing.T) {
	t.Parallel()
	const prefix = "arn:aws:dynamodb:us-east-1:000000000000:table/"
	for operation, v := range soundByOperation() {
		db := newDB(t)
		seedPlain(t, db)
		request := byARN(v, prefix)
		var named string // in messages
		if f := v.FieldByName("TableName"); f.IsValid() {
			named = *f.Interface().(*string)
		}
		if err := calling(operation, request.Interface())(t.Context(), db); err != nil {
			t.Errorf("%s of %s by ARN: %v", operation, named, err)
		}
	}
	elsewhere := "arn:aws:dynamodb:eu-west-1:000000000000:table/"
	var tests []refusal
	for operation, v := range soundByOperation() {
		if operation == "CreateTable" || operation == "TagResource" || operation == "UntagResource" {
			continue // which name no table that should be there, or say so in other words
		}
		want := notFound
		if operation == "UpdateTable" || operation == "UpdateTimeToLive" {
			want += ": Table: " + *v.FieldByName("TableName").Interface().(*string) + " not found"
		}
		tests = append(tests, refusal{operation + " in another region", calling(operation, byARN(v, elsewhere).Interface()), "ResourceNotFoundException", want})
	}
	refuse(t, seedPlain, tests)
}

// byARN returns a copy of a request that names its tables by ARN.
func byARN(v reflect.Value, prefix string) reflect.Value {
	request := reflect.New(v.Type())
	request.Elem().Set(v)
	arn := func(name *string) *string { return aws.String(prefix + *name) }
	switch in := request.Interface().(type) {
	case *dynamodb.BatchGetItemInput:
		items := make(map[string]types.KeysAndAttributes)
		for name, keys := range in.RequestItems {
			items[prefix+name] = keys
		}
		in.RequestItems = items
	case *dynamodb.BatchWriteItemInput:
		items := make(map[string][]types.WriteRequest)
		for name, requests := range in.RequestItems {
			items[prefix+name] = requests
		}
		in.RequestItems = items
	case *dynamodb.TransactGetItemsInput:
		for _, action := range in.TransactItems {
			action.Get.TableName = arn(action.Get.TableName)
		}
	case *dynamodb.TransactWriteItemsInput:
		for _, action := range in.TransactItems {
			for _, name := range namesOf(action) {
				*name = arn(*name)
			}
		}
	default:
		if f := request.Elem().FieldByName("TableName"); f.IsValid() {
			f.Set(reflect.ValueOf(arn(f.Interface().(*string))))
		}
	}
	return request
}

// namesOf returns where an action of a transaction names its table.
func namesOf(action types.TransactWriteItem) []**string {
	switch {
	case action.Put != nil:
		return []**string{&action.Put.TableName}
	case action.Update != nil:
		return []**string{&action.Update.TableName}
	case action.Delete != nil:
		return []**string{&action.Delete.TableName}
	}
	return []**string{&action.ConditionCheck.TableName}
}

// TestScanSelect checks what a scan of an index shows.
func TestScanSelect(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	seedPlain(t, db)
	keys := item{"pk": str("a"), "sk": num(1)}
	with := func(more item) item {
		whole := item{"pk": keys["pk"], "sk": keys["sk"]}
		for name, v := range more {
			whole[name] = v
		}
		return whole
	}
	for _, tt := range []struct {
		index      string
		sel        types.Select
		projection string
		want       item // nil for no items
	}{
		{"gsi", "", "", with(item{"c": str("c"), "n": num(1), "x": str("x")})},
		{"gsi", types.SelectAllProjectedAttributes, "", with(item{"c": str("c"), "n": num(1), "x": str("x")})},
		{"gsi", types.SelectSpecificAttributes, "x", item{"x": str("x")}},
		{"gsi", types.SelectCount, "", nil},
		{"local", types.SelectAllAttributes, "", with(item{"at": str("t"), "c": str("c"), "n": num(1), "x": str("x"), "y": str("y")})},
		{"local", "", "y", item{"y": str("y")}},
		{"agsi", types.SelectAllAttributes, "", with(item{"at": str("t"), "c": str("c"), "n": num(1), "x": str("x"), "y": str("y")})},
	} {
		in := &dynamodb.ScanInput{TableName: bothTable, IndexName: aws.String(tt.index), Select: tt.sel}
		if tt.projection != "" {
			in.ProjectionExpression = aws.String(tt.projection)
		}
		out, err := db.Scan(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.Join([]string{tt.index, string(tt.sel), tt.projection}, " ")
		if out.Count != 1 || out.ScannedCount != 1 {
			t.Errorf("%s: counts are %d and %d", name, out.Count, out.ScannedCount)
		}
		var want []item
		if tt.want != nil {
			want = []item{tt.want}
		}
		diff(t, name, out.Items, want)
	}
}

// TestExpectationsOfEveryWrite checks Expected and ConditionalOperator of all writes
// that have them.
func TestExpectationsOfEveryWrite(t *testing.T) {
	t.Parallel()
	expected := map[string]types.ExpectedAttributeValue{"n": {Value: num(2)}, "s": {Exists: aws.Bool(true), Value: str("text")}}
	for name, call := range map[string]func(operator types.ConditionalOperator) func(context.Context, *memory.DB) error{
		"put": func(o types.ConditionalOperator) func(context.Context, *memory.DB) error {
			return putCall(dynamodb.PutItemInput{TableName: hashTable, Item: keyA, Expected: expected, ConditionalOperator: o})
		},
		"update": func(o types.ConditionalOperator) func(context.Context, *memory.DB) error {
			return updateCall(dynamodb.UpdateItemInput{TableName: hashTable, Key: keyA, Expected: expected, ConditionalOperator: o})
		},
		"delete": func(o types.ConditionalOperator) func(context.Context, *memory.DB) error {
			return deleteCall(dynamodb.DeleteItemInput{TableName: hashTable, Key: keyA, Expected: expected, ConditionalOperator: o})
		},
	} {
		refuse(t, seedPlain, []refusal{
			{name + ", all by default", call(""), "ConditionalCheckFailedException", falseNow},
			{name + ", all", call(types.ConditionalOperatorAnd), "ConditionalCheckFailedException", falseNow},
		})
		db := newDB(t)
		seedPlain(t, db)
		if err := call(types.ConditionalOperatorOr)(t.Context(), db); err != nil {
			t.Errorf("%s, any: %v", name, err)
		}
	}
}
