package sqlite

import (
	"context"
	"hash/maphash"
	"time"

	"recoup/reward"
	"recoup/store/durable"
)

// filter knows of every identity and part in the database, or rather of a few
// more than there are: it is a Bloom filter. Nearly all events that arrive are
// new, and so is what they are about; the filter tells without looking into
// tables of many millions of rows.
//
// Everything that comes into the backlog is added to it. What is in the tables
// when the database is opened is added in the background, and until that is done
// everything may be there. The backlog's mutex guards it.
type filter struct {
	seed  maphash.Seed
	words []uint64
	// complete: everything that is in the tables has been added. round counts how
	// often that began anew.
	complete bool
	round    int
}

const (
	// filterWords make 16 MiB. With 20 million identities and parts in it, a few in
	// a hundred of those that are not there seem to be, and are looked up in vain.
	filterWords = 2 << 20
	// lineWords is how many words a key has its bits in, a line of the processor's
	// cache.
	lineWords = 8
	// keyBits is how many bits a key sets.
	keyBits = 5
)

func newFilter() *filter {
	return &filter{seed: maphash.MakeSeed(), words: make([]uint64, filterWords)}
}

func (f *filter) hashIdentity(id durable.Identity) uint64 { return maphash.Comparable(f.seed, id) }
func (f *filter) hashPart(key durable.PartKey) uint64     { return maphash.Comparable(f.seed, key) }

// place returns the line of a hash; its other bits choose those in the line, nine
// at a time.
func (f *filter) place(hash uint64) (line []uint64, bits uint64) {
	at := hash >> 46 * lineWords
	return f.words[at : at+lineWords : at+lineWords], hash
}

func (f *filter) add(hash uint64) {
	line, bits := f.place(hash)
	for range keyBits {
		line[bits>>6%lineWords] |= 1 << (bits & 63)
		bits >>= 9
	}
}

// mayHave reports whether what has the hash may be in the database.
func (f *filter) mayHave(hash uint64) bool {
	if !f.complete {
		return true
	}
	line, bits := f.place(hash)
	for range keyBits {
		if line[bits>>6%lineWords]&(1<<(bits&63)) == 0 {
			return false
		}
		bits >>= 9
	}
	return true
}

// mayHaveIdentity reports whether an event may be in the log.
func (b *backlog) mayHaveIdentity(id durable.Identity) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return !b.filter.complete || b.filter.mayHave(b.filter.hashIdentity(id))
}

// mayHavePart reports whether a part may be there.
func (b *backlog) mayHavePart(key durable.PartKey) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return !b.filter.complete || b.filter.mayHave(b.filter.hashPart(key))
}

// fillFilter adds what is in the tables to the filter, and again if rows have
// been filed that this process did not see in the backlog.
func (db *DB) fillFilter(ctx context.Context) {
	b := &db.backlog
	for {
		b.mu.RLock()
		round, complete := b.filter.round, b.filter.complete
		b.mu.RUnlock()
		if !complete {
			if err := db.readTables(ctx); err != nil {
				if ctx.Err() == nil {
					db.options.Log.Error("the tables cannot be read ahead; look-ups take longer until the next start", "error", err)
				}
				return
			}
			b.mu.Lock()
			b.filter.complete = b.filter.round == round
			b.mu.Unlock()
		}
		select {
		case <-ctx.Done():
			return
		case <-b.missed:
		}
	}
}

// readTables adds what is in the tables. It reads a little at a time, each on a
// snapshot of its own, so as not to keep the write-ahead log from being copied:
// what is filed meanwhile is in the filter already.
func (db *DB) readTables(ctx context.Context) error {
	c, err := db.openPassive(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	err = db.readTable(ctx, func(after []string, found func(uint64)) ([]string, error) {
		s := c.query(`SELECT account, source, id FROM identities WHERE (account, source, id) > (?, ?, ?) ORDER BY account, source, id LIMIT 2048`).
			text(after[0]).text(after[1]).text(after[2])
		var id durable.Identity
		for s.next() {
			id = durable.Identity{Account: s.textAt(0), Source: s.textAt(1), ID: s.textAt(2)}
			found(db.backlog.filter.hashIdentity(id))
		}
		return []string{id.Account, id.Source, id.ID}, s.end()
	})
	for kind, table := range partTables {
		if err != nil {
			return err
		}
		if table == "" {
			continue
		}
		text := `SELECT account, id FROM ` + table + ` WHERE (account, id) > (?, ?) ORDER BY account, id LIMIT 2048`
		err = db.readTable(ctx, func(after []string, found func(uint64)) ([]string, error) {
			s := c.query(text).text(after[0]).text(after[1])
			key := durable.PartKey{Kind: reward.PartKind(kind)}
			for s.next() {
				key.Account, key.ID = s.textAt(0), s.textAt(1)
				found(db.backlog.filter.hashPart(key))
			}
			return []string{key.Account, key.ID}, s.end()
		})
	}
	return err
}

// readTable adds the hashes that read finds, which reads some rows after a key
// and returns the last key. Half of the time is left to others.
func (db *DB) readTable(ctx context.Context, read func(after []string, found func(uint64)) ([]string, error)) error {
	var hashes []uint64
	after := []string{"", "", ""}
	for {
		began := time.Now()
		hashes = hashes[:0]
		var err error
		if after, err = read(after, func(hash uint64) { hashes = append(hashes, hash) }); err != nil {
			return err
		}
		if len(hashes) == 0 {
			return nil
		}
		db.backlog.mu.Lock()
		for _, hash := range hashes {
			db.backlog.filter.add(hash)
		}
		db.backlog.mu.Unlock()
		if err := sleep(ctx, time.Since(began)); err != nil {
			return err
		}
	}
}
