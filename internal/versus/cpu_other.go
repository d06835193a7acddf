//go:build !unix

package versus

import "time"

var begin = time.Now()

func cpu() time.Duration { return time.Since(begin) }
