package traffic

import (
	"maps"
	"slices"

	"recoup/reward"
)

// This file has what customers do because of terms that are more than rates: they open
// their account, activate an offer or don't, pay in the app, are given a receipt with
// several lines, and buy for a bonus what they have no use for.

// The shares of it, per mille.
const (
	activates     = 600 // of the accounts that an offer is made to
	changesAgain  = 250 // of these, once more, to another value or to none
	labelled      = 500 // of the purchases of a program that asks for a label, for each
	chases        = 80  // of the accounts of a program with a bonus or a tier to reach
	returnsChased = 600 // of what they bought for it, which goes back
)

// terms are what a program asks for besides merchant, code and category. The zero value
// asks for nothing, and no draw is made for it.
type terms struct {
	attributes, labels []asked
	lines              []reward.Item // kinds of lines of receipts
	receipts           int           // per mille of purchases that have one
	reach              int64         // what has to be spent for a bonus or a tier; zero for none
}

// asked is a name with the values that are asked for.
type asked struct {
	name   string
	values []string
}

// matchesOf are all of a program's matches: of rules, bonuses and tiers.
func matchesOf(p *reward.Program) (list []*reward.Match) {
	for i := range p.Rules {
		list = append(list, &p.Rules[i].Match)
	}
	for i := range p.Layers {
		for j := range p.Layers[i].Rules {
			list = append(list, &p.Layers[i].Rules[j].Match)
		}
	}
	for i := range p.Bonuses {
		list = append(list, &p.Bonuses[i].Match)
	}
	for i := range p.Tiers {
		list = append(list, &p.Tiers[i].Match)
	}
	return list
}

func newTerms(o *Options) (t terms) {
	if o.Program == nil || o.Program.Layers == nil {
		return terms{receipts: o.Receipts, lines: make([]reward.Item, 1)}
	}
	attributes, labels := map[string][]string{}, map[string][]string{}
	t.receipts, t.lines = o.Receipts, make([]reward.Item, 1) // one that the program asks nothing of
	for _, m := range matchesOf(o.Program) {
		var line reward.Item
		if len(m.Categories) > 0 {
			line.Category = m.Categories[0]
		}
		if m.Purchase != nil {
			merge(attributes, m.Purchase.Account)
			merge(labels, m.Purchase.Labels)
			if len(m.Purchase.Labels) > 0 {
				line.Labels = firstOf(m.Purchase.Labels)
			}
		}
		if !slices.Contains(t.lines, line) {
			t.lines = append(t.lines, line)
		}
	}
	t.attributes, t.labels = inOrder(attributes), inOrder(labels)
	for _, tier := range o.Program.Tiers {
		t.reach = tier.Spend[0].From
	}
	for i := range o.Program.Bonuses {
		if b := &o.Program.Bonuses[i]; len(b.Spend) > 0 && len(b.Match.Merchants)+len(b.Match.Categories)+len(b.Match.MCCs) == 0 {
			t.reach = b.Spend[0].From
		}
	}
	return t
}

func merge(into, from map[string][]string) {
	for name, values := range from {
		for _, v := range values {
			if !slices.Contains(into[name], v) {
				into[name] = append(into[name], v)
			}
		}
	}
}

func firstOf(byName map[string][]string) reward.Labels {
	first := map[string]string{}
	for name, values := range byName {
		first[name] = values[0]
	}
	return reward.MakeLabels(first)
}

func inOrder(byName map[string][]string) (list []asked) {
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		list = append(list, asked{name, byName[name]})
	}
	return list
}

// welcome has an account opened that is new, in the place of its first purchase, which
// follows at once. What its holder does in the time after is decided here.
func (w *world) welcome(at reward.Instant, first step) step {
	account := first.of.account
	w.known[account] = true
	w.coming.push(at, first)
	d := w.dice
	opened := step{what: reward.AccountOpened, of: purchase{account: account}}
	for i, a := range w.terms.attributes {
		if !d.chance(activates) {
			continue
		}
		set := step{what: reward.AttributeSet, of: opened.of, fact: w.number(), asked: uint8(i), value: uint8(d.below(len(a.values)))}
		when := at + d.days(0, 60)
		w.coming.push(when, set)
		if d.chance(changesAgain) {
			again := set
			if again.what = reward.AttributeWithdrawn; len(a.values) > 1 {
				again.what, again.fact, again.value = reward.AttributeSet, w.number(), uint8(d.below(len(a.values)))
			}
			w.coming.push(when+d.days(20, 90), again)
		}
	}
	if w.terms.reach > 0 && d.chance(chases) {
		w.purchases++
		p := purchase{number: w.purchases, account: account, trade: uint16(w.market.busy.draw(d)), amount: w.terms.reach + d.between(0, 50_00)}
		p.merchant = uint16(w.market.trades[p.trade].busy.draw(d))
		w.coming.push(at+d.days(1, 30), step{what: reward.TransactionSettled, of: p, amount: p.amount, chased: true})
	}
	return opened
}

// tell adds to an event of a cardholder, or of a purchase, what terms ask for.
func (w *world) tell(e *reward.Event, s *step) {
	t := &w.terms
	switch s.what {
	case reward.AttributeSet, reward.AttributeWithdrawn:
		e.Fact = numbered("attribute-", s.fact)
		if s.what == reward.AttributeSet {
			a := &t.attributes[s.asked]
			e.Category, e.Method = a.name, a.values[s.value]
		}
	case reward.TransactionAuthorized, reward.TransactionSettled:
		e.Labels = t.labelsOf(s.of.number)
		if s.what == reward.TransactionSettled && t.itemized(&s.of) {
			e.Items = reward.MakeItems(t.receipt(&s.of))
		}
	case reward.RefundPosted:
		if !s.unlinked && s.item > 0 {
			list := t.receipt(&s.of)
			if s.item <= int8(len(list)) {
				list = list[s.item-1 : s.item]
			}
			for i := range list {
				list[i] = reward.Item{ID: list[i].ID, Amount: list[i].Amount}
			}
			e.Items = reward.MakeItems(list)
		}
	}
}

// labelsOf are those of a purchase. They follow from its number, and not from a draw, so
// that its authorisation and its settlement have the same.
func (t *terms) labelsOf(number int64) reward.Labels {
	if len(t.labels) == 0 {
		return ""
	}
	has := map[string]string{}
	for i, l := range t.labels {
		if n := mixed(number, int64(i)); n%1000 < labelled {
			has[l.name] = l.values[n/1000%int64(len(l.values))]
		}
	}
	return reward.MakeLabels(has)
}

// itemized says whether the shop sent a receipt of several lines.
func (t *terms) itemized(p *purchase) bool {
	return p.amount >= 100 && mixed(p.number, 99)%1000 < int64(t.receipts)
}

// receipt is the lines of an itemized purchase: two to four, of what the program asks for.
func (t *terms) receipt(p *purchase) []reward.Item {
	n := 2 + mixed(p.number, 98)%3
	list := make([]reward.Item, n)
	rest := p.amount
	for i := range list {
		list[i] = t.lines[mixed(p.number, int64(i))%int64(len(t.lines))]
		list[i].ID, list[i].Amount = numbered("line-", int64(i)+1), rest/2
		if i == len(list)-1 {
			list[i].Amount = rest
		}
		rest -= list[i].Amount
	}
	return list
}

// wholeReceipt is the item of a refund of all of them.
const wholeReceipt = 127

// returnsOne says which line of a receipt a refund is of, with its amount: the dearest.
func (t *terms) returnsOne(p *purchase) (item int8, amount int64) {
	return 1, t.receipt(p)[0].Amount
}

// mixed is a number at random that two numbers say, 0 or above.
func mixed(a, b int64) int64 {
	x := uint64(a)*0x9e3779b97f4a7c15 + uint64(b)*0xbf58476d1ce4e5b9
	x ^= x >> 31
	x *= 0x94d049bb133111eb
	return int64(x >> 33)
}
