package reward

import "slices"

// keepLots begins to keep lots once a cycle begins whose rewards expire. What an account
// has by then is worked out from all of its facts, so it makes no difference since when
// it knew that rewards would expire.
func (s *step) keepLots(next Cycle) {
	from := s.newest.expiresFrom()
	if s.lots != nil || next < from {
		return
	}
	if s.entries == 0 && s.posted == 0 {
		s.lots = &lots{}
		return
	}
	s.readAll()
	for _, b := range s.baskets {
		if b.ofPeriod() && b.per == PerLifetime && b.used > 0 && b.dated == nil {
			b.dated = []dated{{from - 1, b.used}}
			s.handBasket(b)
		}
	}
	s.lots = s.lotsOfFacts()
	s.lots.stale = true
	s.changePast()
	s.settleLots()
	s.reholdSpread()
}

// lotsOfFacts works lots out from all that is at hand.
func (a *Account) lotsOfFacts() *lots {
	from := a.newest.expiresFrom()
	p := &past{}
	l := &lots{past: p}
	in := make(map[Cycle]*lot)
	at := func(c Cycle) *lot {
		if c < from {
			return &p.opening
		}
		if in[c] == nil {
			in[c] = &lot{cycle: c}
		}
		return in[c]
	}
	hold := func(c Cycle, risk, held int64) {
		at(c).risk += risk
		at(c).held += held
	}
	for t := range a.transactions.all() {
		switch {
		case !t.is(posted):
		case !t.layered():
			at(t.cycle).earned += t.retained
			hold(t.cycle, t.risk, t.held)
		default:
			for _, k := range t.more.stakes {
				if k.basket == nil || !k.basket.ofPeriod() {
					at(t.cycle).earned += k.retained
				}
				hold(t.cycle, k.risk, k.held)
			}
		}
	}
	for b := range a.buckets() {
		if b.pooled() {
			hold(b.cycle, b.risk, b.held)
		}
	}
	for _, b := range a.baskets {
		switch {
		case b.per == PerLifetime:
			for _, x := range b.dated {
				at(x.cycle).earned += x.amount
			}
		case b.ofPeriod():
			at(a.lastCycle(b)).earned += b.used
		}
		a.eachHold(b, hold)
	}
	used := func(c Cycle, amount int64) {
		switch {
		case c < from:
			p.opening.earned -= amount
		case c == a.cycle:
			l.used += amount
		default:
			p.useIn(c, amount)
		}
	}
	for _, x := range a.corrections {
		if x.amount > 0 {
			at(x.cycle).earned += x.amount
		} else {
			used(x.cycle, -x.amount)
		}
	}
	for _, r := range a.redemptions {
		switch {
		case r.open():
			used(r.cycle, r.authorised)
		case !r.returned && r.amount > 0:
			used(r.cycle, r.amount)
		}
	}
	for _, x := range in {
		switch end := a.newest.expiresWith(x.cycle); {
		case end == endless || x.empty():
		case end < a.cycle:
			p.lots = append(p.lots, *x)
		default:
			l.living = append(l.living, *x)
		}
	}
	slices.SortFunc(p.lots, byLot)
	slices.SortFunc(l.living, byLot)
	return l
}

func byLot(x, y lot) int { return int(x.cycle) - int(y.cycle) }
