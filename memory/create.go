package memory

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/av"
)

// newTable makes the table that a checked request defines. It shares no memory
// with the request.
func (db *DB) newTable(in *createIn) *table {
	name := nameInARN(*in.TableName)
	t := &table{
		name:    name,
		arn:     db.tableARN(name),
		id:      db.newID(),
		created: db.now(),
		base:    db.newKeyspace(),
		ledger:  db.ledger,
	}
	defined := definedAttributes(in.AttributeDefinitions)
	key := newKeySchema(in.KeySchema, defined)
	var indexes []*index
	for _, ix := range in.LocalSecondaryIndexes {
		made := db.newIndex(*ix.IndexName, &key, newKeySchema(ix.KeySchema, defined), ix.Projection)
		made.local = true
		indexes = append(indexes, made)
	}
	for _, ix := range in.GlobalSecondaryIndexes {
		indexes = append(indexes, db.newIndex(*ix.IndexName, &key, newKeySchema(ix.KeySchema, defined), ix.Projection))
	}
	t.layout.Store(newLayout(defined, key, indexes))
	t.state = db.newTableState(in, t.created)
	if s := in.StreamSpecification; s != nil && *s.StreamEnabled {
		t.state.stream = db.newStream(t, s.StreamViewType)
	}
	db.equip(t)
	t.enter(types.TableStatusCreating, t.created, db.settings.transition)
	return t
}

func (db *DB) newTableState(in *createIn, now time.Time) tableState {
	s := tableState{
		billing:   cmp.Or(in.BillingMode, types.BillingModeProvisioned),
		ceiling:   ceilingOf(in.OnDemandThroughput),
		warm:      warmOf(in.WarmThroughput),
		class:     in.TableClass,
		protected: isTrue(in.DeletionProtectionEnabled),
		encrypted: db.encryptionOf(in.SSESpecification),
		global:    make(map[string]indexState),
		tags:      make(map[string]string),
	}
	s.throughput = throughputOf(in.ProvisionedThroughput)
	if s.billing == types.BillingModePayPerRequest {
		s.onDemandAt = now
	}
	for _, ix := range in.GlobalSecondaryIndexes {
		s.global[*ix.IndexName] = newIndexState(ix.ProvisionedThroughput, ix.OnDemandThroughput, ix.WarmThroughput)
	}
	for _, tag := range in.Tags {
		s.tags[*tag.Key] = *tag.Value
	}
	return s
}

func newIndexState(p *types.ProvisionedThroughput, o *types.OnDemandThroughput, w *types.WarmThroughput) indexState {
	s := indexState{ceiling: ceilingOf(o), warm: warmOf(w)}
	s.throughput = throughputOf(p)
	return s
}

// encryptionOf returns what a specification asks for, nil for nothing special.
func (db *DB) encryptionOf(s *types.SSESpecification) *encryption {
	if s == nil || !isTrue(s.Enabled) {
		return nil
	}
	key := "alias/aws/dynamodb"
	if s.KMSMasterKeyId != nil {
		key = *s.KMSMasterKeyId
	}
	if !strings.HasPrefix(key, "arn:") {
		key = "arn:aws:kms:" + db.settings.region + ":" + db.settings.account + ":" + kmsResource(key)
	}
	return &encryption{key}
}

// kmsResource returns the last part of the ARN of a key that is named by alias
// or id.
func kmsResource(key string) string {
	if strings.HasPrefix(key, "alias/") {
		return key
	}
	return "key/" + key
}

// newIndex makes an empty index. A view always holds the keys of index and
// table.
func (db *DB) newIndex(name string, primary *keySchema, schema keySchema, p *types.Projection) *index {
	ix := &index{
		name:       name,
		schema:     schema,
		projection: p.ProjectionType,
		nonKey:     slices.Clone(p.NonKeyAttributes),
		space:      db.newKeyspace(),
	}
	if p.ProjectionType == types.ProjectionTypeAll {
		return ix
	}
	ix.projected = slices.Clone(p.NonKeyAttributes)
	for _, a := range slices.Concat(primary.all, schema.all) {
		ix.projected = append(ix.projected, a.Name)
	}
	slices.Sort(ix.projected)
	ix.projected = slices.Compact(ix.projected)
	return ix
}

func definedAttributes(definitions []types.AttributeDefinition) []keyAttribute {
	out := make([]keyAttribute, len(definitions))
	for i, d := range definitions {
		kind, _ := av.KindOf(string(d.AttributeType))
		out[i] = keyAttribute{Name: *d.AttributeName, Kind: kind}
	}
	return out
}

func throughputOf(t *types.ProvisionedThroughput) throughput {
	if t == nil {
		return throughput{}
	}
	return throughput{*t.ReadCapacityUnits, *t.WriteCapacityUnits}
}

func ceilingOf(t *types.OnDemandThroughput) throughput {
	if t == nil {
		return throughput{}
	}
	return throughput{max(0, aws.ToInt64(t.MaxReadRequestUnits)), max(0, aws.ToInt64(t.MaxWriteRequestUnits))}
}

func warmOf(t *types.WarmThroughput) throughput {
	if t == nil {
		return throughput{}
	}
	return throughput{aws.ToInt64(t.ReadUnitsPerSecond), aws.ToInt64(t.WriteUnitsPerSecond)}
}

func (db *DB) tableARN(name string) string {
	return "arn:aws:dynamodb:" + db.settings.region + ":" + db.settings.account + ":table/" + name
}
