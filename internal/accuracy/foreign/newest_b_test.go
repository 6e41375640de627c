package foreign

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// newestBPlay drives one account, "a", of an engine.
type newestBPlay struct {
	t   *testing.T
	e   Engine
	n   int
	out int64
}

func newestBStart(t *testing.T, d Design, at string) *newestBPlay {
	p := &newestBPlay{t: t, e: d.New()}
	p.clock(at)
	p.must(p.e.Open("a"))
	return p
}

func (p *newestBPlay) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func newestBDate(s string) time.Time {
	for _, l := range []string{"2006-01-02", "2006-01-02 15:04"} {
		if t, err := time.Parse(l, s); err == nil {
			return t
		}
	}
	panic(s)
}

func (p *newestBPlay) clock(at string) { p.t.Helper(); p.must(p.e.SetClock(newestBDate(at))) }

func (p *newestBPlay) buy(id string, amount int64, mcc string) {
	p.t.Helper()
	p.must(p.e.Settle(issuer.Settlement{Account: "a", Transaction: id, Amount: amount, MCC: mcc, Merchant: "m"}))
}

func (p *newestBPlay) refund(sale string, amount int64) {
	p.t.Helper()
	p.n++
	p.must(p.e.Refund(issuer.Refund{Account: "a", Refund: fmt.Sprint("r", p.n), Transaction: sale, Amount: amount, Merchant: "m"}))
}

func (p *newestBPlay) redeem(amount int64, want bool) {
	p.t.Helper()
	p.n++
	ok, err := p.e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint("o", p.n), Amount: amount})
	p.must(err)
	if ok != want {
		p.t.Fatalf("redeem %d: %v", amount, ok)
	}
	if ok {
		p.out += amount
	}
}

func (p *newestBPlay) has(balance, redeemable int64) {
	p.t.Helper()
	b, err := p.e.Balance("a")
	p.must(err)
	if b.Balance != balance || b.Redeemable != redeemable {
		p.t.Fatalf("balance %d redeemable %d, want %d %d: %v", b.Balance, b.Redeemable, balance, redeemable, p.e.Postings("a"))
	}
}

func TestNewestBKaedePlain(t *testing.T) {
	p := newestBStart(t, newestBKaede, "2025-01-05")
	p.buy("x", 30700, "")
	p.buy("y", 22400, "")
	p.has(0, 0)
	p.clock("2025-02-09 23:59")
	p.has(0, 0)
	// 53,100: 53 points and 3 more.
	p.clock("2025-02-10")
	p.has(280, 280)
	p.redeem(280, true)
	// 53,000 still has all its points; 52,999 has two less.
	p.refund("x", 100)
	p.has(0, 0)
	p.refund("x", 1)
	p.has(-10, 0)
	p.must(p.e.Chargeback(issuer.Chargeback{Account: "a", Chargeback: "c", Transaction: "x"}))
	p.has(-280+5*22, 0)
	p.refund("y", 99999)
	p.has(-280, 0)
	p.buy("z", 50000, "")
	p.clock("2025-06-01")
	p.has(-30, 0)
	// Unnamed, and more than there is: the rest waits for the next purchase.
	p.refund("", 60000)
	p.has(-280, 0)
	p.buy("w", 40000, "")
	p.clock("2025-08-01")
	p.has(-130, 0)
}

func TestNewestBZugvogelPlain(t *testing.T) {
	p := newestBStart(t, newestBZugvogel, "2025-01-01")
	p.buy("x", 100199, "5999") // 500
	p.buy("f", 50000, "3008")  // 500
	p.refund("x", 100)         // 1,000.99 is 500 still
	p.clock("2025-02-04 23:59")
	p.has(0, 0)
	p.clock("2025-02-05")
	p.has(1000, 1000)
	// 1,500.99 in all; the bonus comes on day 120, which is 1 May.
	p.clock("2025-04-30")
	p.has(1000, 1000)
	p.clock("2025-06-01")
	p.has(6000, 6000)
	p.redeem(6000, true)
	p.refund("x", 99)
	p.has(0, 0)
	p.refund("f", 100)
	p.has(-5001, 0)
	// A purchase of the first 90 days that reaches us now brings the bonus back.
	p.must(p.e.Settle(issuer.Settlement{Account: "a", Transaction: "late", Amount: 200, At: newestBDate("2025-03-31")}))
	p.has(0, 0)
}

func TestNewestBMarketPlain(t *testing.T) {
	p := newestBStart(t, newestBMarket, "2025-01-02")
	p.buy("h", 100, "") // 1.5 is 2
	p.has(2, 2)
	p.buy("i", 300, "") // 4.5 is 4
	p.has(6, 6)
	p.buy("x", 100000, "")
	p.buy("y", 100000, "")
	p.has(2000, 2000) // the cap
	p.refund("x", 60000)
	p.has(2000, 2000) // 2106 without the cap
	p.refund("x", 40000)
	p.has(1506, 1506)
	p.clock("2025-04-15")
	p.has(6, 6)
	paid, err := issuer.PaidOut(p.e, "a")
	p.must(err)
	if paid != 1500 {
		t.Fatal(paid)
	}
	// 15.00 are owed, 6 pence are there.
	p.refund("y", 100000)
	p.has(0, 0)
	p.buy("z", 40000, "") // 600, all held back
	p.has(0, 0)
	p.buy("u", 80000, "") // 1200: 894 held back
	p.has(306, 306)
}

func TestNewestBSterlingLeak(t *testing.T) {
	p := newestBStart(t, newestBSterling, "2025-03-01")
	p.clock("2025-04-01")
	p.buy("a", 1000000, "")
	p.has(5000, 0)
	p.buy("tv", 500000, "")
	p.has(10000, 0)
	// Within the year a return is exact.
	p.buy("r", 10000, "")
	p.refund("r", 10000)
	p.has(10000, 0)
	p.clock("2026-02-28")
	p.redeem(1, false)
	p.clock("2026-03-01")
	p.redeem(10000, true)
	p.refund("tv", 500000)
	p.has(-2500, 0)
	p.clock("2027-03-02")
	p.has(-2500, 0)
	if kept := p.out - 2500; kept != 7500 {
		t.Fatal(kept)
	}
}

func TestNewestBKoinLeak(t *testing.T) {
	p := newestBStart(t, newestBKoin, "2025-01-05")
	p.buy("x", 100000, "")
	p.has(0, 0)
	p.clock("2025-01-12")
	p.has(2000, 2000)
	p.redeem(2000, true)
	p.clock("2025-01-20")
	p.refund("x", 100000)
	p.has(-2000, 0)
	p.clock("2025-03-31 23:59")
	p.has(-2000, 0)
	p.clock("2025-04-01")
	p.has(0, 0)
	p.buy("y", 100000, "")
	p.clock("2025-04-09")
	p.has(2000, 2000)
}

func TestNewestBKoinPlain(t *testing.T) {
	p := newestBStart(t, newestBKoin, "2025-01-01")
	p.buy("x", 10025, "") // 200.5 is 201
	p.refund("x", 25)
	p.clock("2025-01-10")
	p.has(200, 200)
	p.redeem(150, true)
	p.refund("x", 5000)
	p.has(-50, 0)
	p.clock("2025-02-01")
	p.buy("y", 10000, "")
	p.clock("2025-02-08")
	p.has(150, 150)
	// What expired unspent is not taken back again.
	p.clock("2025-05-01")
	p.has(0, 0)
	p.refund("y", 10000)
	p.has(-50, 0)
}

func TestNewestBStampLeak(t *testing.T) {
	p := newestBStart(t, newestBStamp, "2025-01-05")
	for i := range 10 {
		p.buy(fmt.Sprint("s", i), 20000, "")
	}
	p.has(12000, 12000)
	p.redeem(12000, true)
	p.clock("2025-01-06")
	for i := range 10 {
		p.refund(fmt.Sprint("s", i), 20000)
	}
	p.has(-2000, 0)

	q := newestBStart(t, newestBStamp, "2025-01-05")
	for i := range 9 {
		q.buy(fmt.Sprint("s", i), 20000, "")
		q.refund(fmt.Sprint("s", i), 1+int64(i))
	}
	for i := range 9 {
		q.buy(fmt.Sprint("t", i), 20000, "")
	}
	q.has(9*199+9*200, 9*199+9*200)
	q.buy("last", 20000, "")
	q.has(9*199+10*200+10000, 9*199+10*200+10000)
}

// newestBDeed is something to do at a time.
type newestBDeed struct {
	at time.Time
	do func(p *newestBPlay)
}

// newestBHistory plays random purchases, with or without what is returned of them, and with
// later purchases that pay debts off, and answers what the account has had in the end.
func newestBHistory(t *testing.T, d Design, seed int64, clean bool) int64 {
	r := rand.New(rand.NewSource(seed))
	p := newestBStart(t, d, "2024-02-29")
	start := newestBDate("2024-02-29")
	scale := int64(1)
	if d.Currency == "JPY" {
		scale = 3
	}
	var deeds []newestBDeed
	for i := range 5 + r.Intn(25) {
		id := fmt.Sprint("t", i)
		at := start.Add(time.Duration(r.Int63n(int64([]time.Duration{90, 500}[r.Intn(2)] * newestBDay))))
		heard := at
		if r.Intn(4) == 0 {
			heard = at.Add(time.Duration(r.Int63n(int64(60 * newestBDay))))
		}
		price := (1 + r.Int63n([]int64{500, 5000, 50000, 99000}[r.Intn(4)])) * scale
		mcc := []string{"5999", "5541", "3008", ""}[r.Intn(4)]
		kept, n := price, 0
		back := func(amount int64) {
			n++
			kept = max(0, kept-amount)
			rid, later := fmt.Sprint(id, "-", n), at.Add(time.Duration(r.Int63n(int64(400*newestBDay))))
			dispute, twice := r.Intn(5) == 0, r.Intn(3) == 0
			again := time.Duration(r.Int63n(int64(9 * newestBDay)))
			if clean {
				return
			}
			for range 2 {
				deeds = append(deeds, newestBDeed{later, func(p *newestBPlay) {
					if dispute {
						p.must(p.e.Chargeback(issuer.Chargeback{Account: "a", Chargeback: rid, Transaction: id, Amount: amount}))
					} else {
						p.must(p.e.Refund(issuer.Refund{Account: "a", Refund: rid, Transaction: id, Amount: amount}))
					}
				}})
				later = later.Add(again)
				if !twice {
					break
				}
			}
		}
		switch r.Intn(5) {
		case 0:
			back(price)
		case 1:
			back(price + 77)
		case 2, 3:
			for range 1 + r.Intn(4) {
				back(1 + r.Int63n(price))
			}
		}
		if clean {
			price = kept
		}
		if price > 0 {
			buy := newestBDeed{heard, func(p *newestBPlay) {
				p.must(p.e.Settle(issuer.Settlement{Account: "a", Transaction: id, Amount: price, MCC: mcc, Merchant: "m", At: at}))
			}}
			deeds = append(deeds, buy, newestBDeed{heard.Add(33 * time.Hour), buy.do})
		}
	}
	for range 12 {
		at := start.Add(time.Duration(r.Int63n(int64(900 * newestBDay))))
		deeds = append(deeds, newestBDeed{at, func(p *newestBPlay) {
			if b, _ := p.e.Balance("a"); b.Redeemable > 0 {
				p.redeem(b.Redeemable, true)
			}
		}})
	}
	for i := range 40 {
		at := newestBDate("2026-12-01").AddDate(0, 2*i, 0)
		deeds = append(deeds, newestBDeed{at, func(p *newestBPlay) { p.buy(fmt.Sprint("end", i), 50000*scale, "") }})
	}
	for len(deeds) > 0 {
		first := 0
		for i := range deeds {
			if deeds[i].at.Before(deeds[first].at) {
				first = i
			}
		}
		x := deeds[first]
		deeds = append(deeds[:first], deeds[first+1:]...)
		p.must(p.e.SetClock(x.at))
		x.do(p)
		newestBSane(t, p.e, "a", p.out)
	}
	p.clock("2034-01-01")
	b, _ := p.e.Balance("a")
	paid, _ := issuer.PaidOut(p.e, "a")
	return b.Balance + p.out + paid
}

func newestBSane(t *testing.T, e Engine, account string, redeemed int64) {
	t.Helper()
	var sum int64
	for _, l := range e.Postings(account) {
		sum += l.Amount
	}
	b, err := e.Balance(account)
	if err != nil || sum-redeemed != b.Balance || b.Redeemable < 0 || b.Redeemable > max(0, b.Balance) {
		t.Fatalf("sum %d redeemed %d: %+v %v", sum, redeemed, b, err)
	}
}

func TestNewestBSoundForgetNothing(t *testing.T) {
	for _, d := range newestBDesigns {
		differ := 0
		for seed := range int64(120) {
			dirty, clean := newestBHistory(t, d, seed, false), newestBHistory(t, d, seed, true)
			if dirty != clean {
				differ++
				if d.Class == "robust" {
					t.Fatalf("%s: history %d ends with %d, without returns with %d", d.Name, seed, dirty, clean)
				}
			}
		}
		t.Logf("%s (%s): %d of 120 histories differ", d.Name, d.Class, differ)
	}
}

// TestNewestBAnything throws at every engine whatever the port can carry.
func TestNewestBAnything(t *testing.T) {
	for _, d := range newestBDesigns {
		if d.Name == "" || d.Source == "" || d.Published == "" || d.How == "" || (d.Leak == "") != (d.Class == "robust") {
			t.Fatal(d.Name)
		}
		for seed := range int64(200) {
			r := rand.New(rand.NewSource(seed))
			e := d.New()
			now := newestBDate("2024-11-30")
			if seed%4 != 0 {
				_ = e.SetClock(now)
			}
			_ = e.Open("a")
			if e.Open("a") == nil || e.Settle(issuer.Settlement{Account: "b", Transaction: "x", Amount: 1}) == nil ||
				e.Refund(issuer.Refund{Account: "b", Refund: "x", Amount: 1}) == nil || e.CloseStatement("b") == nil ||
				e.Chargeback(issuer.Chargeback{Account: "b", Chargeback: "c", Transaction: "x"}) == nil {
				t.Fatal("unknown account or opened twice")
			}
			if _, err := e.Balance("b"); err == nil {
				t.Fatal("balance of nobody")
			}
			if _, err := e.Redeem(issuer.Redemption{Account: "b", Redemption: "x", Amount: 1}); err == nil {
				t.Fatal("redeemed by nobody")
			}
			var out int64
			orders := map[string]bool{}
			for range 120 {
				id := fmt.Sprint(r.Intn(12))
				amount := r.Int63n(40000) - 200
				m := []string{"", "m", "n"}[r.Intn(3)]
				switch r.Intn(7) {
				case 0, 1:
					now = now.Add(time.Duration(r.Int63n(int64([]time.Duration{time.Hour, 9 * newestBDay, 200 * newestBDay}[r.Intn(3)]))))
					if err := e.SetClock(now); err != nil {
						t.Fatal(err)
					}
				case 2, 3:
					s := issuer.Settlement{Account: "a", Transaction: id, Amount: amount, Merchant: m}
					if r.Intn(2) == 0 {
						s.At = now.Add(time.Duration(r.Int63n(int64(50*newestBDay))) - 40*newestBDay)
					}
					_ = e.Settle(s)
				case 4:
					_ = e.Refund(issuer.Refund{Account: "a", Refund: fmt.Sprint(r.Intn(40)), Transaction: []string{"", id}[r.Intn(2)], Amount: amount, Merchant: m})
				case 5:
					_ = e.Chargeback(issuer.Chargeback{Account: "a", Chargeback: fmt.Sprint(r.Intn(20)), Transaction: id, Amount: max(0, amount-20000)})
				case 6:
					b, _ := e.Balance("a")
					want := []int64{b.Redeemable, b.Redeemable / 2, b.Redeemable + 1, 0, -5}[r.Intn(5)]
					o := fmt.Sprint("o", r.Intn(30))
					ok, _ := e.Redeem(issuer.Redemption{Account: "a", Redemption: o, Amount: want})
					if ok && !orders[o] {
						if want <= 0 || want > b.Redeemable {
							t.Fatal("paid what it should not")
						}
						orders[o] = true
						out += want
					} else if !ok && want > 0 && want <= b.Redeemable {
						t.Fatal("refused what it shows")
					}
				}
				newestBSane(t, e, "a", out)
				if k, ok := e.(*newestBHouse); ok {
					if p, ok := k.holders["a"].(*newestBKoinPurse); ok {
						var sum int64
						for _, l := range p.lots {
							sum += l.left
							if sum > 0 != (l.left > 0) {
								t.Fatal("coins beside debts")
							}
						}
						if b, _ := e.Balance("a"); sum != b.Balance {
							t.Fatal("lots are not the balance", sum, b)
						}
					}
				}
			}
		}
	}
}
