package program

import (
	"math"
	"math/bits"

	"recoup/reward"
)

// Worst is the most reward that one account can earn under a program in a calendar year,
// whatever it buys.
type Worst struct {
	// Most is in minor units of what rewards are in; nil where something is unbounded.
	Most *int64 `json:"most"`
	// Bounded adds up what is bounded, which is all of it if Most is there.
	Bounded int64 `json:"bounded"`
	// Unbounded are the ids of the rules and bonuses that earn more the more is bought.
	Unbounded []string `json:"unbounded"`
	// OnceOnly is what of Bounded is earned once in the life of an account.
	OnceOnly int64 `json:"once_only"`
}

// periodsOfYear are how many periods of a kind a calendar year can touch: a limit counts
// in each anew. Weeks and cycles begin in the year before, or end in the next.
func periodsOfYear(p *reward.Program, per reward.Period) int64 {
	switch per {
	case reward.PerDay:
		return 366
	case reward.PerWeek:
		return 54
	case reward.PerMonth:
		return 12
	case reward.PerQuarter:
		return 4
	case reward.PerCycle:
		if p.StatementDay > 1 {
			return 13
		}
		return 12
	}
	return 1
}

// worstOf adds up, over rules and bonuses, the most of a period for each period.
func worstOf(p *reward.Program) Worst {
	w := Worst{Unbounded: []string{}}
	add := func(id string, per reward.Period, most int64, bounded bool) {
		if !bounded {
			w.Unbounded = append(w.Unbounded, id)
			return
		}
		most = times(most, periodsOfYear(p, per))
		w.Bounded = plus(w.Bounded, most)
		if per == reward.PerLifetime {
			w.OnceOnly = plus(w.OnceOnly, most)
		}
	}
	shared := make(map[string]bool)
	for _, l := range layersOf(p) {
		for i := range l.Rules {
			r := &l.Rules[i]
			if neverApplies(l.Rules, i) {
				continue
			}
			most, bounded := mostOfRule(r)
			if r.Cap != reward.NoCap && r.Shared != "" {
				if shared[r.Shared] {
					continue
				}
				shared[r.Shared] = true
			}
			add(r.ID, r.Per, most, bounded)
		}
	}
	for i := range p.Bonuses {
		b := &p.Bonuses[i]
		switch {
		case never(&b.Match, &b.Except):
		case len(b.Spend) > 0:
			add(b.ID, b.Per, b.Spend[len(b.Spend)-1].Reward, true)
		case len(b.Purchases) > 0:
			add(b.ID, b.Per, b.Purchases[len(b.Purchases)-1].Reward, true)
		default:
			add(b.ID, b.Per, times(b.Every.Reward, b.Every.AtMost), b.Every.AtMost > 0)
		}
	}
	if len(w.Unbounded) == 0 {
		w.Most = &w.Bounded
	}
	return w
}

// mostOfRule is the most reward of a rule in one of its periods.
func mostOfRule(r *reward.Rule) (most int64, bounded bool) {
	switch {
	case r.Cap != reward.NoCap:
		return r.Cap, true
	case r.Places > 0 && r.AtMost > 0:
		return times(r.AtMost, r.Places), true
	case len(r.Steps) == 0:
		return 0, r.Rate == 0 && r.Exact.Num == 0
	}
	last := r.Steps[len(r.Steps)-1]
	if last.Rate != 0 || last.Exact.Num != 0 {
		return 0, false
	}
	for i, s := range r.Steps[:len(r.Steps)-1] {
		upTo := r.Steps[i+1].From
		if r.Whole {
			most = max(most, earned(s, upTo))
		} else {
			most = plus(most, earned(s, upTo-s.From))
		}
	}
	return most, true
}

// earned is what a step's rate gives for an amount, rounded up.
func earned(s reward.Step, amount int64) int64 {
	if s.Exact.Den == 0 {
		return plus(s.Rate.Of(amount), 1)
	}
	hi, lo := bits.Mul64(uint64(amount), uint64(s.Exact.Num))
	if hi >= uint64(s.Exact.Den) {
		return math.MaxInt64
	}
	q, rest := bits.Div64(hi, lo, uint64(s.Exact.Den))
	if q > math.MaxInt64 {
		return math.MaxInt64
	}
	return plus(int64(q), int64(min(rest, 1)))
}

// plus and times are those of amounts that are not below zero, and stop at the largest.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func times(a, b int64) int64 {
	if hi, lo := bits.Mul64(uint64(a), uint64(b)); hi == 0 && lo <= math.MaxInt64 {
		return int64(lo)
	}
	return math.MaxInt64
}

// Words says it in a sentence, in the words and amounts of who reads it.
func (w *Worst) Words(told reward.Telling) string {
	say := &words{told: told}
	without := ""
	if len(w.Unbounded) > 0 {
		without = say.tell("Without a bound: what is earned by %s grows with what is bought.", say.and(w.Unbounded))
	}
	switch {
	case w.Bounded == math.MaxInt64:
		return say.tell("An account can earn more in a year than can be counted.")
	case w.Most == nil && w.Bounded == 0:
		return without
	}
	text, most, once := "", told.Reward(w.Bounded), told.Reward(w.OnceOnly)
	switch {
	case w.Most != nil && w.OnceOnly == 0:
		text = say.tell("An account earns at most %s in a calendar year, whatever it buys.", most)
	case w.Most != nil:
		text = say.tell("An account earns at most %s in a calendar year, whatever it buys, of which %s is earned once in an account's life.", most, once)
	case w.OnceOnly == 0:
		text = say.tell("All else comes to at most %s in a calendar year.", most)
	default:
		text = say.tell("All else comes to at most %s in a calendar year, of which %s is earned once in an account's life.", most, once)
	}
	if without == "" {
		return text
	}
	return without + " " + text
}
