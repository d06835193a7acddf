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
		projection := &types.Projection{ProjectionType: ix.projection, NonKeyAttributes: slices.Clone(ix.include)}
		if ix.local {
			in.LocalSecondaryIndexes = append(in.LocalSecondaryIndexes, types.LocalSecondaryIndex{
				IndexName: aws.String(ix.name), KeySchema: ix.keys.schema(), Projection: projection,
			})
			continue
		}
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: aws.String(ix.name), KeySchema: ix.keys.schema(), Projection: projection,
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
	var s []types.KeySchemaElement
	for _, attr := range k.pk {
		s = append(s, types.KeySchemaElement{AttributeName: aws.String(attr), KeyType: types.KeyTypeHash})
	}
	for _, attr := range k.sk {
		s = append(s, types.KeySchemaElement{AttributeName: aws.String(attr), KeyType: types.KeyTypeRange})
	}
	return s
}

// keyAttributes lists the key attributes of the table and its indexes, each
// once, in that order.
func (t *Table) keyAttributes() []string {
	out := t.keys.all()
	for _, ix := range t.indexes {
		for _, attr := range ix.keys.all() {
			if !slices.Contains(out, attr) {
				out = append(out, attr)
			}
		}
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
	if t == nil {
		return "no table"
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	names := make([]string, len(t.entities))
	for i, e := range t.entities {
		names[i] = e.name
	}
	return fmt.Sprintf("%s (%s)", t.name, strings.Join(names, ", "))
}
