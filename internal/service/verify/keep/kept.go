package keep

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"recoup/internal/service/verify"
)

// Kept is a checkpoint that is kept somewhere.
type Kept struct {
	Name   string // of a file, or of a folder, whose newest it is
	Leaves string // a file with what it covers; "": the checkpoint's name with LeavesSuffix
	Key    string // checks its signature
}

// LeavesSuffix is what the name of a file of leaves adds to its checkpoint's.
const LeavesSuffix = ".leaves"

// Open checks the signature of a checkpoint, opens its leaves, and has both be what a
// database is verified with; leaves is to be closed after that. The error is
// verify.ErrNotSigned if the key does not fit.
func (k *Kept) Open(o *verify.Options) (leaves io.Closer, err error) {
	signed, from, sealed, err := openSealed(k.Name)
	if err != nil {
		return nil, err
	}
	name := k.Name
	switch {
	case sealed && k.Leaves != "":
		err = fmt.Errorf("--leaves %s: %s has its leaves itself", k.Leaves, k.Name)
	case !sealed:
		if name = k.Leaves; name == "" {
			name = k.Name + LeavesSuffix
		}
	}
	if err == nil {
		if o.Checkpoint, err = verify.OpenCheckpoint(signed, k.Key); err != nil {
			err = fmt.Errorf("%s: %w", k.Name, err)
		}
	}
	if err == nil && !sealed {
		if from, err = os.Open(name); err != nil {
			return nil, fmt.Errorf("%w: a checkpoint is checked with the file of leaves that was written with it; name it with --leaves", err)
		}
	}
	if err == nil {
		if o.Leaves, err = verify.NewLeafReader(from); err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
	}
	if err != nil {
		if from != nil {
			from.Close()
		}
		return nil, err
	}
	return from, nil
}

// openSealed opens a sealed checkpoint, of a folder the newest, and returns its note; what
// is left to read are its leaves. sealed is false for a note whose leaves are in a file of
// their own.
func openSealed(name string) (note []byte, leaves io.ReadCloser, sealed bool, err error) {
	if info, e := os.Stat(name); e == nil && info.IsDir() {
		if name, err = newestSealed(name); err != nil {
			return nil, nil, false, err
		}
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, false, err
	}
	in := bufio.NewReader(file)
	for {
		begin, err := in.Peek(2)
		if len(begin) == 2 && begin[0] == 0x1f && begin[1] == 0x8b { // no note has such a line, and each gzip file begins so
			return note, readerOf{in, file}, true, nil
		}
		line, ended := in.ReadSlice('\n')
		if note = append(note, line...); len(note) > mostNote {
			return nil, nil, false, errors.Join(fmt.Errorf("%s: expected a signed note of at most %d bytes", name, mostNote), file.Close())
		}
		if err != nil && ended != nil {
			return note, nil, false, file.Close()
		}
	}
}

// mostNote is how long a note may be.
const mostNote = 1 << 16

type readerOf struct {
	io.Reader
	io.Closer
}

// newestSealed returns the newest sealed checkpoint of a folder: they are named after
// their times.
func newestSealed(folder string) (string, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*"+sealedSuffix))
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s: there is no checkpoint in it (*%s): %w", folder, sealedSuffix, fs.ErrNotExist)
	}
	if err != nil {
		return "", err
	}
	return slices.Max(names), nil
}
