package probe

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"recoup/internal/lab/design"
	"recoup/internal/scenario"
	"recoup/program"
	"recoup/reward"
)

// holdOut buys in accounts that the inference has not seen, in several months and at
// several places, small and beyond every cap, and compares with what the terms predict, or a
// variant of them. Terms that do not predict are not taken, however well
// they explain what they were made of.
func (r *run) holdOut() error {
	t := &r.result.Terms
	p := t.Program
	if p == nil {
		return nil
	}
	t.Program = countedBy(p, reward.PerCycle, 0)
	t.write()
	if t.Varies || !r.stage.canWait() {
		return nil
	}
	seen, err := r.heldOut(p)
	if err != nil {
		return err
	}
	var first *miss
	for _, v := range variants(p) {
		missed, err := predict(v.program, seen)
		if err != nil {
			return err
		}
		if missed == nil {
			t.Program = v.program
			t.write()
			t.saw("held-out purchases", "as predicted", fmt.Sprintf("%d accounts of which the terms were not made, %s", len(seen), v.words))
			t.Untold = slices.DeleteFunc(t.Untold, func(why string) bool { return strings.HasPrefix(why, restartsUntold) })
			return nil
		}
		if first == nil {
			first = missed
		}
	}
	t.untold(fmt.Sprintf("the terms: purchases that they were not made of did not earn what they predict: %s of purchases of %s, not %s",
		r.money(first.h.last(0).NetReward()), r.money(spentIn(first.h)), r.money(first.predicted)))
	*t = Terms{Observed: t.Observed, Untold: t.Untold, Calls: t.Calls}
	return nil
}

func (r *run) money(minor int64) string { return program.FormatAmount(minor, r.target.Can.Currency) }

func spentIn(h *history) (sum int64) {
	for i := range h.steps {
		if h.steps[i].Move.Kind == scenario.Settle {
			sum += h.steps[i].Move.Amount
		}
	}
	return sum
}

// heldOut plays an account at each of the terms' places, one at all of them, and one that buys
// on each day of a month at the first: a rate may be of some weekdays, or dates, alone.
func (r *run) heldOut(p *reward.Program) ([]*history, error) {
	from := time.Date(inferFrom.Year()+1, time.January, 1, 9, 0, 0, 0, time.UTC)
	places := spotOf(p, &r.target.Can)
	all := &history{name: "held-out-all"}
	daily := &history{name: "held-out-daily"}
	list := []*history{all, daily}
	buy := func(h *history, at time.Time, s Spot, amount int64) {
		h.add(at, scenario.Move{Kind: scenario.Settle, ID: fmt.Sprintf("t%d", len(h.steps)+1), Amount: amount, Merchant: s.Merchant, MCC: s.MCC, Category: s.Category})
	}
	for rule := range len(p.Rules) {
		at, ok := places[rule]
		if !ok {
			continue
		}
		full := int64(500_000)
		if r := &p.Rules[rule]; r.Cap != reward.NoCap && r.Rate > 0 {
			full = min(divide(r.Cap, int64(reward.MaxRate), int64(r.Rate)), vast)
		} else if len(r.Steps) > 0 {
			full = min(2*r.Steps[len(r.Steps)-1].From, vast)
		} else if len(p.Tiers) > 0 {
			full = min(2*p.Tiers[0].Spend[len(p.Tiers[0].Spend)-1].From, vast)
		}
		h := &history{name: fmt.Sprintf("held-out-%d", rule+1)}
		for i, day := range []int{3, 17, 31, 44, 69, 107, 131} {
			amount := []int64{37_00, full * 3 / 4, full * 3 / 4, 1_234_00, full * 5 / 4, 0, full}[i]
			amount = amount/100*100 + 99 // a rest that whole units of the currency leave out
			buy(h, from.AddDate(0, 0, day), at, amount)
			if i%2 == 0 {
				buy(all, from.AddDate(0, 0, day).Add(minutes(rule+1)), at, 911_17+amount/3)
			}
		}
		h.watch(readings[0])
		list = append(list, h)
		if len(daily.steps) > 0 {
			continue
		}
		for day := range 31 {
			buy(daily, from.AddDate(0, 6, day), at, 91_17)
		}
	}
	if len(all.steps) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(all.steps, func(a, b scenario.Step) int { return a.At.Compare(b.At) })
	all.watch(readings[0])
	daily.watch(readings[0])
	replays, err := r.stage.playEach(list)
	r.result.Replays += replays
	if err != nil {
		return nil, fmt.Errorf("purchases to hold the terms against: %w", err)
	}
	return slices.DeleteFunc(list, func(h *history) bool { return h.failed != nil }), nil
}

// miss is an account in which another reward was earned than predicted.
type miss struct {
	h         *history
	predicted int64
}

// predict returns the first account that the terms do not predict to a unit a purchase.
func predict(p *reward.Program, seen []*history) (*miss, error) {
	able := Capabilities{Currency: p.Currency, CanSetClock: true, StatementClose: ClosesByClock}
	for _, h := range seen {
		own := h.copy("")
		s := &stage{target: &Target{Issuer: design.NewRecoup(p), Can: able, Reset: func() error { return nil }}}
		if err := s.playAll([]*history{own}); err != nil {
			return nil, fmt.Errorf("predicting what was bought: %w", err)
		}
		got, want := h.last(0).NetReward(), own.last(0).NetReward()
		if off := got - want; off > int64(len(h.steps)) || -off > int64(len(h.steps)) {
			return &miss{h, want}, nil
		}
	}
	return nil, nil
}

// variant is a program like the one that was found, but for what its purchases could not
// tell.
type variant struct {
	program *reward.Program
	words   string
}

// variants are what may predict, the simplest first: caps, steps and tiers by the month or a longer
// period, and purchases that count to the minor unit or in whole units of the currency.
func variants(p *reward.Program) (list []variant) {
	units, _ := program.MinorUnits(p.Currency)
	whole := int64(1)
	for range units {
		whole *= 10
	}
	for _, unit := range []struct {
		size  int64
		words string
	}{{0, ""}, {whole, ", purchases in whole units of the currency"}} {
		for _, per := range []struct {
			period reward.Period
			words  string
		}{{reward.PerCycle, "a month"}, {reward.PerQuarter, "a quarter"}, {reward.PerYear, "a year"}, {reward.PerLifetime, "an account's life"}} {
			if v := countedBy(p, per.period, unit.size); v != nil {
				list = append(list, variant{v, "caps, steps and tiers counted by " + per.words + unit.words})
			}
		}
	}
	return list
}

// countedBy is the program with its caps, steps and tiers counted in a period, and purchases in
// units of that size; nil if it has none to count by more than a month.
func countedBy(p *reward.Program, per reward.Period, unit int64) *reward.Program {
	counts := func(r reward.Rule) bool { return r.Cap != reward.NoCap || len(r.Steps) > 0 }
	bends := len(p.Tiers) > 0 || slices.ContainsFunc(p.Rules, func(r reward.Rule) bool { return len(r.Steps) > 0 })
	if per == reward.PerCycle && unit == 0 && !bends {
		return p
	}
	if per != reward.PerCycle && len(p.Tiers) == 0 && !slices.ContainsFunc(p.Rules, counts) {
		return nil
	}
	c := *p
	rules := slices.Clone(p.Rules)
	for i := range rules {
		if rules[i].Unit = unit; counts(rules[i]) {
			rules[i].Per = per
		}
	}
	c.Tiers = slices.Clone(p.Tiers)
	for i := range c.Tiers {
		c.Tiers[i].Per = per
	}
	c.Rules, c.Layers, c.Method = nil, []reward.Layer{{ID: "base", Rules: rules}}, reward.Rerate
	return &c
}
