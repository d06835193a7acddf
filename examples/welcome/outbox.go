package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// outbox is where messages go.
type outbox interface {
	// send sends a message, unless it knows that it was sent before, and reports
	// whether it did.
	send(m Message) (isNew bool, err error)
}

// screen shows messages. It knows nothing of what an earlier process has shown: a
// message that was shown right before a kill is shown again.
type screen struct{ w io.Writer }

func (s screen) send(m Message) (bool, error) {
	_, err := fmt.Fprintf(s.w, "To %s: %s\n", m.To, m.Text)
	return err == nil, err
}

// letterbox is a file with a line for each message, which begins with the event's
// identifier. So it can tell which messages it has, also those of an earlier
// process.
type letterbox struct {
	f    *os.File
	sent map[string]bool
}

// openLetterbox opens a file, or makes it. What a kill has left of a last line is
// cut off.
func openLetterbox(path string) (*letterbox, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	b := &letterbox{f: f, sent: make(map[string]bool)}
	if err := b.read(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return b, nil
}

func (b *letterbox) read() error {
	lines := bufio.NewReader(b.f)
	var end int64
	for {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		end += int64(len(line))
		id, _, _ := strings.Cut(line, " ")
		b.sent[id] = true
	}
	if err := b.f.Truncate(end); err != nil {
		return err
	}
	_, err := b.f.Seek(end, io.SeekStart)
	return err
}

func (b *letterbox) send(m Message) (bool, error) {
	if b.sent[m.EventID] {
		return false, nil
	}
	if _, err := fmt.Fprintf(b.f, "%s To %s: %s\n", m.EventID, m.To, m.Text); err != nil {
		return false, err
	}
	if err := b.f.Sync(); err != nil {
		return false, err
	}
	b.sent[m.EventID] = true
	return true, nil
}

func (b *letterbox) Close() error { return b.f.Close() }
