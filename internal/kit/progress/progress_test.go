package progress

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// screen is what was written to a terminal.
type screen struct {
	sync.Mutex
	strings.Builder
}

func (s *screen) Write(p []byte) (int, error) {
	s.Lock()
	defer s.Unlock()
	return s.Builder.Write(p)
}

// A bar says how long it is still going to take, where its end is known.
func TestShowSaysHowLong(t *testing.T) {
	for size, says := range map[int64]bool{1000: true, Unknown: false} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			s := &screen{}
			done := show(s, "calls", Units, size, func() int64 { return int64(time.Since(began) / (100 * time.Millisecond)) })
			time.Sleep(20 * time.Second) // of the test's own clock: a fifth of 1000
			done()
			synctest.Wait()
			text := s.String()
			if !strings.Contains(text, "calls") || strings.Contains(text, "~ETA: 1m2") != says || strings.Contains(text, "~ETA") != says {
				t.Errorf("of %d: says how long: want %t; %q", size, says, text[:min(len(text), 400)])
			}
		})
	}
}
