package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
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

// play sends a trace over HTTP and compares every outcome, and every account in
// the end, with what replay makes of the same events; and both with what the
// trace says itself.
func (tr *trace) play(c *client, draw func(n int) int) error {
	if err := c.put(tr.name, tr.document); err != nil {
		return err
	}
	events, err := tr.opened()
	if err != nil {
		return err
	}
	openings := len(events) - len(tr.events)
	shipments, origin := ship(events, draw)
	var stream []string
	for _, s := range shipments {
		stream = append(stream, s.events...)
	}
	midway, err := replayOf(tr.document, stream)
	if err != nil {
		return err
	}
	last := closing(midway.states)
	want, err := replayOf(tr.document, append(stream, last...))
	if err != nil {
		return err
	}

	var got []outcome
	for _, s := range append(shipments, shipment{batch, last}) {
		if len(s.events) == 0 {
			continue
		}
		answers, err := c.send(s.how, s.events)
		if err != nil {
			return fmt.Errorf("%v of %d events after %d: %w", s.how, len(s.events), len(got), err)
		}
		got = append(got, answers...)
	}
	for i := range got {
		g, w := got[i], want.outcomes[i]
		if g.ID != w.ID || g.Source != w.Source || g.Account != w.Account || g.String() != w.String() {
			return fmt.Errorf("event %d:\nsent   %s\ngot    %s/%s of %s: %s\nreplay %s/%s of %s: %s", i, append(stream, last...)[i],
				g.Source, g.ID, g.Account, g, w.Source, w.ID, w.Account, w)
		}
		if i < len(origin) && origin[i] >= openings && tr.outcomes != nil {
			if said := tr.outcomes[origin[i]-openings]; g.String() != said {
				return fmt.Errorf("event %d, %s: got %s, the case says %s", i, stream[i], g, said)
			}
		}
	}
	if differences := c.compareStates(want.states, 1+draw(30)); len(differences) > 0 {
		return fmt.Errorf("after replay of the same events, %s", strings.Join(differences, "\n"))
	}
	if tr.final != nil {
		if differences := c.compareStates(asOf(end, tr.final, want.states), 500); len(differences) > 0 {
			return fmt.Errorf("by what the case says, %s", strings.Join(differences, "\n"))
		}
	}
	return nil
}

// asOf is what a case says of its end, for an end that has come: the service takes
// no events of the future. All that a later end can change is the hold.
func asOf(end reward.Instant, final, replayed map[string]state) map[string]state {
	states := maps.Clone(final)
	for account, s := range states {
		if end < casesEnd {
			s.HoldUntil = replayed[account].HoldUntil
			states[account] = s
		}
	}
	return states
}

// playAll plays traces, several at a time. Each has draws of its own.
func playAll(t *testing.T, c *client, traces []*trace, seed uint64) {
	t.Helper()
	var workers sync.WaitGroup
	var next atomic.Int64
	for range 6 {
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

func TestCasesEndAsInReplay(t *testing.T) {
	list := cases(t)
	onEachStore(t, func(t *testing.T, db string) {
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
