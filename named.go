package ddb

// Named says which access pattern the write is, for observers and for
// [Table.Declare]. In a transaction or a batch, that one's name counts.
func (p PutOp[T]) Named(pattern string) PutOp[T] {
	p.pattern = pattern
	return p
}

// Named says which access pattern the write is; see [PutOp.Named].
func (u UpdateOp[T]) Named(pattern string) UpdateOp[T] {
	u.pattern = pattern
	return u
}

// Named says which access pattern the write is; see [PutOp.Named].
func (o DeleteOp[T]) Named(pattern string) DeleteOp[T] {
	o.pattern = pattern
	return o
}

// Named says which access pattern the transaction is, for observers and for
// [Table.Declare].
func (t TxOp) Named(pattern string) TxOp {
	t.pattern = pattern
	return t
}

// Named says which access pattern the batch is, for observers and for
// [Table.Declare].
func (b BatchOp) Named(pattern string) BatchOp {
	b.pattern = pattern
	return b
}
