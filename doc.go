// Package ddb is a typed data-access layer for DynamoDB tables in which many
// entities live together: single-table design.
//
// # Basics
//
// A [Table] is one DynamoDB table on a [Backend]: the SDK's client, or the
// in-memory engine of package memory, unchanged. [Define] adds an entity to it,
// a struct whose blank [Entity] and [Index] fields say by key templates how its
// keys are made:
//
//	type Order struct {
//		_ ddb.Entity `name:"Order" pk:"USER#{UserID}" sk:"ORDER#{OrderID}"`
//		_ ddb.Index  `name:"GSI1" pk:"STATUS#{Status}" sk:"{PlacedAt}#{OrderID}"`
//
//		UserID, OrderID, Status string
//		PlacedAt                time.Time
//	}
//
// Definitions are checked as a whole: [Table.Err] lists every misspelt word,
// unknown field, unfit type and pair of entities whose keys could be equal, and
// nothing is sent while there is one.
//
// # Keys
//
// A template is literal text and fields in braces. Each kind of field has a
// fixed form that sorts as its values do:
//
//	{Name}               string; also types with MarshalText and UnmarshalText
//	{Email:lower}        string in lower case; {Email:upper}
//	{Seq:012}            integer of at most 12 digits, padded with zeros
//	{Delta:+012}         integer that may be negative
//	{Score:desc:012}     integer, greatest first; {Score:desc:+012}
//	{ID:plain}           integer without padding, where order does not matter
//	{At}                 time in UTC with nine fractional digits
//	{At:2006-01-02}      time in a Go layout that sorts
//	{At:desc}            time, latest first; {At:desc:2006-01-02}
//
//	{shard:10}           in a partition key: a number 0 to 9 by the item's own key
//	{shard:10,by=UserID} the same by named fields, joined with +
//	{shard:10,random=S}  the same at random, kept in the string field S
//	{shard:20,also=10}   20 shards, while items may still lie by 10
//
// The last four spread the writes of one key over several partitions. Point
// operations find the item's shard; queries read all shards at once, merged in
// sort order under one cursor, or the one shard if the fields that it depends on
// are given. A shard drawn at random is part of what an item is: Create and Put
// draw it and note it in the item, others need it, as a loaded item has it. While
// the number of shards changes, every verb finds items by all numbers and makes no
// second one; [Definition.Reshard] moves them to where the new number puts them.
//
// A range of a time that the partition key holds by a layout, as in {At:2006-01},
// runs over several partitions, buckets, which a query reads one after another.
// docs/keys.md is the whole reference of tags, docs/sharding.md the guide to shards
// and buckets.
//
// Between the parts stands a separator, '#' unless [Separator] says otherwise,
// which no value may hold, and in a part of a sort key that others follow nothing
// that sorts before it, such as a space. So distinct fields always make distinct
// keys, keys can be read back, and ranges are ranges of values. Letter case is
// kept. A value that does not fit, the empty string and the zero time among them,
// fails with [ErrKey] before any call.
//
// A key attribute that carries a field's own name is that field: with
// Keys("PersonID", "") and the template {PersonID}, the table's key is the
// attribute itself, a number if the field is one. A global index can have up to
// four such attributes for each role:
//
//	_ ddb.Index `name:"ByRegion" pk:"{Region},{Status}" sk:"{Score},{At}"`
//
// A local index, see [LSI], has the table's partition key, so that its tag has an
// sk alone. Where an index uses a key attribute of the table, or the
// discriminator, its template may be left out.
//
// An item is in an index if every field of its templates has a value. A field
// tagged omitempty may be empty, which leaves the item out: a sparse index.
//
// # Values
//
// Attributes are stored and read as package attributevalue does it, by its
// dynamodbav tags (json tags play no part), with these choices:
//
//	nil pointer, slice, map  left out, in structs at every depth; NULL with
//	                         nullempty, in lists and as an entry of a map
//	empty list, map, []byte  stored, and read as empty, not nil
//	set without members      left out; NULL with nullempty and in lists
//	set with a member twice  refused, as DynamoDB does
//	map to bool or struct{}  with stringset, numberset or binaryset: the set of
//	                         its keys, for bool of those that are true
//	time.Time                string in UTC with nine fractional digits; read from
//	                         any RFC 3339 form and whole epoch seconds
//	omitempty                leaves out the zero time too, and structs and arrays
//	                         whose IsZero method says so
//	MarshalText and          make a type a string, also as the key of a map,
//	UnmarshalText            unless it has methods of attributevalue; not so a
//	                         struct that embeds such a type beside other fields
//	big.Int                  number of at most 38 significant digits
//	any                      numbers are read as attributevalue.Number
//	types.AttributeValue     the stored value itself
//	text that is not UTF-8   an error, also as the key of a map or in a set;
//	                         attributevalue leaves it to JSON, which changes it
//
// Methods of pointers count for values as well. Names of attributes are compared
// letter by letter, and attributes without a field are ignored. A NULL is read as
// the zero value. A field without an attribute in the item is read from the keys if
// one of them holds its very value; where attributes contradict the keys, they are
// read as they are, and [Table.Verify] tells. What does not fit is a [DecodeError], what cannot be stored, such
// as NaN, an [EncodeError]. A type that would lose something in silence is a fault
// of the definition: a struct without a field that can be stored, a channel, a
// function, an interface with methods.
//
// # Writing
//
// [Definition.Create], [Definition.Put], [Definition.Update] and
// [Definition.Delete] return operations: values that can be changed by copy,
// run with Run, shown with Input, edited with Edit, or made part of a
// transaction with [Transact]. All of them keep the index keys in step, or
// refuse to run if they cannot.
//
// [Definition.Upsert] creates what Update would not find, and
// [Definition.Modify] reads, changes and writes an item, starting anew when it
// meets others. [Batch] writes many items, each for itself.
//
// A ddb tag makes the layer keep a field:
//
//	version              counts writes and refuses stale ones with ErrVersion
//	created, updated     time of the first and of the last write
//	ttl                  expiry, in the form that DynamoDB reads
//	unique               value that no other item has; others fail with UniqueError
//	unique=scope         the same among all fields that name the scope
//	unique,lower         without regard to letter case
//
// Unique values are kept by marker items, one for each value in use, written in
// one transaction with the item. Every verb and [Transact] keep them in step; see
// [UniqueError] and [Definition.ClaimUnique].
//
// Conditions and changes are made from handles that belong to one entity and one
// Go type. [Field] leads to a field, [Element], [Entry] and [FieldOf] on into
// lists, maps and the structs in them, [Definition.Path] to what a text names.
//
// # Reading
//
// [Definition.Get] reads an item, [Definition.Query] the items of one entity in
// one partition, [Table.Collection] all entities of a partition at once. A query
// has a range, a direction, a filter and a limit, and is read as a sequence
// (All), in pages with a cursor (Page, Pages), to its first or only item (First,
// One), counted (Count), or folded ([Sum], [Fold], [Each]). [BatchGet] and
// [TransactGet] read many items by key. Only [Definition.Scan] and
// [Definition.ParallelScan] scan, and no method chooses an index by itself.
//
// Ranges are given as values of the entity, or as raw sort keys. Project reads
// part of the items, and Hydrate makes whole items of an index that carries
// parts. [Observe] and [Trace] tell what every call took.
//
// # Design
//
// [Table.Declare] notes the access patterns that a table is there for, by the
// names that observers see, and [Table.Schema] describes the whole as plain data.
// Package design makes templates, documents and findings of it.
//
// # Changes
//
// [Changes] hands the records of the table's stream to handlers of each entity and
// kind of change, with the old and the new item. [Changes.Follow] reads a stream,
// [Changes.Invoke] is a Lambda function, and [Once] runs writes that must not be
// run twice.
//
// # Errors
//
// Errors say operation, table, index, entity and field, never values. They wrap
// the sentinels of this package and the backend's own errors; see [OpError],
// [ConditionError], [UniqueError], [TxError], [BatchError] and [DefinitionError].
//
// # Caveats
//
// Items carry a discriminator attribute, EntityType unless [Discriminator] says
// otherwise, and items without it are refused. Times come back in UTC. A filter
// saves no capacity. Reads of a global index are eventually consistent. An
// addition whose reply is lost and retried counts twice, unless it is part of a
// transaction.
package ddb
