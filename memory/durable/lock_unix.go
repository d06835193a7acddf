//go:build unix && !aix && !illumos && !solaris

package durable

import (
	"errors"
	"os"
	"syscall"
)

// lock keeps other processes out until it is released or the process ends.
func lock(path string) (release func() error, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		switch err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case err == nil:
			return func() error {
				// A process that is just being started holds the file too.
				return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
			}, nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return nil, errors.Join(ErrLocked, f.Close())
		default:
			return nil, errors.Join(&os.PathError{Op: "flock", Path: path, Err: err}, f.Close())
		}
	}
}
