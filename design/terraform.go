package design

import (
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// The arguments of the resource aws_dynamodb_table, as far as it needs them.
// Blocks that can be repeated are lists.
type (
	tfTable struct {
		Name               string            `json:"name"`
		Billing            types.BillingMode `json:"billing_mode"`
		ReadUnits          int64             `json:"read_capacity,omitempty"`
		WriteUnits         int64             `json:"write_capacity,omitempty"`
		HashKey            string            `json:"hash_key"`
		RangeKey           string            `json:"range_key,omitempty"`
		Attributes         []tfAttribute     `json:"attribute"`
		LocalIndexes       []tfIndex         `json:"local_secondary_index,omitempty"`
		GlobalIndexes      []tfIndex         `json:"global_secondary_index,omitempty"`
		StreamEnabled      bool              `json:"stream_enabled,omitempty"`
		Stream             string            `json:"stream_view_type,omitempty"`
		Expiry             []tfExpiry        `json:"ttl,omitempty"`
		Recovery           []tfEnabled       `json:"point_in_time_recovery"`
		DeletionProtection bool              `json:"deletion_protection_enabled"`
		Tags               map[string]string `json:"tags,omitempty"`
		Lifecycle          tfLifecycle       `json:"lifecycle"`
	}
	tfAttribute struct {
		Name string                    `json:"name"`
		Type types.ScalarAttributeType `json:"type"`
	}
	tfIndex struct {
		Name       string               `json:"name"`
		HashKey    string               `json:"hash_key,omitempty"`
		RangeKey   string               `json:"range_key,omitempty"`
		Key        []tfKey              `json:"key_schema,omitempty"`
		Projection types.ProjectionType `json:"projection_type"`
		Include    []string             `json:"non_key_attributes,omitempty"`
		ReadUnits  int64                `json:"read_capacity,omitempty"`
		WriteUnits int64                `json:"write_capacity,omitempty"`
	}
	tfKey struct {
		Name string        `json:"attribute_name"`
		Type types.KeyType `json:"key_type"`
	}
	tfExpiry struct {
		Attribute string `json:"attribute_name"`
		Enabled   bool   `json:"enabled"`
	}
	tfEnabled struct {
		Enabled bool `json:"enabled"`
	}
	tfLifecycle struct {
		PreventDestroy bool `json:"prevent_destroy"`
	}
)

// Terraform returns the table as a configuration in JSON, for a file whose name
// ends in .tf.json: one resource aws_dynamodb_table, protected from being
// destroyed. The module around it names the provider.
//
// An index with a key of several attributes is written with key_schema blocks,
// which the provider knows since 6.29; all others with hash_key and range_key,
// which it knows in every version.
func (d *Deployment) Terraform() ([]byte, error) {
	t := tfTable{
		Name: literal(d.name), Billing: d.create.BillingMode,
		Recovery:           []tfEnabled{{d.settings.PointInTimeRecovery}},
		DeletionProtection: d.settings.DeletionProtection,
		Lifecycle:          tfLifecycle{PreventDestroy: true},
	}
	t.HashKey, t.RangeKey, _ = tfKeys(d.create.KeySchema)
	if p := d.create.ProvisionedThroughput; p != nil {
		t.ReadUnits, t.WriteUnits = *p.ReadCapacityUnits, *p.WriteCapacityUnits
	}
	for _, a := range d.create.AttributeDefinitions {
		t.Attributes = append(t.Attributes, tfAttribute{literal(*a.AttributeName), a.AttributeType})
	}
	for _, ix := range d.create.LocalSecondaryIndexes {
		out := tfProjected(*ix.IndexName, ix.Projection)
		_, out.RangeKey, _ = tfKeys(ix.KeySchema)
		t.LocalIndexes = append(t.LocalIndexes, out)
	}
	for _, ix := range d.create.GlobalSecondaryIndexes {
		out := tfProjected(*ix.IndexName, ix.Projection)
		out.HashKey, out.RangeKey, out.Key = tfKeys(ix.KeySchema)
		if p := ix.ProvisionedThroughput; p != nil {
			out.ReadUnits, out.WriteUnits = *p.ReadCapacityUnits, *p.WriteCapacityUnits
		}
		t.GlobalIndexes = append(t.GlobalIndexes, out)
	}
	if s := d.create.StreamSpecification; s != nil {
		t.StreamEnabled, t.Stream = true, string(s.StreamViewType)
	}
	if d.expiry != "" {
		t.Expiry = []tfExpiry{{literal(d.expiry), true}}
	}
	if len(d.create.Tags) > 0 {
		t.Tags = make(map[string]string)
	}
	for _, tag := range d.create.Tags {
		t.Tags[literal(*tag.Key)] = literal(*tag.Value)
	}
	return indented(map[string]any{
		"resource": map[string]any{"aws_dynamodb_table": map[string]any{resourceName(d.name): t}},
	})
}

func tfProjected(name string, p *types.Projection) tfIndex {
	out := tfIndex{Name: literal(name), Projection: p.ProjectionType}
	for _, attr := range p.NonKeyAttributes {
		out.Include = append(out.Include, literal(attr))
	}
	return out
}

// tfKeys returns a key by its arguments, or as blocks if it has several
// attributes in one role.
func tfKeys(elements []types.KeySchemaElement) (hash, sort string, several []tfKey) {
	role := func(t types.KeyType) []string {
		var names []string
		for _, el := range elements {
			if el.KeyType == t {
				names = append(names, literal(*el.AttributeName))
			}
		}
		return names
	}
	hashes, sorts := role(types.KeyTypeHash), role(types.KeyTypeRange)
	if len(hashes) == 1 && len(sorts) <= 1 {
		return hashes[0], strings.Join(sorts, ""), nil
	}
	for _, el := range elements {
		several = append(several, tfKey{literal(*el.AttributeName), el.KeyType})
	}
	return "", "", several
}

// literal keeps Terraform from taking a text for a template.
func literal(text string) string {
	return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(text)
}

// resourceName makes an identifier of a table's name.
func resourceName(table string) string {
	name := strings.ReplaceAll(table, ".", "_")
	if slices.Contains([]byte("0123456789-"), name[0]) {
		name = "_" + name
	}
	return name
}
