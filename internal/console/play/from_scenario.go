package play

import (
	"errors"
	"fmt"
	"time"

	"recoup/internal/scenario"
	"recoup/reward"
)

// FromScenario makes a run of a scenario, all of it shown. Its moves must be of
// the kinds that a run has, and its program one of the example's kind. Every step
// keeps its date and happens at ten in the morning; purchases are named anew, in
// the order of the file. A scenario that does not speak of designs is played by A
// and Recoup, others by the first that they speak of beside Recoup. Errors name
// the file and the line.
func FromScenario(s *scenario.Scenario) (Run, error) {
	r := New()
	var err error
	if r.Program, err = programOf(s.Program); err != nil {
		return Run{}, fmt.Errorf("%s: %w", s.File, err)
	}
	if r.Program.Name != "" {
		under, err := Under(r.Program.Name)
		if err != nil {
			return Run{}, fmt.Errorf("%s: %w", s.File, err)
		}
		r.Left = under.Left
	}
	for _, name := range s.Designs() {
		if _, err := choice(name); err == nil && name != scenario.Recoup {
			r.Left = name
			break
		}
	}
	f := &fileReader{now: Start, purchases: numberPurchases(s)}
	for i := range s.Steps {
		step := &s.Steps[i]
		if err := f.step(step); err != nil {
			return Run{}, fmt.Errorf("%s:%d: %s: %w", s.File, step.Line, step.Text, err)
		}
	}
	r.Moves, r.At = f.moves, len(f.moves)
	if err := r.Check(); err != nil {
		return Run{}, fmt.Errorf("%s: %w", s.File, err)
	}
	return r, nil
}

// numberPurchases gives each purchase its number: first those that clear, in the
// order of the file. One that is only spoken of keeps the number in its name, if
// that is free, and has the next free one otherwise.
func numberPurchases(s *scenario.Scenario) map[string]int {
	numbers, taken := map[string]int{}, map[int]bool{}
	give := func(id string, n int) {
		if id == "" || numbers[id] != 0 {
			return
		}
		for taken[n] {
			n++
		}
		numbers[id], taken[n] = n, true
	}
	for _, step := range s.Steps {
		if step.Move.Kind == scenario.Settle {
			give(step.Move.ID, 1)
		}
	}
	for _, step := range s.Steps {
		if n, err := purchaseNumber(step.Move.Of); err == nil && !taken[n] {
			give(step.Move.Of, n)
		}
	}
	for _, step := range s.Steps {
		give(step.Move.Of, 1)
	}
	return numbers
}

// fileReader makes moves of steps.
type fileReader struct {
	now       time.Time
	purchases map[string]int
	moves     []Move
}

// step adds the days until a step, and its move.
func (f *fileReader) step(step *scenario.Step) error {
	at := onGrid(step.At)
	if at.Before(Start) {
		return fmt.Errorf("on %s: expected no step before %s, when every run begins", at.Format(time.DateOnly), Start.Format(time.DateOnly))
	}
	kind := step.Move.Kind
	switch {
	case !at.After(f.now): // no time to pass
	case kind == scenario.CloseStatement && at.Equal(nextMonth(f.now)):
		f.moves = append(f.moves, Move{Kind: Close})
	default:
		f.moves = append(f.moves, Move{Kind: Wait, Days: daysBetween(f.now, at)})
	}
	f.now = at
	if kind == scenario.CloseStatement || kind == scenario.Wait {
		return nil // every design closes its statements by the clock
	}
	m, err := f.move(step)
	f.moves = append(f.moves, m)
	return err
}

func (f *fileReader) move(step *scenario.Step) (Move, error) {
	from := &step.Move
	m := Move{Amount: from.Amount, Merchant: from.Merchant, Code: from.MCC, Category: from.Category, Labels: from.Labels, Of: f.purchases[from.Of]}
	if len(from.Items) > 0 {
		m.Items = reward.MakeItems(from.Items)
	}
	if !from.Happened.IsZero() {
		m.Days = daysBetween(onGrid(from.Happened), f.now)
	}
	switch from.Kind {
	case scenario.Settle:
		m.Kind = Buy
	case scenario.Refund:
		m.Kind, m.Unlinked = Refund, from.Of == ""
	case scenario.Chargeback:
		m.Kind = Chargeback
	case scenario.Redeem:
		m.Kind = Redeem
		if m.Amount < 0 { // zero is what all that is available came to
			return m, errors.New("expected an amount that is not negative")
		}
	case scenario.SetAttribute:
		m.Kind = Set
	default:
		return m, fmt.Errorf("a move of the playground is none of %q: expected settle, refund, chargeback, redeem, close, wait or set", from.Kind)
	}
	switch {
	case from.Again:
		return m, errors.New("a run delivers nothing again")
	case from.Really == nil:
		return m, nil
	case !m.Unlinked || len(from.Really) != 1 || from.Really[0].Amount != from.Amount:
		return m, errors.New("really: expected of an unlinked refund, and that all of it is of one purchase")
	}
	m.Of = f.purchases[from.Really[0].Purchase]
	return m, nil
}

// onGrid is the same day at the time of day at which everything happens.
func onGrid(t time.Time) time.Time {
	y, m, d := t.UTC().Date()
	return time.Date(y, m, d, Start.Hour(), 0, 0, 0, time.UTC)
}

// daysBetween counts the days between two times on the grid.
func daysBetween(from, to time.Time) int { return int(to.Sub(from) / day) }
