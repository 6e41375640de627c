package files

import (
	"fmt"
	"io"
	"os"
)

// Input is a file or standard input.
type Input struct {
	io.ReadCloser
	Name string // as messages have it
	Size int64  // in bytes; 0: not known
}

// Open opens a file, or standard input for "-". A folder is an error.
func Open(name string) (*Input, error) {
	if name == "-" {
		return &Input{io.NopCloser(os.Stdin), "standard input", 0}, nil
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
	in := &Input{f, name, 0}
	if info.Mode().IsRegular() {
		in.Size = info.Size()
	}
	return in, nil
}
