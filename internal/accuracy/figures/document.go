package figures

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"recoup/internal/kit/files"
)

// Document is a file that a command writes its figures into. Without a path there is none.
type Document struct {
	Path string
	text []byte // as it was; nil where it is not there yet
}

// Read reads the document, so that one without a place for the figures is refused
// before the work is done.
func (d *Document) Read(check func(document []byte) error) error {
	if d.Path == "" {
		return nil
	}
	text, err := os.ReadFile(d.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = check(text)
	}
	if err != nil {
		return fmt.Errorf("--markdown %s: %w", d.Path, err)
	}
	d.text = text
	return nil
}

// Write replaces the document by what it becomes with the figures.
func (d *Document) Write(with func(document []byte) ([]byte, error)) error {
	if d.Path == "" {
		return nil
	}
	text, err := with(d.text)
	if err != nil {
		return err
	}
	return files.Write(d.Path, bytes.NewReader(text))
}
