package e2e_test

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recoup/event"
	"recoup/internal/traffic"
	"recoup/program"
	"recoup/reward"
)

// sender delivers the events of some accounts as a processor does: in order, what
// was not acknowledged again, and now and then something that was. One goroutine
// uses it at a time.
type sender struct {
	name   string
	draw   *rand.Rand
	more   func() (reward.Event, bool)
	events []string
	tried  int       // so many have been sent
	first  []outcome // what was acknowledged, in order
	acked  atomic.Int64
	wrong  []string // answers that should not be
}

// newSender returns one with accounts of its own, under the program house.
func newSender(t testing.TB, name string, seed uint64) *sender {
	t.Helper()
	terms, err := program.Parse("house", house)
	noError(t, err)
	more, stop := iter.Pull(traffic.Generate(traffic.Options{
		Accounts: 8, Events: 1_000_000_000, Seed: seed, Program: terms, Days: 200,
		ReturnShare: 300, OverRefunds: 200, Duplicates: 50, Disorder: 100,
	}))
	t.Cleanup(stop)
	return &sender{name: name, draw: rand.New(rand.NewPCG(seed, 1)), more: more}
}

// at returns an event of the sender's, which it makes up if it is new.
func (s *sender) at(i int) string {
	for i >= len(s.events) {
		e, _ := s.more()
		e.Account = s.name + "-" + e.Account
		s.events = append(s.events, string(event.Append(nil, &e)))
	}
	return s.events[i]
}

// step sends one request and takes note of what is acknowledged.
func (s *sender) step(c *client) error {
	from := len(s.first)
	to := max(from+1+s.draw.IntN(30), s.tried)
	if s.draw.IntN(5) == 0 && from > 0 {
		return s.again(c)
	}
	return s.send(c, from, to)
}

// request is a step that makes one request.
func (s *sender) request(c *client) error {
	from := len(s.first)
	switch {
	case s.tried > from:
		return s.deliver(c, batch, from, s.tried)
	case from > 0 && s.draw.IntN(5) == 0:
		return s.again(c)
	case s.draw.IntN(3) == 0:
		return s.deliver(c, lines, from, from+1+s.draw.IntN(5))
	}
	return s.deliver(c, single, from, from+1)
}

// send sends the events up to one, those first that are not acknowledged.
func (s *sender) send(c *client, from, to int) error {
	return s.deliver(c, media(s.draw.IntN(3)), from, to)
}

// deliver is send by one of the ways.
func (s *sender) deliver(c *client, how media, from, to int) error {
	if from == to {
		return nil
	}
	s.at(to - 1)
	known := s.tried // of these nobody knows whether they were kept
	s.tried = max(s.tried, to)
	answers, err := s.told(c.send(how, s.events[from:to]))
	for i, o := range answers {
		if o.String() == "duplicate" && from+i < known {
			o.Outcome = "kept before"
		}
		s.first = append(s.first, o)
	}
	s.acked.Store(int64(len(s.first)))
	return err
}

// told is what was answered up to the first event that could not be applied just now, as one
// of a batch cannot whose account is locked; then the error is the problem of that.
func (*sender) told(answers []outcome, err error) ([]outcome, error) {
	for i, o := range answers {
		if o.Outcome == "failed" {
			return answers[:i], &problem{Status: http.StatusLocked, Code: *o.Code, Detail: o.Detail, RetryAfter: "-", media: "application/problem+json"}
		}
	}
	return answers, err
}

// again sends some that were acknowledged, which must be known.
func (s *sender) again(c *client) error {
	from := s.draw.IntN(len(s.first))
	to := min(from+1+s.draw.IntN(5), len(s.first))
	answers, err := s.told(c.send(batch, s.events[from:to]))
	for i, o := range answers {
		if before := s.first[from+i]; o.String() != "duplicate" && (!leavesNoTrace(o) || o.String() != before.String()) {
			s.wrong = append(s.wrong, fmt.Sprintf("%s was acknowledged (%s), and sent again it is %s", s.events[from+i], before, o))
		}
	}
	return err
}

// drain sends what is not acknowledged yet.
func (s *sender) drain(c *client) error { return s.send(c, len(s.first), s.tried) }

// check compares everything that was acknowledged, and what is there in the end,
// with a replay of what was sent, once it is all acknowledged.
func (s *sender) check(c *client) error {
	if len(s.wrong) > 0 {
		return fmt.Errorf("%d wrong answers, the first: %s", len(s.wrong), s.wrong[0])
	}
	if len(s.first) != s.tried || s.tried == 0 {
		return fmt.Errorf("%d events were sent, %d acknowledged", s.tried, len(s.first))
	}
	want, err := replayOf(house, s.events[:s.tried])
	if err != nil {
		return err
	}
	for i, o := range s.first {
		w := want.outcomes[i]
		if o.ID != w.ID || o.Account != w.Account || o.Outcome != "kept before" && o.String() != w.String() {
			return fmt.Errorf("%s: acknowledged as %s/%s: %s, replay says %s", s.events[i], o.Account, o.ID, o, w)
		}
	}
	if differences := c.compareStates(want.states, 100); len(differences) > 0 {
		return errors.New(strings.Join(differences, "\n"))
	}
	return nil
}

// kept compares the log with what the senders sent: each event that leaves a
// trace is there, once.
func kept(t testing.TB, db string, senders []*sender) {
	t.Helper()
	for _, wrong := range notKept(t, db, senders) {
		t.Error(wrong)
	}
}

// notKept are the events that were acknowledged and are not in the log, or are there more
// than once.
func notKept(t testing.TB, db string, senders []*sender) (wrong []string) {
	t.Helper()
	times := make(map[string]int)
	for _, l := range logOf(t, db) {
		times[l.account+"\n"+l.source+"\n"+l.id]++
	}
	var decoder = event.NewDecoder()
	for _, s := range senders {
		for i, line := range s.events[:len(s.first)] {
			var e reward.Event
			noError(t, decoder.Decode([]byte(line), &e))
			n := times[e.Account+"\n"+e.Source+"\n"+e.ID]
			if leavesNoTrace(s.first[i]) {
				continue
			}
			if n != 1 {
				wrong = append(wrong, fmt.Sprintf("%s was acknowledged as %s and is in the log %d times", line, s.first[i], n))
			}
		}
	}
	return wrong
}

// purse is an account from which one is redeemed again and again, each time
// under a key of its own, until that is acknowledged.
type purse struct {
	account  string
	filled   bool
	redeemed int // acknowledged
	asked    int
}

const purseful = 1_000_000

func (p *purse) step(c *client) error {
	path := "/v1/accounts/" + p.account
	if !p.filled {
		// The account is there from its first event on.
		opening := reward.Event{Source: "e2e", ID: "opening", Account: p.account, Type: reward.AccountOpened, Time: end, Fact: "house"}
		if _, err := c.send(single, linesOf([]reward.Event{opening})); err != nil {
			return err
		}
		_, _, err := c.order(path+"/adjustments", "fill-the-purse", fmt.Sprintf(`{"adjustment":"fill","amount":%d,"currency":"USD","reason":"a test","actor":"e2e"}`, purseful))
		p.filled = err == nil
		return err
	}
	p.asked = p.redeemed + 1
	_, _, err := c.order(path+"/redemptions", fmt.Sprintf("redemption %d", p.asked), `{"amount":1,"currency":"USD"}`)
	if err == nil {
		p.redeemed++
	}
	return err
}

func (p *purse) drain(c *client) error {
	for !p.filled || p.redeemed < p.asked {
		if err := p.step(c); err != nil {
			return err
		}
	}
	return nil
}

func (p *purse) check(c *client) error {
	got, err := c.state(p.account, 100)
	if err != nil {
		return err
	}
	if want := int64(p.redeemed); got.Redeemed != want || got.Adjustments != purseful || got.Balance != purseful-want {
		return fmt.Errorf("%d redemptions of 1 out of %d were acknowledged, and the account is %s", want, purseful, got)
	}
	return nil
}

// load is what goes on while something happens to the service.
type load struct {
	senders []*sender
	purses  []*purse
	pulse   pulse
}

func newLoad(t testing.TB, senders, purses int, seed uint64) *load {
	t.Helper()
	l := &load{}
	for i := range senders {
		l.senders = append(l.senders, newSender(t, fmt.Sprintf("sender-%d", i), seed+uint64(i)))
	}
	for i := range purses {
		l.purses = append(l.purses, &purse{account: fmt.Sprintf("purse-%d", i)})
	}
	return l
}

// participant is a sender or a purse.
type participant interface {
	step(*client) error
	drain(*client) error
	check(*client) error
}

func (l *load) participants() []participant {
	var all []participant
	for _, s := range l.senders {
		all = append(all, s)
	}
	for _, p := range l.purses {
		all = append(all, p)
	}
	return all
}

// run has all of them go on until they are told to stop, or until meet, which is
// told every error and how long it took to come, returns it.
func (l *load) run(c *client, stop <-chan struct{}, meet func(error, time.Duration) error) error {
	return l.spread([]*client{c}, stop, meet)
}

// spread is run with several services, of which each participant has one.
func (l *load) spread(clients []*client, stop <-chan struct{}, meet func(error, time.Duration) error) error {
	var group sync.WaitGroup
	var mu sync.Mutex
	var failed []error
	for i, p := range l.participants() {
		c := clients[i%len(clients)]
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				begun := time.Now()
				if err := p.step(c); err == nil {
					l.pulse.beat(time.Since(begun))
				} else if err = meet(err, time.Since(begun)); err != nil {
					mu.Lock()
					defer mu.Unlock()
					failed = append(failed, err)
					return
				}
			}
		})
	}
	group.Wait()
	return errors.Join(failed...)
}

// acknowledged is how many events of the senders are.
func (l *load) acknowledged() (n int64) {
	for _, s := range l.senders {
		n += s.acked.Load()
	}
	return n
}

// settle sends what is not acknowledged, and compares all of it with what is there.
func (l *load) settle(t testing.TB, c *client) {
	t.Helper()
	for _, p := range l.participants() {
		noError(t, p.drain(c))
	}
	for _, p := range l.participants() {
		if err := p.check(c); err != nil {
			t.Error(err)
		}
	}
}

// mishaps are the problems that senders met, and what was wrong with them.
type mishaps struct {
	mu      sync.Mutex
	codes   map[string]int
	unclear []string
	longest time.Duration // until somebody was told
}

// meet takes a problem that says that the service cannot do it just now, and has
// the sender wait a moment. Anything else should not be: the service is up.
func (m *mishaps) meet(err error, took time.Duration) error {
	var p *problem
	if !errors.As(err, &p) || p.Status < 500 && p.Status != 429 && p.Status != 423 {
		return err
	}
	m.mu.Lock()
	if m.codes == nil {
		m.codes = make(map[string]int)
	}
	m.codes[fmt.Sprintf("%d %s", p.Status, p.Code)]++
	m.longest = max(m.longest, took)
	if why := fmt.Sprintf("%v: %s", p, p.unclear()); p.unclear() != "" && !slices.Contains(m.unclear, why) {
		m.unclear = append(m.unclear, why)
	}
	m.mu.Unlock()
	time.Sleep(20 * time.Millisecond) // as a sender would, though not for as long
	return nil
}

func (m *mishaps) count() (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, times := range m.codes {
		n += times
	}
	return n
}
