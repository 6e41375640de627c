package engine

import (
	"context"
	"errors"
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"recoup/reward"
)

// Group gathers the events of many callers into batches, so that one durable
// commit answers all of them. While one batch commits, the next gathers: a group
// makes nobody wait for company, and the busier it is the larger its batches are.
//
// The accounts are dealt out to lanes by a hash of their ids, and each lane
// commits one batch after the other. So no two batches under way share an
// account, and nobody has to keep a set of accounts that are busy or search a
// queue for events of others. A caller whose accounts are of several lanes is in a
// batch of each, and its events are committed apart; that is no loss, for
// accounts are independent. Events of one account keep the caller's order.
type Group struct {
	engine  *Engine
	options GroupOptions
	lanes   []lane
	seed    maphash.Seed
	waiting atomic.Int64 // events that were accepted and are not being applied yet

	context context.Context // of all commits; it ends when Close gives up
	giveUp  context.CancelFunc
	working atomic.Int32  // lanes that have not ended
	ended   chan struct{} // closed when all have
}

// GroupOptions are the limits of a group. Zero members take the defaults.
type GroupOptions struct {
	// MaxBatch is how many events a batch gathers, 1000 by default. The events
	// that a caller brings at once are not cut, so one with more has a batch alone.
	MaxBatch int
	// Workers is how many batches may commit at the same time, 1 by default. A
	// store with a single writer gains nothing from more.
	Workers int
	// Queue is how many events may wait, 20,000 by default. Beyond it Apply
	// returns ErrBusy, but a caller is never refused where nothing waits.
	Queue int
	// Unavailable says of an error whether the store cannot be used just now,
	// whatever the events. A batch that fails in such a way is not tried again in
	// parts. Nil: no error is known to be of that kind, except ends of contexts.
	Unavailable func(error) bool
	// Observe, if set, is called after each commit, of all lanes side by side.
	Observe func(Commit)
}

// Commit is one attempt to apply a batch.
type Commit struct {
	Events, Callers int
	Took            time.Duration
	Err             error // nil: the events are kept
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
	g := &Group{engine: en, options: o, lanes: make([]lane, o.Workers), seed: maphash.MakeSeed(), ended: make(chan struct{})}
	g.context, g.giveUp = context.WithCancel(context.Background())
	g.working.Store(int32(o.Workers))
	for i := range g.lanes {
		l := &g.lanes[i]
		l.filled.L = &l.mu
		go g.work(l)
	}
	return g
}

// Apply applies a caller's events and appends a result for each to results, once
// all of them are kept durably. Any number of goroutines may call it; the events
// may be reused when it returns.
//
// With an error it appends nothing. After ErrBusy, and after ErrClosed alone, none
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
	l := g.laneOf(&events[0])
	if len(g.lanes) > 1 {
		for i := range events[1:] {
			if g.laneOf(&events[i+1]) != l {
				return g.applyApart(ctx, events, results)
			}
		}
	}
	s, err := g.enter(l, events)
	if err != nil {
		return results, err
	}
	if err := s.wait(ctx); err != nil {
		return results, err
	}
	return append(results, s.results()...), nil
}

// enter puts a caller's events, all of one lane, into a batch.
func (g *Group) enter(l *lane, events []reward.Event) (share, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := g.admit(l, len(events)); err != nil {
		return share{}, err
	}
	s := l.share(len(events), g.options.MaxBatch)
	s.batch.events = append(s.batch.events, events...)
	l.filled.Signal()
	return s, nil
}

// applyApart is Apply for events of several lanes. It holds the locks of all of
// them, in order, while it puts the events in, so that they enter all or none.
func (g *Group) applyApart(ctx context.Context, events []reward.Event, results []reward.Result) ([]reward.Result, error) {
	lanes := make([]*lane, len(events)) // of each event
	counts := make(map[*lane]int, len(g.lanes))
	for i := range events {
		lanes[i] = g.laneOf(&events[i])
		counts[lanes[i]]++
	}
	shares, err := g.enterApart(lanes, counts, events)
	if err != nil {
		return results, err
	}
	for _, s := range shares {
		if e := s.wait(ctx); e != nil {
			err = e
		}
	}
	if err != nil {
		return results, err
	}
	of := make(map[*lane][]reward.Result, len(shares))
	for l, s := range shares {
		of[l] = s.results()
	}
	for _, l := range lanes {
		results = append(results, of[l][0])
		of[l] = of[l][1:]
	}
	return results, nil
}

func (g *Group) enterApart(lanes []*lane, counts map[*lane]int, events []reward.Event) (map[*lane]share, error) {
	for i := range g.lanes {
		if l := &g.lanes[i]; counts[l] > 0 {
			l.mu.Lock()
			defer l.mu.Unlock()
		}
	}
	if err := g.admit(lanes[0], len(events)); err != nil {
		return nil, err
	}
	shares := make(map[*lane]share, len(counts))
	for l, n := range counts {
		shares[l] = l.share(n, g.options.MaxBatch)
		l.filled.Signal()
	}
	for i, l := range lanes {
		b := shares[l].batch
		b.events = append(b.events, events[i])
	}
	return shares, nil
}

// admit accepts n events or says why not. The lock of the lane is held.
func (g *Group) admit(l *lane, n int) error {
	if l.closed {
		return ErrClosed
	}
	if waiting := g.waiting.Add(int64(n)); waiting > int64(g.options.Queue) && waiting > int64(n) {
		g.waiting.Add(-int64(n))
		return ErrBusy
	}
	return nil
}

func (g *Group) laneOf(e *reward.Event) *lane {
	if len(g.lanes) == 1 {
		return &g.lanes[0]
	}
	return &g.lanes[maphash.String(g.seed, e.Account)%uint64(len(g.lanes))]
}

// Waiting returns how many events wait for their commit to begin.
func (g *Group) Waiting() int { return int(g.waiting.Load()) }

// Close refuses further events and waits until all that were accepted are
// answered. If the context ends before that, it returns the context's error at
// once and gives up: what is not committed by then fails with ErrClosed.
func (g *Group) Close(ctx context.Context) error {
	for i := range g.lanes {
		g.lanes[i].mu.Lock()
	}
	for i := range g.lanes {
		l := &g.lanes[i]
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

// lane is where batches of some of the accounts gather and are committed, one
// after the other.
type lane struct {
	mu     sync.Mutex
	filled sync.Cond // something to commit, or closed
	// queue has the batches that wait, the first to be committed next, the last
	// still gathering.
	queue  []*batch
	spare  [][]reward.Event // empty buffers of batches that are done with
	closed bool
}

// batch is what one commit is to apply. Callers keep their part of its results
// and nothing of its events, whose buffer goes from batch to batch.
type batch struct {
	events []reward.Event
	ends   []int         // of each caller's events
	done   chan struct{} // closed once what is below stands
	result []reward.Result
	failed map[int]error // by the first of a caller's events
}

// share is a caller's part of a batch: the events from first to before end.
type share struct {
	batch      *batch
	first, end int
}

// share makes room for a caller's events in the batch that gathers, or in a new
// one. The lock is held.
func (l *lane) share(n, limit int) share {
	var b *batch
	if last := len(l.queue) - 1; last >= 0 && len(l.queue[last].events)+n <= limit {
		b = l.queue[last]
	} else {
		b = &batch{done: make(chan struct{})}
		if last := len(l.spare) - 1; last >= 0 {
			b.events, l.spare = l.spare[last], l.spare[:last]
		}
		l.queue = append(l.queue, b)
	}
	first := len(b.events)
	b.ends = append(b.ends, first+n)
	return share{b, first, first + n}
}

// wait returns when the share's events are kept, or with the reason why not. A
// batch that is done counts before a context that is.
func (s share) wait(ctx context.Context) error {
	select {
	case <-s.batch.done:
	default:
		select {
		case <-s.batch.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return s.batch.failed[s.first]
}

func (s share) results() []reward.Result { return s.batch.result[s.first:s.end] }
