package intake

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// Limits on compressed files.
const (
	maxWindow = 128 << 20 // bytes that a decoder looks back on
	// A file that grows to more than freeText becomes suspect where it grows more
	// than maxRatio-fold: exports have ids and times, and grow some tenfold.
	maxRatio = 1000
	freeText = 64 << 20
)

// compressions undo what the extensions of names promise.
var compressions = map[string]func(io.Reader) (io.ReadCloser, error){
	".gz": func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) },
	".xz": func(r io.Reader) (io.ReadCloser, error) {
		plain, err := xz.NewReader(r)
		return io.NopCloser(plain), err
	},
	".zst": func(r io.Reader) (io.ReadCloser, error) {
		plain, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return plain.IOReadCloser(), nil
	},
}

// formatOf returns the extension that says how a file is compressed, "" for not
// at all, and the one that says what is in it.
func formatOf(path string) (compressed, content string) {
	path = strings.ToLower(filepath.Base(path))
	if ext := filepath.Ext(path); compressions[ext] != nil {
		compressed, path = ext, strings.TrimSuffix(path, ext)
	}
	return compressed, filepath.Ext(path)
}

// text is the text of a file, read and decompressed ahead of who splits it.
type text struct {
	file   *os.File
	chunks chan []byte // what was read
	empty  chan []byte // what may be read into
	done   chan struct{}
	err    error // why chunks ended, once they did
	latest []byte
}

const (
	chunkSize   = 256 << 10
	chunksAhead = 4
)

// openText opens a file of text. Progress, where it is not nil, is told of the
// bytes as they are read from the disk, from another goroutine.
func openText(path string, latin1 bool, progress func(int64)) (*text, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	raw := &counter{from: file, progress: progress}
	var plain io.ReadCloser = io.NopCloser(raw)
	if compressed, _ := formatOf(path); compressed != "" {
		if plain, err = compressions[compressed](raw); err != nil {
			file.Close()
			return nil, &Error{File: path, Reason: fmt.Sprintf("expected a %s file: %v", compressed, err)}
		}
		plain = &guarded{plain, raw, 0}
	}
	t := &text{
		file: file, chunks: make(chan []byte, chunksAhead), empty: make(chan []byte, chunksAhead+1), done: make(chan struct{}),
	}
	go t.readAhead(plain, latin1)
	return t, nil
}

// readAhead reads chunk after chunk until the end, an error, or close.
func (t *text) readAhead(plain io.ReadCloser, latin1 bool) {
	defer close(t.chunks)
	defer plain.Close()
	defer func() {
		if p := recover(); p != nil { // a decoder met what its authors did not expect
			t.err = fmt.Errorf("cannot be decompressed: %v", p)
		}
	}()
	for made := 0; ; {
		var chunk []byte
		if made < cap(t.empty) && len(t.empty) == 0 {
			made++
			chunk = make([]byte, chunkSize)
		} else {
			select {
			case chunk = <-t.empty:
			case <-t.done:
				return
			}
		}
		room := chunk[:cap(chunk)]
		if latin1 { // at most twice as long in UTF-8
			room = room[:len(room)/2]
		}
		n, err := fill(plain, room)
		if room = room[:n]; latin1 {
			room = fromLatin1(room)
		}
		if n > 0 {
			select {
			case t.chunks <- room:
			case <-t.done:
				return
			}
		}
		if err != nil {
			t.err = err
			return
		}
	}
}

// next returns the next chunk, valid until the call after it, or io.EOF.
func (t *text) next() ([]byte, error) {
	if t.latest != nil {
		t.empty <- t.latest
	}
	chunk, more := <-t.chunks
	if t.latest = chunk; more {
		return chunk, nil
	}
	return nil, t.err
}

// close ends the reading ahead and closes the file.
func (t *text) close() error {
	close(t.done)
	for range t.chunks { // until readAhead has returned
	}
	return t.file.Close()
}

// fill reads until the buffer is full or the reader says why not.
func fill(r io.Reader, buffer []byte) (n int, err error) {
	for empty := 0; n < len(buffer) && err == nil; {
		var read int
		read, err = r.Read(buffer[n:])
		if n += read; read > 0 {
			empty = 0
		} else if empty++; empty == 100 && err == nil {
			err = io.ErrNoProgress
		}
	}
	return n, err
}

// fromLatin1 turns ISO 8859-1 into UTF-8 in place; there must be room for twice
// as many bytes.
func fromLatin1(text []byte) []byte {
	high := 0
	for _, b := range text {
		if b >= 0x80 {
			high++
		}
	}
	from := len(text) - 1
	text = text[:len(text)+high]
	for to := len(text) - 1; to > from; from-- {
		b := text[from]
		if b >= 0x80 {
			text[to], text[to-1] = 0x80|b&0x3f, 0xc0|b>>6
			to--
		} else {
			text[to] = b
		}
		to--
	}
	return text
}

// counter counts what is read.
type counter struct {
	from     io.Reader
	progress func(int64)
	read     int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.read += int64(n)
	if c.progress != nil && n > 0 {
		c.progress(int64(n))
	}
	return n, err
}

// guarded refuses what grows beyond any export when it is decompressed.
type guarded struct {
	io.ReadCloser
	raw   *counter
	plain int64
}

func (g *guarded) Read(p []byte) (int, error) {
	n, err := g.ReadCloser.Read(p)
	g.plain += int64(n)
	if g.plain > freeText && g.plain/maxRatio > g.raw.read {
		return 0, fmt.Errorf("%d bytes grew to %d when decompressed; expected at most %d-fold", g.raw.read, g.plain, maxRatio)
	}
	return n, err
}
