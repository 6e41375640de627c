package pebble

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"

	lsm "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"recoup/internal/store"
)

// Check implements durable.Inspector.
func (r *reader) Check(ctx context.Context, damaged func(error) error) (unchecked []string, err error) {
	err = r.checkFiles(ctx, damaged)
	if err == nil {
		err = r.checkNumbers(damaged)
	}
	if err == nil {
		if err = r.checkIndexes(ctx, damaged); store.IsDamage(err) {
			err = nil // who reads the accounts comes upon it, too
			unchecked = append(unchecked, "whether the indexes of the folder lead to all that they should, as some of it cannot be read")
		}
	}
	return unchecked, err
}

// checkNumbers makes sure that no number is given out again that an event has: the new one
// would take its place.
func (r *reader) checkNumbers(damaged func(error) error) error {
	it, err := r.from.NewIter(&lsm.IterOptions{LowerBound: key{eventSpace}, UpperBound: key{eventSpace + 1}})
	if err != nil {
		return failure(err)
	}
	defer it.Close() // its errors are returned
	if !it.Last() {
		return r.unlessDamaged(it.Error()) // the log is read by others, too
	}
	last := keyOf(it.Key()).int()
	v, _, err := r.get(numberKey)
	if err != nil {
		return r.unlessDamaged(err)
	}
	if limit, _ := binary.Varint(v); limit < last {
		return damaged(fmt.Errorf("numbers of events are given out from %d on, and there is an event with number %d", limit+1, last))
	}
	return nil
}

// unlessDamaged leaves out what the checksums have named.
func (r *reader) unlessDamaged(err error) error {
	if lsm.IsCorruptionError(err) {
		return nil
	}
	return failure(err)
}

// checkFiles reads every block of every file of the tree, in which there may be more than
// the snapshot shows.
func (r *reader) checkFiles(ctx context.Context, damaged func(error) error) error {
	checked := make(map[string]bool)
	for again := true; again; {
		again = false
		levels, err := r.db.tree.SSTables()
		if err != nil {
			return failure(err)
		}
		for _, level := range levels {
			for i := range level {
				name := level[i].BackingSSTNum.String() + ".sst"
				if checked[name] {
					continue
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				checked[name] = true
				err := r.db.checkFile(ctx, name)
				if errors.Is(err, fs.ErrNotExist) && r.db.lists(name) {
					err = fmt.Errorf("the tree has a file %s, which is not there: %w", name, err)
				} else if errors.Is(err, fs.ErrNotExist) {
					again = true // merged meanwhile with others, into files that are new
					continue
				}
				if err != nil {
					if err := damaged(err); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// lists reports whether a file is part of the tree.
func (db *DB) lists(name string) bool {
	levels, err := db.tree.SSTables()
	for _, level := range levels {
		for i := range level {
			if level[i].BackingSSTNum.String()+".sst" == name {
				return true
			}
		}
	}
	return err != nil
}

// checkFile compares every block of a file with its checksum.
func (db *DB) checkFile(ctx context.Context, name string) (err error) {
	under := db.options.FS
	file, err := under.Open(under.PathJoin(db.dir, name), vfs.SequentialReadsOption)
	if err != nil {
		return err
	}
	readable, err := sstable.NewSimpleReadable(file)
	if err != nil {
		return errors.Join(fmt.Errorf("file %s: %w", name, err), file.Close())
	}
	filter := bloom.FilterPolicy(10)
	settings := lsm.Options{Comparer: order, Filters: map[string]lsm.FilterPolicy{filter.Name(): filter}}
	settings.EnsureDefaults()
	table, err := sstable.NewReader(ctx, readable, settings.MakeReaderOptions())
	if err != nil {
		return errors.Join(fmt.Errorf("file %s: %w", name, err), readable.Close())
	}
	if err = table.ValidateBlockChecksums(); err != nil {
		err = fmt.Errorf("file %s: %w", name, err)
	}
	return errors.Join(err, table.Close())
}
