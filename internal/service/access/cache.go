package access

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"recoup/internal/store/record"
	"recoup/reward"
)

// How old what is known of the keys may be.
const (
	// Freshness is after how long the keys are read again, by one request while
	// the others go on with what is known.
	Freshness = time.Second
	// Staleness is after how long nobody goes on with what is known, however
	// long the database takes to answer. A key that was revoked in another
	// process is let in no longer than this, unless the keys are to be outlasted.
	Staleness = 5 * time.Second
	// remembered is how long a revoked key is told from one that never was.
	remembered = 30 * reward.Day
)

// cache holds all keys as they were read last. So the answer that there is no
// such key is as cheap as any, and how often the database is asked depends on
// the clock, never on what is sent: nobody can wear it down with made-up keys.
// MaxKeys bounds its size.
type cache struct {
	last    atomic.Pointer[snapshot]
	reading chan struct{} // holds a token while somebody reads
	// outlast is how old what is known may be while it cannot be read; see Keys.Outlast.
	outlast time.Duration
	failing atomic.Bool
}

// snapshot is what was known at a moment.
type snapshot struct {
	at   time.Time
	keys map[string]entry
}

// entry is a key as requests are checked against it.
type entry struct {
	Principal
	hash    digest
	revoked bool
	expires reward.Instant // zero: never
}

func newCache() cache { return cache{reading: make(chan struct{}, 1)} }

// forget has the next request read the keys again.
func (c *cache) forget() { c.last.Store(nil) }

// known returns the keys, read again if it is time.
func (k *Keys) known(ctx context.Context) (*snapshot, error) {
	s := k.last.Load()
	age := Staleness
	if s != nil {
		age = k.now().Sub(s.at)
	}
	if age >= 0 && age < Freshness {
		return s, nil
	}
	usable := age >= 0 && age < Staleness
	lasts := s != nil && age >= 0 && age < k.outlast
	if lasts && !usable && k.failing.Load() {
		// Nobody waits for it any more.
		select {
		case k.reading <- struct{}{}:
			go func() {
				defer func() { <-k.reading }()
				_, _ = k.refresh(context.WithoutCancel(ctx), Staleness)
			}()
		default:
		}
		return s, nil
	}
	select {
	case k.reading <- struct{}{}:
	default:
		if usable {
			return s, nil
		}
		select {
		case k.reading <- struct{}{}:
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for the keys: %w", ctx.Err())
		}
	}
	defer func() { <-k.reading }()
	if now := k.last.Load(); now != s && now != nil {
		return now, nil // read by somebody else meanwhile
	}
	patience := Staleness
	if usable {
		patience -= age
	}
	read, err := k.refresh(ctx, patience)
	if err != nil && (usable || lasts && ctx.Err() == nil) {
		return s, nil
	}
	return read, err
}

// refresh reads the keys, and takes note of them or that they cannot be read.
func (k *Keys) refresh(ctx context.Context, patience time.Duration) (*snapshot, error) {
	read, err := k.read(ctx, patience)
	if k.failing.Store(err != nil); err == nil {
		k.last.Store(read)
	}
	return read, err
}

// read reads all keys. The database gets no longer for it than patience.
func (k *Keys) read(ctx context.Context, patience time.Duration) (*snapshot, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s := &snapshot{at: k.now()}
	err := k.records.Read(ctx, func(r record.Reader) error {
		s.keys = make(map[string]entry)
		names, err := linkedNames(ctx, r)
		if err != nil {
			return err
		}
		return r.Scan(ctx, string(table), record.Span{}, func(id string, value []byte) (bool, error) {
			e, revoked, ok := parseEntry(value)
			if ok && (!e.revoked || revoked > reward.At(s.at)-remembered) {
				e.Name = cmp.Or(names[id], e.Name)
				s.keys[id] = e
			}
			return true, nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("reading the keys: %w", err)
	}
	return s, nil
}
