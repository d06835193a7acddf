package memory

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// Errors and texts of the operations on tables.

// errTableNotFoundNamed is what operations on tables say of a missing table.
func errTableNotFoundNamed(ref string) error {
	return &types.ResourceNotFoundException{Message: aws.String(noSuchTable + ": Table: " + nameInARN(ref) + " not found")}
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
	textDuplicateDefinition = wereInvalid + "Duplicate AttributeName in AttributeDefinitions: "
	textLocalNeedsSort      = wereInvalid + "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex"
	textProjectionUnknown   = wereInvalid + "Unknown ProjectionType: null"
	textProjectionNames     = wereInvalid + "ProjectionType is INCLUDE, but NonKeyAttributes is not specified"
	textStreamView          = wereInvalid + "Table is being created with a stream disabled, UpdateViewType should not be specified"
	textStreamNoView        = wereInvalid + "Table is being created with a stream enabled, UpdateViewType should be specified"
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
