package budget

import (
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// Limits are what budgets go by. Zero members are worked out from the machine.
type Limits struct {
	// Processors that there are; GOMAXPROCS.
	Processors int
	// Memory that the process should keep to, in bytes, of which budgets hand out
	// about half; GOMEMLIMIT.
	Memory int64
	// Rate is how fast a body must arrive and an answer be taken, in bytes a second;
	// DefaultRate.
	Rate int64
	// Patience is how long somebody who keeps to no rate may take, 10 s: a body of n
	// bytes has Patience + n/Rate to arrive in, and so has an answer to be taken.
	Patience time.Duration
	// Idle is how long a stream may have nothing to say between its lines; 30 s.
	Idle time.Duration
	// Preview is how long a preview may take, with its waiting; 30 s.
	Preview time.Duration
}

// DefaultRate is the rate below which somebody is not slow but holding things up, in
// bytes a second.
const DefaultRate = 8 << 10

// Budgets are what is at work, and how much of it may be.
type Budgets struct {
	limits     Limits
	of         [classes]room
	processors *semaphore.Weighted // for what is large
	previews   *semaphore.Weighted // bytes of memory
	most       int64               // of these
	tooSlow    atomic.Int64
}

// room is what there is for one class.
type room struct {
	requests, bytes *Share
	refused         [2]atomic.Int64 // of requests, of bytes
}

// New returns budgets of which nothing is in use.
func New(l Limits) *Budgets {
	l.complete()
	b := &Budgets{limits: l}
	for c := range b.of {
		requests, bytes := l.sizes(Class(c))
		b.of[c].requests, b.of[c].bytes = NewShare(requests), NewShare(bytes)
	}
	b.of[Previews].requests.most = 1
	b.processors = semaphore.NewWeighted(l.half())
	b.most = l.previewMemory()
	b.previews = semaphore.NewWeighted(b.most)
	return b
}

// Refusal is an error: there is no room.
type Refusal struct {
	Class Class
	What  string // of which there is no room: "requests", "bytes", "events" or "memory"
}

// Error says which budget it is.
func (r *Refusal) Error() string {
	switch {
	case r.What == "memory":
		return "all that previews may use of memory and processors is in use"
	case r.Class == Previews && r.What == "requests":
		return "a preview of yours is at work already, and each has one at a time"
	}
	return fmt.Sprintf("the budget for %s is in use: you have as many %s at work as are left to others", r.Class, r.What)
}

// Budget names the budget, such as ingestion.bytes.
func (r *Refusal) Budget() string { return r.Class.String() + "." + r.What }

// Work is a request that was let in. It is for one goroutine at a time.
type Work struct {
	budgets *Budgets
	class   Class
	holder  string
	bytes   int64
	body    Body
}

// Enter lets a request of a holder in, which must leave; the error is a *Refusal.
func (b *Budgets) Enter(c Class, holder string) (*Work, error) {
	if !b.of[c].requests.Take(holder, 1) {
		return nil, b.refuse(c, "requests")
	}
	return &Work{budgets: b, class: c, holder: holder}, nil
}

// Hold charges the request for n more bytes that it has; the error is a *Refusal.
func (w *Work) Hold(n int64) error {
	if !w.Try(n) {
		return w.Refuse()
	}
	return nil
}

// Try is Hold for who can wait until there is room, and reports whether there is.
func (w *Work) Try(n int64) bool {
	if n > 0 && !w.budgets.of[w.class].bytes.Take(w.holder, n) {
		return false
	}
	w.bytes += n
	return true
}

// Refuse counts and returns that there is no room for the request's bytes, a *Refusal.
func (w *Work) Refuse() error { return w.budgets.refuse(w.class, "bytes") }

// Drop gives back n bytes.
func (w *Work) Drop(n int64) {
	w.budgets.of[w.class].bytes.Give(w.holder, n)
	w.bytes -= n
}

// Leave ends the request, with all that it holds.
func (w *Work) Leave() {
	if w.bytes > 0 {
		w.Drop(w.bytes)
	}
	w.budgets.of[w.class].requests.Give(w.holder, 1)
}

func (b *Budgets) refuse(c Class, what string) *Refusal {
	place := 0
	if what == "bytes" {
		place = 1
	}
	b.of[c].refused[place].Add(1)
	return &Refusal{c, what}
}

// Usage is what is in use of a budget, and how often it was spent.
type Usage struct {
	Class      Class
	What       string // "requests" or "bytes"
	Used, Size int64
	Refusals   int64
}

// Usage returns that of all budgets.
func (b *Budgets) Usage() []Usage {
	var list []Usage
	for c := range b.of {
		for i, s := range []*Share{b.of[c].requests, b.of[c].bytes} {
			if s.size > 0 {
				list = append(list, Usage{Class(c), [2]string{"requests", "bytes"}[i], s.Used(), s.size, b.of[c].refused[i].Load()})
			}
		}
	}
	return list
}

// TooSlow returns how many bodies and answers were ended as they kept to no rate.
func (b *Budgets) TooSlow() int64 { return b.tooSlow.Load() }
