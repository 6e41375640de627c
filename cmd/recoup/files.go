package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// input is a file or standard input.
type input struct {
	io.ReadCloser
	name string
	size int64 // 0: not known
}

// openInput opens a file, or standard input for "-".
func openInput(name string) (*input, error) {
	if name == "-" {
		return &input{io.NopCloser(os.Stdin), "standard input", 0}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s: is a folder, expected a file", name)
	}
	in := &input{f, name, 0}
	if info.Mode().IsRegular() {
		in.size = info.Size()
	}
	return in, nil
}

// outputFiles are files that are there whole or not at all: they take their
// names when everything has succeeded. They are for their owner alone, since there is
// somebody's account in nearly each.
type outputFiles struct {
	inputs []string // none of these may be written over
	list   []outputFile
}

type outputFile struct {
	*os.File
	name string // to take in the end; empty where it is written in place
}

// create starts a file; without a name there is none. What exists and is no
// regular file, such as a device or pipe, is written in place.
func (o *outputFiles) create(name string) (io.Writer, error) {
	if name == "" {
		return nil, nil
	}
	for _, f := range o.list {
		if f.name != "" && filepath.Clean(f.name) == filepath.Clean(name) {
			return nil, fmt.Errorf("%s: is named for two outputs, of which one would be lost", name)
		}
	}
	info, err := os.Stat(name)
	for _, input := range o.inputs {
		if in, e := os.Stat(input); e == nil && err == nil && os.SameFile(in, info) {
			return nil, fmt.Errorf("%s: is read, and would be written over", name)
		}
	}
	if err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		o.list = append(o.list, outputFile{f, ""})
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
	o.list = append(o.list, outputFile{f, name})
	return f, nil
}

// createOr is create for what goes elsewhere without a name.
func (o *outputFiles) createOr(name string, elsewhere io.Writer) (io.Writer, error) {
	if name == "" {
		return elsewhere, nil
	}
	return o.create(name)
}

// keep gives the files their names.
func (o *outputFiles) keep() error {
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

// discard removes what was not kept.
func (o *outputFiles) discard() {
	for _, f := range o.list {
		f.Close()
		if f.name != "" {
			os.Remove(f.File.Name())
		}
	}
}
