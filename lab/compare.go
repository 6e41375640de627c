package lab

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"recoup/reward"
)

// Comparison is what programs of different designs made of one stream of events.
// Amounts are in minor units and sums over all accounts.
type Comparison struct {
	Program  string    `json:"program"`
	Currency string    `json:"currency"`
	From     time.Time `json:"from"` // the earliest event's time
	To       time.Time `json:"to"`   // the latest's
	Events   int64     `json:"events"`
	Accounts int64     `json:"accounts"`
	// Refunds counts those that posted, as delivered, and UnlinkedRefunds those of
	// them that name no purchase.
	Refunds         int64 `json:"refunds"`
	UnlinkedRefunds int64 `json:"unlinked_refunds"`
	// LeftOut counts, by type, the events that no design was given.
	LeftOut map[string]int64 `json:"left_out"`
	// Purchased is the sum of the purchases that posted, NetSpend what is left of
	// it after all reversals.
	Purchased int64 `json:"purchased"`
	NetSpend  int64 `json:"net_spend"`
	// Entitlement is what the published terms promise on the net spend.
	Entitlement int64     `json:"entitlement"`
	Designs     []Figures `json:"designs"`
}

// Figures are what one design made of the stream, seen from outside. Amounts are
// in minor units.
type Figures struct {
	Design string `json:"design"`
	Title  string `json:"title"`
	// Granted and ClawedBack are by how much the sum of balance and payouts of an
	// account rose and fell, call by call.
	Granted    int64 `json:"granted"`
	ClawedBack int64 `json:"clawed_back"`
	// Redeemed is what was paid out, asked for or not.
	Redeemed int64 `json:"redeemed"`
	// NetReward is balance and redeemed together (paper, equation 2).
	NetReward int64 `json:"net_reward"`
	// Leakage is what accounts have above their entitlement, and AccountsAbove
	// how many do. What others lack is not set off against it: that is ShortPaid.
	Leakage       int64 `json:"leakage"`
	AccountsAbove int64 `json:"accounts_above"`
	ShortPaid     int64 `json:"short_paid"`
	AccountsBelow int64 `json:"accounts_below"`
	// Debt is what accounts with a negative balance owe in the end. It is not
	// leakage as long as somebody may earn it back; from those who have left for
	// good it is a loss all the same.
	Debt         int64 `json:"debt"`
	AccountsOwed int64 `json:"accounts_in_debt"`
	// NoPath counts, by type, the events for which the design has no move.
	NoPath map[string]int64 `json:"no_path,omitempty"`
}

// Compare plays one stream of events against each of the designs and against
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
// should. What they should have does not depend on the design: it is Recoup's
// entitlement, the right-hand side of Reward Integrity (paper, section 4.1) over
// the facts, in cycles by the time of posting. Where refunds name their purchase
// there is nothing to choose in it. Where they do not, no record tells what was
// returned, and Recoup's allocation stands for it: the dearest purchases that the
// refund may be of. Entitlements are rounded down to the minor unit, account by
// account.
func Compare(ctx context.Context, p *reward.Program, events iter.Seq2[[]reward.Event, error], designs []Design) (*Comparison, error) {
	c := newComparing(p, designs)
	for batch, err := range events {
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := c.admit(batch); err != nil {
			return nil, err
		}
		if err := c.each(func(f *field) error { return f.play(c.admitted) }); err != nil {
			return nil, err
		}
	}
	if err := c.each((*field).finish); err != nil {
		return nil, err
	}
	return c.result()
}

// comparing is a comparison under way.
type comparing struct {
	program  *reward.Program
	recoup   *recoupSide
	fields   []*field // one a design, Recoup's last
	admitted []reward.Event
	volume   int64 // Σ of all amounts, at most reward.MaxVolume
	from, to reward.Instant
	sofar    Comparison
}

func newComparing(p *reward.Program, designs []Design) *comparing {
	c := &comparing{program: p, recoup: newRecoupSide(p), sofar: Comparison{Program: p.ID, Currency: p.Currency, LeftOut: make(map[string]int64)}}
	for _, d := range designs {
		c.fields = append(c.fields, newField(newPortSide(d.New(p)), p, Figures{Design: d.Name, Title: d.Title}))
	}
	c.fields = append(c.fields, newField(c.recoup, p, Figures{
		Design: "Recoup", Title: "every reversal takes its reward back, and holds it from the moment it is known",
	}))
	return c
}

// admit picks the events of a batch that everybody is given.
func (c *comparing) admit(batch []reward.Event) error {
	c.admitted = c.admitted[:0]
	for i := range batch {
		e := &batch[i]
		c.sofar.Events++
		if !playable(e, c.program.Currency) {
			c.sofar.LeftOut[e.Type.String()]++
			continue
		}
		if c.volume > reward.MaxVolume-e.Amount {
			return fmt.Errorf("lab: event %q of account %q: the amounts of the stream add up to more than %d minor units, the most that can be compared", e.ID, e.Account, reward.MaxVolume)
		}
		c.volume += e.Amount
		if e.Type == reward.RefundPosted {
			c.sofar.Refunds++
			if e.Transaction == "" {
				c.sofar.UnlinkedRefunds++
			}
		}
		if c.from == 0 || e.Time < c.from {
			c.from = e.Time
		}
		c.to = max(c.to, e.Time)
		c.admitted = append(c.admitted, *e)
	}
	return nil
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
func (c *comparing) each(do func(*field) error) error {
	errs := make([]error, len(c.fields))
	var running sync.WaitGroup
	for i, f := range c.fields {
		running.Go(func() {
			if err := do(f); err != nil {
				errs[i] = fmt.Errorf("design %s: %w", f.figures.Design, err)
			}
		})
	}
	running.Wait()
	return errors.Join(errs...)
}

// result adds up what the fields ended with.
func (c *comparing) result() (*Comparison, error) {
	r := c.sofar
	if c.to != 0 {
		r.From, r.To = c.from.Time(), c.to.Time()
	}
	due := make(map[string]int64)
	for id, state := range c.recoup.accounts() {
		due[id] = state.Entitlement
		r.Accounts++
		r.Entitlement += state.Entitlement
		r.NetSpend += state.NetSpend
	}
	r.Purchased = c.recoup.purchased
	for _, f := range c.fields {
		f.measure(due)
		r.Designs = append(r.Designs, f.figures)
	}
	return &r, nil
}
