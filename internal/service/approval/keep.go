package approval

import (
	"context"
	"fmt"

	"recoup/internal/store/record"
)

// keep lists a proposal under the next number, or finds it listed.
func (b *Book) keep(ctx context.Context, p Proposal) (Proposal, error) {
	var there Proposal
	var found bool
	err := b.records.Change(ctx, func(tx record.Tx) (err error) {
		if there, found, err = adjusting(ctx, tx, p.Adjustment); err != nil || found {
			return err
		}
		if err := room(ctx, tx, p.Proposer); err != nil {
			return err
		}
		number, _, err := counter.Get(ctx, tx, last)
		if err != nil {
			return err
		}
		p.Number = number + 1
		if err := counter.Put(tx, last, &p.Number); err != nil {
			return err
		}
		if err := byAdjustment.Put(tx, p.Adjustment, &p.Number); err != nil {
			return err
		}
		return write(tx, &p)
	})
	switch {
	case err != nil:
		return p, fmt.Errorf("storing a proposal: %w", err)
	case found:
		return there, nil
	}
	return p, nil
}

// Bounds of what waits. Lists of it are for people, who could not work off more.
const (
	MaxOpen   = 10_000
	MaxOpenOf = 100 // that one person has proposed
)

// room refuses a proposal by somebody if too many wait already.
func room(ctx context.Context, r record.Reader, proposer Person) error {
	type by struct {
		Proposer person `json:"proposer"`
	}
	all, own := 0, 0
	err := record.Table[by](opened).Each(ctx, r, record.Span{}, func(_ string, one *by) (bool, error) {
		if all++; one.Proposer.ID == proposer.ID {
			own++
		}
		return own < MaxOpenOf && all < MaxOpen, nil
	})
	switch {
	case err != nil:
		return err
	case own >= MaxOpenOf:
		return &FullError{Proposer: proposer.Name, Waiting: own}
	case all >= MaxOpen:
		return &FullError{Waiting: all}
	}
	return nil
}

// begin notes that somebody is about to decide a proposal, so that Finish looks at it if
// they are cut short.
func (b *Book) begin(ctx context.Context, number int64) error {
	err := b.records.Change(ctx, func(tx record.Tx) error {
		key := record.Key(number)
		_, is, err := opened.Get(ctx, tx, key)
		if err != nil || !is {
			return err
		}
		if _, noted, err := begun.Get(ctx, tx, key); err != nil || noted {
			return err
		}
		return begun.Put(tx, key, &number)
	})
	if err != nil {
		return fmt.Errorf("noting that proposal %d is being decided: %w", number, err)
	}
	return nil
}

// change reads a proposal, has f look at it and change it, and writes it. All that f sees
// still holds when what it does is written; if it returns an error nothing is. The proposal
// is as it stands then. The error is ErrUnknown, f's, or one of the database.
func (b *Book) change(ctx context.Context, number int64, f func(p *Proposal) error) (Proposal, error) {
	var p Proposal
	var refused error
	err := b.records.Change(ctx, func(tx record.Tx) error {
		was, ok, err := numbered(ctx, tx, number)
		if err != nil {
			return err
		}
		p, refused = was, ErrUnknown
		if ok {
			refused = f(&p)
		}
		if refused != nil || p == was {
			return refused
		}
		return write(tx, &p)
	})
	switch {
	case refused != nil:
		return p, refused
	case err != nil:
		return Proposal{}, fmt.Errorf("deciding a proposal: %w", err)
	}
	return p, nil
}

// forget takes a proposal off all lists.
func (b *Book) forget(ctx context.Context, number int64) error {
	err := b.records.Change(ctx, func(tx record.Tx) error {
		p, ok, err := numbered(ctx, tx, number)
		if err != nil || !ok {
			return err
		}
		key := record.Key(number)
		proposals.Delete(tx, key)
		opened.Delete(tx, key)
		decided.Delete(tx, key)
		begun.Delete(tx, key)
		ofAccount.Delete(tx, record.Key(p.Account, number))
		byAdjustment.Delete(tx, p.Adjustment)
		return nil
	})
	if err != nil {
		return fmt.Errorf("taking proposal %d off the lists: %w", number, err)
	}
	return nil
}
