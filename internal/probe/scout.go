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
	reward int64 // of the sample
	large  int64 // of a purchase large times as large
	times  int   // the sample has to be bought so often to earn
	later  bool  // what it earns comes after the statement of its month
	// places are purchases that earn elsewhere by another rate, and alike those of which
	// the rate is that of the sample or of one of these.
	places, alike []examine.Sample
}

// scoutTerms takes it from terms.
func (r *run) scoutTerms(p *reward.Program) bool {
	sample, ok := sampleOf(p, &r.target.Can)
	if !ok {
		return false
	}
	r.sample, r.scout.times = sample, 1
	r.scout.reward = p.Rules[r.sampleRule()].Rate.Of(sample.Amount)
	places := spotOf(p, &r.target.Can)
	for _, rule := range slices.Sorted(maps.Keys(places)) {
		if rule != r.sampleRule() {
			r.scout.places = append(r.scout.places, boughtAt(p, rule, places[rule])...)
		}
	}
	for _, at := range spots(&r.target.Can, p) {
		if rule := at.rule(p); at != places[rule] {
			r.scout.alike = append(r.scout.alike, boughtAt(p, rule, at)...)
		}
	}
	return true
}

// boughtAt is a purchase at a place under a rule, none if nothing is earned by it.
func boughtAt(p *reward.Program, rule int, at Spot) []examine.Sample {
	if rule == reward.NoRule {
		return nil
	}
	amount := sampleAmount(&p.Rules[rule], p.Redemption.MinimumBalance)
	if amount == 0 {
		return nil
	}
	return []examine.Sample{{Amount: amount, Merchant: at.Merchant, MCC: at.MCC, Category: at.Category}}
}

// stamps is how many purchases are made where one alone earns nothing: twice as many as
// most stamp cards have.
const stamps = 24

// look finds purchases that earn by making one at each place, a larger one where none does,
// and at last many.
func (r *run) look() error {
	for _, try := range []struct {
		amount int64
		times  int
	}{{modest, 1}, {100 * modest, 1}, {modest, stamps}, {vast, 1}} {
		if err := r.lookBy(try.amount, try.times); err != nil || r.scout.reward > 0 {
			return err
		}
	}
	return errors.New("probe: no purchases in any category earned anything within a year: expected a sandbox that grants rewards")
}

func (r *run) lookBy(amount int64, times int) error {
	r.scout = scout{times: times}
	g := &grid{can: &r.target.Can, times: times}
	var list []*history
	var at []examine.Sample
	for i, spot := range spots(&r.target.Can, r.plan.Program) {
		s := examine.Sample{Amount: amount, Merchant: spot.Merchant, MCC: spot.MCC, Category: spot.Category}
		d := g.draft()
		d.name = fmt.Sprintf("scout-%d-%d-%d", amount, times, i+1)
		d.buyAll(s)
		if r.stage.canWait() {
			d.watch(append([]int{1, 2}, readings[:]...)...) // before what it earned may have expired
		} else {
			d.add(d.at(0), scenario.Move{Kind: scenario.Wait})
		}
		list, at = append(list, d.history), append(at, s)
	}
	if _, err := r.stage.playEach(list); err != nil {
		return fmt.Errorf("looking for purchases that earn: %w", err)
	}
	seen := map[int64]bool{} // one place of those that earn alike
	for i, h := range list {
		if h.failed != nil {
			continue
		}
		earned := h.last(0).NetReward()
		for n := range waits(h) {
			earned = max(earned, h.last(n).NetReward())
		}
		if earned < 10 {
			continue
		}
		if earned > r.scout.reward {
			r.sample, r.scout.reward = at[i], earned
		}
		if seen[earned] {
			r.scout.alike = append(r.scout.alike, at[i])
			continue
		}
		seen[earned] = true
		r.scout.places = append(r.scout.places, at[i])
	}
	return nil
}
