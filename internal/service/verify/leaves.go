package verify

import (
	"bufio"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// leavesHeader is the first line of a file of leaves.
const leavesHeader = "recoup leaves 1"

// LeafWriter writes the leaves of a checkpoint to a file: compressed with gzip,
// a header, then for each leaf a line with its sequence, its hash in base64 and
// its account in quotes.
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
	b = append(strconv.AppendQuote(append(b, ' '), l.Account), '\n')
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
	last  string
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
	if r.count > 1 && l.Account <= r.last {
		return Leaf{}, fmt.Errorf("file of leaves: leaf %d: expected an account after %q in byte order, found %q", r.count, r.last, l.Account)
	}
	r.last = l.Account
	return l, nil
}

func parseLeaf(line string) (l Leaf, err error) {
	number, rest, _ := strings.Cut(line, " ")
	hash, account, _ := strings.Cut(rest, " ")
	if l.Sequence, err = strconv.ParseInt(number, 10, 64); err != nil || l.Sequence < 1 {
		return l, fmt.Errorf("expected a number of events, found %q", number)
	}
	if l.Chain, err = parseHash(hash); err != nil {
		return l, err
	}
	if l.Account, err = strconv.Unquote(account); err != nil {
		return l, fmt.Errorf("expected an account in quotes, found %s", account)
	}
	return l, nil
}

func parseHash(s string) (h Hash, err error) {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(b) != len(h) {
		return h, fmt.Errorf("expected a SHA-256 hash in base64, found %q", s)
	}
	return Hash(b), nil
}
