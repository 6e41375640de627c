package spill

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/sstable"

	"recoup/internal/kit/scratch"
)

// run is a sorted pile on the disk: a table of Pebble's, in the part of the
// temporary file from start.
type run struct {
	file        *scratch.File
	start, size int64
	table       *sstable.Reader
}

// writeRun writes a sorted pile behind what is in the file, to which nobody else
// may write meanwhile.
func writeRun(file *scratch.File, p *pile, blockSize int) (*run, error) {
	r := &run{file: file, start: file.Size()}
	w := sstable.NewWriter(&runWriter{run: r}, sstable.WriterOptions{
		TableFormat: sstable.TableFormatPebblev2, BlockSize: blockSize, Compression: sstable.SnappyCompression,
	})
	var name []byte
	for i := range p.rows {
		name = p.rows[i].append(name[:0])
		if err := w.Set(name, p.value(&p.rows[i])); err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	r.size = file.Size() - r.start
	var err error
	if r.table, err = sstable.NewReader(context.Background(), (*runReadable)(r), sstable.ReaderOptions{}); err != nil {
		return nil, r.damaged(err)
	}
	return r, nil
}

// rows walks over the rows with hashes from first and below end; an end of zero
// is none.
func (r *run) rows(first, end uint64) (*runRows, error) {
	lower, upper := (&key{hash: first}).append(nil), []byte(nil)
	if end > 0 {
		upper = (&key{hash: end}).append(nil)
	}
	i, err := r.table.NewIter(sstable.NoTransforms, lower, upper, sstable.AssertNoBlobHandles)
	if err != nil {
		return nil, r.damaged(err)
	}
	return &runRows{run: r, rows: i, from: lower}, nil
}

type runRows struct {
	*run
	rows sstable.Iterator
	from []byte // nil once it has begun
}

func (w *runRows) next() (key, []byte, error) {
	found := w.rows.Next
	if w.from != nil {
		found = w.rows.First
		w.from = nil
	}
	kv := found()
	if kv == nil {
		return key{}, nil, w.damaged(w.rows.Error())
	}
	value, _, err := kv.Value(nil)
	if err != nil {
		return key{}, nil, w.damaged(err)
	}
	return readKey(kv.K.UserKey), value, nil
}

func (w *runRows) close() error { return w.rows.Close() }

// damaged says which file an error is about.
func (r *run) damaged(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("temporary file for %s: %s is damaged or cannot be read: %w", r.file.Name, r.file.Handle().Name(), err)
}

// runWriter writes a table to the end of the file.
type runWriter struct {
	*run
}

func (w *runWriter) Write(p []byte) error {
	_, _, err := w.file.Write(p)
	return err
}
func (*runWriter) Finish() error { return nil }
func (*runWriter) Abort()        {}

// runReadable reads a table from its part of the file.
type runReadable run

func (r *runReadable) ReadAt(_ context.Context, p []byte, off int64) error {
	_, err := r.file.Handle().ReadAt(p, r.start+off)
	return err
}
func (r *runReadable) Size() int64 { return r.size }
func (*runReadable) Close() error  { return nil } // the file is the store's
func (r *runReadable) NewReadHandle(objstorage.ReadBeforeSize) objstorage.ReadHandle {
	handle := objstorage.MakeNoopReadHandle(r)
	return &handle
}
