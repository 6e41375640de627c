package reward

// closeCycles closes the open cycle, and those without events up to the one
// given, as of the last close (paper, Algorithm 4).
func (s *step) closeCycles(next Cycle) {
	s.at, s.on, s.closing = next.Start(), next-1, true
	grace := s.program.Redemption.GraceDays
	s.giveUpWaiting()
	s.allocate()
	s.level()
	s.firmUp()
	for b := s.latest; b != nil && b.cycle == s.cycle; b = b.before {
		s.writeDown(b)
	}
	s.enter(next)
	for _, t := range s.waiting {
		s.touch(t)
	}
	s.waiting = nil
	s.settleUp(true)
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
		if r.active() && !r.transaction.is(posted) {
			r.unlinked = true
			s.claim(r)
		}
		n++
	}
	s.parked = drop(s.parked, n)
}

// firmUp makes the placements of old unlinked refunds final.
func (s *step) firmUp() {
	if s.match == nil {
		return
	}
	var still []*refund
	for _, r := range s.match.claims {
		if !r.firm && r.at.plusDays(s.program.Refunds.FirmDays) <= s.at {
			s.makeFirm(r)
		} else {
			still = append(still, r)
		}
	}
	s.match.claims = still
	if !s.matching() {
		s.match.unlist()
		s.match = nil
	}
}
