package reward_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"recoup/reward"
)

// BenchmarkWorstAccounts measures one event of the accounts that an attacker would
// build to make it dear: each with 10,000 purchases over thirteen months and as
// many movable refunds as may be, each event a small settlement and its linked
// refund, so that everything has to be worked out anew. What makes them the worst
// is written in docs/performance.md.
func BenchmarkWorstAccounts(b *testing.B) {
	for _, w := range worstAccounts() {
		b.Run(w.name, func(b *testing.B) {
			card := w.build()
			began, i := processorTime(), 0
			for ; b.Loop(); i++ {
				card.disturb(i)
			}
			b.ReportMetric(float64((processorTime()-began).Microseconds())/float64(i), "cpu-µs/event")
		})
	}
}

// processorTime is what the process has used: on a shared machine the clock on the
// wall says more of the neighbours.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestWorstAccountsHold: they end with every invariant, after some events more.
func TestWorstAccountsHold(t *testing.T) {
	for _, w := range worstAccounts() {
		t.Run(w.name, func(t *testing.T) {
			card := w.build()
			for i := range 3 {
				card.disturb(i)
			}
			for _, v := range card.Check() {
				t.Error(v)
			}
		})
	}
}

// worst is one account made to be dear.
type worst struct {
	name  string
	build func() *abuse
}

// abuse is an account that is told of many things, an hour apart.
type abuse struct {
	*reward.Account
	now time.Time
	n   int
}

func newAbuse(p *reward.Program) *abuse {
	return &abuse{reward.NewAccount("abuser", p), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), 0}
}

func (a *abuse) tell(e reward.Event) {
	a.n++
	e.Account, e.Source, e.ID, e.Currency, e.HasAmount = "abuser", "s", fmt.Sprint("e", a.n), "USD", e.Amount != 0
	if e.Time == 0 {
		e.Time = reward.At(a.now)
	}
	a.Apply(&e, nil)
}

// disturb is one more purchase and its linked refund.
func (a *abuse) disturb(i int) {
	id := fmt.Sprint("more", i)
	a.now = a.now.Add(time.Second)
	if i%2 == 0 {
		a.tell(reward.Event{Type: reward.TransactionSettled, Transaction: id, Amount: 1000, Merchant: "m1", Category: "C1"})
		return
	}
	a.tell(reward.Event{Type: reward.RefundPosted, Fact: id, Transaction: fmt.Sprint("more", i-1), Amount: 500})
}

const manyPurchases = 10_000

// buy spreads purchases over a year: the amount, merchant and category of each.
func (a *abuse) buy(what func(i int) (int64, string, string)) {
	start := a.now
	for i := range manyPurchases {
		a.now = start.Add(time.Duration(i) * 365 * 24 * time.Hour / manyPurchases)
		amount, merchant, category := what(i)
		a.tell(reward.Event{Type: reward.TransactionSettled, Transaction: fmt.Sprint("t", i), Amount: amount, Merchant: merchant, Category: category})
	}
}

// refund has unlinked refunds come in, of what is given.
func (a *abuse) refund(n int, what func(i int) (int64, string, string)) {
	for i := range n {
		a.now = a.now.Add(time.Hour)
		amount, merchant, category := what(i)
		a.tell(reward.Event{Type: reward.RefundPosted, Fact: fmt.Sprint("r", a.n), Amount: amount, Merchant: merchant, Category: category})
	}
}

// cappedProgram has so many rules with a cap, by category C0, C1, …, of different
// rates, and a base rule.
func cappedProgram(rules int, cap int64, method reward.ClawbackMethod) *reward.Program {
	p := &reward.Program{
		ID: "worst", Currency: "USD", Method: method,
		Refunds: reward.RefundTerms{PendingDays: 30, MatchDays: 10, ParkDays: 30, WindowDays: 400, FirmDays: 180, Movable: 32},
	}
	for i := range rules {
		p.Rules = append(p.Rules, reward.Rule{
			ID: fmt.Sprint("c", i), Match: reward.Match{Categories: []string{fmt.Sprint("C", i)}}, Rate: reward.Rate(5_000_000 + i*100_000), Cap: cap,
		})
	}
	p.Rules = append(p.Rules, reward.Rule{ID: "base", Rate: 1_000_000, Cap: reward.NoCap})
	return p
}

func worstAccounts() []worst {
	category := func(i, of int) string { return fmt.Sprint("C", i%of) }
	shop := func(i, of int) string { return fmt.Sprint("m", i%of) }
	return []worst{
		{"a thousand refunds that wait, and as many announced", func() *abuse {
			a := newAbuse(cappedProgram(2, 5000, reward.Rerate))
			a.buy(func(i int) (int64, string, string) { return int64(1000 + i%977), shop(i, 50), category(i, 3) })
			for i := range 1000 {
				a.now = a.now.Add(time.Second)
				a.tell(reward.Event{Type: reward.RefundPosted, Fact: fmt.Sprint("p", i), Transaction: fmt.Sprint("never", i), Amount: 100})
				a.tell(reward.Event{Type: reward.RefundPending, Fact: fmt.Sprint("a", i), Transaction: fmt.Sprint("t", i), Amount: 100})
			}
			a.refund(32, func(i int) (int64, string, string) { return int64(1000 + i*7), "", "" })
			return a
		}},
		{"ten thousand refunds of one purchase", func() *abuse {
			a := newAbuse(cappedProgram(2, 5000, reward.Rerate))
			a.buy(func(i int) (int64, string, string) { return int64(1000 + i%977), shop(i, 50), category(i, 3) })
			for i := range manyPurchases {
				a.now = a.now.Add(time.Second)
				a.tell(reward.Event{Type: reward.RefundPosted, Fact: fmt.Sprint("o", i), Transaction: fmt.Sprint("t", manyPurchases-1), Amount: 10})
			}
			a.refund(32, func(i int) (int64, string, string) { return int64(1000 + i*7), "", "" })
			return a
		}},
		{"refunds that say nothing, each hundreds of purchases", func() *abuse {
			a := newAbuse(cappedProgram(2, 5000, reward.Rerate))
			a.buy(func(i int) (int64, string, string) { return int64(1000 + i%977), shop(i, 50), category(i, 3) })
			a.refund(32, func(i int) (int64, string, string) { return int64(300_000 + i*7), "", "" })
			return a
		}},
		{"refunds that say all, and find too little", func() *abuse {
			a := newAbuse(cappedProgram(2, 5000, reward.Rerate))
			a.buy(func(i int) (int64, string, string) { return int64(1000 + i%977), shop(i, 50), category(i, 3) })
			a.refund(32, func(i int) (int64, string, string) { return int64(400_000 + i*7), shop(i, 50), category(i, 3) })
			return a
		}},
		{"a dozen caps in every month", func() *abuse {
			a := newAbuse(cappedProgram(12, 2000, reward.Rerate))
			a.buy(func(i int) (int64, string, string) { return int64(1000 + i%977), shop(i, 50), category(i, 12) })
			a.refund(32, func(i int) (int64, string, string) { return int64(40_000 + i*1009), shop(i, 50), category(i+i/3, 12) })
			return a
		}},
		{"kinds and shops that pull apart", func() *abuse {
			a := newAbuse(cappedProgram(6, 3000, reward.Rerate))
			a.buy(func(i int) (int64, string, string) { return int64(1000 + i%977), shop(i, 7), category(i, 11) })
			a.refund(32, func(i int) (int64, string, string) {
				return int64(90_000 + i*1009), []string{shop(i, 7), "", shop(i, 7), ""}[i%4], []string{category(i, 11), category(i, 11), "", ""}[i%4]
			})
			return a
		}},
		{"over-refunds", func() *abuse {
			a := newAbuse(cappedProgram(2, 5000, reward.Rerate))
			a.buy(func(i int) (int64, string, string) { return int64(1000 + i%977), shop(i, 5), category(i, 3) })
			for i := range 200 {
				a.now = a.now.Add(time.Minute)
				a.tell(reward.Event{Type: reward.RefundPosted, Fact: fmt.Sprint("o", i), Transaction: fmt.Sprint("t", manyPurchases-1-i*7), Amount: 60_000})
			}
			a.refund(32, func(i int) (int64, string, string) { return int64(10_000 + i*7), shop(i, 5), "" })
			return a
		}},
		{"refunds that wait, and announced ones", func() *abuse {
			a := newAbuse(cappedProgram(12, 2000, reward.Rerate))
			a.buy(func(i int) (int64, string, string) { return int64(1000 + i%977), shop(i, 50), category(i, 12) })
			for i := range 100 {
				a.now = a.now.Add(time.Minute)
				a.tell(reward.Event{Type: reward.RefundPosted, Fact: fmt.Sprint("p", i), Transaction: fmt.Sprint("never", i), Amount: 30_000, Merchant: shop(i, 50)})
				a.tell(reward.Event{Type: reward.RefundPending, Fact: fmt.Sprint("a", i), Transaction: fmt.Sprint("t", manyPurchases-1-i*3), Amount: 9_000})
			}
			a.refund(32, func(i int) (int64, string, string) { return int64(40_000 + i*1009), shop(i, 50), category(i+i/3, 12) })
			return a
		}},
		{"one refund of everything", func() *abuse {
			a := newAbuse(cappedProgram(2, 5000, reward.Rerate))
			a.buy(func(i int) (int64, string, string) { return 100, "m1", category(i, 3) })
			a.refund(32, func(i int) (int64, string, string) { return 25_000, "m1", "" })
			return a
		}},
		{"grants that the cap had cut, each its own worth", func() *abuse {
			a := newAbuse(cappedProgram(1, 5000, reward.Proportional))
			for i := range manyPurchases / 2 {
				a.now = a.now.Add(time.Hour)
				amount := int64(200_000 + i*13)
				a.tell(reward.Event{Type: reward.TransactionSettled, Transaction: fmt.Sprint("t", i), Amount: amount, Merchant: "m1", Category: "C0"})
				a.tell(reward.Event{Type: reward.RefundPosted, Fact: fmt.Sprint("l", i), Transaction: fmt.Sprint("t", i), Amount: amount - 1})
			}
			a.refund(32, func(i int) (int64, string, string) { return int64(100 + i), "m1", "" })
			return a
		}},
		{"statements that defer all", func() *abuse {
			p := cappedProgram(12, 2000, reward.Rerate)
			p.Timing = reward.Timing{Grant: reward.GrantAtStatement, Clawback: reward.ClawbackAtStatement}
			a := newAbuse(p)
			a.buy(func(i int) (int64, string, string) { return int64(1000 + i%977), shop(i, 50), category(i, 12) })
			a.refund(32, func(i int) (int64, string, string) { return int64(40_000 + i*1009), shop(i, 50), category(i+i/3, 12) })
			return a
		}},
	}
}
