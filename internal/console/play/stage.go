package play

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"recoup/internal/lab/design"
	"recoup/internal/scenario"
)

// stage is a run being played: the scenario that it is, and what each side opens
// an issuer with.
type stage struct {
	scenario    *scenario.Scenario
	left, right design.Design
}

// side plays the scenario against one design.
func (s *stage) side(d design.Design) (*scenario.Transcript, error) {
	t, err := scenario.Play(s.scenario, d.New(s.scenario.Program))
	if err != nil {
		return nil, fmt.Errorf("design %s: %w", d.Name, err)
	}
	return t, nil
}

// newStage makes a scenario of a run's moves, one step each behind a first one
// that only opens the account. A redemption of all that is available is for what
// the two designs would pay then, so the moves before it are played.
func newStage(ctx context.Context, r Run, moves []Move) (*stage, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	s := &stage{scenario: &scenario.Scenario{
		File: "playground.txt", Name: "playground",
		Title: r.Left + " beside " + r.Right, Program: r.Program.Terms(),
	}}
	var err error
	if s.left, err = design.Find(r.Left); err != nil {
		return nil, err
	}
	if s.right, err = design.Find(r.Right); err != nil {
		return nil, err
	}
	names := numbered{}
	now := Start
	s.add(now, scenario.Move{Kind: scenario.Wait})
	for _, m := range moves {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		now = m.after(now)
		step := names.move(m, now)
		if m.Kind == Redeem && m.Amount == 0 {
			if step.Amount, err = s.available(); err != nil {
				return nil, err
			}
		}
		s.add(now, step)
	}
	return s, nil
}

func (s *stage) add(at time.Time, m scenario.Move) {
	step := scenario.Step{Line: len(s.scenario.Steps) + 1, At: at, Move: m}
	step.Text = scenario.DescribeMove(&step, Currency)
	s.scenario.Steps = append(s.scenario.Steps, step)
}

// available is the most that either design would pay after the steps so far, as far
// as a move may say it: the file of the run has the amount.
func (s *stage) available() (int64, error) {
	var most int64
	for _, d := range []design.Design{s.left, s.right} {
		t, err := s.side(d)
		if err != nil {
			return 0, err
		}
		most = max(most, t.Last().Redeemable)
	}
	return min(most, MaxAmount), nil
}

// numbered counts what has been named so far, by the letter of its ids.
type numbered map[byte]int

func (n numbered) next(letter byte) string {
	n[letter]++
	return string(letter) + strconv.Itoa(n[letter])
}

// move is what scenarios call a move of a run that ends at now.
func (n numbered) move(m Move, now time.Time) scenario.Move {
	out := scenario.Move{Amount: m.Amount, Merchant: m.Merchant, MCC: m.Code, Category: m.Category, Labels: m.Labels, Items: slices.Collect(m.Items.All())}
	if m.Kind == Buy || m.Kind == Refund || m.Kind == Chargeback || m.Kind == Set {
		out.Happened = now.AddDate(0, 0, -m.Days)
	}
	switch {
	case m.Of != 0 && m.Unlinked:
		out.Really = []scenario.Part{{Purchase: purchaseID(m.Of), Amount: m.Amount}}
	case m.Of != 0:
		out.Of = purchaseID(m.Of)
	}
	switch m.Kind {
	case Buy:
		out.Kind, out.ID = scenario.Settle, n.next('t')
	case Refund:
		out.Kind, out.ID = scenario.Refund, n.next('r')
	case Chargeback:
		out.Kind, out.ID = scenario.Chargeback, n.next('c')
	case Redeem:
		out.Kind, out.ID = scenario.Redeem, n.next('d')
	case Wait:
		out.Kind = scenario.Wait
	case Close:
		out.Kind = scenario.CloseStatement
	case Set:
		out.Kind, out.ID = scenario.SetAttribute, n.next('a')
	}
	return out
}

// Scenario returns the whole run as a scenario, which scenario.Format writes as a
// file: one step a move, behind a first one that opens the account. What was a
// redemption of all that is available has the amount that it came to.
func (r Run) Scenario(ctx context.Context) (*scenario.Scenario, error) {
	s, err := newStage(ctx, r, r.Moves)
	if err != nil {
		return nil, err
	}
	return s.scenario, nil
}
