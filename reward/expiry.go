package reward

import (
	"cmp"
	"slices"
)

// Rewards expire by lots: what was earned in a billing cycle, and is not used by the
// close of a later one. What has expired is a pure function of lots and uses
// (docs/terms.md, Expiry), so whatever becomes of a purchase later finds its reward as
// if nothing had been posted: a clawback of what has expired undoes the expiry.

// MaxExpiryMonths bounds the months after which a program's rewards expire.
const MaxExpiryMonths = 120

// firstCycle is before every cycle there is, and after no cycle at all, which stands for
// what happened before lots were kept.
const firstCycle Cycle = 1

// endless is the last cycle of a lot that never expires.
const endless = Cycle(1 << 30)

// expiresFrom is the first cycle whose rewards expire under some version so far; endless
// if there is none.
func (p *Program) expiresFrom() Cycle {
	first := endless
	for ; p != nil; p = p.Earlier {
		if p.ExpiryMonths > 0 {
			first = p.From
			if p.Earlier == nil {
				first = firstCycle
			}
		}
	}
	return first
}

// expiresWith is the cycle at whose close the rewards of a cycle expire: so many months
// later, but not before those of an earlier one.
func (p *Program) expiresWith(c Cycle) Cycle {
	last, end := c, firstCycle
	for v := p.In(c); v != nil && v.ExpiryMonths > 0; v = v.Earlier {
		end = max(end, last+Cycle(v.ExpiryMonths))
		last = v.From - 1
	}
	if end == firstCycle {
		return endless
	}
	return end
}

// lot is what was earned in a cycle.
type lot struct {
	cycle      Cycle
	earned     int64 // as posted
	risk, held int64 // what of it would be taken if all were posted, and may not be redeemed
	expired    int64 // as posted; zero while it has not
}

func (x *lot) empty() bool { return x.earned|x.risk|x.held|x.expired == 0 }

// use is what was redeemed, promised, or taken by hand in a cycle.
type use struct {
	cycle  Cycle
	amount int64
}

// lots are what of an account may expire, and what has. Most events touch the lot of the
// open cycle alone.
type lots struct {
	living []lot // those that have not expired, by cycle
	used   int64 // Σ uses of the open cycle
	free   int64 // what is left of what never expires and is used first
	owed   int64 // Σ uses that lie on no lot that has expired: living ones bear them, the oldest first

	expired                int64 // Σ
	riskRelief, heldRelief int64 // what of risk and held would be taken from nobody

	past       *past     // nil: not at hand
	undated    []*basket // lifetimes of which something was posted
	stale      bool      // what has expired has to be worked out anew
	unrelieved bool      // the reliefs have to be
}

// past is what has expired, and the uses of cycles that are over.
type past struct {
	opening lot // what never expires, and is used first; below zero it is a use
	lots    []lot
	uses    []use

	written bool // it is a part of the account
	handed  bool // it was handed out for change since it was last written down
}

// lotOf returns the lot of a cycle for change, nil for one that never expires; gone says
// that it has expired.
func (a *Account) lotOf(c Cycle) (x *lot, gone bool) {
	if c < a.newest.expiresFrom() {
		return &a.changePast().opening, true
	}
	list := &a.lots.living
	switch end := a.newest.expiresWith(c); {
	case end == endless:
		return nil, false
	case end < a.cycle:
		list, gone = &a.changePast().lots, true
	}
	at, found := slices.BinarySearchFunc(*list, c, func(x lot, c Cycle) int { return cmp.Compare(x.cycle, c) })
	if !found {
		*list = slices.Insert(*list, at, lot{cycle: c})
	}
	return &(*list)[at], gone
}

// earn adds what was posted to the lot of a cycle, or takes it from there.
func (a *Account) earn(c Cycle, amount int64) {
	if a.lots == nil {
		return
	}
	if x, gone := a.lotOf(c); x != nil {
		x.earned += amount
		a.lots.stale = a.lots.stale || gone
		a.lots.forget(x, gone)
	}
}

// holdLot changes what is held of the lot of a cycle.
func (a *Account) holdLot(c Cycle, risk, held int64) {
	if a.lots == nil || risk|held == 0 {
		return
	}
	if x, gone := a.lotOf(c); x != nil {
		x.risk += risk
		x.held += held
		a.lots.unrelieved = a.lots.unrelieved || gone
		a.lots.forget(x, gone)
	}
}

// forget lets go of a living lot that has nothing left.
func (l *lots) forget(x *lot, gone bool) {
	if c := x.cycle; !gone && x.empty() {
		l.living = slices.DeleteFunc(l.living, func(y lot) bool { return y.cycle == c })
	}
}

// earnIn is earn of what a bonus, or a rule whose rate is for all of a period, has paid.
// That of a lifetime is dated once all of the event is posted.
func (a *Account) earnIn(b *basket, amount int64) {
	switch {
	case a.lots == nil:
	case b.per != PerLifetime:
		a.earn(a.lastCycle(b), amount)
	default:
		b.undated += amount
		if !slices.Contains(a.lots.undated, b) {
			a.lots.undated = append(a.lots.undated, b)
		}
	}
}

// dateLifetimes has what an event posted of lifetimes be of the cycle that it is on.
func (s *step) dateLifetimes() {
	for _, b := range s.lots.undated {
		s.layHold(b, -1)
		b.date(s.on, b.undated, s.earn)
		s.layHold(b, 1)
		b.undated = 0
	}
	s.lots.undated = s.lots.undated[:0]
}

// dated is what was posted of a lifetime's bonus in a cycle.
type dated use

// date notes what is posted of a lifetime: what is taken back comes from the latest.
func (b *basket) date(on Cycle, amount int64, earn func(Cycle, int64)) {
	if n := len(b.dated); amount > 0 && (n == 0 || b.dated[n-1].cycle < on) {
		b.dated = append(b.dated, dated{cycle: on})
	}
	for amount != 0 {
		last := &b.dated[len(b.dated)-1]
		part := max(amount, -last.amount)
		last.amount += part
		amount -= part
		earn(last.cycle, part)
		if last.amount == 0 {
			b.dated = b.dated[:len(b.dated)-1]
		}
	}
}

// lastCycle is the cycle that holds the last instant of a basket's period.
func (a *Account) lastCycle(b *basket) Cycle {
	return a.newest.CycleAt(b.program.ends(b.per, b.number) - 1)
}

// ofPeriod reports whether what a basket has paid is of its period and not of single
// purchases.
func (b *basket) ofPeriod() bool { return b.bonus != nil || b.rule != nil && b.rule.Whole }

// use notes that so much was used in a cycle, or with less than zero that it was not.
func (a *Account) use(c Cycle, amount int64) {
	l := a.lots
	switch {
	case l == nil || amount == 0:
	case c < a.newest.expiresFrom():
		a.changePast().opening.earned -= amount
		l.stale = true
	case c == a.cycle:
		l.used += amount
		if amount < 0 {
			l.stale = true // whether it was of what never expires, all uses together say
			return
		}
		free := min(l.free, amount)
		l.free -= free
		l.owed += amount - free
	default:
		a.changePast().useIn(c, amount)
		l.stale = true
	}
}

func (p *past) useIn(c Cycle, amount int64) {
	at, found := slices.BinarySearchFunc(p.uses, c, func(x use, c Cycle) int { return cmp.Compare(x.cycle, c) })
	if !found {
		p.uses = slices.Insert(p.uses, at, use{cycle: c})
	}
	p.uses[at].amount += amount
}

// useCycle is the cycle that a use of now is of.
func (a *Account) useCycle() Cycle {
	if a.lots == nil {
		return 0
	}
	return a.cycle
}

// retire moves the lots that are over to the past, and the uses of the cycle that was
// closed.
func (a *Account) retire(closed Cycle) {
	l := a.lots
	if l == nil {
		return
	}
	if l.used != 0 {
		a.changePast().useIn(closed, l.used)
		l.used = 0
	}
	n := 0
	for n < len(l.living) && a.newest.expiresWith(l.living[n].cycle) < a.cycle {
		n++
	}
	if n > 0 {
		p := a.changePast()
		p.lots = append(p.lots, l.living[:n]...)
		l.living = slices.Delete(l.living, 0, n)
		l.stale = true
	}
	a.reholdSpread() // what a purchase would gain in a lot that is over counts no more, had it one or not
}

// expiryDue is when the first lot expires of which something is left; zero: never.
func (a *Account) expiryDue() Instant {
	for x := range a.unused() {
		return a.newest.CycleEnd(a.newest.expiresWith(x.cycle))
	}
	return 0
}
