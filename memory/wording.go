package memory

import (
	"errors"
	"slices"

	"github.com/seed530093c6/ddb/memory/internal/av"
	"github.com/seed530093c6/ddb/memory/internal/eval"
)

// The service validates requests in two layers, which find the same faults and
// word them differently. Which layer an operation has depends on the region:
// during 2026 the newer one came to more operations in one region after the
// other (observed).

// olderRegions are the regions in which PutItem, UpdateItem and DeleteItem still
// have the older layer, two of 33 that were asked in October 2026 (observed).
var olderRegions = []string{"eu-south-2", "me-central-1"}

// wordings are how a region words what it finds wrong, settled when a DB is made.
type wordings struct {
	// older tells that constraints are worded as [constraint.formerly] says.
	older bool

	put, update, delete, get, query, scan, batchWrite, transact wording
}

// wordingsOf returns the wordings of a region.
func wordingsOf(region string) wordings {
	w := wordings{
		put:    wording{counted: true},
		update: wording{counted: true},
		delete: wording{counted: true},
		// GetItem, BatchGetItem and Query have the newer layer in every region.
		get:   wording{},
		query: wording{},
		// These have the older layer in most regions.
		scan:       wording{older: true},
		batchWrite: wording{older: true},
		transact:   wording{older: true},
	}
	if !slices.Contains(olderRegions, region) {
		return w
	}
	w.older = true
	w.put = wording{older: true, unused: ": ConditionExpression is null"}
	w.delete = w.put
	w.update = wording{older: true, unused: ": UpdateExpression and ConditionExpression are null"}
	w.query.unused = ": FilterExpression and KeyConditionExpression are null"
	w.scan.unused = ": FilterExpression is null"
	return w
}

// A wording is how an operation reports a faulty value or expression. The zero
// wording is that of the newer layer for reads, and of faults that come up when
// the request has been read, which all operations word alike.
type wording struct {
	// older chooses the texts of the older layer.
	older bool
	// counted puts the number of errors, which is always one, in front.
	counted bool
	// unused is added where values are given and no expression to use them.
	unused string
}

// fault turns what packages av and eval report into a ValidationException.
func (w wording) fault(err error) error {
	if e, ok := errors.AsType[*av.Error](err); ok {
		return w.text(w.choose(e.Text, e.Older), !e.Shape)
	}
	if e, ok := errors.AsType[*eval.Error](err); ok {
		text := w.choose(e.Text, e.Older)
		if e.Unused {
			text += w.unused
		}
		return w.text(text, e.Counted)
	}
	return err
}

func (w wording) choose(current, older string) string {
	if w.older {
		return older
	}
	return current
}

// text returns a ValidationException whose text is counted by the operations
// that count.
func (w wording) text(text string, counted bool) error {
	if counted && w.counted {
		text = oneDetected + text
	}
	return invalid(text)
}

// computed words what keeps an update from making an index key of a value that it
// computes: in the older layer not the fault itself but what was attempted.
func (w wording) computed(fault error, older string) error {
	if fault != nil && w.older {
		return invalid(older)
	}
	return fault
}
