package security

import (
	"sync"
	"time"
)

// perMinute is how many refusals of a principal are noted in a minute, and of all who are
// none together: whoever tries keys must not be able to fill the disk.
const perMinute = 60

// allowances count the refusals of a minute. The zero value is ready.
type allowances struct {
	mu     sync.Mutex
	minute int64                 // since 1970
	of     map[string]*allowance // by principal; "": of all who are none
}

type allowance struct {
	noted  int
	missed int64
}

// take reports whether a refusal is to be noted, and how many of the same principal were
// not before it.
func (a *allowances) take(principal string, now time.Time) (missed int64, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if minute := now.Unix() / 60; a.of == nil || minute != a.minute {
		was := a.of
		a.minute, a.of = minute, make(map[string]*allowance)
		for who, one := range was {
			if one.missed > 0 {
				a.of[who] = &allowance{missed: one.missed}
			}
		}
	}
	one := a.of[principal]
	if one == nil {
		one = &allowance{}
		a.of[principal] = one
	}
	if one.noted == perMinute {
		one.missed++
		return 0, false
	}
	one.noted++
	missed, one.missed = one.missed, 0
	return missed, true
}
