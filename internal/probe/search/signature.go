package search

import (
	"slices"
	"strings"
	"time"

	"recoup/internal/lab/gaps"
	"recoup/internal/scenario"
	"recoup/reward"
)

// features puts the moves of a scenario's first steps into words that say what
// they are in relation to each other: which purchase a refund is of does not
// matter, nor what anything costs. Closes count where a move follows, as do waits
// of a day and more without a close.
func features(s *scenario.Scenario, until int) []string {
	f := &featurer{program: s.Program, prices: map[string]int64{}, reversed: map[string]int64{}, earned: map[bucket]int64{}, settled: map[string]bool{}}
	for i := range s.Program.Rules {
		f.best = max(f.best, s.Program.Rules[i].Rate)
	}
	for i := range s.Steps[:until] {
		if m := &s.Steps[i].Move; m.Kind == scenario.Settle {
			f.prices[m.ID] = m.Amount
		}
	}
	closed := false
	var before time.Time // of the move before
	for i := range s.Steps[:until] {
		step := &s.Steps[i]
		if step.Move.Kind == scenario.CloseStatement || step.Move.Kind == scenario.Wait {
			closed = closed || step.Move.Kind == scenario.CloseStatement && len(f.words) > 0
			continue
		}
		switch waited := step.At.Sub(before); {
		case closed:
			f.words = append(f.words, "close")
		case len(f.words) > 0 && waited >= 24*time.Hour:
			f.words = append(f.words, "wait")
		}
		closed, before = false, step.At
		f.words = append(f.words, f.word(step))
	}
	return f.words
}

type featurer struct {
	program  *reward.Program
	best     reward.Rate
	prices   map[string]int64
	reversed map[string]int64
	earned   map[bucket]int64
	settled  map[string]bool
	words    []string
}

// word is what a move is, such as "refund, part, unlinked".
func (f *featurer) word(step *scenario.Step) string {
	m := &step.Move
	word := m.Kind.String()
	add := func(more string, is bool) {
		if is {
			word += " " + more
		}
	}
	if m.Again {
		return word + " again"
	}
	switch m.Kind {
	case scenario.Settle:
		f.settled[m.ID] = true
		above, elsewhere := f.earn(m, step.At)
		add("elsewhere", elsewhere)
		add("above the cap", above)
	case scenario.Refund, scenario.Chargeback:
		of := m.Of
		if of == "" && len(m.Really) > 0 {
			of = m.Really[0].Purchase
		}
		price, before := f.prices[of], f.reversed[of]
		amount := m.Amount
		if amount == 0 {
			amount = price
		}
		f.reversed[of] += amount
		switch after := before + amount; {
		case after > price:
			add("too much", true)
		case after < price:
			add("part", true)
		case before > 0:
			add("rest", true)
		}
		add("unlinked", m.Of == "")
		add("without merchant", m.Of == "" && m.Merchant == "" && m.Category == "" && m.MCC == "")
		add("early", !f.settled[of])
	case scenario.Redeem:
		add("negative", m.Amount < 0)
	}
	return word
}

// earn counts a purchase and reports whether the cap cuts its reward, and whether
// it earns at another rate than the best.
func (f *featurer) earn(m *scenario.Move, at time.Time) (above, elsewhere bool) {
	code, _ := reward.ParseMCC(m.MCC)
	rule := f.program.RuleFor(reward.Terms{Merchant: m.Merchant, MCC: code, Category: m.Category})
	if rule == reward.NoRule {
		return false, true
	}
	r := &f.program.Rules[rule]
	month := bucket{rule, scenario.FirstOfMonth(at, 0)}
	f.earned[month] += r.Rate.Of(m.Amount)
	return r.Cap != reward.NoCap && f.earned[month] > r.Cap, r.Rate != f.best
}

// signature is what tells one find from another.
func signature(words []string, kind gaps.DefectKind) string {
	return strings.Join(words, ", ") + ": " + string(kind)
}

// contains reports whether the words of a pattern stand among others in this order.
func contains(words, pattern []string) bool {
	for _, p := range pattern {
		i := slices.Index(words, p)
		if i < 0 {
			return false
		}
		words = words[i+1:]
	}
	return true
}
