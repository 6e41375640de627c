package bench

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
)

// rawPebble writes the same keys that the service's own store writes, with values as
// long, in synced batches of the load's size, and does nothing else: it looks at nothing
// that is there.
func rawPebble(l *Load, folder string) func(context.Context) (*Measurement, error) {
	return func(ctx context.Context) (m *Measurement, err error) {
		o := &pebble.Options{
			FormatMajorVersion: pebble.FormatNewest, Cache: pebble.NewCache(64 << 20), MemTableSize: 32 << 20,
			MemTableStopWritesThreshold: 3, LBaseMaxBytes: 128 << 20, Logger: silent{},
		}
		defer o.Cache.Unref()
		for i := range o.Levels {
			o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		}
		db, err := pebble.Open(folder, o)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		var w rawWriter
		return rawLoop(ctx, l, 1, func(_ context.Context, r *rows) error {
			w.batch = db.NewBatch()
			defer w.batch.Close()
			w.rows(r)
			return w.batch.Commit(pebble.Sync)
		})
	}
}

// rawWriter puts rows into a batch. Setting fails only on a batch of another kind.
type rawWriter struct {
	batch      *pebble.Batch
	key, value []byte
}

func (w *rawWriter) rows(r *rows) {
	for i := range r.headAccounts {
		w.value = append(binary.AppendVarint(w.value[:0], r.headVersions[i]), r.headData[i]...)
		w.set('a', r.headAccounts[i], "\x00")
	}
	for i := range r.numbers {
		w.value = binary.AppendVarint(w.value[:0], r.sequences[i])
		w.value = append(append(append(w.value, r.accounts[i]...), r.sources[i]...), r.ids[i]...)
		w.value = append(append(append(w.value, r.types[i]...), r.events[i]...), r.postings[i]...)
		w.set('e', string(binary.BigEndian.AppendUint64(nil, uint64(r.numbers[i]))))
		w.value = binary.AppendVarint(binary.AppendVarint(w.value[:0], r.numbers[i]), r.sequences[i])
		w.set('h', r.accounts[i], "\x07", r.sources[i], r.ids[i])
	}
	for i := range r.parts {
		w.value = append(binary.AppendVarint(w.value[:0], r.settled[i]), r.parts[i]...)
		w.set('h', r.partAccounts[i], "\x02", r.partIDs[i])
		w.value = w.value[:0]
		w.set('n', r.partIDs[i], r.partAccounts[i])
		w.set('h', r.partAccounts[i], "\x04", string(binary.BigEndian.AppendUint64(nil, uint64(r.settled[i]))), r.partIDs[i])
	}
}

func (w *rawWriter) set(space byte, parts ...string) {
	w.key = append(w.key[:0], space)
	for _, p := range parts {
		w.key = append(append(w.key, p...), 0, 1)
	}
	_ = w.batch.Set(w.key, w.value, nil)
}

// silent is a logger that says nothing of what goes as it should.
type silent struct{}

func (silent) Infof(string, ...any)              {}
func (silent) Errorf(string, ...any)             {}
func (silent) Fatalf(format string, args ...any) { pebble.DefaultLogger.Fatalf(format, args...) }
