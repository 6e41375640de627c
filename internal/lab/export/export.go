// Package export writes what the systems of a design would export of a stream of
// events, together with what an audit of the files should find. The paper has no
// section on it: it is how the issuers of its section 5 look to an auditor.
package export

import (
	"context"
	"fmt"
	"io"
	"time"

	"recoup/internal/lab/compare"
	"recoup/internal/lab/design"
	"recoup/reward"
)

// Options say what an export has and what it lacks.
type Options struct {
	// RefundLinks has refunds name their purchase where the events say it. Without,
	// neither the export nor the design is told: linked refunds become unlinked ones
	// with the merchant data of their purchase, and announcements are left out.
	RefundLinks bool
	// RewardLinks has rewards name their purchase.
	RewardLinks bool
	// RewardSums has what a statement close posts summed up, one row an account,
	// as on a statement. Such a row names no purchase.
	RewardSums bool
	Noise      Noise
	Seed       uint64 // of the noise
}

// DefaultOptions are a complete export without noise.
func DefaultOptions() Options { return Options{RefundLinks: true, RewardLinks: true} }

// Noise is what real exports have and programs did not do: it is in the files
// alone, and the design and the figures of the summary know nothing of it. Shares
// are per mille.
type Noise struct {
	// LatePermille of the rewards are posted one to five days late.
	LatePermille int `json:"late_permille"`
	// AdjustPermille of the accounts have an adjustment by hand, every other one of
	// which does not say that it is one.
	AdjustPermille int `json:"adjust_permille"`
	// UnlinkPermille of the linked refunds name merchant data instead of their
	// purchase.
	UnlinkPermille int `json:"unlink_permille"`
}

// DefaultNoise is about what one has to expect.
func DefaultNoise() Noise { return Noise{LatePermille: 20, AdjustPermille: 30, UnlinkPermille: 50} }

// Validate names the first option that is out of range.
func (o *Options) Validate() error {
	for _, share := range []struct {
		name  string
		value int
	}{{"late", o.Noise.LatePermille}, {"adjusted", o.Noise.AdjustPermille}, {"unlinked", o.Noise.UnlinkPermille}} {
		if share.value < 0 || share.value > 1000 {
			return fmt.Errorf("lab: export: %s per mille %d: expected 0 to 1000", share.name, share.value)
		}
	}
	return nil
}

// Files is where an export goes: CSV with a header each.
type Files struct {
	Transactions, Refunds, Rewards, Redemptions io.Writer
}

// CreateFiles has each of the files created by its usual name, such as
// "transactions.csv".
func CreateFiles(create func(name string) (io.Writer, error)) (files Files, err error) {
	for _, f := range []struct {
		name string
		to   *io.Writer
	}{
		{"transactions.csv", &files.Transactions}, {"refunds.csv", &files.Refunds},
		{"rewards.csv", &files.Rewards}, {"redemptions.csv", &files.Redemptions},
	} {
		if *f.to, err = create(f.name); err != nil {
			return Files{}, err
		}
	}
	return files, nil
}

// Write plays a stream of events against one design as a comparison does, and writes
// what the issuer's own systems would export of it, in the form that an audit
// reads: amounts in minor units, times in RFC 3339 and UTC.
//
// Facts are dated at the issuer's clock when they were delivered, which for a
// purchase that came late is not when it was made; of one account each has a time
// of its own, if need be a nanosecond after the one before. That holds for the
// design too, and for the figures of the summary. Each fact is exported once,
// however often it was delivered, and also if the design has no move for it: it
// happened in the world. A settlement's row has what its authorisation said of
// merchant and category where itself said nothing. A withdrawn clearing is a
// refund of the whole, named "withdrawal-" and the transaction. What an issuer
// pays out by itself is a redemption.
//
// A chargeback or withdrawal of the whole of a purchase that never posts, and the
// undo of a refund that never comes, have no amount and are left out. So are
// account closings, for which the form has no place: the entitlement in the
// summary is that of the facts in the files.
func Write(ctx context.Context, p *reward.Program, events compare.Stream, d design.Design, o Options, to Files) (*Summary, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	x, err := newExporting(p, d, o, to)
	if err != nil {
		return nil, err
	}
	for batch, err := range events {
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		admitted, err := x.Admit(batch)
		if err != nil {
			return nil, err
		}
		for i := range admitted {
			if err := x.deliver(&admitted[i]); err != nil {
				return nil, err
			}
		}
		if err := x.rows.err(); err != nil {
			return nil, err
		}
	}
	return x.finish()
}

// exporting is an export under way: a comparison of one design, of which the
// rows are written.
type exporting struct {
	*compare.Single
	program *reward.Program
	options Options
	rows    *rows
	facts   *facts
	rewards *rewards
	clock   reward.Instant
}

func newExporting(p *reward.Program, d design.Design, o Options, to Files) (*exporting, error) {
	x := &exporting{program: p, options: o, rows: newRows(p.Currency, to)}
	noise := newNoise(o)
	x.rewards = &rewards{rows: x.rows, links: o.RewardLinks, sums: o.RewardSums, noise: noise}
	var err error
	if x.Single, err = compare.NewSingle(p, d, x.rewards.add, x.rows.redemption); err != nil {
		return nil, err
	}
	x.facts = newFacts(x.rows, x.Single, noise)
	return x, nil
}

// deliver has an event happen.
func (x *exporting) deliver(e *reward.Event) error {
	x.clock = max(x.clock, e.Time, x.facts.last(e.Account)+1)
	e.Time = x.clock
	if !x.options.RefundLinks {
		switch e.Type {
		case reward.RefundPending, reward.RefundCanceled:
			x.LeaveOut(e)
			return nil
		case reward.RefundPosted:
			x.facts.unlink(e)
		}
	}
	if err := x.facts.record(e); err != nil {
		return err
	}
	return x.Deliver(*e)
}

// finish lets time pass until nothing waits any more, and adds up.
func (x *exporting) finish() (*Summary, error) {
	c, err := x.Finish()
	if err != nil {
		return nil, err
	}
	x.rewards.flush()
	through := x.rows.latest
	x.facts.adjustByHand()
	if err := x.rows.flush(); err != nil {
		return nil, err
	}
	s := &Summary{
		Program: c.Program, Currency: c.Currency, From: c.From, To: c.To,
		Events: c.Events, LeftOut: c.LeftOut, Accounts: c.Accounts,
		Rows: x.rows.count, Rewards: x.rewards.total, Noise: x.facts.noise.done,
		Purchased: c.Purchased, NetSpend: c.NetSpend, Entitlement: c.Entitlement, Figures: c.Designs[0],
	}
	if through != 0 {
		s.Through = through.Time()
	}
	if truth, ok := design.TruthOf(s.Figures.Design, x.program); ok {
		s.Truth = &truth
	}
	return s, nil
}

// Summary has the lab's own figures of what was exported: what an audit of
// the files should find. Amounts are in minor units.
type Summary struct {
	Program  string    `json:"program"`
	Currency string    `json:"currency"`
	From     time.Time `json:"from"` // the earliest event's time
	To       time.Time `json:"to"`   // the latest's
	// Through is when the last row posted, noise aside.
	Through  time.Time        `json:"through"`
	Events   int64            `json:"events"`
	LeftOut  map[string]int64 `json:"left_out"` // by type
	Accounts int64            `json:"accounts"`
	Rows     Count            `json:"rows"`
	// Rewards are the sums of the reward rows, noise aside.
	Rewards RewardTotal `json:"rewards"`
	Noise   NoiseDone   `json:"noise"`

	Purchased   int64 `json:"purchased"`
	NetSpend    int64 `json:"net_spend"`
	Entitlement int64 `json:"entitlement"`
	// Figures are those that a comparison gives of the design, on the facts as they are
	// in the files.
	Figures compare.Figures `json:"figures"`
	// Truth is nil for a design that the lab does not have.
	Truth *design.Truth `json:"truth,omitempty"`
}
