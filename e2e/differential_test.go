package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"recoup/event"
	"recoup/reward"
)

// house is the program of accounts that name none.
var house = modes()[0].document("house")

// shipment is one request.
type shipment struct {
	how    media
	events []string
}

// ship cuts a trace's events into requests of any size and kind, with some that
// were sent before in between. origin has for each event that is sent its place
// in the trace, -1 for one that is sent again. draw draws from 0 to below n.
func ship(events []string, draw func(n int) int) (list []shipment, origin []int) {
	for at := 0; at < len(events); {
		s := shipment{how: media(draw(3))}
		for range 1 + draw(1+draw(40)) {
			switch {
			case at > 0 && draw(8) == 7:
				s.events = append(s.events, events[draw(at)])
				origin = append(origin, -1)
			case at < len(events):
				s.events = append(s.events, events[at])
				origin = append(origin, at)
				at++
			}
		}
		list = append(list, s)
	}
	return list, origin
}

// opened returns the trace's events with an account.opened before them for every
// account, which moves none: it is dated as the first event that counts.
func (tr *trace) opened() ([]string, error) {
	alone, err := replayOf(tr.document, tr.events)
	if err != nil {
		return nil, err
	}
	first := make(map[string]bool)
	var list []reward.Event
	d := event.NewDecoder()
	for i, line := range tr.events {
		var e reward.Event
		if err := d.Decode([]byte(line), &e); err != nil {
			return nil, err
		}
		if _, counts := alone.states[e.Account]; !counts || first[e.Account] || leavesNoTrace(alone.outcomes[i]) {
			continue
		}
		first[e.Account] = true
		list = append(list, reward.Event{Source: "e2e", ID: "opening", Account: e.Account, Type: reward.AccountOpened, Time: e.Time, Fact: tr.name})
	}
	return append(linesOf(list), tr.events...), nil
}

// leavesNoTrace is true of bad input.
func leavesNoTrace(o outcome) bool {
	return o.Code != nil && (*o.Code == "invalid_amount" || *o.Code == "currency_mismatch")
}

// closing is what moves accounts on to the end.
func closing(states map[string]state) []string {
	var list []reward.Event
	for _, account := range sortedKeys(states) {
		list = append(list, reward.Event{Source: "e2e", ID: "end", Account: account, Type: reward.CycleClosed, Time: end})
	}
	return linesOf(list)
}

// delivery is a trace on its way to a service.
type delivery struct {
	*trace
	draw      func(n int) int
	shipments []shipment // that are left
	openings  int
	origin    []int
	stream    []string
	want      *replayed
	got       []outcome
}

// deliver puts the trace's program, and gets everything ready: what is sent, and
// what replay makes of it.
func (tr *trace) deliver(c *client, draw func(n int) int) (*delivery, error) {
	if err := c.put(tr.name, tr.document); err != nil {
		return nil, err
	}
	events, err := tr.opened()
	if err != nil {
		return nil, err
	}
	d := &delivery{trace: tr, draw: draw, openings: len(events) - len(tr.events)}
	d.shipments, d.origin = ship(events, draw)
	for _, s := range d.shipments {
		d.stream = append(d.stream, s.events...)
	}
	midway, err := replayOf(tr.document, d.stream)
	if err != nil {
		return nil, err
	}
	if last := closing(midway.states); len(last) > 0 {
		d.shipments = append(d.shipments, shipment{batch, last})
		d.stream = append(d.stream, last...)
	}
	d.want, err = replayOf(tr.document, d.stream)
	return d, err
}

// send sends the next n requests and compares the outcomes with those of replay,
// and with what the trace says itself.
func (d *delivery) send(c *client, n int) error {
	n = min(n, len(d.shipments))
	for _, s := range d.shipments[:n] {
		answers, err := c.send(s.how, s.events)
		if err != nil {
			return fmt.Errorf("%v of %d events after %d: %w", s.how, len(s.events), len(d.got), err)
		}
		for _, g := range answers {
			i := len(d.got)
			d.got = append(d.got, g)
			w := d.want.outcomes[i]
			if g.ID != w.ID || g.Source != w.Source || g.Account != w.Account || g.String() != w.String() {
				return fmt.Errorf("event %d:\nsent   %s\ngot    %s/%s of %s: %s\nreplay %s/%s of %s: %s", i, d.stream[i],
					g.Source, g.ID, g.Account, g, w.Source, w.ID, w.Account, w)
			}
			if i < len(d.origin) && d.origin[i] >= d.openings && d.outcomes != nil {
				if said := d.outcomes[d.origin[i]-d.openings]; g.String() != said {
					return fmt.Errorf("event %d, %s: got %s, the case says %s", i, d.stream[i], g, said)
				}
			}
		}
	}
	d.shipments = d.shipments[n:]
	return nil
}

// compare compares every account with how replay ends, and with how the trace
// says that it does.
func (d *delivery) compare(c *client) error {
	if differences := c.compareStates(d.want.states, 1+d.draw(30)); len(differences) > 0 {
		return fmt.Errorf("after replay of the same events, %s", strings.Join(differences, "\n"))
	}
	if d.final != nil {
		if differences := c.compareStates(asOf(end, d.final, d.want.states), 500); len(differences) > 0 {
			return fmt.Errorf("by what the case says, %s", strings.Join(differences, "\n"))
		}
	}
	return nil
}

// play is all of it.
func (tr *trace) play(c *client, draw func(n int) int) error {
	d, err := tr.deliver(c, draw)
	if err != nil {
		return err
	}
	if err := d.send(c, len(d.shipments)); err != nil {
		return err
	}
	return d.compare(c)
}

// asOf is what a case says of its end, for an end that has come: the service takes
// no events of the future. What a later end changes is the hold and, of an account
// or two, where a refund lies that gives up waiting by then; there is nothing to
// compare of those, for replay says that they are not there yet.
func asOf(end reward.Instant, final, replayed map[string]state) map[string]state {
	states := maps.Clone(final)
	for account, s := range states {
		if end >= casesEnd {
			continue
		}
		if s.HoldUntil = replayed[account].HoldUntil; reflect.DeepEqual(s, replayed[account]) {
			states[account] = s
		} else {
			delete(states, account)
		}
	}
	return states
}

// playAll plays traces, several at a time. Each has draws of its own.
func playAll(t *testing.T, c *client, traces []*trace, seed uint64) {
	t.Helper()
	var workers sync.WaitGroup
	var next atomic.Int64
	for range 12 {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(traces); i = int(next.Add(1)) - 1 {
				if err := traces[i].play(c, rand.New(rand.NewPCG(seed, uint64(i))).IntN); err != nil {
					t.Errorf("%s (seed %d): %v", traces[i].name, seed, err)
				}
			}
		})
	}
	workers.Wait()
}

// Where there is no time, one case of four is for PostgreSQL and the others for a folder.
func TestCasesEndAsInReplay(t *testing.T) {
	all := cases(t)
	onEachStore(t, func(t *testing.T, db string) {
		var list []*trace
		for i, c := range all {
			postgres := strings.HasPrefix(db, "postgres")
			if long() || postgres && i%8 == 0 || !postgres && i%2 == 1 {
				list = append(list, c)
			}
		}
		s := serve(t, db, untimely, "--program", programFile(t))
		seed := rand.Uint64()
		for range often(1, 5) {
			playAll(t, s.client(t), list, seed)
			list, seed = renamed(list), seed+1
		}
		s.stop(t)
		verified(t, db)
	})
}

// renamed is the traces again, under other names.
func renamed(list []*trace) []*trace {
	var others []*trace
	for _, tr := range list {
		other := &trace{name: tr.name + "x", outcomes: tr.outcomes, final: make(map[string]state)}
		rename := func(s string) string { return strings.ReplaceAll(s, tr.name, other.name) }
		other.document = []byte(rename(string(tr.document)))
		for _, e := range tr.events {
			other.events = append(other.events, rename(e))
		}
		for account, s := range tr.final {
			s.Account = rename(account)
			other.final[s.Account] = s
		}
		others = append(others, other)
	}
	return others
}

func TestSpendingEndsAsInReplay(t *testing.T) {
	onEachStore(t, func(t *testing.T, db string) {
		s := serve(t, db, untimely, "--program", programFile(t))
		seed := rand.Uint64()
		var list []*trace
		for i := range often(1, 10) {
			for j, mode := range modes() {
				list = append(list, spending(t, fmt.Sprintf("spending-%d-%d", i, j), mode, 10, 500, seed+uint64(i)))
			}
		}
		playAll(t, s.client(t), list, seed)
		s.stop(t)
		verified(t, db)
	})
}

func TestRandomTracesEndAsInReplay(t *testing.T) {
	onEachStore(t, func(t *testing.T, db string) {
		s := serve(t, db, untimely, "--program", programFile(t))
		c := s.client(t)
		traces := 0
		rapid.Check(t, func(t *rapid.T) {
			traces++
			tr := drawTrace(t, fmt.Sprintf("trace-%d", traces))
			sizes := rapid.Uint64().Draw(t, "batches")
			if err := tr.play(c, rand.New(rand.NewPCG(sizes, 0)).IntN); err != nil {
				t.Fatalf("%s%s\n%v", tr.document, strings.Join(tr.events, "\n"), err)
			}
		})
		s.stop(t)
		verified(t, db)
	})
}

// TestRestartsChangeNothing starts the service again and again in the middle of
// many traces: what it has in memory must be no more than what is kept.
func TestRestartsChangeNothing(t *testing.T) {
	onEachStore(t, func(t *testing.T, db string) {
		const restarts = 4
		seed := rand.Uint32()
		t.Logf("seed %d", seed)
		var list []*delivery
		for round := range restarts + 1 {
			s := serve(t, db, untimely, "--program", programFile(t))
			c := s.client(t)
			if round == 0 {
				for i := range often(30, 2000) {
					name := fmt.Sprintf("trace-%d", i)
					tr := rapid.Custom(func(t *rapid.T) *trace { return drawTrace(t, name) }).Example(int(seed) + i)
					d, err := tr.deliver(c, rand.New(rand.NewPCG(uint64(seed), uint64(i))).IntN)
					noError(t, err)
					list = append(list, d)
				}
			}
			for _, d := range list {
				n := d.draw(1 + 2*len(d.shipments)/(restarts+1-round))
				if round == restarts {
					n = len(d.shipments)
				}
				if err := d.send(c, n); err != nil {
					t.Errorf("%s: %v", d.name, err)
				} else if round == restarts {
					if err := d.compare(c); err != nil {
						t.Errorf("%s: %v", d.name, err)
					}
				}
			}
			s.stop(t)
			verified(t, db)
		}
	})
}

// TestDifferencesAreFound sees that what the tests above compare can differ.
func TestDifferencesAreFound(t *testing.T) {
	settled := `{"specversion":"1.0","id":"e1","source":"s","type":"transaction.settled","time":"2026-01-05T10:00:00Z","subject":"a","data":{"transaction":"t","amount":%d,"currency":"USD"}}`
	one, err := replayOf(house, []string{fmt.Sprintf(settled, 10000)})
	noError(t, err)
	other, err := replayOf(house, []string{fmt.Sprintf(settled, 10100)})
	noError(t, err)
	if d := difference(one.states["a"], one.states["a"]); d != "" {
		t.Errorf("a state differs from itself: %s", d)
	}
	if difference(one.states["a"], other.states["a"]) == "" {
		t.Error("purchases of different amounts end alike")
	}
	for member, change := range map[string]func(*state){
		"balance": func(s *state) { s.Balance++ }, "held": func(s *state) { s.Held++ }, "status": func(s *state) { s.Status = "closed" },
		"hold_until": func(s *state) { s.HoldUntil = &s.Account }, "net_spend": func(s *state) { s.NetSpend++ },
		"transactions": func(s *state) { s.Transactions = nil },
		"retained":     func(s *state) { s.Transactions = slices.Clone(s.Transactions); s.Transactions[0].Retained++ },
	} {
		changed := one.states["a"]
		change(&changed)
		if difference(changed, one.states["a"]) == "" {
			t.Errorf("another %s is no difference", member)
		}
	}
}

func outcomeIn(t testing.TB, line string) (o outcome) {
	t.Helper()
	noError(t, json.Unmarshal([]byte(line), &o))
	return o
}
