package engine

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"time"

	"recoup/reward"
)

// Commit is one attempt to apply events of several callers.
type Commit struct {
	Events  int // that were applied
	PutOff  int // that it was given and has left for another commit, as its budget was spent
	Callers int // whose events it was given
	Took    time.Duration
	// Applying is what of it was spent on the rules alone: the rest is reading, writing
	// and syncing.
	Applying time.Duration
	Err      error // nil: the events are kept
}

// work commits a lane's requests until the group is closed and none is left.
func (g *Group) work(l *lane) {
	for l.receive() {
		g.waiting.Add(-int64(l.refuse(&g.engine.aside)))
		l.compose(g.options.MaxBatch, g.options.Target)
		if len(l.parts) == 0 {
			continue
		}
		g.waiting.Add(-int64(len(l.events)))
		g.begin(l)
		attempts := 1 + 4*bits.Len(uint(len(l.parts)))
		left := g.commit(l, 0, len(l.parts), &attempts, nil)
		g.waiting.Add(int64(left))
		l.settle()
	}
	if g.working.Add(-1) == 0 {
		g.giveUp() // nothing is left to give up; it frees the context
		g.probing.Wait()
		close(g.ended)
	}
}

// begin tells how long those requests waited whose first events are now committed.
func (g *Group) begin(l *lane) {
	if g.options.Waited == nil {
		return
	}
	now := time.Now()
	for i := range l.parts {
		if r := l.parts[i].request; !r.begun {
			r.begun = true
			g.options.Waited(now.Sub(r.entered))
		}
	}
}

// commit applies the events of the parts from one to before another, and returns how
// many of them are left to do, less those that will never be.
//
// A commit that fails as a whole may do so because of a single event: a text that
// the database cannot hold, an account whose record is damaged. Those who happen to
// be in the same commit must not pay for that, least of all again and again as the
// event is sent again. Where the error names the accounts that it is of, these are set
// aside, and the rest is done again. Otherwise the halves are tried by themselves, and
// halves of what fails, until the caller at fault is alone with its error: two more commits
// for each time that the number of callers can be halved. What would not pass in parts
// either, as the store is unavailable, is not tried; and since that cannot be
// known of every error, attempts are bounded, and those whose turn does not come
// get the error of the whole.
func (g *Group) commit(l *lane, from, to int, attempts *int, cause error) (left int) {
	gone := 0 // of what would have been in later commits
	if *attempts == 0 {
		return l.fail(from, to, cause)
	}
	*attempts--
	left, cause = g.attempt(l, from, to)
	for cause != nil {
		never, dropped := g.setAside(l, from, to, cause)
		if dropped == 0 {
			break
		}
		gone += never
		left, cause = g.attempt(l, from, to)
	}
	switch {
	case cause == nil:
		return left - gone
	case to-from == 1, g.unavailable(cause):
		return l.fail(from, to, cause) - gone
	}
	middle := (from + to) / 2
	return g.commit(l, from, middle, attempts, cause) + g.commit(l, middle, to, attempts, cause) - gone
}

// setAside sets the accounts aside that an error names, and takes their events out of the
// parts. It returns how many of these were taken out, and how many more events of the same
// requests, which would have been in later commits.
func (g *Group) setAside(l *lane, from, to int, cause error) (later, dropped int) {
	if g.context.Err() != nil {
		return 0, 0
	}
	why, accounts := atFault(cause)
	for _, account := range accounts {
		g.engine.aside.put(account, why, cause)
	}
	return l.takeOut(from, to, &g.engine.aside)
}

// attempt applies the events of some parts in one commit.
func (g *Group) attempt(l *lane, from, to int) (left int, err error) {
	parts := l.parts[from:to]
	first, last := parts[0].first, &parts[len(parts)-1]
	events := l.events[first : last.first+last.n]
	if len(events) == 0 {
		return 0, nil // all of them were taken out
	}
	l.portion.sent = l.sent[first : last.first+last.n]
	l.portion.wants(parts)
	start := time.Now()
	err = g.engine.applyPortion(g.context, events, g.options.Budget, &l.portion)
	if err != nil && g.context.Err() != nil {
		err = fmt.Errorf("%w: %w", ErrClosed, err)
	}
	took := time.Since(start)
	if err == nil {
		for i := range parts {
			p := &parts[i]
			of := p.first - first
			left += p.settle(l.portion.results[of:of+p.n], l.portion.done[of:of+p.n])
			if p.request.keep && p.n > 0 {
				p.request.postings = l.portion.wanted[of].postings
				if l.portion.wanted[of].moved {
					p.request.err = ErrMoved
				}
			}
		}
		l.learn(g.options.Budget)
		if left == 0 {
			l.pace.observe(len(events), took)
		}
	}
	if g.options.Observe != nil {
		g.options.Observe(Commit{Events: len(events) - left, PutOff: left, Callers: len(parts), Took: took, Applying: l.portion.took, Err: err})
	}
	return left, err
}

func (g *Group) unavailable(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		g.options.Unavailable != nil && g.options.Unavailable(err)
}

// settle notes what was applied of a part, and returns how much of it was not.
func (p *part) settle(results []reward.Result, done []bool) (left int) {
	before := len(p.request.todo)
	p.request.settle(results, done)
	applied := before - len(p.request.todo)
	p.tried = applied > 0
	return p.n - applied
}

// fail gives the requests of parts from one to before another an error. Nothing is
// left to do of them, also of what would have been in later commits: left is below
// zero by as much.
func (l *lane) fail(from, to int, cause error) (left int) {
	err := fmt.Errorf("applying a batch of events: %w", cause)
	for i := from; i < to; i++ {
		p := &l.parts[i]
		left -= len(p.request.todo) - p.n
		p.tried = true
		p.request.fail(err)
	}
	return left
}
