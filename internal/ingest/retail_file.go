package ingest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/ulikunitz/xz"
)

// compression is a way to compress files: its usual extension, the bytes that
// its files begin with, and how to undo it.
type compression struct {
	extension string
	magic     []byte
	open      func(io.Reader) (io.Reader, error)
}

var compressions = []compression{
	{".gz", []byte{0x1f, 0x8b}, func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{".xz", []byte{0xfd, '7', 'z', 'X', 'Z', 0}, func(r io.Reader) (io.Reader, error) { return xz.NewReader(r) }},
}

// decompress goes by the first bytes of the content, and insists that a name
// which promises compression keeps its promise. A byte order mark is dropped.
func decompress(name string, r io.Reader) (io.Reader, error) {
	content := bufio.NewReaderSize(r, 1<<16)
	of := compressionOf(content)
	for i := range compressions {
		if promised := &compressions[i]; promised != of && strings.EqualFold(filepath.Ext(name), promised.extension) {
			return nil, fmt.Errorf("%s: the name ends in %s but the content is not of that format", name, promised.extension)
		}
	}
	if of != nil {
		plain, err := of.open(content)
		if err != nil {
			return nil, fmt.Errorf("%s: decompress: %w", name, err)
		}
		content = bufio.NewReaderSize(plain, 1<<16)
	}
	mark := []byte("\ufeff")
	if head, _ := content.Peek(len(mark)); bytes.Equal(head, mark) {
		if _, err := content.Discard(len(mark)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return content, nil
}

// compressionOf returns nil for content that is not compressed.
func compressionOf(content *bufio.Reader) *compression {
	for i, c := range compressions {
		// A file that is too short to peek into is not compressed either.
		if head, _ := content.Peek(len(c.magic)); bytes.Equal(head, c.magic) {
			return &compressions[i]
		}
	}
	return nil
}

// maxRowBytes bounds one row. The longest published one has about 100 bytes, and
// a quotation mark that is never closed would otherwise swallow the file.
const maxRowBytes = 1 << 16

var errRowTooLong = errors.New("the row is longer than 64 KiB; expected a quotation mark or line end before that")

// ration is a reader that fails once its left bytes are used up. Whoever reads
// rows from it renews them with each row.
type ration struct {
	from io.Reader
	left int
}

func (r *ration) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, errRowTooLong
	}
	n, err := r.from.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}
