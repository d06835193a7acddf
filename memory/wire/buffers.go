package wire

import (
	crand "crypto/rand"
	"math/rand/v2"
)

// buffers are what one call needs for what goes over the wire, and another can use
// after it. Nothing of a request or response refers to their memory.
type buffers struct {
	request, reply []byte
	random         *rand.ChaCha8 // for identifiers of requests
}

// maxSpare bounds the memory that a call leaves to others.
const maxSpare = 256 << 10

func (h *handler) takeBuffers() *buffers {
	if b, ok := h.spare.Get().(*buffers); ok {
		return b
	}
	var seed [32]byte
	_, _ = crand.Read(seed[:]) // never fails
	return &buffers{random: rand.NewChaCha8(seed)}
}

func (h *handler) giveBack(b *buffers) {
	if cap(b.request)+cap(b.reply) <= maxSpare {
		h.spare.Put(b)
	}
}

// requestID returns 52 random capitals and digits.
func (b *buffers) requestID() string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	var id [52]byte
	_, _ = b.random.Read(id[:]) // never fails
	for i := range id {
		id[i] = letters[id[i]%32]
	}
	return string(id[:])
}
