package reward_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"recoup/reward"
)

// orderedPrograms have all purchases of an account's life in one basket, of each
// element by itself. Of n purchases of 1,000 to 1,999 about half are within a limit.
func orderedPrograms(n int64) map[string]*reward.Program {
	one := func(r reward.Rule) *reward.Program {
		r.ID, r.Per = "all", reward.PerLifetime
		if r.Cap == 0 {
			r.Cap = reward.NoCap
		}
		return &reward.Program{ID: "p", Currency: "USD", Method: reward.Rerate, Layers: []reward.Layer{{ID: "base", Rules: []reward.Rule{r}}}}
	}
	percent := reward.Rate(1_000_000)
	steps := []reward.Step{{Rate: percent}, {From: 400 * n, Rate: 2 * percent}, {From: 900 * n, Rate: 3 * percent}}
	bonus := one(reward.Rule{Rate: percent})
	bonus.Bonuses = []reward.Bonus{{ID: "welcome", Earning: reward.Earning{Per: reward.PerLifetime}, Spend: []reward.Goal{{From: 800 * n, Reward: 20_000}}}}
	tier := one(reward.Rule{Rate: percent})
	tier.Tiers = []reward.Tier{{ID: "status", Earning: reward.Earning{Per: reward.PerLifetime}, Spend: []reward.Level{{From: 1, Tier: "silver"}, {From: 4000 * n, Tier: "gold"}}}}
	silver := reward.Rule{ID: "silver", Rate: 2 * percent, Cap: reward.NoCap, Match: asking(reward.Match{}, "status", []string{"silver", "gold"})}
	tier.Layers[0].Rules = append([]reward.Rule{silver}, tier.Layers[0].Rules...)
	return map[string]*reward.Program{
		"tier":   tier, // of which no purchase but the first may come to another level
		"cap":    one(reward.Rule{Rate: percent, Cap: 7 * n}),
		"places": one(reward.Rule{Rate: percent, Earning: reward.Earning{Places: n / 2}}),
		"steps":  one(reward.Rule{Earning: reward.Earning{Steps: steps}}),
		"whole":  one(reward.Rule{Earning: reward.Earning{Steps: steps, Whole: true}}),
		"bonus":  bonus,
	}
}

// shopper tells an account of purchases, of refunds of any of them, and that those
// were not so.
type shopper struct {
	*rand.Rand
	bought         []int64 // amounts
	refunded, told int
	open           []int // refunds that stand
}

func (s *shopper) next(kind int) reward.Event {
	s.told++
	e := reward.Event{Account: "a", Source: "s", ID: fmt.Sprint("e", s.told), Currency: "USD", Time: reward.At(time.Date(2026, 1, 1, 0, 0, s.told, 0, time.UTC))}
	switch {
	case kind == 2 && len(s.open) > 0:
		e.Type, e.Fact = reward.RefundReversed, fmt.Sprint("r", s.open[0])
		s.open = s.open[1:]
	case kind == 1 && len(s.bought) > 0:
		of := s.IntN(len(s.bought))
		e.Type, e.Fact, e.Transaction, e.Amount, e.HasAmount = reward.RefundPosted, fmt.Sprint("r", s.refunded), fmt.Sprint("t", of), s.bought[of], true
		if s.IntN(2) == 0 {
			e.Amount -= s.Int64N(e.Amount)
		}
		s.open = append(s.open, s.refunded)
		s.refunded++
	default:
		e.Type, e.Transaction, e.Amount, e.HasAmount = reward.TransactionSettled, fmt.Sprint("t", len(s.bought)), 1000+s.Int64N(1000), true
		s.bought = append(s.bought, e.Amount)
	}
	return e
}

// history is an account of n purchases, and a shelf with all of it.
func (s *shopper) history(p *reward.Program, n int) (*reward.Account, *cupboard) {
	a := reward.NewAccount("a", p)
	for range n {
		e := s.next(0)
		a.Apply(&e, nil)
	}
	c := &cupboard{parts: make(map[place]reward.Part), head: a.AppendHead(nil)}
	for part := range a.Parts() {
		c.keep(part)
	}
	return a, c
}

// TestLongOrdersLiveOnShelves: where baskets are so long that their order has several
// storeys, an account that is put away after each event posts as one at hand, and both
// end with what a plain count of the basket says, and with the same parts.
func TestLongOrdersLiveOnShelves(t *testing.T) {
	for _, n := range []int{31, 32, 33, 1023, 1400} {
		for name, program := range orderedPrograms(int64(n)) {
			t.Run(fmt.Sprint(name, "/", n), func(t *testing.T) {
				t.Parallel()
				s := &shopper{Rand: rand.New(rand.NewPCG(uint64(n), 1))}
				whole, shelf := s.history(program, n)
				for i := range 60 {
					e := s.next(i % 3)
					want, wantPostings := whole.Apply(&e, nil)
					shelf.reads = 0
					a := shelf.open(t, "a", program)
					got, postings := a.Apply(&e, nil)
					if got != want || !reflect.DeepEqual(postings, wantPostings) {
						t.Fatalf("event %d %+v: %v %+v\nat hand %v %+v", i, e, got, postings, want, wantPostings)
					}
					if most := 30 + 2*len(postings); shelf.reads > most {
						t.Errorf("event %d reads %d parts, which is above %d", i, shelf.reads, most)
					}
					shelf.put(a)
				}
				for _, v := range append(whole.Check(), shelf.open(t, "a", program).Check()...) {
					t.Error(v)
				}
				compare(t, "in the end", shelf, whole)
			})
		}
	}
}

// BenchmarkOrder is one event of an account that comes from its shelf, whose purchases
// are all in one basket: a purchase, a refund of any, or the end of a refund, in turn.
// Neither what is read and written nor the time may grow with the basket by more than
// its logarithm.
func BenchmarkOrder(b *testing.B) {
	for _, name := range []string{"cap", "places", "steps", "whole", "bonus", "tier"} {
		for _, n := range []int{1000, 10_000, 100_000} {
			b.Run(fmt.Sprint(name, "/purchases=", n), func(b *testing.B) {
				program := orderedPrograms(int64(n))[name]
				s := &shopper{Rand: rand.New(rand.NewPCG(1, 1))}
				_, shelf := s.history(program, n)
				shelf.reads, shelf.writes, shelf.written = 0, 0, 0
				runtime.GC() // of what is left of the history
				began, events, postings := processorTime(), 0, 0
				for b.Loop() {
					e := s.next(events % 3)
					events++
					a := shelf.open(b, "a", program)
					_, posted := a.Apply(&e, nil)
					postings += len(posted)
					shelf.put(a)
				}
				per := func(n int) float64 { return float64(n) / float64(events) }
				b.ReportMetric(float64((processorTime()-began).Microseconds())/float64(events), "cpu-µs/event")
				b.ReportMetric(per(shelf.reads), "read/event")
				b.ReportMetric(per(shelf.writes), "written/event")
				b.ReportMetric(per(shelf.written), "bytes-written/event")
				b.ReportMetric(per(postings), "postings/event")
			})
		}
	}
}

// TestDamagedRungsAreTold: a rung that is missing, cut short or too long is named, by
// the first event that needs it.
func TestDamagedRungsAreTold(t *testing.T) {
	program := orderedPrograms(1400)["cap"]
	_, shelf := (&shopper{Rand: rand.New(rand.NewPCG(1, 1))}).history(program, 1400)
	bought := reward.Event{
		Account: "a", Source: "s", ID: "more", Currency: "USD", Time: reward.At(time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)),
		Type: reward.TransactionSettled, Transaction: "more", Amount: 1000, HasAmount: true,
	}
	damages := map[string]func([]byte) []byte{
		"missing":   func([]byte) []byte { return nil },
		"cut short": func(b []byte) []byte { return b[:len(b)-1] },
		"too long":  func(b []byte) []byte { return append(slices.Clone(b), 0) },
	}
	for _, id := range []string{"r/all/lifetime/lifetime/2/0", "r/all/lifetime/lifetime/1/1", "r/all/lifetime/lifetime/0/43"} {
		for name, damage := range damages {
			t.Run(id+" "+name, func(t *testing.T) {
				at := place{reward.BucketPart, id}
				whole := shelf.parts[at]
				defer func() {
					shelf.parts[at] = whole
					if told, is := recover().(*reward.CorruptError); !is || told.ID != id {
						t.Errorf("told %v", told)
					}
				}()
				part := whole
				part.Data = damage(whole.Data)
				shelf.parts[at] = part
				shelf.open(t, "a", program).Apply(&bought, nil)
			})
		}
	}
}
