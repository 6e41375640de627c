package approval

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"recoup/internal/engine"
	"recoup/internal/service/access"
	"recoup/internal/store/record"
	"recoup/reward"
)

// Limits are what one person may do to balances alone: one decision at a time up to an
// amount, and in a time up to several times that, over all accounts and on any one. So
// what is too much for one person stays so in small pieces.
type Limits struct {
	// Of is the amount above which a decision needs a second person, in minor units, by
	// currency. There is none for a currency that is not here: every decision needs one.
	Of map[string]int64
	// Decimals says how many decimals the points of a program have, by their unit. Optional:
	// none is known, and every decision about points needs a second person.
	Decimals func(unit string) (decimals int, known bool)

	points map[string]pointLimit // by unit
}

// pointLimit is a limit of what is no currency, as it was written: how many decimals its unit
// has is known only once there is a program with it.
type pointLimit struct {
	amount   int64
	decimals int
}

// In returns the limit in a currency, or a unit of points, in its minor units; zero: every
// decision needs a second person.
func (l *Limits) In(unit string) int64 {
	p, points := l.points[unit]
	if !points {
		return l.Of[unit]
	}
	if l.Decimals == nil {
		return 0
	}
	decimals, known := l.Decimals(unit)
	if !known {
		return 0
	}
	above := p.amount
	for n := p.decimals; n < decimals; n++ {
		above = times(above, 10)
	}
	for n := p.decimals; n > decimals; n-- {
		above /= 10
	}
	return above
}

// Rolling sums: how many times the limit of one decision somebody may do alone.
const (
	PersonDay    = 4  // within 24 hours, on all accounts
	PersonMonth  = 20 // within 30 days
	AccountDay   = 2  // by whomever, on one account
	AccountMonth = 4

	// Reversals is how many times the limit of another decision a reversal of a redemption
	// may be of, and sums of them: payouts fail every day, and what goes back is what was
	// paid before. They count apart, so that neither uses up what the other may.
	Reversals = 40
)

const (
	day   = reward.Instant(24 * time.Hour)
	month = 30 * day
	// grain is how finely it is kept when something was done: what was done in the hour
	// that a time began in counts as within it.
	grain = reward.Instant(time.Hour)
)

// identity is the key under which counts what the proposal is if one person does it alone.
func (p *Proposal) identity() string {
	return record.Key(p.Account, cmp.Or(p.Source, engine.ConsoleSource), p.Adjustment)
}

// Admit reports whether the proposer may do alone what a proposal says, and counts it as
// done if so. The same again counts once, until all who asked for it have released it;
// something else under its identity is ErrReused.
func (b *Book) Admit(ctx context.Context, p *Proposal, alone Limits) (may bool, err error) {
	if p.Action == reward.AccountOpened || p.Action == reward.ProgramPublished {
		return false, nil
	}
	amount := max(p.Amount, -p.Amount)
	if amount == 0 {
		return true, nil
	}
	above, reversal := alone.In(p.Currency), p.Action == reward.RedemptionReversed
	if reversal {
		above = times(above, Reversals)
	}
	if amount > above || amount < 0 {
		return false, nil
	}
	who, err := b.who(ctx, p.Proposer)
	if err != nil {
		return false, err
	}
	now := reward.At(b.now())
	is := spending{Amount: amount, At: int64(now), Person: who, Account: p.Account, Currency: p.Currency, Reversal: reversal}
	err = b.records.Change(ctx, func(tx record.Tx) error {
		may, p.counts = false, false
		switch was, there, err := spentBy.Get(ctx, tx, p.identity()); {
		case err != nil:
			return err
		case there && (was.Amount != amount || was.Currency != p.Currency || was.Person != who):
			return ErrReused
		case there:
			may, p.counts = true, true
			was.Others++
			return spentBy.Put(tx, p.identity(), &was)
		}
		own, of := is.whose()
		for _, l := range [...]struct {
			span   record.Span
			within reward.Instant
			most   int64
		}{
			{own, day, PersonDay}, {own, month, PersonMonth}, {of, day, AccountDay}, {of, month, AccountMonth},
		} {
			sum, err := sumSince(ctx, tx, l.span, now-l.within)
			if err != nil || sum > times(above, l.most)-amount {
				return err
			}
		}
		may, p.counts = true, true
		return spend(ctx, tx, &is, p.identity())
	})
	if err != nil {
		p.counts = false
		return false, fmt.Errorf("looking what %s has done alone: %w", p.Proposer.Name, err)
	}
	return may, nil
}

// Release takes back that Admit has counted this very proposal, since it was not done. It
// goes on to count as long as another request may do it, or nobody knows what became of one.
func (b *Book) Release(ctx context.Context, p *Proposal) error {
	if !p.counts {
		return nil
	}
	err := b.records.Change(ctx, func(tx record.Tx) error {
		was, ok, err := spentBy.Get(ctx, tx, p.identity())
		if err != nil || !ok {
			return err
		}
		if was.Others > 0 {
			was.Others--
			return spentBy.Put(tx, p.identity(), &was)
		}
		spentBy.Delete(tx, p.identity())
		spentWhen.Delete(tx, was.when(p.identity()))
		return add(ctx, tx, &was, -was.Amount)
	})
	if err != nil {
		return fmt.Errorf("noting that %s was not done: %w", p.Adjustment, err)
	}
	p.counts = false
	return nil
}

// times is an amount several times, as far as amounts go.
func times(amount, n int64) int64 {
	if amount > reward.MaxAmount {
		return n * reward.MaxAmount
	}
	return amount * n
}

// who is what tells a person from others.
func (b *Book) who(ctx context.Context, p Person) (string, error) {
	if b.people == nil {
		return access.Unlinked(p.ID, p.Name), nil
	}
	return b.people.Who(ctx, p.ID, p.Name)
}
