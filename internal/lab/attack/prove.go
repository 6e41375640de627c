package attack

import (
	"context"
	"fmt"
	"io"
	"time"

	"recoup/internal/flaw"
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
	// MaturityDays closes it: with so many, none is left within the bounds. Zero: there is
	// nothing to close, or this does not.
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

	safe := *p
	safe.MaturityDays = b.ReturnDays
	b.Program = &safe
	closed, err := attack(ctx, recoup, b, false)
	if err != nil {
		return nil, err
	}
	if p.MaturityDays < b.ReturnDays && closed.gain[toTake] <= 0 {
		proof.MaturityDays = b.ReturnDays
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

// scenario is a strategy as a scenario, each answer to a redemption expected.
func (g *game) scenario(s *Strategy) *scenario.Scenario {
	c := &scenario.Scenario{
		Name: "counterexample", Title: "A counterexample under " + g.program.ID, Shows: []string{string(flaw.G13)}, Program: g.program,
		About: "Found by recoup program check --prove: the cash that nothing backs is what was\nredeemed, less what the terms promise on what is kept.",
	}
	for i, m := range s.Moves {
		step := scenario.Step{At: m.At, Move: scenario.Move{Amount: m.Amount, Happened: m.At}}
		switch m.Kind {
		case Buys:
			step.Move.Kind, step.Move.ID = scenario.Settle, fmt.Sprint("t", m.Purchase)
			step.Move.Merchant, step.Move.MCC, step.Move.Category = g.shop.Merchant, g.shop.MCC, g.shop.Category
		case Redeems:
			step.Move.Kind, step.Move.ID, step.Move.Happened = scenario.Redeem, fmt.Sprint("d", i+1), time.Time{}
			step.Expect = []scenario.Expectation{{Design: scenario.Recoup, Answer: scenario.Accepted}}
		case Returns:
			step.Move.Kind, step.Move.ID, step.Move.Of = scenario.Refund, fmt.Sprint("r", i+1), fmt.Sprint("t", m.Purchase)
		}
		c.Steps = append(c.Steps, step)
	}
	return c
}

// WriteTable says in words what was found.
func (p *Proof) WriteTable(w io.Writer) error {
	within := fmt.Sprintf("up to %d purchases in each of %d cycles of %d prices, on days %v, returned whole or by half within %d days: %d courses, %d positions",
		p.Bounds.PurchasesPerCycle, p.Bounds.Cycles, len(p.Bounds.Amounts), p.Bounds.Days, p.Bounds.ReturnDays, p.Strategies, p.Positions)
	if p.Earned == 0 {
		_, err := fmt.Fprintf(w, "program %s: nothing is earned within the bounds, so that nobody gains there says nothing, with %s\n", p.Program, within)
		return err
	}
	if p.Gain == 0 {
		_, err := fmt.Fprintf(w, "program %s: nobody gains by buying and returning, with %s\n", p.Program, within)
		return err
	}
	money := p.Bounds.rewards()
	_, err := fmt.Fprintf(w, "program %s: who redeems, returns and never comes back has %s that nothing backs, of which the books say that %s is owed (of %s)\n", p.Program, money(p.Gain), money(p.Debt), within)
	if err == nil && p.MaturityDays > 0 {
		_, err = fmt.Fprintf(w, "with maturity_days: %d nothing of it is left, within the same bounds\n", p.MaturityDays)
	}
	if err == nil {
		_, err = fmt.Fprintf(w, "the shortest of it, as a scenario file:\n\n%s", p.Scenario)
	}
	return err
}
