package reward_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/reward"
)

// cycleTrace draws what happened within one cycle.
func cycleTrace(t *rapid.T) []reward.Event { return factsWithin(t, 20) }

// factsWithin draws settlements, refunds linked and not, chargebacks,
// withdrawals and undos that happened within so many days.
func factsWithin(t *rapid.T, days int) []reward.Event {
	start := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	var events []reward.Event
	var facts []reward.Event
	n := rapid.IntRange(2, 14).Draw(t, "events")
	for i := range n {
		e := reward.Event{
			Source: "core", ID: fmt.Sprintf("e%d", i), Account: "a", Currency: "USD", HasAmount: true,
			Time:     reward.At(start.Add(time.Duration(rapid.IntRange(0, days*24).Draw(t, "hour")) * time.Hour)),
			Amount:   int64(rapid.IntRange(1, 20000).Draw(t, "amount")),
			Merchant: rapid.SampledFrom([]string{"m1", "m2", ""}).Draw(t, "merchant"),
			Category: rapid.SampledFrom([]string{"GROCERY", "GAS", "OTHER"}).Draw(t, "category"),
		}
		target := fmt.Sprintf("t%d", rapid.IntRange(0, 4).Draw(t, "target"))
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0, 1, 2, 3:
			e.Type, e.Transaction = reward.TransactionSettled, fmt.Sprintf("t%d", i)
		case 4, 5:
			e.Type, e.Fact, e.Transaction = reward.RefundPosted, fmt.Sprintf("r%d", i), target
			facts = append(facts, e)
		case 6:
			e.Type, e.Fact = reward.RefundPosted, fmt.Sprintf("r%d", i)
			facts = append(facts, e)
		case 7:
			e.Type, e.Fact, e.Transaction = reward.ChargebackPosted, fmt.Sprintf("c%d", i), target
			facts = append(facts, e)
		case 8:
			e.Type, e.Transaction = reward.TransactionReversed, target
		case 9:
			if len(facts) == 0 {
				continue
			}
			of := rapid.SampledFrom(facts).Draw(t, "undone")
			e.Type, e.Fact = reward.RefundReversed, of.Fact
			if of.Type == reward.ChargebackPosted {
				e.Type = reward.ChargebackReversed
			}
		}
		events = append(events, e)
	}
	return events
}

// modes draws timing and method; with caps or without.
func modes(t *rapid.T, capped bool) *reward.Program {
	p := smallProgram()
	p.Timing.Grant = reward.GrantTiming(rapid.IntRange(0, 1).Draw(t, "grant"))
	p.Timing.Clawback = reward.ClawbackTiming(rapid.IntRange(0, 1).Draw(t, "clawback"))
	if !capped {
		p.Rules[0].Cap = reward.NoCap
		p.Method = reward.ClawbackMethod(rapid.IntRange(0, 1).Draw(t, "method"))
	} else {
		p.Method = reward.Rerate
		p.Rules[0].Cap = int64(rapid.IntRange(0, 1500).Draw(t, "cap"))
	}
	return p
}

// player plays events: the engine, or the model that stands for the rules alone.
type player interface {
	play(t rapid.TB, e reward.Event)
	until(t rapid.TB, to reward.Instant)
	// account is the only one, as it stands; nothing before its first event.
	account() naiveState
}

func (r *real) play(t rapid.TB, e reward.Event) { r.apply(t, e) }

func (r *real) until(t rapid.TB, to reward.Instant) {
	r.advance(t, to)
	r.check(t)
}

func (r *real) account() naiveState { return onlyOf(r.state()) }

func (n *naive) play(_ rapid.TB, e reward.Event) { n.apply(&e) }

func (n *naive) until(_ rapid.TB, to reward.Instant) { n.advance(to) }

func (n *naive) account() naiveState { return onlyOf(n.state()) }

func onlyOf(states []naiveState) naiveState {
	if len(states) == 0 {
		return naiveState{}
	}
	return states[0]
}

// ofBoth checks a property of the model and of the engine.
func ofBoth(t *testing.T, property func(t *rapid.T, start func(*reward.Program) player)) {
	t.Run("model", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) { property(t, func(p *reward.Program) player { return newNaive(p) }) })
	})
	t.Run("engine", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) { property(t, func(p *reward.Program) player { return newReal(p) }) })
	})
}

// endOf plays events and returns the account after the last cycle has closed.
func endOf(t *rapid.T, subject player, events []reward.Event) naiveState {
	t.Helper()
	for _, e := range events {
		subject.play(t, e)
	}
	subject.until(t, reward.At(time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)))
	return subject.account()
}

// delivered returns the events in another order, some of them several times.
func delivered(t *rapid.T, events []reward.Event) []reward.Event {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0))
	var list []reward.Event
	for _, e := range events {
		list = append(list, e)
		if random.IntN(4) == 0 {
			list = append(list, e)
			e.ID += "-again"
			list = append(list, e)
		}
	}
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// TestOrderDoesNotMatter: where no cap binds, the same facts end in the same
// retained rewards, to one unit where a grant came late.
func TestOrderDoesNotMatter(t *testing.T) {
	ofBoth(t, func(t *rapid.T, start func(*reward.Program) player) {
		p := modes(t, false)
		events := cycleTrace(t)
		one, other := endOf(t, start(p), events), endOf(t, start(p), delivered(t, events))
		compareRewards(t, one, other, p.Timing.Grant == reward.GrantAtStatement)
	})
}

// TestOrderDoesNotMatterAcrossCycles: purchases of one month may arrive in the
// next, after its close and after refunds of them.
func TestOrderDoesNotMatterAcrossCycles(t *testing.T) {
	ofBoth(t, func(t *rapid.T, start func(*reward.Program) player) {
		p := modes(t, false)
		p.Timing.Grant = reward.GrantAtSettlement
		p.Refunds.FirmDays, p.Refunds.ParkDays = 400, 400
		events := factsWithin(t, 80)
		compareRewards(t, endOf(t, start(p), events), endOf(t, start(p), delivered(t, events)), false)
	})
}

func compareRewards(t *rapid.T, one, other naiveState, lateGrants bool) {
	t.Helper()
	if len(one.Transactions) != len(other.Transactions) {
		t.Fatalf("%d transactions, %d in another order", len(one.Transactions), len(other.Transactions))
	}
	for i, x := range one.Transactions {
		y := other.Transactions[i]
		slack := int64(0)
		if lateGrants && x.Original != y.Original {
			slack = 1
		}
		if x.ID != y.ID || x.Reversed != y.Reversed || max(x.Retained-y.Retained, y.Retained-x.Retained) > slack {
			t.Errorf("%+v, in another order %+v", x, y)
		}
	}
}

// TestOrderDoesNotMatterUnderCaps: in rerate even where a cap binds, for the
// totals of the buckets.
func TestOrderDoesNotMatterUnderCaps(t *testing.T) {
	ofBoth(t, func(t *rapid.T, start func(*reward.Program) player) {
		p := modes(t, true)
		p.Timing.Grant = reward.GrantAtSettlement
		p.Refunds.FirmDays, p.Refunds.ParkDays = 400, 400
		events := factsWithin(t, pick(t, "days", 20, 80))
		one := byBucket(events, endOf(t, start(p), events))
		other := byBucket(events, endOf(t, start(p), delivered(t, events)))
		if !maps.Equal(one, other) {
			t.Errorf("the buckets hold %v, in another order %v", one, other)
		}
	})
}

// byBucket adds up retained rewards per rule of smallProgram and cycle.
func byBucket(events []reward.Event, s naiveState) map[string]int64 {
	bucket := make(map[string]string)
	for _, e := range events {
		if e.Type == reward.TransactionSettled {
			bucket[e.Transaction] = fmt.Sprint(e.Category == "GROCERY", " ", reward.CycleAt(e.Time))
		}
	}
	totals := make(map[string]int64)
	for _, x := range s.Transactions {
		totals[bucket[x.ID]] += x.Retained
	}
	return totals
}

// TestAsIfNeverBought: in rerate, a trace with linked refunds, in parts and over
// several cycles, ends with the bucket totals of the same trace bought net.
func TestAsIfNeverBought(t *testing.T) {
	ofBoth(t, func(t *rapid.T, begin func(*reward.Program) player) {
		p := modes(t, true)
		start := time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)
		var gross, net, refunds []reward.Event
		for i := range rapid.IntRange(1, 10).Draw(t, "purchases") {
			e := reward.Event{
				Source: "core", ID: fmt.Sprintf("e%d", i), Account: "a", Currency: "USD", HasAmount: true,
				Type: reward.TransactionSettled, Transaction: fmt.Sprintf("t%d", i),
				Time:     reward.At(start.AddDate(0, 0, 9*i)),
				Amount:   int64(rapid.IntRange(1, 20000).Draw(t, "amount")),
				Category: rapid.SampledFrom([]string{"GROCERY", "OTHER"}).Draw(t, "category"),
			}
			gross = append(gross, e)
			left := e.Amount
			for part := range rapid.IntRange(0, 3).Draw(t, "parts") {
				if left == 0 {
					break
				}
				r := e
				r.Type, r.ID, r.Fact = reward.RefundPosted, fmt.Sprintf("r%d-%d", i, part), fmt.Sprintf("r%d-%d", i, part)
				r.Amount = int64(rapid.IntRange(1, int(left)).Draw(t, "refund"))
				r.Time = reward.At(start.AddDate(0, 0, 9*i+rapid.IntRange(0, 90).Draw(t, "days later")))
				left -= r.Amount
				refunds = append(refunds, r)
			}
			if left > 0 {
				e.Amount = left
				net = append(net, e)
			}
		}
		with := merged(gross, refunds)
		totals := func(events []reward.Event) map[string]int64 {
			subject := begin(p)
			for _, e := range events {
				subject.play(t, e)
			}
			subject.until(t, reward.At(start.AddDate(1, 0, 0)))
			return byBucket(gross, subject.account())
		}
		bought, neverBought := totals(with), totals(net)
		for bucket, sum := range bought {
			if neverBought[bucket] != sum {
				t.Errorf("bucket %s holds %d, bought net %d", bucket, sum, neverBought[bucket])
			}
		}
	})
}

// merged puts settlements and refunds in order of time.
func merged(settlements, refunds []reward.Event) []reward.Event {
	var list []reward.Event
	for len(settlements)+len(refunds) > 0 {
		first := -1
		for i, r := range refunds {
			if (len(settlements) == 0 || r.Time < settlements[0].Time) && (first < 0 || r.Time < refunds[first].Time) {
				first = i
			}
		}
		if first < 0 {
			list, settlements = append(list, settlements[0]), settlements[1:]
			continue
		}
		list = append(list, refunds[first])
		refunds = append(refunds[:first:first], refunds[first+1:]...)
	}
	return list
}

// TestReversalNeverRaisesNetReward: Monotonicity, as long as all refunds are
// linked and nothing is deferred. Every purchase has a shop of its own, for an
// excess that lies elsewhere is a guess, and a fact that moves it may free more
// reward than it takes, if only a unit that was rounded away.
func TestReversalNeverRaisesNetReward(t *testing.T) {
	ofBoth(t, func(t *rapid.T, start func(*reward.Program) player) {
		p := modes(t, rapid.Bool().Draw(t, "capped"))
		p.Timing = reward.Timing{}
		subject := start(p)
		for _, e := range cycleTrace(t) {
			if e.Type == reward.RefundPosted && e.Transaction == "" {
				e.Transaction = "t0"
			}
			if e.Type == reward.TransactionSettled {
				e.Merchant = e.Transaction
			}
			before := subject.account().NetReward
			subject.play(t, e)
			switch e.Type {
			case reward.RefundPosted, reward.ChargebackPosted, reward.TransactionReversed:
				if after := subject.account().NetReward; after > before {
					t.Errorf("%v %s of %s raised net reward from %d to %d", e.Type, e.Fact, e.Transaction, before, after)
				}
			}
		}
	})
}
