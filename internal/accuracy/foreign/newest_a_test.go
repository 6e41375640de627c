package foreign

import (
	"fmt"
	"math/rand"
	"reflect"
	"sort"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// newestAPlay is one engine with one account, and what it has been seen to pay.
type newestAPlay struct {
	t        *testing.T
	e        Engine
	redeemed int64
	n        int
}

func newestAStart(t *testing.T, d Design, day string) *newestAPlay {
	t.Helper()
	p := &newestAPlay{t: t, e: d.New()}
	p.clock(day)
	p.must(p.e.Open("me"))
	return p
}

func newestADay(day string) time.Time {
	at, err := time.Parse("2006-01-02", day)
	if err != nil {
		panic(err)
	}
	return at.Add(12 * time.Hour)
}

func (p *newestAPlay) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *newestAPlay) clock(day string) {
	p.t.Helper()
	p.must(p.e.SetClock(newestADay(day)))
}

func (p *newestAPlay) buy(id string, amount int64, mcc string) {
	p.t.Helper()
	p.must(p.e.Settle(issuer.Settlement{Account: "me", Transaction: id, Amount: amount, MCC: mcc, Merchant: "m" + mcc}))
	p.check()
}

func (p *newestAPlay) back(id string, amount int64) {
	p.t.Helper()
	p.n++
	p.must(p.e.Refund(issuer.Refund{Account: "me", Refund: fmt.Sprint("r", p.n), Transaction: id, Amount: amount}))
	p.check()
}

func (p *newestAPlay) redeem(amount int64, want bool) {
	p.t.Helper()
	p.n++
	ok, err := p.e.Redeem(issuer.Redemption{Account: "me", Redemption: fmt.Sprint("d", p.n), Amount: amount})
	p.must(err)
	if ok != want {
		p.t.Fatalf("redeem %d: %v", amount, ok)
	}
	if ok {
		p.redeemed += amount
	}
	p.check()
}

// check holds what is true of every engine at any time.
func (p *newestAPlay) check() {
	p.t.Helper()
	b, err := p.e.Balance("me")
	p.must(err)
	var sum, paid int64
	for _, q := range p.e.Postings("me") {
		sum += q.Amount
		switch {
		case q.Kind == Paid:
			paid -= q.Amount
		case q.Kind == Earned && q.Amount <= 0, q.Kind == Reversed && q.Amount >= 0:
			p.t.Fatalf("odd posting %+v", q)
		}
	}
	if sum-p.redeemed != b.Balance {
		p.t.Fatalf("postings %d less redeemed %d are not the balance %d", sum, p.redeemed, b.Balance)
	}
	if b.Redeemable < 0 || b.Redeemable > max(0, b.Balance) {
		p.t.Fatalf("redeemable %d of %d", b.Redeemable, b.Balance)
	}
	if out, err := issuer.PaidOut(p.e, "me"); err != nil || out != paid {
		p.t.Fatalf("paid out %d, posted %d, %v", out, paid, err)
	}
}

// shows compares the balance and what can be redeemed.
func (p *newestAPlay) shows(balance, redeemable int64) {
	p.t.Helper()
	p.check()
	b, err := p.e.Balance("me")
	p.must(err)
	if b.Balance != balance || b.Redeemable != redeemable {
		p.t.Fatalf("balance %d, redeemable %d; want %d, %d", b.Balance, b.Redeemable, balance, redeemable)
	}
}

// value is all that the account ever had of the program.
func (p *newestAPlay) value() int64 {
	b, err := p.e.Balance("me")
	p.must(err)
	out, err := issuer.PaidOut(p.e, "me")
	p.must(err)
	return b.Balance + p.redeemed + out
}

func TestNewestAAnniversary(t *testing.T) {
	p := newestAStart(t, newestAAnniversary, "2024-03-10")
	p.buy("a", 1_500_00, "5812")
	p.shows(0, 0)
	p.clock("2025-03-10")
	// £1,000 at 0.5% and £500 at 1%.
	p.shows(0, 0)
	if out, _ := issuer.PaidOut(p.e, "me"); out != 10_00 {
		t.Fatal(out)
	}
	p.redeem(1, false)
	p.back("a", 600_00)
	p.shows(-5_50, 0) // £900 at 0.5% are £4.50
	p.back("a", 860_00)
	p.shows(-10_00, 0) // £40 earn nothing
	p.buy("b", 200_00, "")
	p.back("b", 60_00)
	p.clock("2026-03-10")
	p.shows(-9_30, 0) // £140 at 0.5% pay 70p of the debt
	p.buy("c", 3_000_00, "")
	p.clock("2030-01-01")
	if out, _ := issuer.PaidOut(p.e, "me"); out != 10_00+25_00-9_30 {
		t.Fatal(out)
	}
	p.shows(0, 0)
	for _, c := range []struct{ halves, want int64 }{{100, 0}, {300, 2}, {500, 2}, {501, 3}} {
		if got := newestAHalfEven(c.halves, 5, 1000); got != c.want {
			t.Fatal(c, got)
		}
	}
}

func TestNewestATopMonth(t *testing.T) {
	p := newestAStart(t, newestATopMonth, "2025-01-05")
	p.buy("food", 500_00, "5411")
	p.buy("fuel", 450_00, "5541")
	p.shows(0, 0)
	p.clock("2025-02-03")
	p.shows(25_50, 25_50) // 950 at 1% and 400 at 4% more
	p.redeem(20_00, true)
	p.back("food", 400_00)
	// Fuel becomes the top category: 550 at 1%, 400 at 4% more. The 4.00 are held
	// back at once and posted in March.
	p.shows(5_50, 1_50)
	p.back("fuel", 450_00)
	p.back("food", 100_00)
	p.shows(5_50, 0)
	p.redeem(1, false)
	p.clock("2025-03-02")
	p.shows(-20_00, 0)
	p.buy("x", 1_000_00, "9999")
	p.clock("2025-04-02")
	p.shows(-10_00, 0)
	p.clock("2026-04-02")
	p.shows(-10_00, 0)
}

func TestNewestAStamps(t *testing.T) {
	p := newestAStart(t, newestAStamps, "2025-01-06") // a Monday
	p.buy("a", 31_00, "")
	p.shows(0, 0)
	p.clock("2025-01-21") // a Tuesday
	p.shows(1_50, 0)
	p.back("a", 10_00)
	p.shows(1_00, 0)
	p.buy("b", 129_99, "")
	p.clock("2025-02-10")
	p.shows(1_00+12_00, 10_00)
	p.redeem(9_00, false)
	p.redeem(10_00, true)
	p.clock("2025-04-19")
	p.shows(3_00, 0)
	p.clock("2025-04-20") // 104 days: 21.00 and 129.99 make 150.99
	p.shows(3_00+5_00, 5_00)
	p.redeem(5_00, true)
	p.back("b", 1_00)
	p.shows(3_00-5_00-1_00+1_00-1_00+1_00, 0) // 128.99 has the same 12 tens, the sum is 149.99
}

func TestNewestAStampsReplay(t *testing.T) {
	p := newestAStart(t, newestAStamps, "2025-01-06")
	newestARandom(t, rand.New(rand.NewSource(5)), newestAStamps, p, newestATrouble{redeem: true, late: true, anyDelay: true})
	a := p.e.(*newestASheets).files["me"]
	if b := a.replay(); !reflect.DeepEqual(a, b) {
		t.Fatal("the journal says something else than its reader")
	}
}

func TestNewestAMeterPlain(t *testing.T) {
	p := newestAStart(t, newestAMeter, "2025-01-10")
	p.buy("a", 400_50, "5411")
	p.shows(20_02, 20_02) // 2002.5 points
	p.buy("b", 100_00, "9999")
	p.shows(21_02, 21_02)
	p.redeem(21_02, true)
	p.clock("2025-02-10")
	p.back("a", 100_25)
	p.shows(-5_02, 0)
	p.back("a", 500_00)
	p.shows(-20_02, 0)
	p.buy("c", 1_100_00, "5812")
	p.shows(-20_02+50_00+2_00, 31_98)
}

func TestNewestAMeterLeak(t *testing.T) {
	p := newestAStart(t, newestAMeter, "2025-01-10")
	p.buy("food", 400_00, "5411")
	p.redeem(20_00, true)
	p.clock("2025-02-10")
	p.buy("bill", 1_100_00, "4900")
	p.shows(11_00, 11_00)
	p.back("food", 400_00)
	p.shows(3_00, 3_00)
	if gain := p.value() - 11_00; gain != 12_00 {
		t.Fatal(gain)
	}
	q := newestAStart(t, newestAMeter, "2025-01-10")
	q.buy("food", 400_00, "5411")
	q.clock("2025-03-10")
	q.back("food", 400_00)
	q.shows(0, 0)
	// A purchase that passed the mark by itself loses its share, not more.
	q.buy("feast", 1_200_00, "5812")
	q.shows(54_00, 54_00)
	q.clock("2025-04-10")
	q.back("feast", 600_00)
	q.shows(27_00, 27_00)
	q.back("feast", 600_00)
	q.shows(0, 0)
}

func TestNewestALotsPlain(t *testing.T) {
	p := newestAStart(t, newestALots, "2025-01-10")
	p.buy("a", 1_000_00, "")
	p.buy("b", 33, "")
	p.shows(15_00, 15_00)
	p.redeem(14_99, true)
	p.clock("2025-08-10")
	// A cent is left in the lot: all is on file.
	p.back("a", 500_00)
	p.shows(-7_49, 0)
	p.buy("c", 1_000_00, "")
	p.shows(7_51, 7_51)
	p.back("c", 2_000_00)
	p.shows(-7_49, 0)
}

func TestNewestALotsLeak(t *testing.T) {
	for _, c := range []struct {
		redeem bool
		day    string
		want   int64
	}{
		{true, "2025-04-02", 15_00},
		{false, "2025-04-02", 0},
		{true, "2025-02-28", 0},
		{true, "2025-03-31", 0},
	} {
		p := newestAStart(t, newestALots, "2025-01-10")
		p.buy("a", 1_000_00, "")
		if c.redeem {
			p.redeem(15_00, true)
		}
		p.clock(c.day)
		p.back("a", 1_000_00)
		p.buy("a", 1_000_00, "") // delivered again
		if got := p.value(); got != c.want {
			t.Fatal(c, got)
		}
	}
}

func TestNewestAQuarterPlain(t *testing.T) {
	p := newestAStart(t, newestAQuarter, "2025-01-10")
	p.buy("a", 500_00, "5411")
	p.buy("b", 500_00, "5541")
	p.buy("c", 500_00, "5812")
	p.back("c", 100_00)
	p.clock("2025-01-12")
	p.shows(0, 0)
	p.clock("2025-01-13")
	p.shows(25_00+5_00+4_00+4_00, 38_00)
	p.redeem(38_00, true)
	p.back("a", 200_00)
	p.shows(-10_00, 0)
	p.buy("d", 300_00, "5411")
	p.clock("2025-01-20")
	p.shows(-10_00+10_00+1_00, 1_00)
	p.clock("2025-07-20")
	p.back("a", 300_00)
	p.back("b", 500_00)
	p.back("c", 500_00)
	p.shows(1_00-15_00-9_00-4_00, 0)
}

func TestNewestAQuarterLeak(t *testing.T) {
	p := newestAStart(t, newestAQuarter, "2024-12-20")
	p.buy("fuel", 600_00, "5541")
	p.clock("2024-12-31")
	p.redeem(30_00, true)
	p.clock("2025-01-02")
	p.back("fuel", 600_00)
	p.shows(-30_00, 0)
	p.buy("food", 1_200_00, "5411")
	p.clock("2025-01-10")
	if got := p.value(); got != 60_00 {
		t.Fatal(got)
	}
	q := newestAStart(t, newestAQuarter, "2025-01-02")
	q.buy("food", 1_200_00, "5411")
	q.clock("2025-01-10")
	if got := q.value(); got != 36_00 {
		t.Fatal(got)
	}
}

// newestATrouble says what a random history may contain.
type newestATrouble struct {
	redeem, late bool
	anyDelay     bool  // returns up to 400 days after their purchase
	most         int64 // of a purchase, in minor units
	purchases    int
}

type newestAEvent struct {
	at time.Time
	do func()
}

// newestARandom plays a random history and returns the value at its end and that of the
// same history without what was returned.
func newestARandom(t *testing.T, rnd *rand.Rand, d Design, p *newestAPlay, o newestATrouble) (dirty, clean int64) {
	t.Helper()
	if o.most == 0 {
		o.most = 700_00
	}
	if o.purchases == 0 {
		o.purchases = 40
	}
	start := newestADay("2025-01-06")
	q := newestAStart(t, d, "2025-01-06")
	mccs := []string{"5411", "5541", "5812", "9999", ""}
	var events, cleans []newestAEvent
	add := func(at time.Time, do func()) { events = append(events, newestAEvent{at, do}) }
	for i := range o.purchases {
		at := start.Add(time.Duration(rnd.Int63n(int64(700 * 24 * time.Hour))))
		s := issuer.Settlement{
			Account: "me", Transaction: fmt.Sprint("t", i), Amount: 1 + rnd.Int63n(o.most),
			MCC: mccs[rnd.Intn(len(mccs))], Merchant: fmt.Sprint("m", rnd.Intn(4)), At: at,
		}
		if rnd.Intn(6) == 0 {
			s.Amount = 10_00 * (1 + rnd.Int63n(30))
		}
		delivered := at
		if o.late && rnd.Intn(4) == 0 {
			delivered = at.Add(time.Duration(rnd.Int63n(int64(50 * 24 * time.Hour))))
		}
		settle := func() { p.must(p.e.Settle(s)) }
		add(delivered, settle)
		if rnd.Intn(5) == 0 {
			add(delivered.Add(time.Duration(rnd.Int63n(int64(200*24*time.Hour)))), settle)
		}
		left := s.Amount
		for part := 0; rnd.Intn(5) < 3 && part < 4; part++ {
			amount := 1 + rnd.Int63n(s.Amount)
			if rnd.Intn(2) == 0 {
				amount = left + rnd.Int63n(3)
			}
			when := at.Add(time.Duration(rnd.Int63n(int64(400 * 24 * time.Hour))))
			if !o.anyDelay {
				when = at.Add(time.Duration(rnd.Int63n(int64(24 * time.Hour))))
			}
			id := fmt.Sprint("t", i, "part", part)
			var back func()
			switch rnd.Intn(4) {
			case 0:
				c := issuer.Chargeback{Account: "me", Chargeback: id, Transaction: s.Transaction, Amount: amount}
				if amount >= left {
					c.Amount = s.Amount // as good as all of it, in any order
				}
				back = func() { p.must(p.e.Chargeback(c)) }
			default:
				r := issuer.Refund{Account: "me", Refund: id, Transaction: s.Transaction, Amount: amount, Merchant: s.Merchant}
				back = func() { p.must(p.e.Refund(r)) }
			}
			left = max(0, left-amount)
			add(when, back)
			if rnd.Intn(3) == 0 {
				add(when.Add(time.Duration(rnd.Int63n(int64(30*24*time.Hour)))), back)
			}
		}
		if left > 0 {
			n := s
			n.Amount = left
			cleans = append(cleans, newestAEvent{delivered, func() { q.must(q.e.Settle(n)) }})
		}
	}
	if o.redeem {
		for i := range 20 {
			id := fmt.Sprint("red", i)
			share := 1 + rnd.Int63n(4)
			add(start.Add(time.Duration(rnd.Int63n(int64(900*24*time.Hour)))), func() {
				b, _ := p.e.Balance("me")
				amount := b.Redeemable
				if share > 2 {
					amount = amount / 2 / 500 * 500
				}
				ok, err := p.e.Redeem(issuer.Redemption{Account: "me", Redemption: id, Amount: amount})
				p.must(err)
				if ok != (amount > 0) {
					t.Fatalf("redeem %d of %d: %v", amount, b.Redeemable, ok)
				}
				if ok {
					p.redeemed += amount
				}
				again, err := p.e.Redeem(issuer.Redemption{Account: "me", Redemption: id, Amount: amount})
				p.must(err)
				if again != ok {
					t.Fatalf("the same redemption has another answer")
				}
			})
		}
	}
	play := func(p *newestAPlay, events []newestAEvent) {
		sort.SliceStable(events, func(i, j int) bool { return events[i].at.Before(events[j].at) })
		for _, e := range events {
			p.must(p.e.SetClock(e.at))
			e.do()
			p.check()
		}
		p.clock("2030-02-01")
		p.check()
	}
	play(p, events)
	play(q, cleans)
	return p.value(), q.value()
}

func TestNewestASoundOnRandomHistories(t *testing.T) {
	for _, d := range newestADesigns {
		if d.Class != "robust" {
			continue
		}
		for seed := range int64(150) {
			p := newestAStart(t, d, "2025-01-06")
			dirty, clean := newestARandom(t, rand.New(rand.NewSource(seed)), d, p,
				newestATrouble{redeem: true, late: true, anyDelay: true})
			if dirty != clean {
				t.Fatalf("%s, seed %d: %d with returns, %d without", d.Name, seed, dirty, clean)
			}
		}
	}
}

// The flawed ones are exact where their flaw has no part in it, so that what is measured
// of them is the flaw.
func TestNewestAFlawedOnHarmlessHistories(t *testing.T) {
	for seed := range int64(100) {
		for _, c := range []struct {
			d     Design
			o     newestATrouble
			cents int64 // a purchase
		}{
			{newestALots, newestATrouble{late: true, anyDelay: true}, 0},
			{newestALots, newestATrouble{redeem: true, anyDelay: false}, 0},
			{newestAMeter, newestATrouble{redeem: true, late: true, anyDelay: true, most: 30_00}, 1},
			{newestAQuarter, newestATrouble{redeem: true, late: true, anyDelay: true, most: 30_00}, 1},
		} {
			p := newestAStart(t, c.d, "2025-01-06")
			dirty, clean := newestARandom(t, rand.New(rand.NewSource(seed)), c.d, p, c.o)
			if diff := dirty - clean; diff > 40*c.cents || -diff > 40*c.cents {
				t.Fatalf("%s, seed %d: %d with returns, %d without", c.d.Name, seed, dirty, clean)
			}
		}
	}
}

// A return that named no purchase may have been booked on the wrong one. When that one
// comes back too, by its name, both have to be gone.
func TestNewestAWrongGuess(t *testing.T) {
	for _, d := range newestADesigns {
		for _, all := range []bool{false, true} {
			p := newestAStart(t, d, "2025-01-06")
			p.buy("a", 200_00, "5411")
			p.clock("2025-01-08")
			p.buy("b", 200_00, "5411")
			p.clock("2025-02-08")
			p.must(p.e.Refund(issuer.Refund{Account: "me", Refund: "loose", Amount: 200_00, Merchant: "m5411"}))
			if all {
				p.must(p.e.Chargeback(issuer.Chargeback{Account: "me", Chargeback: "c", Transaction: "b"}))
			} else {
				p.back("b", 120_00)
				p.back("b", 90_00)
			}
			p.clock("2026-06-08")
			p.check()
			if v := p.value(); v != 0 {
				t.Fatal(d.Name, all, v)
			}
		}
	}
}

// TestNewestAOddCalls has every engine take what a port can deliver at its worst.
func TestNewestAOddCalls(t *testing.T) {
	for _, d := range newestADesigns {
		t.Run(d.Name, func(t *testing.T) {
			e := d.New()
			if e.Settle(issuer.Settlement{Account: "me", Transaction: "a", Amount: 1}) == nil ||
				e.Refund(issuer.Refund{Account: "me", Refund: "a", Amount: 1}) == nil ||
				e.Chargeback(issuer.Chargeback{Account: "me", Chargeback: "a", Transaction: "a"}) == nil ||
				e.CloseStatement("me") == nil {
				t.Fatal("an unknown account has to be an error")
			}
			if _, err := e.Balance("me"); err == nil {
				t.Fatal("an unknown account has to be an error")
			}
			if _, err := e.Redeem(issuer.Redemption{Account: "me", Redemption: "a", Amount: 1}); err == nil {
				t.Fatal("an unknown account has to be an error")
			}
			if e.Postings("me") != nil {
				t.Fatal("an unknown account has no postings")
			}
			p := &newestAPlay{t: t, e: e}
			p.must(e.Open("me"))
			if e.Open("me") == nil {
				t.Fatal("opened twice")
			}
			// All of this is before the clock is set for the first time.
			p.buy("dated", 100_00, "5411")
			p.must(e.Refund(issuer.Refund{Account: "me", Refund: "early", Transaction: "later", Amount: 500_00}))
			p.must(e.Refund(issuer.Refund{Account: "me", Refund: "loose", Amount: 150_00, Merchant: "nobody"}))
			p.must(e.Chargeback(issuer.Chargeback{Account: "me", Chargeback: "all", Transaction: "later"}))
			p.check()
			p.clock("2025-03-01")
			p.buy("later", 400_00, "5411")
			p.buy("next", 50_00, "5411") // the rest of the loose refund is for it
			p.buy("zero", 0, "")
			p.back("zero", 10)
			p.redeem(0, false)
			p.redeem(-5, false)
			p.clock("2027-03-01")
			p.clock("2027-03-01")
			if e.SetClock(newestADay("2027-02-28")) == nil {
				t.Fatal("the clock went back")
			}
			p.shows(0, 0)
			if v := p.value(); v != 0 {
				t.Fatal("all was returned, and worth", v)
			}
			p.must(e.Refund(issuer.Refund{Account: "me", Refund: "huge", Amount: 1<<63 - 1}))
			p.must(e.CloseStatement("me"))
			if e.Settle(issuer.Settlement{Account: "me", Transaction: "huge", Amount: 1<<63 - 1}) == nil ||
				e.Settle(issuer.Settlement{Account: "me", Transaction: "minus", Amount: -1}) == nil ||
				e.Refund(issuer.Refund{Account: "me", Refund: "minus", Amount: -1}) == nil {
				t.Fatal("an amount that cannot be has to be an error")
			}
			p.check()
		})
	}
}
