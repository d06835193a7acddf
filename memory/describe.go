package memory

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Capacity that an on-demand table serves from the start.
// warm-throughput.html
const (
	warmReadUnits  = 12_000
	warmWriteUnits = 4_000
)

// describe returns the description of a table. It shares no memory with the
// table.
func (t *table) describe(clock func() time.Time) *types.TableDescription {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := clock()
	l := t.layout.Load()
	count, bytes := t.base.totals()
	d := &types.TableDescription{
		TableName:                 aws.String(t.name),
		TableArn:                  aws.String(t.arn),
		TableId:                   aws.String(t.id),
		TableStatus:               t.status(clock),
		CreationDateTime:          aws.Time(t.created),
		AttributeDefinitions:      l.definitions(),
		KeySchema:                 l.key.elements(),
		ItemCount:                 aws.Int64(int64(count)),
		TableSizeBytes:            aws.Int64(int64(bytes)),
		DeletionProtectionEnabled: aws.Bool(t.state.protected),
		ProvisionedThroughput:     t.state.provisioned.describe(now),
		OnDemandThroughput:        t.state.ceiling.ceiling(),
		BillingModeSummary:        t.state.describeBilling(),
		TableClassSummary:         t.state.describeClass(),
		SSEDescription:            t.state.encrypted.describe(),
	}
	if s := t.state.stream; s != nil {
		d.LatestStreamArn, d.LatestStreamLabel = aws.String(s.arn), aws.String(s.label())
	}
	if t.state.streams() {
		d.StreamSpecification = &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: t.state.stream.viewType,
		}
	}
	warm := t.state.warmest(t.state.warm, t.state.throughput)
	d.WarmThroughput = &types.TableWarmThroughputDescription{
		ReadUnitsPerSecond: aws.Int64(warm.read), WriteUnitsPerSecond: aws.Int64(warm.write), Status: types.TableStatusActive,
	}
	for _, ix := range l.indexes {
		if ix.local {
			d.LocalSecondaryIndexes = append(d.LocalSecondaryIndexes, t.describeLocal(ix))
			continue
		}
		d.GlobalSecondaryIndexes = append(d.GlobalSecondaryIndexes,
			t.describeGlobal(ix, t.state.global[ix.name], d.TableStatus, now))
	}
	t.state.forgetIndexes(now)
	for _, gone := range t.state.leaving {
		g := t.describeGlobal(gone.index, gone.state, d.TableStatus, now)
		g.IndexStatus, g.Backfilling = types.IndexStatusDeleting, nil
		d.GlobalSecondaryIndexes = append(d.GlobalSecondaryIndexes, g)
	}
	return d
}

// describeChanging is the answer to a change, which names the state that the
// change begins with even where it is over already.
func (t *table) describeChanging(clock func() time.Time, status types.TableStatus) *types.TableDescription {
	d := t.describe(clock)
	d.TableStatus = status
	return d
}

// describeCreated is the answer to CreateTable. Of warm throughput it only has
// what was asked for (observed).
func (t *table) describeCreated(clock func() time.Time) *types.TableDescription {
	d := t.describeChanging(clock, types.TableStatusCreating)
	if d.BillingModeSummary != nil {
		d.BillingModeSummary.LastUpdateToPayPerRequestDateTime = nil
	}
	if d.WarmThroughput.Status = types.TableStatusUpdating; t.state.warm == (throughput{}) {
		d.WarmThroughput = nil
	}
	for i := range d.GlobalSecondaryIndexes {
		g := &d.GlobalSecondaryIndexes[i]
		g.IndexStatus = types.IndexStatusCreating
		if g.WarmThroughput.Status = types.IndexStatusUpdating; t.state.global[*g.IndexName].warm == (throughput{}) {
			g.WarmThroughput = nil
		}
	}
	return d
}

// describeDeleted is the answer to DeleteTable, which leaves out the schema
// (observed).
func (t *table) describeDeleted(clock func() time.Time) *types.TableDescription {
	d := t.describeChanging(clock, types.TableStatusDeleting)
	d.KeySchema, d.AttributeDefinitions, d.CreationDateTime = nil, nil, nil
	d.LocalSecondaryIndexes, d.GlobalSecondaryIndexes, d.WarmThroughput = nil, nil, nil
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

func (t *table) describeGlobal(ix *index, s indexState, status types.TableStatus, now time.Time) types.GlobalSecondaryIndexDescription {
	ix.lag.catchUp(now)
	count, bytes := ix.space.totals()
	warm := t.state.warmest(s.warm, s.throughput)
	d := types.GlobalSecondaryIndexDescription{
		IndexName:             aws.String(ix.name),
		IndexArn:              aws.String(t.arn + "/index/" + ix.name),
		IndexStatus:           types.IndexStatusActive,
		KeySchema:             ix.schema.elements(),
		Projection:            ix.describeProjection(),
		ItemCount:             aws.Int64(int64(count)),
		IndexSizeBytes:        aws.Int64(int64(bytes)),
		ProvisionedThroughput: s.provisioned.describe(now),
		OnDemandThroughput:    s.ceiling.ceiling(),
		WarmThroughput: &types.GlobalSecondaryIndexWarmThroughputDescription{
			ReadUnitsPerSecond: aws.Int64(warm.read), WriteUnitsPerSecond: aws.Int64(warm.write), Status: types.IndexStatusActive,
		},
	}
	switch {
	case status == types.TableStatusCreating:
		d.IndexStatus = types.IndexStatusCreating
	case now.Before(ix.building.until):
		d.IndexStatus = types.IndexStatusCreating
		if ix.building.backfills(now) {
			d.Backfilling = aws.Bool(true)
		}
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

func (p *provisioned) describe(now time.Time) *types.ProvisionedThroughputDescription {
	decreases := p.decreases
	if !sameDay(p.lowered, now) {
		decreases = 0
	}
	return &types.ProvisionedThroughputDescription{
		LastDecreaseDateTime:   timeOrNone(p.lowered),
		LastIncreaseDateTime:   timeOrNone(p.raised),
		NumberOfDecreasesToday: aws.Int64(decreases),
		ReadCapacityUnits:      aws.Int64(p.read),
		WriteCapacityUnits:     aws.Int64(p.write),
	}
}

func timeOrNone(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return aws.Time(t)
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

// describeClass is absent for tables of which no class was ever asked.
func (s *tableState) describeClass() *types.TableClassSummary {
	if s.class == "" {
		return nil
	}
	return &types.TableClassSummary{TableClass: s.class, LastUpdateDateTime: timeOrNone(s.classAt)}
}

func (e *encryption) describe() *types.SSEDescription {
	if e == nil {
		return nil
	}
	return &types.SSEDescription{
		Status: types.SSEStatusEnabled, SSEType: types.SSETypeKms, KMSMasterKeyArn: aws.String(e.keyARN),
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
