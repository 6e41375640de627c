package e2e_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"recoup/reward"
)

// paced is one of the crowd: what it asks for one after the other.
type paced struct {
	step  func(*client) error
	reads bool
	at    int // with which process it is
	draw  *rand.Rand
	asks  atomic.Int64 // since when, in Unix nanoseconds; 0: nothing
}

// each is how often each of the crowd asks for something. Half of them do so at the same
// moment, with as many of the unlucky: who is in one commit with others has to be.
const (
	each    = 300 * time.Millisecond
	beatsOf = 2
	unhappy = 24
)

// crowd has everybody begin.
func (c *chaos) crowd() {
	for _, s := range c.load.senders {
		c.members = append(c.members, &paced{step: s.request})
	}
	for i, p := range c.load.purses {
		reads := func(at *client) error { return at.get("/v1/accounts/"+p.account, new(any)) }
		c.members = append(c.members, &paced{step: p.step}, &paced{step: reads, reads: true, at: i})
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
	for i, m := range c.members {
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
	m.asks.Store(due.UnixNano())
	defer m.asks.Store(0)
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
		case errors.As(err, &slow) && slow.Timeout():
			r.unanswered++
		default:
			r.locked = r.locked || p != nil && p.Code == "account_locked"
			r.refusedBy |= 1 << m.at
			r.why, r.told = err, max(r.told, time.Since(begun))
		}
		if time.Since(due) > patience {
			c.Errorf("a request is not done after %v: %v", patience, err)
			return time.Now()
		}
		m.at = (m.at + 1) % len(c.posts)
		if r.refusedBy != 0 && m.at == 0 {
			time.Sleep(20 * time.Millisecond)
		}
	}
	r.answered = time.Now()
	r.failed = r.refusedBy == 1<<len(c.posts)-1
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
