package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// figuresFile is a document that a command of the lab writes its figures into, each
// between the lines that mark them. Without a path there is none.
type figuresFile struct {
	path string
	text []byte // as it was; nil where it is not there yet
}

// read reads the document, so that one without a place for the figures is refused
// before the work is done.
func (f *figuresFile) read(check func(document []byte) error) error {
	if f.path == "" {
		return nil
	}
	text, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = check(text)
	}
	if err != nil {
		return fmt.Errorf("--markdown %s: %w", f.path, err)
	}
	f.text = text
	return nil
}

// write replaces the document by what it becomes with the figures.
func (f *figuresFile) write(with func(document []byte) ([]byte, error)) error {
	if f.path == "" {
		return nil
	}
	text, err := with(f.text)
	if err != nil {
		return err
	}
	var files outputFiles
	defer files.discard()
	w, err := files.create(f.path)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	return files.keep()
}
