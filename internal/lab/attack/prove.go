package attack

import (
	"context"
	"fmt"
	"io"
	"slices"

	"recoup/internal/lab/design"
	"recoup/internal/scenario"
	"recoup/reward"
)

// Proof says whether a customer of Recoup can come out ahead under a program by buying,
// redeeming and returning within bounds: every course of these is looked at.
type Proof struct {
	Program string `json:"program"`
	Bounds  Bounds `json:"bounds"`
	// Gain is the cash of the counterexample that nothing backs, in minor units; zero: there
	// is none within the bounds.
	Gain int64 `json:"gain"`
	// Debt is what the books then say the customer owes.
	Debt int64 `json:"debt"`
	// Counterexample has the fewest moves in a cycle, in the fewest cycles, that bring anything.
	Counterexample *Strategy `json:"counterexample,omitzero"`
	// Scenario is the same as a scenario file.
	Scenario string `json:"scenario,omitzero"`
	// Closed is the shortest change that closes it: with it, none is left within the bounds.
	// Empty: there is nothing to close, or none of those that were tried does.
	Closed string `json:"closed,omitzero"`
	// Tried are the changes that were tried, in the order of how short they are.
	Tried []Change `json:"tried,omitzero"`
	// MaturityDays closes it too, or alone: the fewest that do. Zero: there is nothing to
	// close, or this does not.
	MaturityDays int `json:"maturity_days,omitzero"`
	// Earned is the most that the terms promise on anything that is kept within the bounds, in
	// minor units; zero: nothing is earned there, and that nobody gains says nothing.
	Earned int64 `json:"earned"`
	// Strategies and Positions are how many were looked at in the widest search.
	Strategies uint64 `json:"strategies"`
	Positions  int    `json:"positions"`
}

// Prove looks through every strategy within the bounds for one that pays under a program
// at Recoup, first the shortest.
func Prove(ctx context.Context, p *reward.Program, b Bounds) (*Proof, error) {
	b.Program = p
	if err := b.check(); err != nil {
		return nil, err
	}
	proof := &Proof{Program: p.ID, Bounds: b}
	recoup, err := design.Find("Recoup")
	if err != nil {
		return nil, err
	}
	whole, err := attack(ctx, recoup, b, false)
	if err != nil {
		return nil, err
	}
	proof.Strategies, proof.Positions = whole.strategies, whole.positions
	for _, due := range whole.game.dues {
		proof.Earned = max(proof.Earned, due)
	}
	if whole.gain[toTake] <= 0 {
		return proof, nil
	}
	shortest, err := shortestOf(ctx, recoup, b)
	if err != nil {
		return nil, err
	}
	s, err := shortest.game.tell(recoup, toTake, shortest.moves[toTake])
	if err != nil {
		return nil, err
	}
	proof.Gain, proof.Debt, proof.Counterexample = s.Profit, s.Debt, s
	proof.Scenario = string(scenario.Format(shortest.game.scenario(s)))

	c := closer{recoup: recoup, bounds: b, shortest: shortest.game.bounds}
	if proof.Tried, err = c.all(ctx); err != nil {
		return nil, err
	}
	for i := range slices.Backward(proof.Tried) {
		if change := &proof.Tried[i]; change.closes() {
			proof.Closed = change.Says
			proof.MaturityDays = max(proof.MaturityDays, change.days)
		}
	}
	return proof, nil
}

// shortestOf is the first search that finds something, of fewer cycles and moves first.
// The bounds have one that does.
func shortestOf(ctx context.Context, d design.Design, b Bounds) (*result, error) {
	least := 1
	if b.Program.Layers != nil {
		least = min(2, b.Cycles)
	}
	for cycles := least; cycles <= b.Cycles; cycles++ {
		for moves := 1; moves <= 4*b.PurchasesPerCycle; moves++ {
			narrower := b
			narrower.Cycles, narrower.MovesPerCycle = cycles, moves
			if b.MovesPerCycle > 0 && moves > b.MovesPerCycle {
				break
			}
			r, err := attack(ctx, d, narrower, false)
			if err != nil {
				return nil, err
			}
			if r.gain[toTake] > 0 {
				return r, nil
			}
		}
	}
	return attack(ctx, d, b, false)
}

// WriteTable says in words what was found.
func (p *Proof) WriteTable(w io.Writer) error {
	within := p.Bounds.within() + fmt.Sprintf(": %d courses, %d positions", p.Strategies, p.Positions)
	if p.Earned == 0 {
		_, err := fmt.Fprintf(w, "program %s: nothing is earned within the bounds, so that nobody gains there says nothing, with %s\n", p.Program, within)
		return err
	}
	if p.Gain == 0 {
		_, err := fmt.Fprintf(w, "program %s: nobody gains by buying and returning, with %s\n", p.Program, within)
		return err
	}
	money := p.Bounds.rewards()
	fmt.Fprintf(w, "program %s: who redeems, returns and never comes back has %s that nothing backs, of which the books say that %s is owed (of %s)\n", p.Program, money(p.Gain), money(p.Debt), within)
	if p.Closed != "" {
		fmt.Fprintf(w, "with %s nothing of it is left, within the same bounds\n", p.Closed)
	} else {
		fmt.Fprintln(w, "none of what was tried closes it")
	}
	for i := range p.Tried {
		switch change := &p.Tried[i]; {
		case change.Refused != "":
			fmt.Fprintf(w, "  %s: refused, %s\n", change.Says, change.Refused)
		case change.closes():
			fmt.Fprintf(w, "  %s: closes it\n", change.Says)
		default:
			fmt.Fprintf(w, "  %s: leaves %s or more\n", change.Says, money(change.Leaves))
		}
	}
	_, err := fmt.Fprintf(w, "the shortest of it, as a scenario file:\n\n%s", p.Scenario)
	return err
}

// within puts the bounds of a proof into words.
func (b *Bounds) within() string {
	prices := len(b.Amounts)
	if b.Offers != nil {
		prices = len(b.Offers)
	}
	text := fmt.Sprintf("up to %d purchases in each of %d cycles of %d offers, on days %v", b.PurchasesPerCycle, b.Cycles, prices, b.Days)
	if n := countOf(b.program()); n > 1 && b.Offers != nil {
		text = fmt.Sprintf("up to %d times %d purchases at once in each of %d cycles, on days %v", b.PurchasesPerCycle, n, b.Cycles, b.Days)
	}
	if b.Matter {
		text += " and those that matter"
	}
	text += fmt.Sprintf(", returned whole or in part within %d days", b.ReturnDays)
	if b.PostDays > 0 || b.RefundDays > 0 {
		text += fmt.Sprintf(", posted after %d days and refunds after %d", b.PostDays, b.RefundDays)
	}
	return text
}
