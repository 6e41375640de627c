package attack

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"recoup/internal/issuer"
	"recoup/reward"
)

// Offer is something that the customer may buy.
type Offer struct {
	Merchant string        `json:"merchant"`
	MCC      string        `json:"mcc,omitzero"`
	Category string        `json:"category,omitzero"`
	Labels   reward.Labels `json:"-"`
	// Items are the lines of its receipt, of which each may be brought back.
	Items []reward.Item `json:"-"`
	// Amount is the price of one, in minor units, and Count how many are bought at a time,
	// each a purchase of its own.
	Amount int64 `json:"amount"`
	Count  int   `json:"count"`
}

// settlement is the purchase of one.
func (o *Offer) settlement() issuer.Settlement {
	return issuer.Settlement{Account: attacker, Merchant: o.Merchant, MCC: o.MCC, Category: o.Category, Labels: o.Labels, Items: o.Items, Amount: o.Amount}
}

// promise is something that a program promises: on which purchases, and the price and the
// number of purchases that bring it, where one can be told.
type promise struct {
	matches []*reward.Match
	price   int64
	count   int
}

// usual is the price where the terms say nothing that one could go by, in minor units.
const usual = 1000_00

// promises are what a program promises, bonuses first and tiers last, in the order of the
// file. A rule that earns nothing promises nothing.
func promises(p *reward.Program) (list []promise) {
	for i := range p.Bonuses {
		list = append(list, ofBonus(&p.Bonuses[i]))
	}
	rule := func(r *reward.Rule) {
		if r.Rate > 0 || r.Exact.Num > 0 || r.Steps != nil {
			list = append(list, promise{[]*reward.Match{&r.Match}, ofRule(r), 1})
		}
	}
	for i := range p.Layers {
		for j := range p.Layers[i].Rules {
			rule(&p.Layers[i].Rules[j])
		}
	}
	for i := range p.Rules {
		rule(&p.Rules[i])
	}
	for i := range p.Tiers {
		if t := &p.Tiers[i]; len(t.Spend) > 0 {
			list = append(list, promise{[]*reward.Match{&t.Match}, max(t.Spend[0].From, t.Minimum), 1})
		}
	}
	return list
}

func ofBonus(b *reward.Bonus) promise {
	s := promise{[]*reward.Match{&b.Match}, 0, 1}
	most := int64(reward.MaxAmount)
	switch {
	case len(b.Spend) > 0:
		s.price = b.Spend[0].From
	case len(b.Purchases) > 0:
		s.price, s.count = max(b.Minimum, 1_00), int(min(b.Purchases[0].From, maxCount))
	case b.Every.Spend > 0:
		s.price = b.Every.Spend
	case b.Every.Purchases > 0:
		s.price, s.count = max(b.Minimum, 1_00), int(min(b.Every.Purchases, maxCount))
	}
	s.price = min(max(s.price, b.Minimum), most)
	return s
}

// maxCount is how many purchases are made at a time at most.
const maxCount = 50

// ofRule is the price that fills the rule's cap or what it gives for a purchase, goes as far
// beyond a step as below it, or is twice what it asks for; zero if it has none of these.
func ofRule(r *reward.Rule) int64 {
	switch {
	case len(r.Steps) > 1 && r.Whole:
		return r.Steps[1].From
	case len(r.Steps) > 1:
		return min(2*r.Steps[1].From, reward.MaxAmount)
	case r.Cap > 0:
		return fills(r, r.Cap)
	case r.AtMost > 0:
		return fills(r, r.AtMost)
	case r.Minimum > 0:
		return min(2*r.Minimum, reward.MaxAmount)
	}
	return 0
}

// fills is the spend that fills a limit on the rewards of a rule: usual, if it takes more
// than can be spent.
func fills(r *reward.Rule, limit int64) int64 {
	num, den := r.Exact.Num, r.Exact.Den
	if den == 0 {
		num, den = int64(r.Rate), int64(reward.MaxRate)
	}
	if num <= 0 || limit > reward.MaxAmount/den {
		return usual
	}
	return (limit*den + num - 1) / num
}

// priceOf is what a program's promises are first reached at, of tiers before others, or else
// usual.
func priceOf(p *reward.Program) int64 {
	list := promises(p)
	tiers := len(p.Tiers)
	for _, s := range slices.Concat(list[len(list)-tiers:], list[:len(list)-tiers]) {
		if s.price > 0 {
			return s.price
		}
	}
	return usual
}

// countOf is how many purchases the first of a program's promises takes.
func countOf(p *reward.Program) int {
	if list := promises(p); len(list) > 0 {
		return list[0].count
	}
	return 1
}

// offers are what is bought under a program: at the shop of what it promises first each of
// the prices, at other shops the price that what they promise is reached at; and, where items
// can be told apart, one receipt with an item of each of two shops, in place of lower prices.
func offers(p *reward.Program, prices []int64) (list []Offer) {
	known := attributesOf(p)
	for _, s := range promises(p) {
		if !known.open(s.matches) {
			continue
		}
		o := shopOf(s.matches)
		if slices.ContainsFunc(list, func(x Offer) bool { return samePlace(&x, &o) }) {
			continue
		}
		if len(list) > 0 {
			o.Amount, o.Count = cmp.Or(s.price, prices[0]), s.count
			list = append(list, o)
			continue
		}
		if s.count > 1 {
			prices = prices[:1]
		}
		for _, price := range prices {
			o.Amount, o.Count = price, s.count
			list = append(list, o)
		}
	}
	if len(list) == 0 {
		o := shopOf(nil)
		o.Amount, o.Count = prices[0], 1
		list = append(list, o)
	}
	if first, last := list[0], list[len(list)-1]; !samePlace(&first, &last) && first.Merchant == last.Merchant {
		list = append(slices.DeleteFunc(list, func(o Offer) bool { return samePlace(&o, &first) && o.Amount < first.Amount }), receipt(first, last))
	}
	return list
}

func samePlace(x, y *Offer) bool {
	return x.Merchant == y.Merchant && x.MCC == y.MCC && x.Category == y.Category && x.Labels == y.Labels
}

// receipt is one purchase with an item of each of two offers.
func receipt(x, y Offer) Offer {
	item := func(id string, o Offer) reward.Item {
		code, _ := reward.ParseMCC(o.MCC)
		return reward.Item{ID: id, Amount: o.Amount, Category: o.Category, MCC: code, Labels: o.Labels}
	}
	return Offer{Merchant: x.Merchant, Items: []reward.Item{item("a", x), item("b", y)}, Amount: min(x.Amount+y.Amount, reward.MaxAmount), Count: 1}
}

// shopOf is where what the matches ask for can be bought.
func shopOf(matches []*reward.Match) Offer {
	o := Offer{Merchant: "shop", Category: "GROCERY"}
	for _, m := range matches {
		if len(m.Categories) > 0 {
			o.Category = m.Categories[0]
		} else if len(m.MCCs) > 0 {
			o.MCC, o.Category = m.MCCs[0].First.String(), ""
		}
		if merchants := slices.Sorted(maps.Keys(m.Merchants)); len(merchants) > 0 {
			o.Merchant = merchants[0]
		}
		if m.Purchase != nil && m.Purchase.Labels != nil {
			labels := map[string]string{}
			for name, values := range m.Purchase.Labels {
				labels[name] = values[0]
			}
			o.Labels = reward.MakeLabels(labels)
		}
	}
	return o
}

// attributes are what is known of the customer from the first day: of each attribute that
// the terms ask for, the first value.
type attributes map[string]string

func attributesOf(p *reward.Program) attributes {
	known := attributes{}
	for _, s := range promises(p) {
		for _, m := range s.matches {
			if m.Purchase == nil {
				continue
			}
			for name, values := range m.Purchase.Account {
				known[name] = cmp.Or(known[name], values[0])
			}
			if w := m.Purchase.Within; w != nil && w.Of != openedName {
				known[w.Of] = cmp.Or(known[w.Of], "yes")
			}
		}
	}
	return known
}

// openedName is the attribute that every account has from its opening.
const openedName = "opened"

// open reports whether the customer has all attributes that the matches ask for.
func (known attributes) open(matches []*reward.Match) bool {
	for _, m := range matches {
		if m.Purchase == nil {
			continue
		}
		for name, values := range m.Purchase.Account {
			if !slices.Contains(values, known[name]) {
				return false
			}
		}
	}
	return true
}

// asked yields what each match asks of the time of purchase.
func asked(p *reward.Program) (list []*reward.PurchaseMatch) {
	for _, s := range promises(p) {
		for _, m := range s.matches {
			if m.Purchase != nil && !reflect.DeepEqual(*m.Purchase, reward.PurchaseMatch{}) {
				list = append(list, m.Purchase)
			}
		}
	}
	return list
}
