package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// request is one of the crowd's: what it wanted done at a moment, and when it was.
type request struct {
	due, answered time.Time
	reads         bool
	unanswered    int           // times
	refusedBy     int           // processes, each a bit
	failed        bool          // each process refused it
	locked        bool          // its account was
	told          time.Duration // how long it took at most to be refused
	why           error
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
	repeated     bool // the next one counts in its place
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

// phaseOf is when a request was due; if that was while nothing was wrong, or before the next
// thing went wrong, and that did before it was answered, that.
func (c *chaos) phaseOf(r *request) (of *phase) {
	for _, p := range c.phases {
		if p.began.After(r.answered) {
			break
		}
		if of == nil || of.what == "nothing" || of.ended.Before(r.due) || !p.began.After(r.due) {
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

// fortune is how the crowd fared in a phase.
type fortune struct {
	fared                 // those who were promised something
	waited  fared         // who came in an outage: how late they were when it could be done again
	told    time.Duration // how long it took at most until one of these was refused
	locked  fared         // whose accounts a stopped process had locked
	allowed time.Duration
}

// late reports whether somebody was later than allowed.
func (f *fortune) late() bool {
	return max(f.latest(), f.waited.latest(), f.told) > f.allowed
}

// figures are how the crowd fared in each phase; those in which nothing was wrong are one,
// under nil.
func (c *chaos) figures() map[*phase]*fortune {
	c.mu.Lock()
	requests := slices.Clone(c.requests)
	c.mu.Unlock()
	of := map[*phase]*fortune{nil: {}}
	for _, p := range c.phases {
		of[p] = &fortune{}
	}
	for i := range requests {
		r := &requests[i]
		p := c.phaseOf(r)
		o := c.outageOf(r)
		switch {
		case p.what == "nothing":
			of[nil].add(r, r.late())
		case o != nil:
			of[p].waited.add(r, max(0, r.answered.Sub(latest(o.to, r.due))))
			of[p].told = max(of[p].told, r.told)
		case r.locked && p.holds:
			of[p].locked.add(r, r.late())
		default:
			of[p].add(r, r.late())
		}
	}
	for _, p := range c.phases {
		of[p].allowed = c.machine.allows(of[nil].latest(), p.began, p.ended)
	}
	return of
}

// report says how the crowd fared, and fails the test if that is not what is promised.
func (c *chaos) report() {
	of := c.figures()
	c.Logf("nothing is wrong: %v", of[nil])
	n, failed := 0, 0
	for _, p := range c.phases {
		if p.what == "nothing" {
			continue
		}
		f := of[p]
		n, failed = n+f.n, failed+f.failed
		c.Log(p.say(f, c.machine.worst(p.began, p.ended)))
		if f.failed*100 > mostFailed*f.n {
			c.Errorf("%s: %d of %d requests of others failed, such as with %v", p.what, f.failed, f.n, f.why)
		}
		if f.late() && !p.repeated {
			c.Errorf("%s: the latest request of others took %v; of those who had to wait one was told so after %v, and one was done %v after it could be; allowed are %v",
				p.what, f.latest(), f.told, f.waited.latest(), f.allowed)
		}
		if p.code != "" && p.codes.of[p.code] == 0 {
			c.Errorf("%s: nobody was told %q, so it was not wrong", p.what, p.code)
		}
		if p.slow.let.Load() > 0 && p.slow.reading < fewReaders {
			c.Errorf("%s: slow clients had only %d requests for reading at a time", p.what, p.slow.reading)
		}
	}
	c.Logf("all that was wrong: %d requests, %d failed (%.2f %%); machine: %v", n, failed, 100*float64(failed)/float64(n), c.machine.worst(c.phases[0].began, time.Now()))
}

// say tells of a phase in one line.
func (p *phase) say(f *fortune, machine lateness) string {
	var said strings.Builder
	fmt.Fprintf(&said, "%s: %v; allowed %v; machine: %v; others were told %v", p.what, f, f.allowed.Round(time.Millisecond), machine, p.codes.of)
	if f.unanswered > 0 {
		fmt.Fprintf(&said, "; %d times a sender had no answer for %v and asked another process", f.unanswered, patient)
	}
	if let := p.slow.let.Load(); let > 0 {
		fmt.Fprintf(&said, "; %d slow clients were let in, %d sent away; they had %d requests for reading at a time", let, p.slow.sent.Load(), p.slow.reading)
	}
	for _, o := range p.outages {
		fmt.Fprintf(&said, "; for %v it could not be done: %d requests waited, %d of them were refused, within %v, and the latest was done %v after that",
			o.to.Sub(o.from).Round(time.Millisecond), f.waited.n, f.waited.failed, f.told.Round(time.Millisecond), f.waited.latest().Round(time.Millisecond))
	}
	if f.locked.n > 0 {
		fmt.Fprintf(&said, "; a stopped process had accounts locked of %d more, the latest %v", f.locked.n, f.locked.latest().Round(time.Millisecond))
	}
	if p.repeated {
		said.WriteString("; it went wrong once more, as the machine was late itself")
	}
	return said.String()
}
