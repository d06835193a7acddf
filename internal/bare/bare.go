package bare

import (
	"errors"
	"hash/maphash"
	"strconv"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/tidwall/btree"
)

// Item is an item in the SDK's form.
type Item = map[string]types.AttributeValue

// Table is a table whose items have a partition key PK and a sort key SK, both of
// type S. It is safe for concurrent use. Make one with [New].
type Table struct {
	pk, sk string // names of the key attributes
	seed   maphash.Seed
	shards [64]shard
}

type shard struct {
	mu          sync.RWMutex
	collections map[string]*collection // by partition key
}

// collection holds items by sort key.
type collection = btree.Map[string, Item]

// New returns an empty table with the given key attributes.
func New(pk, sk string) *Table {
	t := &Table{pk: pk, sk: sk, seed: maphash.MakeSeed()}
	for i := range t.shards {
		t.shards[i].collections = make(map[string]*collection)
	}
	return t
}

func (t *Table) shard(pk string) *shard {
	return &t.shards[maphash.String(t.seed, pk)%uint64(len(t.shards))]
}

var errKey = errors.New("bare: an item without its key, or with one that is no string")

func (t *Table) key(it Item) (pk, sk string, err error) {
	p, okP := it[t.pk].(*types.AttributeValueMemberS)
	s, okS := it[t.sk].(*types.AttributeValueMemberS)
	if !okP || !okS {
		return "", "", errKey
	}
	return p.Value, s.Value, nil
}

// Put stores a copy of the item in place of the one with its key.
func (t *Table) Put(it Item) error {
	pk, sk, err := t.key(it)
	if err != nil {
		return err
	}
	it = clone(it)
	s := t.shard(pk)
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.collections[pk]
	if c == nil {
		c = new(collection)
		s.collections[pk] = c
	}
	c.Set(sk, it)
	return nil
}

// Get returns a copy of the item with the key, nil when there is none.
func (t *Table) Get(key Item) (Item, error) {
	pk, sk, err := t.key(key)
	if err != nil {
		return nil, err
	}
	s := t.shard(pk)
	s.mu.RLock()
	defer s.mu.RUnlock()
	c := s.collections[pk]
	if c == nil {
		return nil, nil
	}
	it, ok := c.Get(sk)
	if !ok {
		return nil, nil
	}
	return clone(it), nil
}

// Add adds to a number of the item with the key, 0 if it has none yet. Like the
// engine it leaves the stored item as it is and puts another in its place.
func (t *Table) Add(key Item, name string, by int) error {
	pk, sk, err := t.key(key)
	if err != nil {
		return err
	}
	s := t.shard(pk)
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.collections[pk]
	if c == nil {
		return errKey
	}
	old, _ := c.Get(sk)
	it := make(Item, len(old)+1)
	for n, v := range old {
		it[n] = v
	}
	sum := by
	if v, ok := it[name].(*types.AttributeValueMemberN); ok {
		was, err := strconv.Atoi(v.Value)
		if err != nil {
			return err
		}
		sum += was
	}
	it[name] = &types.AttributeValueMemberN{Value: strconv.Itoa(sum)}
	c.Set(sk, it)
	return nil
}

// Query returns copies of the first limit items with the partition key whose sort
// keys begin with prefix, in order.
func (t *Table) Query(pk, prefix string, limit int) []Item {
	s := t.shard(pk)
	s.mu.RLock()
	defer s.mu.RUnlock()
	c := s.collections[pk]
	if c == nil {
		return nil
	}
	var out []Item
	c.Ascend(prefix, func(sk string, it Item) bool {
		if !strings.HasPrefix(sk, prefix) {
			return false
		}
		out = append(out, clone(it))
		return len(out) < limit
	})
	return out
}
