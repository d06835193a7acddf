package wire

import (
	"maps"
	"sync"
	"sync/atomic"
)

// names remembers the names of attributes, so that the items of a table share
// them. It holds what comes first, within its bounds. The zero names is ready; it
// is safe for concurrent use.
type names struct {
	mu    sync.Mutex // held while one is added
	known atomic.Pointer[map[string]string]
}

const (
	maxNames     = 1024
	maxNameBytes = 64
)

// text returns the name with these bytes.
func (n *names) text(name []byte) string {
	known := n.known.Load()
	if known != nil {
		if text, ok := (*known)[string(name)]; ok {
			return text
		}
	}
	text := string(name)
	if len(name) <= maxNameBytes && (known == nil || len(*known) < maxNames) {
		n.add(text)
	}
	return text
}

func (n *names) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	grown := make(map[string]string)
	if known := n.known.Load(); known != nil {
		maps.Copy(grown, *known)
	}
	if len(grown) < maxNames {
		grown[text] = text
		n.known.Store(&grown)
	}
}
