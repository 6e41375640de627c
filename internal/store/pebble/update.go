package pebble

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	lsm "github.com/cockroachdb/pebble/v2"

	"recoup/internal/store/durable"
	"recoup/internal/store/record"
	"recoup/reward"
)

// attempts is how often a unit of work that conflicts is done.
const attempts = 10

// Update implements durable.Driver.
func (db *DB) Update(ctx context.Context, f func(durable.Tx) error) error {
	if err := db.enter(); err != nil {
		return err
	}
	defer db.gate.leave()
	pause := time.Millisecond
	for n := 1; ; n++ {
		err := db.updateOnce(ctx, f)
		if !errors.Is(err, durable.ErrConflict) || n == attempts {
			return err
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
		pause *= 2
	}
}

// sleep pauses for up to a time, at random.
func sleep(ctx context.Context, most time.Duration) error {
	timer := time.NewTimer(most/4 + rand.N(most))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// updateOnce does a unit of work. A panic in it passes through.
func (db *DB) updateOnce(ctx context.Context, f func(durable.Tx) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	t := &tx{db: db, source: source{from: db.tree}}
	defer t.end()
	if err := f(t); err != nil {
		return err
	}
	if t.refused != nil {
		return t.refused
	}
	return t.commit()
}

// tx is a unit of work.
type tx struct {
	source // what is committed, with what the unit has written if it reads after that
	db     *DB

	locked map[string]bool
	order  []string // the locked ones
	// What the unit has seen and written, so that Write knows what to take away.
	accounts map[string]standing
	parts    map[durable.PartKey]partState

	written []string // accounts

	batch   *lsm.Batch
	unread  bool // the batch has more than the source shows
	records bool // the batch has some
	refused error
	scratch key
	value   []byte
}

// partState is where a part is known to be.
type partState struct {
	there, working  bool
	bucket          int64
	settled, review reward.Instant
}

// end releases what a unit of work has, whether or not it was committed.
func (t *tx) end() {
	t.source.close()
	if t.batch != nil && t.db.disk.failure() == nil {
		t.batch.Close()
	}
	t.db.locks.unlock(t.order)
}

// lock takes the locks of accounts in byte order, unless the unit has them. One that lies
// before another that it has could make two units wait for each other, so it is taken
// only if it is free.
func (t *tx) lock(ctx context.Context, accounts []string) error {
	wanted := make([]string, 0, len(accounts))
	for _, account := range accounts {
		if !t.locked[account] {
			wanted = append(wanted, account)
		}
	}
	last := ""
	if len(t.order) > 0 {
		last = t.order[0]
		for _, account := range t.order {
			last = max(last, account)
		}
	}
	for len(wanted) > 0 && wanted[0] < last {
		if !t.db.locks.try(wanted[0]) {
			return durable.ErrConflict
		}
		t.holds(wanted[:1])
		wanted = wanted[1:]
	}
	n, err := t.db.locks.lock(ctx, wanted)
	t.holds(wanted[:n])
	return err
}

func (t *tx) holds(accounts []string) {
	if t.locked == nil {
		t.locked = make(map[string]bool, len(accounts))
	}
	for _, account := range accounts {
		t.locked[account] = true
	}
	t.order = append(t.order, accounts...)
}

// reading has the source show what the unit has written.
func (t *tx) reading() error {
	if !t.unread {
		return nil
	}
	t.source.close()
	indexed := t.db.tree.NewIndexedBatch()
	if err := indexed.Apply(t.batch, nil); err != nil {
		return err
	}
	t.batch.Close()
	t.batch, t.unread = indexed, false
	t.source = source{from: indexed}
	return nil
}

// Timeline implements durable.Tx: nothing takes the place of a folder that is open.
func (t *tx) Timeline(context.Context) (int64, error) { return 1, nil }

// Find implements durable.Tx.
func (t *tx) Find(ctx context.Context, q durable.Query) ([]durable.Part, error) {
	if err := t.reading(); err != nil {
		return nil, err
	}
	found, err := t.source.Find(ctx, q)
	for i := range found {
		t.saw(&found[i])
	}
	return found, err
}

// saw notes where a part is.
func (t *tx) saw(p *durable.Part) {
	if t.parts == nil {
		t.parts = make(map[durable.PartKey]partState)
	}
	t.parts[durable.PartKey{Account: p.Account, Kind: p.Kind, ID: p.ID}] = stateOf(&p.Part)
}

func stateOf(p *reward.Part) partState {
	return partState{there: true, working: p.Working, bucket: p.Bucket, settled: p.Settled, review: p.ReviewSince}
}

// Get implements record.Reader: what is committed.
func (t *tx) Get(ctx context.Context, table, name string) ([]byte, bool, error) {
	return records{t.db.tree}.Get(ctx, table, name)
}

// Scan implements record.Reader: what is committed.
func (t *tx) Scan(ctx context.Context, table string, s record.Span, f func(string, []byte) (bool, error)) error {
	return records{t.db.tree}.Scan(ctx, table, s, f)
}

// commit writes the batch to the log of the tree and waits until it is on the disk.
func (t *tx) commit() error {
	if t.batch == nil || t.batch.Empty() {
		return nil
	}
	t.source.close()
	if t.records {
		t.db.records.RLock()
		defer t.db.records.RUnlock()
	}
	if err := t.db.apply(t.batch); err != nil {
		return err
	}
	for _, account := range t.written {
		t.db.standings.put(account, t.accounts[account])
	}
	return nil
}

// apply commits a batch durably.
func (db *DB) apply(batch *lsm.Batch) error {
	if err := db.room.check(); err != nil {
		return err
	}
	if err := db.marked(); err != nil {
		return err
	}
	end := db.underway.begin()
	defer end()
	return db.disk.outlive(func() error { return db.tree.Apply(batch, lsm.Sync) })
}
