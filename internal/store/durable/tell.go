package durable

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"recoup/internal/store"
	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
	"recoup/reward"
)

const (
	// mostEnded is how many endings are looked at at once, mostTold of how many accounts
	// one transaction tells: events of the same accounts wait for it.
	mostEnded = 500
	mostTold  = 50
	// tellAgain is after how long an account is tried again that could not be read.
	tellAgain = time.Hour
)

// overdue is an ending whose moment has come, where it lies.
type overdue struct {
	key string
	ending
}

// TellEnded tells whoever listens of what has ended by now, of accounts that had no event
// since as well, and returns how many notices that were. However many processes do the same, each
// ending is told once. An account that cannot be read keeps none of the others waiting;
// what went wrong with it is in the error.
func (s *Store) TellEnded(ctx context.Context) (told int, err error) {
	for _, lane := range s.db.Lanes() {
		for more := true; more && ctx.Err() == nil; {
			var n int
			var failed error
			n, more, failed = s.tellSome(ctx, lane)
			told += n
			if err = errors.Join(err, failed); failed != nil && store.ReachOf(failed) != store.OneAccount {
				break
			}
		}
	}
	return told, err
}

// tellSome tells what has ended first in a lane. more: there may be more.
func (s *Store) tellSome(ctx context.Context, lane Driver) (told int, more bool, err error) {
	var due []overdue
	err = lane.Read(ctx, func(r record.Reader) (err error) {
		due, err = ended(ctx, r, s.now())
		return err
	})
	if err != nil || len(due) == 0 {
		return 0, false, err
	}
	tell, err := s.audience.known(ctx)
	if err != nil {
		return 0, false, err
	}
	more = len(due) == mostEnded
	if !tell.Listens() {
		return 0, more, lane.Change(ctx, func(tx record.Tx) error {
			for i := range due {
				endings.Delete(tx, due[i].key)
			}
			return nil
		})
	}
	of := make(map[string]bool)
	for i := range due {
		of[due[i].Account] = true
	}
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(of)), mostTold) {
		n, failed := s.tell(ctx, lane, ids, &tell)
		if failed != nil && ctx.Err() == nil && store.ReachOf(failed) == store.OneAccount {
			n, failed = s.tellEach(ctx, lane, ids, due, &tell)
		}
		told += n
		if err = errors.Join(err, failed); err != nil && store.ReachOf(err) != store.OneAccount {
			return told, false, err
		}
	}
	return told, more, err
}

// ended returns the endings whose moment has come, the earliest first.
func ended(ctx context.Context, r record.Reader, now reward.Instant) (due []overdue, err error) {
	err = endings.Each(ctx, r, endedBy(now), func(key string, e *ending) (bool, error) {
		due = append(due, overdue{key, *e})
		return len(due) < mostEnded, nil
	})
	return due, err
}

// tellEach tells each of some accounts by itself, and puts those off that cannot be read.
func (s *Store) tellEach(ctx context.Context, lane Driver, ids []string, due []overdue, tell *outbox.Audience) (told int, err error) {
	for _, id := range ids {
		n, failed := s.tell(ctx, lane, []string{id}, tell)
		told += n
		if failed == nil {
			continue
		}
		err = errors.Join(err, failed)
		if store.ReachOf(failed) != store.OneAccount {
			return told, err
		}
		again := int64(s.now()) + int64(tellAgain)
		failed = lane.Change(ctx, func(tx record.Tx) error {
			for i := range due {
				e := &due[i]
				if e.Account != id {
					continue
				}
				endings.Delete(tx, e.key)
				if err := endings.Put(tx, record.Key(again, e.Account, int64(e.Kind), e.ID), &e.ending); err != nil {
					return err
				}
			}
			return nil
		})
		if err = errors.Join(err, failed); failed != nil {
			return told, err
		}
	}
	return told, err
}

// tell tells some accounts of a lane what has ended of them, in one transaction that holds
// them: nobody else tells it, and what an event does is told before or after.
func (s *Store) tell(ctx context.Context, lane Driver, ids []string, tell *outbox.Audience) (told int, err error) {
	err = lane.Update(ctx, func(tx Tx) (err error) {
		defer recoverUnreadable(&err)
		told = 0
		found, entries, err := s.held(ctx, tx, ids, len(ids))
		if err != nil {
			return err
		}
		now := s.now()
		due, err := ended(ctx, tx, now)
		if err != nil {
			return err
		}
		of := make(map[string][]overdue)
		for _, e := range due {
			of[e.Account] = append(of[e.Account], e)
		}
		var c Changes
		for i, id := range ids {
			for j := range of[id] {
				c.Records = append(c.Records, record.Record{Table: string(endings), Key: of[id][j].key})
			}
			at := entries[id]
			if at == nil {
				continue
			}
			n := timeNotice{number: found.Numbers[i], at: at, now: now}
			at.account.AsOf(now, nil)
			notices, again, err := n.notices(of[id])
			if err != nil {
				return err
			}
			for j := range notices {
				if c.Records, err = tell.Write(c.Records, notices[j]); err != nil {
					return err
				}
			}
			for j := range again {
				one, err := endings.Record(again[j].key(), &again[j])
				if err != nil {
					return err
				}
				c.Records = append(c.Records, one)
			}
			told += len(notices)
		}
		if len(c.Records) == 0 {
			return nil
		}
		return tx.Write(ctx, &c)
	})
	if err != nil {
		return 0, fmt.Errorf("telling of what has ended: %w", err)
	}
	return told, nil
}

// held locks accounts and opens those that are there, for a transaction that writes nothing
// of them.
func (s *Store) held(ctx context.Context, tx Tx, ids []string, numbers int) (*Loaded, map[string]*entry, error) {
	r := &Request{Accounts: ids, Held: make([]int64, len(ids)), Numbers: numbers}
	for i := range r.Held {
		r.Held[i] = -1
	}
	found, err := tx.Load(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	working := make(map[string][]reward.Part)
	for i := range found.Parts {
		if p := &found.Parts[i]; p.Working {
			working[p.Account] = append(working[p.Account], p.Part)
		}
	}
	entries := make(map[string]*entry, len(found.Accounts))
	for i := range found.Accounts {
		row := &found.Accounts[i]
		program, err := s.programOf(ctx, row)
		if err != nil {
			return nil, nil, err
		}
		if entries[row.Account], err = openEntry(ctx, row, program, working[row.Account], tx, make(map[PartKey][]byte)); err != nil {
			return nil, nil, err
		}
	}
	return found, entries, nil
}

// endingsState says of a lane how far WriteEndings is, under "written".
const endingsState record.Table[endingsWritten] = "endings_state"

type endingsWritten struct {
	After string `json:"after"` // the last account that was looked at
	Done  bool   `json:"done"`
}

// WriteEndings writes down what is to end of accounts that are there from a time when that
// was not kept. It is done once, and goes on where it was broken off.
func (s *Store) WriteEndings(ctx context.Context) error {
	for _, lane := range s.db.Lanes() {
		for done := false; !done; {
			var err error
			if done, err = s.writeSome(ctx, lane); err != nil {
				return fmt.Errorf("writing down what is to end of accounts: %w", err)
			}
		}
	}
	return nil
}

func (s *Store) writeSome(ctx context.Context, lane Driver) (done bool, err error) {
	const written, page = "written", 200
	var ids []string
	err = lane.View(ctx, func(r Reader) error {
		at, _, err := endingsState.Get(ctx, r, written)
		if done = at.Done; err != nil || done {
			return err
		}
		ids, err = r.Accounts(ctx, at.After, page)
		return err
	})
	if err != nil || done {
		return done, err
	}
	state := endingsWritten{Done: len(ids) < page}
	if len(ids) > 0 {
		state.After = ids[len(ids)-1]
	}
	for _, id := range ids {
		err := lane.Update(ctx, func(tx Tx) (err error) {
			defer recoverUnreadable(&err)
			_, entries, err := s.held(ctx, tx, []string{id}, 0)
			if err != nil || entries[id] == nil {
				return err
			}
			var c Changes
			for _, one := range entries[id].account.Endings() {
				if e := (ending{id, one.Kind, one.ID, one.At}); e.At > s.now() {
					r, err := endings.Record(e.key(), &e)
					if err != nil {
						return err
					}
					c.Records = append(c.Records, r)
				}
			}
			if len(c.Records) == 0 {
				return nil
			}
			return tx.Write(ctx, &c)
		})
		if err != nil && store.ReachOf(err) != store.OneAccount {
			return false, err
		}
	}
	return state.Done, lane.Change(ctx, func(tx record.Tx) error { return endingsState.Put(tx, written, &state) })
}
