package wire

import (
	"context"
	"reflect"
	"strings"

	"github.com/seed530093c6/ddb/memory"
)

// operation is one call of the API: the engine's method and what it takes.
type operation struct {
	input reflect.Type // the struct behind the pointer
	call  func(ctx context.Context, db *memory.DB, in any) (any, error)
}

// entry makes an operation of a method of the engine. Options is what the
// SDK's signature ends in; a call over the wire has none.
func entry[In, Out, Options any](method func(*memory.DB, context.Context, *In, ...func(*Options)) (*Out, error)) operation {
	return operation{
		input: reflect.TypeFor[In](),
		call: func(ctx context.Context, db *memory.DB, in any) (any, error) {
			return method(db, ctx, in.(*In))
		},
	}
}

// Prefixes of the header X-Amz-Target. One port serves both services.
const (
	targetDynamoDB = "DynamoDB_20120810."
	targetStreams  = "DynamoDBStreams_20120810."
)

// operations are those the engine offers, by target.
var operations = map[string]operation{
	targetDynamoDB + "CreateTable":   entry((*memory.DB).CreateTable),
	targetDynamoDB + "DescribeTable": entry((*memory.DB).DescribeTable),
	targetDynamoDB + "DeleteTable":   entry((*memory.DB).DeleteTable),
	targetDynamoDB + "UpdateTable":   entry((*memory.DB).UpdateTable),
	targetDynamoDB + "ListTables":    entry((*memory.DB).ListTables),

	targetDynamoDB + "UpdateTimeToLive":          entry((*memory.DB).UpdateTimeToLive),
	targetDynamoDB + "DescribeTimeToLive":        entry((*memory.DB).DescribeTimeToLive),
	targetDynamoDB + "TagResource":               entry((*memory.DB).TagResource),
	targetDynamoDB + "UntagResource":             entry((*memory.DB).UntagResource),
	targetDynamoDB + "ListTagsOfResource":        entry((*memory.DB).ListTagsOfResource),
	targetDynamoDB + "DescribeContinuousBackups": entry((*memory.DB).DescribeContinuousBackups),
	targetDynamoDB + "DescribeLimits":            entry((*memory.DB).DescribeLimits),
	targetDynamoDB + "DescribeEndpoints":         entry((*memory.DB).DescribeEndpoints),

	targetDynamoDB + "PutItem":    entry((*memory.DB).PutItem),
	targetDynamoDB + "GetItem":    entry((*memory.DB).GetItem),
	targetDynamoDB + "UpdateItem": entry((*memory.DB).UpdateItem),
	targetDynamoDB + "DeleteItem": entry((*memory.DB).DeleteItem),

	targetDynamoDB + "Query": entry((*memory.DB).Query),
	targetDynamoDB + "Scan":  entry((*memory.DB).Scan),

	targetDynamoDB + "BatchGetItem":       entry((*memory.DB).BatchGetItem),
	targetDynamoDB + "BatchWriteItem":     entry((*memory.DB).BatchWriteItem),
	targetDynamoDB + "TransactGetItems":   entry((*memory.DB).TransactGetItems),
	targetDynamoDB + "TransactWriteItems": entry((*memory.DB).TransactWriteItems),

	targetStreams + "ListStreams":      entry((*memory.DB).ListStreams),
	targetStreams + "DescribeStream":   entry((*memory.DB).DescribeStream),
	targetStreams + "GetShardIterator": entry((*memory.DB).GetShardIterator),
	targetStreams + "GetRecords":       entry((*memory.DB).GetRecords),
}

// unknownOperation reports a target that is not among the operations. The
// service gives no message; for an operation that the service has and the
// engine has not, the message says so.
func unknownOperation(target string) error {
	message := ""
	for _, prefix := range []string{targetDynamoDB, targetStreams} {
		if name, ok := strings.CutPrefix(target, prefix); ok && beyond[name] {
			message = name + " is not simulated."
		}
	}
	return exception("UnknownOperationException", message)
}

// beyond are operations of the service that the engine leaves out.
var beyond = map[string]bool{
	"BatchExecuteStatement":               true,
	"CancelBulkOperation":                 true,
	"CreateBackup":                        true,
	"CreateGlobalTable":                   true,
	"DeleteBackup":                        true,
	"DeleteResourcePolicy":                true,
	"DescribeBackup":                      true,
	"DescribeBulkOperation":               true,
	"DescribeContributorInsights":         true,
	"DescribeExport":                      true,
	"DescribeGlobalTable":                 true,
	"DescribeGlobalTableSettings":         true,
	"DescribeImport":                      true,
	"DescribeKinesisStreamingDestination": true,
	"DescribeTableReplicaAutoScaling":     true,
	"DisableKinesisStreamingDestination":  true,
	"EnableKinesisStreamingDestination":   true,
	"ExecuteStatement":                    true,
	"ExecuteTransaction":                  true,
	"ExportTableToPointInTime":            true,
	"GetResourcePolicy":                   true,
	"ImportTable":                         true,
	"ListBackups":                         true,
	"ListBulkOperations":                  true,
	"ListContributorInsights":             true,
	"ListExports":                         true,
	"ListGlobalTables":                    true,
	"ListImports":                         true,
	"PutResourcePolicy":                   true,
	"RestoreTableFromBackup":              true,
	"RestoreTableToPointInTime":           true,
	"SearchVectors":                       true,
	"StartBulkPutItems":                   true,
	"UpdateContinuousBackups":             true,
	"UpdateContributorInsights":           true,
	"UpdateGlobalTable":                   true,
	"UpdateGlobalTableSettings":           true,
	"UpdateKinesisStreamingDestination":   true,
	"UpdateTableReplicaAutoScaling":       true,
}
