package e2e_test

import (
	"encoding/json"
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
	members     []*paced
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
	for n := range 2 * attempts * often(1, 10) {
		c.fragile = append(c.fragile, fmt.Sprint("fragile-", n))
		events = append(events, purchaseOf(c.fragile[n], "first"))
	}
	for n := range 4 {
		busy := fmt.Sprint("busy-", n)
		c.unlucky.accounts = append(c.unlucky.accounts, busy)
		events = append(events, purchaseOf(busy, "first"))
	}
	for n := range 400 {
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
		for _, f := range append(faults, together) {
			c.goWrong(f)
		}
	}
	c.during("nothing", "", func(*phase) { time.Sleep(undisturbed / 2) })
	close(c.stop)
	c.everybody.Wait()
	c.report()
	c.settle()
}

// attempts is how often something may go wrong on a machine that is late itself until the
// others are in time, each time together.
const attempts = 3

// goWrong has something go wrong. Where a request is later than allowed, and the machine was
// so busy with other things that it could be at fault, it goes wrong once more, and that time
// is what counts.
func (c *chaos) goWrong(f fault) {
	c.Helper()
	for n := 1; ; n++ {
		f(c)
		p := c.phases[len(c.phases)-1]
		for _, m := range c.members {
			for asked := m.asks.Load(); asked != 0 && asked < p.ended.UnixNano(); asked = m.asks.Load() {
				time.Sleep(10 * time.Millisecond)
			}
		}
		of := c.figures()[p]
		if n == attempts || !of.late() || c.machine.worst(p.began, p.ended).sum() < busy {
			return
		}
		p.repeated = true
	}
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
	c.load.settle(c.T, newClient(c.posts[0].service.url)) // which waits
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
