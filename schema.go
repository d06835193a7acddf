package ddb

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// CreateTableInput returns the input that creates the table with its indexes,
// on demand. Only key attributes are defined; their types follow from the
// entities. It fails with [ErrDefinition] if there are faults.
func (t *Table) CreateTableInput() (*dynamodb.CreateTableInput, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	kinds := t.keyKinds()
	in := &dynamodb.CreateTableInput{
		TableName:   aws.String(t.name),
		BillingMode: types.BillingModePayPerRequest,
		KeySchema:   t.keys.schema(),
	}
	for _, ix := range t.indexes {
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: aws.String(ix.name),
			KeySchema: ix.keys.schema(),
			Projection: &types.Projection{
				ProjectionType:   ix.projection,
				NonKeyAttributes: slices.Clone(ix.include),
			},
		})
	}
	for _, attr := range t.keyAttributes() {
		in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{
			AttributeName: aws.String(attr), AttributeType: kinds[attr],
		})
	}
	return in, nil
}

func (k keyNames) schema() []types.KeySchemaElement {
	s := []types.KeySchemaElement{{AttributeName: aws.String(k.pk), KeyType: types.KeyTypeHash}}
	if k.sk != "" {
		s = append(s, types.KeySchemaElement{AttributeName: aws.String(k.sk), KeyType: types.KeyTypeRange})
	}
	return s
}

// keyAttributes lists the key attributes of the table and its indexes, each
// once, in that order.
func (t *Table) keyAttributes() []string {
	var out []string
	add := func(k keyNames) {
		for _, attr := range []string{k.pk, k.sk} {
			if attr != "" && !slices.Contains(out, attr) {
				out = append(out, attr)
			}
		}
	}
	add(t.keys)
	for _, ix := range t.indexes {
		add(ix.keys)
	}
	return out
}

// keyKinds returns the type of each key attribute. An attribute that no entity
// fills is a string.
func (t *Table) keyKinds() map[string]types.ScalarAttributeType {
	kinds := make(map[string]types.ScalarAttributeType)
	for _, attr := range t.keyAttributes() {
		kinds[attr] = types.ScalarAttributeTypeS
	}
	for _, e := range t.entities {
		for _, c := range e.columns() {
			kinds[c.attr] = c.kind
		}
	}
	return kinds
}

// String describes the table in a line for logs.
func (t *Table) String() string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	names := make([]string, len(t.entities))
	for i, e := range t.entities {
		names[i] = e.name
	}
	return fmt.Sprintf("%s (%s)", t.name, strings.Join(names, ", "))
}
