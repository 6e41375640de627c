package engine

import "time"

// pace learns what commits cost, to tell how many events of large requests one may
// have: so many that others wait for about the target, but not so few that the cost
// of a commit as such (an exchange with the database, a sync of the disk) is more
// than a small part of it.
//
// It fits took = fixed + each × events to the latest commits, which count less the
// longer ago they were.
type pace struct {
	weight, x, y, xx, xy float64 // sums over commits; x are events, y seconds
	commits              int
}

const (
	paceMemory = 0.98 // what a commit counts for when the next has come
	// worthwhile is how much longer the events of a commit should take than its fixed
	// cost.
	worthwhile = 8
	// mostWorthwhile bounds that, in seconds: on a disk that is slow or shared a commit
	// may cost so much that others would wait for a second and more.
	mostWorthwhile          = 0.1
	fewestPaced, firstPaced = 32, 250 // events
	// probing: one commit in so many is half as large, so that there are two points
	// to fit a line to.
	probing = 8
)

func (p *pace) observe(events int, took time.Duration) {
	p.commits++
	x, y := float64(events), took.Seconds()
	for _, of := range []struct {
		sum *float64
		add float64
	}{{&p.weight, 1}, {&p.x, x}, {&p.y, y}, {&p.xx, x * x}, {&p.xy, x * y}} {
		*of.sum = *of.sum*paceMemory + of.add
	}
}

// limit returns how many events of large requests the next commit may have, at most
// so many.
func (p *pace) limit(target time.Duration, most int) int {
	if p.commits < 2 {
		return min(firstPaced, most)
	}
	fixed, each := p.fit()
	seconds := max(target.Seconds()-fixed, min(worthwhile*fixed, mostWorthwhile))
	n := float64(most)
	if each*n > seconds {
		n = seconds / each
	}
	if p.commits%probing == 0 {
		n /= 2
	}
	return min(most, max(fewestPaced, int(n)))
}

// fit returns the fixed cost of a commit and that of each event, in seconds.
func (p *pace) fit() (fixed, each float64) {
	spread := p.weight*p.xx - p.x*p.x
	if spread > 1e-3*p.x*p.x {
		each = (p.weight*p.xy - p.x*p.y) / spread
		fixed = (p.y - each*p.x) / p.weight
	}
	switch {
	case each <= 0: // nothing to tell them apart by, or noise
		return 0, p.y / p.x
	case fixed < 0:
		return 0, p.y / p.x
	}
	return fixed, each
}
