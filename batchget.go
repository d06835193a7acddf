package ddb

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// batchGets is the size of a call. ServiceQuotas.html#limits-api.
const batchGets = 100

// BatchGetOp reads many items, each for itself.
type BatchGetOp struct {
	reads    []Read
	pattern  string
	capacity types.ReturnConsumedCapacity
	progress func(done, of int)
	edits    edits[dynamodb.BatchGetItemInput]
}

// BatchGet reads many items at once, of any entities and tables of one backend,
// in as many calls of up to 100 as that takes. A key given twice is read once.
// What the service leaves is asked for again.
func BatchGet(reads ...Read) BatchGetOp { return BatchGetOp{reads: reads} }

// Named says which access pattern the reads are, for observers.
func (b BatchGetOp) Named(pattern string) BatchGetOp {
	b.pattern = pattern
	return b
}

// Progress calls f as items are read, counting those read twice alike once. Calls
// do not overlap.
func (b BatchGetOp) Progress(f func(done, of int)) BatchGetOp {
	b.progress = f
	return b
}

// Edit lets f change each SDK input before it is sent.
func (b BatchGetOp) Edit(f func(*dynamodb.BatchGetItemInput)) BatchGetOp {
	b.edits = b.edits.with(f)
	return b
}

// Inputs returns the SDK inputs of the calls that Run makes, if the service
// leaves nothing unprocessed.
func (b BatchGetOp) Inputs() ([]*dynamodb.BatchGetItemInput, error) {
	f, err := b.prepare()
	if f == nil || err != nil {
		return nil, err
	}
	var out []*dynamodb.BatchGetItemInput
	for _, c := range f.chunks() {
		out = append(out, f.input(c))
	}
	return out, nil
}

// Run reads the items into their results, in calls of up to 100, some at once.
// It asks again for what the service leaves, with growing random pauses, and
// fails with a [*BatchError] if some are left in the end. If it fails, it leaves
// all results as they were. Without any read it does nothing.
func (b BatchGetOp) Run(ctx context.Context) error {
	_, err := b.run(ctx)
	return err
}

// run is Run. It returns what the reads took, nil if there was none.
func (b BatchGetOp) run(ctx context.Context) (*fetched, error) {
	f, err := b.prepare()
	if f == nil || err != nil {
		return nil, err
	}
	if err := newChunks(f.chunks(), f.send, b.progress).run(ctx); err != nil {
		return f, f.spread(err)
	}
	if err := f.elsewhere(ctx); err != nil {
		return f, f.spread(err)
	}
	return f, deliver(b.reads, func(i int) item { return f.at[f.ids[i]] })
}

// elsewhere looks for items that were not in their own place in the others where
// they may lie.
func (f *fetched) elsewhere(ctx context.Context) error {
	for round := 1; ; round++ {
		var missing []int
		var reads []Read
		for i, r := range f.reads {
			at := f.places[i].rounds()
			if round >= len(at) || f.at[f.ids[i]] != nil {
				continue
			}
			r.places = func() (places, error) { return at[round : round+1], nil }
			r.strong = r.strong || round == len(f.places[i])
			r.decode = func(got item) (func(), error) {
				return func() {
					if got != nil {
						f.at[f.ids[i]] = got
					}
				}, nil
			}
			missing, reads = append(missing, i), append(reads, r)
		}
		if len(reads) == 0 {
			return nil
		}
		again := f.BatchGetOp
		again.reads, again.progress = reads, nil
		more, err := again.run(ctx)
		if more != nil {
			f.requests += more.requests
			f.consumed = append(f.consumed, more.consumed...)
		}
		if left, ok := errors.AsType[*BatchError](err); ok {
			for i, n := range left.Left {
				left.Left[i] = missing[n]
			}
		}
		if err != nil {
			return err
		}
	}
}

// spread makes an error list all reads of what was left, not one of those alike.
func (f *fetched) spread(err error) error {
	left, ok := errors.AsType[*BatchError](err)
	if !ok {
		return err
	}
	missing := make(map[wanted]bool)
	for _, i := range left.Left {
		missing[f.ids[i]] = true
	}
	left.Left = nil
	for i, id := range f.ids {
		if missing[id] {
			left.Left = append(left.Left, i)
		}
	}
	return err
}

// prepare returns the state of a batch that has not begun, nil if it is empty.
func (b BatchGetOp) prepare() (*fetched, error) {
	if len(b.reads) == 0 {
		return nil, nil
	}
	keys, err := readKeys(b.reads, 0)
	if err != nil {
		return nil, err
	}
	f := &fetched{
		BatchGetOp: b, entity: entityNameOf(b.reads), places: keys,
		settings: make([]setting, len(keys)), ids: make([]wanted, len(keys)), at: make(map[wanted]item),
	}
	for i, r := range b.reads {
		s, err := newSetting(r)
		if err != nil {
			return nil, err
		}
		f.settings[i] = s
		f.ids[i] = wanted{r.entity.identity(keys[i][0]), s.attributes}
	}
	return f, nil
}

// setting is what a call can say once for all keys of a table.
type setting struct {
	strong     bool
	projection *string
	names      map[string]string
	attributes string // tells projections apart
}

func newSetting(r Read) (setting, error) {
	projection, names, err := r.fields.express(r.entity, r.hide)
	s := setting{strong: r.strong, projection: projection, names: names, attributes: aws.ToString(projection)}
	for _, n := range slices.Sorted(maps.Keys(names)) {
		s.attributes += "\x00" + names[n]
	}
	return s, r.site.fail(err)
}

func (s setting) same(o setting) bool { return s.strong == o.strong && s.attributes == o.attributes }

// wanted is one item with the attributes to be read of it.
type wanted struct{ item, attributes string }

// fetched gathers the items of a batch of reads.
type fetched struct {
	BatchGetOp
	entity   string // "" if there are several
	places   []places
	settings []setting
	ids      []wanted

	mu       sync.Mutex // guards what follows
	at       map[wanted]item
	requests int
	consumed []types.ConsumedCapacity
}

// chunks divides the reads into calls. In each, all reads of a table have one
// setting, and no item stands twice; one that is read twice alike is read once,
// consistently if either asks for that.
func (f *fetched) chunks() []chunk {
	strong := make(map[wanted]bool)
	for i, s := range f.settings {
		strong[f.ids[i]] = strong[f.ids[i]] || s.strong
	}
	var out []chunk
	var open []int // calls with room
	var tables []map[string]setting
	for i, r := range f.reads {
		if _, first := strong[f.ids[i]]; !first {
			continue
		}
		f.settings[i].strong = strong[f.ids[i]]
		delete(strong, f.ids[i])
		name, s := r.entity.table.name, f.settings[i]
		at := slices.IndexFunc(open, func(c int) bool { other, taken := tables[c][name]; return !taken || other.same(s) })
		if at < 0 {
			at = len(open)
			open = append(open, len(out))
			out, tables = append(out, nil), append(tables, make(map[string]setting))
		}
		c := open[at]
		out[c] = append(out[c], i)
		tables[c][name] = s
		if len(out[c]) == batchGets {
			open = slices.Delete(open, at, at+1)
		}
	}
	return out
}

// input returns the input of a call.
func (f *fetched) input(c chunk) *dynamodb.BatchGetItemInput {
	in := &dynamodb.BatchGetItemInput{RequestItems: make(map[string]types.KeysAndAttributes), ReturnConsumedCapacity: f.capacity}
	for _, i := range c {
		name, s := f.reads[i].entity.table.name, f.settings[i]
		keys := in.RequestItems[name]
		keys.Keys = append(keys.Keys, f.places[i][0])
		if s.strong {
			keys.ConsistentRead = aws.Bool(true)
		}
		keys.ProjectionExpression, keys.ExpressionAttributeNames = s.projection, s.names
		in.RequestItems[name] = keys
	}
	return f.edits.apply(in)
}

// send makes one call and returns what it left.
func (f *fetched) send(ctx context.Context, c chunk) (chunk, error) {
	in := f.input(c)
	first := f.reads[c[0]].entity.table
	at := site{op: "BatchGetItem", table: first, entity: f.entity}.named(f.pattern)
	out, err := call(ctx, at, in, first.backend.BatchGetItem)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests++
	f.consumed = append(f.consumed, out.ConsumedCapacity...)
	got := make(map[string]item)
	left := make(map[string]bool)
	for _, i := range c {
		e := f.reads[i].entity
		for _, key := range out.UnprocessedKeys[e.table.name].Keys {
			left[e.identity(key)] = true
		}
		for _, it := range out.Responses[e.table.name] {
			got[e.identity(it)] = it
		}
		delete(out.UnprocessedKeys, e.table.name)
		delete(out.Responses, e.table.name)
	}
	var rest chunk
	for _, i := range c {
		switch id := f.ids[i]; {
		case left[id.item]:
			rest = append(rest, i)
		case got[id.item] != nil:
			f.at[id] = got[id.item]
		}
	}
	return rest, nil
}

// GetAll reads the items with the given keys and returns them in that order,
// nil for those that do not exist.
func (d *Definition[T]) GetAll(ctx context.Context, keys ...T) ([]*T, error) {
	results := make([]Result[T], len(keys))
	reads := make([]Read, len(keys))
	for i, k := range keys {
		reads[i] = d.Get(k).Into(&results[i])
	}
	if err := BatchGet(reads...).Run(ctx); err != nil {
		return nil, err
	}
	out := make([]*T, len(keys))
	for i := range results {
		if results[i].Found {
			out[i] = &results[i].Value
		}
	}
	return out, nil
}
