package durable

import (
	"errors"
	"fmt"
)

var (
	// ErrLocked says that another process, or another Store, has the directory
	// open.
	ErrLocked = errors.New("the directory is in use by another process")

	// ErrNoDB says that a directory which [MustExist] is about holds no DB.
	ErrNoDB = errors.New("the directory holds no DB")

	// ErrClosed is why writes fail after [Store.Close].
	ErrClosed = errors.New("the store is closed")
)

// A DamageError says where a file does not hold what was written to it.
type DamageError struct {
	File   string
	Offset int64 // of the frame, in bytes; 0 for the file as a whole
	Err    error
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s: damaged at byte %d: %v", e.File, e.Offset, e.Err)
}

func (e *DamageError) Unwrap() error { return e.Err }
