package spill

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

// scratch is a temporary file that is created when the first block is written. It
// is safe for concurrent use.
type scratch struct {
	dir  string
	once sync.Once
	file *os.File
	err  error
	// named says that the system does not let go of the name of an open file.
	named bool
	size  atomic.Int64 // up to where it is used
}

func (s *scratch) open() (*os.File, error) {
	s.once.Do(func() {
		s.file, s.err = os.CreateTemp(s.dir, "recoup-audit-*.rows") // for the owner alone: 0600
		if s.err == nil {
			s.named = os.Remove(s.file.Name()) != nil
		}
	})
	return s.file, s.err
}

// write adds bytes and returns where they begin, and their checksum.
func (s *scratch) write(data []byte) (offset int64, sum uint32, err error) {
	file, err := s.open()
	if err != nil {
		return 0, 0, fmt.Errorf("temporary file for rows: %w", err)
	}
	offset = s.size.Add(int64(len(data))) - int64(len(data))
	if _, err := file.WriteAt(data, offset); err != nil {
		return 0, 0, fmt.Errorf("temporary file for rows: %w", err) // err names the file
	}
	return offset, crc32.Checksum(data, castagnoli), nil
}

// read fills data with the bytes at offset, which must have that checksum.
func (s *scratch) read(data []byte, offset int64, sum uint32) error {
	_, err := s.file.ReadAt(data, offset)
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("temporary file for rows: %s is cut short: %d bytes expected at %d", s.file.Name(), len(data), offset)
	case err != nil:
		return fmt.Errorf("temporary file for rows: %w", err) // err names the file
	case crc32.Checksum(data, castagnoli) != sum:
		return fmt.Errorf("temporary file for rows: %s is damaged: the %d bytes at %d are not those that were written", s.file.Name(), len(data), offset)
	}
	return nil
}

// close gives the disk space back.
func (s *scratch) close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.named {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	return err
}
