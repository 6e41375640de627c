package verify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/internal/store/erasure"
	"recoup/internal/store/record"
)

const (
	// trailMemory is about how many bytes a Sealer has of the ends of chains; trailSize is
	// what one takes besides its marks.
	trailMemory = 48 << 20
	trailSize   = 320
	// writeEvery is after how long seals are written: until then the events of an account
	// come together, and one seal is written for all of them.
	writeEvery = 30 * time.Second
	// sealPage is how many accounts are looked at at a time, and how many seals are written
	// at a time.
	sealPage = 500
	// worthMarking is how many numbers are read that are sealed already before that is put
	// on record.
	worthMarking = 1 << 16
	// roundPages is how many pages of accounts are looked at each time.
	roundPages = 4
)

// Sealer seals the log of a lane in the background, away from the way of an event. It
// reads what has come to the log since, in the order in which it lies there, and has the
// chains of the accounts go on. A record says up to which number that has been done, and
// is written with the last of the seals: after a crash what is not sealed is read again.
//
// Events may be committed with numbers below that, by a process that was given them
// before. So it also goes round the accounts, a few at a time, and reads the events that
// were passed by. Several processes may seal the same database: what they write is the
// same, and a seal never goes back. A Sealer itself is not safe for concurrent use.
type Sealer struct {
	db       Lane
	position int64 // the number up to which the log was read
	begun    bool
	trails   map[string]*chained
	marked   int64 // up to which number that is on record
	held     int   // bytes of the trails
	saved    time.Time
	room     room
	after    string // the account that the round has come to
	failed   error  // about the first account whose log cannot be read
}

// chained is an account with what of its log is chained.
type chained struct {
	trail
	sealed int64 // up to which sequence a seal is written
	passed bool  // an event was passed by that comes before one that was read
	broken bool  // it cannot be sealed any further: Run says why
}

// NewSealer returns a Sealer that goes on where the last one has come to.
func NewSealer(db Lane) *Sealer {
	return &Sealer{db: db, trails: make(map[string]*chained), saved: time.Now()}
}

// Seal reads up to about so many new events, and returns how many were chained. It writes
// the seals if there is nothing new, or if writeEvery has passed. An account whose log
// cannot be read is left out; the error names the first.
func (s *Sealer) Seal(ctx context.Context, events int) (chained int, err error) {
	chained, _, err = s.follow(ctx, events)
	if err == nil && (chained == 0 || time.Since(s.saved) >= writeEvery) {
		err = s.save(ctx)
	}
	for n := 0; err == nil && n < roundPages; n++ {
		var page []backlog
		var passed int
		if page, passed, err = sealPassed(ctx, s.db, s.after, s); err == nil {
			chained += passed
			if s.after = ""; len(page) == sealPage {
				s.after = page[len(page)-1].account
			} else {
				break
			}
		}
	}
	if err != nil {
		return chained, fmt.Errorf("sealing the log: %w", err)
	}
	err, s.failed = s.failed, nil
	return chained, err
}

// Seal seals all that is not sealed yet, until it has sealed about limit events, and
// returns how many it sealed.
func Seal(ctx context.Context, db Database, limit int) (sealed int, err error) {
	lanes, _ := lanesOf(db)
	for _, lane := range lanes {
		s := NewSealer(lane)
		for more := true; more && sealed < limit; {
			var n int
			if n, more, err = s.follow(ctx, limit-sealed); err != nil {
				return sealed, fmt.Errorf("sealing the log: %w", err)
			}
			sealed += n
		}
		if err = errors.Join(s.save(ctx), s.failed); err != nil {
			return sealed, fmt.Errorf("sealing the log: %w", err)
		}
	}
	return sealed, nil
}

// errEnough ends the reading of a log.
var errEnough = errors.New("enough")

// follow reads the log from where it was read to before, up to about so many events, and
// has the chains go on. more says that there is more to read.
func (s *Sealer) follow(ctx context.Context, events int) (added int, more bool, err error) {
	if s.held >= trailMemory {
		if err := s.save(ctx); err != nil {
			return 0, false, err
		}
		clear(s.trails)
		s.held = 0
	}
	read := 0
	err = s.db.Inspect(ctx, func(r durable.Inspector) error {
		if err := s.begin(ctx, r); err != nil {
			return err
		}
		err := r.Log(ctx, s.position, 1<<63-1, func(row *durable.EventRow) error {
			if read == events || s.held >= trailMemory {
				more = true
				return errEnough
			}
			read++
			n, err := s.take(ctx, r, row)
			if err == nil {
				s.position, added = row.Number, added+n
			}
			return err
		}, func(err error) error {
			s.fail(err)
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			return err
		}
		n, err := s.catchUp(ctx, r)
		added += n
		return err
	})
	return added, more, err
}

// begin finds out up to where the log was read, by this Sealer or another.
func (s *Sealer) begin(ctx context.Context, r record.Reader) error {
	if s.begun {
		return nil
	}
	total, _, err := sealTotal.Get(ctx, r, sealTotalKey)
	s.position, s.marked, s.begun = total.Mark, total.Mark, err == nil
	return err
}

// take has the chain of an account go on with an event, if it is the next one.
func (s *Sealer) take(ctx context.Context, r record.Reader, row *durable.EventRow) (added int, err error) {
	c := s.trails[row.Account]
	if c == nil {
		if c, err = s.load(ctx, r, row.Account); err != nil {
			return 0, err
		}
	}
	switch {
	case c.broken || row.Sequence <= c.sequence:
		return 0, nil
	case row.Sequence > c.sequence+1:
		c.passed = true
		return 0, nil
	}
	s.held -= cap(c.marks)
	c.chain.room = s.room
	c.add(row)
	s.room, c.chain.room, c.chain.eraser = c.chain.room, room{}, nil
	s.held += cap(c.marks)
	return 1, nil
}

// load has the chain of an account at hand, as far as it is sealed.
func (s *Sealer) load(ctx context.Context, r record.Reader, account string) (*chained, error) {
	text, ok, err := r.Get(ctx, sealTable, record.Key(account))
	if err != nil {
		return nil, err
	}
	key, err := erasure.KeyOf(ctx, r, account)
	if err != nil {
		return nil, err
	}
	c := new(chained)
	s.held += trailSize + len(account)
	if s.trails[account] = c; !ok {
		c.start(account, key)
		return c, nil
	}
	sealed, err := parseSeal(text)
	if err != nil {
		c.broken = true // Run names it
		return c, nil
	}
	c.resume(&sealed, key)
	c.sealed = c.sequence
	s.held += cap(c.marks)
	return c, nil
}

// catchUp has the chains go on of which events were passed by, with what the accounts say
// themselves. One whose log is broken is left where it is broken.
func (s *Sealer) catchUp(ctx context.Context, r durable.Reader) (added int, err error) {
	for account, c := range s.trails {
		if !c.passed {
			continue
		}
		c.passed = false
		row, _, err := r.Account(ctx, account)
		if err == nil {
			var n int
			n, err = c.extend(ctx, r, account, row.Last, row.Version)
			added += n
		}
		switch {
		case err == nil:
		case ctx.Err() != nil || !store.IsDamage(err):
			return added, err
		default:
			c.broken = true
			s.fail(fmt.Errorf("sealing account %q: %w; run recoup verify", account, err))
		}
		if !c.broken && c.sequence < row.Version {
			c.broken = true // there is a gap, which Run names
		}
	}
	return added, nil
}

func (s *Sealer) fail(err error) {
	if s.failed == nil {
		s.failed = err
	}
}

// extend follows an account's log from where a trail has come to, to its end or to where
// it is broken.
func (t *trail) extend(ctx context.Context, r durable.Reader, account string, last, version int64) (added int, err error) {
	next := func(row *durable.EventRow) error {
		if row.Account == account && row.Sequence == t.sequence+1 {
			t.add(row)
			added++
		}
		return nil
	}
	behind := version - t.sequence
	if behind <= 0 {
		return 0, nil
	}
	if behind > pageSize {
		err := r.EventsOf(ctx, account, account, next)
		return added, err
	}
	events, err := r.Events(ctx, last, int(behind))
	if err != nil {
		return 0, err
	}
	for i := range events {
		_ = next(&events[len(events)-1-i]) // never fails
	}
	return added, nil
}

// save writes the seals of the chains that have gone on, and up to where the log was read.
func (s *Sealer) save(ctx context.Context) error {
	s.saved = time.Now()
	var list []freshSeal
	for _, account := range slices.Sorted(maps.Keys(s.trails)) {
		if c := s.trails[account]; c.sequence > c.sealed {
			list = append(list, freshSeal{account, c.chain.key, c.seal()})
		}
	}
	if len(list) == 0 && s.position-s.marked < worthMarking {
		return nil
	}
	for page := range slices.Chunk(list, sealPage) {
		if err := putSeals(ctx, s.db, page, 0); err != nil {
			return err
		}
	}
	if err := putSeals(ctx, s.db, nil, s.position); err != nil {
		return err
	}
	for _, one := range list {
		s.trails[one.account].sealed = one.sequence
	}
	s.marked = s.position
	return nil
}
