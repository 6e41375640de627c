package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// request is one of the crowd's: what it wanted done at a moment, and when it was.
type request struct {
	due, answered       time.Time
	reads               bool
	refused, unanswered int
	failed              bool          // each process refused it
	locked              bool          // its account was
	told                time.Duration // how long it took at most to be refused
	why                 error
}

func (r *request) late() time.Duration { return r.answered.Sub(r.due) }

// phase is a time in which something is wrong, or nothing.
type phase struct {
	what, code   string
	began, ended time.Time
	codes        codes // what the unlucky were told
	outages      []*outage
	holds        bool // a process may have accounts locked that are the crowd's
	slow         slow
}

// outage is a time in which nobody can do what is asked for: write, or read either.
type outage struct {
	from, to time.Time // to: zero while it lasts
	reads    bool
}

// outage has one begin, and returns what ends it.
func (c *chaos) outage(p *phase, reads bool) (over func()) {
	o := &outage{from: time.Now(), reads: reads}
	c.mu.Lock()
	defer c.mu.Unlock()
	p.outages = append(p.outages, o)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		o.to = time.Now()
	}
}

// outageOf is the outage that a request fell into; nil: none.
func (c *chaos) outageOf(r *request) *outage {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.phases {
		for _, o := range p.outages {
			if (o.reads || !r.reads) && r.answered.After(o.from) && (o.to.IsZero() || r.due.Before(o.to)) {
				return o
			}
		}
	}
	return nil
}

// phaseOf is when a request was due; if that was while nothing was wrong, and something was
// before it was answered, that.
func (c *chaos) phaseOf(r *request) (of *phase) {
	for _, p := range c.phases {
		if p.began.After(r.answered) {
			break
		}
		if of == nil || of.what == "nothing" || !p.began.After(r.due) {
			of = p
		}
	}
	return of
}

// fared is how requests did.
type fared struct {
	n, failed  int
	unanswered int
	late       []time.Duration // in order
	why        error
}

func (f *fared) add(r *request, late time.Duration) {
	f.n++
	f.unanswered += r.unanswered
	if r.failed {
		f.failed++
		f.why = r.why
	}
	at, _ := slices.BinarySearch(f.late, late)
	f.late = slices.Insert(f.late, at, late)
}

func (f *fared) latest() time.Duration { return f.of(1000) }

// of is what so many of a thousand are not later than.
func (f *fared) of(thousandths int) time.Duration {
	if f.n == 0 {
		return 0
	}
	return f.late[max(0, (f.n*thousandths+999)/1000-1)]
}

func (f *fared) String() string {
	return fmt.Sprintf("%d requests, %d failed (%.2f %%), median %v, 99 %% %v, latest %v", f.n, f.failed, 100*float64(f.failed)/float64(max(f.n, 1)),
		f.of(500).Round(time.Millisecond), f.of(990).Round(time.Millisecond), f.latest().Round(time.Millisecond))
}

// report says how the crowd fared, and fails the test if that is not what is promised.
func (c *chaos) report() {
	var control, all fared
	usual := make(map[*phase]*fared)
	waited := make(map[*phase]*fared)
	locked := make(map[*phase]*fared)
	told := make(map[*phase]time.Duration)
	for _, p := range c.phases {
		usual[p], waited[p], locked[p] = new(fared), new(fared), new(fared)
	}
	for i := range c.requests {
		r := &c.requests[i]
		p := c.phaseOf(r)
		o := c.outageOf(r)
		switch {
		case p.what == "nothing":
			control.add(r, r.late())
		case o != nil:
			// How late it is when it could be done again.
			waited[p].add(r, max(0, r.answered.Sub(latest(o.to, r.due))))
			told[p] = max(told[p], r.told)
		case r.locked && p.holds:
			locked[p].add(r, r.late())
		default:
			usual[p].add(r, r.late())
			all.add(r, r.late())
		}
	}
	c.Logf("nothing is wrong: %v", &control)
	for _, p := range c.phases {
		if p.what == "nothing" {
			continue
		}
		allowed := c.machine.allows(control.latest(), p.began, p.ended)
		var said strings.Builder
		fmt.Fprintf(&said, "%s: %v; allowed %v; machine: %v; others were told %v",
			p.what, usual[p], allowed.Round(time.Millisecond), c.machine.worst(p.began, p.ended), p.codes.of)
		if f := usual[p]; f.unanswered > 0 {
			fmt.Fprintf(&said, "; %d times a sender had no answer for %v and asked another process", f.unanswered, patient)
		}
		if n := p.slow.let.Load(); n > 0 {
			fmt.Fprintf(&said, "; %d slow clients were let in, %d sent away; they had %d requests for reading at a time", n, p.slow.sent.Load(), p.slow.reading)
			if p.slow.reading < fewReaders {
				c.Errorf("%s: slow clients had only %d requests for reading at a time", p.what, p.slow.reading)
			}
		}
		for _, o := range p.outages {
			fmt.Fprintf(&said, "; for %v it could not be done: %d requests waited, %d of them were refused, within %v, and the latest was done %v after that",
				o.to.Sub(o.from).Round(time.Millisecond), waited[p].n, waited[p].failed, told[p].Round(time.Millisecond), waited[p].latest().Round(time.Millisecond))
		}
		if f := locked[p]; f.n > 0 {
			fmt.Fprintf(&said, "; a stopped process had accounts locked of %d more, the latest %v", f.n, f.latest().Round(time.Millisecond))
		}
		c.Log(said.String())
		if f := usual[p]; f.failed*100 > mostFailed*f.n {
			c.Errorf("%s: %d of %d requests of others failed, such as with %v", p.what, f.failed, f.n, f.why)
		}
		if worst := usual[p].latest(); worst > allowed {
			c.Errorf("%s: the latest request of others took %v, allowed are %v", p.what, worst, allowed)
		}
		if told[p] > allowed || waited[p].latest() > allowed {
			c.Errorf("%s: of those who had to wait, one was told so after %v, and one was done %v after it could be; allowed are %v", p.what, told[p], waited[p].latest(), allowed)
		}
		if p.code != "" && p.codes.of[p.code] == 0 {
			c.Errorf("%s: nobody was told %q, so it was not wrong", p.what, p.code)
		}
	}
	c.Logf("all that was wrong: %v; machine: %v", &all, c.machine.worst(c.phases[0].began, time.Now()))
}
