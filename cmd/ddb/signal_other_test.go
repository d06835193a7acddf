//go:build !unix

package main

import "os"

// stopSignals ask the program to end. A process cannot be sent any here.
var stopSignals []os.Signal
