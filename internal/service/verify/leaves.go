package verify

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// leavesHeader is the first line of a file of leaves.
const leavesHeader = "recoup leaves 2"

// LeafWriter writes the leaves of a checkpoint to a file: compressed with gzip,
// a header, then for each leaf a line with its sequence, its hash in base64 and
// its name in base64.
type LeafWriter struct {
	zip  *gzip.Writer
	out  *bufio.Writer
	line []byte
}

// NewLeafWriter returns a writer of leaves to w.
func NewLeafWriter(w io.Writer) *LeafWriter {
	zip := gzip.NewWriter(w)
	l := &LeafWriter{zip: zip, out: bufio.NewWriterSize(zip, 1<<16)}
	l.out.WriteString(leavesHeader + "\n") // out keeps the first error for Close
	return l
}

// Write writes the next leaf.
func (w *LeafWriter) Write(l *Leaf) error {
	b := strconv.AppendInt(w.line[:0], l.Sequence, 10)
	b = base64.StdEncoding.AppendEncode(append(b, ' '), l.Chain[:])
	b = append(base64.StdEncoding.AppendEncode(append(b, ' '), l.Name[:]), '\n')
	w.line = b
	_, err := w.out.Write(b)
	return err
}

// Close writes what is buffered. It does not close the file.
func (w *LeafWriter) Close() error {
	return errors.Join(w.out.Flush(), w.zip.Close())
}

// LeafReader reads what a LeafWriter wrote.
type LeafReader struct {
	lines *bufio.Scanner
	count int
	last  Hash
}

// NewLeafReader returns a reader of the leaves in r.
func NewLeafReader(r io.Reader) (*LeafReader, error) {
	zip, err := gzip.NewReader(bufio.NewReaderSize(r, 1<<16))
	if err != nil {
		return nil, fmt.Errorf("expected a gzip file of leaves: %w", err)
	}
	l := &LeafReader{lines: bufio.NewScanner(zip)}
	l.lines.Buffer(nil, 1<<20)
	if !l.lines.Scan() || l.lines.Text() != leavesHeader {
		return nil, fmt.Errorf("expected a file of leaves that begins with %q, found %q", leavesHeader, l.lines.Text())
	}
	return l, nil
}

// Read returns the next leaf, io.EOF after the last.
func (r *LeafReader) Read() (Leaf, error) {
	if !r.lines.Scan() {
		if err := r.lines.Err(); err != nil {
			return Leaf{}, fmt.Errorf("file of leaves: %w", err)
		}
		return Leaf{}, io.EOF
	}
	r.count++
	l, err := parseLeaf(r.lines.Text())
	if err != nil {
		return Leaf{}, fmt.Errorf("file of leaves: leaf %d: %w", r.count, err)
	}
	if r.count > 1 && bytes.Compare(l.Name[:], r.last[:]) <= 0 {
		return Leaf{}, fmt.Errorf("file of leaves: leaf %d: expected a name after %v in byte order, found %v", r.count, r.last, l.Name)
	}
	r.last = l.Name
	return l, nil
}

func parseLeaf(line string) (l Leaf, err error) {
	number, rest, _ := strings.Cut(line, " ")
	hash, name, _ := strings.Cut(rest, " ")
	if l.Sequence, err = strconv.ParseInt(number, 10, 64); err != nil || l.Sequence < 1 {
		return l, fmt.Errorf("expected a number of events, found %q", number)
	}
	if l.Chain, err = parseHash(hash); err != nil {
		return l, err
	}
	l.Name, err = parseHash(name)
	return l, err
}

func parseHash(s string) (h Hash, err error) {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(b) != len(h) {
		return h, fmt.Errorf("expected a SHA-256 hash in base64, found %q", s)
	}
	return Hash(b), nil
}
