package reward_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/reward"
)

// saying are earnings that say one thing each, by its name: one for every member that an
// earning has but those that are left out, also those that come to have been added.
func saying(besides reward.Earning, leftOut ...string) map[string]reward.Earning {
	all := make(map[string]reward.Earning)
	whole := reflect.TypeFor[reward.Earning]()
	for i := range whole.NumField() {
		field := whole.Field(i)
		if slices.Contains(leftOut, field.Name) {
			continue
		}
		value := filled(field.Type)
		if field.Type.Kind() == reflect.Int64 {
			value.SetInt(2) // a unit of one is none
		}
		e := besides
		reflect.ValueOf(&e).Elem().Field(i).Set(value)
		all[field.Name] = e
	}
	return all
}

// What a rule with a limit of the year earns stays as it is until the year is over. What is
// matched may change with any cycle.
func TestNoMemberOfAnEarningChangesInMidPeriod(t *testing.T) {
	version := func(e reward.Earning) *reward.Program {
		return &reward.Program{
			ID: "p", Currency: "USD", Method: reward.Rerate,
			Layers: []reward.Layer{{ID: "base", Rules: []reward.Rule{{ID: "r", Rate: 3, Cap: 500, Earning: e}}}},
		}
	}
	plain := reward.Earning{Per: reward.PerYear}
	latest := version(plain)
	february := latest.CycleAt(reward.At(time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)))
	if err := version(plain).Follows(latest, february); err != nil {
		t.Fatalf("a version that says the same: %v", err)
	}
	for name, e := range saying(plain, "Except") {
		if err := version(e).Follows(latest, february); err == nil || !strings.Contains(err.Error(), "rule r: what it earns cannot change in the middle of a year") {
			t.Errorf("%s in February: %v", name, err)
		}
	}
}

// Whoever comes a level up comes to a rule that says the same, but for its rate. Period,
// shared and whole say nothing where there is no limit; steps are one, as places are.
func TestNoMemberOfAnEarningDiffersByTier(t *testing.T) {
	rule := func(id string, e reward.Earning, tiers ...string) reward.Rule {
		r := reward.Rule{ID: id, Rate: 3, Cap: reward.NoCap, Earning: e}
		r.Match.Purchase = &reward.PurchaseMatch{Tiers: map[string][]string{"status": tiers}}
		return r
	}
	program := func(above reward.Earning) *reward.Program {
		return &reward.Program{
			ID: "p", Currency: "USD", Method: reward.Rerate,
			Layers: []reward.Layer{{ID: "base", Rules: []reward.Rule{rule("gold", above, "gold"), rule("silver", reward.Earning{}, "silver")}}},
			Tiers: []reward.Tier{{
				ID: "status", Earning: reward.Earning{Per: reward.PerYear},
				Spend: []reward.Level{{From: 100, Tier: "silver"}, {From: 200, Tier: "gold"}},
			}},
		}
	}
	if err := program(reward.Earning{}).Monotone(); err != nil {
		t.Fatalf("a level up a rule that says the same: %v", err)
	}
	for name, e := range saying(reward.Earning{}, "Except", "Exact", "Per", "Shared", "Steps", "Whole") {
		if err := program(e).Monotone(); err == nil || !strings.Contains(err.Error(), `a purchase may come here at "gold"`) {
			t.Errorf("a level up a rule that says %s: %v", name, err)
		}
	}
}
