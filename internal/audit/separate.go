package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"recoup/internal/audit/judge"
	"recoup/reward"
)

// Separation is what the refunds that took nothing, or too little, have in common: the
// conditions that set them apart from those that took their share, the clearest first.
type Separation struct {
	// Refunds is how many were looked at, Untaken how many of them took too little, which
	// is Amount together. Sampled: there were more refunds than that.
	Refunds int64 `json:"refunds"`
	Untaken int64 `json:"untaken"`
	Amount  int64 `json:"amount"`
	Sampled bool  `json:"sampled,omitzero"`
	// Rules hold one after the other: each is of the refunds that those before it leave.
	Rules []SeparatingRule `json:"rules,omitempty"`
	all   SeparatingRule   // on every refund
}

// SeparatingRule is one condition on refunds. The words follow on "refunds".
type SeparatingRule struct {
	Words   string `json:"words"`
	Refunds int64  `json:"refunds"`
	Untaken int64  `json:"untaken"`
	Amount  int64  `json:"amount"`
	// stake is what the refunds should have taken, and missed what of it is of those that took
	// too little: a cent says less than a hundred.
	stake, missed int64
	about         string // the trait that it is on, if it is one
	older         bool   // that much of it or more
	holds         func(*observation) bool
}

func (r *SeparatingRule) count(o *observation) {
	r.Refunds++
	r.Amount += o.Untaken
	r.stake += o.Stake
	if o.Untaken > 0 {
		r.Untaken++
		r.missed += o.Stake
	}
}

// without is the rule on those of all that it does not hold for.
func (r SeparatingRule) without(all *SeparatingRule) SeparatingRule {
	r.Refunds, r.Untaken, r.Amount = all.Refunds-r.Refunds, all.Untaken-r.Untaken, all.Amount-r.Amount
	r.stake, r.missed = all.stake-r.stake, all.missed-r.missed
	return r
}

// clear reports whether nearly all of what its refunds had at stake is of such that took too little.
func (r *SeparatingRule) clear() bool {
	return r.Untaken >= leastShown && atLeast(r.missed, 9000, r.stake)
}

// mostRules is how long a list of conditions may be, and clearer by which part of it one has
// to be clearer than another that is preferred.
const (
	mostRules = 4
	clearer   = 20
)

// separate finds the conditions. Each is the one that holds for the most untaken refunds
// beyond the taken ones that it holds for too, as long as four in five are untaken.
func separate(seen []observation, all int64, money func(int64) string) *Separation {
	seen = sample.merge(seen, nil) // the same order whatever the shards
	var sum SeparatingRule
	rest := make([]*observation, len(seen))
	for i := range seen {
		rest[i] = &seen[i]
		sum.count(&seen[i])
	}
	s := &Separation{Refunds: sum.Refunds, Untaken: sum.Untaken, Amount: sum.Amount, Sampled: sum.Refunds < all, all: sum}
	for len(s.Rules) < mostRules {
		best := condition(rest, money)
		if best.Untaken < leastShown {
			break
		}
		s.Rules = append(s.Rules, best)
		rest = slices.DeleteFunc(rest, best.holds)
	}
	return s
}

// condition is the clearest one on these refunds.
func condition(list []*observation, money func(int64) string) (best SeparatingRule) {
	gain := int64(0)
	offer := func(r SeparatingRule, words func() string, holds func(*observation) bool) {
		least := gain
		// Of one trait, what loses nothing, or hardly holds for any that took their share, is sharper.
		if r.about != best.about || r.missed < best.missed && !atLeast(r.missed, 9900, r.stake) {
			least += gain / clearer
		}
		if g := 2*r.missed - r.stake; g > least && atLeast(r.missed, 8000, r.stake) && r.Refunds < int64(len(list)) {
			gain, best = g, r
			best.Words, best.holds = words(), holds
		}
	}
	texts := func(name string, of func(*observation) string) {
		by := map[string]*SeparatingRule{}
		for _, o := range list {
			at(by, of(o)).count(o)
		}
		delete(by, "")
		for _, text := range slices.Sorted(maps.Keys(by)) {
			by[text].about = name
			offer(*by[text], func() string { return "of " + name + " " + text }, func(o *observation) bool { return of(o) == text })
		}
	}
	for i := range traits {
		if traits[i].name == "tenure" { // what was bought is preferred to when
			texts("category", func(o *observation) string { return o.Category })
			texts("merchant category code", func(o *observation) string { return o.MCC })
			texts("rule", func(o *observation) string { return o.Rule })
		}
		byTrait(i, list, money, offer)
	}
	return best
}

// byTrait offers each division of the refunds by how much they have of a trait.
func byTrait(i int, list []*observation, money func(int64) string, offer func(SeparatingRule, func() string, func(*observation) bool)) {
	t := &traits[i]
	slices.SortStableFunc(list, func(a, b *observation) int { return cmp.Compare(a.Has[i], b.Has[i]) })
	all, below := SeparatingRule{}, SeparatingRule{about: t.name}
	for _, o := range list {
		all.count(o)
	}
	for k, o := range list {
		if n := o.Has[i]; k > 0 && n != list[k-1].Has[i] {
			above := below.without(&all)
			above.older = true
			last := list[k-1].Has[i]
			offer(above, func() string { return t.words(t.above, last, n, money) }, func(o *observation) bool { return o.Has[i] >= n })
			if t.below != "" {
				offer(below, func() string { return t.words(t.below, last, n, money) }, func(o *observation) bool { return o.Has[i] < n })
			}
		}
		below.count(o)
	}
}

// observation is a refund that should have taken some reward, as far as it may matter to
// whether it did.
type observation struct {
	Hash    uint64 `json:"hash"`
	Untaken int64  `json:"untaken,omitzero"` // minor units; zero if it took its share
	Stake   int64  `json:"stake"`            // what it should have taken
	// Has is what the refund has of each trait, in the order of traits.
	Has      [len(traits)]int64 `json:"traits"`
	Category string             `json:"category,omitzero"`
	MCC      string             `json:"mcc,omitzero"`
	Rule     string             `json:"rule,omitzero"`
}

// trait is something that refunds are told apart by: a number, which divides those with so
// much or more of it from those with less, or whether something is so.
type trait struct {
	name string
	of   func(c *judge.RefundCase) int64
	// above are the words of so much or more, or of what is so; below those of less, empty of
	// what is so. Both follow on "refunds", and have the number in the place of N.
	above, below string
}

// traits are in the order in which one is preferred to another that separates as well.
var traits = [...]trait{
	is("later cycle", "in a later cycle than their purchase's", func(c *judge.RefundCase) bool { return c.Place == judge.LaterCycle }),
	is("same cycle", "in the cycle of their purchase", func(c *judge.RefundCase) bool { return c.Place == judge.SameCycle }),
	is("unlinked", "that name no purchase", func(c *judge.RefundCase) bool { return !c.Linked }),
	is("chargeback", "that are chargebacks", func(c *judge.RefundCase) bool { return c.Chargeback }),
	is("unnamed chargeback", "that are chargebacks and name no purchase", func(c *judge.RefundCase) bool { return c.Chargeback && !c.Linked }),
	is("over", "above what was left of their purchase", func(c *judge.RefundCase) bool { return c.Over }),
	is("early", "that came before their purchase", func(c *judge.RefundCase) bool { return c.Place == judge.Early }),
	is("ahead", "that came before the reward was posted, which did not leave them out", func(c *judge.RefundCase) bool { return c.Ahead }),
	is("spent", "whose reward had been redeemed", func(c *judge.RefundCase) bool { return !kindOf(c).is(covered) }),
	is("part", "of a part of their purchase", func(c *judge.RefundCase) bool { return c.Amount < c.Bought }),
	is("whole", "of a whole purchase", func(c *judge.RefundCase) bool { return c.Amount >= c.Bought }),
	is("elsewhere", "at another merchant than their purchase", func(c *judge.RefundCase) bool { return c.OtherMerchant }),
	{"age", func(c *judge.RefundCase) int64 { return int64(max(0, c.RefundedAt-c.PurchasedAt) / reward.Day) },
		"N days or more after their purchase", "less than N days after their purchase"},
	{"later quarter", func(c *judge.RefundCase) int64 { return after(c, 3) }, "N days or more after the calendar quarter of their purchase", ""},
	{"later year", func(c *judge.RefundCase) int64 { return after(c, 12) }, "N days or more after the calendar year of their purchase", ""},
	{"number", func(c *judge.RefundCase) int64 { return int64(c.Number) },
		"that are number N or later of their purchase", "that come before number N of their purchase"},
	{"size", func(c *judge.RefundCase) int64 { return c.Amount }, "of N or more", "of less than N"},
	{"tenure", func(c *judge.RefundCase) int64 { return c.Tenure }, "N days or more after the account's first row", "within the account's first N days"},
	{"cycle day", func(c *judge.RefundCase) int64 { return c.CycleDay }, "from day N of a cycle on", "before day N of a cycle"},
	{"share", func(c *judge.RefundCase) int64 { return permille(min(c.Amount, c.Bought), c.Bought) },
		"of N % of their purchase or more", "of less than N % of their purchase"},
}

func is(name, words string, so func(*judge.RefundCase) bool) trait {
	return trait{name: name, above: words, of: func(c *judge.RefundCase) int64 { return oneIf(so(c)) }}
}

// after counts the days from the end of its purchase's period of so many months to a refund; one
// day below zero is of all that came before.
func after(c *judge.RefundCase, months int) int64 {
	bought := c.PurchasedAt.Time()
	next := int(bought.Month()) - 1 - (int(bought.Month())-1)%months + months
	end := time.Date(bought.Year(), time.Month(next+1), 1, 0, 0, 0, 0, time.UTC)
	if since := c.RefundedAt.Time().Sub(end); since >= 0 && c.Place != judge.Early {
		return int64(since / (24 * time.Hour))
	}
	return -1
}

// words are those of the refunds with so much or more of a trait, or with less. The last below
// that may be further down than by one: what is between belongs to either for all that is known.
func (t *trait) words(words string, last, n int64, money func(int64) string) string {
	shown := func(n int64) string {
		switch t.name {
		case "size":
			return money(n)
		case "share":
			return fmt.Sprintf("%d.%d", n/10, n%10)
		}
		return fmt.Sprint(n)
	}
	words = strings.Replace(words, "N", shown(n), 1)
	switch gap := " (none of " + shown(last+1); {
	case n-last > 2:
		words += gap + " to " + shown(n-1) + ")"
	case n-last == 2:
		words += gap + ")"
	}
	return words
}

// observe is what a refund tells that had something at stake.
func observe(account string, c *judge.RefundCase) (o observation) {
	if c.Outcome == judge.Never || c.Outcome == judge.Partly {
		o.Untaken = max(1, c.Expected-c.Taken)
	}
	o.Hash, o.Stake, o.Category, o.MCC, o.Rule = hashOf(nil, account, c.ID), max(1, c.Expected), c.Category, c.MCC.String(), c.Rule
	for i := range traits {
		o.Has[i] = traits[i].of(c)
	}
	return o
}

// sample has the observations of the smallest hashes: the same ones whatever the order and the
// shards that they come in, and all while there are no more than that.
var sample = top[observation]{1 << 14, func(a, b observation) int {
	return cmp.Or(cmp.Compare(a.Hash, b.Hash), cmp.Compare(a.Untaken, b.Untaken), slices.Compare(a.Has[:], b.Has[:]))
}}
