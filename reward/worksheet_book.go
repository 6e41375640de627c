package reward

// book is a basket, or a bucket of a plain rule, while claims are placed.
type book struct {
	element
	all     exactly      // of posted purchases that may earn
	free    exactly      // of those that are not alone
	members []member     // never more than there is room for
	value   uint128      // E of all
	known   bool         // value is not to be worked out
	target  *termsTarget // that it is in the step under way; nil: its limit does not bind
	begins  Instant
	rank    bookRank
	basket  *basket // nil: of a plain rule
	stands  reach   // of a tier, once it is asked
	file    int32
}

// bookRank is where a book stands among those of equal worth.
type bookRank int8

const (
	ofRules bookRank = iota
	ofBonuses
	ofTiers
)

// member is an entry of a book in posting order, which only some elements ask for.
type member struct {
	exact
	alone bool
	key   int64
}

// bookOfBasket has all of a basket's purchases, as facts and firm places leave them.
func (s *worksheet) bookOfBasket(k *basket) *book {
	if b := s.of[k]; b != nil {
		return b
	}
	b := &book{element: k.element, basket: k, begins: k.begins, file: k.file}
	s.open(k, b)
	switch {
	case k.tier != nil:
		b.rank = ofTiers
		s.account.completeRanks(k)
	case k.bonus != nil:
		b.rank = ofBonuses
		s.account.complete(k)
	default:
		s.account.complete(k)
	}
	b.members = make([]member, 0, len(k.stakes))
	for _, x := range k.stakes {
		b.add(x.exactAs(s.pickOf(x), x.of.room(), s.scale), s.account.under(x.of).Method == Proportional && x.of.is(granted), x.rank())
	}
	return b
}

// bookOfBucket is the same of a plain rule's, whose element asks for no order.
func (s *worksheet) bookOfBucket(k *bucket) *book {
	if b := s.of[k]; b != nil {
		return b
	}
	b := &book{element: elementOf(k.rule), begins: s.account.newest.CycleStart(k.cycle), file: k.number}
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
	b.all.entries, b.free.entries, b.free.notAlone = &b.members, &b.members, true
}

func (b *book) add(x exact, alone bool, key int64) {
	b.members = append(b.members, member{x, alone, key})
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
