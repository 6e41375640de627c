package engine

import (
	"slices"
	"sync"
	"time"

	"recoup/reward"
)

// lane commits the events of some of the accounts, one commit after the other.
//
// A commit takes from many requests, so that none waits for the whole of another:
// first those of a few events, such as redemptions, then a share of each of the
// large ones, less of them where small ones wait for the same commit. Requests that
// have events of accounts known to be expensive have commits of their own, every
// other one while others wait: so they delay the rest by one budget, or by one
// event that takes longer, and still come to their turn.
type lane struct {
	mu      sync.Mutex
	filled  sync.Cond // something has arrived, or closed
	arrived []*request
	closed  bool

	// What follows is of the goroutine that commits alone.

	small, large, heavy line
	// costly are the accounts whose events were expensive when they were last seen, and
	// how many commits in a row they were: one may be an accident of the machine's.
	costly map[string]int
	// heavyNext: the last commit was of ordinary requests while heavy ones waited.
	heavyNext bool
	// largeFirst: the last commit ended before the turn of the large requests came.
	largeFirst bool

	turns   turns
	pace    pace
	events  []reward.Event // of the commit at hand
	sent    []origin       // what each of them came with
	parts   []part
	portion portion
}

// part is what a commit takes of a request: the next events that are yet to be
// applied.
type part struct {
	request *request
	from    *line
	first   int // place among the events of the commit
	n       int
	tried   bool // some of it was applied, or it failed
}

// line is a line of requests that wait, with how many at its head are in the
// commit at hand.
type line struct {
	waiting []*request
	taken   int
}

// Bounds of what a lane takes and keeps.
const (
	fewEvents  = 16   // a request of no more is small
	mostCostly = 1024 // accounts that are known to be expensive
	costlyFrom = 2    // commits in a row in which an account was expensive
)

// receive takes in what has arrived. It waits until there is something to commit,
// and returns false if nothing is to come.
func (l *lane) receive() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.arrived) == 0 && len(l.small.waiting)+len(l.large.waiting)+len(l.heavy.waiting) == 0 {
		if l.closed {
			return false
		}
		l.filled.Wait()
	}
	for i, r := range l.arrived {
		if len(r.todo) <= fewEvents {
			l.small.waiting = append(l.small.waiting, r)
		} else {
			l.large.waiting = append(l.large.waiting, r)
		}
		l.arrived[i] = nil
	}
	l.arrived = l.arrived[:0]
	return true
}

// refuse gives up what waits of accounts that are set aside, answers the requests of which
// nothing is left, and returns how many events that are.
func (l *lane) refuse(a *aside) (refused int) {
	if a.count.Load() == 0 {
		return 0
	}
	generation := a.generation.Load()
	for _, of := range []*line{&l.small, &l.large, &l.heavy} {
		of.waiting = slices.DeleteFunc(of.waiting, func(r *request) bool {
			if r.looked == generation {
				return false
			}
			r.looked = generation
			n, _ := r.refuse(a, 0)
			refused += n
			return n > 0 && r.finished()
		})
	}
	return refused
}

// takeOut takes the events of accounts that are set aside out of the parts from one to
// before another, and what else there is of these accounts out of their requests. It
// returns how many the latter are, and how many the former.
func (l *lane) takeOut(from, to int, a *aside) (later, dropped int) {
	end := l.parts[from].first
	for i := from; i < to; i++ {
		p := &l.parts[i]
		all, among := p.request.refuse(a, p.n)
		p.first, p.n = end, p.n-among
		p.tried = p.tried || among > 0
		for n, at := range p.request.todo[:p.n] {
			l.events[end+n], l.sent[end+n] = p.request.events[at], p.request.sent
		}
		end += p.n
		later, dropped = later+all-among, dropped+among
	}
	return later, dropped
}

// compose chooses what the next commit is given, at most limit events.
func (l *lane) compose(limit int, target time.Duration) {
	paced := l.pace.limit(target, limit)
	if !l.heavyNext {
		l.composeLight(limit, paced)
	}
	if len(l.parts) == 0 {
		l.fill(&l.heavy, paced, 0)
		l.heavyNext = false
	} else {
		l.heavyNext = len(l.heavy.waiting) > 0
	}
	if len(l.parts) == 0 { // none of the heavy ones waits any more
		l.composeLight(limit, paced)
	}
	n := 0
	for i := range l.parts {
		p := &l.parts[i]
		p.first = n
		for _, at := range p.request.todo[:p.n] {
			l.events = append(l.events, p.request.events[at])
			l.sent = append(l.sent, p.request.sent)
		}
		n += p.n
	}
}

// composeLight takes from the requests that are not known to be expensive, of the
// large ones at most so many events as keep to the pace.
func (l *lane) composeLight(limit, paced int) {
	l.setAside(&l.small, limit)
	l.setAside(&l.large, paced)
	share := 0 // of the large ones
	switch {
	case len(l.small.waiting) == 0:
		share = paced
	case len(l.large.waiting) == 0:
	case l.largeFirst:
		share = max(1, paced/4)
	default:
		share = paced / 4
	}
	if l.largeFirst {
		l.fill(&l.large, share, 0)
		l.fill(&l.small, limit-share, fewEvents)
	} else {
		l.fill(&l.small, limit-share, fewEvents)
		l.fill(&l.large, share, 0)
	}
}

// setAside moves those of the first requests of a line to the heavy ones that have
// an event of a costly account among the next.
func (l *lane) setAside(from *line, limit int) {
	if len(l.costly) == 0 {
		return
	}
	light := from.waiting[:0]
	for i, r := range from.waiting {
		if len(light) == limit {
			light = append(light, from.waiting[i:]...)
			break
		}
		if slices.ContainsFunc(r.todo[:min(len(r.todo), limit)], func(at int32) bool { return l.costly[r.events[at].Account] >= costlyFrom }) {
			l.heavy.waiting = append(l.heavy.waiting, r)
		} else {
			light = append(light, r)
		}
	}
	clear(from.waiting[len(light):])
	from.waiting = light
}

// fill takes up to room events from the requests of a line, in turns of their senders,
// and from one at most so many; 0 is an equal share for each sender.
func (l *lane) fill(from *line, room, most int) {
	if room > 0 {
		l.turns.take(from.waiting)
	}
	for from.taken < len(from.waiting) && room > 0 {
		r := from.waiting[from.taken]
		n := min(len(r.todo), room)
		if most > 0 {
			n = min(n, most)
		} else {
			n = min(n, l.turns.share(r, room))
		}
		l.turns.had(r)
		l.parts = append(l.parts, part{request: r, from: from, n: n})
		room -= n
		from.taken++
	}
}

// settle answers the requests that the commit at hand has finished and puts the
// others back in line: those whose turn did not come, and small ones, at its head,
// and those of which something was applied at its end.
func (l *lane) settle() {
	l.largeFirst = len(l.large.waiting) > 0 && !slices.ContainsFunc(l.parts, func(p part) bool { return p.tried && p.from == &l.large })
	for _, of := range []*line{&l.small, &l.large, &l.heavy} {
		l.settleLine(of)
	}
	clear(l.events)
	clear(l.parts)
	l.events, l.sent, l.parts = l.events[:0], l.sent[:0], l.parts[:0]
}

func (l *lane) settleLine(of *line) {
	if of.taken == 0 {
		return
	}
	head, again := 0, []*request(nil)
	for i := range l.parts {
		switch p := &l.parts[i]; {
		case p.from != of || p.request.finished():
		case p.tried && of != &l.small:
			again = append(again, p.request)
		default:
			of.waiting[head] = p.request
			head++
		}
	}
	of.waiting = slices.Delete(of.waiting, head, of.taken)
	of.waiting, of.taken = append(of.waiting, again...), 0
}

// learn remembers which accounts the commit has found to be costly, and forgets
// those that are no more.
func (l *lane) learn(b Budget) {
	for account, of := range l.portion.spent {
		switch {
		case b.Account > 0 && of.took/time.Duration(of.events) >= b.Account:
			if len(l.costly) >= mostCostly {
				clear(l.costly)
			}
			if l.costly == nil {
				l.costly = make(map[string]int)
			}
			l.costly[account]++
		case len(l.costly) > 0:
			delete(l.costly, account)
		}
	}
}
