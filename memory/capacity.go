package memory

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed530093c6/ddb/memory/internal/limits"
)

// units counts capacity in halves of a unit, the smallest amount there is.
type units int

const oneUnit units = 2

// readUnits is what reading so many bytes costs.
// howitworks-read-write-capacity-mode.html#read-write-capacity-mode-request-units
func readUnits(bytes int, consistent bool) units {
	n := units(max(1, (bytes+limits.ReadUnitBytes-1)/limits.ReadUnitBytes))
	if consistent {
		return n * oneUnit
	}
	return n * oneUnit / 2
}

// writeUnits is what writing so many bytes costs.
func writeUnits(bytes int) units {
	return units(max(1, (bytes+limits.WriteUnitBytes-1)/limits.WriteUnitBytes)) * oneUnit
}

// isTrue reads an optional flag of a request; absent means false.
func isTrue(flag *bool) bool { return flag != nil && *flag }

// usage is the capacity that one operation consumed on one table.
type usage struct {
	table   string // as named in the request
	base    units
	indexes []indexUsage // in the order of first use
	// transactional marks the usage of a transaction, which reports reads or
	// writes apart as well.
	transactional access
}

type access uint8

const (
	accessPlain access = iota
	accessTransactRead
	accessTransactWrite
)

type indexUsage struct {
	index *index
	units units
}

func (u *usage) addIndex(ix *index, n units) {
	for i := range u.indexes {
		if u.indexes[i].index == ix {
			u.indexes[i].units += n
			return
		}
	}
	u.indexes = append(u.indexes, indexUsage{ix, n})
}

// addWrite counts a write: the larger of the two images on the table, times
// factor, and every entry that changed.
func (u *usage) addWrite(e *effect, factor units) {
	u.base += factor * writeUnits(max(e.old.bytes(), e.new.bytes()))
	for _, c := range e.changes {
		u.addIndex(c.index, c.units)
	}
}

func (r *record) bytes() int {
	if r == nil {
		return 0
	}
	return r.size
}

func (u *usage) total() units {
	n := u.base
	for _, ix := range u.indexes {
		n += ix.units
	}
	return n
}

// report returns what the response shows of the usage, nil for nothing.
func (u *usage) report(mode types.ReturnConsumedCapacity) *types.ConsumedCapacity {
	if mode != types.ReturnConsumedCapacityTotal && mode != types.ReturnConsumedCapacityIndexes {
		return nil
	}
	total := u.capacity(u.total())
	c := &types.ConsumedCapacity{
		TableName:          aws.String(u.table),
		CapacityUnits:      total.CapacityUnits,
		ReadCapacityUnits:  total.ReadCapacityUnits,
		WriteCapacityUnits: total.WriteCapacityUnits,
	}
	if mode == types.ReturnConsumedCapacityTotal {
		return c
	}
	table := u.capacity(u.base)
	c.Table = &table
	for _, ix := range u.indexes {
		arm := &c.GlobalSecondaryIndexes
		if ix.index.local {
			arm = &c.LocalSecondaryIndexes
		}
		if *arm == nil {
			*arm = make(map[string]types.Capacity)
		}
		(*arm)[ix.index.name] = u.capacity(ix.units)
	}
	return c
}

// appendTo appends what the response shows of the usage, if anything.
func (u *usage) appendTo(all []types.ConsumedCapacity, mode types.ReturnConsumedCapacity) []types.ConsumedCapacity {
	if c := u.report(mode); c != nil {
		all = append(all, *c)
	}
	return all
}

func (u *usage) capacity(n units) types.Capacity {
	f := float64(n) / float64(oneUnit) // the SDK's type; halves are exact in it
	c := types.Capacity{CapacityUnits: aws.Float64(f)}
	switch u.transactional {
	case accessTransactRead:
		c.ReadCapacityUnits = aws.Float64(f)
	case accessTransactWrite:
		c.WriteCapacityUnits = aws.Float64(f)
	}
	return c
}

// bill gathers the usage of an operation on several tables.
type bill struct{ uses []usage }

// of returns the usage of a table, by the name in the request.
func (b *bill) of(ref string, kind access) *usage {
	for i := range b.uses {
		if b.uses[i].table == ref {
			return &b.uses[i]
		}
	}
	b.uses = append(b.uses, usage{table: ref, transactional: kind})
	return &b.uses[len(b.uses)-1]
}

// report returns what the response shows.
func (b *bill) report(mode types.ReturnConsumedCapacity) []types.ConsumedCapacity {
	var out []types.ConsumedCapacity
	for i := range b.uses {
		out = b.uses[i].appendTo(out, mode)
	}
	return out
}
