package durable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recoup/event"
	"recoup/internal/store/erasure"
	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
	"recoup/reward"
)

// SealTable is where package verify keeps what it has sealed of accounts, by record.Key of
// the account. A seal stays what it is when the account is forgotten: see package erasure.
const SealTable = "seals"

// Forgotten is an account that was forgotten.
type Forgotten struct {
	Pseudonym string // what it is called from now on
	Events    int
	Numbers   []int64 // of the events
}

// UnsettledError says why an account is not forgotten yet.
type UnsettledError struct{ Open []string }

// Error implements error.
func (e *UnsettledError) Error() string { return strings.Join(e.Open, ", ") }

// ErrNoAccount says that there is no such account.
var ErrNoAccount = errors.New("there is no such account")

// ErrNoErasureKey says that an account cannot be forgotten, or is already.
var ErrNoErasureKey = errors.New("it has no erasure key: it was forgotten, or is of a database that was made before there were any, which recoup rebuild carries over")

// Forget puts tokens in place of what says whose an account is, destroys the key that they
// were made with, and deletes all else that has its id: all of the account in one
// transaction, then what waits to be sent or looked at beside it. Its sums, postings and
// chain stay what they were. The error is an *UnsettledError if something is open, unless
// it is forced; ErrNoAccount if there is none, but what was left beside one is deleted.
func (s *Store) Forget(ctx context.Context, account string, force bool) (done Forgotten, err error) {
	home := s.db.of(account)
	var row AccountRow
	err = home.do(func(d Driver) error {
		return d.View(ctx, func(r Reader) (err error) {
			row, _, err = r.Account(ctx, account)
			return err
		})
	})
	if err == nil && row.Version == 0 {
		if err = s.sweep(ctx, account); err == nil {
			err = ErrNoAccount
		}
	} else if err == nil {
		err = home.do(func(d Driver) error {
			return d.Forget(ctx, account, func(in record.Reader, log []EventRow) (*Changes, error) {
				c, err := s.forgotten(ctx, in, &row, log, force, &done)
				if err != nil {
					return nil, err
				}
				return s.settle(ctx, d, done.Pseudonym, c)
			})
		})
		s.cache.take([]string{account}, 0)
		if err == nil {
			err = s.sweep(ctx, account)
		}
	}
	if err != nil {
		return done, fmt.Errorf("forgetting an account: %w", err)
	}
	return done, nil
}

// forgotten is what is kept of an account that is forgotten.
func (s *Store) forgotten(ctx context.Context, in record.Reader, row *AccountRow, log []EventRow, force bool, done *Forgotten) (*Changes, error) {
	if int64(len(log)) < row.Version {
		return nil, fmt.Errorf("its log has %d events and its row counts %d: some are gone; restore the database from a backup", len(log), row.Version)
	}
	key, err := erasure.KeyOf(ctx, in, row.Account)
	if err != nil {
		return nil, err
	}
	if key == nil {
		return nil, ErrNoErasureKey
	}
	p, err := s.programOf(ctx, row)
	if err != nil {
		return nil, err
	}
	eraser := key.Eraser()
	eraser.Named = func(member, text string) bool {
		switch member {
		case "merchant":
			return p.NamesMerchant(text)
		case "labels":
			return p.NamesLabel(text)
		}
		return p.NamesAttribute(text)
	}
	*done = Forgotten{Pseudonym: key.Pseudonym(row.Account), Events: len(log)}
	erased := make([]EventRow, len(log))
	for i := range log {
		e := log[i]
		e.Account, e.Event = done.Pseudonym, eraser.AppendLine(nil, e.Event)
		if e.Postings != nil {
			e.Postings = eraser.AppendPostings(nil, e.Postings)
		}
		erased[i], done.Numbers = e, append(done.Numbers, e.Number)
	}
	c, at, err := s.replay(done.Pseudonym, erased)
	if err != nil {
		return nil, err
	}
	if !force {
		if err := s.unsettled(ctx, in, row.Account, at.account, c); err != nil {
			return nil, err
		}
	}
	c.Events = erased
	c.Records = []record.Record{erasure.Gone(row.Account)}
	seal, sealed, err := in.Get(ctx, SealTable, record.Key(row.Account))
	if err == nil && sealed {
		c.Records = append(c.Records,
			record.Record{Table: SealTable, Key: record.Key(row.Account)},
			record.Record{Table: SealTable, Key: record.Key(done.Pseudonym), Value: bytes.Clone(seal)})
	}
	return c, err
}

// unsettled says what of an account somebody may still need its name for.
func (s *Store) unsettled(ctx context.Context, in record.Reader, id string, a *reward.Account, c *Changes) error {
	var open []string
	add := func(is bool, format string, figures ...any) {
		if is {
			open = append(open, fmt.Sprintf(format, figures...))
		}
	}
	b := a.Balances()
	add(!b.Closed, "it is not closed")
	add(b.Balance != 0, "its balance is %d minor units of %s", b.Balance, a.Program().RewardUnit())
	add(b.Held != 0, "%d of it are held", b.Held)
	reviews := 0
	for i := range c.Parts {
		if c.Parts[i].ReviewSince != 0 {
			reviews++
		}
	}
	add(reviews > 0, "%d things of it are on the review list", reviews)
	refused, err := refusedOpenOf.Count(ctx, in, record.Under(id))
	if err != nil {
		return err
	}
	add(refused > 0, "%d facts that were refused or kept apart wait for somebody", refused)
	waiting := 0
	err = outbox.Deliveries.Each(ctx, in, record.Span{}, func(_ string, d *outbox.Delivery) (bool, error) {
		if d.Account == id {
			waiting++
		}
		return true, nil
	})
	add(waiting > 0, "%d notices of it are not delivered yet", waiting)
	if err == nil && len(open) > 0 {
		return &UnsettledError{open}
	}
	return err
}

// settle has what is left of a forgotten account kept in the lane of its new name, and
// returns what is to be kept in that of the old one. Where these are two, the new one is
// written first, so that until the old one is gone there is nothing that cannot be done
// again.
func (s *Store) settle(ctx context.Context, from Driver, pseudonym string, c *Changes) (*Changes, error) {
	l := s.db.now.Load()
	to := l.lanes[l.laneOf(pseudonym)]
	if to == from {
		return c, nil
	}
	stays := &Changes{}
	moved := c.Records[:0:0]
	for _, r := range c.Records {
		if r.Value == nil {
			stays.Records = append(stays.Records, r)
		} else {
			moved = append(moved, r)
		}
	}
	c.Records = moved
	err := to.Forget(ctx, pseudonym, func(record.Reader, []EventRow) (*Changes, error) { return c, nil })
	return stays, err
}

// sweep deletes what has the id of an account and is no part of it: what waits to be sent,
// to be fetched, to end or to be looked at.
func (s *Store) sweep(ctx context.Context, account string) error {
	lane := s.db.Lane(account)
	var gone []record.Record
	err := lane.Read(ctx, func(r record.Reader) error {
		gone = nil
		return errors.Join(
			named(ctx, r, endings, &gone, func(e *ending) bool { return e.Account == account }),
			named(ctx, r, outbox.Deliveries, &gone, func(d *outbox.Delivery) bool { return d.Account == account }),
			named(ctx, r, outbox.DeadLetters, &gone, func(d *outbox.Delivery) bool { return d.Account == account }),
			named(ctx, r, outbox.FeedInbox, &gone, func(n *outbox.Told) bool { return n.Account == account }),
			named(ctx, r, outbox.FeedRows, &gone, func(n *outbox.Told) bool { return n.Account == account }),
			refusedOf(ctx, r, account, &gone),
		)
	})
	if err != nil {
		return err
	}
	const atATime = 1000
	for some := range slices.Chunk(gone, atATime) {
		err := lane.Change(ctx, func(tx record.Tx) error {
			for i := range some {
				tx.Delete(some[i].Table, some[i].Key)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// named appends the records of a table that are of the account.
func named[T any](ctx context.Context, r record.Reader, t record.Table[T], gone *[]record.Record, is func(*T) bool) error {
	return t.Each(ctx, r, record.Span{}, func(key string, v *T) (bool, error) {
		if is(v) {
			*gone = append(*gone, record.Record{Table: string(t), Key: key})
		}
		return true, nil
	})
}

// refusedOf appends what there is of the refused facts of an account.
func refusedOf(ctx context.Context, r record.Reader, account string, gone *[]record.Record) error {
	var e reward.Event
	decoder := event.NewDecoder()
	return refusedFacts.Each(ctx, r, record.Span{}, func(_ string, f *refusedRecord) (bool, error) {
		if decoder.Decode(f.Event, &e) != nil || e.Account != account {
			return true, nil
		}
		undecided := *f
		undecided.Decided = 0 // it is in all tables then
		all, err := undecided.records(nil, &e)
		*gone = append(*gone, all...)
		return true, err
	})
}

// Purge has what a database keeps of deleted things for a while go now, as far as it is for
// this program to do.
func (s *Store) Purge(ctx context.Context, account string, numbers []int64) error {
	err := s.db.of(account).do(func(d Driver) error { return d.Purge(ctx, account, numbers) })
	if err != nil {
		return fmt.Errorf("purging the files of the database of an account that was forgotten: %w", err)
	}
	return nil
}
