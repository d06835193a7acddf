package memory

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Default quotas of an account and a table, in capacity units.
// ServiceQuotas.html#default-limits-throughput
const (
	accountCapacity = 80_000
	tableCapacity   = 40_000
)

// DescribeLimits returns the default quotas of an account; the engine does not
// enforce them.
func (db *DB) DescribeLimits(ctx context.Context, in *dynamodb.DescribeLimitsInput, _ ...func(*dynamodb.Options)) (*dynamodb.DescribeLimitsOutput, error) {
	return run(ctx, db, &describeLimits, in)
}

var describeLimits = operation[dynamodb.DescribeLimitsInput, noPlan, dynamodb.DescribeLimitsOutput]{
	act: func(*call[dynamodb.DescribeLimitsInput, noPlan]) (*dynamodb.DescribeLimitsOutput, error) {
		return &dynamodb.DescribeLimitsOutput{
			AccountMaxReadCapacityUnits:  aws.Int64(accountCapacity),
			AccountMaxWriteCapacityUnits: aws.Int64(accountCapacity),
			TableMaxReadCapacityUnits:    aws.Int64(tableCapacity),
			TableMaxWriteCapacityUnits:   aws.Int64(tableCapacity),
		}, nil
	},
}

// DescribeEndpoints returns the service's endpoint of the region.
func (db *DB) DescribeEndpoints(ctx context.Context, in *dynamodb.DescribeEndpointsInput, _ ...func(*dynamodb.Options)) (*dynamodb.DescribeEndpointsOutput, error) {
	return run(ctx, db, &describeEndpoints, in)
}

var describeEndpoints = operation[dynamodb.DescribeEndpointsInput, noPlan, dynamodb.DescribeEndpointsOutput]{
	act: func(c *call[dynamodb.DescribeEndpointsInput, noPlan]) (*dynamodb.DescribeEndpointsOutput, error) {
		return &dynamodb.DescribeEndpointsOutput{Endpoints: []types.Endpoint{{
			Address:              aws.String("dynamodb." + c.db.settings.region + ".amazonaws.com"),
			CachePeriodInMinutes: 1440, // a day
		}}}, nil
	},
}

type describeBackupsIn = dynamodb.DescribeContinuousBackupsInput

// DescribeContinuousBackups reports what it does of every new table: continuous
// backups are on, point-in-time recovery, which the engine does not have, is off.
func (db *DB) DescribeContinuousBackups(ctx context.Context, in *dynamodb.DescribeContinuousBackupsInput, _ ...func(*dynamodb.Options)) (*dynamodb.DescribeContinuousBackupsOutput, error) {
	return run(ctx, db, &describeContinuousBackups, in)
}

var describeContinuousBackups = operation[describeBackupsIn, noPlan, dynamodb.DescribeContinuousBackupsOutput]{
	rules: rules[describeBackupsIn]{
		member("tableName", func(in *describeBackupsIn) field { return tableName(in.TableName) }, oldTable()...),
	},
	table: func(in *describeBackupsIn) *string { return in.TableName },
	find: func(db *DB, ref string) (*table, error) {
		t := db.table(ref)
		if t == nil {
			return nil, errTableNotFoundForBackup(ref)
		}
		return t, nil
	},
	act: func(*call[describeBackupsIn, noPlan]) (*dynamodb.DescribeContinuousBackupsOutput, error) {
		return &dynamodb.DescribeContinuousBackupsOutput{ContinuousBackupsDescription: &types.ContinuousBackupsDescription{
			ContinuousBackupsStatus: types.ContinuousBackupsStatusEnabled,
			PointInTimeRecoveryDescription: &types.PointInTimeRecoveryDescription{
				PointInTimeRecoveryStatus: types.PointInTimeRecoveryStatusDisabled,
			},
		}}, nil
	},
}
