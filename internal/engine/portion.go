package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"recoup/internal/store"
	"recoup/reward"
)

// Budget is how long one commit may spend on applying events; what does not fit is
// left for another commit. No event is cut: a commit applies at least one, however
// long that takes. Zero members are no limit.
type Budget struct {
	Commit time.Duration // on all of its events
	// Account is for the events of one account, as long as events of others are to
	// be applied in the same commit.
	Account time.Duration
}

// portion is what one commit has applied of the events that it was given. It is
// used again for the next.
type portion struct {
	sent    []origin        // what each event came with; nil: the service itself sends them
	results []reward.Result // by event, of those that are done
	done    []bool          // by event
	took    time.Duration   // for applying, without reading and writing
	spent   map[string]spent
	putOff  []int
	// wanted are the events of which more is to be kept than their results, and in the
	// end this.
	wanted map[int]decided
}

// decided is what is kept of an event besides its result.
type decided struct {
	postings []reward.Posting
	moved    bool // it was not applied, since its account has moved on
}

// spent is what was spent on the events of an account.
type spent struct {
	took   time.Duration
	events int
}

func (p *portion) reset(n int) {
	if cap(p.done) < n {
		p.results, p.done = make([]reward.Result, n), make([]bool, n)
	}
	p.results, p.done = p.results[:n], p.done[:n]
	clear(p.done)
	if p.spent == nil {
		p.spent = make(map[string]spent)
	}
	clear(p.spent)
	p.took, p.putOff = 0, p.putOff[:0]
}

// with is what an event came with.
func (p *portion) with(i int) origin {
	if p.sent == nil {
		return origin{System, anyVersion}
	}
	return p.sent[i]
}

// wants has more than the results kept of those events whose callers want it.
func (p *portion) wants(parts []part) {
	clear(p.wanted)
	for i := range parts {
		if of := &parts[i]; of.request.keep && of.n > 0 {
			if p.wanted == nil {
				p.wanted = make(map[int]decided)
			}
			p.wanted[of.first-parts[0].first] = decided{}
		}
	}
}

// applyPortion applies of well-formed events as many as the budget lasts for, in
// one commit. Of one account they are the first, in order. An account that has
// spent its share is passed over until all others have had theirs. If the events turn out
// to be of several lanes, those of all but one are left. An error means that none was kept.
func (en *Engine) applyPortion(ctx context.Context, events []reward.Event, b Budget, p *portion) error {
	if byLane := en.apart(events); byLane != nil {
		return en.applyLane(ctx, events, byLane, b, p)
	}
	err := en.applyInOne(ctx, events, b, p)
	if errors.Is(err, store.ErrDealt) && ctx.Err() == nil {
		return en.applyPortion(ctx, events, b, p)
	}
	return err
}

// applyLane is applyPortion for events of several lanes: it applies those of the first's.
func (en *Engine) applyLane(ctx context.Context, events []reward.Event, byLane [][]int, b Budget, p *portion) error {
	own := byLane[slices.IndexFunc(byLane, func(places []int) bool { return slices.Contains(places, 0) })]
	part := make([]reward.Event, len(own))
	wanted, with := p.wanted, p.sent
	if with != nil {
		p.sent = make([]origin, len(own))
	}
	p.wanted = make(map[int]decided)
	for n, i := range own {
		part[n] = events[i]
		if with != nil {
			p.sent[n] = with[i]
		}
		if _, is := wanted[i]; is {
			p.wanted[n] = decided{}
		}
	}
	err := en.applyPortion(ctx, part, b, p)
	of := p.wanted
	p.wanted, p.sent = wanted, with
	if err != nil {
		p.reset(len(events))
		return err
	}
	results, done := slices.Clone(p.results), slices.Clone(p.done)
	took, spent := p.took, p.spent
	p.spent = nil
	p.reset(len(events))
	p.took, p.spent = took, spent
	for n, i := range own {
		p.results[i], p.done[i] = results[n], done[n]
		if kept, is := of[n]; is {
			wanted[i] = kept
		}
	}
	return nil
}

// applyInOne is applyPortion for events of one lane.
func (en *Engine) applyInOne(ctx context.Context, events []reward.Event, b Budget, p *portion) error {
	p.reset(len(events))
	err := en.store.Update(ctx, events, func(u store.Unit) {
		p.reset(len(events))
		var journal []reward.Posting
		last := time.Now()
		apply := func(i int) (more bool) {
			e := &events[i]
			var moved bool
			p.results[i], journal, moved = applyOne(u, i, e, p.with(i), journal[:0])
			p.done[i] = true
			if _, is := p.wanted[i]; is {
				p.wanted[i] = decided{slices.Clone(journal), moved}
			}
			now := time.Now()
			of := p.spent[e.Account]
			of.took += now.Sub(last)
			of.events++
			p.spent[e.Account] = of
			p.took += now.Sub(last)
			last = now
			return b.Commit == 0 || p.took < b.Commit
		}
		for i := range events {
			if b.Account > 0 && p.spent[events[i].Account].took >= b.Account {
				p.putOff = append(p.putOff, i)
			} else if !apply(i) {
				return
			}
		}
		for _, i := range p.putOff {
			if !apply(i) {
				return
			}
		}
	})
	if err != nil {
		p.reset(len(events))
	}
	return err
}
