package probe

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"recoup/internal/lab/examine"
	"recoup/internal/scenario"
	"recoup/reward"
)

// scout is what has to be known of a target before returns can be tried: a purchase that
// earns. It takes no terms.
type scout struct {
	sample examine.Sample
	reward int64 // of the sample
	// places are purchases that earn elsewhere.
	places []examine.Sample
}

// scoutTerms takes it from terms.
func (r *run) scoutTerms(p *reward.Program) bool {
	sample, ok := sampleOf(p, &r.target.Can)
	if !ok {
		return false
	}
	r.sample = sample
	r.scout.reward = p.Rules[r.sampleRule()].Rate.Of(sample.Amount)
	places := spotOf(p, &r.target.Can)
	for _, rule := range slices.Sorted(maps.Keys(places)) {
		at := places[rule]
		if rule == reward.NoRule || rule == r.sampleRule() {
			continue
		}
		if amount := sampleAmount(&p.Rules[rule], p.Redemption.MinimumBalance); amount > 0 {
			r.scout.places = append(r.scout.places, examine.Sample{Amount: amount, Merchant: at.Merchant, MCC: at.MCC, Category: at.Category})
		}
	}
	return true
}

// look finds purchases that earn by making one at each place, a larger one where none does.
func (r *run) look() error {
	for amount := int64(modest); amount <= vast; amount *= 100 {
		var list []*history
		var at []examine.Sample
		for i, spot := range spots(&r.target.Can, nil) {
			s := examine.Sample{Amount: amount, Merchant: spot.Merchant, MCC: spot.MCC, Category: spot.Category}
			h := &history{name: fmt.Sprintf("scout-%d-%d", amount, i+1)}
			h.add(sweepFrom, scenario.Move{Kind: scenario.Settle, ID: "t", Amount: s.Amount, Merchant: s.Merchant, MCC: s.MCC, Category: s.Category})
			if r.stage.canWait() {
				h.watch(readings[:]...)
			} else {
				h.add(sweepFrom, scenario.Move{Kind: scenario.Wait})
			}
			list, at = append(list, h), append(at, s)
		}
		if _, err := r.stage.playEach(list); err != nil {
			return fmt.Errorf("looking for purchases that earn: %w", err)
		}
		r.scout = scout{}
		for i, h := range list {
			if h.failed != nil {
				continue
			}
			earned := h.last(0).NetReward()
			if waits(h) > 1 {
				earned = max(earned, h.last(1).NetReward())
			}
			if earned < 10 {
				continue
			}
			if earned > r.scout.reward {
				r.scout.sample, r.scout.reward = at[i], earned
			}
			r.scout.places = append(r.scout.places, at[i])
		}
		if r.scout.reward > 0 {
			r.sample = r.scout.sample
			return nil
		}
	}
	return errors.New("probe: no purchase in any category earned anything within a year: expected a sandbox that grants rewards")
}
