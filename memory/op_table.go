package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// CreateTable makes a table.
//
// Differs from DynamoDB: the table can be used at once, unless [TransitionTime]
// says otherwise. Vector indexes, resource policies and global tables are
// refused.
func (db *DB) CreateTable(ctx context.Context, in *dynamodb.CreateTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error) {
	return run(ctx, db, &createTable, in)
}

var createTable = operation[createIn, noPlan, dynamodb.CreateTableOutput]{
	rules:  createRules,
	writes: true,
	plan:   func(_ *DB, in *createIn) (noPlan, error) { return noPlan{}, checkDefinition(in) },
	act: func(c *call[createIn, noPlan]) (*dynamodb.CreateTableOutput, error) {
		t := c.db.newTable(c.in)
		if err := c.db.addTable(t); err != nil {
			return nil, err
		}
		return &dynamodb.CreateTableOutput{TableDescription: t.describeCreated(c.db.settings.clock)}, nil
	},
}

// DescribeTable returns the definition and the state of a table.
//
// Differs from DynamoDB: item counts and sizes are those of the moment, not up to
// six hours old.
func (db *DB) DescribeTable(ctx context.Context, in *dynamodb.DescribeTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	return run(ctx, db, &describeTable, in)
}

var describeTable = operation[describeIn, noPlan, dynamodb.DescribeTableOutput]{
	rules: describeRules,
	table: func(in *describeIn) *string { return in.TableName },
	find:  findNamed,
	act: func(c *call[describeIn, noPlan]) (*dynamodb.DescribeTableOutput, error) {
		return &dynamodb.DescribeTableOutput{Table: c.table().describe(c.db.settings.clock)}, nil
	},
}

// DeleteTable removes a table with its items and indexes. Operations that are
// under way finish undisturbed.
func (db *DB) DeleteTable(ctx context.Context, in *dynamodb.DeleteTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.DeleteTableOutput, error) {
	return run(ctx, db, &deleteTable, in)
}

var deleteTable = operation[dropIn, noPlan, dynamodb.DeleteTableOutput]{
	rules:  dropRules,
	writes: true,
	table:  func(in *dropIn) *string { return in.TableName },
	find:   findNamed,
	act: func(c *call[dropIn, noPlan]) (*dynamodb.DeleteTableOutput, error) {
		d, err := c.db.drop(c.table())
		if err != nil {
			return nil, err
		}
		return &dynamodb.DeleteTableOutput{TableDescription: d}, nil
	},
}

// drop removes a table, now or when the time that this takes is over. A second
// call in the meantime changes nothing.
func (db *DB) drop(t *table) (*types.TableDescription, error) {
	now := db.settings.clock
	if t.status(now) == types.TableStatusDeleting {
		return t.describeDeleted(now), nil
	}
	if err := t.checkIdle(now); err != nil {
		return nil, err
	}
	if t.isProtected() {
		return nil, invalid(textProtected)
	}
	t.enter(types.TableStatusDeleting, now(), db.settings.transition)
	db.endStream(t)
	if db.settings.transition <= 0 {
		db.removeTable(t)
	} else {
		db.dismissTable(t)
	}
	if err := db.ledger.deletion(t, db.settings.transition > 0); err != nil {
		return nil, err
	}
	return t.describeDeleted(now), nil
}

func (t *table) isProtected() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state.protected
}

// UpdateTable changes the settings of a table or its global secondary indexes. A
// new index holds the items that the table has; those whose index key is of the
// wrong kind, empty or too long are left out silently.
//
// Differs from DynamoDB: replicas, vector indexes and the settings of global
// tables are refused, and changes may follow each other at any rate.
func (db *DB) UpdateTable(ctx context.Context, in *dynamodb.UpdateTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateTableOutput, error) {
	return run(ctx, db, &updateTable, in)
}

var updateTable = operation[alterIn, noPlan, dynamodb.UpdateTableOutput]{
	rules:  alterRules,
	writes: true,
	table:  func(in *alterIn) *string { return in.TableName },
	find:   findNamed,
	plan:   func(_ *DB, in *alterIn) (noPlan, error) { return noPlan{}, checkAlteration(in) },
	act: func(c *call[alterIn, noPlan]) (*dynamodb.UpdateTableOutput, error) {
		if err := c.db.alter(c.table(), c.in); err != nil {
			return nil, err
		}
		d := c.table().describeChanging(c.db.settings.clock, types.TableStatusUpdating)
		return &dynamodb.UpdateTableOutput{TableDescription: d}, nil
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
