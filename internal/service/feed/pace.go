package feed

import (
	"sync"
	"time"
)

// How often the tokens of one account are used: a reader has Burst requests in hand, and gets
// another each interval. A token is for one account, and who has one may get more of them; so
// all of an account count together.
const (
	Burst    = 60
	interval = time.Second / 2
)

// pace is until when what accounts have used is made up for. The zero value is ready.
type pace struct {
	mu    sync.Mutex
	until map[string]time.Time
	swept time.Time
}

// take reports whether an account has a request in hand, and takes it.
func (p *pace) take(account string, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.until == nil || now.Sub(p.swept) >= Burst*interval {
		p.sweep(now)
	}
	until := p.until[account]
	if until.Before(now) {
		until = now
	}
	if until = until.Add(interval); until.Sub(now) > Burst*interval {
		return false
	}
	p.until[account] = until
	return true
}

// sweep forgets the accounts that have all in hand again, so that no more are kept than were
// read of late.
func (p *pace) sweep(now time.Time) {
	left := make(map[string]time.Time)
	for account, until := range p.until {
		if until.After(now) {
			left[account] = until
		}
	}
	p.until, p.swept = left, now
}

// Take reports whether the tokens of an account may be used once more now, and counts that.
func (d *Door) Take(account string) bool { return d.used.take(account, d.Keys.now()) }
