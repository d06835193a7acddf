//go:build unix

package main

import (
	"os"
	"syscall"
)

// stopSignals ask the program to end.
var stopSignals = []os.Signal{syscall.SIGTERM, os.Interrupt}
