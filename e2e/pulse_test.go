package e2e_test

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// pulse is when answers came that acknowledge something, and how long each took.
type pulse struct {
	mu    sync.Mutex
	beats []beat // as they came
}

type beat struct {
	at   time.Time
	took time.Duration
}

func (p *pulse) beat(took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.beats = append(p.beats, beat{time.Now(), took})
}

// around returns the longest time without an answer that is not over before a moment, and
// the longest that any answer took that came after it, up to another moment. Both are the
// whole time until then if no answer came.
func (p *pulse) around(moment, until time.Time) (gap, slowest time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := moment
	for _, b := range p.beats {
		switch {
		case b.at.Before(moment):
			last = b.at
		case b.at.Before(until):
			gap, slowest = max(gap, b.at.Sub(last)), max(slowest, b.took)
			last = b.at
		}
	}
	return max(gap, until.Sub(last)), max(slowest, until.Sub(last))
}

// more waits for so many more answers.
func (p *pulse) more(t testing.TB, n int) {
	t.Helper()
	count := func() int {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.beats)
	}
	before := count()
	eventually(t, "there are more answers", func() error {
		if have := count() - before; have < n {
			return fmt.Errorf("%d, want %d", have, n)
		}
		return nil
	})
}
