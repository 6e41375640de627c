// Package compare plays one stream of events against every design, and adds up who has
// more than the terms promise on what was kept, and who less: Reward Integrity, of
// section 4.1 of the paper, on whole customer bases.
package compare

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"recoup/internal/lab/design"
	"recoup/reward"
)

// Stream is events in the order of delivery, in batches.
type Stream = iter.Seq2[[]reward.Event, error]

// Designs plays one stream of events against each of the designs and against
// Recoup, which comes last in the result. Recoup runs the program as written;
// of the others each takes from it what its New says.
//
// Everybody gets the same facts in the same order, each as it is delivered, at a
// clock that stands at the latest event time seen so far. An event that a design
// has no move for is counted and passed over; a settlement is passed on as it
// was sent, so that a design that takes no authorisations knows of merchant and
// category only what the settlement says. Redemptions of the stream are left
// out, since what can be redeemed is the design's own: instead, customers take
// all that they can at the last moment of each month, again right after the
// close, and before they close their account. Whoever grants at settlement is
// thus asked before the clawbacks of a close, whoever grants at the close as soon
// as it has run, and what a grace period holds back is taken when the month
// ends. Adjustments are left out too, as are events of another currency and
// amounts that no design could take.
//
// After the stream come as many further closes as it takes for every clawback
// that waits to be posted. Only then is it measured who has more than they
// should, and who less. What they should have does not depend on the design: it is
// what the published terms promise on what was truly kept, in cycles by the time of
// the purchase, and rounded down to the minor unit, account by account. What was
// truly kept the links of refunds to their purchases say. Refunds without one are
// of what Recoup takes them for if it knows all the links; Judged says how much of
// the entitlement hangs on that.
func Designs(ctx context.Context, p *reward.Program, events Stream, designs []design.Design) (*Comparison, error) {
	c := newComparing(p, designs)
	c.told, c.toldField = c.recoup, c.fields[len(c.fields)-1]
	c.told.truth = newEntitled(p)
	if err := c.playAll(ctx, events, c.fields, nil); err != nil {
		return nil, err
	}
	return c.judge(c.fields)
}

// Unlinked is Designs, but the designs are given the refunds without their
// links, and judged by them. Announced refunds, which name their purchase, are
// given to nobody.
func Unlinked(ctx context.Context, p *reward.Program, events Stream, designs []design.Design) (*Comparison, error) {
	c := newComparing(p, designs)
	c.withhold()
	all := append([]*field{c.toldField}, c.fields...)
	if err := c.playAll(ctx, events, all, newUnlinking()); err != nil {
		return nil, err
	}
	return c.judge(all)
}

// Told is Designs of one stream, judged by another: of the same purchases,
// with links of refunds that the first one lacks. A refund has the same name in
// both, or it cannot be linked when reviews are resolved.
func Told(ctx context.Context, p *reward.Program, truth, events Stream, designs []design.Design) (*Comparison, error) {
	c := newComparing(p, designs)
	c.withhold()
	if err := c.playAll(ctx, truth, []*field{c.toldField}, nil); err != nil {
		return nil, fmt.Errorf("the truth: %w", err)
	}
	c.sofar, c.volume, c.from, c.to = newComparison(p), 0, 0, 0
	if err := c.playAll(ctx, events, c.fields, nil); err != nil {
		return nil, err
	}
	if len(c.toldField.customers) != len(c.fields[0].customers) || c.told.purchased != c.recoup.purchased {
		return nil, fmt.Errorf("lab: the truth has %d accounts with purchases of %d minor units, the events %d accounts and %d: expected the same purchases in both",
			len(c.toldField.customers), c.told.purchased, len(c.fields[0].customers), c.recoup.purchased)
	}
	return c.judge(append([]*field{c.toldField}, c.fields...))
}

// comparing is a comparison under way.
type comparing struct {
	program *reward.Program
	recoup  *engineSide
	fields  []*field // one a design, then Recoup's, then those of the resolutions
	designs int      // how many of the fields are designs and Recoup
	// told is Recoup with all the links there are: the same as recoup if nobody is
	// given less.
	told      *engineSide
	toldField *field
	resolving []*resolving
	volume    int64 // Σ of all amounts, at most reward.MaxVolume
	from, to  reward.Instant
	unsaid    []string // designs that cannot say the program's terms
	sofar     Comparison
}

const recoupTitle = "every reversal takes its reward back, and holds it from the moment it is known"

func newComparison(p *reward.Program) Comparison {
	return Comparison{Program: p.ID, Currency: p.Currency, LeftOut: make(map[string]int64)}
}

func newComparing(p *reward.Program, designs []design.Design) *comparing {
	c := &comparing{program: p, recoup: newEngineSide(p), sofar: newComparison(p)}
	for _, d := range designs {
		if !d.CanSay(p) {
			c.unsaid = append(c.unsaid, d.Name)
			continue
		}
		c.fields = append(c.fields, newField(portSide{d.New(p)}, p, Figures{Design: d.Name, Title: d.Title}))
	}
	c.fields = append(c.fields, newField(c.recoup, p, Figures{Design: design.RecoupName, Title: recoupTitle}))
	c.designs = len(c.fields)
	return c
}

// withhold sets up what is compared only if links are withheld.
func (c *comparing) withhold() {
	c.told = newEngineSide(c.program)
	c.told.truth = newEntitled(c.program)
	c.toldField = newField(c.told, c.program, Figures{Design: design.RecoupName, Title: "told all links from the start"})
	for _, which := range []string{doubtful, every} {
		r := newResolving(c.program, which)
		c.resolving = append(c.resolving, r)
		c.fields = append(c.fields, r.field)
	}
}

// playAll plays a stream at fields, at all but Recoup told without the links if
// they are to be taken off.
func (c *comparing) playAll(ctx context.Context, events Stream, fields []*field, u *unlinking) error {
	switch p := c.program; {
	case p.ExpiryMonths > 0:
		return fmt.Errorf("lab: program %s: expected one whose rewards do not expire: how much expires depends on what each design has paid out", p.ID)
	case p.RewardUnit() != p.Currency:
		return fmt.Errorf("lab: program %s: expected rewards in its currency, %s, for figures of both", p.ID, p.Currency)
	}
	for batch, err := range events {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		admitted, err := c.admit(batch, u == nil)
		if err != nil {
			return err
		}
		given := admitted
		if u != nil {
			given = given[:0:0]
			for _, e := range admitted {
				if e, ok := u.unlink(e); ok {
					given = append(given, e)
				} else {
					c.sofar.LeftOut[e.Type.String()]++
				}
			}
			c.count(given)
		}
		err = each(fields, func(f *field) error {
			if f == c.toldField {
				return f.play(admitted)
			}
			return f.play(given)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// admit picks the events of a batch that everybody is given.
func (c *comparing) admit(batch []reward.Event, count bool) ([]reward.Event, error) {
	var admitted []reward.Event
	for i := range batch {
		e := &batch[i]
		c.sofar.Events++
		if !playable(e, c.program.Currency) {
			c.sofar.LeftOut[e.Type.String()]++
			continue
		}
		if c.volume > reward.MaxVolume-e.Amount {
			return nil, fmt.Errorf("lab: event %q of account %q: the amounts of the stream add up to more than %d minor units, the most that can be compared", e.ID, e.Account, reward.MaxVolume)
		}
		c.volume += e.Amount
		if c.from == 0 || e.Time < c.from {
			c.from = e.Time
		}
		c.to = max(c.to, e.Time)
		admitted = append(admitted, *e)
	}
	if count {
		c.count(admitted)
	}
	return admitted, nil
}

// count counts the refunds among what the designs are given.
func (c *comparing) count(given []reward.Event) {
	for i := range given {
		if e := &given[i]; e.Type == reward.RefundPosted {
			c.sofar.Refunds++
			if e.Transaction == "" {
				c.sofar.UnlinkedRefunds++
			}
		}
	}
}

// playable reports whether an event is one that designs are given.
func playable(e *reward.Event, currency string) bool {
	sound := e.Amount > 0 && e.Amount <= reward.MaxAmount
	switch e.Type {
	case reward.RedemptionRequested, reward.RedemptionReversed, reward.AdjustmentPosted:
		return false
	case reward.TransactionAuthorized, reward.TransactionSettled, reward.RefundPending, reward.RefundPosted:
		return sound && e.Currency == currency
	case reward.ChargebackPosted:
		return sound || !e.HasAmount
	}
	return true
}

// each does something at every field. Fields know nothing of one another, so
// they do it at the same time.
func each(fields []*field, do func(*field) error) error {
	errs := make([]error, len(fields))
	var running sync.WaitGroup
	for i, f := range fields {
		running.Go(func() {
			if err := do(f); err != nil {
				errs[i] = fmt.Errorf("design %s: %w", f.figures.Design, err)
			}
		})
	}
	running.Wait()
	return errors.Join(errs...)
}

// finish runs the last closes. Reviews that somebody resolves are resolved before.
func (c *comparing) finish(fields []*field) error {
	return each(fields, func(f *field) error {
		for _, r := range c.resolving {
			if r.field == f {
				return r.resolve(c.told.truth)
			}
		}
		return f.finish()
	})
}

// judge finishes the play and adds up.
func (c *comparing) judge(fields []*field) (*Comparison, error) {
	if err := c.finish(fields); err != nil {
		return nil, err
	}
	return c.result(), nil
}
