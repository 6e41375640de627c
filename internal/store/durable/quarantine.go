package durable

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/event"
	"recoup/internal/store/record"
	"recoup/internal/store/seal"
	"recoup/reward"
)

// An event that may have the number of a card must not lie in the log, where everybody
// with a copy of the database could read it, and must not be dropped either, since it may
// be nothing but an id that looks like one. It is kept apart, among the refused facts:
// masked, and as it was sent only if there is a key to seal it with. Somebody lets it in or
// dismisses it.

// Suspect is an event that may have the number of a card in a member of its line.
type Suspect struct {
	Event  reward.Event // as it was sent
	Member string
	Fate   Fate // what KeepApart made of it
}

// Fate is what becomes of a suspect.
type Fate uint8

// The fates.
const (
	// KeptApart: it waits on the review list.
	KeptApart Fate = iota
	// NoRoom: MaxRefused of its account wait there, and it was not kept.
	NoRoom
	// Dismissed: somebody looked at it and dismissed it.
	Dismissed
	// LetIn: it is in the log.
	LetIn
	// OtherLetIn: another event of its identity is in the log.
	OtherLetIn
)

// KeepApart keeps suspects durably, each once, and sets their fates.
func (s *Store) KeepApart(ctx context.Context, suspects []Suspect) error {
	byLane := make(map[int][]*Suspect)
	for i := range suspects {
		x := &suspects[i]
		logged, is, err := s.Logged(ctx, x.Event.Account, x.Event.Source, x.Event.ID)
		switch {
		case err != nil:
			return fmt.Errorf("looking for an event that was let in: %w", err)
		case is && logged.Event == x.Event:
			x.Fate = LetIn
		case is:
			x.Fate = OtherLetIn
		default:
			masked := x.Event
			event.MaskCards(&masked)
			lane := s.db.LaneOf(masked.Account)
			byLane[lane] = append(byLane[lane], x)
		}
	}
	for lane, list := range byLane {
		if err := s.db.Lanes()[lane].Change(ctx, func(tx record.Tx) error { return s.keepApart(ctx, tx, list) }); err != nil {
			return fmt.Errorf("keeping events apart that may have the number of a card: %w", err)
		}
	}
	return nil
}

func (s *Store) keepApart(ctx context.Context, tx record.Tx, list []*Suspect) error {
	number, err := lowestRefused(ctx, tx)
	if err != nil {
		return err
	}
	waiting := make(map[string]int) // by account
	for _, x := range list {
		masked := x.Event
		event.MaskCards(&masked)
		r := refusedRecord{Number: number - 1, Since: int64(s.now()), Event: jsontext.Value(event.Append(nil, &masked)), Member: x.Member}
		if before, there, err := refusedNamed.Get(ctx, tx, r.name(&masked)); err != nil || there {
			if err == nil {
				x.Fate, err = fateOf(ctx, tx, before)
			}
			if err != nil {
				return err
			}
			continue
		}
		if _, counted := waiting[masked.Account]; !counted {
			open, err := refusedOpenOf.List(ctx, tx, record.Under(masked.Account), MaxRefused)
			if err != nil {
				return err
			}
			waiting[masked.Account] = len(open)
		}
		if waiting[masked.Account] >= MaxRefused {
			x.Fate = NoRoom
			continue
		}
		waiting[masked.Account]++
		if s.secrets != nil {
			r.Sealed = s.secrets.Seal(keptApartPlace(&masked), string(event.Append(nil, &x.Event)))
		}
		records, err := r.records(nil, &masked)
		if err != nil {
			return err
		}
		for _, one := range records {
			tx.Put(one.Table, one.Key, one.Value)
		}
		number, x.Fate = r.Number, KeptApart
	}
	return nil
}

// fateOf is what became of an event that is kept.
func fateOf(ctx context.Context, r record.Reader, number int64) (Fate, error) {
	kept, there, err := refusedFacts.Get(ctx, r, record.Key(number))
	if err == nil && there && kept.Decided != 0 {
		return Dismissed, nil
	}
	return KeptApart, err
}

// keptApartPlace is what an event that is kept apart is known by, when it is sent again
// and for its sealed form: all that is to be seen of it. Its identity may be what is
// masked, and a hash of that would give it away to who tries all numbers.
func keptApartPlace(masked *reward.Event) string {
	sum := sha256.Sum256(event.Append(nil, masked))
	return "kept apart " + hex.EncodeToString(sum[:])
}

// ErrMasked says that what an event was is kept nowhere.
var ErrMasked = errors.New("the event is kept masked only: exempt the member of its source, and have it sent again")

// AsSent returns an event that was kept apart as it was sent. The error is ErrMasked, or a
// *seal.MissingKeyError, where that cannot be known here.
func (s *Store) AsSent(r *Refused) (e reward.Event, err error) {
	if r.sealed == "" {
		return e, ErrMasked
	}
	line, err := s.secrets.Open(keptApartPlace(&r.Event), r.sealed)
	if err != nil {
		return e, fmt.Errorf("event %d that is kept apart: %w", r.Number, err)
	}
	if err := event.NewDecoder().Decode([]byte(line), &e); err != nil {
		return e, fmt.Errorf("event %d that is kept apart is damaged", r.Number) // the reason may quote it
	}
	return e, nil
}

// IsSealed reports whether an event that was kept apart can be let in as it was sent, once
// the key is at hand.
func (r Refused) IsSealed() bool { return r.sealed != "" }

// ResealKeptApart seals all that is kept apart and sealed under the first of the keys
// anew, and returns how many events that concerned.
func ResealKeptApart(ctx context.Context, db *Database, keys *seal.Keys) (n int, err error) {
	for _, lane := range db.Records() {
		var stale []refusedRecord
		err := lane.Change(ctx, func(tx record.Tx) error {
			stale = nil
			err := refusedFacts.Each(ctx, tx, record.Span{}, func(_ string, r *refusedRecord) (bool, error) {
				if r.Sealed != "" && seal.KeyOf(r.Sealed) != keys.ID() {
					stale = append(stale, *r)
				}
				return true, nil
			})
			if err != nil {
				return err
			}
			for i := range stale {
				r := &stale[i]
				f, err := r.fact()
				if err != nil {
					return err
				}
				place := keptApartPlace(&f.Event)
				line, err := keys.Open(place, r.Sealed)
				if err != nil {
					return fmt.Errorf("event %d that is kept apart: %w", r.Number, err)
				}
				r.Sealed = keys.Seal(place, line)
				if err := refusedFacts.Put(tx, record.Key(r.Number), r); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return n, err
		}
		n += len(stale)
	}
	return n, nil
}

// KeptApartKeys returns how many events that are kept apart are sealed under which key,
// by its id.
func KeptApartKeys(ctx context.Context, db *Database) (map[string]int, error) {
	counts := make(map[string]int)
	for _, lane := range db.Records() {
		err := lane.Read(ctx, func(r record.Reader) error {
			return refusedFacts.Each(ctx, r, record.Span{}, func(_ string, f *refusedRecord) (bool, error) {
				if f.Sealed != "" {
					counts[seal.KeyOf(f.Sealed)]++
				}
				return true, nil
			})
		})
		if err != nil {
			return nil, err
		}
	}
	return counts, nil
}
