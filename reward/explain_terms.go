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

// earns shows what is left of a purchase earns in its layer; kept stands after the
// amount.
func (p *Posting) earns(t *Telling, left int64, kept string) string {
	f, r := &p.Formula, p.ruleIn(t)
	amount := "the " + t.Spend(left) + kept
	if r == nil {
		return fmt.Sprintf("%s earns %s", amount, t.Reward(f.After))
	}
	q := r.counted(left)
	counts := amount
	if q != left {
		counts = fmt.Sprintf("%s (of %s, in whole units of %s)", t.Spend(q), amount, t.Spend(r.Unit))
	}
	switch {
	case left < r.Minimum:
		return fmt.Sprintf("%s is below the minimum of %s, so it earns nothing", amount, t.Spend(r.Minimum))
	case len(r.Steps) > 0 && r.Whole:
		rates, at := elementOf(r).rates(tally{count: f.Purchases, spend: f.Spend})
		return fmt.Sprintf("%s%s, and %s of %s is %s, rounded down", t.spent(f), p.period(t), t.rate(rates[at]), counts, t.Reward(f.After))
	case len(r.Steps) > 0:
		return fmt.Sprintf("%s%s, and by the rate of each step of it %s earns %s, rounded down", t.spent(f), p.period(t), counts, t.Reward(f.After))
	}
	full := r.fraction().of(q)
	text := fmt.Sprintf("%s of %s is %s, rounded down", t.rate(r.fraction()), counts, t.Reward(full))
	if r.AtMost > 0 && r.AtMost < full {
		full = r.AtMost
		text += fmt.Sprintf(", and one purchase earns %s at most", t.Reward(full))
	}
	switch {
	case f.After >= full:
	case r.Places > 0:
		text += fmt.Sprintf(", but only the first %s%s earn, and it is none of them", purchases(r.Places), p.period(t))
	case r.Cap != NoCap:
		text = p.capNote(text, full, t)
	}
	return text
}

// explainOthers says that all purchases of a period earn another rate than before.
func (p *Posting) explainOthers(t *Telling) string {
	f := &p.Formula
	text := fmt.Sprintf("Rule %s: %s%s", p.Rule, t.spent(f), p.period(t))
	if r := p.ruleIn(t); r != nil && r.Whole {
		rates, at := elementOf(r).rates(tally{count: f.Purchases, spend: f.Spend})
		text += ", so all of it earns " + t.rate(rates[at])
	}
	return text + ". " + p.change(t, "For all other purchases that is %s less.", "For all other purchases that is %s more.")
}

// rate says what a rate is: 5%, or so many points for so much.
func (t *Telling) rate(f Fraction) string {
	if money := t.Terms == nil || t.Terms.Reward.Name == ""; money && rateScale%f.Den == 0 && f.Num <= f.Den {
		return Rate(f.Num * (rateScale / f.Den)).String()
	}
	return t.Reward(f.Num) + " for each " + t.Spend(f.Den)
}

// spent is what counts in the period of a posting.
func (t *Telling) spent(f *Formula) string {
	return fmt.Sprintf("the spend that counts is now %s in %s", t.Spend(f.Spend), purchases(f.Purchases))
}

// change is how the balance changes, in one of two sentences.
func (p *Posting) change(t *Telling, less, more string) string {
	if p.Amount < 0 {
		return fmt.Sprintf(less, t.Reward(-p.Amount))
	}
	return fmt.Sprintf(more, t.Reward(p.Amount))
}

// period says when a limit or bonus counts, with a space before it.
func (p *Posting) period(t *Telling) string {
	per := PerMonth
	if r := p.ruleIn(t); r != nil {
		per = r.Per
	}
	return per.words(p.Period)
}

// words says a period that is written as journals write it.
func (per Period) words(name string) string {
	if name == "" {
		return ""
	}
	if month, err := time.Parse("2006-01", name); err == nil {
		if name = month.Format("January 2006"); per == PerCycle {
			return " in the billing cycle of " + name
		}
		return " in " + name
	}
	if day, err := time.Parse(time.DateOnly, name); err == nil {
		return " on " + day.Format("2 January 2006")
	}
	var year, n int
	switch {
	case name == PerLifetime.String():
		return " so far"
	case scanned(name, "%d-W%d", &year, &n):
		return fmt.Sprintf(" in week %d of %d", n, year)
	case scanned(name, "%d-Q%d", &year, &n):
		return fmt.Sprintf(" in quarter %d of %d", n, year)
	}
	return " in " + name
}

func scanned(text, format string, values ...any) bool {
	n, err := fmt.Sscanf(text, format, values...)
	return err == nil && n == len(values)
}

func purchases(n int64) string { return numbered(n, "purchase") }

// numbered is so many of something.
func numbered(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
