package probe

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/scenario"
)

// history is a course of moves in an account of its own. A redemption of zero asks for
// all that can be redeemed; it is no call where that is nothing.
type history struct {
	name  string
	steps []scenario.Step
	// opened is when the account begins, if that is before its first step.
	opened time.Time
	// seen is what the account showed after each step, where it was read: at waits and
	// redemptions, and everywhere in a history that is watched.
	seen    []Shown
	watched bool
	// failed says why the history cannot be judged: the target has no such move, or
	// refused a purchase.
	failed error

	redeemed int64
	asked    []int64  // by redemptions, one a step
	paid     []string // redemptions that were accepted
}

// readings are how many statement closes after its last move an account is looked at:
// when what waits for a close or two has come, and after a year, in which debts may
// have been forgotten.
var readings = [...]int{4, 14}

// watch adds the waits at whose ends the account is judged.
func (h *history) watch(closes ...int) {
	last := h.steps[len(h.steps)-1].At
	for _, n := range closes {
		h.add(scenario.FirstOfMonth(last, n).Add(12*time.Hour), scenario.Move{Kind: scenario.Wait})
	}
}

// add adds a move. A fact happens when it is delivered, unless it says otherwise.
func (h *history) add(at time.Time, m scenario.Move) {
	switch m.Kind {
	case scenario.Settle, scenario.Refund, scenario.Chargeback, scenario.Authorize:
		if m.Happened.IsZero() {
			m.Happened = at
		}
	}
	h.steps = append(h.steps, scenario.Step{Line: len(h.steps) + 1, At: at, Move: m})
}

// twin is the same history without what was returned: as if it had never been bought. It
// is what tells how much of a reward is too much, whatever the terms are. What was
// delivered twice is delivered once in it, and nothing in another order than it happened;
// what was authorised is only what cleared.
func (h *history) twin() *history {
	returned := map[string]int64{}
	counted := map[string]bool{} // reversals by id: a second delivery brings nothing back
	for i := range h.steps {
		m := &h.steps[i].Move
		if m.Kind != scenario.Refund && m.Kind != scenario.Chargeback || m.Again || counted[m.ID] {
			continue
		}
		counted[m.ID] = true
		for _, part := range broughtBack(m) {
			returned[part.Purchase] += part.Amount
		}
	}
	t := &history{name: h.name + "-twin", opened: h.steps[0].At} // terms may count from there
	for _, step := range h.steps {
		m := &step.Move
		switch m.Kind {
		case scenario.Refund, scenario.Chargeback, scenario.Authorize, scenario.Cancel:
			continue
		case scenario.Settle:
			if m.Amount -= returned[m.ID]; m.Amount <= 0 || m.Again {
				continue
			}
		}
		t.add(step.At, step.Move)
	}
	return t
}

// broughtBack is what a reversal gave back in truth.
func broughtBack(m *scenario.Move) []scenario.Part {
	if m.Really == nil && m.Of != "" {
		return []scenario.Part{{Purchase: m.Of, Amount: m.Amount}}
	}
	return m.Really
}

// buys reports whether there is a purchase.
func (h *history) buys() bool {
	return slices.ContainsFunc(h.steps, func(s scenario.Step) bool { return s.Move.Kind == scenario.Settle })
}

// key is the same of two histories of the same steps.
func (h *history) key() string {
	var b strings.Builder
	fmt.Fprintln(&b, h.opened.Unix())
	for i := range h.steps {
		s := &h.steps[i]
		fmt.Fprintf(&b, "%d %+v\n", s.At.Unix(), s.Move)
	}
	return b.String()
}

// last is what the account showed at its n-th but last reading.
func (h *history) last(n int) Shown {
	for i := len(h.steps) - 1; i >= 0; i-- {
		if h.steps[i].Move.Kind == scenario.Wait {
			if n--; n < 0 {
				return h.seen[i]
			}
		}
	}
	return Shown{}
}

// opensAccount is the step of a history that opens its account and does no more.
const opensAccount = -1

// due is a step of one of several histories that are played side by side; of none of them a
// statement close.
type due struct {
	h    *history
	step int
	at   time.Time
}

// calendar is all that happens in histories side by side, in order, with the closes of the
// statements at the beginning of every month.
func calendar(list []*history, closes bool) (dues []due) {
	var first, last time.Time
	add := func(h *history, step int, at time.Time) {
		dues = append(dues, due{h, step, at})
		if first.IsZero() || at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
	}
	for _, h := range list {
		if !h.opened.IsZero() {
			add(h, opensAccount, h.opened)
		}
		for i := range h.steps {
			add(h, i, h.steps[i].At)
		}
	}
	if closes {
		for close := scenario.FirstOfMonth(first, 1); close.Before(last); close = scenario.FirstOfMonth(close, 1) {
			dues = append(dues, due{nil, 0, close})
		}
	}
	slices.SortStableFunc(dues, func(a, b due) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(afterClose(a), afterClose(b))) })
	return dues
}

// playAll plays histories side by side, on one calendar: each account sees its own alone.
func (s *stage) playAll(list []*history) error {
	for _, h := range list {
		h.seen, h.asked = make([]Shown, len(h.steps)), make([]int64, len(h.steps))
		h.failed, h.redeemed, h.paid = nil, 0, nil
	}
	dues := calendar(list, s.canWait())
	if len(dues) == 0 {
		return nil
	}
	years, err := s.fresh(dues[0].at)
	if err != nil {
		return err
	}
	open := map[*history]bool{}
	for _, d := range dues {
		at := d.at.AddDate(years, 0, 0)
		if err := s.SetClock(at); err != nil {
			return err
		}
		if d.h == nil {
			if err := s.closeAll(open); err != nil {
				return err
			}
			continue
		}
		if d.h.failed != nil {
			continue
		}
		if !open[d.h] {
			if err := s.Open(d.h.name); err != nil {
				return err
			}
			open[d.h] = true
		}
		if d.step == opensAccount {
			continue
		}
		if err := s.makeStep(d.h, d.step, years); err != nil {
			return fmt.Errorf("%s, step %d: %w", d.h.name, d.step+1, err)
		}
	}
	return nil
}

// afterClose puts statement closes before what happens at the same moment.
func afterClose(d due) int {
	if d.h == nil {
		return 0
	}
	return 1
}

// closeAll closes the statements that are due, where that takes a call.
func (s *stage) closeAll(open map[*history]bool) error {
	if s.target.Can.StatementClose != ClosesByCall {
		return nil
	}
	var names []string
	for h := range open {
		if h.failed == nil {
			names = append(names, h.name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if err := s.CloseStatement(name); err != nil {
			return err
		}
	}
	return nil
}

// makeStep makes one move, so many years later, and reads the account where it is asked for.
func (s *stage) makeStep(h *history, i, years int) error {
	m := h.steps[i].Move
	var err error
	answer := scenario.NoAnswer
	switch m.Kind {
	case scenario.Wait:
	case scenario.Redeem:
		answer, err = s.redeemSome(h, i, m)
	default:
		m.Happened = m.Happened.AddDate(years, 0, 0)
		answer, err = scenario.Deliver(s, h.name, &m)
	}
	refusal := (*StatusError)(nil)
	switch {
	case errors.Is(err, issuer.ErrUnsupported), errors.As(err, &refusal) && refusal.Spoken && m.Kind == scenario.Settle:
		h.failed = err
		return nil
	case err != nil:
		return err
	}
	if m.Kind == scenario.Wait || m.Kind == scenario.Redeem || h.watched {
		h.seen[i], err = s.show(h)
		if answer != scenario.NoAnswer {
			h.seen[i].Answer = answer.String()
		}
	}
	return err
}

// redeemSome asks for an amount, or for all that there is.
func (s *stage) redeemSome(h *history, i int, m scenario.Move) (scenario.Answer, error) {
	if m.Amount == 0 {
		shown, err := s.Balance(h.name)
		if err != nil || shown.Redeemable <= 0 {
			return scenario.NoAnswer, err
		}
		m.Amount = shown.Redeemable
		m.ID = eachTime(m.ID, i)
	}
	h.asked[i] = m.Amount
	before, err := s.Balance(h.name)
	if err != nil {
		return scenario.NoAnswer, err
	}
	answer, err := scenario.Deliver(s, h.name, &m)
	if err != nil || answer != scenario.Accepted {
		return answer, err
	}
	after, err := s.Balance(h.name)
	if !slices.Contains(h.paid, m.ID) || after.Balance < before.Balance { // else it was answered again, and not paid
		h.redeemed += max(0, m.Amount)
	}
	h.paid = append(h.paid, m.ID)
	return answer, err
}

// eachTime is the name of a redemption of all, which is a new one at each step.
func eachTime(id string, step int) string { return fmt.Sprintf("%s-%d", id, step+1) }

// show reads an account.
func (s *stage) show(h *history) (Shown, error) {
	b, err := s.Balance(h.name)
	if err != nil {
		return Shown{}, err
	}
	paid, err := s.PaidOut(h.name)
	return Shown{Balance: b.Balance, Redeemable: b.Redeemable, PaidOut: h.redeemed + paid}, err
}

// playEach plays histories side by side, and each by itself where the target fails too
// often for that: then an account can be played again. What stays uncertain has failed.
func (s *stage) playEach(list []*history) (replays int, err error) {
	if len(list) > 1 {
		if err = s.playAll(list); !flaky(err) {
			return 0, err
		}
		replays++
	}
	for _, h := range list {
		again, err := again(func() error { return s.playAll([]*history{h}) })
		replays += again
		switch {
		case flaky(err):
			h.failed = err
		case err != nil:
			return replays, err
		}
	}
	return replays, nil
}
