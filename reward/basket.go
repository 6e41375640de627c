package reward

import (
	"cmp"
	"iter"
	"slices"
)

// basket is what E counts together: the purchases of one limit of a rule, or of one
// bonus, in one period. A rule without a limit has none: there each purchase stands
// alone.
type basket struct {
	sort   basketSort
	name   string   // of the rule, of the limit that rules share, or of the bonus
	bonus  *Bonus   // nil: of none
	tier   *Tier    // nil: of none
	ranks  *ranking // of a tier
	rule   *Rule    // the first of those that share it
	per    Period
	number int32 // of the period
	file   int32 // its place in the program file: rules, then bonuses
	begins Instant
	element
	program *Program // the version under which it was made

	stakes []*stake // of posted purchases that may earn, by posting order, then layer

	order *ladder // of ranked ones, as levelling last saw them; nil where order is of no account
	sums  []int64 // by rate, what ranked ones earn together where one rate is for all
	step  int     // the rate that is posted

	present tally   // of granted ones, at the present allocation
	used    int64   // Σ retained; of a bonus what is posted
	risk    int64   // what of used would be taken if all were posted
	held    int64   // what of used may not be redeemed yet
	undated int64   // of what is posted, until its cycle is noted
	dated   []dated // of a lifetime, what is posted by cycle, where rewards expire

	laid []heldIn // where its rewards are in several lots, which of these are held

	changed bool // levelling has to look at it
	unheld  bool // its hold has to be worked out anew
	unread  bool // some of its stakes are kept elsewhere and have not been read
	handed  bool // it was handed out for change since it was last written down

	// Of a bonus: what has become of its purchases since it was levelled.
	granted, fell, rose bool
}

// stake is what a purchase is to a basket, or to a rule without a limit.
type stake struct {
	of     *transaction
	rule   *Rule   // nil: of a bonus or a tier; of several by tier the one that applies
	choice *choice // nil: what it is under does not depend on a tier
	basket *basket // nil: no limit, or it was posted after closing
	layer  int8
	place  int // in its basket, where that has an order

	earns bool // it may earn
	short bool // under Proportional, it waits for room under the cap

	original, retained int64
	risk, held         int64 // where its hold is its own
}

// particulars are what only some transactions have: what they say beside where they
// were made, and what they are to terms that are not plain.
type particulars struct {
	labels    Labels  // as the settlement sent them; before it, as the last authorisation did
	purchased Instant // as the settlement sent it; zero: it did not
	layered   bool    // its program version has layers
	stakes    []*stake
	counts    []*stake     // with bonuses, in file order
	ranks     []*stake     // with tiers that it qualifies for, in file order
	regards   []*basket    // those of tiers that its rules and bonuses go by
	inherited Labels       // the last authorisation's, where the settlement sent none
	bought    Instant      // time of purchase, of one that went by layers
	parcel    *parcel      // of its items; nil while none are known
	of        *transaction // whose item it is
}

// effective are the labels that terms go by.
func (m *particulars) effective() Labels {
	if m.labels != "" {
		return m.labels
	}
	return m.inherited
}

// boughtAt is the time of purchase, as far as terms ask for it.
func (m *particulars) boughtAt(t *transaction) Instant {
	if m.bought != 0 {
		return m.bought
	}
	return t.settledAt
}

func (t *transaction) particular() *particulars {
	if t.more == nil {
		t.more = new(particulars)
	}
	return t.more
}

// layered reports whether a posted purchase is under terms that are not plain.
func (t *transaction) layered() bool { return t.more != nil && t.more.layered }

// all yields what the purchase is to rules, then to bonuses and to tiers.
func (t *transaction) all() iter.Seq[*stake] {
	return func(yield func(*stake) bool) {
		for _, list := range [...][]*stake{t.more.stakes, t.more.counts, t.more.ranks} {
			for _, k := range list {
				if !yield(k) {
					return
				}
			}
		}
	}
}

// earning is how the stake counts.
func (k *stake) earning() *Earning {
	switch {
	case k.rule != nil:
		return &k.rule.Earning
	case k.basket.tier != nil:
		return &k.basket.tier.Earning
	}
	return &k.basket.bonus.Earning
}

// entry is what the purchase counts for with so much left of it.
func (k *stake) entry(left int64) entry { return k.entryAs(k.pick(), left) }

func (k *stake) entryUnder(r *Rule, left int64) entry {
	q := k.earning().counted(left)
	if r == nil {
		return entry{q: q}
	}
	return entry{q, r.alone(q)}
}

// exactUnder is the same, not rounded.
func (k *stake) exactUnder(r *Rule, left, scale int64) exact {
	q := k.earning().counted(left)
	if r == nil {
		return exact{q: q}
	}
	return exact{q, r.psi(q, scale)}
}

// byStake is posting order, then layer.
func byStake(x, y *stake) int {
	return cmp.Or(byOrder(x.of, y.of), cmp.Compare(x.layer, y.layer))
}

// basketKey names a basket within its account.
type basketKey struct {
	sort   basketSort
	name   string
	number int32
	per    Period
}

// basketSort is whose basket it is.
type basketSort byte

const (
	ofRule   basketSort = 'r'
	ofShared basketSort = 's' // of a limit that rules share
	ofBonus  basketSort = 'b'
	ofTier   basketSort = 't'
)

func (b *basket) key() basketKey { return basketKey{b.sort, b.name, b.number, b.per} }

// basketOf returns the basket that a rule's purchases count in which settled at a
// moment, nil for a rule without a limit.
func (a *Account) basketOf(p *Program, r *Rule, at Instant) *basket {
	if !r.limited() {
		return nil
	}
	sort, name := ofRule, r.ID
	if r.Shared != "" {
		sort, name = ofShared, r.Shared
	}
	number := p.number(r.Per, at)
	key := basketKey{sort, name, number, r.Per}
	if b := a.baskets[key]; b != nil {
		return b
	}
	return a.addBasket(&basket{sort: sort, name: name, per: r.Per, number: number}, p)
}

// basketOfBonus is the same of a bonus.
func (a *Account) basketOfBonus(p *Program, i int, at Instant) *basket {
	bonus := &p.Bonuses[i]
	number := p.number(bonus.Per, at)
	key := basketKey{ofBonus, bonus.ID, number, bonus.Per}
	if b := a.baskets[key]; b != nil {
		return b
	}
	return a.addBasket(&basket{sort: ofBonus, name: bonus.ID, per: bonus.Per, number: number}, p)
}

// basketOfTier is the same of a tier in a period, by its number.
func (a *Account) basketOfTier(p *Program, x *Tier, number int32) *basket {
	if b := a.baskets[basketKey{ofTier, x.ID, number, x.Per}]; b != nil {
		return b
	}
	b := a.addBasket(&basket{sort: ofTier, name: x.ID, per: x.Per, number: number}, p)
	if !b.unread { // it is new
		a.handBasket(b)
	}
	return b
}

// addBasket has a basket among the account's, as it is written down or, if it is not,
// as a version of the program has it.
func (a *Account) addBasket(b *basket, p *Program) *basket {
	b.define(p)
	b.begins = p.begins(b.per, b.number)
	if b.ordered() {
		b.order = &ladder{of: b, kept: a.kept}
	}
	if a.baskets == nil {
		a.baskets = make(map[basketKey]*basket)
	}
	a.baskets[b.key()] = b
	a.findBasket(b)
	return b
}

// ordered reports whether shares depend on posting order.
func (b *basket) ordered() bool {
	if b.bonus != nil || b.tier != nil || b.program.Method != Rerate {
		return false
	}
	rates, _ := b.rates(tally{})
	return rates == nil
}

// define takes what the basket counts by from a version of the program, and reports
// whether it is there. All versions under which it has purchases say the same of it,
// but perhaps in another place.
func (b *basket) define(p *Program) bool {
	b.program = p
	if b.sort == ofBonus {
		for i := range p.Bonuses {
			if x := &p.Bonuses[i]; x.ID == b.name {
				b.bonus, b.file, b.element = x, int32(i), elementOfBonus(x)
				return true
			}
		}
		return false
	}
	if b.sort == ofTier {
		x, file := p.tier(b.name)
		if x != nil {
			b.tier, b.file, b.element = x, file, tiered{first: x.Spend[0].From, next: x.Next}
			r := unranked(x)
			if b.ranks != nil {
				r.lookers = b.ranks.lookers
			}
			b.ranks = r
		}
		return x != nil
	}
	b.rule, b.file = p.firstRule(func(r *Rule) bool {
		if b.sort == ofShared {
			return r.Shared == b.name
		}
		return r.ID == b.name
	})
	if b.rule == nil {
		return false
	}
	b.element = elementOf(b.rule)
	return true
}

// firstRule is the first rule of which something holds, and its place in the file.
func (p *Program) firstRule(holds func(*Rule) bool) (rule *Rule, file int32) {
	for i := range p.Layers {
		for j := range p.Layers[i].Rules {
			if r := &p.Layers[i].Rules[j]; holds(r) {
				return r, file
			}
			file++
		}
	}
	return nil, 0
}

// join puts a stake that has just been made among those of its basket.
func (a *Account) join(k *stake) {
	b := k.basket
	if b.order != nil {
		a.joinOrder(k)
	}
	b.list(k)
}

// joinOrder gives a stake its place in posting order: the last, but for an item that
// came late, for which those behind its transaction move on.
func (a *Account) joinOrder(k *stake) {
	b, l := k.basket, k.basket.order
	var behind []*stake // the last first
	for k.place = l.places; k.place > 0; k.place-- {
		x := a.stakeAt(b, k.place-1)
		if byStake(x, k) < 0 {
			break
		}
		behind = append(behind, x)
	}
	l.enter(k.of.id)
	for _, x := range behind {
		l.put(x.place+1, x.of.id, l.at(x.place))
		x.place++
		a.hand(x.of)
	}
	if len(behind) > 0 {
		l.put(k.place, k.of.id, entry{})
	}
}

// list has a stake among those at hand.
func (b *basket) list(k *stake) {
	at, _ := slices.BinarySearchFunc(b.stakes, k, byStake)
	b.stakes = slices.Insert(b.stakes, at, k)
}

// stakeAt is the stake in a place.
func (a *Account) stakeAt(b *basket, place int) *stake {
	byPlace := func(k *stake, place int) int { return cmp.Compare(k.place, place) }
	at, there := slices.BinarySearchFunc(b.stakes, place, byPlace)
	if !there {
		id := b.order.id(place)
		a.lookup(id) // which lists it
		if at, there = slices.BinarySearchFunc(b.stakes, place, byPlace); !there {
			panic(&CorruptError{Account: a.id, Kind: TransactionPart, ID: id, Problem: "it is not in its place in " + b.key().id()})
		}
	}
	return b.stakes[at]
}

// inFile orders baskets: rules before bonuses, then file order, then period.
func inFile(x, y *basket) int {
	return cmp.Or(first(x.bonus == nil, y.bonus == nil), cmp.Compare(x.file, y.file), cmp.Compare(x.name, y.name), cmp.Compare(x.begins, y.begins))
}

// alter notes that a granted stake counts for something else now.
func (b *basket) alter(before, after entry) {
	b.present = b.present.minus(before).plus(after)
	switch {
	case after.q < before.q:
		b.fell = true
	case after.q > before.q:
		b.rose = true
	}
}

// reckon has all shares of a basket as they are at an allocation: by what each stake
// counts for, the zero entry if it does not. It yields what each gets, in posting order.
func (b *basket) reckon(as func(*stake) entry) iter.Seq2[*stake, int64] {
	return func(yield func(*stake, int64) bool) {
		entries := make([]entry, 0, len(b.stakes))
		var all, before tally
		for _, k := range b.stakes {
			e := as(k)
			entries = append(entries, e)
			all = all.plus(e)
		}
		for i, k := range b.stakes {
			if !yield(k, b.share(before, entries[i], all)) {
				return
			}
			before = before.plus(entries[i])
		}
	}
}

// value is what the basket is worth at an allocation.
func (b *basket) value(as func(*stake) entry) (total int64) {
	if b.bonus == nil {
		for _, f := range b.reckon(as) {
			total += f
		}
		return total
	}
	var all tally
	for _, k := range b.stakes {
		all = all.plus(as(k))
	}
	return b.worth(all)
}

// periodName is the basket's period as it is written.
func (b *basket) periodName() string { return b.per.named(b.number) }
