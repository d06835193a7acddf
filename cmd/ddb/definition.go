package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/export"
)

// definition is the definition of a table and where it stands.
type definition struct {
	create *dynamodb.CreateTableInput
	file   string
	line   int // from 1
}

// fail says where a definition is at fault.
func (d definition) fail(err error) error {
	return &export.LineError{File: d.file, Line: d.line, Err: err}
}

// isDefinition tells files that define tables from files with items by the first
// member of the first object. A file without any object holds no items. It fails
// if the file cannot be read.
func isDefinition(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	magic, err := in.Peek(2)
	switch {
	case bytes.Equal(magic, []byte{0x1f, 0x8b}):
		return false, nil // gzip, as items may be
	case err != nil && err != io.EOF:
		return false, err
	}
	tokens := json.NewDecoder(in)
	if token, err := tokens.Token(); err != nil || token != json.Delim('{') {
		return false, nil // whoever reads the file as items says what is wrong
	}
	name, err := tokens.Token()
	return err == nil && name != "Item", nil
}

// definitions yields the tables that a file defines: one object after the other,
// each the input of CreateTable or the output of CreateTable or DescribeTable. The
// first error ends the sequence.
func definitions(path string) iter.Seq2[definition, error] {
	return func(yield func(definition, error) bool) {
		text, err := os.ReadFile(path)
		if err != nil {
			yield(definition{}, err)
			return
		}
		objects := json.NewDecoder(bytes.NewReader(text))
		for {
			d := definition{file: path, line: lineAt(text, objects.InputOffset())}
			var object json.RawMessage
			if err := objects.Decode(&object); err == io.EOF {
				return
			} else if err != nil {
				d.line = lineAt(text, objects.InputOffset())
				if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
					d.line = lineAt(text, syntax.Offset)
				}
				yield(d, d.fail(err))
				return
			}
			d.line = lineAt(text, objects.InputOffset()-int64(len(object)))
			if d.create, err = parseDefinition(object); err != nil {
				yield(d, d.fail(err))
				return
			}
			if !yield(d, nil) {
				return
			}
		}
	}
}

// lineAt returns the number of the line with the byte at an offset.
func lineAt(text []byte, offset int64) int {
	return 1 + bytes.Count(text[:min(offset, int64(len(text)))], []byte("\n"))
}

func parseDefinition(object []byte) (*dynamodb.CreateTableInput, error) {
	var described struct{ Table, TableDescription *description }
	if err := json.Unmarshal(object, &described); err != nil {
		return nil, err
	}
	switch {
	case described.Table != nil:
		return described.Table.input(), nil
	case described.TableDescription != nil:
		return described.TableDescription.input(), nil
	}
	in := new(dynamodb.CreateTableInput)
	strict := json.NewDecoder(bytes.NewReader(object))
	strict.DisallowUnknownFields()
	if err := strict.Decode(in); err != nil {
		return nil, fmt.Errorf("no definition of a table: %w", err)
	}
	if in.TableName == nil {
		return nil, errors.New(`no definition of a table: it has neither "TableName" nor "Table"`)
	}
	return in, nil
}

// description is what is read of a table's description: all that CreateTable can
// be asked for.
type description struct {
	TableName                 *string
	AttributeDefinitions      []types.AttributeDefinition
	KeySchema                 []types.KeySchemaElement
	BillingModeSummary        *struct{ BillingMode types.BillingMode }
	ProvisionedThroughput     *units
	OnDemandThroughput        *types.OnDemandThroughput
	GlobalSecondaryIndexes    []indexDescription
	LocalSecondaryIndexes     []indexDescription
	StreamSpecification       *types.StreamSpecification
	SSEDescription            *struct{ KMSMasterKeyArn *string }
	TableClassSummary         *struct{ TableClass types.TableClass }
	DeletionProtectionEnabled *bool
}

type indexDescription struct {
	IndexName             *string
	KeySchema             []types.KeySchemaElement
	Projection            *types.Projection
	ProvisionedThroughput *units
	OnDemandThroughput    *types.OnDemandThroughput
}

// units is provisioned capacity; on-demand tables are described with none.
type units struct{ ReadCapacityUnits, WriteCapacityUnits int64 }

func (u *units) throughput() *types.ProvisionedThroughput {
	if u == nil || u.ReadCapacityUnits == 0 && u.WriteCapacityUnits == 0 {
		return nil
	}
	return &types.ProvisionedThroughput{ReadCapacityUnits: &u.ReadCapacityUnits, WriteCapacityUnits: &u.WriteCapacityUnits}
}

// input returns the input of CreateTable that makes such a table.
func (d *description) input() *dynamodb.CreateTableInput {
	in := &dynamodb.CreateTableInput{
		TableName: d.TableName, AttributeDefinitions: d.AttributeDefinitions, KeySchema: d.KeySchema,
		ProvisionedThroughput: d.ProvisionedThroughput.throughput(), OnDemandThroughput: d.OnDemandThroughput,
		StreamSpecification: d.StreamSpecification, DeletionProtectionEnabled: d.DeletionProtectionEnabled,
	}
	if d.BillingModeSummary != nil {
		in.BillingMode = d.BillingModeSummary.BillingMode
	}
	if d.TableClassSummary != nil {
		in.TableClass = d.TableClassSummary.TableClass
	}
	if d.SSEDescription != nil && d.SSEDescription.KMSMasterKeyArn != nil {
		enabled := true
		in.SSESpecification = &types.SSESpecification{
			Enabled: &enabled, SSEType: types.SSETypeKms, KMSMasterKeyId: d.SSEDescription.KMSMasterKeyArn,
		}
	}
	for _, ix := range d.GlobalSecondaryIndexes {
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: ix.IndexName, KeySchema: ix.KeySchema, Projection: ix.Projection,
			ProvisionedThroughput: ix.ProvisionedThroughput.throughput(), OnDemandThroughput: ix.OnDemandThroughput,
		})
	}
	for _, ix := range d.LocalSecondaryIndexes {
		in.LocalSecondaryIndexes = append(in.LocalSecondaryIndexes, types.LocalSecondaryIndex{
			IndexName: ix.IndexName, KeySchema: ix.KeySchema, Projection: ix.Projection,
		})
	}
	return in
}
