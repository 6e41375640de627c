package reward

import (
	"cmp"
	"iter"
	"math/big"
	"slices"
)

// worksheet is the purchases that unlinked money may be placed on, with E of all that
// they count in, where terms are not plain. It is made anew for each allocation;
// field is what plain programs have instead.
type worksheet struct {
	account *Account
	lines   []*line // by settlement time, then id
	at      map[*transaction]*line
	books   []*book
	of      map[any]*book // by basket or bucket

	scale int64
	log   []portion // what was taken, in order
}

// line is a posted purchase on the worksheet.
type line struct {
	of    *transaction
	kind  string
	room  int64 // what facts and firm places leave
	left  int64 // the same, less what was taken
	alone bool  // granted under Proportional: what it loses is its own
	worth *big.Rat
	roles []*role // what it earns under, by layer, then bonuses
}

// role is what a line is to a rule or a bonus.
type role struct {
	line    *line
	earning *Earning
	entry   func(left int64) exact
	rate    Fraction // of the first unit, where it is linear
	book    *book    // nil: a rule without a limit
	member  *member  // of the book; nil where that has no entries
	now     exact
	file    int32
	order   int64 // in its book
}

// book is a basket, or a bucket of a plain rule, while claims are placed.
type book struct {
	element
	all     exactly // of posted purchases that may earn
	free    exactly // of those that are not alone
	members []*member
	value   uint128 // E of all
	known   bool    // value is not to be worked out
	begins  Instant
	bonus   bool
	file    int32
	name    string
}

// member is an entry of a book in posting order, which only some elements ask for.
type member struct {
	exact
	alone bool
	key   int64
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
	s := &worksheet{account: a, at: make(map[*transaction]*line), of: make(map[any]*book), scale: a.newest.scale()}
	from, to := never, always
	for _, c := range claims {
		from, to = min(from, c.from), max(to, c.to)
	}
	var list []*transaction
	for t := range a.settledBetween(from, to) {
		list = append(list, t)
	}
	for _, x := range less {
		if x.on.settledAt < from || x.on.settledAt >= to {
			list = append(list, x.on)
		}
	}
	slices.SortFunc(list, bySettled)
	for _, t := range list {
		s.addLine(t)
	}
	for _, x := range less {
		l := s.at[x.on]
		s.set(l, l.left-x.amount)
		l.room = l.left
	}
	return s
}

func (s *worksheet) addLine(t *transaction) {
	a, p := s.account, s.account.under(t)
	l := &line{of: t, kind: a.kindOf(t), room: t.room(), left: t.room()}
	s.at[t] = l
	s.lines = append(s.lines, l)
	l.alone = t.is(granted) && p.Method == Proportional
	l.worth = new(big.Rat)
	switch {
	case t.layered():
		for k := range t.all() {
			if k.earns {
				s.addStake(l, k)
			}
		}
	case t.bucket != nil:
		r := t.bucket.rule
		x := &role{line: l, earning: &r.Earning, rate: r.fraction(), file: t.rule, order: int64(t.order)}
		x.entry = func(left int64) exact { return exact{left, r.psi(left, s.scale)} }
		if t.bucket.capped() {
			x.book = s.bookOfBucket(t.bucket)
		}
		s.addRole(x)
		s.ownWorth(l, r.fraction(), t.original)
	}
}

// ownWorth adds what one layer takes a unit where nothing else decides.
func (s *worksheet) ownWorth(l *line, rate Fraction, original int64) {
	if t := l.of; l.alone && original != rate.of(t.base) {
		l.worth.Add(l.worth, big.NewRat(original, t.base))
	} else {
		l.worth.Add(l.worth, big.NewRat(rate.Num, rate.Den))
	}
}

func (s *worksheet) addStake(l *line, k *stake) {
	x := &role{line: l, earning: k.earning(), order: k.rank()}
	x.entry = func(left int64) exact { return k.exact(left, s.scale) }
	if k.basket != nil {
		x.book = s.bookOfBasket(k.basket)
		x.file = k.basket.file
	}
	if k.rule != nil {
		x.rate = k.rule.fraction()
		if len(k.rule.Steps) > 0 {
			x.rate = fraction(k.rule.Steps[0].Rate, k.rule.Steps[0].Exact)
		}
		if k.basket == nil {
			_, x.file = s.account.under(l.of).firstRule(func(r *Rule) bool { return r == k.rule })
		}
		s.ownWorth(l, x.rate, k.original)
	}
	s.addRole(x)
}

// rank is the stake's place in the order of its basket.
func (k *stake) rank() int64 { return int64(k.of.order)<<8 | int64(k.layer) }

func (s *worksheet) addRole(x *role) {
	x.now = x.entry(x.line.left)
	x.line.roles = append(x.line.roles, x)
	if b := x.book; b != nil {
		if at, there := slices.BinarySearchFunc(b.members, x.order, func(m *member, key int64) int { return cmp.Compare(m.key, key) }); there {
			x.member = b.members[at]
		}
	}
}

// bookOfBasket has all of a basket's purchases, as facts and firm places leave them.
func (s *worksheet) bookOfBasket(k *basket) *book {
	if b := s.of[k]; b != nil {
		return b
	}
	b := &book{element: k.element, begins: k.begins, bonus: k.bonus != nil, file: k.file, name: k.name}
	s.open(k, b)
	s.account.complete(k)
	for _, x := range k.stakes {
		b.add(x.exact(x.of.room(), s.scale), s.account.under(x.of).Method == Proportional && x.of.is(granted), x.rank())
	}
	return b
}

// bookOfBucket is the same of a plain rule's, whose element asks for no order.
func (s *worksheet) bookOfBucket(k *bucket) *book {
	if b := s.of[k]; b != nil {
		return b
	}
	b := &book{element: elementOf(k.rule), begins: s.account.newest.CycleStart(k.cycle), file: k.number, name: k.rule.ID}
	s.open(k, b)
	net := k.net + k.soft
	b.all.spend, b.all.psi = net, k.rule.psi(net, s.scale)
	b.free.psi = b.all.psi
	if k.program.Method == Proportional {
		b.free.psi = k.rule.psi(k.ungranted, s.scale)
	}
	return b
}

func (s *worksheet) open(key any, b *book) {
	s.of[key] = b
	s.books = append(s.books, b)
	b.all.scale, b.free.scale = s.scale, s.scale
	b.all.entries = b.inOrder(func(*member) bool { return true })
	b.free.entries = b.inOrder(func(m *member) bool { return !m.alone })
}

func (b *book) inOrder(counts func(*member) bool) iter.Seq[exact] {
	return func(yield func(exact) bool) {
		for _, m := range b.members {
			if counts(m) && !yield(m.exact) {
				return
			}
		}
	}
}

func (b *book) add(x exact, alone bool, key int64) {
	b.members = append(b.members, &member{x, alone, key})
	b.change(exact{}, x, alone)
}

// change has a book count an entry for something else.
func (b *book) change(was, is exact, alone bool) {
	b.known = false
	for _, sum := range [...]*exactly{&b.all, &b.free} {
		if sum == &b.free && alone {
			continue
		}
		sum.tally = sum.tally.minus(entry{q: was.q}).plus(entry{q: is.q})
		sum.psi = sum.psi.add(is.psi).sub(was.psi)
	}
}

// promise is E of the book.
func (b *book) promise() uint128 {
	if !b.known {
		b.value, b.known = b.promised(&b.all), true
	}
	return b.value
}

// limits reports whether the book's limit binds.
func (b *book) limits() bool { return b.binds(&b.all) }

// set leaves so much of a line, with all that it counts in.
func (s *worksheet) set(l *line, left int64) {
	l.left = left
	for _, x := range l.roles {
		was := x.now
		x.now = x.entry(left)
		if b := x.book; b != nil {
			b.change(was, x.now, l.alone)
			if x.member != nil {
				x.member.exact = x.now
			}
		}
	}
}

// around is E of all that a line counts in.
func (l *line) around() (sum uint128) {
	for i, x := range l.roles {
		switch {
		case x.book == nil:
			sum = sum.add(x.now.psi)
		case !slices.ContainsFunc(l.roles[:i], func(o *role) bool { return o.book == x.book }):
			sum = sum.add(x.book.promise())
		}
	}
	return sum
}

// take places money of a claim on a line, and returns what E falls by.
func (s *worksheet) take(claim int, l *line, amount int64) fall {
	before := l.around()
	s.set(l, l.left-amount)
	s.log = append(s.log, portion{claim, l, amount})
	return fallOf(before, l.around())
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
		for _, x := range l.roles {
			if x.book == nil {
				exact = exact.add(x.now.psi)
			}
		}
	}
	return sum.Add(sum, new(big.Rat).SetFrac(exact.big(), big.NewInt(s.scale)))
}
