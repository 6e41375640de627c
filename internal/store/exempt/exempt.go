// Package exempt keeps which members of which senders' events are known to be ids, and so
// are not looked at for numbers of cards, although some look like one. Each change stays
// on record, with who made it and why.
package exempt

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"recoup/event"
	"recoup/internal/store/record"
	"recoup/reward"
)

// The tables, both at home: what is exempt lies under record.Key of its source and member,
// changes under record.Key of their number.
const (
	inForce record.Table[Change] = "exemptions"
	changes record.Table[Change] = "exemption_changes"
)

// Tables are all of them, for who carries a database over.
var Tables = []string{string(inForce), string(changes)}

// Most bounds how many exemptions are in force at a time.
const Most = 1000

// Change is a change of what is exempt. Of an exemption in force it is the one that made
// it.
type Change struct {
	Number int64  `json:"number"` // counts changes from one
	Source string `json:"source"`
	Member string `json:"member"` // as a line has it: "subject", "data.transaction"
	Exempt bool   `json:"exempt"` // false: not any more
	Actor  string `json:"actor"`
	Reason string `json:"reason"`
	At     int64  `json:"at"` // nanoseconds since 1970
}

// String says in a few words what was changed, and why.
func (c *Change) String() string {
	is := "is looked at again"
	if c.Exempt {
		is = "is exempt"
	}
	return fmt.Sprintf("%s of %s %s: %s", c.Member, c.Source, is, c.Reason)
}

// InvalidError says what is wrong with a change that somebody asked for.
type InvalidError struct{ Member, Problem string }

// Error implements error.
func (e *InvalidError) Error() string { return e.Member + ": " + e.Problem }

// Rules are the exemptions of a database. They may be used by several goroutines, and by
// several processes at once.
type Rules struct {
	home  record.Store
	now   func() time.Time
	known atomic.Pointer[known]
}

// known is what was read last. It is never changed, only replaced.
type known struct {
	last int64 // number of the last change
	set  map[pair]bool
}

type pair struct{ source, member string }

// Open reads the exemptions of a database, from its home.
func Open(ctx context.Context, home record.Store, now func() time.Time) (*Rules, error) {
	r := &Rules{home: home, now: now}
	r.known.Store(&known{last: -1})
	return r, r.Refresh(ctx)
}

// Refresh reads what others have changed.
func (r *Rules) Refresh(ctx context.Context) error {
	before := r.known.Load()
	var next *known
	err := r.home.Read(ctx, func(in record.Reader) error {
		last, err := lastChange(ctx, in)
		if next = nil; err != nil || last == before.last {
			return err
		}
		next = &known{last, make(map[pair]bool)}
		return inForce.Each(ctx, in, record.Span{}, func(_ string, c *Change) (bool, error) {
			next.set[pair{c.Source, c.Member}] = true
			return true, nil
		})
	})
	if err != nil {
		return fmt.Errorf("reading what is exempt from the search for card numbers: %w", err)
	}
	if next != nil {
		r.known.CompareAndSwap(before, next)
	}
	return nil
}

func lastChange(ctx context.Context, in record.Reader) (int64, error) {
	list, err := changes.List(ctx, in, record.Span{Reversed: true}, 1)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return list[0].Number, nil
}

// Has reports whether a member of the events of a source is exempt, as of the last
// Refresh.
func (r *Rules) Has(source, member string) bool {
	return r.known.Load().set[pair{source, member}]
}

// Set makes a member of the events of a source exempt, or not any more, and returns the
// change; changed is false where it was so already. The error is an *InvalidError where
// what is asked for cannot be.
func (r *Rules) Set(ctx context.Context, c Change) (done Change, changed bool, err error) {
	if err := c.check(); err != nil {
		return c, false, err
	}
	err = r.home.Change(ctx, func(tx record.Tx) error {
		done, changed = c, false
		key := record.Key(c.Source, c.Member)
		before, is, err := inForce.Get(ctx, tx, key)
		if is == c.Exempt && err == nil {
			if done.At = r.now().UnixNano(); is {
				done = before
			}
			return nil
		}
		if err != nil {
			return err
		}
		if c.Exempt {
			n, err := inForce.Count(ctx, tx, record.Span{})
			if err != nil {
				return err
			}
			if n >= Most {
				return &InvalidError{"member", fmt.Sprintf("%d members are exempt already, which is as many as may be", n)}
			}
		}
		last, err := lastChange(ctx, tx)
		if err != nil {
			return err
		}
		done.Number, done.At, changed = last+1, r.now().UnixNano(), true
		if c.Exempt {
			err = inForce.Put(tx, key, &done)
		} else {
			inForce.Delete(tx, key)
		}
		if err != nil {
			return err
		}
		return changes.Put(tx, record.Key(done.Number), &done)
	})
	if err != nil {
		return c, false, fmt.Errorf("exempting a member: %w", err)
	}
	return done, changed, r.Refresh(ctx)
}

func (c *Change) check() error {
	for _, text := range [...]struct{ member, text string }{{"source", c.Source}, {"actor", c.Actor}, {"reason", c.Reason}} {
		if text.text == "" || len(text.text) > event.MaxText || strings.ContainsRune(text.text, 0) {
			return &InvalidError{text.member, fmt.Sprintf("expected a text of 1 to %d bytes", event.MaxText)}
		}
	}
	if !event.IsTextMember(c.Member) {
		return &InvalidError{"member", "expected a member of events with a text, such as subject, data.transaction or data.merchant"}
	}
	e := reward.Event{Type: reward.AdjustmentPosted, Reason: c.Reason, Actor: c.Actor, Source: c.Source}
	if member, is := event.CardNumber(&e, nil); is {
		return &InvalidError{strings.TrimPrefix(member, "data."), "it looks like the number of a payment card, which must not be kept here"}
	}
	return nil
}

// InForce returns what is exempt, by source and member.
func (r *Rules) InForce(ctx context.Context) (list []Change, err error) {
	err = r.home.Read(ctx, func(in record.Reader) error {
		list, err = inForce.List(ctx, in, record.Span{}, Most)
		return err
	})
	return list, err
}

// Changes returns up to limit changes with a number below one, the newest first; zero is
// for the newest of all.
func (r *Rules) Changes(ctx context.Context, before int64, limit int) (list []Change, err error) {
	span := record.Span{Reversed: true}
	if before > 0 {
		span = span.Until(record.Key(before))
	}
	err = r.home.Read(ctx, func(in record.Reader) error {
		list, err = changes.List(ctx, in, span, limit)
		return err
	})
	return list, err
}
