package reward

import (
	"fmt"
	"slices"
	"time"
)

// What a purchase earns under terms that are not plain is said from its rule, so that
// the words name the minimum, unit or limit that decided. Where the rule is not known
// the numbers of the posting alone are told.

// ruleIn returns the rule that a posting is under, as its version of the terms has it.
func (p *Posting) ruleIn(t *Telling) *Rule {
	terms := t.Terms.version(p.Version)
	if terms == nil {
		return nil
	}
	for i := range terms.Layers {
		if terms.Layers[i].ID != p.Layer {
			continue
		}
		rules := terms.Layers[i].Rules
		if j := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == p.Rule }); j >= 0 {
			return &rules[j]
		}
	}
	return nil
}

// earns shows what is left of a purchase earns in its layer; it is kept if something of it
// came back.
func (p *Posting) earns(t *Telling, left int64, kept bool) string {
	f, r := &p.Formula, p.ruleIn(t)
	amount := t.tell("the %s", t.Spend(left))
	if kept {
		amount = t.tell("the %s kept", t.Spend(left))
	}
	if r == nil {
		return t.tell("%s earns %s", amount, t.Reward(f.After))
	}
	q := r.counted(left)
	counts := amount
	if q != left {
		counts = t.tell("%s (of %s, in whole units of %s)", t.Spend(q), amount, t.Spend(r.Unit))
	}
	switch {
	case left < r.Minimum:
		return t.tell("%s is below the minimum of %s, so it earns nothing", amount, t.Spend(r.Minimum))
	case len(r.Steps) > 0 && r.Whole:
		rates, at := elementOf(r).rates(tally{count: f.Purchases, spend: f.Spend})
		return t.tell("%s, and %s of %s is %s, rounded down", t.spent(f, r.Per, p.Period), t.rate(rates[at]), counts, t.Reward(f.After))
	case len(r.Steps) > 0:
		return t.tell("%s, and by the rate of each step of it %s earns %s, rounded down", t.spent(f, r.Per, p.Period), counts, t.Reward(f.After))
	}
	full := r.fraction().of(q)
	text := t.tell("%s of %s is %s, rounded down", t.rate(r.fraction()), counts, t.Reward(full))
	if r.AtMost > 0 && r.AtMost < full {
		full = r.AtMost
		text = t.tell("%s, and one purchase earns %s at most", text, t.Reward(full))
	}
	switch {
	case f.After >= full:
	case r.Places > 0:
		text = t.tell("%s, but only the first %s%s earn, and it is none of them", text, t.purchases(r.Places), p.period(t))
	case r.Cap != NoCap:
		text = p.capNote(text, full, t)
	}
	return text
}

// explainOthers says that all purchases of a period earn another rate than before.
func (p *Posting) explainOthers(t *Telling) string {
	f, r, per := &p.Formula, p.ruleIn(t), PerMonth
	if r != nil {
		per = r.Per
	}
	text := t.tell("Rule %s: %s", p.Rule, t.spent(f, per, p.Period))
	if r != nil && r.Whole {
		rates, at := elementOf(r).rates(tally{count: f.Purchases, spend: f.Spend})
		text = t.tell("%s, so all of it earns %s", text, t.rate(rates[at]))
	}
	if p.Amount < 0 {
		return t.tell("%s. For all other purchases that is %s less.", text, t.Reward(-p.Amount))
	}
	return t.tell("%s. For all other purchases that is %s more.", text, t.Reward(p.Amount))
}

// rate says what a rate is: 5%, or so many points for so much.
func (t *Telling) rate(f Fraction) string {
	if money := t.Terms == nil || t.Terms.Reward.Name == ""; money && rateScale%f.Den == 0 && f.Num <= f.Den {
		return Rate(f.Num * (rateScale / f.Den)).String()
	}
	return t.tell("%s for each %s", t.Reward(f.Num), t.Spend(f.Den))
}

// spent is what counts in a period.
func (t *Telling) spent(f *Formula, per Period, period string) string {
	when := t.when(per, period)
	if f.Purchases == 1 {
		return t.tell("the spend that counts is now %s in 1 purchase%s", t.Spend(f.Spend), when)
	}
	return t.tell("the spend that counts is now %s in %d purchases%s", t.Spend(f.Spend), f.Purchases, when)
}

// period says when a limit counts, with a space before it.
func (p *Posting) period(t *Telling) string {
	per := PerMonth
	if r := p.ruleIn(t); r != nil {
		per = r.Per
	}
	return t.when(per, p.Period)
}

// when says a period that is written as journals write it, with a space before it.
func (t *Telling) when(per Period, name string) string {
	if name == "" {
		return ""
	}
	if at, err := time.Parse("2006-01", name); err == nil {
		if per == PerCycle {
			return " " + t.tell("in the billing cycle of %s %d", t.month(at.Month()), at.Year())
		}
		return " " + t.tell("in %s %d", t.month(at.Month()), at.Year())
	}
	if at, err := time.Parse(time.DateOnly, name); err == nil {
		return " " + t.tell("on %d %s %d", at.Day(), t.month(at.Month()), at.Year())
	}
	var year, n int
	switch {
	case name == PerLifetime.String():
		return " " + t.tell("so far")
	case scanned(name, "%d-W%d", &year, &n):
		return " " + t.tell("in week %d of %d", n, year)
	case scanned(name, "%d-Q%d", &year, &n):
		return " " + t.tell("in quarter %d of %d", n, year)
	}
	return " " + t.tell("in %s", name)
}

func (t *Telling) month(m time.Month) string {
	return [...]string{
		t.tell("January"), t.tell("February"), t.tell("March"), t.tell("April"), t.tell("May"), t.tell("June"),
		t.tell("July"), t.tell("August"), t.tell("September"), t.tell("October"), t.tell("November"), t.tell("December"),
	}[m-1]
}

func scanned(text, format string, values ...any) bool {
	n, err := fmt.Sscanf(text, format, values...)
	return err == nil && n == len(values)
}

// purchases are so many purchases.
func (t *Telling) purchases(n int64) string {
	if n == 1 {
		return t.tell("1 purchase")
	}
	return t.tell("%d purchases", n)
}
