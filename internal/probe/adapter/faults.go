package adapter

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// Faults are what is wrong with a sandbox. The zero Faults are none.
type Faults struct {
	// Seed makes chance the same each time, as far as calls come in the same order.
	Seed uint64
	// Latency is how long a call is held up at most.
	Latency time.Duration
	// Failures is how many calls of a thousand fail: a third of them with 503
	// before anything is done, a third with 503 after all is done, and a third by
	// hanging up after it. GET /capabilities never fails.
	Failures int
	// After a call that changes something, an account shows for this long at most,
	// and for this many readings at most, what it showed before.
	LagTime  time.Duration
	LagReads int
}

// Wrap has a handler of the protocol fail like that.
func (f Faults) Wrap(next http.Handler) http.Handler {
	if f.LagTime > 0 || f.LagReads > 0 {
		next = &replica{next: next, chance: newChance(f.Seed + 1), faults: f, accounts: map[string]*shown{}}
	}
	if f.Latency > 0 || f.Failures > 0 {
		next = &flaky{next: next, chance: newChance(f.Seed), faults: f}
	}
	return next
}

// chance is a random source that several calls may ask.
type chance struct {
	mutex  sync.Mutex
	source *rand.Rand
}

func newChance(seed uint64) *chance { return &chance{source: rand.New(rand.NewPCG(seed, 0))} }

// below returns a number from 0 to n, n not among them, or 0 if n is 0.
func (c *chance) below(n int64) int64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if n <= 0 {
		return 0
	}
	return c.source.Int64N(n)
}

// flaky holds calls up and loses some.
type flaky struct {
	next   http.Handler
	chance *chance
	faults Faults
}

func (f *flaky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if hold := f.chance.below(int64(f.faults.Latency)); hold > 0 {
		select {
		case <-time.After(time.Duration(hold)):
		case <-r.Context().Done():
		}
	}
	fails := f.chance.below(1000) < int64(f.faults.Failures) && r.URL.Path != "/capabilities"
	if !fails {
		f.next.ServeHTTP(w, r)
		return
	}
	switch f.chance.below(3) {
	case 0:
		http.Error(w, "not now", http.StatusServiceUnavailable)
	case 1:
		f.next.ServeHTTP(newRecorder(), r)
		http.Error(w, "not now", http.StatusServiceUnavailable)
	default:
		f.next.ServeHTTP(newRecorder(), r)
		panic(http.ErrAbortHandler)
	}
}

// replica shows accounts as they were a moment ago.
type replica struct {
	next   http.Handler
	chance *chance
	faults Faults

	mutex    sync.Mutex // over what follows
	changed  time.Time  // when something last may have
	accounts map[string]*shown
}

// shown is what an account shows, and what it will.
type shown struct {
	now    []byte
	coming []version // oldest first
}

// version is what an account shows once its time has come and as many readings
// have been made.
type version struct {
	body  []byte
	from  time.Time
	reads int64
}

// newAccount is what one without a history shows.
var newAccount = []byte(`{"balance":0,"redeemable":0}`)

func (p *replica) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if r.Method != http.MethodGet {
		if r.URL.Path == "/reset" {
			clear(p.accounts)
		}
		p.next.ServeHTTP(w, r)
		p.changed = time.Now()
		return
	}
	inside := newRecorder()
	p.next.ServeHTTP(inside, r)
	body := inside.body.Bytes()
	if inside.status == http.StatusOK && r.URL.Path != "/capabilities" {
		body = p.stale(r.URL.Path, body)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(inside.status)
	w.Write(body)
}

// stale returns what the account shows instead of what it is.
func (p *replica) stale(path string, body []byte) []byte {
	a := p.accounts[path]
	if a == nil {
		a = &shown{now: newAccount}
		p.accounts[path] = a
	}
	latest := a.now
	if n := len(a.coming); n > 0 {
		latest = a.coming[n-1].body
	}
	if !bytes.Equal(latest, body) {
		a.coming = append(a.coming, version{
			body:  body,
			from:  p.changed.Add(time.Duration(p.chance.below(int64(p.faults.LagTime) + 1))),
			reads: p.chance.below(int64(p.faults.LagReads) + 1),
		})
	}
	now := time.Now()
	for i := len(a.coming) - 1; i >= 0; i-- {
		if v := &a.coming[i]; v.reads <= 0 && !now.Before(v.from) {
			a.now = v.body
			a.coming = a.coming[i+1:]
			break
		}
	}
	for i := range a.coming {
		a.coming[i].reads--
	}
	return a.now
}

// recorder keeps an answer back.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func newRecorder() *recorder { return &recorder{header: http.Header{}, status: http.StatusOK} }

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }
