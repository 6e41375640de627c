package foreign

import (
	"fmt"
	"math/rand"
	"sort"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// marbleEvent is a fact on its way: tell delivers it, and of what came back truly and of
// which purchase the rest is the truth, whatever the fact says.
type marbleEvent struct {
	clock    time.Time
	buy      *issuer.Settlement
	tell     func(Engine) error
	redeem   int64 // parts of 100 of what can be redeemed; 0: none
	purchase string
	back     int64
}

var marbleShops = []string{"GROCERY", "DINING", "FUEL", "ONLINE", "OTHER", "TRAVEL", "HOME", "ELECTRONICS", "FASHION", "RESTAURANT"}

var marbleCodes = map[string]string{"GROCERY": "5411", "DINING": "5812", "FUEL": "5541", "ONLINE": "5999", "OTHER": "5999",
	"TRAVEL": "4511", "HOME": "5712", "ELECTRONICS": "5732", "FASHION": "5651", "RESTAURANT": "5814"}

const marbleCustomer = "customer"

// marbleHistory is a random life of one account from start on.
func marbleHistory(rng *rand.Rand, start time.Time) []marbleEvent {
	var out []marbleEvent
	day := func(n float64) time.Duration { return time.Duration(n * 24 * float64(time.Hour)) }
	days := 120 + rng.Float64()*500
	eager := rng.Intn(2) == 0
	serial := 0
	for t := rng.Float64() * 3; t < days; t += rng.Float64() * 7 {
		id := fmt.Sprintf("p%d", len(out))
		shop := marbleShops[rng.Intn(len(marbleShops))]
		amount := 500 + rng.Int63n(40000)
		if rng.Intn(5) == 0 {
			amount = 500 + rng.Int63n(600000)
		}
		at := start.Add(day(t))
		arrive := at.Add(day(rng.Float64() * rng.Float64() * 6))
		s := issuer.Settlement{Account: marbleCustomer, Transaction: id, Amount: amount, Merchant: "m" + shop, MCC: marbleCodes[shop], Category: shop, At: at}
		tell := func(e Engine) error { return e.Settle(s) }
		out = append(out, marbleEvent{clock: arrive, buy: &s, tell: tell})
		if rng.Intn(8) == 0 {
			out = append(out, marbleEvent{clock: arrive.Add(day(rng.Float64() * 9)), tell: tell})
		}
		if rng.Intn(3) > 0 {
			continue
		}
		parts, share := 1, amount
		switch rng.Intn(4) {
		case 0:
			parts = 1 + rng.Intn(50)
			share = amount/int64(parts) + 1
		case 1:
			share = 1 + rng.Int63n(amount)
		case 2:
			share = amount + rng.Int63n(amount)
		}
		for i := 0; i < parts; i++ {
			serial++
			when := at.Add(day(rng.Float64() * rng.Float64() * 400))
			come := when.Add(day(rng.Float64() * 5))
			r := issuer.Refund{Account: marbleCustomer, Refund: fmt.Sprintf("r%d", serial), Transaction: id, Amount: share, At: when}
			e := marbleEvent{clock: come, purchase: id, back: share}
			e.tell = func(g Engine) error { return g.Refund(r) }
			switch rng.Intn(8) {
			case 0:
				c := issuer.Chargeback{Account: marbleCustomer, Chargeback: r.Refund, Transaction: id, At: when}
				e.back = amount
				if rng.Intn(2) == 0 {
					c.Amount, e.back = share, share
				}
				e.tell = func(g Engine) error { return g.Chargeback(c) }
			case 1, 2:
				r.Transaction = ""
				r.Amount = min(r.Amount, amount)
				if rng.Intn(3) > 0 {
					r.Merchant, r.MCC = s.Merchant, s.MCC
				}
				if rng.Intn(2) == 0 {
					r.Category = s.Category
				}
			case 3:
				twin := r
				twin.Refund += "again"
				out = append(out, marbleEvent{clock: come.Add(day(rng.Float64() * 3)), tell: func(g Engine) error { return g.Refund(twin) }})
			}
			out = append(out, e)
			if rng.Intn(6) == 0 {
				out = append(out, marbleEvent{clock: come.Add(day(rng.Float64() * 20)), tell: e.tell})
			}
			if eager {
				out = append(out, marbleEvent{clock: come.Add(time.Minute), redeem: 100})
			}
		}
	}
	for i := 0; i < 20; i++ {
		out = append(out, marbleEvent{clock: start.Add(day(rng.Float64() * days)), redeem: 1 + rng.Int63n(100)})
	}
	sort.SliceStable(out, func(i, k int) bool { return out[i].clock.Before(out[k].clock) })
	return out
}

func marbleMust(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// marblePlay plays a history and says what the account kept, and checks the books.
func marblePlay(t *testing.T, d Design, start time.Time, events []marbleEvent, end time.Time) int64 {
	t.Helper()
	e := d.New()
	marbleMust(t, e.SetClock(start))
	marbleMust(t, e.Open(marbleCustomer))
	var redeemed int64
	for i, v := range events {
		marbleMust(t, e.SetClock(v.clock))
		if v.tell != nil {
			marbleMust(t, v.tell(e))
		}
		if v.redeem == 0 {
			continue
		}
		b, err := e.Balance(marbleCustomer)
		marbleMust(t, err)
		if b.Redeemable > max(0, b.Balance) {
			t.Fatalf("%s: %d of %d can be redeemed", d.Name, b.Redeemable, b.Balance)
		}
		ask := b.Redeemable * v.redeem / 100
		more, err := e.Redeem(issuer.Redemption{Account: marbleCustomer, Redemption: fmt.Sprint("more", i), Amount: b.Redeemable + 1})
		marbleMust(t, err)
		for twice := 0; twice < 2; twice++ {
			ok, err := e.Redeem(issuer.Redemption{Account: marbleCustomer, Redemption: fmt.Sprint(i), Amount: ask})
			marbleMust(t, err)
			if more || ok != (ask > 0) {
				t.Fatalf("%s: redemption of %d of %d: %v, of more: %v", d.Name, ask, b.Redeemable, ok, more)
			}
		}
		redeemed += ask
	}
	marbleMust(t, e.SetClock(end))
	marbleMust(t, e.CloseStatement(marbleCustomer))
	b, err := e.Balance(marbleCustomer)
	marbleMust(t, err)
	paid, err := issuer.PaidOut(e, marbleCustomer)
	marbleMust(t, err)
	var sum, out int64
	for _, p := range e.Postings(marbleCustomer) {
		sum += p.Amount
		if p.Kind == Paid {
			out -= p.Amount
		}
	}
	if sum-redeemed != b.Balance || out != paid {
		t.Fatalf("%s: postings %d less %d, balance %d; paid %d and %d", d.Name, sum, redeemed, b.Balance, out, paid)
	}
	return redeemed + paid + b.Balance
}

// marbleNever is the history without what came back, and without redemptions.
func marbleNever(events []marbleEvent) []marbleEvent {
	back := map[string]int64{}
	for _, v := range events {
		back[v.purchase] += v.back
	}
	var out []marbleEvent
	for _, v := range events {
		if v.buy == nil {
			continue
		}
		s := *v.buy
		s.Amount -= back[s.Transaction]
		if s.Amount > 0 {
			out = append(out, marbleEvent{clock: v.clock, tell: func(e Engine) error { return e.Settle(s) }})
		}
	}
	return out
}

func TestMarbleNeverBought(t *testing.T) {
	for _, d := range marbleDesigns {
		t.Run(d.Name, func(t *testing.T) {
			var most int64
			granted := int64(0)
			for seed := int64(0); seed < int64(often(60, 2000)); seed++ {
				rng := rand.New(rand.NewSource(seed))
				start := time.Date(2024, time.Month(1+rng.Intn(12)), 1+rng.Intn(28), rng.Intn(24), 0, 0, 0, time.UTC)
				events := marbleHistory(rng, start)
				events = events[:len(events)/3+rng.Intn(len(events)*2/3)]
				end := events[len(events)-1].clock.Add(time.Duration(rng.Intn(100*24)) * time.Hour)
				kept := marblePlay(t, d, start, events, end)
				without := marblePlay(t, d, start, marbleNever(events), end)
				granted += without
				most = max(most, kept-without)
				if d.Class == "robust" && kept > without {
					t.Fatalf("seed %d: kept %d, never bought %d", seed, kept, without)
				}
			}
			if d.Class != "robust" && most < 500 {
				t.Errorf("%s leaks %d at most", d.Class, most)
			}
			if granted == 0 {
				t.Error("grants nothing")
			}
			t.Logf("%s: at most %d above", d.Class, most)
		})
	}
}

// TestMarbleLeaks is each Leak's example: buy, take all, give back, take all again.
func TestMarbleLeaks(t *testing.T) {
	cases := map[string]struct {
		category     string
		amount, part int64
		back         float64 // days until the first part comes back
		redeemed     int64   // over all
		owes         int64   // half a year later
	}{
		"marble-harbour": {"GROCERY", 300000, 300000, 40, 7000, -7000},
		"marble-linde":   {"HOME", 300000, 300000, 70, 1500, -1500},
		"marble-koyo":    {"ONLINE", 60000, 60000, 70, 3000, -3000},
		"marble-kestrel": {"TRAVEL", 400000, 400000, 150, 12000, 0},
		"marble-basil":   {"HOME", 200000, 200000, 40, 6000, 0},
		"marble-osprey":  {"TRAVEL", 300000, 300000, 4, 9000, -9000},
		"marble-fjord":   {"HOME", 300000, 15000, 4, 15000, -10000},
	}
	for _, d := range marbleDesigns {
		c := cases[d.Name]
		e := d.New()
		now := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
		on := func(days float64) {
			now = now.Add(time.Duration(days * 24 * float64(time.Hour)))
			marbleMust(t, e.SetClock(now))
		}
		var redeemed int64
		take := func() {
			b, _ := e.Balance(marbleCustomer)
			if ok, _ := e.Redeem(issuer.Redemption{Account: marbleCustomer, Redemption: fmt.Sprint(now), Amount: b.Redeemable}); ok {
				redeemed += b.Redeemable
			}
		}
		on(0)
		marbleMust(t, e.Open(marbleCustomer))
		marbleMust(t, e.Settle(issuer.Settlement{Account: marbleCustomer, Transaction: "p", Amount: c.amount, Category: c.category}))
		on(1)
		if d.Name != "marble-osprey" {
			take()
			on(c.back / 2)
			take()
			on(c.back/2 - 1)
			take()
		}
		for i := int64(0); i*c.part < c.amount; i++ {
			marbleMust(t, e.Refund(issuer.Refund{Account: marbleCustomer, Refund: fmt.Sprint(i), Transaction: "p", Amount: c.part}))
		}
		on(5)
		take()
		on(180)
		take()
		b, _ := e.Balance(marbleCustomer)
		if redeemed+b.Balance < 0 {
			t.Errorf("%s: below nothing", d.Name)
		}
		paid, _ := issuer.PaidOut(e, marbleCustomer)
		if redeemed+paid != c.redeemed || b.Balance != c.owes {
			t.Errorf("%s: redeemed %d and balance %d, not %d and %d", d.Name, redeemed+paid, b.Balance, c.redeemed, c.owes)
		}
	}
}
