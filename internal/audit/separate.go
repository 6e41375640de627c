package audit

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"recoup/internal/audit/judge"
	"recoup/reward"
)

const day = reward.Day

// observation is a refund that should have taken some reward, as far as it may matter to
// whether it did.
type observation struct {
	Hash       uint64 `json:"hash"`
	Untaken    int64  `json:"untaken,omitzero"` // minor units; zero if it took its share
	Stake      int64  `json:"stake"`            // what it should have taken
	Age        int64  `json:"age_days"`         // from the purchase
	Size       int64  `json:"size"`             // minor units
	Part       int64  `json:"part_permille"`    // of the purchase
	Number     int64  `json:"number"`           // of the refunds of its purchase
	Tenure     int64  `json:"tenure_days"`      // from the account's first row
	CycleDay   int64  `json:"cycle_day"`
	Unlinked   bool   `json:"unlinked,omitzero"`
	Chargeback bool   `json:"chargeback,omitzero"`
	Over       bool   `json:"over,omitzero"`
	Early      bool   `json:"early,omitzero"`
	Later      bool   `json:"later_cycle,omitzero"`
	Quarter    bool   `json:"other_quarter,omitzero"` // of the calendar than the purchase
	Year       bool   `json:"other_year,omitzero"`
	Elsewhere  bool   `json:"other_merchant,omitzero"`
	Uncovered  bool   `json:"uncovered,omitzero"`
	Ahead      bool   `json:"ahead,omitzero"` // of the grant, which did not leave it out
	Category   string `json:"category,omitzero"`
	Rule       string `json:"rule,omitzero"`
}

// observe is what a refund tells; it is false where nothing was at stake, or it is too
// early to say.
func observe(account string, c *judge.RefundCase) (o observation, tells bool) {
	switch c.Outcome {
	case judge.NothingAtStake, judge.TooEarly:
		return o, false
	case judge.Never, judge.Partly:
		o.Untaken = max(1, c.Expected-c.Taken)
	}
	o.Stake = max(1, c.Expected)
	h := fnv.New64a()
	for _, id := range [...]string{account, c.ID} {
		h.Write([]byte(id))
		h.Write([]byte{0})
	}
	o.Hash = h.Sum64()
	o.Age, o.Size, o.Part = int64(max(0, c.RefundedAt-c.PurchasedAt)/day), c.Amount, permille(min(c.Amount, c.Bought), c.Bought)
	o.Number, o.Tenure, o.CycleDay = int64(c.Number), c.Tenure, c.CycleDay
	o.Unlinked, o.Chargeback, o.Over, o.Elsewhere = !c.Linked, c.Chargeback, c.Over, c.OtherMerchant
	o.Early, o.Later = c.Place == judge.Early, c.Place == judge.LaterCycle
	bought, came := c.PurchasedAt.Time(), c.RefundedAt.Time()
	o.Year = bought.Year() != came.Year()
	o.Quarter = o.Year || (bought.Month()-1)/3 != (came.Month()-1)/3
	o.Uncovered, o.Ahead = !kindOf(c).covered, c.Ahead
	o.Category, o.Rule = c.Category, c.Rule
	return o, true
}

// sample keeps the observations of the smallest hashes: the same ones whatever the order
// and the shards that they come in, and all while there are no more than so many.
type sample struct{ most int }

var seen = sample{1 << 14}

func byHash(a, b observation) int {
	return cmp.Or(cmp.Compare(a.Hash, b.Hash), cmp.Compare(a.Untaken, b.Untaken), cmp.Compare(a.Age, b.Age), cmp.Compare(a.Size, b.Size), cmp.Compare(a.Number, b.Number))
}

// offer adds an observation. The list is put in order, and cut, only now and then.
func (s sample) offer(list []observation, o observation) []observation {
	o.Category, o.Rule = strings.Clone(o.Category), strings.Clone(o.Rule)
	if list = append(list, o); len(list) >= 2*s.most {
		list = s.cut(list)
	}
	return list
}

func (s sample) cut(list []observation) []observation {
	slices.SortFunc(list, byHash)
	return list[:min(len(list), s.most)]
}

func (s sample) merge(a, b []observation) []observation { return s.cut(append(a, b...)) }

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
}

// SeparatingRule is one condition on refunds. The words follow on "refunds".
type SeparatingRule struct {
	Words   string `json:"words"`
	Refunds int64  `json:"refunds"`
	Untaken int64  `json:"untaken"`
	Amount  int64  `json:"amount"`
	about   string // what it is on
	older   bool   // a number: that or more
	// stake is what the refunds should have taken, and missed what of it is of those that took
	// too little: a cent says less than a hundred.
	stake, missed int64
}

// clear reports whether nearly all of what its refunds had at stake is of such that took too little.
func (r *SeparatingRule) clear() bool {
	return r.Untaken >= leastShown && atLeast(r.missed, 9000, r.stake)
}

// trait is what refunds are told apart by. A number divides those above it from those
// below; of a text, those that have it from all others.
type trait struct {
	name    string
	number  func(*observation) int64
	text    func(*observation) string
	above   func(n int64, money func(int64) string) string // n or more
	below   func(n int64, money func(int64) string) string // less than n
	yesOnly bool
}

func yes(name string, is func(*observation) bool, words string) trait {
	return trait{name: name, yesOnly: true, number: func(o *observation) int64 { return oneIf(is(o)) }, above: func(int64, func(int64) string) string { return words }}
}

// traits are in the order in which one is preferred to another that separates as well.
var traits = []trait{
	yes("later cycle", func(o *observation) bool { return o.Later }, "in a later cycle than their purchase's"),
	yes("same cycle", func(o *observation) bool { return !o.Later && !o.Early }, "in the cycle of their purchase"),
	yes("unlinked", func(o *observation) bool { return o.Unlinked }, "that name no purchase"),
	yes("chargeback", func(o *observation) bool { return o.Chargeback }, "that are chargebacks"),
	yes("unnamed chargeback", func(o *observation) bool { return o.Chargeback && o.Unlinked }, "that are chargebacks and name no purchase"),
	yes("over", func(o *observation) bool { return o.Over }, "above what was left of their purchase"),
	yes("early", func(o *observation) bool { return o.Early }, "that came before their purchase"),
	yes("ahead", func(o *observation) bool { return o.Ahead }, "that came before the reward was posted, which did not leave them out"),
	yes("spent", func(o *observation) bool { return o.Uncovered }, "whose reward had been redeemed"),
	yes("part", func(o *observation) bool { return o.Part < 1000 }, "of a part of their purchase"),
	yes("whole", func(o *observation) bool { return o.Part >= 1000 }, "of a whole purchase"),
	yes("elsewhere", func(o *observation) bool { return o.Elsewhere }, "at another merchant than their purchase"),
	{
		name: "age", number: func(o *observation) int64 { return o.Age },
		above: func(n int64, _ func(int64) string) string {
			return fmt.Sprintf("%d days or more after their purchase", n)
		},
		below: func(n int64, _ func(int64) string) string {
			return fmt.Sprintf("less than %d days after their purchase", n)
		},
	},
	yes("later quarter", func(o *observation) bool { return o.Quarter && !o.Early }, "in a later quarter of the calendar than their purchase"),
	yes("later year", func(o *observation) bool { return o.Year && !o.Early }, "in a later year of the calendar than their purchase"),
	{
		name: "number", number: func(o *observation) int64 { return o.Number },
		above: func(n int64, _ func(int64) string) string {
			return fmt.Sprintf("that are number %d or later of their purchase", n)
		},
		below: func(n int64, _ func(int64) string) string {
			return fmt.Sprintf("that come before number %d of their purchase", n)
		},
	},
	{
		name: "size", number: func(o *observation) int64 { return o.Size },
		above: func(n int64, money func(int64) string) string { return "of " + money(n) + " or more" },
		below: func(n int64, money func(int64) string) string { return "of less than " + money(n) },
	},
	{
		name: "category", text: func(o *observation) string { return o.Category },
	},
	{
		name: "rule", text: func(o *observation) string { return o.Rule },
	},
	{
		name: "tenure", number: func(o *observation) int64 { return o.Tenure },
		above: func(n int64, _ func(int64) string) string {
			return fmt.Sprintf("%d days or more after the account's first row", n)
		},
		below: func(n int64, _ func(int64) string) string {
			return fmt.Sprintf("within the account's first %d days", n)
		},
	},
	{
		name: "cycle day", number: func(o *observation) int64 { return o.CycleDay },
		above: func(n int64, _ func(int64) string) string { return fmt.Sprintf("from day %d of a cycle on", n) },
		below: func(n int64, _ func(int64) string) string { return fmt.Sprintf("before day %d of a cycle", n) },
	},
	{
		name: "share", number: func(o *observation) int64 { return o.Part },
		above: func(n int64, _ func(int64) string) string {
			return fmt.Sprintf("of %d.%d %% of their purchase or more", n/10, n%10)
		},
		below: func(n int64, _ func(int64) string) string {
			return fmt.Sprintf("of less than %d.%d %% of their purchase", n/10, n%10)
		},
	},
}

// mostRules is how long a list of conditions may be.
const mostRules = 4

// separate finds the conditions. Each is the one that holds for the most untaken refunds
// beyond the taken ones that it holds for too, as long as four in five are untaken.
func separate(list []observation, all int64, money func(int64) string) *Separation {
	list = seen.cut(slices.Clone(list)) // the same order whatever the shards
	s := &Separation{Refunds: int64(len(list)), Sampled: int64(len(list)) < all}
	rest := make([]*observation, len(list))
	for i := range list {
		rest[i] = &list[i]
		s.Untaken += oneIf(list[i].Untaken > 0)
		s.Amount += list[i].Untaken
	}
	for len(s.Rules) < mostRules {
		best, holds := condition(rest, money)
		if best.Untaken < leastShown {
			break
		}
		s.Rules = append(s.Rules, best)
		rest = slices.DeleteFunc(rest, holds)
	}
	return s
}

// clearer is by which part a condition has to be clearer than one that is preferred.
const clearer = 20

// condition is the clearest one on these refunds.
func condition(list []*observation, money func(int64) string) (best SeparatingRule, holds func(*observation) bool) {
	gain := int64(0)
	offer := func(r SeparatingRule, words func() string, in func(*observation) bool) {
		if g := 2*r.missed - r.stake; g > gain+gain/clearer && atLeast(r.missed, 8000, r.stake) && r.Refunds < int64(len(list)) {
			gain, best, holds = g, r, in
			best.Words = words()
		}
	}
	for i := range traits {
		t := &traits[i]
		if t.text != nil {
			t.byText(list, offer)
			continue
		}
		t.byNumber(list, money, offer)
	}
	return best, holds
}

type offering func(r SeparatingRule, words func() string, in func(*observation) bool)

func (t *trait) byText(list []*observation, offer offering) {
	by := map[string]*SeparatingRule{}
	for _, o := range list {
		name := t.text(o)
		if by[name] == nil {
			by[name] = &SeparatingRule{about: t.name}
		}
		by[name].count(o)
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		if name != "" {
			offer(*by[name], func() string { return "of " + t.name + " " + name }, func(o *observation) bool { return t.text(o) == name })
		}
	}
}

func (t *trait) byNumber(list []*observation, money func(int64) string, offer offering) {
	slices.SortStableFunc(list, func(a, b *observation) int { return cmp.Compare(t.number(a), t.number(b)) })
	var all SeparatingRule
	for _, o := range list {
		all.count(o)
	}
	below := SeparatingRule{about: t.name}
	for i, o := range list {
		if n := t.number(o); i > 0 && n != t.number(list[i-1]) {
			above := SeparatingRule{about: t.name, older: true, Refunds: all.Refunds - below.Refunds, Untaken: all.Untaken - below.Untaken, Amount: all.Amount - below.Amount, stake: all.stake - below.stake, missed: all.missed - below.missed}
			offer(above, func() string { return t.above(n, money) }, func(o *observation) bool { return t.number(o) >= n })
			if !t.yesOnly {
				offer(below, func() string { return t.below(n, money) }, func(o *observation) bool { return t.number(o) < n })
			}
		}
		below.count(o)
	}
}

func (r *SeparatingRule) count(o *observation) {
	r.Refunds++
	r.Untaken += oneIf(o.Untaken > 0)
	r.Amount += o.Untaken
	r.stake += o.Stake
	if o.Untaken > 0 {
		r.missed += o.Stake
	}
}
