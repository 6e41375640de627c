package foreign

import (
	"fmt"
	"math/rand"
	"sort"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// latestCPlay is an engine with one account and what a test knows of it.
type latestCPlay struct {
	t        *testing.T
	e        Engine
	redeemed int64
	n        int
}

func latestCStart(t *testing.T, d Design, at string) *latestCPlay {
	p := &latestCPlay{t: t, e: d.New()}
	p.clock(at)
	p.ok(p.e.Open("a"))
	return p
}

func (p *latestCPlay) ok(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func latestCDay(s string) time.Time {
	at, err := time.Parse("2006-01-02 15:04", s+" 12:00")
	if err != nil {
		panic(err)
	}
	return at
}

func (p *latestCPlay) clock(s string) { p.ok(p.e.SetClock(latestCDay(s))) }

func (p *latestCPlay) buy(id string, amount int64, mcc string) {
	p.t.Helper()
	p.ok(p.e.Settle(issuer.Settlement{Account: "a", Transaction: id, Amount: amount, MCC: mcc, Merchant: "m" + id}))
}

func (p *latestCPlay) back(of string, amount int64) {
	p.t.Helper()
	p.n++
	p.ok(p.e.Refund(issuer.Refund{Account: "a", Refund: fmt.Sprint("r", p.n), Transaction: of, Amount: amount}))
}

func (p *latestCPlay) redeem(amount int64) bool {
	p.t.Helper()
	p.n++
	ok, err := p.e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint("d", p.n), Amount: amount})
	p.ok(err)
	if ok {
		p.redeemed += amount
	}
	return ok
}

// check compares the balance and what can be redeemed.
func (p *latestCPlay) check(balance, redeemable int64) {
	p.t.Helper()
	b, err := p.e.Balance("a")
	p.ok(err)
	if b.Balance != balance || b.Redeemable != redeemable {
		p.t.Fatalf("balance %d, redeemable %d; want %d, %d", b.Balance, b.Redeemable, balance, redeemable)
	}
	p.sound()
}

// sound is what holds of every engine at all times.
func (p *latestCPlay) sound() {
	p.t.Helper()
	b, err := p.e.Balance("a")
	p.ok(err)
	var sum, paid int64
	for _, x := range p.e.Postings("a") {
		sum += x.Amount
		if x.Kind == Paid {
			paid -= x.Amount
		}
	}
	if sum-p.redeemed != b.Balance || b.Redeemable < 0 || b.Redeemable > max(0, b.Balance) {
		p.t.Fatalf("postings %d, redeemed %d, balance %+v", sum, p.redeemed, b)
	}
	if out, err := issuer.PaidOut(p.e, "a"); err != nil || out != paid {
		p.t.Fatalf("paid out %d, posted %d, %v", out, paid, err)
	}
}

// net is all that the customer has had, with what is owed.
func (p *latestCPlay) net() int64 {
	b, err := p.e.Balance("a")
	p.ok(err)
	out, err := issuer.PaidOut(p.e, "a")
	p.ok(err)
	return b.Balance + p.redeemed + out
}

func TestLatestCAnniversary(t *testing.T) {
	p := latestCStart(t, latestCAnniversaryDesign, "2024-03-10")
	p.buy("1", 200000, "5411")
	p.clock("2024-04-02")
	p.check(0, 0) // under £3,000 yet
	p.buy("2", 1000000, "5411")
	p.check(0, 0)
	p.clock("2024-05-02") // 75.00 and 25.00; 80% of it
	p.check(8000, 8000)
	if !p.redeem(8000) || p.redeem(1) {
		t.Fatal("redeemed wrongly")
	}
	p.back("2", 200000)
	p.check(-2000, 0) // 75.00, of which 60.00
	p.clock("2025-05-02")
	p.check(-2000, 0) // not yet 60 days after the year
	p.clock("2025-07-02")
	p.check(-500, 0)
	p.back("2", 750000) // 2,500.00 stay: nothing is earned
	p.check(-8000, 0)
}

func TestLatestCLien(t *testing.T) {
	p := latestCStart(t, latestCLienDesign, "2024-01-10")
	p.buy("g", 200090, "5411") // 2000 and 4 times 1500
	p.buy("o", 99, "1111")     // with it 2001
	p.check(0, 0)
	p.clock("2024-02-05")
	p.check(8001, 8001)
	p.back("g", 100090) // bonus spend of 1,000.00 stays
	p.check(8001, 5000)
	if p.redeem(5001) || !p.redeem(5000) {
		t.Fatal("the lien does not hold")
	}
	p.clock("2024-03-05")
	p.check(0, 0)
	p.clock("2024-06-20")
	p.back("g", 100000)
	p.back("g", 500)
	p.check(0, 0)
	p.clock("2024-07-05")
	p.check(-5000, 0)
	p.buy("d", 100000, "5812")
	p.clock("2024-08-05")
	p.check(0, 0)
}

func TestLatestCWeekend(t *testing.T) {
	p := latestCStart(t, latestCWeekendDesign, "2024-06-07") // a Friday
	p.buy("f", 25999, "5411")                                // 4 coins
	p.clock("2024-06-08")
	p.buy("s", 25999, "5411") // 8 coins
	p.buy("big", 3000000, "5411")
	p.clock("2024-07-16")
	p.check(0, 0)
	p.clock("2024-07-18")
	p.check(100+200+10000, 10300)
	p.back("big", 2000000) // ₹10,000 kept are 400 coins
	p.check(10300, 10300)
	p.back("f", 5999)
	p.check(10300, 10300)
	p.back("f", 1)
	p.check(10250, 10250)
	p.clock("2024-08-02")
	p.check(0, 0)
	if out, _ := issuer.PaidOut(p.e, "a"); out != 10250 {
		t.Fatal(out)
	}
	p.back("big", 1000000)
	p.check(-10000, 0)
	p.clock("2024-08-10")
	p.buy("next", 1000000, "5411")
	p.clock("2024-09-20")
	p.check(0, 0)
}

func TestLatestCMeter(t *testing.T) {
	// Plain histories: a return of all, in parts, in another month, above the price.
	p := latestCStart(t, latestCMeterDesign, "2024-02-02")
	p.buy("g", 10010, "5411")
	p.check(501, 501) // 500.5
	p.back("g", 3333)
	p.back("g", 3333)
	p.clock("2024-04-09")
	p.back("g", 9999)
	p.check(0, 0)
	// A single purchase over the threshold comes back whole as well.
	p.buy("party", 400000, "5812")
	p.check(20000, 20000)
	p.buy("late", 10000, "5812")
	p.check(20200, 20200)
	p.clock("2024-06-09")
	p.back("party", 400000)
	p.back("late", 10000)
	p.check(0, 0)
	// The example of the leak.
	p.clock("2024-07-02")
	p.buy("grocery", 100000, "5411")
	p.clock("2024-07-03")
	p.buy("laptop", 260000, "5732")
	p.check(7600, 7600)
	p.clock("2024-07-20")
	p.back("grocery", 100000)
	p.back("laptop", 260000)
	p.check(3000, 3000)
}

func TestLatestCRoom(t *testing.T) {
	p := latestCStart(t, latestCRoomDesign, "2024-01-10")
	p.buy("gas", 200000, "5541")
	p.buy("food", 100000, "5411") // 500.00 at 2%, 500.00 at 1%
	p.check(6000+1000+500, 0)
	p.clock("2024-01-14")
	p.check(7500, 7500)
	p.back("food", 60000)
	p.check(6800, 6800)
	p.buy("more", 10000, "5541") // the room of 100.00 that came back
	p.check(7100, 6800)
	p.back("gas", 200000)
	p.back("food", 40000)
	p.back("more", 10000)
	p.check(0, 0)
	// The example of the leak.
	p.clock("2024-03-20")
	p.buy("cards", 250000, "5541")
	p.clock("2024-04-02")
	if !p.redeem(7500) {
		t.Fatal("not redeemed")
	}
	p.back("cards", 250000)
	p.check(-7500, 0)
	p.buy("april", 500000, "5541")
	p.check(7500, 0)
	if p.net() != 15000 {
		t.Fatal(p.net())
	}
}

func TestLatestCBucket(t *testing.T) {
	p := latestCStart(t, latestCBucketDesign, "2024-01-10")
	p.buy("t", 80000, "4511")
	p.buy("o", 150, "1111") // 1.5 cents, to the even 2
	p.clock("2024-02-01")
	p.check(2402, 2402)
	// A return with enough travel in its month or in the next one takes all back.
	p.buy("t2", 50000, "4511")
	p.back("t", 80000)
	p.clock("2024-03-02")
	p.check(2402, 2402)
	p.buy("t3", 50000, "4511")
	p.clock("2024-04-02")
	p.check(2402+600, 3002)
	p.back("t2", 50000)
	p.clock("2024-05-02")
	p.buy("t4", 50000, "4511")
	p.clock("2024-06-02")
	p.check(3002, 3002)
	// The example of the leak.
	q := latestCStart(t, latestCBucketDesign, "2024-03-10")
	q.buy("f", 80000, "4511")
	q.clock("2024-04-02")
	if !q.redeem(2400) {
		t.Fatal("not redeemed")
	}
	q.back("f", 80000)
	q.clock("2024-06-02")
	q.check(0, 0)
	q.buy("f2", 80000, "4511")
	q.clock("2024-07-02")
	q.check(2400, 2400)
	// The other one: $300.00 in May, $500.00 are forgotten.
	r := latestCStart(t, latestCBucketDesign, "2024-03-10")
	r.buy("f", 80000, "4511")
	r.clock("2024-04-02")
	r.back("f", 80000)
	r.clock("2024-05-02")
	r.buy("g", 30000, "4511")
	r.clock("2024-06-02")
	r.check(2400, 2400)
	r.buy("h", 50000, "4511")
	r.clock("2024-07-02")
	r.check(3900, 3900) // 1,500 more than 3% of the 800.00 that stay
}

// TestLatestCNothingKept plays random histories on the sound designs and compares their
// end with that of the same purchases without what came back.
func TestLatestCNothingKept(t *testing.T) {
	type fact struct {
		at time.Time
		do func(p *latestCPlay)
	}
	mccs := []string{"5411", "5541", "5812", "5311", "9999"}
	for _, d := range []Design{latestCAnniversaryDesign, latestCLienDesign, latestCWeekendDesign} {
		for seed := int64(0); seed < 150; seed++ {
			rng := rand.New(rand.NewSource(seed))
			start := latestCDay("2023-11-20")
			var facts []fact
			kept := latestCStart(t, d, "2023-11-20")
			var keeps []fact
			for i := 0; i < 4+rng.Intn(10); i++ {
				id := fmt.Sprint("t", i)
				at := start.Add(time.Duration(rng.Intn(500*24)) * time.Hour)
				s := issuer.Settlement{Account: "a", Transaction: id, Amount: 1 + rng.Int63n(int64(1)<<(8+rng.Intn(15))), MCC: mccs[rng.Intn(5)], Merchant: "m" + id, At: at}
				comes := at.Add(time.Duration(rng.Intn(120)) * time.Hour)
				settle := func(p *latestCPlay) { p.ok(p.e.Settle(s)) }
				facts = append(facts, fact{comes, settle})
				if rng.Intn(4) == 0 {
					facts = append(facts, fact{comes.Add(time.Duration(rng.Intn(900)) * time.Hour), settle})
				}
				left := s.Amount
				named := true
				for j := 0; j < rng.Intn(4); j++ {
					x := 1 + rng.Int63n(s.Amount)
					if rng.Intn(3) == 0 {
						x = left
					}
					r := issuer.Refund{Account: "a", Refund: fmt.Sprint("r", i, "-", j), Transaction: id, Amount: x}
					when := at.Add(time.Duration(rng.Intn(400*24)) * time.Hour)
					if rng.Intn(5) == 0 && x <= left && x > 0 {
						// One that names no purchase, but the merchant, once the purchase is there.
						r.Transaction, r.Merchant = "", s.Merchant
						if when.Before(comes) {
							when = comes.Add(time.Hour)
						}
						named = false
					}
					if x > left && !named {
						continue // otherwise a guess would rightly move elsewhere
					}
					if x == 0 {
						continue
					}
					refund := func(p *latestCPlay) { p.ok(p.e.Refund(r)) }
					if rng.Intn(6) == 0 && r.Transaction != "" {
						cb := issuer.Chargeback{Account: "a", Chargeback: r.Refund, Transaction: id, Amount: x}
						if named && rng.Intn(2) == 0 {
							cb.Amount, x = 0, left
						}
						if cb.Amount != 0 || j == 0 {
							refund = func(p *latestCPlay) { p.ok(p.e.Chargeback(cb)) }
						}
						if cb.Amount == 0 && j == 0 {
							facts = append(facts, fact{when, refund})
							left = 0
							break
						}
						x = r.Amount
					}
					facts = append(facts, fact{when, refund})
					if rng.Intn(3) == 0 {
						facts = append(facts, fact{when.Add(time.Duration(rng.Intn(2000)) * time.Hour), refund})
					}
					left -= min(left, x)
				}
				if left > 0 {
					k := s
					k.Amount = left
					keeps = append(keeps, fact{comes, func(p *latestCPlay) { p.ok(p.e.Settle(k)) }})
				}
			}
			p := latestCStart(t, d, "2023-11-20")
			play := func(p *latestCPlay, facts []fact, redeem bool) {
				sort.SliceStable(facts, func(i, j int) bool { return facts[i].at.Before(facts[j].at) })
				for _, f := range facts {
					p.ok(p.e.SetClock(f.at))
					f.do(p)
					p.sound()
					if b, _ := p.e.Balance("a"); redeem && b.Redeemable > 0 && rng.Intn(2) == 0 {
						if !p.redeem(b.Redeemable) {
							t.Fatal("refused what could be redeemed")
						}
						p.sound()
					}
				}
				p.clock("2028-01-01")
				p.sound()
			}
			play(p, facts, true)
			play(kept, keeps, false)
			if p.net() != kept.net() {
				t.Fatalf("%s, seed %d: %d, without what came back %d", d.Name, seed, p.net(), kept.net())
			}
		}
	}
}

// TestLatestCAnything delivers all that the port can, in any order.
func TestLatestCAnything(t *testing.T) {
	mccs := []string{"5411", "5541", "5812", "4511", ""}
	for _, d := range latestCDesigns {
		for seed := int64(0); seed < 60; seed++ {
			rng := rand.New(rand.NewSource(seed))
			p := &latestCPlay{t: t, e: d.New()}
			if seed%2 == 0 {
				p.clock("2024-02-29")
			}
			p.ok(p.e.Open("a"))
			p.clock("2024-02-29")
			now := latestCDay("2024-02-29")
			some := func(pre string, n int) string { return fmt.Sprint(pre, rng.Intn(n)) }
			for i := 0; i < 80; i++ {
				at := now.Add(-time.Duration(rng.Intn(9000)) * time.Hour)
				if rng.Intn(3) == 0 {
					at = time.Time{}
				}
				amount := rng.Int63n(400000)
				switch rng.Intn(6) {
				case 0, 1:
					p.ok(p.e.Settle(issuer.Settlement{Account: "a", Transaction: some("t", 30), Amount: amount, Merchant: some("m", 4), MCC: mccs[rng.Intn(5)], At: at}))
				case 2:
					r := issuer.Refund{Account: "a", Refund: some("r", 30), Amount: amount - 1000, At: at}
					if rng.Intn(2) == 0 {
						r.Transaction = some("t", 35)
					}
					if rng.Intn(2) == 0 {
						r.Merchant, r.MCC = some("m", 4), mccs[rng.Intn(5)]
					}
					p.ok(p.e.Refund(r))
				case 3:
					p.ok(p.e.Chargeback(issuer.Chargeback{Account: "a", Chargeback: some("c", 20), Transaction: some("t", 35), Amount: amount * rng.Int63n(2)}))
				case 4:
					b, _ := p.e.Balance("a")
					if p.redeem(0) || p.redeem(-1) || p.redeem(b.Redeemable+1) {
						t.Fatal("redeemed too much")
					}
					if b.Redeemable > 0 && !p.redeem(b.Redeemable) {
						t.Fatal("refused")
					}
				case 5:
					now = now.Add(time.Duration(rng.Intn(1<<rng.Intn(18))) * time.Minute)
					p.ok(p.e.SetClock(now))
					p.ok(p.e.CloseStatement("a"))
				}
				p.sound()
			}
			p.ok(p.e.Chargeback(issuer.Chargeback{Account: "a"}))
			for _, err := range []error{
				p.e.Settle(issuer.Settlement{Account: "b", Transaction: "t", Amount: 1}), p.e.Refund(issuer.Refund{Account: "b"}),
				p.e.Chargeback(issuer.Chargeback{Account: "b"}), p.e.CloseStatement("b"),
			} {
				if err == nil {
					t.Fatal("an unknown account")
				}
			}
			if _, err := p.e.Balance("b"); err == nil {
				t.Fatal("an unknown account")
			}
			if _, err := p.e.Redeem(issuer.Redemption{Account: "b", Amount: 1}); err == nil {
				t.Fatal("an unknown account")
			}
		}
	}
}

// TestLatestCWrongGuess: a refund without a name is taken for another purchase until that
// one is named. Both have come back in the end and nothing is kept.
func TestLatestCWrongGuess(t *testing.T) {
	for _, d := range latestCDesigns[:3] {
		p := latestCStart(t, d, "2024-01-10")
		for _, id := range []string{"1", "2"} {
			p.ok(p.e.Settle(issuer.Settlement{Account: "a", Transaction: id, Amount: 400000, Merchant: "m"}))
		}
		p.clock("2024-03-10")
		p.ok(p.e.Refund(issuer.Refund{Account: "a", Refund: "x", Merchant: "m", Amount: 400000}))
		p.back("2", 400000)
		p.clock("2026-01-01")
		if p.net() != 0 {
			t.Fatal(d.Name, p.net())
		}
	}
}
