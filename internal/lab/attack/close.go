package attack

import (
	"context"
	"fmt"
	"strings"

	"recoup/internal/lab/design"
	"recoup/program"
	"recoup/reward"
)

// Change is settings of a program that leave what is promised on what is kept as it is, and
// say when or how it can be had.
type Change struct {
	// Says is the settings as a program file has them.
	Says string `json:"says"`
	// Leaves is the cash that nothing backs and that can still be had with it, in minor
	// units, in the fewest moves that bring any; zero: it closes it.
	Leaves int64 `json:"leaves"`
	// Refused is why a program with it is none.
	Refused string `json:"refused,omitzero"`

	days  int // of maturity
	apply func(*reward.Program)
}

// closes reports whether nothing is left with it.
func (c *Change) closes() bool { return c.Refused == "" && c.Leaves == 0 }

// changes are the settings that are tried one by one, beside maturity, and two of them
// together: those that a program does not have yet.
func changes(p *reward.Program) []Change {
	grant := Change{Says: "timing: {grant: statement}", apply: func(p *reward.Program) { p.Timing.Grant = reward.GrantAtStatement }}
	grace := Change{Says: "redemption: {grace_days: 27}", apply: func(p *reward.Program) { p.Redemption.GraceDays = mostGrace }}
	var list []Change
	if p.Timing.Clawback == reward.ClawbackAtStatement {
		list = append(list, Change{Says: "timing: {clawback: refund}", apply: func(p *reward.Program) { p.Timing.Clawback = reward.ClawbackAtRefund }})
	}
	if p.Method == reward.Proportional {
		list = append(list, Change{Says: "clawback_method: rerate", apply: func(p *reward.Program) { p.Method = reward.Rerate }})
	}
	if p.Redemption.GraceDays < mostGrace {
		list = append(list, grace)
	}
	if p.Timing.Grant == reward.GrantAtSettlement {
		list = append(list, grant)
	}
	if p.Redemption.GraceDays < mostGrace && p.Timing.Grant == reward.GrantAtSettlement {
		list = append(list, Change{Says: grant.Says + ", " + grace.Says, apply: func(p *reward.Program) { grant.apply(p); grace.apply(p) }})
	}
	return list
}

const mostGrace = 27

// maturity is to have rewards mature after so many days.
func maturity(days int) Change {
	return Change{Says: fmt.Sprintf("maturity_days: %d", days), days: days, apply: func(p *reward.Program) { p.MaturityDays = days }}
}

// closer tries changes.
type closer struct {
	recoup   design.Design
	bounds   Bounds
	shortest Bounds // that have something of the program as it is
}

// try plays the bounds under the program with a change. What is left in those of the shortest
// counterexample is enough to say that it does not close it; so is what is left to who makes
// one purchase on any day of a cycle, since a change may matter on other days.
func (c *closer) try(ctx context.Context, change *Change) error {
	q := *c.bounds.Program
	change.apply(&q)
	if _, err := program.Parse(q.ID, program.Write(&q)); err != nil {
		change.Refused = strings.TrimPrefix(err.Error(), q.ID+": ")
		return nil
	}
	daily := c.shortest
	daily.Cycles, daily.PurchasesPerCycle, daily.Days = 1, 1, nil
	for day := range 31 {
		daily.Days = append(daily.Days, day+1)
	}
	for _, b := range []Bounds{c.shortest, daily, c.bounds} {
		b.Program = &q
		r, err := attack(ctx, c.recoup, b, false)
		if err != nil {
			return err
		}
		if change.Leaves = max(0, r.gain[toTake]); change.Leaves > 0 {
			return nil
		}
	}
	return nil
}

// all tries every change, maturity first: the fewest days that close it, if any do.
func (c *closer) all(ctx context.Context) (tried []Change, err error) {
	if tried, err = c.maturity(ctx); err != nil {
		return nil, err
	}
	for _, change := range changes(c.bounds.Program) {
		if err := c.try(ctx, &change); err != nil {
			return nil, err
		}
		tried = append(tried, change)
	}
	return tried, nil
}

// maturity looks for the fewest days that close it, from where it is known to lie where
// clocks do not change: a day less is tried as well. It tells the fewest that do and the most
// that do not.
func (c *closer) maturity(ctx context.Context) (tried []Change, err error) {
	b := &c.bounds
	days := b.ReturnDays + max(0, b.RefundDays-1) - b.PostDays
	least := b.Program.MaturityDays + 1
	days = max(days, least)
	try := func(n int) (*Change, error) {
		change := maturity(n)
		err := c.try(ctx, &change)
		return &change, err
	}
	change, err := try(days)
	if err != nil {
		return nil, err
	}
	for ; !change.closes() && change.Refused == "" && days < b.ReturnDays+b.RefundDays+1; days++ {
		tried = []Change{*change}
		if change, err = try(days + 1); err != nil {
			return nil, err
		}
	}
	for change.closes() && change.days > least && len(tried) == 0 {
		less, err := try(change.days - 1)
		if err != nil {
			return nil, err
		}
		if !less.closes() {
			tried = append(tried, *less)
			break
		}
		change = less
	}
	return append([]Change{*change}, tried...), nil
}
