package reward_test

import (
	"fmt"
	"math/big"
	"slices"
	"time"

	"recoup/reward"
)

// This is E a third time, after the engine's and the model's: what docs/terms.md promises
// on net purchases, computed from all of them at once. It was written from the text by somebody
// who had read neither of the others, and shares no function with them.

// judgeEntry is a purchase in one layer, or for one bonus.
type judgeEntry struct {
	of    *judgePurchase
	layer int
	rule  *reward.Rule
	f     int64 // in whole units
}

// judgeBasket is purchases that count together, in posting order, then by layer.
type judgeBasket struct {
	rule    *reward.Rule
	day     time.Time // of a purchase in it
	entries []*judgeEntry
	exact   *big.Rat
	sum     int64 // of f
}

// judgeBonus is a bonus in one period.
type judgeBonus struct{ spend, purchases, worth int64 }

// judgeWorth is what E says.
type judgeWorth struct {
	baskets map[string]*judgeBasket
	bonuses map[[2]string]judgeBonus // by id and period
	goals   map[[2]string]judgeGoal
	exact   *big.Rat
}

// judgeGoal is what a bonus of a period asks for, and a day of that period.
type judgeGoal struct {
	*reward.Bonus
	day time.Time
}

func ratio(num, den int64) *big.Rat { return big.NewRat(num, den) }

func down(x *big.Rat) int64 { return new(big.Int).Div(x.Num(), x.Denom()).Int64() }

func product(rate *big.Rat, q int64) *big.Rat { return new(big.Rat).Mul(rate, ratio(q, 1)) }

func judgeRate(rate reward.Rate, exact reward.Fraction) *big.Rat {
	if exact.Den != 0 {
		return ratio(exact.Num, exact.Den)
	}
	return ratio(int64(rate), 100_000_000)
}

// counting is q: what of a purchase counts, by section 5.
func counting(e *reward.Earning, n int64) int64 {
	if n < e.Minimum {
		return 0
	}
	if e.Unit > 1 {
		n -= n % e.Unit
	}
	return n
}

// alone is ψ.
func alone(r *reward.Rule, n int64) *big.Rat {
	x := product(judgeRate(r.Rate, r.Exact), counting(&r.Earning, n))
	if most := ratio(r.AtMost, 1); r.AtMost > 0 && x.Cmp(most) > 0 {
		return most
	}
	return x
}

// sloped is Φ, what so much spend earns over the steps.
func sloped(steps []reward.Step, spend int64) *big.Rat {
	sum := new(big.Rat)
	for i, s := range steps {
		end := spend
		if i+1 < len(steps) {
			end = min(end, steps[i+1].From)
		}
		if end > s.From {
			sum.Add(sum, product(judgeRate(s.Rate, s.Exact), end-s.From))
		}
	}
	return sum
}

// reachedRate is the rate of the highest step that the spend reaches.
func reachedRate(steps []reward.Step, spend int64) *big.Rat {
	rate := new(big.Rat)
	for _, s := range steps {
		if spend >= s.From {
			rate = judgeRate(s.Rate, s.Exact)
		}
	}
	return rate
}

// judge says what purchases earn together. Those that skip reports are not there.
func judge(zone *time.Location, statementDay int, purchases []*judgePurchase, skip func(*judgePurchase) bool) *judgeWorth {
	w := &judgeWorth{baskets: map[string]*judgeBasket{}, bonuses: map[[2]string]judgeBonus{}, goals: map[[2]string]judgeGoal{}, exact: new(big.Rat)}
	var there []*judgePurchase
	for _, p := range purchases {
		if p.mayEarn && !skip(p) {
			there = append(there, p)
		}
	}
	tiers := judgeTiers{zone, statementDay, there}
	for _, p := range there {
		for layer, rules := range p.layers {
			at := slices.IndexFunc(rules, func(r *reward.Rule) bool { return tiers.suit(p, &r.Match) })
			if at < 0 {
				continue
			}
			r := rules[at]
			name := fmt.Sprintf("%s alone %d", p.id, layer)
			if r.Cap != reward.NoCap || r.Places > 0 || len(r.Steps) > 0 {
				name = "rule " + r.ID
				if r.Shared != "" {
					name = "shared " + r.Shared
				}
				name += " " + judgePeriod(zone, statementDay, r.Per, p.settled)
			}
			if w.baskets[name] == nil {
				w.baskets[name] = &judgeBasket{rule: r, day: judgeDay(zone, p.settled)}
			}
			w.baskets[name].entries = append(w.baskets[name].entries, &judgeEntry{of: p, layer: layer, rule: r})
		}
		for _, b := range p.bonuses {
			if !tiers.suit(p, &b.Match) {
				continue
			}
			in := [2]string{b.ID, judgePeriod(zone, statementDay, b.Per, p.settled)}
			so := w.bonuses[in]
			if q := counting(&b.Earning, p.left()); q > 0 {
				so.spend, so.purchases = so.spend+q, so.purchases+1
			}
			w.bonuses[in], w.goals[in] = so, judgeGoal{b, judgeDay(zone, p.settled)}
		}
	}
	for _, basket := range w.baskets {
		basket.compute()
		w.exact.Add(w.exact, basket.exact)
	}
	for in, so := range w.bonuses {
		so.worth = bonusWorth(w.goals[in].Bonus, so)
		w.bonuses[in] = so
		w.exact.Add(w.exact, ratio(so.worth, 1))
	}
	return w
}

// bonusWorth is what a bonus pays for so much spend and so many purchases.
func bonusWorth(b *reward.Bonus, so judgeBonus) (worth int64) {
	times := func(all, each int64) int64 {
		n := all / each
		if b.Every.AtMost > 0 {
			n = min(n, b.Every.AtMost)
		}
		return n * b.Every.Reward
	}
	switch {
	case b.Every.Spend > 0:
		return times(so.spend, b.Every.Spend)
	case b.Every.Purchases > 0:
		return times(so.purchases, b.Every.Purchases)
	}
	for _, goals := range []struct {
		list []reward.Goal
		at   int64
	}{{b.Spend, so.spend}, {b.Purchases, so.purchases}} {
		for _, g := range goals.list {
			if goals.at >= g.From {
				worth = g.Reward
			}
		}
	}
	return worth
}

// compute is section 6.
func (b *judgeBasket) compute() {
	slices.SortStableFunc(b.entries, func(x, y *judgeEntry) int {
		if x.of.order != y.of.order {
			return x.of.order - y.of.order
		}
		return x.layer - y.layer
	})
	b.exact = new(big.Rat)
	var all int64
	for _, e := range b.entries {
		all += counting(&e.rule.Earning, e.of.left())
	}
	var spend, places int64
	for _, e := range b.entries {
		q, own := counting(&e.rule.Earning, e.of.left()), alone(e.rule, e.of.left())
		exact := own
		switch r := e.rule; {
		case r.Cap != reward.NoCap:
			e.f = max(0, min(down(own), r.Cap-b.sum))
		case r.Places > 0:
			exact = new(big.Rat)
			if q > 0 && places < r.Places {
				e.f, exact = down(own), own
			}
			if q > 0 {
				places++
			}
		case r.Whole:
			exact = product(reachedRate(r.Steps, all), q)
			e.f = down(exact)
		case len(r.Steps) > 0:
			exact = new(big.Rat).Sub(sloped(r.Steps, spend+q), sloped(r.Steps, spend))
			e.f = down(exact)
			spend += q
		default:
			e.f = down(own)
		}
		b.sum += e.f
		b.exact.Add(b.exact, exact)
	}
	if c := b.rule.Cap; c != reward.NoCap && b.exact.Cmp(ratio(c, 1)) > 0 {
		b.exact = ratio(c, 1)
	}
}

// judgeDay is the local date of an instant as periods go by it: where clocks go back
// over midnight, the day that had begun goes on.
func judgeDay(zone *time.Location, at reward.Instant) time.Time {
	civil := func(t time.Time) time.Time {
		y, m, d := t.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	t := at.Time().In(zone)
	day := civil(t)
	if since, _ := t.ZoneBounds(); !since.IsZero() {
		if before := civil(since.Add(-1).In(zone)); before.After(day) {
			return before
		}
	}
	return day
}

// judgePeriod names the period of an instant, as section 11 writes it.
func judgePeriod(zone *time.Location, statementDay int, per reward.Period, at reward.Instant) string {
	return periodOfDay(statementDay, per, judgeDay(zone, at))
}

func periodOfDay(statementDay int, per reward.Period, day time.Time) string {
	switch per {
	case reward.PerDay:
		return day.Format("2006-01-02")
	case reward.PerWeek:
		y, w := day.ISOWeek()
		return fmt.Sprintf("%04d-W%02d", y, w)
	case reward.PerMonth:
		return day.Format("2006-01")
	case reward.PerQuarter:
		return fmt.Sprintf("%04d-Q%d", day.Year(), (int(day.Month())+2)/3)
	case reward.PerYear:
		return day.Format("2006")
	case reward.PerLifetime:
		return "lifetime"
	}
	if day.Day() < max(1, statementDay) {
		day = day.AddDate(0, 0, -day.Day())
	}
	return day.Format("2006-01")
}
