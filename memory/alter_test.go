package memory_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory"
)

func alterCall(in dynamodb.UpdateTableInput) func(context.Context, *memory.DB) error {
	return func(ctx context.Context, db *memory.DB) error {
		_, err := db.UpdateTable(ctx, &in)
		return err
	}
}

func alter(t testing.TB, db *memory.DB, in dynamodb.UpdateTableInput) *types.TableDescription {
	t.Helper()
	out, err := db.UpdateTable(t.Context(), &in)
	if err != nil {
		t.Fatal(err)
	}
	return out.TableDescription
}

// addIndex is the update that makes a global index as withGSI defines one.
func addIndex(table, name string, hash, sort []string, nonKey ...string) dynamodb.UpdateTableInput {
	made := withGSI(&dynamodb.CreateTableInput{}, name, hash, sort, nonKey...)
	g := made.GlobalSecondaryIndexes[0]
	return dynamodb.UpdateTableInput{
		TableName: aws.String(table), AttributeDefinitions: made.AttributeDefinitions,
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{
			Create: &types.CreateGlobalSecondaryIndexAction{IndexName: g.IndexName, KeySchema: g.KeySchema, Projection: g.Projection},
		}},
	}
}

func dropIndex(table, name string) dynamodb.UpdateTableInput {
	return dynamodb.UpdateTableInput{TableName: aws.String(table), GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{
		Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: aws.String(name)},
	}}}
}

func TestUpdateTableRefusals(t *testing.T) {
	t.Parallel()
	seed := func(t testing.TB, db *memory.DB) {
		seedPlain(t, db)
		create(t, db, provision(withGSI(define("Paid", "pk:S"), "gsi", []string{"g:S"}, nil)))
	}
	undefined := addIndex("Hash", "idx", []string{"g:S"}, nil)
	undefined.AttributeDefinitions = nil
	two := addIndex("Hash", "idx", []string{"g:S"}, nil)
	two.GlobalSecondaryIndexUpdates = append(two.GlobalSecondaryIndexUpdates, dropIndex("Hash", "other").GlobalSecondaryIndexUpdates...)
	twice := addIndex("Hash", "idx", []string{"g:S"}, nil)
	twice.GlobalSecondaryIndexUpdates = append(twice.GlobalSecondaryIndexUpdates, dropIndex("Hash", "idx").GlobalSecondaryIndexUpdates...)
	mixed := addIndex("Hash", "idx", []string{"g:S"}, nil)
	mixed.GlobalSecondaryIndexUpdates[0].Delete = &types.DeleteGlobalSecondaryIndexAction{IndexName: aws.String("other")}
	refuse(t, seed, []refusal{
		{"nothing", alterCall(dynamodb.UpdateTableInput{TableName: hashTable}), "",
			"At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required"},
		{"sort of encryption", alterCall(dynamodb.UpdateTableInput{TableName: hashTable, SSESpecification: &types.SSESpecification{SSEType: "ROT13"}}), "",
			one + "Value 'ROT13' at 'sSESpecification.sSEType' failed to satisfy constraint: Member must satisfy enum value set: [AES256, KMS]"},
		{"missing table", alterCall(dynamodb.UpdateTableInput{TableName: noTable, DeletionProtectionEnabled: aws.Bool(true)}),
			"ResourceNotFoundException", "Requested resource not found: Table: Nowhere not found"},
		{"same throughput", alterCall(dynamodb.UpdateTableInput{TableName: aws.String("Paid"), ProvisionedThroughput: throughput(5, 5)}), "",
			"The provisioned throughput for the table will not change. The requested value equals the current value. " +
				"Current ReadCapacityUnits provisioned for the table: 5. Requested ReadCapacityUnits: 5. " +
				"Current WriteCapacityUnits provisioned for the table: 5. Requested WriteCapacityUnits: 5. " +
				"Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."},
		{"provisioned without throughput", alterCall(dynamodb.UpdateTableInput{TableName: hashTable, BillingMode: types.BillingModeProvisioned}), "",
			were + "ProvisionedThroughput must be specified when BillingMode is PROVISIONED"},
		{"on demand with throughput", alterCall(dynamodb.UpdateTableInput{TableName: hashTable, BillingMode: types.BillingModePayPerRequest, ProvisionedThroughput: throughput(1, 1)}), "",
			were + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"},
		{"empty index update", alterCall(dynamodb.UpdateTableInput{TableName: hashTable, GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{}}}), "",
			were + "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null"},
		{"empty list of index updates", alterCall(dynamodb.UpdateTableInput{TableName: hashTable, GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{}}), "",
			"At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required"},
		{"two actions in one element", alterCall(mixed), "",
			were + "Only one of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete may be specified"},
		{"one index twice", alterCall(twice), "", were + "Only one global secondary index update per index is allowed simultaneously. Index: idx"},
		{"two indexes at once", alterCall(two), "LimitExceededException",
			"Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"},
		{"throughput of an on-demand index", alterCall(dynamodb.UpdateTableInput{TableName: bothTable, GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{
			Update: &types.UpdateGlobalSecondaryIndexAction{IndexName: aws.String("gsi"), ProvisionedThroughput: throughput(1, 1)}}}}), "",
			"This operation cannot be performed with given input values. Please contact DynamoDB service team for more info: Action Blocked: IndexUpdate"},
		{"existing index", alterCall(addIndex("Both", "gsi", []string{"z:S"}, nil)), "",
			were + "Attempting to create an index which already exists: gsi"},
		{"missing index", alterCall(dropIndex("Both", "none")), "ResourceNotFoundException", "Requested resource not found"},
		{"local index", alterCall(dropIndex("Both", "local")), "ResourceNotFoundException", "Requested resource not found"},
		{"undefined key", alterCall(undefined), "", were + "Some index key attributes are not defined in AttributeDefinitions. Keys: [g], AttributeDefinitions: []"},
		{"another kind than before", alterCall(addIndex("Both", "idx", []string{"sk:S"}, nil)), "",
			"Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. " +
				"Existing schema: Schema:[SchemaElement: key{pk:S:HASH}, SchemaElement: key{sk:N:RANGE}] New schema: Schema:[SchemaElement: key{sk:S:HASH}]"},
		{"index of a provisioned table without throughput", alterCall(addIndex("Paid", "idx", []string{"z:S"}, nil)), "",
			were + "ProvisionedThroughput must be specified for index: idx"},
		{"less warm throughput", alterCall(dynamodb.UpdateTableInput{TableName: hashTable, WarmThroughput: &types.WarmThroughput{ReadUnitsPerSecond: aws.Int64(1)}}), "",
			were + "Requested ReadUnitsPerSecond for WarmThroughput for table is lower than current WarmThroughput, decreasing WarmThroughput is not supported"},
		{"less warm writes", alterCall(dynamodb.UpdateTableInput{TableName: hashTable, WarmThroughput: &types.WarmThroughput{WriteUnitsPerSecond: aws.Int64(1)}}), "",
			were + "Requested WriteUnitsPerSecond for WarmThroughput for table is lower than current WarmThroughput, decreasing WarmThroughput is not supported"},
		{"throughput out of bounds", alterCall(dynamodb.UpdateTableInput{TableName: aws.String("Paid"), ProvisionedThroughput: throughput(1, 1_000_000_000_001)}), "",
			"Given value 1000000000001 for WriteCapacityUnits is out of bounds"},
		{"throughput of an on-demand table", alterCall(dynamodb.UpdateTableInput{TableName: hashTable, ProvisionedThroughput: throughput(1, 1)}), "",
			were + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"},
		{"ceiling of a provisioned table", alterCall(dynamodb.UpdateTableInput{TableName: aws.String("Paid"), OnDemandThroughput: &types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(5)}}), "",
			were + "MaxReadRequestUnits for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED."},
		{"provisioned without throughput of the index", func(ctx context.Context, db *memory.DB) error {
			_, err := db.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: bothTable, BillingMode: types.BillingModeProvisioned, ProvisionedThroughput: throughput(1, 1)})
			return err
		}, "", were + "ProvisionedThroughput must be specified for index: gsi"},
		{"throughput of a missing index", alterCall(dynamodb.UpdateTableInput{TableName: bothTable, GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{
			Update: &types.UpdateGlobalSecondaryIndexAction{IndexName: aws.String("none"), ProvisionedThroughput: throughput(1, 1)}}}}),
			"ResourceNotFoundException", "Requested resource not found"},
		{"what the engine leaves out", alterCall(dynamodb.UpdateTableInput{TableName: hashTable, ReplicaUpdates: []types.ReplicationGroupUpdate{{}}}), "",
			"ReplicaUpdates is not supported by this engine"},
	})
}

// TestNewIndexTakesItemsOver also checks that items which could not be in the
// index are left out of it, and that attributes come and go with their keys.
func TestNewIndexTakesItemsOver(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Orders", "pk:S"))
	for _, it := range []item{
		{"pk": str("a"), "g": str("x"), "n": num(2)},
		{"pk": str("b"), "g": str("x"), "n": num(1)},
		{"pk": str("c"), "g": str("x"), "n": str("no number")},
		{"pk": str("d"), "g": str(""), "n": num(1)},
		{"pk": str("e"), "g": str("x")},
		{"pk": str("f"), "g": str(strings.Repeat("x", 2049)), "n": num(1)},
	} {
		put(t, db, "Orders", it)
	}
	alter(t, db, addIndex("Orders", "idx", []string{"g:S"}, []string{"n:N"}, "-"))
	query := func() []item {
		out, err := db.Query(t.Context(), &dynamodb.QueryInput{TableName: aws.String("Orders"), IndexName: aws.String("idx"),
			KeyConditionExpression: aws.String("g = :g"), ExpressionAttributeValues: item{":g": str("x")}})
		if err != nil {
			t.Fatal(err)
		}
		return out.Items
	}
	diff(t, "index", query(), []item{{"pk": str("b"), "g": str("x"), "n": num(1)}, {"pk": str("a"), "g": str("x"), "n": num(2)}})
	diff(t, "entries", *describeTable(t, db, "Orders").GlobalSecondaryIndexes[0].ItemCount, int64(2))
	diffDescription(t, "definitions", describeTable(t, db, "Orders").AttributeDefinitions,
		addIndex("", "", []string{"pk:S", "g:S", "n:N"}, nil).AttributeDefinitions)

	// What was wrong before the index may stay, but cannot be written.
	update := func(text string, values item) error {
		_, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{TableName: aws.String("Orders"), Key: item{"pk": str("c")},
			UpdateExpression: aws.String(text), ExpressionAttributeValues: values})
		return err
	}
	if err := update("SET w = :v", item{":v": num(1)}); err != nil {
		t.Errorf("update of another attribute: %v", err)
	}
	if _, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{TableName: aws.String("Orders"), Key: item{"pk": str("f")},
		UpdateExpression: aws.String("SET n = :v"), ExpressionAttributeValues: item{":v": num(2)}}); err != nil {
		t.Errorf("update of the sort key beside a partition key that is too long: %v", err)
	}
	if err := update("SET n = :v", item{":v": str("still none")}); err == nil {
		t.Error("a wrong index key could be written")
	}
	if err := update("SET n = :v", item{":v": num(0)}); err != nil {
		t.Errorf("repair: %v", err)
	}
	if got := query(); len(got) != 3 {
		t.Errorf("after the repair the index holds %d items, want 3", len(got))
	}

	alter(t, db, dropIndex("Orders", "idx"))
	d := describeTable(t, db, "Orders")
	diffDescription(t, "definitions without the index", d.AttributeDefinitions, define("", "pk:S").AttributeDefinitions)
	if d.GlobalSecondaryIndexes != nil {
		t.Errorf("the table still has %v", d.GlobalSecondaryIndexes)
	}
	put(t, db, "Orders", item{"pk": str("g"), "n": str("free again")})
}

func TestSettings(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC)
	db := newDB(t, memory.Clock(func() time.Time { return now }))
	create(t, db, provision(withGSI(define("Paid", "pk:S"), "gsi", []string{"g:S"}, nil)))
	paid := aws.String("Paid")

	d := alter(t, db, dynamodb.UpdateTableInput{TableName: paid, ProvisionedThroughput: throughput(10, 4)})
	if d.TableStatus != types.TableStatusUpdating {
		t.Errorf("the answer says %s, want UPDATING", d.TableStatus)
	}
	want := &types.ProvisionedThroughputDescription{
		ReadCapacityUnits: aws.Int64(10), WriteCapacityUnits: aws.Int64(4),
		LastIncreaseDateTime: aws.Time(now), LastDecreaseDateTime: aws.Time(now), NumberOfDecreasesToday: aws.Int64(1),
	}
	diffDescription(t, "throughput", describeTable(t, db, "Paid").ProvisionedThroughput, want)
	then := now
	now = now.Add(2 * time.Hour) // another day
	want.NumberOfDecreasesToday = aws.Int64(0)
	diffDescription(t, "throughput the next day", describeTable(t, db, "Paid").ProvisionedThroughput, want)
	if got := describeTable(t, db, "Paid"); got.BillingModeSummary != nil || *got.ProvisionedThroughput.LastIncreaseDateTime != then {
		t.Errorf("billing of a table that always was provisioned: %v", got.BillingModeSummary)
	}

	alter(t, db, dynamodb.UpdateTableInput{TableName: paid, BillingMode: types.BillingModePayPerRequest})
	d = describeTable(t, db, "Paid")
	if d.BillingModeSummary.BillingMode != types.BillingModePayPerRequest || *d.ProvisionedThroughput.ReadCapacityUnits != 0 ||
		*d.GlobalSecondaryIndexes[0].ProvisionedThroughput.ReadCapacityUnits != 0 {
		t.Errorf("after the change to on-demand: %+v", d.BillingModeSummary)
	}
	alter(t, db, dynamodb.UpdateTableInput{TableName: paid, BillingMode: types.BillingModeProvisioned, ProvisionedThroughput: throughput(1, 1),
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{
			Update: &types.UpdateGlobalSecondaryIndexAction{IndexName: aws.String("gsi"), ProvisionedThroughput: throughput(2, 2)}}}})
	if got := *describeTable(t, db, "Paid").GlobalSecondaryIndexes[0].ProvisionedThroughput.ReadCapacityUnits; got != 2 {
		t.Errorf("the index has %d read units, want 2", got)
	}

	alter(t, db, dynamodb.UpdateTableInput{TableName: paid, DeletionProtectionEnabled: aws.Bool(true), TableClass: types.TableClassStandardInfrequentAccess,
		SSESpecification: &types.SSESpecification{Enabled: aws.Bool(true), KMSMasterKeyId: aws.String("alias/mine")}})
	d = describeTable(t, db, "Paid")
	if !*d.DeletionProtectionEnabled || d.TableClassSummary.TableClass != types.TableClassStandardInfrequentAccess ||
		*d.SSEDescription.KMSMasterKeyArn != "arn:aws:kms:us-east-1:000000000000:alias/mine" {
		t.Errorf("settings are %v, %v, %v", *d.DeletionProtectionEnabled, d.TableClassSummary, d.SSEDescription)
	}
	_, err := db.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: paid})
	if err == nil || messageOf(err) != "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first." {
		t.Errorf("delete of a protected table: %v", err)
	}
}

// TestOnDemandSettings checks ceilings and warm throughput.
func TestOnDemandSettings(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	in := withGSI(define("Metered", "pk:S"), "gsi", []string{"g:S"}, nil)
	in.OnDemandThroughput = &types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(50)}
	create(t, db, in)
	ceiling := func(read, write int64) *types.OnDemandThroughput {
		return &types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(read), MaxWriteRequestUnits: aws.Int64(write)}
	}
	diffDescription(t, "ceiling", describeTable(t, db, "Metered").OnDemandThroughput, ceiling(50, -1))
	alter(t, db, dynamodb.UpdateTableInput{TableName: aws.String("Metered"), OnDemandThroughput: ceiling(60, 70),
		WarmThroughput: &types.WarmThroughput{ReadUnitsPerSecond: aws.Int64(20_000)},
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Update: &types.UpdateGlobalSecondaryIndexAction{
			IndexName: aws.String("gsi"), OnDemandThroughput: ceiling(5, 6), WarmThroughput: &types.WarmThroughput{WriteUnitsPerSecond: aws.Int64(9000)}}}}})
	d := describeTable(t, db, "Metered")
	diffDescription(t, "raised ceiling", d.OnDemandThroughput, ceiling(60, 70))
	diffDescription(t, "ceiling of the index", d.GlobalSecondaryIndexes[0].OnDemandThroughput, ceiling(5, 6))
	diff(t, "warm throughput", []int64{*d.WarmThroughput.ReadUnitsPerSecond, *d.WarmThroughput.WriteUnitsPerSecond,
		*d.GlobalSecondaryIndexes[0].WarmThroughput.ReadUnitsPerSecond, *d.GlobalSecondaryIndexes[0].WarmThroughput.WriteUnitsPerSecond},
		[]int64{20_000, 4_000, 12_000, 9_000})
	alter(t, db, dynamodb.UpdateTableInput{TableName: aws.String("Metered"), OnDemandThroughput: ceiling(-1, -1)})
	diffDescription(t, "ceiling lifted", describeTable(t, db, "Metered").OnDemandThroughput, (*types.OnDemandThroughput)(nil))
}

func messageOf(err error) string {
	type message interface{ ErrorMessage() string }
	if m, ok := errors.AsType[interface {
		error
		message
	}](err); ok {
		return m.ErrorMessage()
	}
	return ""
}

// TestTransitions follows a table through its states by the clock.
func TestTransitions(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	db := newDB(t, memory.Clock(func() time.Time { return now }), memory.TransitionTime(time.Minute))
	pass := func(d time.Duration) { now = now.Add(d) }
	create(t, db, define("Slow", "pk:S"))
	slow := aws.String("Slow")
	status := func(want types.TableStatus) {
		t.Helper()
		if got := describeTable(t, db, "Slow").TableStatus; got != want {
			t.Errorf("status is %s, want %s", got, want)
		}
	}
	putOne := func() error {
		_, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: slow, Item: item{"pk": str("a"), "g": str("x")}})
		return err
	}
	inUse := func(what string, err error, want string) {
		t.Helper()
		if !is[*types.ResourceInUseException](err) || messageOf(err) != "Attempt to change a resource which is still in use: "+want {
			t.Errorf("%s returned %v", what, err)
		}
	}
	drop := func() (*dynamodb.DeleteTableOutput, error) {
		return db.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: slow})
	}

	status(types.TableStatusCreating)
	if err := putOne(); !is[*types.ResourceNotFoundException](err) {
		t.Errorf("put while creating returned %v", err)
	}
	_, err := drop()
	inUse("delete while creating", err, "Table is being created: Slow")
	pass(time.Minute)
	status(types.TableStatusActive)
	if err := putOne(); err != nil {
		t.Errorf("put: %v", err)
	}

	alter(t, db, addIndex("Slow", "idx", []string{"g:S"}, nil))
	index := func() types.GlobalSecondaryIndexDescription {
		return describeTable(t, db, "Slow").GlobalSecondaryIndexes[0]
	}
	query := func() error {
		_, err := db.Query(t.Context(), &dynamodb.QueryInput{TableName: slow, IndexName: aws.String("idx"),
			KeyConditionExpression: aws.String("g = :g"), ExpressionAttributeValues: item{":g": str("x")}})
		return err
	}
	status(types.TableStatusUpdating)
	if got := index(); got.IndexStatus != types.IndexStatusCreating || got.Backfilling != nil {
		t.Errorf("new index is %s, backfilling %v", got.IndexStatus, got.Backfilling)
	}
	if got := messageOf(query()); got != "Cannot read from backfilling global secondary index: idx" {
		t.Errorf("query of a new index: %q", got)
	}
	if err := putOne(); err != nil {
		t.Errorf("put while updating: %v", err)
	}
	_, err = drop()
	inUse("delete while updating", err, "Table is being updated: Slow")
	pass(30 * time.Second)
	if got := index(); got.IndexStatus != types.IndexStatusCreating || !aws.ToBool(got.Backfilling) {
		t.Errorf("index is %s, backfilling %v", got.IndexStatus, got.Backfilling)
	}
	pass(30 * time.Second)
	status(types.TableStatusActive)
	if got := index(); got.IndexStatus != types.IndexStatusActive || got.Backfilling != nil {
		t.Errorf("index is %s, backfilling %v", got.IndexStatus, got.Backfilling)
	}
	if err := query(); err != nil {
		t.Errorf("query: %v", err)
	}

	alter(t, db, dropIndex("Slow", "idx"))
	if got := index(); got.IndexStatus != types.IndexStatusDeleting {
		t.Errorf("index is %s, want DELETING", got.IndexStatus)
	}
	pass(time.Minute)
	if got := describeTable(t, db, "Slow").GlobalSecondaryIndexes; got != nil {
		t.Errorf("the deleted index is still described: %v", got)
	}

	for range 2 { // the second call changes nothing
		if out, err := drop(); err != nil || out.TableDescription.TableStatus != types.TableStatusDeleting {
			t.Errorf("delete: %v", err)
		}
	}
	status(types.TableStatusDeleting)
	if err := putOne(); !is[*types.ResourceNotFoundException](err) {
		t.Errorf("put while deleting returned %v", err)
	}
	if _, err := db.CreateTable(t.Context(), define("Slow", "pk:S")); !is[*types.ResourceInUseException](err) {
		t.Errorf("create while deleting returned %v", err)
	}
	pass(time.Minute)
	if out, err := db.ListTables(t.Context(), nil); err != nil || len(out.TableNames) != 0 {
		t.Errorf("tables are %v, %v", out, err)
	}
	create(t, db, define("Slow", "pk:S"))
	status(types.TableStatusCreating)
}

// TestBackfillCanBeStopped deletes an index that is taking over items, which is
// the one change that an UPDATING table allows.
func TestBackfillCanBeStopped(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	db := newDB(t, memory.Clock(func() time.Time { return now }), memory.TransitionTime(time.Minute))
	create(t, db, define("Slow", "pk:S"))
	now = now.Add(time.Minute)
	alter(t, db, addIndex("Slow", "idx", []string{"g:S"}, nil))
	in := dropIndex("Slow", "idx")
	if _, err := db.UpdateTable(t.Context(), &in); !is[*types.ResourceInUseException](err) {
		t.Errorf("before the backfill: %v", err)
	}
	now = now.Add(40 * time.Second)
	alter(t, db, in)
}

func TestTimeToLive(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	create(t, db, define("Expiring", "pk:S"))
	set := func(enabled bool, attribute string) error {
		_, err := db.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{TableName: aws.String("Expiring"),
			TimeToLiveSpecification: &types.TimeToLiveSpecification{Enabled: aws.Bool(enabled), AttributeName: aws.String(attribute)}})
		return err
	}
	describe := func() *types.TimeToLiveDescription {
		out, err := db.DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: aws.String("Expiring")})
		if err != nil {
			t.Fatal(err)
		}
		return out.TimeToLiveDescription
	}
	off := &types.TimeToLiveDescription{TimeToLiveStatus: types.TimeToLiveStatusDisabled}
	on := &types.TimeToLiveDescription{TimeToLiveStatus: types.TimeToLiveStatusEnabled, AttributeName: aws.String("ttl")}
	for i, step := range []struct {
		enabled   bool
		attribute string
		refusal   string
		after     *types.TimeToLiveDescription
	}{
		{false, "ttl", "TimeToLive is already disabled", off},
		{true, "", one + "Value '' at 'timeToLiveSpecification.attributeName' failed to satisfy constraint: Member must have length greater than or equal to 1", off},
		{true, "ttl", "", on},
		{true, "ttl", "TimeToLive is already enabled", on},
		{true, "other", "TimeToLive is active on a different AttributeName: current AttributeName is ttl", on},
		{false, "other", "TimeToLive is active on a different AttributeName: current AttributeName is ttl", on},
		{false, "ttl", "", off},
	} {
		if got := messageOf(set(step.enabled, step.attribute)); got != step.refusal {
			t.Errorf("step %d says %q, want %q", i, got, step.refusal)
		}
		diffDescription(t, "description", describe(), step.after)
	}
}

func TestTimeToLiveTakesTime(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	db := newDB(t, memory.Clock(func() time.Time { return now }), memory.TransitionTime(time.Minute))
	create(t, db, define("Expiring", "pk:S"))
	now = now.Add(time.Minute)
	set := func(enabled bool) error {
		_, err := db.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{TableName: aws.String("Expiring"),
			TimeToLiveSpecification: &types.TimeToLiveSpecification{Enabled: aws.Bool(enabled), AttributeName: aws.String("ttl")}})
		return err
	}
	status := func() types.TimeToLiveStatus {
		out, err := db.DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: aws.String("Expiring")})
		if err != nil {
			t.Fatal(err)
		}
		return out.TimeToLiveDescription.TimeToLiveStatus
	}
	var got []types.TimeToLiveStatus
	if err := set(true); err != nil {
		t.Fatal(err)
	}
	got = append(got, status())
	now = now.Add(time.Minute)
	got = append(got, status())
	if m := messageOf(set(false)); m != "Time to live has been modified multiple times within a fixed interval" {
		t.Errorf("a second change says %q", m)
	}
	now = now.Add(time.Hour)
	if err := set(false); err != nil {
		t.Fatal(err)
	}
	got = append(got, status())
	now = now.Add(time.Minute)
	got = append(got, status())
	diff(t, "states", got, []types.TimeToLiveStatus{
		types.TimeToLiveStatusEnabling, types.TimeToLiveStatusEnabled, types.TimeToLiveStatusDisabling, types.TimeToLiveStatusDisabled,
	})
}

func TestTags(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	in := define("Tagged", "pk:S")
	in.Tags = []types.Tag{{Key: aws.String("env"), Value: aws.String("test")}}
	create(t, db, in)
	const arn = "arn:aws:dynamodb:us-east-1:000000000000:table/Tagged"
	tag := func(arn string, pairs ...string) error {
		in := &dynamodb.TagResourceInput{ResourceArn: aws.String(arn), Tags: []types.Tag{}}
		for i := 0; i < len(pairs); i += 2 {
			in.Tags = append(in.Tags, types.Tag{Key: aws.String(pairs[i]), Value: aws.String(pairs[i+1])})
		}
		_, err := db.TagResource(t.Context(), in)
		return err
	}
	untag := func(keys ...string) error {
		_, err := db.UntagResource(t.Context(), &dynamodb.UntagResourceInput{ResourceArn: aws.String(arn), TagKeys: keys})
		return err
	}
	expect := func(pairs ...string) {
		t.Helper()
		out, err := db.ListTagsOfResource(t.Context(), &dynamodb.ListTagsOfResourceInput{ResourceArn: aws.String(arn)})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, tag := range out.Tags {
			got = append(got, *tag.Key, *tag.Value)
		}
		diff(t, "tags", got, pairs)
	}
	expect("env", "test")
	if err := tag(arn, "team", "", "env", "prod", "ключ", "значение"); err != nil {
		t.Fatal(err)
	}
	expect("env", "prod", "team", "", "ключ", "значение")
	if err := untag("team", "never there"); err != nil {
		t.Fatal(err)
	}
	expect("env", "prod", "ключ", "значение")
	var many []string
	for i := range 50 {
		many = append(many, "key "+strconv.Itoa(i), "x")
	}
	for _, tt := range []struct{ name, got, want string }{
		{"no tags", messageOf(tag(arn)), "Atleast one Tag needs to be provided as Input."},
		{"no keys", messageOf(untag([]string{}...)), "Atleast one Tag Key needs to be provided as Input."},
		{"keys missing", messageOf(untag()), one + "Value null at 'tagKeys' failed to satisfy constraint: Member must not be null"},
		{"no ARN before no tags", messageOf(tag("Tagged")), were + "Invalid ResourceArn: ARNs must start with 'arn:': Tagged"},
		{"key that is too long", messageOf(untag(strings.Repeat("k", 129))), one + "Value '" + strings.Repeat("k", 129) +
			"' at 'tagKeys.1.member' failed to satisfy constraint: Member must have length less than or equal to 128"},
		{"no ARN", messageOf(tag("Tagged", "a", "b")), were + "Invalid ResourceArn: ARNs must start with 'arn:': Tagged"},
		{"index", messageOf(tag(arn+"/index/idx", "a", "b")), were + "Invalid resource arn provided, only table or stream is accepted. Provided resource arn: " + arn + "/index/idx"},
		{"missing table", messageOf(tag(arn+"2", "a", "b")), "Requested resource not found: ResourcArn: " + arn + "2 not found"},
		{"character in a key", messageOf(tag(arn, "hi!", "dog")), were + "Tags may hold letters, white space, digits and + - = . _ : / @ only"},
		{"character in a value", messageOf(tag(arn, "dog", "d%g")), were + "Tags may hold letters, white space, digits and + - = . _ : / @ only"},
		{"too many", messageOf(tag(arn, many...)), were + "Number of tags exceeds the limit of 50 per resource"},
	} {
		diff(t, tt.name, tt.got, tt.want)
	}
	expect("env", "prod", "ключ", "значение")
}

func TestAccount(t *testing.T) {
	t.Parallel()
	db := newDB(t, memory.Region("eu-north-1"))
	limits, err := db.DescribeLimits(t.Context(), nil)
	if err != nil || *limits.AccountMaxReadCapacityUnits != 80_000 || *limits.TableMaxWriteCapacityUnits != 40_000 {
		t.Errorf("limits are %+v, %v", limits, err)
	}
	endpoints, err := db.DescribeEndpoints(t.Context(), nil)
	if err != nil || *endpoints.Endpoints[0].Address != "dynamodb.eu-north-1.amazonaws.com" || endpoints.Endpoints[0].CachePeriodInMinutes != 1440 {
		t.Errorf("endpoints are %+v, %v", endpoints, err)
	}
	create(t, db, define("Saved", "pk:S"))
	backups, err := db.DescribeContinuousBackups(t.Context(), &dynamodb.DescribeContinuousBackupsInput{TableName: aws.String("Saved")})
	if err != nil || backups.ContinuousBackupsDescription.ContinuousBackupsStatus != types.ContinuousBackupsStatusEnabled ||
		backups.ContinuousBackupsDescription.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus != types.PointInTimeRecoveryStatusDisabled {
		t.Errorf("backups are %+v, %v", backups, err)
	}
}
