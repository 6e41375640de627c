package access

import (
	"sync"
	"time"
)

// Rates keep each key to its own rate. The zero value is ready.
type Rates struct {
	mu sync.Mutex
	of map[string]*bucket
}

// bucket is how many requests a key has in hand: as many as its rate allows in a second at
// most.
type bucket struct {
	left float64
	at   time.Time
}

// Take takes a request from what a key has in hand, or says how long it is until there is
// one.
func (r *Rates) Take(p *Principal, now time.Time) (wait time.Duration, ok bool) {
	if p.Rate == 0 {
		return 0, true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = make(map[string]*bucket)
	}
	rate := float64(p.Rate)
	b := r.of[p.ID]
	if b == nil {
		b = &bucket{left: rate, at: now}
		r.of[p.ID] = b
	}
	if passed := now.Sub(b.at).Seconds(); passed > 0 {
		b.left, b.at = min(rate, b.left+passed*rate), now
	}
	if b.left < 1 {
		return time.Duration((1 - b.left) / rate * float64(time.Second)), false
	}
	b.left--
	return 0, true
}
