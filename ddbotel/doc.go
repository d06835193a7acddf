// Package ddbotel reports the calls of package ddb to OpenTelemetry. It is a module
// of its own, so that programs without it do not depend on OpenTelemetry:
//
//	table := ddb.NewTable("AppTable", client, ddbotel.Instrument())
//
// Each call to the backend becomes a client span, named by operation and table,
// with the attributes that the semantic conventions have for DynamoDB, and is
// counted in four metrics:
//
//	db.client.operation.duration      histogram, seconds
//	db.client.response.returned_rows  histogram, items returned
//	ddb.client.consumed_capacity      counter, capacity units
//	ddb.client.retries                counter, requests sent again by the SDK's client
//
// Spans and metrics also say the entity (ddb.entity), the access pattern that the
// operation was given with Named (ddb.pattern), and the index. Metrics have no
// other attributes than these, table, operation and error.type, so that their
// number stays small.
//
// The call is made within its span. Where the SDK's client is instrumented too,
// its spans for single requests lie below.
//
// Neither spans nor metrics hold key values or contents of items.
package ddbotel
