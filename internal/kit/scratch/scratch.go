// Package scratch keeps blocks of bytes on the disk for as long as a process works with
// them, and leaves nothing behind however it ends.
package scratch

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// File is a temporary file that is created when the first block is written. It can be
// read by its owner alone, and has no name any more as soon as it is open, where the
// system lets go of that. It is safe for concurrent use.
type File struct {
	Dir  string // "": that of the system
	Name string // begins the file's name, and is what errors call it
	once sync.Once
	file *os.File
	err  error
	// named says that the system does not let go of the name of an open file.
	named bool
	size  atomic.Int64 // up to where it is used
}

// Size is how many bytes have been written.
func (s *File) Size() int64 { return s.size.Load() }

func (s *File) open() (*os.File, error) {
	s.once.Do(func() {
		s.file, s.err = os.CreateTemp(s.Dir, "recoup-*."+s.Name) // for the owner alone: 0600
		if s.err == nil {
			s.named = os.Remove(s.file.Name()) != nil
		}
	})
	return s.file, s.err
}

// Write adds bytes and returns where they begin, and their checksum.
func (s *File) Write(data []byte) (offset int64, sum uint32, err error) {
	file, err := s.open()
	if err != nil {
		return 0, 0, fmt.Errorf("temporary file for %s: %w", s.Name, err)
	}
	offset = s.size.Add(int64(len(data))) - int64(len(data))
	if _, err := file.WriteAt(data, offset); err != nil {
		return 0, 0, fmt.Errorf("temporary file for %s: %w", s.Name, err) // err names the file
	}
	return offset, crc32.Checksum(data, castagnoli), nil
}

// Read fills data with the bytes at offset, which must have that checksum.
func (s *File) Read(data []byte, offset int64, sum uint32) error {
	_, err := s.file.ReadAt(data, offset)
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("temporary file for %s: %s is cut short: %d bytes expected at %d", s.Name, s.file.Name(), len(data), offset)
	case err != nil:
		return fmt.Errorf("temporary file for %s: %w", s.Name, err) // err names the file
	case crc32.Checksum(data, castagnoli) != sum:
		return fmt.Errorf("temporary file for %s: %s is damaged: the %d bytes at %d are not those that were written", s.Name, s.file.Name(), len(data), offset)
	}
	return nil
}

// Handle is the file itself, nil if nothing was written, for tests that damage it.
func (s *File) Handle() *os.File { return s.file }

// Replace puts another file in its place, for tests.
func (s *File) Replace(f *os.File) {
	s.once.Do(func() {})
	s.file = f
}

// Close gives the disk space back.
func (s *File) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.named {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	return err
}
