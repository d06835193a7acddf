package memory

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// Errors and texts of the operations on tables.

// errTableNotFoundNamed is what operations on tables say of a missing table.
func errTableNotFoundNamed(ref string) error {
	return &types.ResourceNotFoundException{Message: aws.String(noSuchTable + ": Table: " + nameInARN(ref) + " not found")}
}

// errInUse refuses a change to what is changing.
func errInUse(why string) error {
	return &types.ResourceInUseException{Message: aws.String("Attempt to change a resource which is still in use: " + why)}
}

func errTableExists(name string) error {
	return &types.ResourceInUseException{Message: aws.String("Table already exists: " + name)}
}

const textProtected = "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first."

// Definitions of tables and indexes.

const (
	textThroughputOnDemand  = wereInvalid + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"
	textThroughputMissing   = wereInvalid + "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"
	textKeyUndefined        = "Invalid KeySchema: Some index key attribute have no definition"
	textKeySameName         = "Both the Hash Key and the Range Key element in the KeySchema have the same name"
	textFirstNotHash        = "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"
	textSecondNotRange      = "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"
	textDefinitionCount     = wereInvalid + "Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions"
	textDuplicateDefinition = "Attribute Name is duplicated: "
	textLocalNeedsSort      = wereInvalid + "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex"
	textProjectionUnknown   = wereInvalid + "Unknown ProjectionType: null"
	textProjectionNames     = wereInvalid + "ProjectionType is INCLUDE, but NonKeyAttributes is not specified"
	textHashAfterRange      = "Invalid KeySchema: All HASH key elements must precede all RANGE key elements"
)

func errTooManyKeyAttributes(role types.KeyType) error {
	return invalid(fmt.Sprintf("Invalid KeySchema: Number of %s key elements exceeds the limit of %d", role, limits.IndexKeyAttributes))
}

func errOutOfBounds(given int64, name, index string) error {
	text := fmt.Sprintf("Given value %d for %s is out of bounds", given, name)
	if index != "" {
		text += " for index " + index
	}
	return invalid(text)
}

func errKeysUndefined(keys, defined []string) error {
	return invalid(wereInvalid + "Some index key attributes are not defined in AttributeDefinitions. Keys: " +
		list(keys) + ", AttributeDefinitions: " + list(defined))
}

func errDefinitionsUnused(defined, used []string) error {
	return invalid(wereInvalid + "Some AttributeDefinitions are not used. AttributeDefinitions: " +
		list(defined) + ", keys used: " + list(used))
}

func errIndexListEmpty(member string) error {
	return invalid(wereInvalid + "List of " + member + " is empty")
}

func errTooManyGlobal() error {
	return invalid(fmt.Sprintf("%sGlobalSecondaryIndex count exceeds the per-table limit of %d", wereInvalid, limits.GlobalSecondaryIndexes))
}

func errTooManyLocal() error {
	return invalid(fmt.Sprintf("%sNumber of LocalSecondaryIndexes exceeds per-table limit of %d", wereInvalid, limits.LocalSecondaryIndexes))
}

func errTooManyProjected(n int) error {
	return invalid(fmt.Sprintf("%sNumber of attributes projected by name exceeds the per-table limit of %d. Number of attributes: %d",
		wereInvalid, limits.ProjectedAttributes, n))
}

func errIndexThroughputOnDemand(index string) error {
	return invalid(wereInvalid + "ProvisionedThroughput should not be specified for index: " + index + " when BillingMode is PAY_PER_REQUEST")
}

func errIndexThroughputMissing(index string) error {
	return invalid(wereInvalid + "ProvisionedThroughput must be specified for index: " + index)
}

func errLocalNoSort(index string) error {
	return invalid(wereInvalid + "Index KeySchema does not have a range key for index: " + index)
}

func errLocalHash(index, own, table string) error {
	return invalid(wereInvalid + "Index KeySchema does not have the same leading hash key as table KeySchema for index: " +
		index + ". index hash key: " + own + ", table hash key: " + table)
}

func errDuplicateIndex(name string) error {
	return invalid(wereInvalid + "Duplicate index name: " + name)
}

func errProjectedTwice(name string) error {
	return invalid(wereInvalid + "Duplicate attribute in NonKeyAttributes: " + name)
}

func errNonKeyAttributes(t types.ProjectionType) error {
	return invalid(fmt.Sprintf("%sProjectionType is %s, but NonKeyAttributes is specified", wereInvalid, t))
}

func errOnDemandProvisioned(member string) error {
	return invalid(wereInvalid + member + " for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED.")
}

func errOnDemandRange(member string) error {
	return invalid(wereInvalid + "Requested " + member + " for OnDemandThroughput for table is outside of valid range")
}

func errTooManyTags() error {
	return invalid(wereInvalid + "Number of tags exceeds the limit of 50 per resource")
}

// Changes of tables.

const (
	textNothingToUpdate    = "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required"
	textProvisionedMissing = wereInvalid + "ProvisionedThroughput must be specified when BillingMode is PROVISIONED"
	textIndexUpdateEmpty   = wereInvalid + "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null"
	textIndexUpdateSeveral = wereInvalid + "Only one of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete may be specified" // not recorded
	textIndexUpdateBlocked = "This operation cannot be performed with given input values. Please contact DynamoDB service team for more info: Action Blocked: IndexUpdate"
)

func errIndexUpdatedTwice(index string) error {
	return invalid(wereInvalid + "Only one global secondary index update per index is allowed simultaneously. Index: " + index)
}

func errOneOnlineIndex() error {
	return &types.LimitExceededException{
		Message: aws.String("Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"),
	}
}

func errIndexExists(index string) error {
	return invalid(wereInvalid + "Attempting to create an index which already exists: " + index)
}

func errSameThroughput(t throughput) error {
	return invalid(fmt.Sprintf("The provisioned throughput for the table will not change. The requested value equals the current value. "+
		"Current ReadCapacityUnits provisioned for the table: %[1]d. Requested ReadCapacityUnits: %[1]d. "+
		"Current WriteCapacityUnits provisioned for the table: %[2]d. Requested WriteCapacityUnits: %[2]d. "+
		"Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.", t.read, t.write))
}

// errRedefined reports an attribute that is to have another type than it has.
func errRedefined(have, want *keySchema) error {
	return invalid("Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. " +
		"Existing schema: " + showSchema(have) + " New schema: " + showSchema(want))
}

func showSchema(s *keySchema) string {
	var shown []string
	for i, a := range s.all {
		role := types.KeyTypeHash
		if i >= len(s.hash) {
			role = types.KeyTypeRange
		}
		shown = append(shown, fmt.Sprintf("SchemaElement: key{%s:%s:%s}", a.Name, a.Kind, role))
	}
	return "Schema:" + list(shown)
}

func errWarmBelowInitial(member, of string) error {
	return invalid(wereInvalid + "Requested " + member + " for WarmThroughput for " + of + " is lower than initial throughput for OnDemand")
}

func errWarmLowered(member string) error {
	return invalid(wereInvalid + "Requested " + member + " for WarmThroughput for table is lower than current WarmThroughput, " +
		"decreasing WarmThroughput is not supported")
}

func errBackfilling(index string) error {
	return invalid("Cannot read from backfilling global secondary index: " + index)
}

// Expiry, tags and what else belongs to a table.

const (
	textTTLEnabled  = "TimeToLive is already enabled"
	textTTLDisabled = "TimeToLive is already disabled"
	textTTLTooOften = "Time to live has been modified multiple times within a fixed interval"
	textNoTags      = "Atleast one Tag needs to be provided as Input."
	textTagAlphabet = wereInvalid + "Tags may hold letters, white space, digits and + - = . _ : / @ only" // not recorded
	textNoTagKeys   = "Atleast one Tag Key needs to be provided as Input."
	textNextToken   = wereInvalid + "Invalid NextToken"
)

func errTTLElsewhere(attribute string) error {
	return invalid("TimeToLive is active on a different AttributeName: current AttributeName is " + attribute)
}

func errNoARN(given string) error {
	return invalid(wereInvalid + "Invalid ResourceArn: ARNs must start with 'arn:': " + given)
}

func errNotTaggable(arn string) error {
	return invalid(wereInvalid + "Invalid resource arn provided, only table or stream is accepted. Provided resource arn: " + arn)
}

func errNoSuchARN(arn string) error {
	return &types.ResourceNotFoundException{Message: aws.String(noSuchTable + ": ResourcArn: " + arn + " not found")}
}

// errAccessDenied reports a resource that does not belong to the caller, who is
// the root of the account.
func (db *DB) errAccessDenied(operation, resource string) error {
	return &smithy.GenericAPIError{
		Code:    "AccessDeniedException",
		Message: "User: arn:aws:iam::" + db.settings.account + ":root is not authorized to perform: dynamodb:" + operation + " on resource: " + resource,
		Fault:   smithy.FaultClient,
	}
}

func errTableNotFoundForBackup(ref string) error {
	return &types.TableNotFoundException{Message: aws.String("Table not found: " + nameInARN(ref))}
}

// errUnsupported refuses what the service can do and the engine cannot.
func errUnsupported(member string) error {
	return invalid(member + " is not supported by this engine")
}
