package memory

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// The constraints of the operations on tables, each list in the order in which
// the service reports violations (observed).

type (
	createIn   = dynamodb.CreateTableInput
	describeIn = dynamodb.DescribeTableInput
	dropIn     = dynamodb.DeleteTableInput
	listIn     = dynamodb.ListTablesInput
	alterIn    = dynamodb.UpdateTableInput
)

// newTable binds the name of a table to be made.
func newTable() []constraint {
	return []constraint{
		required("TableName"), nameAlphabet(), minLength(limits.TableNameMin), maxLength(limits.TableNameMax),
	}
}

// oldTable binds the name of a table that should be there.
func oldTable() []constraint {
	length := constraint{
		text: fmt.Sprintf("TableName must be at least %d characters long and at most %d characters long",
			limits.TableNameMin, limits.TableNameMax),
		met: func(f field) bool {
			return f.null || f.size >= limits.TableNameMin && f.size <= limits.TableNameMax
		},
		form: formOwn, alone: true,
	}
	return []constraint{required("TableName"), length, nameAlphabet()}
}

var createRules = rules[createIn]{
	elements("attributeDefinitions", func(in *createIn) []types.AttributeDefinition { return in.AttributeDefinitions }, attributeDefinitionRules),
	member("tableName", func(in *createIn) field { return tableName(in.TableName) }, newTable()...),
	member("attributeDefinitions", func(in *createIn) field { return sequence(in.AttributeDefinitions, showDefinition) }, notNull()),
	member("billingMode", func(in *createIn) field { return word(in.BillingMode) }, billingWords),
	inner("provisionedThroughput", func(in *createIn) *types.ProvisionedThroughput { return in.ProvisionedThroughput }, throughputRules),
	member("keySchema", func(in *createIn) field { return sequence(in.KeySchema, showElement) }, notNull(), minLength(1), maxLength(2)),
	elements("keySchema", func(in *createIn) []types.KeySchemaElement { return in.KeySchema }, elementRules),
	elements("globalSecondaryIndexes", func(in *createIn) []types.GlobalSecondaryIndex { return in.GlobalSecondaryIndexes }, globalIndexRules),
	elements("localSecondaryIndexes", func(in *createIn) []types.LocalSecondaryIndex { return in.LocalSecondaryIndexes }, localIndexRules),
	member("tableClass", func(in *createIn) field { return word(in.TableClass) }, classWords),
	inner("streamSpecification", func(in *createIn) *types.StreamSpecification { return in.StreamSpecification }, streamRules),
	inner("sSESpecification", func(in *createIn) *types.SSESpecification { return in.SSESpecification }, encryptionRules),
	elements("tags", func(in *createIn) []types.Tag { return in.Tags }, tagRules),
}

var (
	billingWords = oneOf("PROVISIONED", "PAY_PER_REQUEST")
	classWords   = oneOf("STANDARD", "STANDARD_INFREQUENT_ACCESS")
	viewWords    = oneOf("NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY")
)

var attributeDefinitionRules = rules[types.AttributeDefinition]{
	member("attributeName", func(a *types.AttributeDefinition) field { return text(a.AttributeName) },
		notNull(), minLength(1), maxLength(limits.KeyAttributeNameBytes)),
	member("attributeType", func(a *types.AttributeDefinition) field { return word(a.AttributeType) }, notNull(), oneOf("B", "N", "S")),
}

var elementRules = rules[types.KeySchemaElement]{
	member("attributeName", func(e *types.KeySchemaElement) field { return text(e.AttributeName) },
		notNull(), minLength(1), maxLength(limits.KeyAttributeNameBytes)),
	member("keyType", func(e *types.KeySchemaElement) field { return word(e.KeyType) }, notNull(), oneOf("HASH", "RANGE")),
}

var throughputRules = rules[types.ProvisionedThroughput]{
	member("writeCapacityUnits", func(t *types.ProvisionedThroughput) field { return number(t.WriteCapacityUnits) }, notNull(), atLeast(1)),
	member("readCapacityUnits", func(t *types.ProvisionedThroughput) field { return number(t.ReadCapacityUnits) }, notNull(), atLeast(1)),
}

var projectionRules = rules[types.Projection]{
	member("projectionType", func(p *types.Projection) field { return word(p.ProjectionType) }, oneOf("ALL", "INCLUDE", "KEYS_ONLY")),
	member("nonKeyAttributes", func(p *types.Projection) field { return names(p.NonKeyAttributes) }, minLength(1), maxLength(20)),
	elements("nonKeyAttributes", func(p *types.Projection) []string { return p.NonKeyAttributes }, rules[string]{
		member("", func(name *string) field { return text(name) }, minLength(1), maxLength(limits.KeyAttributeNameBytes)),
	}),
}

var localIndexRules = rules[types.LocalSecondaryIndex]{
	member("indexName", func(ix *types.LocalSecondaryIndex) field { return text(ix.IndexName) }, newIndexName()...),
	member("keySchema", func(ix *types.LocalSecondaryIndex) field { return sequence(ix.KeySchema, showElement) },
		notNull(), minLength(1), maxLength(2)),
	elements("keySchema", func(ix *types.LocalSecondaryIndex) []types.KeySchemaElement { return ix.KeySchema }, elementRules),
	member("projection", func(ix *types.LocalSecondaryIndex) field { return presence(ix.Projection != nil) }, notNull()),
	inner("projection", func(ix *types.LocalSecondaryIndex) *types.Projection { return ix.Projection }, projectionRules),
}

var globalIndexRules = rules[types.GlobalSecondaryIndex]{
	member("indexName", func(ix *types.GlobalSecondaryIndex) field { return text(ix.IndexName) }, newIndexName()...),
	member("keySchema", func(ix *types.GlobalSecondaryIndex) field { return sequence(ix.KeySchema, showElement) },
		notNull(), minLength(1), maxLength(2*limits.IndexKeyAttributes)),
	elements("keySchema", func(ix *types.GlobalSecondaryIndex) []types.KeySchemaElement { return ix.KeySchema }, elementRules),
	member("projection", func(ix *types.GlobalSecondaryIndex) field { return presence(ix.Projection != nil) }, notNull()),
	inner("projection", func(ix *types.GlobalSecondaryIndex) *types.Projection { return ix.Projection }, projectionRules),
	inner("provisionedThroughput", func(ix *types.GlobalSecondaryIndex) *types.ProvisionedThroughput { return ix.ProvisionedThroughput }, throughputRules),
}

var streamRules = rules[types.StreamSpecification]{
	member("streamEnabled", func(s *types.StreamSpecification) field { return presence(s.StreamEnabled != nil) }, notNull()),
	member("streamViewType", func(s *types.StreamSpecification) field { return word(s.StreamViewType) }, viewWords),
}

var encryptionRules = rules[types.SSESpecification]{
	member("sSEType", func(s *types.SSESpecification) field { return word(s.SSEType) }, oneOf("AES256", "KMS")),
}

func newIndexName() []constraint { return append([]constraint{notNull()}, indexName()...) }

var alterRules = rules[alterIn]{
	member("tableName", func(in *alterIn) field { return tableName(in.TableName) }, oldTable()...),
	inner("provisionedThroughput", func(in *alterIn) *types.ProvisionedThroughput { return in.ProvisionedThroughput }, throughputRules),
	member("billingMode", func(in *alterIn) field { return word(in.BillingMode) }, billingWords),
	elements("attributeDefinitions", func(in *alterIn) []types.AttributeDefinition { return in.AttributeDefinitions }, attributeDefinitionRules),
	elements("globalSecondaryIndexUpdates", func(in *alterIn) []types.GlobalSecondaryIndexUpdate { return in.GlobalSecondaryIndexUpdates },
		rules[types.GlobalSecondaryIndexUpdate]{
			inner("update", func(u *types.GlobalSecondaryIndexUpdate) *types.UpdateGlobalSecondaryIndexAction { return u.Update },
				rules[types.UpdateGlobalSecondaryIndexAction]{
					member("indexName", func(a *types.UpdateGlobalSecondaryIndexAction) field { return text(a.IndexName) }, newIndexName()...),
					inner("provisionedThroughput", func(a *types.UpdateGlobalSecondaryIndexAction) *types.ProvisionedThroughput {
						return a.ProvisionedThroughput
					}, throughputRules),
				}),
			inner("create", func(u *types.GlobalSecondaryIndexUpdate) *types.GlobalSecondaryIndex { return createdIndex(u) }, globalIndexRules),
			inner("delete", func(u *types.GlobalSecondaryIndexUpdate) *types.DeleteGlobalSecondaryIndexAction { return u.Delete },
				rules[types.DeleteGlobalSecondaryIndexAction]{
					member("indexName", func(a *types.DeleteGlobalSecondaryIndexAction) field { return text(a.IndexName) }, newIndexName()...),
				}),
		}),
	member("tableClass", func(in *alterIn) field { return word(in.TableClass) }, classWords),
	inner("streamSpecification", func(in *alterIn) *types.StreamSpecification { return in.StreamSpecification }, streamRules),
	inner("sSESpecification", func(in *alterIn) *types.SSESpecification { return in.SSESpecification }, encryptionRules),
}

// createdIndex returns the index that an update makes as CreateTable defines
// one, nil for none.
func createdIndex(u *types.GlobalSecondaryIndexUpdate) *types.GlobalSecondaryIndex {
	if u.Create == nil {
		return nil
	}
	return &types.GlobalSecondaryIndex{
		IndexName:             u.Create.IndexName,
		KeySchema:             u.Create.KeySchema,
		Projection:            u.Create.Projection,
		ProvisionedThroughput: u.Create.ProvisionedThroughput,
		OnDemandThroughput:    u.Create.OnDemandThroughput,
		WarmThroughput:        u.Create.WarmThroughput,
	}
}

var describeRules = rules[describeIn]{
	member("tableName", func(in *describeIn) field { return tableName(in.TableName) }, oldTable()...),
}

var dropRules = rules[dropIn]{
	member("tableName", func(in *dropIn) field { return tableName(in.TableName) }, oldTable()...),
}

var listRules = rules[listIn]{
	member("exclusiveStartTableName", func(in *listIn) field { return text(in.ExclusiveStartTableName) }, indexName()...),
	member("limit", func(in *listIn) field { return number(in.Limit) }, atLeast(1), atMost(limits.ListTablesNames)),
}

// How the service shows structures in messages.

func showElement(e types.KeySchemaElement) string {
	return fmt.Sprintf("KeySchemaElement(attributeName=%s, keyType=%s)", aws.ToString(e.AttributeName), e.KeyType)
}

func showDefinition(a types.AttributeDefinition) string {
	return fmt.Sprintf("AttributeDefinition(attributeName=%s, attributeType=%s)", aws.ToString(a.AttributeName), a.AttributeType)
}
