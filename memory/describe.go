package memory

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Capacity that an on-demand table serves from the start.
// warm-throughput.html
const (
	warmReadUnits  = 12_000
	warmWriteUnits = 4_000
)

// describe returns the description of a table in use.
func (t *table) describe() *types.TableDescription {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.layout.Load()
	count, bytes := t.base.totals()
	d := &types.TableDescription{
		TableName:                 aws.String(t.name),
		TableArn:                  aws.String(t.arn),
		TableId:                   aws.String(t.id),
		TableStatus:               types.TableStatusActive,
		CreationDateTime:          aws.Time(t.created),
		AttributeDefinitions:      l.definitions(),
		KeySchema:                 l.key.elements(),
		ItemCount:                 aws.Int64(int64(count)),
		TableSizeBytes:            aws.Int64(int64(bytes)),
		DeletionProtectionEnabled: aws.Bool(t.state.protected),
		ProvisionedThroughput:     t.state.throughput.describe(),
		OnDemandThroughput:        t.state.ceiling.ceiling(),
		WarmThroughput:            t.state.describeWarm(),
		BillingModeSummary:        t.state.describeBilling(),
	}
	if t.state.class != "" {
		d.TableClassSummary = &types.TableClassSummary{TableClass: t.state.class}
	}
	for _, ix := range l.indexes {
		if ix.local {
			d.LocalSecondaryIndexes = append(d.LocalSecondaryIndexes, t.describeLocal(ix))
		} else {
			d.GlobalSecondaryIndexes = append(d.GlobalSecondaryIndexes, t.describeGlobal(ix))
		}
	}
	return d
}

// describeNew is the answer to CreateTable, which says CREATING even though the
// table can be used at once.
func (t *table) describeNew() *types.TableDescription {
	d := t.describe()
	d.TableStatus = types.TableStatusCreating
	if d.BillingModeSummary != nil {
		d.BillingModeSummary.LastUpdateToPayPerRequestDateTime = nil
	}
	for i := range d.GlobalSecondaryIndexes {
		d.GlobalSecondaryIndexes[i].IndexStatus = types.IndexStatusCreating
	}
	return d
}

// describeDeleted is the answer to DeleteTable, which leaves out the schema
// (observed).
func (t *table) describeDeleted() *types.TableDescription {
	d := t.describe()
	d.TableStatus = types.TableStatusDeleting
	d.KeySchema, d.AttributeDefinitions, d.CreationDateTime = nil, nil, nil
	d.LocalSecondaryIndexes, d.GlobalSecondaryIndexes = nil, nil
	return d
}

func (t *table) describeLocal(ix *index) types.LocalSecondaryIndexDescription {
	count, bytes := ix.space.totals()
	return types.LocalSecondaryIndexDescription{
		IndexName:      aws.String(ix.name),
		IndexArn:       aws.String(t.arn + "/index/" + ix.name),
		KeySchema:      ix.schema.elements(),
		Projection:     ix.describeProjection(),
		ItemCount:      aws.Int64(int64(count)),
		IndexSizeBytes: aws.Int64(int64(bytes)),
	}
}

func (t *table) describeGlobal(ix *index) types.GlobalSecondaryIndexDescription {
	count, bytes := ix.space.totals()
	s := t.state.global[ix.name]
	d := types.GlobalSecondaryIndexDescription{
		IndexName:             aws.String(ix.name),
		IndexArn:              aws.String(t.arn + "/index/" + ix.name),
		IndexStatus:           types.IndexStatusActive,
		KeySchema:             ix.schema.elements(),
		Projection:            ix.describeProjection(),
		ItemCount:             aws.Int64(int64(count)),
		IndexSizeBytes:        aws.Int64(int64(bytes)),
		ProvisionedThroughput: s.throughput.describe(),
		OnDemandThroughput:    s.ceiling.ceiling(),
	}
	warm := t.state.warmest(s.warm, s.throughput)
	d.WarmThroughput = &types.GlobalSecondaryIndexWarmThroughputDescription{
		ReadUnitsPerSecond: aws.Int64(warm.read), WriteUnitsPerSecond: aws.Int64(warm.write), Status: types.IndexStatusActive,
	}
	return d
}

func (ix *index) describeProjection() *types.Projection {
	p := &types.Projection{ProjectionType: ix.projection}
	p.NonKeyAttributes = append(p.NonKeyAttributes, ix.nonKey...)
	return p
}

func (l *layout) definitions() []types.AttributeDefinition {
	out := make([]types.AttributeDefinition, len(l.defined))
	for i, a := range l.defined {
		out[i] = types.AttributeDefinition{
			AttributeName: aws.String(a.Name), AttributeType: types.ScalarAttributeType(a.Kind.String()),
		}
	}
	return out
}

func (t throughput) describe() *types.ProvisionedThroughputDescription {
	return &types.ProvisionedThroughputDescription{
		NumberOfDecreasesToday: aws.Int64(0),
		ReadCapacityUnits:      aws.Int64(t.read),
		WriteCapacityUnits:     aws.Int64(t.write),
	}
}

// ceiling returns the pair as limits of an on-demand table, nil for none.
func (t throughput) ceiling() *types.OnDemandThroughput {
	if t == (throughput{}) {
		return nil
	}
	orNone := func(n int64) *int64 {
		if n == 0 {
			n = -1
		}
		return aws.Int64(n)
	}
	return &types.OnDemandThroughput{MaxReadRequestUnits: orNone(t.read), MaxWriteRequestUnits: orNone(t.write)}
}

// describeBilling is absent for tables that always were provisioned.
func (s *tableState) describeBilling() *types.BillingModeSummary {
	if s.onDemandAt.IsZero() {
		return nil
	}
	return &types.BillingModeSummary{
		BillingMode: s.billing, LastUpdateToPayPerRequestDateTime: aws.Time(s.onDemandAt),
	}
}

func (s *tableState) describeWarm() *types.TableWarmThroughputDescription {
	warm := s.warmest(s.warm, s.throughput)
	return &types.TableWarmThroughputDescription{
		ReadUnitsPerSecond: aws.Int64(warm.read), WriteUnitsPerSecond: aws.Int64(warm.write), Status: types.TableStatusActive,
	}
}

// warmest returns what can be served at once: what was asked for, or what every
// table of its billing mode can.
func (s *tableState) warmest(asked, provisioned throughput) throughput {
	least := provisioned
	if s.billing == types.BillingModePayPerRequest {
		least = throughput{warmReadUnits, warmWriteUnits}
	}
	return throughput{max(asked.read, least.read), max(asked.write, least.write)}
}

func (t *table) isProtected() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state.protected
}
