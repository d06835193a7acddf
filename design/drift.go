package design

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Describer is what [Deployment.Drift] asks. *dynamodb.Client and memory.DB are
// describers.
type Describer interface {
	DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error)
	DescribeTimeToLive(context.Context, *dynamodb.DescribeTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput, error)
}

// DriftCode says what a table and its deployment differ in.
type DriftCode string

// The differences that are looked for.
const (
	DriftKey                DriftCode = "key"                 // of table or index
	DriftAttributeType      DriftCode = "attribute-type"      // of a key attribute
	DriftIndexMissing       DriftCode = "index-missing"       // declared and not there
	DriftIndexUnknown       DriftCode = "index-unknown"       // there and not declared
	DriftIndexKind          DriftCode = "index-kind"          // local instead of global or the other way round
	DriftIndexStatus        DriftCode = "index-status"        // not ACTIVE
	DriftProjection         DriftCode = "projection"          // of an index
	DriftTimeToLive         DriftCode = "time-to-live"        // expiry by another attribute, or none
	DriftBilling            DriftCode = "billing"             // another mode
	DriftThroughput         DriftCode = "throughput"          // other provisioned units
	DriftStream             DriftCode = "stream"              // none, or another view
	DriftDeletionProtection DriftCode = "deletion-protection" // off
)

// Difference is one thing in which a table differs from its deployment.
type Difference struct {
	Code     DriftCode
	Subject  string // the table, an index or an attribute, by its name
	Declared string // "" for nothing
	Actual   string // "" for nothing
	Mend     string // how the table can be made to fit
}

// String says all that on one line.
func (d Difference) String() string {
	return fmt.Sprintf("%s %s: declared %s, found %s: %s", d.Code, d.Subject, orNothing(d.Declared), orNothing(d.Actual), d.Mend)
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

// Drift describes the table and compares it with the deployment: with
// DescribeTable its keys, key attributes, indexes, projections, deletion
// protection and, as far as the settings say, billing and stream; with
// DescribeTimeToLive its expiry. Errors are those of the calls.
func (d *Deployment) Drift(ctx context.Context, client Describer) ([]Difference, error) {
	table, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: d.create.TableName})
	if err != nil {
		return nil, fmt.Errorf("design: describe table %s: %w", d.name, err)
	}
	expiry, err := client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: d.create.TableName})
	if err != nil {
		return nil, fmt.Errorf("design: describe the expiry of table %s: %w", d.name, err)
	}
	return d.Compare(table.Table, expiry.TimeToLiveDescription), nil
}

// Compare is Drift for descriptions at hand. Without an expiry, expiries are not
// compared. Differences come in the order of the codes' list, those of one code
// in the order of the deployment.
func (d *Deployment) Compare(table *types.TableDescription, expiry *types.TimeToLiveDescription) []Difference {
	c := comparison{d: d, actual: table}
	c.keys()
	c.attributes()
	c.indexes()
	if expiry != nil {
		c.expiry(expiry)
	}
	c.billing()
	c.stream()
	if d.settings.DeletionProtection && !aws.ToBool(table.DeletionProtectionEnabled) {
		c.differs(DriftDeletionProtection, d.name, "on", "off", "switch it on with UpdateTable")
	}
	slices.SortStableFunc(c.found, func(a, b Difference) int {
		return slices.Index(driftOrder, a.Code) - slices.Index(driftOrder, b.Code)
	})
	return c.found
}

var driftOrder = []DriftCode{
	DriftKey, DriftAttributeType, DriftIndexMissing, DriftIndexUnknown, DriftIndexKind, DriftIndexStatus,
	DriftProjection, DriftTimeToLive, DriftBilling, DriftThroughput, DriftStream, DriftDeletionProtection,
}

// comparison collects differences.
type comparison struct {
	d      *Deployment
	actual *types.TableDescription
	found  []Difference
}

// differs notes a difference if there is one.
func (c *comparison) differs(code DriftCode, subject, declared, actual, mend string) {
	if declared != actual {
		c.found = append(c.found, Difference{code, subject, declared, actual, mend})
	}
}

const anotherTable = "a table keeps it for life: create another table and move the items"

func (c *comparison) keys() {
	c.differs(DriftKey, c.d.name, keyText(c.d.create.KeySchema), keyText(c.actual.KeySchema), anotherTable)
}

// attributes compares the types of the attributes that both know. An attribute
// that only one of them knows belongs to a key that differs.
func (c *comparison) attributes() {
	for _, a := range c.d.create.AttributeDefinitions {
		i := slices.IndexFunc(c.actual.AttributeDefinitions, func(b types.AttributeDefinition) bool { return *b.AttributeName == *a.AttributeName })
		if i >= 0 {
			c.differs(DriftAttributeType, *a.AttributeName, string(a.AttributeType), string(c.actual.AttributeDefinitions[i].AttributeType),
				"an attribute has one type in all keys: delete the indexes that use it, and create them anew once the items hold the other type")
		}
	}
}

// index is an index of either kind, as declared or as found.
type index struct {
	name       string
	local      bool
	key        []types.KeySchemaElement
	projection *types.Projection
	status     types.IndexStatus // "" for a local index and where declared
	units      *types.ProvisionedThroughput
}

func (ix index) kind() string {
	if ix.local {
		return "local"
	}
	return "global"
}

func (d *Deployment) indexes() []index {
	var all []index
	for _, ix := range d.create.GlobalSecondaryIndexes {
		all = append(all, index{name: *ix.IndexName, key: ix.KeySchema, projection: ix.Projection, units: ix.ProvisionedThroughput})
	}
	for _, ix := range d.create.LocalSecondaryIndexes {
		all = append(all, index{name: *ix.IndexName, local: true, key: ix.KeySchema, projection: ix.Projection})
	}
	return all
}

func described(t *types.TableDescription) []index {
	var all []index
	for _, ix := range t.GlobalSecondaryIndexes {
		out := index{name: aws.ToString(ix.IndexName), key: ix.KeySchema, projection: ix.Projection, status: ix.IndexStatus}
		if p := ix.ProvisionedThroughput; p != nil {
			out.units = &types.ProvisionedThroughput{ReadCapacityUnits: p.ReadCapacityUnits, WriteCapacityUnits: p.WriteCapacityUnits}
		}
		all = append(all, out)
	}
	for _, ix := range t.LocalSecondaryIndexes {
		all = append(all, index{name: aws.ToString(ix.IndexName), local: true, key: ix.KeySchema, projection: ix.Projection})
	}
	slices.SortFunc(all, func(a, b index) int { return strings.Compare(a.name, b.name) })
	return all
}

func (c *comparison) indexes() {
	declared, actual := c.d.indexes(), described(c.actual)
	named := func(all []index, name string) int {
		return slices.IndexFunc(all, func(ix index) bool { return ix.name == name })
	}
	for _, ix := range declared {
		i := named(actual, ix.name)
		if i < 0 {
			c.differs(DriftIndexMissing, ix.name, ix.kind()+" "+keyText(ix.key), "", addIndex(ix))
			continue
		}
		c.index(ix, actual[i])
	}
	for _, ix := range actual {
		if named(declared, ix.name) < 0 {
			c.differs(DriftIndexUnknown, ix.name, "", ix.kind()+" "+keyText(ix.key),
				"declare it, or delete it if nothing else reads it: it is written and paid for with every item")
		}
	}
}

func addIndex(ix index) string {
	if ix.local {
		return "local indexes are made with the table: " + anotherTable
	}
	return "create it with UpdateTable; it is filled from the items that have its key attributes"
}

func (c *comparison) index(declared, actual index) {
	const anew = "create an index of another name, let reads change over, and delete this one"
	c.differs(DriftIndexKind, declared.name, declared.kind(), actual.kind(), anew)
	c.differs(DriftKey, declared.name, keyText(declared.key), keyText(actual.key), anew)
	c.differs(DriftProjection, declared.name, projectionText(declared.projection), projectionText(actual.projection), anew)
	if actual.status != "" {
		c.differs(DriftIndexStatus, declared.name, string(types.IndexStatusActive), string(actual.status), "wait until it is ACTIVE before reading it")
	}
	if declared.units != nil {
		c.differs(DriftThroughput, declared.name, unitsText(declared.units), unitsText(actual.units), setUnits)
	}
}

const setUnits = "set it with UpdateTable, unless auto scaling is meant to"

func (c *comparison) expiry(actual *types.TimeToLiveDescription) {
	attribute := ""
	if s := actual.TimeToLiveStatus; s == types.TimeToLiveStatusEnabled || s == types.TimeToLiveStatusEnabling {
		attribute = aws.ToString(actual.AttributeName)
	}
	c.differs(DriftTimeToLive, c.d.name, c.d.expiry, attribute,
		"switch the one off and the other on with UpdateTimeToLive, which takes an hour between the two")
}

func (c *comparison) billing() {
	if c.d.settings.Billing == "" {
		return
	}
	// A table that was never anything but provisioned has no summary.
	mode := types.BillingModeProvisioned
	if s := c.actual.BillingModeSummary; s != nil && s.BillingMode != "" {
		mode = s.BillingMode
	}
	c.differs(DriftBilling, c.d.name, string(c.d.settings.Billing), string(mode), "change it with UpdateTable")
	if p := c.d.create.ProvisionedThroughput; p != nil {
		var actual *types.ProvisionedThroughput
		if q := c.actual.ProvisionedThroughput; q != nil {
			actual = &types.ProvisionedThroughput{ReadCapacityUnits: q.ReadCapacityUnits, WriteCapacityUnits: q.WriteCapacityUnits}
		}
		c.differs(DriftThroughput, c.d.name, unitsText(p), unitsText(actual), setUnits)
	}
}

func (c *comparison) stream() {
	if c.d.settings.Stream == "" {
		return
	}
	actual := ""
	if s := c.actual.StreamSpecification; s != nil && aws.ToBool(s.StreamEnabled) {
		actual = string(s.StreamViewType)
	}
	c.differs(DriftStream, c.d.name, string(c.d.settings.Stream), actual,
		"enable it with UpdateTable, after disabling one with another view")
}

// keyText writes a key as its attributes by role: PK / SK.
func keyText(elements []types.KeySchemaElement) string {
	var hash, sort []string
	for _, el := range elements {
		if el.KeyType == types.KeyTypeHash {
			hash = append(hash, aws.ToString(el.AttributeName))
		} else {
			sort = append(sort, aws.ToString(el.AttributeName))
		}
	}
	text := strings.Join(hash, ", ")
	if len(sort) > 0 {
		text += " / " + strings.Join(sort, ", ")
	}
	return text
}

// projectionText writes a projection; the order of its attributes means nothing.
func projectionText(p *types.Projection) string {
	if p == nil {
		return ""
	}
	text := string(p.ProjectionType)
	if len(p.NonKeyAttributes) > 0 {
		text += " " + strings.Join(slices.Sorted(slices.Values(p.NonKeyAttributes)), ", ")
	}
	return text
}

func unitsText(p *types.ProvisionedThroughput) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%d reads and %d writes a second", aws.ToInt64(p.ReadCapacityUnits), aws.ToInt64(p.WriteCapacityUnits))
}
