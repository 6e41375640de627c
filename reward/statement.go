package reward

import "slices"

// closeCycles closes the open cycle, and those without events up to the one
// given, as of the last close (paper, Algorithm 4).
func (s *step) closeCycles(next Cycle) {
	s.at, s.on, s.closing = s.newest.CycleStart(next), next-1, true
	s.keepLots(next)
	s.turn(next)
	grace := s.program.Redemption.GraceDays
	s.giveUpWaiting()
	s.allocate()
	s.level()
	s.firmUp()
	for b := s.latest; b != nil && b.cycle == s.cycle; b = b.before {
		s.writeDown(b)
	}
	closed := s.cycle
	s.enter(next)
	s.retire(closed)
	for _, t := range s.waiting {
		s.touch(t)
	}
	s.waiting = nil
	s.reconcile(true)
	s.settleLots()
	s.closing = false
	if grace > 0 {
		s.holdUntil = s.at.plusDays(grace)
	}
}

// giveUpWaiting turns refunds that waited park_days for a purchase that has not
// posted into claims on whatever spend there is.
func (s *step) giveUpWaiting() {
	n := 0
	for _, r := range s.parked {
		if r.arrived.plusDays(s.program.Refunds.ParkDays) > s.at {
			break
		}
		if r.waits() {
			r.unlinked = true
			s.claim(r)
		}
		n++
	}
	s.parked = drop(s.parked, n)
}

// firmUp makes the placements of old unlinked refunds final.
func (s *step) firmUp() {
	old := func(r *refund) bool {
		return !r.firm && r.at.plusDays(s.program.Refunds.FirmDays) <= s.at && !s.counts(r, s.at)
	}
	for {
		i := slices.IndexFunc(s.loose, old)
		if i < 0 {
			break
		}
		s.makeFirm(s.loose[i])
	}
	for {
		i := slices.IndexFunc(s.spreads, s.settles)
		if i < 0 {
			break
		}
		s.keep(s.spreads[i])
	}
	if !s.moving() {
		s.field = nil
	}
}
