package program_test

import (
	"reflect"
	"testing"
	"time"

	"recoup/program"
	"recoup/reward"
)

// asking is a value for a member of a match that asks something.
func asking(of reflect.Type) reflect.Value {
	for _, value := range []any{
		[]string{"GROCERY"}, []reward.MCCRange{{First: 5411, Last: 5411}}, map[string]bool{"bean": true}, map[string][]string{"channel": {"app"}},
		[]time.Weekday{time.Sunday}, new(reward.Date), &reward.Within{Days: 30, Of: "opened"},
	} {
		if reflect.TypeOf(value) == of {
			return reflect.ValueOf(value)
		}
	}
	panic("no value of " + of.String() + ": add one")
}

// Whatever a match asks or excepts is in the sentence of its rule, also what comes to be
// added: a bank's terms that leave it out promise more than is paid.
func TestNoMemberOfAMatchIsLeftOutOfTheWords(t *testing.T) {
	says := func(set func(*reward.Rule)) string {
		r := reward.Rule{ID: "r", Rate: reward.MaxRate / 20, Cap: reward.NoCap}
		set(&r)
		p := &reward.Program{ID: "p", Currency: "USD", Method: reward.Rerate, Layers: []reward.Layer{{ID: "base", Rules: []reward.Rule{r}}}}
		return program.Describe(p).Rules[0].Says
	}
	nothing := says(func(*reward.Rule) {})
	said := map[string]string{nothing: "nothing"}
	tell := func(name string, set func(*reward.Match)) {
		for where, words := range map[string]string{
			" asked":    says(func(r *reward.Rule) { set(&r.Match) }),
			" excepted": says(func(r *reward.Rule) { set(&r.Except) }),
		} {
			if other, twice := said[words]; twice {
				t.Errorf("%s is said as %s is: %s", name+where, other, words)
			}
			said[words] = name + where
		}
	}
	whole, more := reflect.TypeFor[reward.Match](), reflect.TypeFor[reward.PurchaseMatch]()
	for i := range whole.NumField() {
		if f := whole.Field(i); f.Type != reflect.TypeFor[*reward.PurchaseMatch]() {
			tell(f.Name, func(m *reward.Match) { reflect.ValueOf(m).Elem().Field(i).Set(asking(f.Type)) })
		}
	}
	for i := range more.NumField() {
		tell(more.Field(i).Name, func(m *reward.Match) {
			m.Purchase = new(reward.PurchaseMatch)
			reflect.ValueOf(m.Purchase).Elem().Field(i).Set(asking(more.Field(i).Type))
		})
	}
}
