package engine

import (
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"recoup/internal/service/budget"
	"recoup/internal/store"
	"recoup/reward"
)

// Group gathers the events of many callers into commits, so that one durable
// commit answers many of them. While one commits, the next gathers: a group makes
// nobody wait for company, and the busier it is the larger its commits are.
//
// It is fair: a commit has a limited number of events and a limited time to apply
// them in, and takes of everybody who waits rather than all of one first; see lane.
// So the events of one caller may be in several commits. It is answered when all are
// durable. Events of one account keep the caller's order.
//
// The accounts are dealt out to lanes, those of the store and within these by a hash of
// their ids, and each lane makes one commit after the other. So no two commits under way
// share an account, but for a moment after the store has dealt them out anew, and nobody
// has to keep a set of accounts that are busy or search a queue for events of others. A
// lane that the store gets is one of the group with the next event. A caller whose accounts are of several lanes has a request in each; that
// is no loss, for accounts are independent.
type Group struct {
	engine   *Engine
	options  GroupOptions
	lanes    atomic.Pointer[[]*lane] // more when the store gets more
	seed     maphash.Seed
	requests pool
	waiting  atomic.Int64  // events that were accepted and are not being applied yet
	queue    *budget.Share // of events that were accepted and are not answered, by sender
	probing  sync.WaitGroup

	context context.Context // of all commits; it ends when Close gives up
	giveUp  context.CancelFunc
	working atomic.Int32  // lanes that have not ended
	ended   chan struct{} // closed when all have

	growing sync.Mutex // held by who makes lanes or closes them
	closed  bool
}

// GroupOptions are the limits of a group. Zero members take the defaults.
type GroupOptions struct {
	// MaxBatch is how many events a commit has at most, 1000 by default.
	MaxBatch int
	// Target is how long a commit should take, 5 ms by default: it has so many events
	// of large requests as experience says can be read, applied, written and synced in
	// that time, and a quarter of that where small requests wait. Where a commit as
	// such takes long, it may take longer.
	Target time.Duration
	// Budget is how long a commit may spend on applying events: 5 ms by default, and
	// a fifth of that on those of one account while others wait.
	Budget Budget
	// Workers is how many commits may run at the same time in each lane of the store, 1
	// by default. A lane with a single writer gains nothing from more.
	Workers int
	// Queue is how many events may wait, 20,000 by default. Beyond it Apply
	// returns ErrBusy, but a caller is never refused where nothing waits. A sender (see
	// From) may have as many as are left to others, and is never refused where nothing
	// of it waits. What is decided is never refused for what waits.
	Queue int
	// Unavailable says of an error whether the store cannot be used just now,
	// whatever the events. A commit that fails in such a way is not tried again in
	// parts. Nil: no error is known to be of that kind, except ends of contexts.
	Unavailable func(error) bool
	// Observe, if set, is called after each commit, of all lanes side by side.
	Observe func(Commit)
	// Waited, if set, is called with how long a caller waited until the commit that
	// has its first events began. A caller has one for each lane that its events are of.
	Waited func(time.Duration)
}

// Errors of a group.
var (
	// ErrBusy: too many events wait already. None of the caller's was applied.
	ErrBusy = errors.New("too many events are waiting: try again in a moment")
	// ErrClosed: the group takes no more events.
	ErrClosed = errors.New("closing down")
)

// NewGroup returns a group over an engine. It must be closed.
func NewGroup(en *Engine, o GroupOptions) *Group {
	for _, d := range []struct {
		option *int
		value  int
	}{{&o.MaxBatch, 1000}, {&o.Workers, 1}, {&o.Queue, 20_000}} {
		if *d.option <= 0 {
			*d.option = d.value
		}
	}
	if o.Target <= 0 {
		o.Target = 5 * time.Millisecond
	}
	if o.Budget.Commit <= 0 {
		o.Budget.Commit = 5 * time.Millisecond
	}
	if o.Budget.Account <= 0 {
		o.Budget.Account = o.Budget.Commit / 5
	}
	g := &Group{engine: en, options: o, queue: budget.NewShare(int64(o.Queue)), seed: maphash.MakeSeed(), ended: make(chan struct{})}
	g.context, g.giveUp = context.WithCancel(context.Background())
	g.lanes.Store(new([]*lane))
	if en.aside.prober != nil {
		g.probing.Go(func() { en.aside.watch(g.context) })
	}
	g.lanesNow()
	return g
}

// Apply applies a caller's events and appends a result for each to results, once
// all of them are kept durably. Any number of goroutines may call it; the events
// may be reused when it returns.
//
// With an error it appends nothing, but for an *AsideError: then there is a result for
// each event, empty for those that the error names. After ErrBusy, and after ErrClosed alone, none
// of the events was applied. After the context's error they may still be applied,
// or be already, and with any other error some of them may be: sending them again
// is safe, as a redelivery is recognised.
func (g *Group) Apply(ctx context.Context, events []reward.Event, results []reward.Result) ([]reward.Result, error) {
	if len(events) == 0 {
		return results, nil
	}
	if err := ctx.Err(); err != nil {
		return results, err
	}
	if failed := g.engine.asides(events); len(failed) == len(events) {
		return append(results, make([]reward.Result, len(events))...), &AsideError{failed}
	}
	l, apart := g.lanesOf(events)
	if apart != nil {
		return g.applyApart(ctx, events, apart, results)
	}
	r, err := g.enter(l, events, origin{principalOf(ctx), anyVersion}, senderOf(ctx), false)
	if err != nil {
		return results, err
	}
	if err := r.wait(ctx); err != nil {
		return results, err
	}
	results = append(results, r.results...)
	failed := r.failed
	g.requests.release(r)
	if failed != nil {
		return results, &AsideError{failed}
	}
	return results, nil
}

// Decide is Apply for one event whose postings the caller wants, too: so somebody who
// has something decided is answered after one exchange with the store. There are none of
// an event that was there before. One that was weighed at another version of its account
// than it finds is not applied: ErrMoved; see Weighed.
func (g *Group) Decide(ctx context.Context, e reward.Event) (r reward.Result, postings []reward.Posting, err error) {
	if err := ctx.Err(); err != nil {
		return r, nil, err
	}
	own := []reward.Event{e}
	if failed := g.engine.asides(own); failed != nil {
		return r, nil, &AsideError{failed}
	}
	l, _ := g.lanesOf(own)
	asked, err := g.enter(l, own, origin{principalOf(ctx), weighedAt(ctx)}, senderOf(ctx), true)
	if err != nil {
		return r, nil, err
	}
	if err := asked.wait(ctx); err != nil {
		return r, nil, err
	}
	r, postings = asked.results[0], asked.postings
	failed := asked.failed
	g.requests.release(asked)
	if failed != nil {
		return r, nil, &AsideError{failed}
	}
	return r, postings, nil
}

// enter has a caller's events, all of one lane, wait for their commit.
func (g *Group) enter(l *lane, events []reward.Event, with origin, sender string, keep bool) (*request, error) {
	r := g.requests.take(len(events))
	r.events, r.sent, r.keep = append(r.events, events...), with, keep
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := g.admit(l, len(events), sender, keep); err != nil {
		return nil, err
	}
	r.place = g.placeOf(sender, len(events), keep)
	l.arrived = append(l.arrived, r)
	l.filled.Signal()
	return r, nil
}

// applyApart is Apply for events of several lanes, lanes are those of each. It holds the
// locks of all of them, in order, while it puts the events in, so that they enter all or none.
func (g *Group) applyApart(ctx context.Context, events []reward.Event, lanes []*lane, results []reward.Result) ([]reward.Result, error) {
	counts := make(map[*lane]int)
	for _, l := range lanes {
		counts[l]++
	}
	requests := make(map[*lane]*request, len(counts))
	for l, n := range counts {
		requests[l] = g.requests.take(n)
		requests[l].sent = origin{principalOf(ctx), anyVersion}
	}
	for i, l := range lanes {
		requests[l].events = append(requests[l].events, events[i])
	}
	if err := g.enterApart(requests, len(events), senderOf(ctx)); err != nil {
		return results, err
	}
	var err error
	for _, r := range requests {
		if e := r.wait(ctx); e != nil {
			err = e
		}
	}
	if err != nil {
		return results, err
	}
	taken := make(map[*lane]int, len(requests))
	failed := make(map[int]*SetAside)
	for i, l := range lanes {
		at := taken[l]
		results = append(results, requests[l].results[at])
		if s := requests[l].failed[at]; s != nil {
			failed[i] = s
		}
		taken[l]++
	}
	for _, r := range requests {
		g.requests.release(r)
	}
	if len(failed) > 0 {
		return results, &AsideError{failed}
	}
	return results, nil
}

func (g *Group) enterApart(requests map[*lane]*request, events int, sender string) error {
	var one *lane
	for _, l := range *g.lanes.Load() {
		if requests[l] != nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			one = l
		}
	}
	if err := g.admit(one, events, sender, false); err != nil {
		return err
	}
	for l, r := range requests {
		r.place = g.placeOf(sender, len(r.events), false)
		l.arrived = append(l.arrived, r)
		l.filled.Signal()
	}
	return nil
}

// admit accepts n events or says why not. The lock of the lane is held.
func (g *Group) admit(l *lane, n int, sender string, keep bool) error {
	if l.closed {
		return ErrClosed
	}
	waiting := g.waiting.Add(int64(n))
	fits := waiting <= int64(g.options.Queue) || waiting == int64(n)
	switch {
	case keep:
		fits = true
	case sender != "":
		fits = g.queue.TakeFirst(sender, int64(n))
	}
	if !fits {
		g.waiting.Add(-int64(n))
		return ErrBusy
	}
	return nil
}

// placeOf is what n events of a sender that were accepted have of the queue.
func (g *Group) placeOf(sender string, n int, keep bool) place {
	if sender == "" || keep {
		return place{sender: sender}
	}
	return place{g.queue, sender, int64(n)}
}

// lanesNow are the lanes, as many as there are to be: a store that has been dealt out
// anew has more.
func (g *Group) lanesNow() []*lane {
	want := g.options.Workers
	if laned, is := g.engine.store.(store.Laned); is {
		want *= laned.Lanes()
	}
	if lanes := *g.lanes.Load(); len(lanes) >= want {
		return lanes
	}
	g.growing.Lock()
	defer g.growing.Unlock()
	lanes := slices.Clone(*g.lanes.Load())
	for len(lanes) < want {
		l := &lane{closed: g.closed}
		l.filled.L = &l.mu
		if lanes = append(lanes, l); !g.closed {
			g.working.Add(1)
			go g.work(l)
		}
	}
	g.lanes.Store(&lanes)
	return lanes
}

// lanesOf returns the lane of events that are all of one, or else that of each.
func (g *Group) lanesOf(events []reward.Event) (one *lane, each []*lane) {
	lanes := g.lanesNow()
	one = g.laneOf(lanes, &events[0])
	if len(lanes) == 1 {
		return one, nil
	}
	for i := range events[1:] {
		l := g.laneOf(lanes, &events[i+1])
		if l != one && each == nil {
			each = make([]*lane, i+1, len(events))
			for j := range each {
				each[j] = one
			}
		}
		if each != nil {
			each = append(each, l)
		}
	}
	// If the accounts were dealt out anew in between, those of one may be of two lanes, and
	// not keep their order.
	if len(g.lanesNow()) > len(lanes) {
		return g.lanesOf(events)
	}
	return one, each
}

func (g *Group) laneOf(lanes []*lane, e *reward.Event) *lane {
	if len(lanes) == 1 {
		return lanes[0]
	}
	of := int(maphash.String(g.seed, e.Account) % uint64(g.options.Workers))
	if laned, is := g.engine.store.(store.Laned); is {
		of += laned.LaneOf(e.Account) * g.options.Workers
	}
	return lanes[of%len(lanes)] // in range, but for a lane that the store has just got
}

// Waiting returns how many events wait for their commit to begin.
func (g *Group) Waiting() int { return int(g.waiting.Load()) }

// Close refuses further events and waits until all that were accepted are
// answered. If the context ends before that, it returns the context's error at
// once and gives up: what is not committed by then fails with ErrClosed.
func (g *Group) Close(ctx context.Context) error {
	g.growing.Lock()
	g.closed = true
	lanes := *g.lanes.Load()
	g.growing.Unlock()
	for _, l := range lanes {
		l.mu.Lock()
	}
	for _, l := range lanes {
		l.closed = true
		l.filled.Signal()
		l.mu.Unlock()
	}
	select {
	case <-g.ended:
		return nil
	case <-ctx.Done():
		g.giveUp()
		return ctx.Err()
	}
}
