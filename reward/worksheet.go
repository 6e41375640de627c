package reward

import (
	"cmp"
	"math/big"
	"slices"
)

// worksheet is the purchases that unlinked money may be placed on, with E of all that
// they count in, where terms are not plain. It is made anew for each allocation;
// field is what plain programs have instead.
type worksheet struct {
	account *Account
	lines   []*line // by settlement time, then id
	books   []*book
	of      map[any]*book // by basket or bucket
	worths  map[uint128]*big.Rat
	classes []*big.Rat             // all worths of lines, each once, ascending
	leads   []*book                // of tiers that lines qualify for
	at      map[*transaction]*line // where there are leads

	scale int64
	log   []portion // what was taken, in order
}

// line is a posted purchase on the worksheet.
type line struct {
	of    *transaction
	place int // among the lines
	kind  string
	room  int64 // what facts and firm places leave
	left  int64 // the same, less what was taken
	alone bool  // granted under Proportional: what it loses is its own
	worth *big.Rat
	class int    // of its worth
	roles []role // what it earns under, by layer, then bonuses
}

// role is what a line is to a rule or a bonus.
type role struct {
	line    *line
	earning *Earning
	stake   *stake  // nil: of a plain rule
	pick    int8    // of the stake's choice
	rule    *Rule   // a plain one
	book    *book   // nil: a rule without a limit
	member  *member // of the book; nil where that has no entries
	now     exact
	saved   uint128 // value of the book before a trial
	file    int32
	order   int64 // in its book
}

// portion is money of a claim on a line.
type portion struct {
	claim  int
	line   *line
	amount int64
}

// termsTarget is what a step places money on.
type termsTarget struct {
	linear bool
	worth  *big.Rat // of a linear one
	book   *book
	single *role
	lines  []*line
}

// worksheetFor has every purchase that a claim may be of, and those of which something
// is to be left aside.
func (a *Account) worksheetFor(claims []*claim, less []placement) *worksheet {
	s := &worksheet{account: a, of: make(map[any]*book), worths: make(map[uint128]*big.Rat), scale: a.newest.scale()}
	from, to := never, always
	for _, c := range claims {
		if c.within == nil {
			from, to = min(from, c.from), max(to, c.to)
		}
	}
	var list []*transaction
	for t := range a.settledBetween(from, to) {
		list = append(list, t)
	}
	beside := func(t *transaction) {
		if t.settledAt < from || t.settledAt >= to {
			list = append(list, t)
		}
	}
	for _, c := range claims {
		if c.within != nil {
			for _, x := range c.within.items() {
				beside(x)
			}
		}
	}
	for _, x := range less {
		beside(x.on)
	}
	slices.SortFunc(list, bySettled)
	list = slices.Compact(list)
	lines := make([]line, len(list))
	for i, t := range list {
		lines[i] = line{of: t, place: i, kind: a.kindOf(t), room: t.room(), left: t.room()}
		s.lines = append(s.lines, &lines[i])
		s.fill(&lines[i])
	}
	s.addLookers()
	s.classify()
	for _, x := range less {
		at, _ := slices.BinarySearchFunc(list, x.on, bySettled)
		l := s.lines[at]
		s.set(l, l.left-x.amount)
		l.room = l.left
	}
	return s
}

// fill says what a line earns under.
func (s *worksheet) fill(l *line) {
	t := l.of
	l.alone = t.is(granted) && s.account.under(t).Method == Proportional
	switch {
	case t.layered():
		l.roles = make([]role, 0, len(t.more.stakes)+len(t.more.counts)+len(t.more.ranks))
		for k := range t.all() {
			if !k.earns {
				continue
			}
			x := role{line: l, earning: k.earning(), stake: k, pick: s.pickOf(k), order: k.rank()}
			switch {
			case k.basket != nil:
				x.book, x.file = s.bookOfBasket(k.basket), k.basket.file
				if x.book.rank == ofTiers {
					s.leads = append(s.leads, x.book)
				}
			default:
				first := k.ruleAs(0)
				_, x.file = s.account.under(t).firstRule(func(r *Rule) bool { return r == first })
			}
			s.addRole(x)
		}
	case t.bucket != nil:
		r := t.bucket.rule
		x := role{line: l, earning: &r.Earning, rule: r, file: t.rule, order: t.rank()}
		if t.bucket.capped() {
			x.book = s.bookOfBucket(t.bucket)
		}
		s.addRole(x)
	}
	fresh := false
	if l.worth, fresh = s.worthOf(l); fresh {
		s.classes = append(s.classes, l.worth)
	}
}

// worthOf is what all layers take a unit of a line where nothing else decides, and whether
// no other line may have had it.
func (s *worksheet) worthOf(l *line) (worth *big.Rat, fresh bool) {
	t := l.of
	var own uint128
	var odd *big.Rat // what is granted otherwise
	earn := func(rate Fraction, original int64) {
		if !l.alone || original == rate.of(t.base) {
			own = own.add(rate.times(1, s.scale))
			return
		}
		if odd == nil {
			odd = new(big.Rat)
		}
		odd.Add(odd, big.NewRat(original, t.base))
	}
	for i := range l.roles {
		switch x := &l.roles[i]; {
		case x.rule != nil:
			earn(x.rule.fraction(), t.original)
		case x.stake.rule != nil && x.pick != none:
			earn(x.stake.ruleAs(x.pick).first(), x.stake.original)
		}
	}
	if odd != nil { // a worth of its own; those of s.worths are classes already
		return odd.Add(odd, new(big.Rat).SetFrac(own.big(), big.NewInt(s.scale))), true
	}
	if worth = s.worths[own]; worth == nil {
		worth, fresh = new(big.Rat).SetFrac(own.big(), big.NewInt(s.scale)), true
		s.worths[own] = worth
	}
	return worth, fresh
}

// classify finds which lines are worth the same, once, so that nothing has to be
// compared while claims choose.
func (s *worksheet) classify() {
	all := slices.Clone(s.classes)
	slices.SortFunc(s.classes, (*big.Rat).Cmp)
	s.classes = slices.CompactFunc(s.classes, func(x, y *big.Rat) bool { return x.Cmp(y) == 0 })
	class := make(map[*big.Rat]int, len(all))
	for _, w := range all {
		class[w], _ = slices.BinarySearchFunc(s.classes, w, (*big.Rat).Cmp)
	}
	for _, l := range s.lines {
		l.class = class[l.worth]
	}
}

// first is the rate of the first unit that is spent.
func (r *Rule) first() Fraction {
	if len(r.Steps) > 0 {
		return fraction(r.Steps[0].Rate, r.Steps[0].Exact)
	}
	return r.fraction()
}

// rank is the stake's place in the order of its basket.
func (k *stake) rank() int64 { return k.of.rank()<<8 | int64(k.layer) }

// rank is its place in posting order.
func (t *transaction) rank() int64 { return int64(t.order)<<16 | int64(t.item) }

// purchaseRank is the purchase's that a stake's rank has.
func purchaseRank(rank int64) int64 { return rank >> 8 }

// entry is what the line counts for in a role with so much left of it.
func (x *role) entry(left, scale int64) exact {
	if x.stake != nil {
		return x.stake.exactAs(x.pick, left, scale)
	}
	return exact{left, x.rule.psi(left, scale)}
}

func (s *worksheet) addRole(x role) {
	x.now = x.entry(x.line.left, s.scale)
	if b := x.book; b != nil {
		if at, there := slices.BinarySearchFunc(b.members, x.order, func(m member, key int64) int { return cmp.Compare(m.key, key) }); there {
			x.member = &b.members[at]
		}
	}
	x.line.roles = append(x.line.roles, x)
}

// again reports whether a role before one of the line's is of the same book.
func (l *line) again(i int) bool {
	for j := range l.roles[:i] {
		if l.roles[j].book == l.roles[i].book {
			return true
		}
	}
	return false
}

// set leaves so much of a line, with all that it counts in.
func (s *worksheet) set(l *line, left int64) {
	l.left = left
	for i := range l.roles {
		l.roles[i].recount(s.scale)
	}
	if len(s.leads) > 0 {
		s.restand(l)
	}
}

// recount has a role count for what is left of its line.
func (x *role) recount(scale int64) {
	was := x.now
	x.now = x.entry(x.line.left, scale)
	if b := x.book; b != nil {
		b.change(was, x.now, x.line.alone)
		if x.member != nil {
			x.member.exact = x.now
		}
	}
}

// around is E of all that a line counts in.
func (l *line) around() (sum uint128) {
	for i := range l.roles {
		switch x := &l.roles[i]; {
		case x.book == nil:
			sum = sum.add(x.now.psi)
		case !l.again(i):
			sum = sum.add(x.book.promise())
		}
	}
	return sum
}

// take places money of a claim on a line, and returns what E falls by.
func (s *worksheet) take(claim int, l *line, amount int64) fall {
	before := s.affected(l)
	s.set(l, l.left-amount)
	s.log = append(s.log, portion{claim, l, amount})
	return fallOf(before, s.affected(l))
}

// trial is what E would fall by if money were placed on a line.
func (s *worksheet) trial(l *line, amount int64) fall {
	before, left := s.affected(l), l.left
	for i := range l.roles {
		if x := &l.roles[i]; x.book != nil {
			x.saved = x.book.promise()
		}
	}
	s.set(l, left-amount)
	by := fallOf(before, s.affected(l))
	s.set(l, left)
	for i := range l.roles {
		if x := &l.roles[i]; x.book != nil {
			x.book.value, x.book.known = x.saved, true
		}
	}
	return by
}

// undo gives back all that was taken since the log was that long.
func (s *worksheet) undo(to int) {
	for len(s.log) > to {
		x := s.log[len(s.log)-1]
		s.log = s.log[:len(s.log)-1]
		s.set(x.line, x.line.left+x.amount)
	}
}

// together is what all purchases are worth, each counted with the others: of what was
// granted under Proportional its own worth, of everything else E.
func (s *worksheet) together() *big.Rat {
	var exact uint128
	sum := new(big.Rat)
	for _, b := range s.books {
		exact = exact.add(b.promised(&b.free))
	}
	for _, l := range s.lines {
		if l.alone {
			own := new(big.Rat).SetInt64(l.left)
			sum.Add(sum, own.Mul(own, l.worth))
			continue
		}
		for i := range l.roles {
			if x := &l.roles[i]; x.book == nil {
				exact = exact.add(x.now.psi)
			}
		}
	}
	return sum.Add(sum, new(big.Rat).SetFrac(exact.big(), big.NewInt(s.scale)))
}
