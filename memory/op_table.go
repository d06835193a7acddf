package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// CreateTable makes a table, which can be used at once.
func (db *DB) CreateTable(ctx context.Context, in *dynamodb.CreateTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error) {
	return run(ctx, db, &createTable, in)
}

var createTable = operation[createIn, noPlan, dynamodb.CreateTableOutput]{
	rules: createRules,
	plan:  func(_ *DB, in *createIn) (noPlan, error) { return noPlan{}, checkDefinition(in) },
	act: func(c *call[createIn, noPlan]) (*dynamodb.CreateTableOutput, error) {
		t := c.db.newTable(c.in)
		if !c.db.addTable(t) {
			return nil, errTableExists(t.name)
		}
		return &dynamodb.CreateTableOutput{TableDescription: t.describeNew()}, nil
	},
}

// DescribeTable returns the definition and the state of a table. Item counts and
// sizes are exact at the time of the call.
func (db *DB) DescribeTable(ctx context.Context, in *dynamodb.DescribeTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	return run(ctx, db, &describeTable, in)
}

var describeTable = operation[describeIn, noPlan, dynamodb.DescribeTableOutput]{
	rules:   describeRules,
	tables:  func(in *describeIn, _ noPlan) []string { return []string{*in.TableName} },
	missing: errTableNotFoundNamed,
	act: func(c *call[describeIn, noPlan]) (*dynamodb.DescribeTableOutput, error) {
		return &dynamodb.DescribeTableOutput{Table: c.table().describe()}, nil
	},
}

// DeleteTable removes a table with its items and indexes. Operations that are
// under way finish undisturbed.
func (db *DB) DeleteTable(ctx context.Context, in *dynamodb.DeleteTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.DeleteTableOutput, error) {
	return run(ctx, db, &deleteTable, in)
}

var deleteTable = operation[dropIn, noPlan, dynamodb.DeleteTableOutput]{
	rules:   dropRules,
	tables:  func(in *dropIn, _ noPlan) []string { return []string{*in.TableName} },
	missing: errTableNotFoundNamed,
	act: func(c *call[dropIn, noPlan]) (*dynamodb.DeleteTableOutput, error) {
		t := c.table()
		if t.isProtected() {
			return nil, invalid(textProtected)
		}
		c.db.removeTable(t)
		return &dynamodb.DeleteTableOutput{TableDescription: t.describeDeleted()}, nil
	},
}

// ListTables returns the names of all tables in order, up to 100 a call.
func (db *DB) ListTables(ctx context.Context, in *dynamodb.ListTablesInput, _ ...func(*dynamodb.Options)) (*dynamodb.ListTablesOutput, error) {
	return run(ctx, db, &listTables, in)
}

var listTables = operation[listIn, noPlan, dynamodb.ListTablesOutput]{
	rules: listRules,
	act: func(c *call[listIn, noPlan]) (*dynamodb.ListTablesOutput, error) {
		all := c.db.tableNames()
		if start := c.in.ExclusiveStartTableName; start != nil {
			i, found := slices.BinarySearchFunc(all, *start, strings.Compare)
			if found {
				i++
			}
			all = all[i:]
		}
		limit := limits.ListTablesNames
		if c.in.Limit != nil {
			limit = int(*c.in.Limit)
		}
		out := &dynamodb.ListTablesOutput{TableNames: all}
		if len(all) > limit {
			out.TableNames = all[:limit]
			out.LastEvaluatedTableName = aws.String(all[limit-1])
		}
		return out, nil
	},
}
