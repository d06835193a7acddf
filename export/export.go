package export

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// LineError says where in a file an item could not be read.
type LineError struct {
	File string
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// maxLine is the longest line: an item of 400 KB whose every byte is escaped,
// with room to spare.
const maxLine = 8 << 20

// Line is one item and where it stands.
type Line struct {
	Item   map[string]types.AttributeValue
	File   string
	Number int // from 1
}

// Fail makes a [*LineError] about the line, for faults that only the caller can
// find.
func (l Line) Fail(err error) error { return &LineError{File: l.File, Line: l.Number, Err: err} }

// ReadFile yields the items of a file; see [Read].
func ReadFile(path string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer f.Close()
		for line, err := range Read(path, f) {
			if !yield(line, err) {
				return
			}
		}
	}
}

// Read yields the items of r, decompressing if it holds gzip and skipping blank
// lines. The name stands for the file in errors. The first error is yielded and
// ends the sequence; a fault of a line is a [*LineError].
func Read(name string, r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		in, err := decompress(r)
		if err != nil {
			yield(Line{}, fmt.Errorf("%s: %w", name, err))
			return
		}
		scan := bufio.NewScanner(in)
		scan.Buffer(make([]byte, 0, 64<<10), maxLine)
		line := Line{File: name}
		for scan.Scan() {
			line.Number++
			text := bytes.TrimSpace(scan.Bytes())
			if len(text) == 0 {
				continue
			}
			if line.Item, err = Unmarshal(text); err != nil {
				yield(line, line.Fail(err))
				return
			}
			if !yield(line, nil) {
				return
			}
		}
		if err := scan.Err(); err != nil {
			line.Item = nil
			line.Number++
			if errors.Is(err, bufio.ErrTooLong) {
				err = fmt.Errorf("the line is longer than any item: more than %d MB", maxLine>>20)
			}
			yield(line, line.Fail(err))
		}
	}
}

func decompress(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	magic, err := buffered.Peek(2)
	switch {
	case bytes.Equal(magic, []byte{0x1f, 0x8b}):
		return gzip.NewReader(buffered)
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	}
	return buffered, nil
}

// Writer writes items one a line. It is not safe for concurrent use.
type Writer struct{ w io.Writer }

// NewWriter writes to w, which the caller buffers and closes.
func NewWriter(w io.Writer) *Writer { return &Writer{w} }

// Write writes one item, its attributes sorted by name. It fails as [Marshal] does,
// and then writes nothing.
func (w *Writer) Write(item map[string]types.AttributeValue) error {
	line, err := Marshal(item)
	if err != nil {
		return err
	}
	_, err = w.w.Write(append(line, '\n'))
	return err
}

var errEmpty = errors.New("the item is empty")

// Marshal returns the line of an item, without the line break. What it takes,
// [Unmarshal] reads again as it was: it fails on an item without attributes, and
// on text that is not valid UTF-8, numbers that are none, and nil values.
func Marshal(item map[string]types.AttributeValue) ([]byte, error) {
	if len(item) == 0 {
		return nil, errEmpty
	}
	m, err := mapToJSON(item)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(map[string]any{"Item": m}); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// Unmarshal reads the line of an item, which is JSON in UTF-8. It does not check
// what the service does, such as sizes, or that sets have members.
func Unmarshal(line []byte) (map[string]types.AttributeValue, error) {
	if !utf8.Valid(line) {
		return nil, errText
	}
	var outer map[string]json.RawMessage
	if err := json.Unmarshal(line, &outer); err != nil {
		return nil, err
	}
	body, ok := outer["Item"]
	if !ok || len(outer) != 1 {
		return nil, errors.New(`a line is an object with one member, "Item"`)
	}
	item, err := mapFromJSON(body)
	if err != nil {
		return nil, err
	}
	if len(item) == 0 {
		return nil, errEmpty
	}
	return item, nil
}
