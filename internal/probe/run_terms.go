package probe

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"recoup/internal/lab/examine"
	"recoup/program"
	"recoup/reward"
)

// findTerms takes the terms that are given, or finds them out, and a purchase that earns.
// Terms that cannot be told, or that none of the catalogue's programs is like, are no
// reason to give up: the sweep needs none.
func (r *run) findTerms() error {
	t := &r.result.Terms
	if p := r.plan.Program; p != nil {
		if p.Currency != r.target.Can.Currency {
			return fmt.Errorf("probe: the program is in %s, and the target in %s", p.Currency, r.target.Can.Currency)
		}
		own := *p
		*t = *GivenTerms(&own)
		if !plainTerms(&own) {
			t.untold("scenarios under these terms: the catalogue's are for rules with a rate and a cap a month")
			return r.look()
		}
		if !r.scoutTerms(&own) {
			return errors.New("probe: no rule of the terms earns anything that could be measured: expected a rate above zero and room under the cap for three purchases")
		}
		return r.checkGiven()
	}
	if !r.plan.Quick {
		if err := r.infer(); err != nil {
			return err
		}
	}
	if t.Program != nil && r.scoutTerms(t.Program) {
		return nil
	}
	return r.look()
}

// infer finds the terms out. What it cannot explain it says, and goes on without.
func (r *run) infer() error {
	r.logf("Finding out the terms by purchases: about %d calls.", aboutInference)
	t := &r.result.Terms
	found, err := infer(r.stage)
	strange := (*strangeTerms)(nil)
	switch {
	case errors.As(err, &strange):
		t.untold("the terms: " + strange.Error())
		return nil
	case err != nil:
		return err
	}
	*t = *found
	return r.holdOut()
}

// plainTerms reports whether a program is of rules with a rate and a cap a month alone,
// as the catalogue's are.
func plainTerms(p *reward.Program) bool {
	return len(p.Rules) > 0 && p.Zone == nil && p.StatementDay <= 1 && p.Reward == reward.Unit{} && p.ExpiryMonths == 0
}

// told reports whether the terms are known well enough to be held against the target.
func (r *run) told() bool {
	return r.result.Terms.Program != nil && plainTerms(r.result.Terms.Program) && !r.scout.later
}

// checkGiven buys the sample in three months and compares with what the program
// promises.
func (r *run) checkGiven() error {
	t, promised := &r.result.Terms, r.result.Terms.Program.Rules[r.sampleRule()].Rate.Of(r.sample.Amount)
	money := func(minor int64) string { return program.FormatAmount(minor, r.target.Can.Currency) }
	at := Spot{Merchant: r.sample.Merchant, MCC: r.sample.MCC, Category: r.sample.Category}
	var earned []int64
	_, err := again(func() error {
		m := &meter{stage: r.stage}
		earned = nil
		if err := m.open("terms-check"); err != nil {
			return err
		}
		months := 3
		if !r.stage.canWait() {
			months = 1
		}
		for range months {
			e, err := m.one(at, r.sample.Amount)
			if err != nil {
				return err
			}
			earned = append(earned, e)
		}
		t.Calls = r.stage.calls
		return nil
	})
	if flaky(err) {
		r.leaveOut("comparing purchases with the terms given: target flaky")
		return nil
	}
	if err != nil {
		return fmt.Errorf("comparing purchases with the terms given: %w", err)
	}
	if earned[0] == 0 {
		t.untold("when rewards come: that of the first purchase had not by the close of its month")
		r.scout.later = true
		return nil
	}
	kept := slices.IndexFunc(earned, func(e int64) bool { return e-promised <= 1 && promised-e <= 1 })
	if kept < 0 {
		return fmt.Errorf("probe: a purchase of %s at %s earned %s, and the program promises %s: expected the terms that the target publishes",
			money(r.sample.Amount), at, money(earned[0]), money(promised))
	}
	if slices.Min(earned) != slices.Max(earned) {
		t.Varies, r.setting.months = true, kept
		t.untold(fmt.Sprintf("one rate for %s: the program promises %s of %s, and %s, %s and %s were earned in January, February and March",
			at, money(promised), money(r.sample.Amount), money(earned[0]), money(earned[1]), money(earned[2])))
	}
	return nil
}

// sampleOf is the sample purchase under a program: of those that any rule allows
// the one that earns most, under the first such rule. It is false if there is none.
func sampleOf(p *reward.Program, can *Capabilities) (sample examine.Sample, ok bool) {
	most := int64(0)
	places := spotOf(p, can)
	for _, rule := range slices.Sorted(maps.Keys(places)) {
		if rule == reward.NoRule || p.Rules[rule].Rate == 0 {
			continue
		}
		amount := sampleAmount(&p.Rules[rule], p.Redemption.MinimumBalance)
		if earns := p.Rules[rule].Rate.Of(amount); earns > most {
			at := places[rule]
			most = earns
			sample = examine.Sample{Amount: amount, Merchant: at.Merchant, MCC: at.MCC, Category: at.Category}
		}
	}
	return sample, most > 0
}

func (r *run) sampleRule() int {
	return Spot{Merchant: r.sample.Merchant, MCC: r.sample.MCC, Category: r.sample.Category}.rule(r.result.Terms.Program)
}

// sampleAmount is a round amount whose reward is large enough to see a tenth of
// it, and leaves room under the cap for three. It is zero if there is none.
func sampleAmount(rule *reward.Rule, minimum int64) int64 {
	amount := int64(modest)
	for rule.Rate.Of(amount) < max(100, 2*minimum) && amount < vast {
		amount *= 10
	}
	if rule.Cap != reward.NoCap {
		most := divide(rule.Cap/3, int64(reward.MaxRate), int64(rule.Rate))
		if most < amount {
			amount = twoDigits(most)
		}
	}
	if rule.Rate.Of(amount) < 10 {
		return 0
	}
	return amount
}

// twoDigits rounds down to two digits that count.
func twoDigits(n int64) int64 {
	unit := int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return n / unit * unit
}
