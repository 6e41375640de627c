package foreign

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// latestfPlay is an engine with one account "a", for short tests.
type latestfPlay struct {
	t *testing.T
	Engine
	n int
}

func latestfStart(t *testing.T, d Design, date string) *latestfPlay {
	t.Helper()
	p := &latestfPlay{t: t, Engine: d.New()}
	p.must(p.SetClock(latestfDate(date)))
	p.must(p.Open("a"))
	return p
}

func latestfDate(s string) time.Time {
	d, err := time.Parse("2006-01-02", s)
	if err != nil {
		panic(err)
	}
	return d.Add(12 * time.Hour)
}

func (p *latestfPlay) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *latestfPlay) on(date string) { p.t.Helper(); p.must(p.SetClock(latestfDate(date))) }

func (p *latestfPlay) buy(id string, amount int64, mcc string) {
	p.t.Helper()
	p.must(p.Settle(issuer.Settlement{Account: "a", Transaction: id, Amount: amount, MCC: mcc, Merchant: "shop " + id}))
}

func (p *latestfPlay) back(id string, amount int64) {
	p.t.Helper()
	p.n++
	p.must(p.Refund(issuer.Refund{Account: "a", Refund: fmt.Sprint("r", p.n), Transaction: id, Amount: amount}))
}

func (p *latestfPlay) redeem(amount int64, want bool) {
	p.t.Helper()
	p.n++
	got, err := p.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint("x", p.n), Amount: amount})
	p.must(err)
	if got != want {
		p.t.Fatalf("redeem %d: %v", amount, got)
	}
}

func (p *latestfPlay) want(balance, redeemable int64) {
	p.t.Helper()
	b, err := p.Balance("a")
	p.must(err)
	if b.Balance != balance || b.Redeemable != redeemable {
		p.t.Fatalf("balance %d redeemable %d, want %d and %d", b.Balance, b.Redeemable, balance, redeemable)
	}
}

// latestfHard plays what every engine must stand: double deliveries, facts in the wrong
// order, amounts that make no sense, accounts that do not exist.
func latestfHard(t *testing.T, d Design) {
	t.Run("hard", func(t *testing.T) {
		for seed := int64(0); seed < 60; seed++ {
			r := rand.New(rand.NewSource(seed))
			e := d.New()
			now := latestfDate("2025-01-03")
			if seed%4 != 0 { // one in four has its first facts before any clock
				_ = e.SetClock(now)
			}
			_ = e.Open("a")
			_ = e.Open("a")
			var paid int64
			answered := map[string]bool{}
			for i := 0; i < 120; i++ {
				txn := fmt.Sprint("t", r.Intn(25))
				mcc := []string{"5411", "5812", "5541", "7011", "5999", "", "4899"}[r.Intn(7)]
				shop := fmt.Sprint("m", r.Intn(3))
				var at time.Time
				if r.Intn(3) == 0 {
					at = now.AddDate(0, 0, r.Intn(60)-50)
				}
				amount := int64(r.Intn(400000) - 10000)
				switch r.Intn(8) {
				case 0, 1:
					_ = e.Settle(issuer.Settlement{Account: "a", Transaction: txn, Amount: amount, MCC: mcc, Merchant: shop, At: at})
				case 2:
					_ = e.Refund(issuer.Refund{Account: "a", Refund: fmt.Sprint("r", r.Intn(60)), Transaction: txn, Amount: amount, At: at})
				case 3:
					_ = e.Refund(issuer.Refund{Account: "a", Refund: fmt.Sprint("r", r.Intn(60)), Merchant: shop, Amount: amount, At: at})
				case 4:
					_ = e.Chargeback(issuer.Chargeback{Account: "a", Chargeback: fmt.Sprint("c", r.Intn(30)), Transaction: []string{txn, ""}[r.Intn(5)/4], Amount: amount * int64(r.Intn(2)), At: at})
				case 5:
					b, _ := e.Balance("a")
					x := []int64{b.Redeemable, b.Redeemable + 1, 0, -5, b.Redeemable / 2, 1}[r.Intn(6)]
					id := fmt.Sprint("x", i)
					ok, err := e.Redeem(issuer.Redemption{Account: "a", Redemption: id, Amount: x})
					if err != nil || ok && (x <= 0 || x > b.Redeemable) {
						t.Fatalf("seed %d: redeemed %d of %d, %v", seed, x, b.Redeemable, err)
					}
					if ok && !answered[id] {
						paid += x
						answered[id] = true
					}
					if again, _ := e.Redeem(issuer.Redemption{Account: "a", Redemption: id, Amount: x}); ok && !again {
						t.Fatalf("seed %d: a redelivered redemption was refused", seed)
					}
				case 6:
					now = now.Add(time.Duration(r.Intn([]int{3, 40, 1000, 5000}[r.Intn(4)])+1) * time.Hour)
					if err := e.SetClock(now); err != nil {
						t.Fatal(err)
					}
				case 7:
					_ = e.CloseStatement("a")
				}
				var sum int64
				var last time.Time
				for _, p := range e.Postings("a") {
					sum += p.Amount
					if p.Amount == 0 || p.At.Before(last) || p.Amount < 0 && p.Kind == Earned || p.Amount > 0 && p.Kind == Reversed {
						t.Fatalf("seed %d: posting %+v after %v", seed, p, last)
					}
					last = p.At
				}
				b, err := e.Balance("a")
				if err != nil || sum-paid != b.Balance || b.Redeemable < 0 || b.Redeemable > max(0, b.Balance) {
					t.Fatalf("seed %d step %d: postings %d, redeemed %d, balance %+v, %v", seed, i, sum, paid, b, err)
				}
			}
		}
		e := d.New()
		if _, err := e.Balance("nobody"); err == nil {
			t.Fatal("a balance of nobody")
		}
		if _, err := e.Redeem(issuer.Redemption{Account: "nobody", Amount: 1}); err == nil {
			t.Fatal("a redemption of nobody")
		}
		for _, err := range []error{e.Settle(issuer.Settlement{Account: "nobody"}), e.Refund(issuer.Refund{Account: "nobody"}), e.Chargeback(issuer.Chargeback{Account: "nobody"}), e.CloseStatement("nobody")} {
			if err == nil {
				t.Fatal("an unknown account was taken")
			}
		}
	})
}

// latestfFact is one thing that happens in a random history.
type latestfFact struct {
	at     time.Time // when it is delivered
	settle *issuer.Settlement
	refund *issuer.Refund
	charge *issuer.Chargeback
}

// latestfSound plays random histories twice, once with their returns and once without
// what was returned, and compares what the cardholder has got in the end. off is by how
// much rounding may set the two apart, for a number of purchases.
//
// The flawed designs are played too, with what sets their flaw off left out by plain.
func latestfSound(t *testing.T, d Design, big int64, off func(purchases int) int64, plain ...string) {
	without := func(what string) bool { return slices.Contains(plain, what) }
	t.Run("sound", func(t *testing.T) {
		noRedeeming, prompt := without("redeeming"), without("lateness")
		worst := int64(0)
		for seed := int64(0); seed < 400; seed++ {
			r := rand.New(rand.NewSource(seed))
			start := latestfDate("2025-01-03").AddDate(0, 0, r.Intn(300))
			var with, kept []latestfFact
			n := 1 + r.Intn(12)
			for i := 0; i < n; i++ {
				at := start.Add(time.Duration(r.Intn(24*400)) * time.Hour)
				price := 1 + r.Int63n([]int64{300, 20000, big}[r.Intn(3)])
				s := issuer.Settlement{Account: "a", Transaction: fmt.Sprint("t", i), Amount: price, Merchant: fmt.Sprint("m", r.Intn(3)), At: at,
					MCC: []string{"5411", "5411", "5812", "5541", "5999", "4899"}[r.Intn(6)]}
				with = append(with, latestfFact{at: at, settle: &s})
				left := price
				for k := r.Intn(4); k > 0 && left > 0; k-- {
					x := 1 + r.Int63n(left)
					if r.Intn(3) == 0 {
						x = left
					}
					when := at.Add(time.Duration(r.Intn(24*[]int{2, 40, 400}[r.Intn(3)])) * time.Hour)
					// A few credits come in before their purchase, or long after their date.
					came := when
					switch n := r.Intn(8); {
					case prompt:
					case n == 0:
						came = at.Add(-time.Duration(r.Intn(50)) * time.Hour)
						when = came
					case n == 1:
						came = when.Add(time.Duration(r.Intn(24*9)) * time.Hour)
					}
					id := fmt.Sprint("t", i, "-", k)
					if r.Intn(4) == 0 {
						with = append(with, latestfFact{at: came, charge: &issuer.Chargeback{Account: "a", Chargeback: id, Transaction: s.Transaction, Amount: x, At: when}})
					} else {
						rf := &issuer.Refund{Account: "a", Refund: id, Transaction: s.Transaction, Amount: x, At: when}
						if x == left && r.Intn(3) == 0 {
							rf.Amount += 777 // more than the price
						}
						with = append(with, latestfFact{at: came, refund: rf})
					}
					left -= x
				}
				if left > 0 {
					net := s
					net.Amount = left
					kept = append(kept, latestfFact{at: at, settle: &net})
				}
			}
			got, want := latestfRun(t, d, r, with, start, !noRedeeming), latestfRun(t, d, r, kept, start, false)
			worst = max(worst, got-want, want-got)
			if got-want > off(n) || want-got > off(n) {
				t.Fatalf("seed %d: %d with returns, %d without what was returned", seed, got, want)
			}
		}
		t.Logf("never more than %d apart", worst)
	})
}

// latestfRun plays facts in order of their delivery, then lets two years pass, and says
// what the cardholder has: the balance and all that was paid.
func latestfRun(t *testing.T, d Design, r *rand.Rand, facts []latestfFact, start time.Time, noise bool) int64 {
	t.Helper()
	e := d.New()
	_ = e.SetClock(start.AddDate(0, 0, -5))
	_ = e.Open("a")
	facts = append([]latestfFact(nil), facts...)
	for i := range facts { // a plain sort that keeps the order of equals
		for j := i; j > 0 && facts[j].at.Before(facts[j-1].at); j-- {
			facts[j], facts[j-1] = facts[j-1], facts[j]
		}
	}
	var paid int64
	for i, f := range facts {
		if err := e.SetClock(f.at); err != nil {
			t.Fatal(err)
		}
		times := 1
		if noise && r.Intn(4) == 0 {
			times = 2
		}
		for ; times > 0; times-- {
			var err error
			switch {
			case f.settle != nil:
				err = e.Settle(*f.settle)
			case f.refund != nil:
				err = e.Refund(*f.refund)
			default:
				err = e.Chargeback(*f.charge)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if noise && r.Intn(3) == 0 {
			if b, _ := e.Balance("a"); b.Redeemable > 0 {
				if ok, _ := e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint("x", i), Amount: b.Redeemable}); ok {
					paid += b.Redeemable
				}
			}
			_ = e.CloseStatement("a")
		}
	}
	now := start.AddDate(2, 6, 0)
	for i := 0; i < 14; i++ {
		now = now.AddDate(0, 0, 37)
		if err := e.SetClock(now); err != nil {
			t.Fatal(err)
		}
	}
	out, err := issuer.PaidOut(e, "a")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := e.Balance("a")
	return b.Balance + paid + out
}

func TestLatestfArrears(t *testing.T) {
	d := latestfArrearsDesign
	latestfHard(t, d)
	latestfSound(t, d, 300000, func(int) int64 { return 0 }, "redeeming") // nobody owes anything
	p := latestfStart(t, d, "2026-01-05")
	p.buy("plain", 10050, "5999") // 101 dollars
	p.want(101, 101)
	p.back("plain", 100)
	p.want(100, 100) // 99.50 is 100 dollars
	p.redeem(60, true)
	p.back("plain", 9950)
	p.want(-60, 0)
	p.buy("next", 8000, "")
	p.want(20, 20)

	// The example of Leak.
	p = latestfStart(t, d, "2026-01-05")
	p.buy("dinner", 100000, "5812")
	p.redeem(3000, true)
	p.back("dinner", 100000)
	p.want(-3000, 0)
	p.buy("petrol", 100000, "5541")
	p.want(0, 0)
	p.back("petrol", 100000)
	p.want(0, 0)
}

func TestLatestfPantry(t *testing.T) {
	d := latestfPantryDesign
	latestfHard(t, d)
	latestfSound(t, d, 40000, func(n int) int64 { return int64(n) }) // never at the cap
	p := latestfStart(t, d, "2026-01-05")
	p.buy("bread", 599999, "5411")
	p.buy("milk", 10001, "5411") // one cent at 6%
	p.buy("gas", 5000, "5541")
	p.buy("pen", 150, "")
	p.want(0, 0)
	p.on("2026-02-01")
	p.want(36000+100+150+2, 36252)
	p.redeem(36252, true)
	p.back("bread", 200000)
	p.want(-12000, 0)
	p.on("2027-01-01")
	p.buy("new", 100000, "5411") // the next year has a cap of its own
	p.on("2027-02-02")
	p.want(-6000, 0)

	// The example of Leak, and what was promised.
	end := func(back bool) *latestfPlay {
		p := latestfStart(t, d, "2026-03-02")
		p.buy("one", 600000, "5411")
		p.buy("two", 600000, "5411")
		p.on("2026-04-02")
		p.want(42000, 42000)
		if back {
			p.back("two", 600000)
			p.want(36000, 36000)
			p.buy("three", 600000, "5411")
			p.on("2026-05-02")
		}
		return p
	}
	end(true).want(72000, 72000)
	end(false).want(42000, 42000)
}

func TestLatestfLedgerDay(t *testing.T) {
	d := latestfLedgerDayDesign
	latestfHard(t, d)
	latestfSound(t, d, 900000, func(n int) int64 { return int64(4 * n) }, "lateness") // every credit on its day
	p := latestfStart(t, d, "2026-05-03")
	p.buy("food", 10000, "5411")
	p.buy("book", 5049, "")
	p.back("food", 2000)
	p.want(0, 0)
	p.on("2026-06-01")
	p.want(160+50, 210)
	p.back("food", 3000) // in the next month: held at once, deducted at its close
	p.want(210, 150)
	p.redeem(151, false)
	p.redeem(150, true)
	p.back("food", 5000)
	p.on("2026-07-01")
	p.want(-100, 0)
	p.on("2027-02-01")
	p.want(-100, 0)
	p.buy("late", 30000, "")
	p.on("2027-03-01")
	p.want(200, 200)

	// The example of Leak, and the same refund had it come in on its day.
	p = latestfStart(t, d, "2026-05-28")
	p.buy("food", 100000, "5411")
	p.on("2026-06-02")
	p.want(2000, 2000)
	p.must(p.Refund(issuer.Refund{Account: "a", Refund: "r", Transaction: "food", Amount: 100000, At: time.Date(2026, 5, 31, 19, 0, 0, 0, time.UTC)}))
	p.want(2000, 2000)
	p.on("2027-06-02")
	p.redeem(2000, true)
	p = latestfStart(t, d, "2026-05-28")
	p.buy("food", 100000, "5411")
	p.on("2026-05-31")
	p.back("food", 100000)
	p.on("2026-07-02")
	p.want(0, 0)
}

func TestLatestfIdle(t *testing.T) {
	d := latestfIdleDesign
	latestfHard(t, d)
	p := latestfStart(t, d, "2026-01-05") // a Monday
	p.buy("room", 199999, "7011")
	p.buy("meal", 1099, "5812")
	p.back("meal", 1000)
	p.on("2026-01-11")
	p.want(0, 0)
	p.on("2026-01-12")
	p.want(9999+1, 10000)
	p.back("room", 99999)
	p.want(5001, 5001)
	p.redeem(5001, true)
	p.back("room", 100000)
	p.want(-5000, 0)
	p.on("2026-12-30")
	p.want(-5000, 0)
	p.buy("room2", 100100, "3502")
	p.on("2027-01-04")
	p.want(5, 5)
	p.on("2027-12-31")
	p.want(5, 5)
	p.on("2028-02-02")
	p.want(0, 0)

	// The example of Leak.
	p = latestfStart(t, d, "2026-01-05")
	p.buy("room", 200000, "7011")
	p.on("2026-01-12")
	p.redeem(10000, true)
	p.back("room", 200000)
	p.on("2027-01-31")
	p.want(-10000, 0)
	p.on("2027-02-01")
	p.want(0, 0)
	p.buy("again", 100000, "7011")
	p.on("2027-02-08")
	p.want(5000, 5000)
	p.redeem(5000, true)
}

func TestLatestfReplay(t *testing.T) {
	d := latestfReplayDesign
	latestfHard(t, d)
	latestfSound(t, d, 300000, func(int) int64 { return 0 })
	p := latestfStart(t, d, "2026-01-05")
	p.buy("food", 100010, "5411")
	p.want(5001, 5001) // 50.005
	p.buy("more", 100000, "5411")
	p.want(2000+6000, 8000)
	p.redeem(8000, true)
	p.on("2026-05-05")
	p.back("food", 100010) // 500.00 move up
	p.want(-3000, 0)
	p.back("more", 100000)
	p.want(-8000, 0)
	p.buy("gas", 160000, "5541")
	p.want(-8000+7500+100, 0)
}

func TestLatestfYen(t *testing.T) {
	d := latestfYenDesign
	latestfHard(t, d)
	latestfSound(t, d, 900000, func(int) int64 { return 0 })
	p := latestfStart(t, d, "2026-01-05")
	p.buy("radio", 30199, "") // 150 and, on a fifth, 150
	p.on("2026-01-07")
	p.buy("pen", 201, "") // 200 yen with what was left over
	p.on("2026-02-09")
	p.want(0, 0)
	p.on("2026-02-10")
	p.want(152+150, 302)
	p.redeem(50, true)
	p.on("2026-02-20")
	p.want(52, 52)
	p.back("pen", 2) // the month's total is 30,398
	p.want(51, 51)
	p.back("radio", 30199)
	p.want(51-151-150, 0)
	out, err := issuer.PaidOut(p, "a")
	if out != 0 || err != nil { // latestfPlay hides the optional interface
		t.Fatal(out, err)
	}
	if out, err = issuer.PaidOut(p.Engine, "a"); out != 200 || err != nil {
		t.Fatal(out, err)
	}
	p.buy("car", 1000000, "") // on 20 February in Japan
	p.on("2026-04-01")
	p.want(50, 50) // 5,000 less 250 owed, of which 4,700 were paid
}

func TestLatestfHalves(t *testing.T) {
	d := latestfHalvesDesign
	latestfHard(t, d)
	latestfSound(t, d, 300000, func(int) int64 { return 0 })
	p := latestfStart(t, d, "2026-01-05")
	p.buy("tv", 100050, "") // 10.005 each
	p.want(1001, 1001)
	p.back("tv", 50)
	p.want(1000, 1000)
	p.on("2026-02-25")
	p.want(2000, 2000)
	p.back("tv", 50000)
	p.want(1500, 1000) // the second half goes on the next 25th, but not to the cardholder
	p.redeem(1001, false)
	p.redeem(1000, true)
	p.back("tv", 50000)
	p.want(0, 0)
	p.buy("pan", 40000, "")
	p.want(400, 0)
	p.on("2026-03-24")
	p.want(400, 0)
	p.on("2026-03-25") // 1,000 go, and the pan is paid for
	p.want(-200, 0)
}

func TestLatestfReserve(t *testing.T) {
	d := latestfReserveDesign
	latestfHard(t, d)
	latestfSound(t, d, 900000, func(int) int64 { return 0 })
	p := latestfStart(t, d, "2026-01-05")
	p.buy("sofa", 600000, "")
	p.buy("book", 3880, "") // 48.5
	p.buy("chair", 10000, "")
	p.back("chair", 5000)
	p.want(0, 0)
	p.on("2026-01-19")
	p.want(5000+48+62, 4000+39+50)
	p.back("sofa", 200000) // of no effect, 4,000.00 are kept
	p.want(5110, 4089)
	p.back("sofa", 80000) // the reserve has it all
	p.want(4110, 4089)
	p.redeem(4090, false)
	p.redeem(4089, true)
	p.back("sofa", 320000)
	p.want(21-4000, 0)
	p.on("2026-05-05")
	p.want(21-4000, 0)
}

func TestLatestfDesigns(t *testing.T) {
	robust, names := 0, map[string]bool{}
	for _, d := range latestfDesigns {
		if names[d.Name] || !strings.HasPrefix(d.Name, "latest-") || d.Source == "" || d.Published == "" || d.How == "" || len(d.Currency) != 3 {
			t.Errorf("%+v", d)
		}
		names[d.Name] = true
		if d.Class == "robust" {
			robust++
		}
		if (d.Leak == "") != (d.Class == "robust") {
			t.Errorf("%s: leak %q of class %s", d.Name, d.Leak, d.Class)
		}
	}
	if len(names) != 8 || robust != 4 {
		t.Errorf("%d designs, %d of them robust", len(names), robust)
	}
}
