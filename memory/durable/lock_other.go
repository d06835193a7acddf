//go:build !windows && (!unix || aix || illumos || solaris)

package durable

import (
	"errors"
	"os"
)

// lock fails where there is no lock that ends with its process.
func lock(path string) (release func() error, err error) {
	return nil, &os.PathError{Op: "lock", Path: path, Err: errors.ErrUnsupported}
}
