package eval

// Error is a ValidationException that an expression causes, with the service's
// text.
type Error struct {
	// Text is the message without any envelope.
	Text string
	// Counted tells that PutItem, UpdateItem and DeleteItem put a count of
	// validation errors in front of the text. Faults found while an update is
	// computed are not counted, nor are values of no or several types.
	Counted bool
}

func (e *Error) Error() string { return e.Text }
