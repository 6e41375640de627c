package play

import (
	"context"
	"time"

	"recoup/internal/console/locale"
	"recoup/internal/lab/design"
	"recoup/internal/scenario"
)

// Table is what two designs made of a run, as far as it is shown. Amounts are
// minor units of Currency.
type Table struct {
	Run         Run
	Left, Right Choice
	// Rows has first the account as it opens, and then one row a move.
	Rows []Row
	// Verdict says in one sentence what came of it, in the table's language.
	Verdict string

	locale *locale.Locale
}

// Row is the account at both designs after one move.
type Row struct {
	Number int       // of the move, from one; zero where the account opens
	At     time.Time // when it happened, UTC
	Text   string    // what was done, as a scenario file says it
	// Entitlement is what the published terms promise on what was truly bought
	// and kept; Promised is by how much the move changed it.
	Entitlement, Promised int64
	Left, Right           Cell
}

// Cell is the account at one design.
type Cell struct {
	// Answer is what the design said to a redemption: accepted or denied.
	Answer scenario.Answer
	// Did says in plain words what the design made of the move, in the table's language, ""
	// for nothing.
	Did string
	State
	Change State // against the row before
}

// State is what can be read off an account, in minor units.
type State struct {
	Balance    int64 // negative: owed by the cardholder
	Redeemable int64 // what a redemption could take now
	Redeemed   int64 // all that was paid out so far
	// Leakage is balance and redeemed less the entitlement. Above zero: more
	// than the terms promise on what was kept. Below: less than that, so far.
	Leakage int64
}

// NetReward is the balance and all that was paid out (paper, section 4.1).
func (s State) NetReward() int64 { return s.Balance + s.Redeemed }

// Out is how much more than the entitlement has been paid out or could be at
// once, in minor units, never negative. Leakage that is not out is held back.
func (s State) Out() int64 {
	entitlement := s.NetReward() - s.Leakage
	return max(0, s.Redeemed+s.Redeemable-entitlement)
}

// Gone is how much has been paid out that the cardholder is not entitled to, in minor
// units, never negative: whatever the books say that is owed, the cash is gone.
func (s State) Gone() int64 {
	entitlement := s.NetReward() - s.Leakage
	return max(0, s.Redeemed-entitlement)
}

func (s State) minus(before State) State {
	return State{
		s.Balance - before.Balance, s.Redeemable - before.Redeemable,
		s.Redeemed - before.Redeemed, s.Leakage - before.Leakage,
	}
}

// Play plays a run, as far as it is shown, at both of its designs, and tells of it in the
// language of a locale, which knows the units of rewards. The same run is played the same way
// every time. What a design refuses is part of the table; an error is about the run itself, or
// the context's.
func Play(ctx context.Context, r Run, l *locale.Locale) (*Table, error) {
	stage, err := newStage(ctx, r, r.shown())
	if err != nil {
		return nil, err
	}
	left, err := stage.side(stage.left)
	if err != nil {
		return nil, err
	}
	right, err := stage.side(stage.right)
	if err != nil {
		return nil, err
	}
	t := &Table{Run: r, locale: l}
	if t.Left, err = choice(r.Left); err != nil {
		return nil, err
	}
	if t.Right, err = choice(r.Right); err != nil {
		return nil, err
	}
	for i := range stage.scenario.Steps {
		step := &stage.scenario.Steps[i]
		row := Row{Number: i, At: step.At, Text: step.Text, Entitlement: left.Lines[i].Entitlement}
		row.Left, row.Right = cellOf(&left.Lines[i]), cellOf(&right.Lines[i])
		if i > 0 {
			before := &t.Rows[i-1]
			row.Promised = row.Entitlement - before.Entitlement
			t.follow(&row.Left, before.Left, step)
			t.follow(&row.Right, before.Right, step)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Verdict, err = t.verdict(stage)
	return t, err
}

func cellOf(line *scenario.Line) Cell {
	return Cell{Answer: line.Answer, State: State{
		Balance: line.Balance, Redeemable: line.Redeemable, Redeemed: line.Redeemed,
		Leakage: line.NetReward() - line.Entitlement,
	}}
}

// follow says what a step changed.
func (t *Table) follow(c *Cell, before Cell, step *scenario.Step) {
	c.Change = c.minus(before.State)
	c.Did = t.did(c, step.Move.Kind)
}

// reward writes an amount of rewards, and spend one of purchases, in minor units.
func (t *Table) reward(minor int64) string { return t.locale.Amount(minor, t.Run.Program.Unit().Name) }
func (t *Table) spend(minor int64) string  { return t.locale.Amount(minor, Currency) }

// twoClosesLater plays on to where everything that was put off has been dealt
// with, and returns the account there.
func (s *stage) twoClosesLater(d design.Design) (Cell, error) {
	on := *s.scenario
	later := &stage{scenario: &on}
	now := on.Steps[len(on.Steps)-1].At
	for range 2 {
		now = nextMonth(now)
		later.add(now, scenario.Move{Kind: scenario.CloseStatement})
	}
	t, err := later.side(d)
	if err != nil {
		return Cell{}, err
	}
	return cellOf(t.Last()), nil
}
