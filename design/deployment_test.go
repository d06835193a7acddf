package design_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/seed530093c6/ddb"
	"github.com/seed530093c6/ddb/design"
	"github.com/seed530093c6/ddb/memory"
)

type creator interface {
	CreateTable(context.Context, *dynamodb.CreateTableInput, ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error)
	UpdateTimeToLive(context.Context, *dynamodb.UpdateTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error)
}

// everything are settings of every kind.
var everything = design.Settings{
	Provisioned:         design.Units{Read: 5, Write: 6},
	Indexes:             map[string]design.Units{"ByDay": {Read: 7, Write: 8}},
	Stream:              types.StreamViewTypeNewAndOldImages,
	PointInTimeRecovery: true,
	DeletionProtection:  true,
	Tags:                map[string]string{"team": "shop", "cost": "center"},
}

func deploy(t testing.TB, table *ddb.Table, s design.Settings) *design.Deployment {
	t.Helper()
	d, err := design.Deploy(table, s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestTemplates compares templates and configurations with files.
func TestTemplates(t *testing.T) {
	t.Parallel()
	table := newStore(nowhere{}).table
	for _, test := range []struct {
		name     string
		settings design.Settings
	}{
		{"plain", design.Settings{}},
		{"everything", everything},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := deploy(t, table, test.settings)
			template, err := d.CloudFormation()
			if err != nil {
				t.Fatal(err)
			}
			golden(t, test.name+".template.json", template)
			configuration, err := d.Terraform()
			if err != nil {
				t.Fatal(err)
			}
			golden(t, test.name+".tf.json", configuration)
		})
	}
}

// TestTemplateNames promises that templates have only the properties that the
// reference of AWS::DynamoDB::Table lists.
func TestTemplateNames(t *testing.T) {
	t.Parallel()
	known := map[string][]string{
		"Properties": {
			"AttributeDefinitions", "BillingMode", "ContributorInsightsSpecification", "DeletionProtectionEnabled", "GlobalSecondaryIndexes",
			"ImportSourceSpecification", "KeySchema", "KinesisStreamSpecification", "LocalSecondaryIndexes", "OnDemandThroughput",
			"PointInTimeRecoverySpecification", "ProvisionedThroughput", "ResourcePolicy", "SSESpecification", "StreamSpecification",
			"TableClass", "TableName", "Tags", "TimeToLiveSpecification", "WarmThroughput",
		},
		"AttributeDefinitions":             {"AttributeName", "AttributeType"},
		"KeySchema":                        {"AttributeName", "KeyType"},
		"GlobalSecondaryIndexes":           {"ContributorInsightsSpecification", "IndexName", "KeySchema", "OnDemandThroughput", "Projection", "ProvisionedThroughput", "WarmThroughput"},
		"LocalSecondaryIndexes":            {"IndexName", "KeySchema", "Projection"},
		"Projection":                       {"NonKeyAttributes", "ProjectionType"},
		"ProvisionedThroughput":            {"ReadCapacityUnits", "WriteCapacityUnits"},
		"StreamSpecification":              {"ResourcePolicy", "StreamViewType"},
		"TimeToLiveSpecification":          {"AttributeName", "Enabled"},
		"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled", "RecoveryPeriodInDays"},
		"Tags":                             {"Key", "Value"},
	}
	template, err := deploy(t, newStore(nowhere{}).table, everything).CloudFormation()
	if err != nil {
		t.Fatal(err)
	}
	var parsed struct {
		Resources map[string]struct{ Properties map[string]any }
	}
	if err := json.Unmarshal(template, &parsed); err != nil {
		t.Fatal(err)
	}
	var check func(under string, v any)
	check = func(under string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, inner := range v {
				if !slices.Contains(known[under], name) {
					t.Errorf("%s has a property %s", under, name)
				}
				check(name, inner)
			}
		case []any:
			for _, inner := range v {
				check(under, inner)
			}
		}
	}
	check("Properties", parsed.Resources["StoreTable"].Properties)
	if len(parsed.Resources) != 1 {
		t.Errorf("%d resources, want 1", len(parsed.Resources))
	}
}

// TestCreate promises that the engine takes what a deployment would create.
func TestCreate(t *testing.T) {
	t.Parallel()
	db := memory.New()
	table := newStore(db).table
	d := deploy(t, table, design.Settings{Provisioned: everything.Provisioned, Indexes: everything.Indexes, DeletionProtection: true, Tags: map[string]string{"team": "shop"}})
	out, err := db.CreateTable(context.Background(), d.CreateTableInput())
	if err != nil {
		t.Fatal(err)
	}
	if got := *out.TableDescription.GlobalSecondaryIndexes[1].ProvisionedThroughput.WriteCapacityUnits; got != 8 {
		t.Errorf("index ByDay has %d write units, want 8", got)
	}
}

// TestDeployNames promises that templates speak of the table's name, whatever
// form it was given in.
func TestDeployNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ table, cloudFormation, terraform string }{
		{"AppTable", `"AppTableTable": {`, `"AppTable": {`},
		{"arn:aws:dynamodb:eu-west-1:123456789012:table/app.table-1", `"apptable1Table": {`, `"app_table-1": {`},
		{"1st", `"1stTable": {`, `"_1st": {`},
		{"---", `"Table": {`, `"_---": {`},
	} {
		t.Run(test.table, func(t *testing.T) {
			t.Parallel()
			table := ddb.NewTable(test.table, nowhere{})
			ddb.Define[Bare](table)
			d := deploy(t, table, design.Settings{})
			template, err := d.CloudFormation()
			if err != nil || !strings.Contains(string(template), test.cloudFormation) || strings.Contains(string(template), "arn:") {
				t.Errorf("got template %s, %v; want %s", template, err, test.cloudFormation)
			}
			configuration, err := d.Terraform()
			if err != nil || !strings.Contains(string(configuration), test.terraform) {
				t.Errorf("got configuration %s, %v; want %s", configuration, err, test.terraform)
			}
		})
	}
}

type Bare struct {
	_ ddb.Entity `pk:"P#{ID}" sk:"P"`

	ID string
}

// TestTerraformTexts promises that no text is taken for a template.
func TestTerraformTexts(t *testing.T) {
	t.Parallel()
	table := ddb.NewTable("Odd", nowhere{}, ddb.Keys("a${b}%{c}", ""))
	ddb.Define[Single](table)
	got, err := deploy(t, table, design.Settings{}).Terraform()
	if want := `"hash_key": "a$${b}%%{c}"`; err != nil || !strings.Contains(string(got), want) {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

type Single struct {
	_ ddb.Entity `pk:"P#{ID}"`

	ID string
}

// TestSettings promises that contradictions are found before anything is
// written.
func TestSettings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		settings design.Settings
		want     string
	}{
		{"billing", design.Settings{Billing: "FREE"}, "billing mode"},
		{"units on demand", design.Settings{Billing: types.BillingModePayPerRequest, Provisioned: design.Units{Read: 1, Write: 1}}, "on demand has no"},
		{"provisioned without units", design.Settings{Billing: types.BillingModeProvisioned}, "the table needs"},
		{"half the units", design.Settings{Provisioned: design.Units{Read: 1}}, "the table needs"},
		{"index units on demand", design.Settings{Indexes: everything.Indexes}, "indexes of a table on demand"},
		{"unknown index", design.Settings{Provisioned: everything.Provisioned, Indexes: map[string]design.Units{"GSI9": {Read: 1, Write: 1}}}, "no global index GSI9"},
		{"half an index", design.Settings{Provisioned: everything.Provisioned, Indexes: map[string]design.Units{"GSI1": {Read: 1}}}, "index GSI1 needs"},
		{"stream", design.Settings{Stream: "ALL"}, "stream view type"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := design.Deploy(newStore(nowhere{}).table, test.settings)
			if !errors.Is(err, design.ErrSettings) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "Store") {
				t.Errorf("got %v, want ErrSettings on %q", err, test.want)
			}
		})
	}
	if _, err := design.Deploy(ddb.NewTable("T", nowhere{}), design.Settings{}); !errors.Is(err, ddb.ErrDefinition) {
		t.Errorf("a faulty table: got %v, want ErrDefinition", err)
	}
}

// TestDeploySettingsAreCopied promises that a deployment does not change with
// the maps it was made of.
func TestDeploySettingsAreCopied(t *testing.T) {
	t.Parallel()
	tags := map[string]string{"a": "1"}
	d := deploy(t, newStore(nowhere{}).table, design.Settings{Tags: tags})
	before, err := d.Terraform()
	if err != nil {
		t.Fatal(err)
	}
	tags["b"] = "2"
	after, err := d.Terraform()
	if diff := cmp.Diff(string(after), string(before)); err != nil || diff != "" {
		t.Errorf("%v (-got +want)\n%s", err, diff)
	}
}
