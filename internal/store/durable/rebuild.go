package durable

import (
	"bytes"
	"context"
	"fmt"

	"recoup/event"
	"recoup/ledger"
	"recoup/reward"
)

// Rebuilt is an account that was made anew from its log.
type Rebuilt struct {
	Events            int64
	Balance           int64 // in minor units of the currency
	Currency, Program string
}

// Rebuild makes an account anew: all that is kept of it besides its log is replaced by what
// follows from the log. It is refused if the log does not lead to the outcomes and postings
// that it has; whether the log is what was logged once is for package verify to say.
func (s *Store) Rebuild(ctx context.Context, account string) (done Rebuilt, err error) {
	counted := int64(0) // events, by the row, if that can be read
	_ = s.db.ViewOf(ctx, account, func(r Reader) error {
		row, _, err := r.Account(ctx, account)
		counted = row.Version
		return err
	})
	err = s.db.of(account).do(func(d Driver) error {
		return d.Replace(ctx, account, func(log []EventRow) (*Changes, error) {
			if n := int64(len(log)); n < counted {
				return nil, fmt.Errorf("its log has %d events and its row counts %d: some are gone; restore the database from a backup", n, counted)
			}
			c, e, err := s.replay(account, log)
			if err != nil {
				return nil, err
			}
			done = Rebuilt{int64(len(log)), e.account.Balances().Balance, e.account.Program().Currency, e.program}
			return c, nil
		})
	})
	if err != nil {
		return Rebuilt{}, fmt.Errorf("rebuilding account %s: %w", account, err)
	}
	s.cache.take([]string{account}, 0)
	return done, nil
}

// replay is what is kept of an account by its log.
func (s *Store) replay(account string, log []EventRow) (*Changes, *entry, error) {
	if len(log) == 0 {
		return nil, nil, fmt.Errorf("it has no events: there is no such account")
	}
	c := new(Changes)
	var e *entry
	var in reward.Event
	var postings []reward.Posting
	var line []byte
	decoder := event.NewDecoder()
	for i := range log {
		row := &log[i]
		if row.Sequence != int64(i+1) || row.Account != account {
			return nil, nil, fmt.Errorf("event %d of its log is event %d of account %q: restore the database from a backup", i+1, row.Sequence, row.Account)
		}
		if err := decoder.Decode(row.Event, &in); err != nil {
			return nil, nil, fmt.Errorf("event %d of its log: %w", row.Sequence, err)
		}
		if e == nil {
			u := &unit{store: s, entries: make(map[string]*entry)}
			e = u.newEntry(&in)
		}
		var r reward.Result
		r, postings = e.account.Apply(&in, postings[:0])
		if line = line[:0]; len(postings) > 0 {
			line = ledger.AppendPostings(line, postings)
		}
		if r.Outcome != row.Outcome || r.Code != row.Code || !bytes.Equal(line, row.Postings) {
			return nil, nil, fmt.Errorf("event %d of its log comes out otherwise than it was logged: run recoup verify --account %s", row.Sequence, account)
		}
		for j := range postings {
			if closed, ok := e.tally.Post(&postings[j]); ok {
				c.Statements = append(c.Statements, StatementRow{Account: account, Statement: closed, Last: e.last})
			}
		}
		e.last, e.version = row.Number, row.Sequence
	}
	c.Accounts = []AccountRow{{
		Account: account, Program: e.program, Version: e.version, Last: e.last, Due: e.account.Due(), Head: e.account.AppendHead(appendTally(nil, &e.tally)),
	}}
	e.account.Changes(func(p reward.Part) { c.Parts = append(c.Parts, Part{account, p}) })
	return c, e, nil
}
