package reward

import (
	"iter"
)

// left is X: what is left of lots of the past at their ends, given what each has and what
// stood at the beginning, which never expires and is used first; and what of that is left,
// and the uses that lie on none of these.
func (a *Account) left(opening int64, earned []int64) (left []int64, free, owed int64) {
	p := a.pastLots()
	free, owed = max(0, opening), max(0, -opening)
	serve := func(amount int64) {
		own := min(free, amount)
		free -= own
		owed += amount - own
	}
	i := 0
	left = make([]int64, len(p.lots))
	for n := range p.lots {
		x := &p.lots[n]
		for end := a.newest.expiresWith(x.cycle); i < len(p.uses) && p.uses[i].cycle <= end; i++ {
			serve(p.uses[i].amount)
		}
		borne := min(earned[n], owed)
		left[n], owed = earned[n]-borne, owed-borne
	}
	for _, u := range p.uses[i:] {
		serve(u.amount)
	}
	serve(a.lots.used)
	return left, free, owed
}

// settleLots posts the difference between what has expired and what is posted of that.
func (s *step) settleLots() {
	l := s.lots
	if l == nil {
		return
	}
	s.dateLifetimes()
	if !l.stale {
		return
	}
	var left []int64
	left, l.free, l.owed = s.left(s.pastLots().earned())
	l.stale, l.unrelieved = false, true
	for i, to := range left {
		x := &l.past.lots[i]
		before := x.expired
		if to == before {
			continue
		}
		s.changePast()
		x.expired = to
		l.expired += to - before
		kind := Expiry
		if to < before {
			kind = ExpiryRestored
		}
		p := s.post(kind, before-to)
		p.Period = x.cycle.String()
		p.Formula = Formula{Method: s.program.Method, Original: x.earned, Before: before, After: to, Cap: NoCap}
	}
}

// relieve works out what of all that is held would be taken from nobody, since it has
// expired.
func (a *Account) relieve() {
	l := a.lots
	if l == nil || !l.unrelieved {
		return
	}
	l.unrelieved = false
	l.riskRelief = a.reliefOf(func(x *lot) int64 { return x.risk })
	l.heldRelief = a.reliefOf(func(x *lot) int64 { return x.held })
}

func (a *Account) reliefOf(hold func(*lot) int64) (relief int64) {
	p := a.pastLots()
	holds := hold(&p.opening)
	for i := range p.lots {
		holds += hold(&p.lots[i])
	}
	if holds == 0 {
		return 0 // as almost always: what is over was held long ago
	}
	opening, earned := p.earned()
	before, _, _ := a.left(opening, earned)
	// What is held of a period of several cycles is of its last; what that lot does not
	// have is of those before.
	var rest int64
	for i := len(p.lots) - 1; i >= 0; i-- {
		own := hold(&p.lots[i])
		gone := min(earned[i], rest+own)
		earned[i] -= gone
		rest += own - gone
	}
	after, _, _ := a.left(opening-hold(&p.opening)-rest, earned)
	return sum64(before) - sum64(after)
}

// earned is what stood at the beginning, and what was earned of each lot.
func (p *past) earned() (opening int64, earned []int64) {
	earned = make([]int64, len(p.lots))
	for i := range p.lots {
		earned[i] = p.lots[i].earned
	}
	return p.opening.earned, earned
}

func sum64(list []int64) (total int64) {
	for _, n := range list {
		total += n
	}
	return total
}

// withheld is what of the balance may not be redeemed yet, atRisk what would be taken if
// all were posted.
func (a *Account) withheld() int64 {
	if a.lots == nil {
		return a.held
	}
	return a.held - a.lots.heldRelief
}

func (a *Account) atRisk() int64 {
	if a.lots == nil {
		return a.risk
	}
	return a.risk - a.lots.riskRelief
}

// expiredSoFar is what has expired and stays so.
func (a *Account) expiredSoFar() int64 {
	if a.lots == nil {
		return 0
	}
	return a.lots.expired
}

// unused yields the lots that have not expired with what no use lies on, the oldest first.
func (a *Account) unused() iter.Seq2[*lot, int64] {
	return func(yield func(*lot, int64) bool) {
		if a.lots == nil {
			return
		}
		owed := a.lots.owed
		for i := range a.lots.living {
			x := &a.lots.living[i]
			borne := min(owed, max(0, x.earned))
			owed -= borne
			if rest := x.earned - borne; rest > 0 && !yield(x, rest) {
				return
			}
		}
	}
}

// ExpiringState is what is left of the rewards of a cycle, and when it expires if it is
// not used.
type ExpiringState struct {
	Cycle  Cycle
	Amount int64 // minor units, above zero
	At     Instant
}

// Expiring lists what is to expire, what is first first; nil where no version of the
// program has rewards expire. It needs no more of the account than its head.
func (a *Account) Expiring() []ExpiringState {
	if a.lots == nil {
		return nil
	}
	list := []ExpiringState{}
	for x, rest := range a.unused() {
		list = append(list, ExpiringState{x.cycle, rest, a.newest.CycleEnd(a.newest.expiresWith(x.cycle))})
	}
	return list
}

// explainExpiry says what has expired of a cycle's rewards, or is back.
func (p *Posting) explainExpiry(t *Telling) string {
	f := &p.Formula
	if p.Kind == Expiry {
		return t.tell("Of the rewards of %s, which are %s, %s was not used in time. %s expires.", p.Period, t.Reward(f.Original), t.Reward(f.After), t.Reward(-p.Amount))
	}
	return t.tell("Of the rewards of %s, %s had expired. They are %s now, of which %s was not used in time. %s is given back.",
		p.Period, t.Reward(f.Before), t.Reward(f.Original), t.Reward(f.After), t.Reward(p.Amount))
}

// ofExpiry reports whether a posting is of rewards that were not used in time.
func (p *Posting) ofExpiry() bool { return p.Kind == Expiry || p.Kind == ExpiryRestored }
