package reward_test

import (
	"slices"

	"recoup/reward"
)

// naiveAttribute is a fact about the account itself.
type naiveAttribute struct {
	id          string
	name, value string
	from        reward.Instant
	told        bool
	withdrawn   bool
	early       bool // withdrawn before it was told
	came        bool // and was told after that
	dismissed   bool
}

func (b *naiveBook) attribute(id string) *naiveAttribute {
	for _, x := range b.attributes {
		if x.id == id {
			return x
		}
	}
	return nil
}

func (b *naiveBook) setAttribute(id, name, value string, from reward.Instant) reward.Result {
	x := b.attribute(id)
	switch {
	case x == nil:
		b.attributes = append(b.attributes, &naiveAttribute{id: id, name: name, value: value, from: from, told: true})
		return naiveApplied
	case x.early:
		x.came = true
		return naiveGone
	case x.name != name || x.value != value || x.from != from:
		return naiveRejected(reward.AttributeConflict)
	case x.withdrawn:
		return naiveGone
	}
	return naiveDuplicate
}

func (b *naiveBook) withdrawAttribute(id string) reward.Result {
	x := b.attribute(id)
	switch {
	case x == nil:
		b.attributes = append(b.attributes, &naiveAttribute{id: id, withdrawn: true, early: true})
		return naiveParked(reward.AttributeUnknown)
	case x.withdrawn:
		return naiveDuplicate
	}
	x.withdrawn = true
	return naiveApplied
}

// dismissAttribute takes the withdrawal of what never came off the list.
func (b *naiveBook) dismissAttribute(id string) reward.Result {
	x := b.attribute(id)
	switch {
	case x == nil:
		return naiveRejected(reward.AttributeUnknown)
	case x.dismissed:
		return naiveDuplicate
	case !x.early || x.came:
		return naiveFinal
	}
	x.dismissed = true
	return naiveApplied
}

// inForce is the fact that says an attribute's value at an instant, nil for none.
func (b *naiveBook) inForce(name string, at reward.Instant) *naiveAttribute {
	var list []*naiveAttribute
	for _, x := range b.attributes {
		if x.told && !x.withdrawn && x.name == name && x.from <= at {
			list = append(list, x)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return slices.MaxFunc(list, func(x, y *naiveAttribute) int {
		switch {
		case x.from < y.from || x.from == y.from && x.id < y.id:
			return -1
		case x.from == y.from && x.id == y.id:
			return 0
		}
		return 1
	})
}

// naivePurchase is what a purchase says as it posts, authorisations included.
type naivePurchase struct {
	book     *naiveBook
	terms    *reward.Program
	merchant string
	mcc      reward.MCC
	category string
	labels   map[string]string
	bought   reward.Instant
}

// asked has an answer for each thing that a match may ask and does.
func (u *naivePurchase) asked(m *reward.Match) (answers []bool) {
	if m.Categories != nil {
		answers = append(answers, slices.Contains(m.Categories, u.category))
	}
	if m.MCCs != nil {
		answers = append(answers, slices.ContainsFunc(m.MCCs, func(r reward.MCCRange) bool { return r.First <= u.mcc && u.mcc <= r.Last }))
	}
	if m.Merchants != nil {
		answers = append(answers, m.Merchants[u.merchant])
	}
	x := m.Purchase
	if x == nil {
		return answers
	}
	date := naiveLocalDate(u.terms, u.bought)
	if x.Labels != nil {
		all := true
		for name, values := range x.Labels {
			given, has := u.labels[name]
			all = all && has && slices.Contains(values, given)
		}
		answers = append(answers, all)
	}
	if x.Account != nil {
		all := true
		for name, values := range x.Account {
			fact := u.book.inForce(name, u.bought)
			all = all && fact != nil && slices.Contains(values, fact.value)
		}
		answers = append(answers, all)
	}
	if x.Weekdays != nil {
		answers = append(answers, slices.Contains(x.Weekdays, date.Weekday()))
	}
	if x.From != nil {
		answers = append(answers, date.Format("2006-01-02") >= x.From.String())
	}
	if x.Until != nil {
		answers = append(answers, date.Format("2006-01-02") < x.Until.String())
	}
	if x.Within != nil {
		fact := u.book.inForce(x.Within.Of, u.bought)
		answers = append(answers, fact != nil && u.bought-fact.from < naiveDays(x.Within.Days))
	}
	return answers
}

func (u *naivePurchase) suits(match, except *reward.Match) bool {
	return !slices.Contains(u.asked(match), false) && !slices.Contains(u.asked(except), true)
}

// naiveLayers are the rules of a program in its layers.
func naiveLayers(p *reward.Program) []reward.Layer {
	if p.Layers == nil {
		return []reward.Layer{{ID: "base", Rules: p.Rules}}
	}
	return p.Layers
}

// naiveRules has the rule of a purchase in each layer, nil where none matches.
func (u *naivePurchase) rules() (list []*reward.Rule) {
	for _, l := range naiveLayers(u.terms) {
		var rule *reward.Rule
		for i := range l.Rules {
			if u.suits(&l.Rules[i].Match, &l.Rules[i].Except) {
				rule = &l.Rules[i]
				break
			}
		}
		list = append(list, rule)
	}
	return list
}

// naiveTimeOfPurchase is when a purchase was made, by its settlement, or by the
// earliest authorisation.
func (t *naiveTransaction) bought(e *reward.Event) reward.Instant {
	if e.Purchased != 0 {
		return e.Purchased
	}
	var earliest *reward.Event
	for _, a := range t.authorisations {
		if earliest == nil || a.Time < earliest.Time {
			earliest = a
		}
	}
	switch {
	case earliest == nil:
		return e.Time
	case earliest.Purchased != 0:
		return earliest.Purchased
	}
	return earliest.Time
}

func naiveLabels(l reward.Labels) map[string]string {
	all := map[string]string{}
	for name, value := range l.All() {
		all[name] = value
	}
	return all
}
