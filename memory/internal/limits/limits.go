package limits

import "time"

const kb = 1024

// Items and keys. Constraints.html#limits-items, #limits-partition-keys.
const (
	// ItemBytes is the largest item, attribute names included: 400 KB.
	ItemBytes = 400 * kb
	// PartitionKeyBytes is the longest value of a partition key.
	PartitionKeyBytes = 2048
	// SortKeyBytes is the longest value of a sort key.
	SortKeyBytes = 1024
	// NestingLevels is the deepest nesting of lists and maps in an item;
	// a scalar at the top level is on level 1 (observed).
	NestingLevels = 32
	// AttributeNameBytes is the longest attribute name.
	AttributeNameBytes = 64*kb - 1
	// KeyAttributeNameBytes is the longest name of an attribute that is part
	// of a key, is projected by name, or holds the expiry time.
	KeyAttributeNameBytes = 255
)

// Numbers. HowItWorks.NamingRulesDataTypes.html#HowItWorks.DataTypes.Number.
const (
	// NumberDigits is how many significant digits a number keeps.
	NumberDigits = 38
	// NumberMaxExponent is the decimal exponent of the largest magnitude,
	// 9.99…E+125.
	NumberMaxExponent = 125
	// NumberMinExponent is the decimal exponent of the smallest magnitude,
	// 1E-130.
	NumberMinExponent = -130
)

// Expressions. Constraints.html#limits-expression-parameters.
const (
	// ExpressionBytes is the longest expression, as sent.
	ExpressionBytes = 4096
	// ExpressionOperators is how many comparators and logical operators an
	// expression may hold.
	ExpressionOperators = 300
	// InOperands is how many values an IN may list.
	InOperands = 100
	// PathElements is how many elements a document path may have (observed).
	PathElements = 32
	// PlaceholderBytes is the longest #name or :value.
	PlaceholderBytes = 255
	// SubstitutionBytes is how much all names and values of a request may
	// add up to: 2 MB.
	SubstitutionBytes = 2 * kb * kb
)

// Requests. ServiceQuotas.html#limits-api.
const (
	// RequestBytes is the longest body of a request, before and after it is
	// decompressed: 16 MB.
	RequestBytes = 16 * kb * kb
	// PageBytes is how much item data a Query or Scan evaluates per call: 1 MB.
	PageBytes = kb * kb
	// BatchGetKeys is how many keys a BatchGetItem may hold, over all tables.
	BatchGetKeys = 100
	// BatchGetBytes is the largest reply of a BatchGetItem: 16 MB.
	BatchGetBytes = 16 * kb * kb
	// BatchWriteItems is how many puts and deletes a BatchWriteItem may hold.
	BatchWriteItems = 25
	// TransactActions is how many actions a transaction may hold.
	TransactActions = 100
	// TransactBytes is the largest payload of a transaction: 4 MB.
	TransactBytes = 4 * kb * kb
	// TotalSegments is how many segments a parallel Scan may have.
	TotalSegments = 1_000_000
	// ListTablesNames is how many names ListTables returns per call.
	ListTablesNames = 100
	// ClientRequestTokenBytes is the longest idempotency token.
	ClientRequestTokenBytes = 36
)

// Tables. ServiceQuotas.html#limits-tables, #limits-secondary-indexes.
const (
	// TableNameMin and TableNameMax bound the length of a table or index name.
	TableNameMin = 3
	TableNameMax = 255
	// GlobalSecondaryIndexes is how many GSIs a table may have (default quota).
	GlobalSecondaryIndexes = 20
	// LocalSecondaryIndexes is how many LSIs a table may have.
	LocalSecondaryIndexes = 5
	// ProjectedAttributes is how many attributes all INCLUDE projections of a
	// table may name together.
	ProjectedAttributes = 100
	// IndexKeyAttributes is how many HASH, and how many RANGE, attributes the
	// key of a GSI may have.
	IndexKeyAttributes = 4
)

// Capacity units. howitworks-read-write-capacity-mode.html.
const (
	// ReadUnitBytes is what one read unit covers: 4 KB.
	ReadUnitBytes = 4 * kb
	// WriteUnitBytes is what one write unit covers: 1 KB.
	WriteUnitBytes = kb
	// PartitionReadUnits is how many read units a partition serves a second.
	// bp-partition-key-design.html
	PartitionReadUnits = 3000
	// PartitionWriteUnits is how many write units a partition serves a second.
	// bp-partition-key-design.html
	PartitionWriteUnits = 1000
)

// Streams. ServiceQuotas.html#limits-dynamodb-streams, Streams.html, and the
// reference pages of the four operations.
const (
	// StreamRetention is how long a record can be read.
	StreamRetention = 24 * time.Hour
	// ShardIteratorLife is how long a shard iterator is valid.
	ShardIteratorLife = 15 * time.Minute
	// GetRecords is how many records GetRecords returns per call.
	GetRecords = 1000
	// StreamReadBytes is how much GetRecords returns per call: 1 MB.
	StreamReadBytes = kb * kb
	// ListStreams is how many streams ListStreams returns per call.
	ListStreams = 100
	// DescribeStreamShards is how many shards DescribeStream returns per call.
	DescribeStreamShards = 100
	// ShardNameMin and ShardNameMax bound the length of a ShardId.
	ShardNameMin = 28
	ShardNameMax = 65
	// SequenceNumberMin and SequenceNumberMax bound the length of a
	// SequenceNumber.
	SequenceNumberMin = 21
	SequenceNumberMax = 40
	// ShardIteratorBytes is the longest shard iterator.
	ShardIteratorBytes = 2048
)
