package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// progress is a line on a terminal that is written over again and again. On
// anything else it shows nothing.
type progress struct {
	w     io.Writer // nil for none
	shown time.Time
	width int
}

func newProgress(w io.Writer) *progress {
	f, ok := w.(*os.File)
	if !ok {
		return &progress{}
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return &progress{}
	}
	return &progress{w: w}
}

// pace is how often the line changes at most.
const pace = 100 * time.Millisecond

func (p *progress) show(format string, args ...any) {
	if p.w == nil || time.Since(p.shown) < pace {
		return
	}
	p.shown = time.Now()
	text := fmt.Sprintf(format, args...)
	fmt.Fprintf(p.w, "\r%-*s", p.width, text)
	p.width = max(p.width, len(text))
}

// clear takes the line away.
func (p *progress) clear() {
	if p.width > 0 {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.width))
		p.width = 0
	}
}
