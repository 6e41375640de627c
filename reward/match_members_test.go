package reward_test

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"recoup/reward"
)

// filled is a value of a type in which nothing is zero.
func filled(of reflect.Type) reflect.Value {
	v := reflect.New(of).Elem()
	switch of.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(of.Elem()))
		v.Elem().Set(filled(of.Elem()))
	case reflect.Struct:
		for i := range of.NumField() {
			v.Field(i).Set(filled(of.Field(i).Type))
		}
	case reflect.Slice:
		v.Set(reflect.Append(v, filled(of.Elem())))
	case reflect.Map:
		v.Set(reflect.MakeMap(of))
		v.SetMapIndex(filled(of.Key()), filled(of.Elem()))
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	default:
		v.Set(reflect.ValueOf(1).Convert(of))
	}
	return v
}

// askingOne are matches that ask one thing each, by its name: one for every member that a
// match has, also those that come to have been added.
func askingOne() map[string]reward.Match {
	all := make(map[string]reward.Match)
	whole := reflect.TypeFor[reward.Match]()
	for i := range whole.NumField() {
		var m reward.Match
		if name := whole.Field(i).Name; name != "Purchase" {
			reflect.ValueOf(&m).Elem().Field(i).Set(filled(whole.Field(i).Type))
			all[name] = m
		}
	}
	more := reflect.TypeFor[reward.PurchaseMatch]()
	for i := range more.NumField() {
		p := new(reward.PurchaseMatch)
		if name := more.Field(i).Name; name != "Tiers" {
			reflect.ValueOf(p).Elem().Field(i).Set(filled(more.Field(i).Type))
			all[name] = reward.Match{Purchase: p}
		}
	}
	return all
}

// Whoever comes a level up must surely have a rule there. A rule that asks, or excepts,
// anything more than the one below does not cover all its purchases, whatever it is.
func TestNoMemberOfAMatchIsForgottenByTiers(t *testing.T) {
	for name, match := range askingOne() {
		asks := reward.Rule{ID: "asks", Rate: 3, Cap: reward.NoCap, Match: match}
		excepts := reward.Rule{ID: "excepts", Rate: 3, Cap: reward.NoCap}
		excepts.Except = match
		for _, above := range []reward.Rule{asks, excepts} {
			below := reward.Rule{ID: "silver", Rate: 3, Cap: reward.NoCap}
			below.Match.Purchase = &reward.PurchaseMatch{Tiers: map[string][]string{"status": {"silver"}}}
			// Both except something, so that it is compared.
			below.Except.Merchants = map[string]bool{"m": true}
			above.Except.Merchants = maps.Clone(above.Except.Merchants)
			if above.Except.Merchants == nil {
				above.Except.Merchants = make(map[string]bool)
			}
			above.Except.Merchants["m"] = true
			p := reward.Program{
				ID: "p", Currency: "USD", Method: reward.Rerate,
				Layers: []reward.Layer{{ID: "base", Rules: []reward.Rule{below, above}}},
				Tiers: []reward.Tier{{
					ID: "status", Earning: reward.Earning{Per: reward.PerYear},
					Spend: []reward.Level{{From: 100, Tier: "silver"}, {From: 200, Tier: "gold"}},
				}},
			}
			if err := p.Monotone(); err == nil || !strings.Contains(err.Error(), `may have no rule at "gold"`) {
				t.Errorf("a level up a rule that %s what no other does (%s): %v", above.ID, name, err)
			}
		}
	}
}
