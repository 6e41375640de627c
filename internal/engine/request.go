package engine

import (
	"context"
	"sync"
	"time"

	"recoup/reward"
)

// request is what one caller brought to a lane. It is applied in one commit or in
// several, and answered when all of it is durable.
type request struct {
	events  []reward.Event
	sent    origin          // what they came with
	results []reward.Result // by event, as far as they are applied
	places  []int32
	todo    []int32           // places of the events that are yet to be applied, in order
	err     error             // why what is not applied will not be
	failed  map[int]*SetAside // by event, those that will not be since their accounts are set aside
	looked  uint64            // the generation of those when it was looked at last
	entered time.Time
	begun   bool
	place   place
	turn    int // how many requests of the same sender are before it
	// keep: it is one event, whose postings the caller wants.
	keep     bool
	postings []reward.Posting
	done     chan struct{} // has one element once it is answered
}

// pool has requests to be used again: one of one event should cost little more than
// the event.
type pool struct{ sync.Pool }

// roomy is from how many events on the room for them is let go of.
const roomy = 1024

// take returns a request with room for events, which are yet to be put in.
func (p *pool) take(n int) *request {
	r, _ := p.Get().(*request)
	if r == nil {
		r = &request{done: make(chan struct{}, 1)}
	}
	if cap(r.places) < n {
		r.events, r.results, r.places = make([]reward.Event, 0, n), make([]reward.Result, n), make([]int32, n)
	}
	r.results, r.places = r.results[:n], r.places[:n]
	for i := range r.places {
		r.places[i] = int32(i)
	}
	r.todo, r.err, r.begun, r.entered = r.places, nil, false, time.Now()
	r.keep, r.postings, r.place = false, nil, place{}
	r.failed, r.looked = nil, 0
	return r
}

// release has a request that was answered used again.
func (p *pool) release(r *request) {
	if cap(r.places) > roomy {
		r.events, r.results, r.places = nil, nil, nil
	}
	clear(r.events)
	r.events, r.todo = r.events[:0], nil
	p.Put(r)
}

// wait returns when the request is answered, with the reason if it failed. Who
// gives up waiting must not use the request again; one that is answered counts
// before a context that is done.
func (r *request) wait(ctx context.Context) error {
	select {
	case <-r.done:
		return r.err
	default:
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// settle notes the results of the first of the events that were yet to be applied:
// those that a commit was given. What it did not apply is still to do.
func (r *request) settle(results []reward.Result, done []bool) {
	left := len(done)
	for i := len(done) - 1; i >= 0; i-- {
		if at := r.todo[i]; done[i] {
			r.results[at] = results[i]
		} else {
			left--
			r.todo[left] = at
		}
	}
	r.todo = r.todo[left:]
}

// refuse gives up what is yet to be applied of accounts that are set aside, all of it at
// once, so that nothing of an account is applied after something before it was not. It
// returns how many events that are, and how many of these were among the first so many.
func (r *request) refuse(a *aside, first int) (all, among int) {
	var todo []int32
	for n, at := range r.todo {
		s := a.of(r.events[at].Account)
		if s == nil {
			todo = append(todo, at)
			continue
		}
		if r.failed == nil {
			r.failed = make(map[int]*SetAside)
		}
		r.failed[int(at)], r.results[at] = s, reward.Result{}
		all++
		if n < first {
			among++
		}
	}
	if all > 0 {
		r.todo = todo
	}
	return all, among
}

// fail gives up what is yet to be applied.
func (r *request) fail(err error) { r.err, r.todo = err, nil }

// finished reports whether nothing is left to do, and answers if so.
func (r *request) finished() bool {
	if len(r.todo) > 0 {
		return false
	}
	r.place.leave()
	r.done <- struct{}{}
	return true
}
