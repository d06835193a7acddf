package memory

// queue is a list that grows at its end and shrinks at its front. The zero queue
// is empty. It keeps nothing of what was dropped.
type queue[T any] struct {
	items []T
	head  int // items before it were dropped
}

func (q *queue[T]) push(v T) { q.items = append(q.items, v) }

// all returns what is in the queue, first come first. It is valid until the next
// push or drop.
func (q *queue[T]) all() []T { return q.items[q.head:] }

// drop takes the first n away.
func (q *queue[T]) drop(n int) {
	clear(q.items[q.head : q.head+n])
	q.head += n
	switch rest := len(q.items) - q.head; {
	case rest == 0:
		*q = queue[T]{} // the room that a rush took is given back
	case rest <= q.head:
		copy(q.items, q.items[q.head:])
		clear(q.items[rest:])
		q.items, q.head = q.items[:rest], 0
	}
}
