package preview

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"recoup/internal/store/durable"
	"recoup/program"
	"recoup/reward"
)

// Draft compares a draft of a program with the version that it will follow, the latest,
// over the latest whole billing cycles of a database; known is false if there is no such
// program. What is wrong with the draft is a *durable.ProgramError.
func Draft(ctx context.Context, db Database, programs *durable.Programs, id string, draft []byte, transactions int, now reward.Instant) (c *Comparison, known bool, err error) {
	latest, ok := programs.Get(id)
	if !ok {
		return nil, false, nil
	}
	terms, err := program.Parse("draft", draft)
	if err != nil {
		return nil, true, &durable.ProgramError{Code: durable.ProgramInvalid, Err: err}
	}
	if terms.ID != id {
		return nil, true, &durable.ProgramError{Code: durable.ProgramMisnamed, Err: fmt.Errorf("the draft is of program %q, expected one of %q", terms.ID, id)}
	}
	sample, err := Sample(ctx, db, latest, transactions, spanOf(latest, terms), now)
	if err != nil {
		return nil, true, err
	}
	comparison, err := Compare(ctx, latest, terms, sample.Events)
	if errors.Is(err, ErrCurrency) {
		err = &durable.ProgramError{Code: durable.CurrencyChanged, Err: err}
	}
	if err != nil {
		return nil, true, err
	}
	comparison.Cycles, comparison.All, comparison.Large = sample.Cycles, sample.All, sample.Large
	return comparison, true, nil
}

// The cycles that a sample is of, at most: a quarter, or a year where terms have limits,
// bonuses or tiers of longer periods.
const (
	quarter = 3
	year    = 12
)

func spanOf(programs ...*reward.Program) int {
	for _, p := range programs {
		for _, per := range Periods(p) {
			if per == reward.PerYear || per == reward.PerLifetime {
				return year
			}
		}
	}
	return quarter
}

// Periods are those of a program's limits, bonuses and tiers, each as often as it is there.
func Periods(p *reward.Program) (list []reward.Period) {
	rules := p.Rules
	for i := range p.Layers {
		rules = append(rules[:len(rules):len(rules)], p.Layers[i].Rules...)
	}
	for i := range rules {
		if r := &rules[i]; r.Cap != reward.NoCap || r.Places > 0 || len(r.Steps) > 0 {
			list = append(list, r.Per)
		}
	}
	for i := range p.Bonuses {
		list = append(list, p.Bonuses[i].Per)
	}
	for i := range p.Tiers {
		list = append(list, p.Tiers[i].Per)
	}
	return list
}

// Year is what the sampled accounts earn in twelve cycles like those of the sample, now and
// under the draft; ok is false where no cycle of the sample is over.
func (c *Comparison) Year() (now, draft int64, ok bool) {
	if c.Cycles == 0 {
		return 0, 0, false
	}
	return Scale(c.Totals.Granted, year, int64(c.Cycles)), Scale(c.Totals.GrantedDraft, year, int64(c.Cycles)), true
}

// Permille is by how many thousandths a draft costs more than the version that it follows,
// or less if it is below zero, rounded towards zero; ok is false where that grants nothing.
func (c *Comparison) Permille() (n int64, ok bool) {
	if c.Totals.Granted == 0 {
		return 0, false
	}
	if c.Totals.Difference < 0 {
		return -Scale(-c.Totals.Difference, 1000, c.Totals.Granted), true
	}
	return Scale(c.Totals.Difference, 1000, c.Totals.Granted), true
}

// Scale is n · by / of for amounts that are not below zero, rounded down, and at most the
// largest number.
func Scale(n, by, of int64) int64 {
	hi, lo := bits.Mul64(uint64(n), uint64(by))
	if hi >= uint64(of) {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, uint64(of))
	return int64(min(q, math.MaxInt64))
}
