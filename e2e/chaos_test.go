package e2e_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
	"recoup/reward"
)

// TestChaos has one thing after another go wrong, in an order that is drawn, and then
// several at once, while a crowd goes on sending at a steady pace: of accounts with which
// nothing is wrong. Of its requests at most one in a hundred may fail, and none may be late
// by more than a second and what the machine itself is late by: as late as the latest was
// while nothing was wrong, or as its timer and its disk are at that moment. In the end
// whatever was acknowledged is there, once, as a replay of it has it.
//
// A request is what a sender wants done by when it is due. Who is refused, or finds nobody,
// asks another process; a request has failed if each of the processes refused it once. It
// goes on being sent until it is acknowledged, and is as late as that is. What nobody can do
// is counted by itself: while the only process of a folder is dead, and what is to be
// written while its disk is full. Of that the test asks that senders are told at once, that
// reading goes on while there is a process, and that all is done a second after that is over.
// So are requests of accounts that a stopped process has locked, which are told 423.
func TestChaos(t *testing.T) {
	t.Parallel()
	t.Run("pebble", func(t *testing.T) {
		t.Parallel()
		dir, ok := smallDisk(t)
		if !ok {
			return
		}
		c := newChaos(t, filepath.Join(dir, "data"), 1)
		c.run(dir, killed, damaged, diskFull, copierStopped, slowClients)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		db := pgtest.Start(t).NewDatabase(t)
		c := newChaos(t, db, 2)
		c.schemas = []string{db}
		c.run(t.TempDir(), killed, damaged, processStopped, rowLocked, slowClients)
	})
}

// How long things last.
const (
	undisturbed = 4 * time.Second
	lasting     = 2 * time.Second        // of something wrong
	healing     = 700 * time.Millisecond // after it was put right
)

// chaos is a ledger of which things go wrong.
type chaos struct {
	*testing.T
	db      string
	schemas []string // of PostgreSQL
	dir     string   // on the disk that the ledger is on
	posts   []*post
	draw    *rand.Rand // of the faults
	load    *load
	machine *machine
	unlucky *unlucky
	fragile []string // accounts that are damaged
	// damagedUpTo is how many of these are asked for: nobody has asked for the others yet.
	damagedUpTo int
	phases      []*phase
	stop        chan struct{}
	everybody   sync.WaitGroup

	mu       sync.Mutex
	requests []request
}

// post is a process of the service, and those that come after it when it is dead.
type post struct {
	service *service
	client  atomic.Pointer[client]
}

// patient is how long a sender that knows of another process waits for an answer of one.
const patient = 500 * time.Millisecond

// man starts a process, and returns when it takes requests.
func (c *chaos) man(p *post) {
	c.Helper()
	p.service = serve(c, c.db, untimely)
	at := p.service.client(c)
	if len(c.posts) > 1 {
		at.http.Timeout = patient
	}
	p.client.Store(at)
}

// newChaos makes a ledger, and damages some of its accounts before anybody serves it.
func newChaos(t *testing.T, db string, processes int) *chaos {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	c := &chaos{
		T: t, db: db, draw: rand.New(rand.NewPCG(seed, 4)), load: newLoad(t, 12, 4, seed), stop: make(chan struct{}),
		unlucky: &unlucky{acknowledged: make(map[string]string)},
	}
	s := serve(t, db, untimely, "--program", programFile(t))
	at := s.client(t)
	for _, p := range c.load.purses {
		for !p.filled {
			noError(t, p.step(at))
		}
	}
	var events []reward.Event
	for n := range 2 * often(1, 10) {
		c.fragile = append(c.fragile, fmt.Sprint("fragile-", n))
		events = append(events, purchaseOf(c.fragile[n], "first"))
	}
	for n := range 4 {
		busy := fmt.Sprint("busy-", n)
		c.unlucky.accounts = append(c.unlucky.accounts, busy)
		events = append(events, purchaseOf(busy, "first"))
	}
	for n := range 1000 {
		events = append(events, purchaseOf(thick, fmt.Sprint("t", n)))
	}
	_, err := at.send(batch, linesOf(events))
	noError(t, err)
	s.stop(t)
	for _, account := range c.fragile {
		garble(t, db, account)
	}
	for range processes {
		c.posts = append(c.posts, new(post))
	}
	return c
}

// run has the crowd begin, everything happen, and looks at what came of it.
func (c *chaos) run(dir string, faults ...fault) {
	c.dir = dir
	for _, p := range c.posts {
		c.man(p)
	}
	c.machine = watchMachine(c, dir)
	c.crowd()
	c.during("nothing", "", func(*phase) { time.Sleep(undisturbed) })
	for range often(1, 10) {
		c.draw.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
		for _, f := range faults {
			f(c)
		}
		together(c)
	}
	c.during("nothing", "", func(*phase) { time.Sleep(undisturbed / 2) })
	close(c.stop)
	c.everybody.Wait()
	c.report()
	c.settle()
}

// during has something go wrong. Some of the unlucky have to be told of it by this code.
func (c *chaos) during(what, code string, happens func(*phase)) {
	c.Helper()
	for _, p := range c.posts {
		p.service.alive(c)
	}
	p := &phase{what: what, code: code, began: time.Now()}
	c.mu.Lock()
	c.phases = append(c.phases, p)
	c.mu.Unlock()
	c.unlucky.codes.Store(&p.codes)
	happens(p)
	if what != "nothing" {
		time.Sleep(healing)
	}
	p.ended = time.Now()
}

// settle compares what is there with what was acknowledged.
func (c *chaos) settle() {
	c.load.settle(c.T, c.posts[0].client.Load())
	for _, p := range c.posts {
		p.service.stop(c)
	}
	kept(c, c.db, c.load.senders)
	times := make(map[string]int)
	for _, l := range logOf(c, c.db) {
		times[l.id]++
	}
	for id, account := range c.unlucky.acknowledged {
		if times[id] != 1 {
			c.Errorf("%s of %s was acknowledged and is in the log %d times", id, account, times[id])
		}
	}
	c.Logf("acknowledged: %d events and %d redemptions of the crowd, %d events of the unlucky",
		c.load.acknowledged(), c.load.purses[0].redeemed*len(c.load.purses), len(c.unlucky.acknowledged))

	var found struct {
		Differences []struct{ Account string }
	}
	got := command(c, "verify", "--db", c.db, "--output", "json")
	noError(c, json.Unmarshal([]byte(got.stdout), &found))
	var of []string
	for _, d := range found.Differences {
		of = append(of, d.Account)
	}
	slices.Sort(of)
	want := slices.Sorted(slices.Values(c.fragile))
	if of = slices.Compact(of); got.code != 1 || !slices.Equal(of, want) {
		c.Errorf("recoup verify exits %d and finds differences of %q, want 1 and those of %q\n%s", got.code, of, want, got.stdout)
	}
	for _, account := range c.fragile {
		if got := command(c, "account", "rebuild", "--db", c.db, account); got.code != 0 {
			c.Errorf("recoup account rebuild exits %d: %s", got.code, got.stderr)
		}
	}
	verified(c, c.db)
}

// member is one of the crowd: what it asks for one after the other.
type paced struct {
	step  func(*client) error
	reads bool
	at    int // with which process it is
	draw  *rand.Rand
}

// each is how often each of the crowd asks for something. Half of them do so at the same
// moment, with as many of the unlucky: who is in one commit with others has to be.
const (
	each    = 200 * time.Millisecond
	beatsOf = 2
	unhappy = 32
)

// crowd has everybody begin.
func (c *chaos) crowd() {
	var all []*paced
	for _, s := range c.load.senders {
		all = append(all, &paced{step: s.request})
	}
	for i, p := range c.load.purses {
		reads := func(at *client) error { return at.get("/v1/accounts/"+p.account, new(any)) }
		all = append(all, &paced{step: p.step}, &paced{step: reads, reads: true, at: i})
	}
	began := time.Now()
	begin := func(i int, ask func(due time.Time) time.Time) {
		c.everybody.Go(func() {
			for due := began.Add(time.Duration(i%beatsOf) * each / beatsOf); ; {
				select {
				case <-c.stop:
					return
				case <-time.After(time.Until(due)):
				}
				due = ask(due).Add(each)
			}
		})
	}
	for i, m := range all {
		m.at, m.draw = i%len(c.posts), rand.New(rand.NewPCG(uint64(i), c.draw.Uint64()))
		begin(i, func(due time.Time) time.Time { return c.ask(m, due) })
	}
	for i := range unhappy {
		draw, n := rand.New(rand.NewPCG(uint64(i), c.draw.Uint64())), 0
		begin(i, func(due time.Time) time.Time {
			n++
			c.unlucky.ask(c.posts[draw.IntN(len(c.posts))].client.Load(), draw, fmt.Sprintf("unlucky-%d-%d", i, n))
			return latest(due, time.Now().Add(-each)) // they do not make up for lost time
		})
	}
}

// ask makes a request and returns when it was due for the next.
func (c *chaos) ask(m *paced, due time.Time) time.Time {
	r := request{due: due, reads: m.reads}
	if m.draw.IntN(20) == 0 {
		m.at = m.draw.IntN(len(c.posts)) // connections are made anew now and then
	}
	for {
		begun := time.Now()
		err := m.step(c.posts[m.at].client.Load())
		if err == nil {
			break
		}
		var p *problem
		var slow interface{ Timeout() bool }
		switch {
		case errors.As(err, &p) && p.Status < 500 && p.Status != 429 && p.Status != 423:
			c.Errorf("one of the crowd is told %v", err)
			return due
		case errors.As(err, &p) && p.Code == "account_locked":
			r.locked = true
		case errors.As(err, &slow) && slow.Timeout():
			r.unanswered++
		default:
			r.refused++
			r.why, r.told = err, max(r.told, time.Since(begun))
		}
		if time.Since(due) > patience {
			c.Errorf("a request is not done after %v: %v", patience, err)
			return time.Now()
		}
		m.at = (m.at + 1) % len(c.posts)
		if r.locked || r.refused >= len(c.posts) {
			time.Sleep(20 * time.Millisecond)
		}
	}
	r.answered = time.Now()
	r.failed = r.refused >= len(c.posts)
	c.mu.Lock()
	c.requests = append(c.requests, r)
	c.mu.Unlock()
	if r.locked || c.outageOf(&r) != nil {
		return latest(due, r.answered.Add(-each)) // what could not be done is not late afterwards, too
	}
	return due
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// thick is an account about which there is much to read.
const thick = "thick"

// unlucky are those whose accounts something is wrong with, or that are busy with one
// another. They ask for one thing after another, of any process, and do not ask twice.
type unlucky struct {
	codes atomic.Pointer[codes]

	mu           sync.Mutex
	accounts     []string
	acknowledged map[string]string // by the event's id
}

// codes are how often somebody was told what.
type codes struct {
	mu sync.Mutex
	of map[string]int
}

func (c *codes) add(code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = make(map[string]int)
	}
	c.of[code]++
}

func (u *unlucky) ask(at *client, draw *rand.Rand, id string) {
	u.mu.Lock()
	account := u.accounts[draw.IntN(len(u.accounts))]
	u.mu.Unlock()
	codes := u.codes.Load()
	_, err := at.send(single, linesOf([]reward.Event{purchaseOf(account, id)}))
	var p *problem
	var slow interface{ Timeout() bool }
	switch {
	case errors.As(err, &p):
		codes.add(p.Code)
	case errors.As(err, &slow) && slow.Timeout():
		codes.add("no answer")
	case err != nil:
		codes.add("no connection")
	default:
		codes.add("acknowledged")
		u.mu.Lock()
		u.acknowledged[id] = account
		u.mu.Unlock()
	}
}

// with has an account be among those that the unlucky send to, until it is taken out.
func (u *unlucky) with(account string) (out func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for range 4 { // as often as all the others
		u.accounts = append(u.accounts, account)
	}
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.accounts = slices.DeleteFunc(u.accounts, func(a string) bool { return a == account })
	}
}
