package reward

import "slices"

// termsSeeker is a claim at work on a worksheet.
type termsSeeker struct {
	*claim
	number int
	left   int64
	may    []uint8 // by line, a bit for each pass by which it may be of it
	ever   uint8   // all of them
}

// turn is a claim at the pass by which it looks.
type turn struct {
	*termsSeeker
	pass pass
}

// seeker works out once what a claim may be of.
func (d *placing) seeker(c *claim, number int) *termsSeeker {
	s := &termsSeeker{claim: c, number: number, left: c.need, may: make([]uint8, len(d.lines))}
	for i, l := range d.lines {
		if l.of.settledAt < c.from || l.of.settledAt >= c.to {
			continue
		}
		for p := ownItems; p < nowhere; p++ {
			if c.suits(l, p) {
				s.may[i] |= p.bit()
			}
		}
		s.ever |= s.may[i]
	}
	return s
}

// candidates are the lines that a claim may be of by its pass. The list is good until the
// next is asked for.
func (d *placing) candidates(c turn, among []*line) []*line {
	if c.left == 0 || c.ever&c.pass.bit() == 0 {
		return nil
	}
	d.list = d.list[:0]
	for _, l := range among {
		if c.mayTake(l) {
			d.list = append(d.list, l)
		}
	}
	return d.list
}

// any reports whether a claim that seeks may be of one of the lines by its pass.
func (c turn) any(among []*line) bool {
	return c.left > 0 && c.ever&c.pass.bit() != 0 && slices.ContainsFunc(among, c.mayTake)
}

// mayTake reports whether money of a claim may be placed on a line by its pass.
func (c turn) mayTake(l *line) bool {
	return l.left > 0 && c.may[l.place]&c.pass.bit() != 0
}

// bit stands for a pass among several.
func (p pass) bit() uint8 { return 1 << (p - ownItems) }

// suits reports whether a line is what a claim may be of by a pass.
func (c *claim) suits(l *line, by pass) bool {
	if c.within != nil || by == ownItems {
		return by == ownItems && l.of.whole() == c.within
	}
	merchant := l.of.merchant == c.merchant && (c.excess() || c.merchant != "")
	kind := l.kind == c.kind && (c.excess() || c.kind != "")
	switch by {
	case sameBoth:
		return merchant && kind
	case sameMerchant:
		return merchant
	case sameKind:
		return !c.excess() && kind
	}
	return !c.excess()
}

// turns are the claims that find candidates by a pass, and those that will by a
// later one.
func (d *placing) turns(p pass) (now, later []turn) {
	for _, c := range d.seekers {
		for by := p; by < nowhere && c.left > 0; by++ {
			if !(turn{c, by}).any(d.lines) {
				continue
			}
			if by == p {
				now = append(now, turn{c, by})
			} else {
				later = append(later, turn{c, by})
			}
			break
		}
	}
	return now, later
}
