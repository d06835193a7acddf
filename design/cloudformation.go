package design

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// The members of a template, as far as it needs them.
// aws-resource-dynamodb-table.html in the CloudFormation template reference.
type (
	cfnTemplate struct {
		AWSTemplateFormatVersion string
		Description              string
		Resources                map[string]cfnResource
		Outputs                  map[string]cfnOutput
	}
	cfnResource struct {
		Type                string
		DeletionPolicy      string
		UpdateReplacePolicy string
		Properties          cfnTable
	}
	cfnTable struct {
		TableName                        string
		AttributeDefinitions             []cfnAttribute
		KeySchema                        []cfnKey
		LocalSecondaryIndexes            []cfnIndex `json:",omitempty"`
		GlobalSecondaryIndexes           []cfnIndex `json:",omitempty"`
		BillingMode                      types.BillingMode
		ProvisionedThroughput            *cfnThroughput `json:",omitempty"`
		StreamSpecification              *cfnStream     `json:",omitempty"`
		TimeToLiveSpecification          *cfnExpiry     `json:",omitempty"`
		PointInTimeRecoverySpecification cfnRecovery
		DeletionProtectionEnabled        bool
		Tags                             []cfnTag `json:",omitempty"`
	}
	cfnAttribute struct {
		AttributeName string
		AttributeType types.ScalarAttributeType
	}
	cfnKey struct {
		AttributeName string
		KeyType       types.KeyType
	}
	cfnIndex struct {
		IndexName             string
		KeySchema             []cfnKey
		Projection            cfnProjection
		ProvisionedThroughput *cfnThroughput `json:",omitempty"`
	}
	cfnProjection struct {
		ProjectionType   types.ProjectionType
		NonKeyAttributes []string `json:",omitempty"`
	}
	cfnThroughput struct{ ReadCapacityUnits, WriteCapacityUnits int64 }
	cfnStream     struct{ StreamViewType types.StreamViewType }
	cfnExpiry     struct {
		AttributeName string
		Enabled       bool
	}
	cfnRecovery struct{ PointInTimeRecoveryEnabled bool }
	cfnTag      struct{ Key, Value string }
	cfnOutput   struct {
		Description string
		Value       any
	}
)

// CloudFormation returns a template in JSON with the table as its one resource,
// which is kept when the stack is deleted, and its name, ARN and stream as
// outputs.
func (d *Deployment) CloudFormation() ([]byte, error) {
	id := logicalID(d.name)
	t := cfnTable{
		TableName: d.name, BillingMode: d.create.BillingMode, KeySchema: cfnKeys(d.create.KeySchema),
		ProvisionedThroughput:            cfnUnits(d.create.ProvisionedThroughput),
		PointInTimeRecoverySpecification: cfnRecovery{d.settings.PointInTimeRecovery},
		DeletionProtectionEnabled:        d.settings.DeletionProtection,
	}
	for _, a := range d.create.AttributeDefinitions {
		t.AttributeDefinitions = append(t.AttributeDefinitions, cfnAttribute{*a.AttributeName, a.AttributeType})
	}
	for _, ix := range d.create.LocalSecondaryIndexes {
		t.LocalSecondaryIndexes = append(t.LocalSecondaryIndexes, cfnIndex{
			IndexName: *ix.IndexName, KeySchema: cfnKeys(ix.KeySchema), Projection: cfnProjected(ix.Projection),
		})
	}
	for _, ix := range d.create.GlobalSecondaryIndexes {
		t.GlobalSecondaryIndexes = append(t.GlobalSecondaryIndexes, cfnIndex{
			IndexName: *ix.IndexName, KeySchema: cfnKeys(ix.KeySchema), Projection: cfnProjected(ix.Projection),
			ProvisionedThroughput: cfnUnits(ix.ProvisionedThroughput),
		})
	}
	if d.expiry != "" {
		t.TimeToLiveSpecification = &cfnExpiry{d.expiry, true}
	}
	for _, tag := range d.create.Tags {
		t.Tags = append(t.Tags, cfnTag{*tag.Key, *tag.Value})
	}
	outputs := map[string]cfnOutput{
		"TableName": {"The name of the table", map[string]string{"Ref": id}},
		"TableArn":  {"The ARN of the table", getAtt(id, "Arn")},
	}
	if s := d.create.StreamSpecification; s != nil {
		t.StreamSpecification = &cfnStream{s.StreamViewType}
		outputs["StreamArn"] = cfnOutput{"The ARN of the table's stream", getAtt(id, "StreamArn")}
	}
	return indented(cfnTemplate{
		AWSTemplateFormatVersion: "2010-09-09",
		Description:              fmt.Sprintf("The DynamoDB table %s", d.name),
		Resources: map[string]cfnResource{id: {
			Type: "AWS::DynamoDB::Table", DeletionPolicy: "Retain", UpdateReplacePolicy: "Retain", Properties: t,
		}},
		Outputs: outputs,
	})
}

func getAtt(id, attribute string) map[string][]string {
	return map[string][]string{"Fn::GetAtt": {id, attribute}}
}

// logicalID makes a logical ID, which has letters and digits only, of a table's
// name.
func logicalID(table string) string {
	id := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, table)
	return id + "Table"
}

func cfnKeys(elements []types.KeySchemaElement) []cfnKey {
	out := make([]cfnKey, len(elements))
	for i, el := range elements {
		out[i] = cfnKey{*el.AttributeName, el.KeyType}
	}
	return out
}

func cfnProjected(p *types.Projection) cfnProjection {
	return cfnProjection{p.ProjectionType, p.NonKeyAttributes}
}

func cfnUnits(p *types.ProvisionedThroughput) *cfnThroughput {
	if p == nil {
		return nil
	}
	return &cfnThroughput{*p.ReadCapacityUnits, *p.WriteCapacityUnits}
}
