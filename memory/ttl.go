package memory

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// ttlInterval is how long a change of TTL keeps others out.
// time-to-live-ttl-how-to.html
//
// Differs from DynamoDB: without [TransitionTime], changes follow each other at
// will.
const ttlInterval = time.Hour

// timeToLive is the expiry setting of a table.
type timeToLive struct {
	attribute string // "" for none
	changed   time.Time
}

type (
	updateTTLIn   = dynamodb.UpdateTimeToLiveInput
	describeTTLIn = dynamodb.DescribeTimeToLiveInput
)

var updateTTLRules = rules[updateTTLIn]{
	member("tableName", func(in *updateTTLIn) field { return tableName(in.TableName) }, oldTable()...),
	member("timeToLiveSpecification", func(in *updateTTLIn) field { return field{null: in.TimeToLiveSpecification == nil} }, notNull()),
	inner("timeToLiveSpecification", func(in *updateTTLIn) *types.TimeToLiveSpecification { return in.TimeToLiveSpecification },
		rules[types.TimeToLiveSpecification]{
			member("enabled", func(s *types.TimeToLiveSpecification) field { return field{null: s.Enabled == nil} }, notNull()),
			member("attributeName", func(s *types.TimeToLiveSpecification) field { return text(s.AttributeName) },
				notNull(), minLength(1), maxLength(255)),
		}),
}

var describeTTLRules = rules[describeTTLIn]{
	member("tableName", func(in *describeTTLIn) field { return tableName(in.TableName) }, oldTable()...),
}

// UpdateTimeToLive names the attribute that holds the time at which an item
// expires, or stops expiry.
func (db *DB) UpdateTimeToLive(ctx context.Context, in *dynamodb.UpdateTimeToLiveInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error) {
	return run(ctx, db, &updateTimeToLive, in)
}

var updateTimeToLive = operation[updateTTLIn, noPlan, dynamodb.UpdateTimeToLiveOutput]{
	rules:  updateTTLRules,
	writes: true,
	table:  func(in *updateTTLIn) *string { return in.TableName },
	find:   findNamed,
	act: func(c *call[updateTTLIn, noPlan]) (*dynamodb.UpdateTimeToLiveOutput, error) {
		spec := types.TimeToLiveSpecification{
			Enabled:       aws.Bool(*c.in.TimeToLiveSpecification.Enabled),
			AttributeName: aws.String(*c.in.TimeToLiveSpecification.AttributeName),
		}
		if err := c.db.setTTL(c.table(), *spec.Enabled, *spec.AttributeName); err != nil {
			return nil, err
		}
		return &dynamodb.UpdateTimeToLiveOutput{TimeToLiveSpecification: &spec}, nil
	},
}

func (db *DB) setTTL(t *table, enable bool, attribute string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.checkIdle(db.settings.clock); err != nil {
		return err
	}
	ttl := &t.state.ttl
	switch {
	case db.settings.transition > 0 && !ttl.changed.IsZero() && db.now().Sub(ttl.changed) < ttlInterval:
		return invalid(textTTLTooOften)
	case enable && ttl.attribute == attribute:
		return invalid(textTTLEnabled)
	case !enable && ttl.attribute == "":
		return invalid(textTTLDisabled)
	case ttl.attribute != "" && ttl.attribute != attribute:
		return errTTLElsewhere(ttl.attribute)
	}
	*ttl = timeToLive{changed: db.now()}
	if enable {
		ttl.attribute = attribute
	}
	return db.ledger.tableLocked(t)
}

// DescribeTimeToLive returns the expiry setting of a table.
func (db *DB) DescribeTimeToLive(ctx context.Context, in *dynamodb.DescribeTimeToLiveInput, _ ...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput, error) {
	return run(ctx, db, &describeTimeToLive, in)
}

var describeTimeToLive = operation[describeTTLIn, noPlan, dynamodb.DescribeTimeToLiveOutput]{
	rules: describeTTLRules,
	table: func(in *describeTTLIn) *string { return in.TableName },
	find:  findNamed,
	act: func(c *call[describeTTLIn, noPlan]) (*dynamodb.DescribeTimeToLiveOutput, error) {
		return &dynamodb.DescribeTimeToLiveOutput{TimeToLiveDescription: c.db.describeTTL(c.table())}, nil
	},
}

func (db *DB) describeTTL(t *table) *types.TimeToLiveDescription {
	t.mu.Lock()
	defer t.mu.Unlock()
	ttl := t.state.ttl
	changing := !ttl.changed.IsZero() && db.now().Before(ttl.changed.Add(db.settings.transition))
	d := &types.TimeToLiveDescription{}
	if ttl.attribute != "" {
		d.AttributeName = aws.String(ttl.attribute)
	}
	switch {
	case ttl.attribute != "" && changing:
		d.TimeToLiveStatus = types.TimeToLiveStatusEnabling
	case ttl.attribute != "":
		d.TimeToLiveStatus = types.TimeToLiveStatusEnabled
	case changing:
		d.TimeToLiveStatus = types.TimeToLiveStatusDisabling
	default:
		d.TimeToLiveStatus = types.TimeToLiveStatusDisabled
	}
	return d
}
