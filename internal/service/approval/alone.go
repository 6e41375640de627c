package approval

import (
	"context"
	"fmt"
	"slices"

	"recoup/event"
	"recoup/internal/engine"
	"recoup/internal/service/access"
	"recoup/internal/store/durable"
	"recoup/internal/store/record"
	"recoup/reward"
)

// Terms are the programs of accounts, each by its latest version; durable.Programs are.
type Terms interface {
	Get(id string) (*reward.Program, bool)
	Default() (*reward.Program, bool) // of accounts whose first event names none
}

// CheckAlone compares the sums of what was done alone, which limits are held against, with
// the log, and says what is not so.
//
// What the log says was done by one person within the time that sums are of must be noted
// with at least what it does to the balance, and count for who did it; and sums must be
// those of what is noted. What is noted and not in the log may be on its way, or may never
// come: it makes limits narrower, and nothing wrong.
//
// view runs a function on a snapshot; the notes are of a later one than the log. The time is
// that before the last thing that was done alone, and before the present at the latest.
func CheckAlone(ctx context.Context, view func(context.Context, func(durable.Reader) error) error, of Terms, present reward.Instant) (wrong []string, err error) {
	var done []deed
	err = view(ctx, func(r durable.Reader) (err error) {
		last := reward.Instant(0)
		err = spentBy.Each(ctx, r, record.Span{}, func(_ string, s *spending) (bool, error) {
			last = max(last, reward.Instant(s.At))
			return true, nil
		})
		if err == nil {
			done, err = doneAlone(ctx, r, of, min(last, present))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	c := check{ctx: ctx}
	err = view(ctx, func(r durable.Reader) error {
		c.in = r
		notes, err := c.sums()
		if err == nil {
			err = c.deeds(done, notes)
		}
		return err
	})
	return c.wrong, err
}

// deed is what the log says one person has done alone.
type deed struct {
	identity, account, event string
	by                       Person
	amount                   int64 // without sign
	received                 reward.Instant
}

// aloneTypes are of events that one person may do up to the limits: the purchases and
// refunds among them only where somebody named their amounts, or undid them.
var aloneTypes = []reward.Type{
	reward.AdjustmentPosted, reward.RefundLinked, reward.RefundCounted, reward.RedemptionReversed, reward.RefundPosted, reward.TransactionSettled,
	reward.RefundReversed,
}

// doneAlone lists what one person did alone in the time before the last of it, or before a
// later moment. Who is none of a service where people have keys was held to no limit.
func doneAlone(ctx context.Context, r durable.Reader, of Terms, last reward.Instant) (list []deed, err error) {
	var rows []*durable.EventRow
	err = r.LogBack(ctx, 1<<63-1, 0, aloneTypes, func(row *durable.EventRow) (bool, error) {
		named := row.Type == reward.RefundPosted.String() || row.Type == reward.TransactionSettled.String() || row.Type == reward.RefundReversed.String()
		if named && row.Source != engine.ConsoleSource && row.Source != engine.APISource {
			return row.Received > last-month, nil
		}
		last = max(last, row.Received)
		if row.Principal != "" && !access.Unnamed(row.Principal) {
			rows = append(rows, row.Clone())
		}
		return row.Received > last-month, nil
	})
	decoder := event.NewDecoder()
	for i := 0; i < len(rows) && err == nil; i++ {
		row := rows[i]
		if row.Received <= last-month {
			continue
		}
		var e reward.Event
		if err = decoder.Decode(row.Event, &e); err != nil || e.Approver != "" {
			continue
		}
		d := deed{
			identity: record.Key(row.Account, row.Source, row.ID), account: row.Account, event: row.Source + " " + row.ID,
			by: Person{row.Principal, e.Actor}, amount: max(e.Amount, -e.Amount), received: row.Received,
		}
		if e.Type != reward.AdjustmentPosted && row.Outcome != reward.Parked {
			d.amount, err = effectOf(ctx, r, of, row, &e)
		}
		if d.amount > 0 {
			list = append(list, d)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("reading what was done alone: %w", err)
	}
	return list, nil
}

// effectOf is what an event of the log did to the balance of its account, without sign.
func effectOf(ctx context.Context, r durable.Reader, of Terms, at *durable.EventRow, e *reward.Event) (int64, error) {
	var with, without *reward.Account
	decoder := event.NewDecoder()
	var before reward.Event
	var journal []reward.Posting
	err := r.EventsOf(ctx, at.Account, at.Account, func(row *durable.EventRow) error {
		if row.Sequence >= at.Sequence {
			return nil
		}
		if err := decoder.Decode(row.Event, &before); err != nil {
			return err
		}
		if with == nil {
			p, ok := of.Default()
			if before.Type == reward.AccountOpened {
				p, ok = of.Get(before.Fact)
			}
			if !ok {
				return fmt.Errorf("the program of account %s is not in the database", at.Account)
			}
			with, without = reward.NewAccount(at.Account, p), reward.NewAccount(at.Account, p)
		}
		_, journal = with.Apply(&before, journal[:0])
		_, journal = without.Apply(&before, journal[:0])
		return nil
	})
	if err != nil || with == nil {
		return 0, err
	}
	change := durable.EffectOf(with, without, e).Change
	return max(change, -change), nil
}

// sums compares the sums with what is noted, which it returns.
func (c *check) sums() (notes map[string]spending, err error) {
	notes = make(map[string]spending)
	sums := make(map[string]int64)
	newest := int64(0)
	err = spentBy.Each(c.ctx, c.in, record.Span{}, func(key string, s *spending) (bool, error) {
		notes[key] = *s
		newest = max(newest, s.At)
		for _, purse := range s.purses() {
			sums[purse] += s.Amount
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	kept := make(map[string]int64)
	err = spent.Each(c.ctx, c.in, record.Span{}, func(key string, s *spending) (bool, error) {
		kept[key] = s.Amount
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	for _, s := range notes {
		if s.At <= newest-int64(month) {
			continue // no sum is of it any more
		}
		for i, purse := range s.purses() {
			if found := kept[purse]; found != sums[purse] {
				whose := [...]string{s.Person, s.Account}[i]
				c.differ("what %s has had done alone in the hour of %v adds up to %d minor units of %s, and the sum that limits are held against is %d", whose, reward.Instant(s.At), sums[purse], s.Currency, found)
				kept[purse] = sums[purse] // once
			}
		}
	}
	return notes, nil
}

// deeds compares what was done alone with what is noted of it.
func (c *check) deeds(done []deed, notes map[string]spending) error {
	slices.Reverse(done)
	for i := range done {
		d := &done[i]
		note, there := notes[d.identity]
		if !there || note.Amount < d.amount {
			c.differ("event %s of account %s was done by %s alone and changes the balance by %d minor units, and %d count against the limits", d.event, d.account, d.by.ID, d.amount, note.Amount)
			continue
		}
		who, err := access.WhoIn(c.ctx, c.in, d.by.ID, d.by.Name)
		if err != nil {
			return err
		}
		own := note.Person == who || note.Person == access.Unlinked(d.by.ID, d.by.Name) || d.by.Name == ""
		if note.Account != d.account || !own {
			c.differ("event %s of account %s was done by %s, and counts for %s on account %s", d.event, d.account, d.by.ID, note.Person, note.Account)
		}
	}
	return nil
}
