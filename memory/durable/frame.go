package durable

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// A file begins with a header: what sort of file it is, a number, and the
// checksum of both. Frames follow, each of which is
//
//	length of the contents  4 bytes
//	number                  8 bytes, one more than that of the frame before
//	checksum of the above   4 bytes
//	contents                records, each after its length
//	checksum                4 bytes, of header and contents
//	mark                    1 byte, so that no whole frame ends in zeros
//
// All integers are little endian, checksums are CRC-32C.
const (
	fileHeaderBytes  = 8 + 8 + 4
	frameHeaderBytes = 4 + 8 + 4
	frameEndBytes    = 4 + 1
	frameMark        = 0xDB
)

// Sorts of files. The digit is the version of the format above.
const (
	magicLog      = "ddblog1\n"
	magicSnapshot = "ddbsnp1\n"
)

func checksum(of uint32, b []byte) uint32 {
	return crc32.Update(of, crc32.MakeTable(crc32.Castagnoli), b)
}

// appendFileHeader appends the header of a file. The number of a segment is that
// of its first frame; that of a snapshot the number of the frame in the log that
// follows it.
func appendFileHeader(dst []byte, magic string, number uint64) []byte {
	start := len(dst)
	dst = binary.LittleEndian.AppendUint64(append(dst, magic...), number)
	return binary.LittleEndian.AppendUint32(dst, checksum(0, dst[start:]))
}

// newFrame returns an empty frame, to which records are appended.
func newFrame(buf []byte) []byte { return append(buf[:0], make([]byte, frameHeaderBytes)...) }

func appendRecord(frame, record []byte) []byte {
	return append(binary.AppendUvarint(frame, uint64(len(record))), record...)
}

// seal fills in the header of a frame and appends its end.
func seal(frame []byte, number uint64) []byte {
	binary.LittleEndian.PutUint32(frame, uint32(len(frame)-frameHeaderBytes))
	binary.LittleEndian.PutUint64(frame[4:], number)
	binary.LittleEndian.PutUint32(frame[12:], checksum(0, frame[:12]))
	frame = binary.LittleEndian.AppendUint32(frame, checksum(0, frame))
	return append(frame, frameMark)
}

// records yields the records of a frame's contents.
func records(contents []byte) func(yield func([]byte, error) bool) {
	return func(yield func([]byte, error) bool) {
		for len(contents) > 0 {
			size, n := binary.Uvarint(contents)
			if n <= 0 || size > uint64(len(contents)-n) {
				yield(nil, errCutOff)
				return
			}
			record := contents[n : n+int(size)]
			contents = contents[n+int(size):]
			if !yield(record, nil) {
				return
			}
		}
	}
}

// errTorn says that what is left of a file is a frame that was not written in
// full.
var errTorn = errors.New("the last frame is cut off")

var (
	errMagic    = errors.New("this is no file of this sort, or one of another version")
	errChecksum = errors.New("the checksum does not match")
)

// scanner reads the frames of a file.
type scanner struct {
	name   string
	file   io.ReadSeekCloser
	in     *bufio.Reader
	size   int64
	at     int64  // where the next frame begins
	number uint64 // of the next frame
	frame  []byte // the latest
}

// scan opens a file and checks its header. Frames of a log are numbered from the
// file's number on, those of a snapshot from 0.
func scan(path, magic string, number uint64) (*scanner, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	s := &scanner{name: path, file: f, in: bufio.NewReaderSize(f, 1<<18), size: info.Size(), at: fileHeaderBytes}
	if magic == magicLog {
		s.number = number
	}
	header := make([]byte, fileHeaderBytes)
	if _, err = io.ReadFull(s.in, header); err != nil || !bytes.Equal(header, appendFileHeader(nil, magic, number)) {
		return nil, errors.Join(s.damage(0, errMagic), f.Close())
	}
	return s, nil
}

func (s *scanner) close() error { return s.file.Close() }

func (s *scanner) damage(at int64, err error) error {
	return &DamageError{File: s.name, Offset: at, Err: err}
}

// next returns the contents of the next frame, which are valid until the next
// call. It fails with [io.EOF] at the end of the file, with errTorn if what is left
// was not written in full, and with a [*DamageError] for everything else that is
// wrong.
func (s *scanner) next() ([]byte, error) {
	left := s.size - s.at
	switch {
	case left == 0:
		return nil, io.EOF
	case left < frameHeaderBytes:
		return nil, errTorn
	}
	s.frame = grow(s.frame, frameHeaderBytes)
	if err := s.read(s.frame); err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(s.frame[12:]) != checksum(0, s.frame[:12]) {
		return nil, s.badHeader()
	}
	if n := binary.LittleEndian.Uint64(s.frame[4:]); n != s.number {
		return nil, s.damage(s.at, fmt.Errorf("frame %d is where frame %d belongs", n, s.number))
	}
	whole := frameHeaderBytes + int64(binary.LittleEndian.Uint32(s.frame)) + frameEndBytes
	if whole > left {
		return nil, errTorn
	}
	s.frame = grow(s.frame, int(whole))
	if err := s.read(s.frame[frameHeaderBytes:]); err != nil {
		return nil, err
	}
	end := s.frame[whole-frameEndBytes:]
	contents := s.frame[:whole-frameEndBytes]
	if binary.LittleEndian.Uint32(end) != checksum(0, contents) || end[4] != frameMark {
		if whole == left && hasHole(s.frame, s.at) {
			return nil, errTorn
		}
		return nil, s.damage(s.at, errChecksum)
	}
	s.at += whole
	s.number++
	return contents[frameHeaderBytes:], nil
}

// grow returns b with n bytes, of which those that fit are kept.
func grow(b []byte, n int) []byte {
	if cap(b) >= n {
		return b[:n]
	}
	return append(make([]byte, 0, n), b...)[:n]
}

func (s *scanner) read(b []byte) error {
	if _, err := io.ReadFull(s.in, b); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}

// sectorBytes is what disks write as a whole, at least.
const sectorBytes = 512

// hasHole reports whether a sector of the frame at an offset is all zeros. When
// the machine fails while a file grows, its length may be kept without all of its
// contents; a frame itself never ends in zeros.
func hasHole(frame []byte, at int64) bool {
	for len(frame) > 0 {
		n := min(len(frame), int(sectorBytes-at%sectorBytes))
		if isZero(frame[:n]) {
			return true
		}
		frame, at = frame[n:], at+int64(n)
	}
	return false
}

func isZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

// badHeader judges a frame whose header, just read, does not match its checksum.
// It was not written in full if nothing but zeros comes from its beginning, or
// from the sector on in which its header ends.
func (s *scanner) badHeader() error {
	zeros := s.frame
	if n := sectorBytes - s.at%sectorBytes; n < frameHeaderBytes {
		zeros = zeros[n:]
	}
	buf := make([]byte, 1<<16)
	for isZero(zeros) {
		n, err := s.in.Read(buf)
		switch zeros = buf[:n]; {
		case err == io.EOF:
			return errTorn
		case err != nil:
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return s.damage(s.at, errChecksum)
}
