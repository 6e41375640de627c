// Package files reads files that people name, and writes those that are there whole or
// not at all.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Outputs are files that are there whole or not at all: they take their names when
// everything has succeeded. They are for their owner alone, since there is somebody's
// account in nearly each. The zero Outputs has none yet.
type Outputs struct {
	Inputs []string // files that are read: none of these may be written over
	list   []output
}

type output struct {
	*os.File
	name string // to take in the end; empty where it is written in place
}

// Create starts a file; without a name there is none, and the writer is nil. What exists and is no
// regular file, such as a device or pipe, is written in place.
func (o *Outputs) Create(name string) (io.Writer, error) {
	if name == "" {
		return nil, nil
	}
	for _, f := range o.list {
		if f.name != "" && filepath.Clean(f.name) == filepath.Clean(name) {
			return nil, fmt.Errorf("%s: is named for two outputs, of which one would be lost", name)
		}
	}
	info, err := os.Stat(name)
	for _, input := range o.Inputs {
		if Same(input, name) {
			return nil, fmt.Errorf("%s: is read, and would be written over", name)
		}
	}
	if err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		o.list = append(o.list, output{f, ""})
		return f, nil
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		// The path in the error is that of the temporary file.
		if path := (*fs.PathError)(nil); errors.As(err, &path) {
			err = path.Err
		}
		return nil, fmt.Errorf("creating %s: %w", name, err)
	}
	o.list = append(o.list, output{f, name})
	return f, nil
}

// CreateOr is Create for what goes elsewhere without a name.
func (o *Outputs) CreateOr(name string, elsewhere io.Writer) (io.Writer, error) {
	if name == "" {
		return elsewhere, nil
	}
	return o.Create(name)
}

// Keep gives the files their names.
func (o *Outputs) Keep() error {
	for len(o.list) > 0 {
		f := o.list[0]
		if err := f.Close(); err != nil {
			return err
		}
		if f.name != "" {
			if err := os.Rename(f.File.Name(), f.name); err != nil {
				return err
			}
		}
		o.list = o.list[1:]
	}
	return nil
}

// Discard removes what was not kept. After Keep it does nothing.
func (o *Outputs) Discard() {
	for _, f := range o.list {
		f.Close()
		if f.name != "" {
			os.Remove(f.File.Name())
		}
	}
}

// Write writes a file by itself.
func Write(name string, contents io.Reader) error {
	var files Outputs
	defer files.Discard()
	w, err := files.Create(name)
	if err == nil {
		_, err = io.Copy(w, contents)
	}
	if err != nil {
		return err
	}
	return files.Keep()
}

// Same reports whether two names are of one file or folder that is there.
func Same(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
