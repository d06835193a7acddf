package expr

import "sync"

// Cache remembers parsed trees, since programs send the same few texts over and
// over. The zero Cache is empty and ready; a nil one remembers nothing.
//
// It holds two generations of at most [CacheGeneration] trees each. A tree that
// is used enters, or moves to, the young generation; when that is full it
// becomes the old one and the old one is forgotten. A tree in constant use is
// therefore never lost, and at most 2 × CacheGeneration trees are kept, of texts
// of at most [CacheTextBytes]. Texts at fault are not kept.
//
// A Cache is safe for concurrent use.
type Cache struct {
	mu         sync.RWMutex
	young, old map[cacheKey]*Tree // guarded by mu
}

const (
	// CacheGeneration is how many trees one of the two generations holds.
	CacheGeneration = 512
	// CacheTextBytes is the longest text whose tree is kept: longer ones are
	// mostly made up per request, as by listing keys.
	CacheTextBytes = 1024
)

type cacheKey struct {
	kind Kind
	text string
}

// Parse returns what [Parse] returns. Callers share the tree.
func (c *Cache) Parse(k Kind, text string) (*Tree, error) {
	if c == nil || len(text) > CacheTextBytes {
		return Parse(k, text)
	}
	key := cacheKey{k, text}
	c.mu.RLock()
	t, fresh := c.young[key]
	if !fresh {
		t = c.old[key]
	}
	c.mu.RUnlock()
	if fresh {
		return t, nil
	}
	if t == nil {
		var err error
		if t, err = Parse(k, text); err != nil {
			return nil, err
		}
	}
	c.keep(key, t)
	return t, nil
}

// keep puts a tree into the young generation.
func (c *Cache) keep(key cacheKey, t *Tree) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.young == nil || len(c.young) >= CacheGeneration {
		c.old, c.young = c.young, make(map[cacheKey]*Tree)
	}
	c.young[key] = t
}
