package design

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb"
)

// ErrSettings means that the settings of a deployment contradict each other or
// the table.
var ErrSettings = errors.New("bad settings")

// Settings are what a deployment needs beside the definitions of a table. The
// zero value is a table on demand, without stream and recovery.
type Settings struct {
	// Billing is how capacity is paid; "" leaves it open, which deploys on
	// demand and is not compared by Drift. Provisioned implies PROVISIONED.
	Billing types.BillingMode
	// Provisioned is the capacity of the table and of each global index.
	Provisioned Units
	// Indexes are the global indexes whose capacity is another, by name.
	Indexes map[string]Units
	// Stream is what the table's stream holds; "" leaves it open, which deploys
	// without a stream and is not compared by Drift.
	Stream types.StreamViewType
	// PointInTimeRecovery keeps backups of each second.
	PointInTimeRecovery bool
	// DeletionProtection refuses to delete the table.
	DeletionProtection bool
	Tags               map[string]string
}

// Units are provisioned capacity units per second.
type Units struct{ Read, Write int64 }

// Deployment is a table with its settings. It does not change and is safe for
// concurrent use.
type Deployment struct {
	name     string // without an ARN around it
	create   *dynamodb.CreateTableInput
	expiry   string // attribute, "" for none
	settings Settings
}

// Deploy combines a table's definitions with settings. It fails with
// ddb.ErrDefinition if the definitions are faulty, and with [ErrSettings] if the
// settings are.
func Deploy(table *ddb.Table, s Settings) (*Deployment, error) {
	create, err := table.CreateTableInput()
	if err != nil {
		return nil, err
	}
	expiry, err := table.UpdateTimeToLiveInput()
	if err != nil {
		return nil, err
	}
	d := &Deployment{name: tableName(table.Name()), create: create, settings: s}
	d.settings.Indexes, d.settings.Tags = maps.Clone(s.Indexes), maps.Clone(s.Tags)
	if expiry != nil {
		d.expiry = *expiry.TimeToLiveSpecification.AttributeName
	}
	if err := d.complete(); err != nil {
		return nil, fmt.Errorf("design: table %s: %w", d.name, err)
	}
	return d, nil
}

// tableName returns the name in an ARN, or the name itself.
func tableName(nameOrARN string) string {
	if _, name, ok := strings.Cut(nameOrARN, ":table/"); ok {
		return name
	}
	return nameOrARN
}

// complete checks the settings and puts them into the input.
func (d *Deployment) complete() error {
	s := &d.settings
	provisioned := s.Billing == types.BillingModeProvisioned || s.Provisioned != Units{}
	switch {
	case s.Billing != "" && !slices.Contains(s.Billing.Values(), s.Billing):
		return fmt.Errorf("%w: the billing mode %q is not one of %v", ErrSettings, s.Billing, s.Billing.Values())
	case s.Billing == types.BillingModePayPerRequest && provisioned:
		return fmt.Errorf("%w: a table on demand has no provisioned units", ErrSettings)
	case s.Stream != "" && !slices.Contains(s.Stream.Values(), s.Stream):
		return fmt.Errorf("%w: the stream view type %q is not one of %v", ErrSettings, s.Stream, s.Stream.Values())
	case !provisioned && len(s.Indexes) > 0:
		return fmt.Errorf("%w: the indexes of a table on demand have no provisioned units", ErrSettings)
	}
	d.create.TableName = aws.String(d.name)
	if provisioned {
		s.Billing = types.BillingModeProvisioned
		d.create.BillingMode = s.Billing
		if err := d.provision(); err != nil {
			return err
		}
	}
	if s.Stream != "" {
		d.create.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: s.Stream}
	}
	if s.DeletionProtection {
		d.create.DeletionProtectionEnabled = aws.Bool(true)
	}
	for _, key := range slices.Sorted(maps.Keys(s.Tags)) {
		d.create.Tags = append(d.create.Tags, types.Tag{Key: aws.String(key), Value: aws.String(s.Tags[key])})
	}
	return nil
}

func (d *Deployment) provision() error {
	var err error
	if d.create.ProvisionedThroughput, err = d.settings.Provisioned.throughput("the table"); err != nil {
		return err
	}
	left := maps.Clone(d.settings.Indexes)
	for i := range d.create.GlobalSecondaryIndexes {
		ix := &d.create.GlobalSecondaryIndexes[i]
		units, own := left[*ix.IndexName]
		if !own {
			units = d.settings.Provisioned
		}
		if ix.ProvisionedThroughput, err = units.throughput("index " + *ix.IndexName); err != nil {
			return err
		}
		delete(left, *ix.IndexName)
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		return fmt.Errorf("%w: there is no global index %s to provision", ErrSettings, name)
	}
	return nil
}

func (u Units) throughput(of string) (*types.ProvisionedThroughput, error) {
	if u.Read < 1 || u.Write < 1 {
		return nil, fmt.Errorf("%w: %s needs at least one unit each for reads and writes", ErrSettings, of)
	}
	return &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(u.Read), WriteCapacityUnits: aws.Int64(u.Write)}, nil
}

// CreateTableInput returns the input that creates the table with these settings.
// Expiry and point-in-time recovery take calls of their own. What is returned
// shares memory with the deployment and is not to be changed.
func (d *Deployment) CreateTableInput() *dynamodb.CreateTableInput { return d.create }
