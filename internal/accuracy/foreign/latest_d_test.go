package foreign

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// latestDPlay plays a history at an engine and stops the test at the first mistake.
type latestDPlay struct {
	t        *testing.T
	e        Engine
	redeemed int64
}

func latestDDay(s string) time.Time {
	t, err := time.Parse("2006-01-02", s)
	if err != nil {
		panic(err)
	}
	return t
}

func latestDStart(t *testing.T, d Design, day string) *latestDPlay {
	p := &latestDPlay{t: t, e: d.New()}
	p.clock(day)
	p.must(p.e.Open("a"))
	return p
}

func (p *latestDPlay) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *latestDPlay) clock(day string) {
	p.t.Helper()
	p.must(p.e.SetClock(latestDDay(day)))
}

func (p *latestDPlay) buy(id string, amount int64, mcc string) {
	p.t.Helper()
	p.must(p.e.Settle(issuer.Settlement{Account: "a", Transaction: id, Amount: amount, Merchant: "m" + mcc, MCC: mcc}))
}

func (p *latestDPlay) refund(id, transaction string, amount int64) {
	p.t.Helper()
	p.must(p.e.Refund(issuer.Refund{Account: "a", Refund: id, Transaction: transaction, Amount: amount}))
}

// shows checks the balance and what can be redeemed.
func (p *latestDPlay) shows(balance, redeemable int64) {
	p.t.Helper()
	b, err := p.e.Balance("a")
	p.must(err)
	if b.Balance != balance || b.Redeemable != redeemable {
		p.t.Fatalf("shows %d, %d redeemable; want %d, %d; books %+v", b.Balance, b.Redeemable, balance, redeemable, p.e.Postings("a"))
	}
	p.books()
}

// books checks that the postings less the redemptions are the balance.
func (p *latestDPlay) books() {
	p.t.Helper()
	b, err := p.e.Balance("a")
	p.must(err)
	sum := -p.redeemed
	for _, x := range p.e.Postings("a") {
		sum += x.Amount
	}
	if sum != b.Balance {
		p.t.Fatalf("the books say %d, the balance %d", sum, b.Balance)
	}
}

func (p *latestDPlay) redeem(id string, amount int64, want bool) {
	p.t.Helper()
	ok, err := p.e.Redeem(issuer.Redemption{Account: "a", Redemption: id, Amount: amount})
	p.must(err)
	if ok != want {
		p.t.Fatalf("redeem %s: %v", id, ok)
	}
	if ok {
		p.redeemed += amount
	}
}

// gain is what the cardholder has had in all, taken out or not.
func (p *latestDPlay) gain() int64 {
	p.t.Helper()
	b, err := p.e.Balance("a")
	p.must(err)
	out, err := issuer.PaidOut(p.e, "a")
	p.must(err)
	return b.Balance + p.redeemed + out
}

// latestDMove is one fact of a random history.
type latestDMove struct {
	at         time.Time // when it is delivered
	settle     *issuer.Settlement
	refund     *issuer.Refund
	chargeback *issuer.Chargeback
	redeem     bool
}

// latestDHistory makes up purchases and returns, and the same purchases without what was
// returned.
func latestDHistory(r *rand.Rand) (with, without []latestDMove) {
	start := latestDDay("2025-01-06")
	mccs := []string{"5411", "5812", "5541", "5999", "4511", "5964"}
	for i := range 10 + r.Intn(25) {
		at := start.Add(time.Duration(r.Intn(500*24*60)) * time.Minute)
		mcc := mccs[r.Intn(len(mccs))]
		amount := int64(1 + r.Intn(60_000))
		if r.Intn(4) == 0 {
			amount *= 5
		}
		s := issuer.Settlement{Account: "a", Transaction: fmt.Sprint("t", i), Amount: amount, Merchant: "m" + mcc, MCC: mcc, At: at}
		with = append(with, latestDMove{at: at.Add(time.Duration(r.Intn(3*24)) * time.Hour), settle: &s})
		if r.Intn(5) == 0 {
			with = append(with, latestDMove{at: at.AddDate(0, 0, r.Intn(60)), settle: &s})
		}
		left := amount
		if r.Intn(2) == 0 {
			for k := range 1 + r.Intn(7) {
				back := at.Add(time.Duration(r.Intn(400*24)) * time.Hour)
				part := 1 + r.Int63n(amount)
				if r.Intn(3) == 0 {
					part = amount
				}
				if r.Intn(5) == 0 {
					with = append(with, latestDMove{at: back, chargeback: &issuer.Chargeback{Account: "a",
						Chargeback: fmt.Sprint("c", i, ".", k), Transaction: s.Transaction, Amount: part, At: back}})
				} else {
					f := &issuer.Refund{Account: "a", Refund: fmt.Sprint("r", i, ".", k), Transaction: s.Transaction, Amount: part, At: back}
					with = append(with, latestDMove{at: back, refund: f})
					if r.Intn(4) == 0 {
						with = append(with, latestDMove{at: back.AddDate(0, 0, 5), refund: f})
					}
				}
				left = max(0, left-part)
			}
		}
		if left > 0 {
			kept := s
			kept.Amount = left
			without = append(without, latestDMove{at: at, settle: &kept})
		}
		if r.Intn(2) == 0 {
			with = append(with, latestDMove{at: at.AddDate(0, 0, r.Intn(200)), redeem: true})
		}
	}
	return with, without
}

func latestDSortMoves(m []latestDMove) {
	for i := 1; i < len(m); i++ {
		for j := i; j > 0 && m[j].at.Before(m[j-1].at); j-- {
			m[j], m[j-1] = m[j-1], m[j]
		}
	}
}

// deliver plays moves by their time and lets three years pass.
func (p *latestDPlay) deliver(moves []latestDMove) {
	p.t.Helper()
	latestDSortMoves(moves)
	month := 0
	step := func(at time.Time) {
		p.must(p.e.SetClock(at))
		if m := at.Year()*12 + int(at.Month()); m != month {
			month = m
			p.must(p.e.CloseStatement("a"))
		}
	}
	for i, m := range moves {
		step(m.at)
		switch {
		case m.settle != nil:
			p.must(p.e.Settle(*m.settle))
		case m.refund != nil:
			p.must(p.e.Refund(*m.refund))
		case m.chargeback != nil:
			p.must(p.e.Chargeback(*m.chargeback))
		case m.redeem:
			b, err := p.e.Balance("a")
			p.must(err)
			p.redeem(fmt.Sprint("all", i), b.Redeemable+1, false)
			p.redeem(fmt.Sprint("p", i), b.Redeemable, b.Redeemable > 0)
		}
		p.books()
	}
	for i := range 12 {
		step(latestDDay("2027-10-01").AddDate(0, i, 0))
	}
}

// latestDEndsMeet checks that returns leave what would be without the purchases.
func latestDEndsMeet(t *testing.T, d Design) {
	t.Helper()
	for seed := range 300 {
		r := rand.New(rand.NewSource(int64(seed)))
		with, without := latestDHistory(r)
		for i := range with {
			// Some purchases come long after they were made, and after their returns.
			if with[i].settle != nil && r.Intn(8) == 0 {
				with[i].at = with[i].at.AddDate(0, 0, r.Intn(200))
			}
		}
		a := latestDStart(t, d, "2025-01-05")
		a.deliver(with)
		b := latestDStart(t, d, "2025-01-05")
		b.deliver(without)
		if a.gain() != b.gain() {
			t.Fatalf("seed %d: %d with returns, %d without", seed, a.gain(), b.gain())
		}
	}
}

// latestDStrayFacts delivers what hardly ever happens and expects no more than an answer.
func latestDStrayFacts(t *testing.T, d Design) {
	t.Helper()
	e := d.New()
	if e.Settle(issuer.Settlement{Account: "x", Transaction: "t", Amount: 1}) == nil ||
		e.Refund(issuer.Refund{Account: "x", Refund: "r"}) == nil ||
		e.Chargeback(issuer.Chargeback{Account: "x", Chargeback: "c", Transaction: "t"}) == nil ||
		e.CloseStatement("x") == nil {
		t.Fatal("an unknown account is an error")
	}
	if _, err := e.Balance("x"); err == nil {
		t.Fatal("an unknown account is an error")
	}
	if _, err := e.Redeem(issuer.Redemption{Account: "x", Redemption: "p", Amount: 1}); err == nil {
		t.Fatal("an unknown account is an error")
	}
	p := &latestDPlay{t: t, e: e}
	p.must(e.Open("a")) // before the clock was ever set
	p.buy("early", 10_000, "5812")
	p.clock("2026-01-01")
	p.redeem("zero", 0, false)
	p.redeem("less", -5, false)
	p.refund("before", "later", 7_000)
	p.refund("loose", "", 50_000)
	p.must(e.Chargeback(issuer.Chargeback{Account: "a", Chargeback: "c", Transaction: "later2"}))
	p.buy("later", 5_000, "5411")
	p.buy("later2", 5_000, "5411")
	p.clock("2026-01-02")
	p.refund("much", "early", 1_000_000)
	p.clock("2028-06-01")
	p.must(e.CloseStatement("a"))
	if g := p.gain(); g != 0 {
		t.Fatalf("all was returned, and %d are left: %+v", g, e.Postings("a"))
	}
	// Without a name of its purchase a refund finds it just as well.
	p.buy("last", 20_000, "5411")
	p.must(e.Refund(issuer.Refund{Account: "a", Refund: "loose2", Amount: 20_000, Merchant: "m5411"}))
	p.clock("2030-01-01")
	p.must(e.CloseStatement("a"))
	if g := p.gain(); g != 0 {
		t.Fatalf("all was returned, and %d are left", g)
	}
	p.books()
}

func TestLatestDList(t *testing.T) {
	for _, d := range latestDDesigns {
		t.Run(d.Name, func(t *testing.T) {
			latestDStrayFacts(t, d)
			if d.Class == "robust" {
				latestDEndsMeet(t, d)
			}
			if (d.Class == "robust") != (d.Leak == "") {
				t.Fatal("the class and the leak do not go together")
			}
		})
	}
}

func TestLatestDCertificate(t *testing.T) {
	p := latestDStart(t, latestDCertDesign(), "2025-01-01")
	p.buy("eat", 250_000, "5812")  // 2,000 at 2%, 500 with the rest
	p.buy("sofa", 400_000, "5712") // the rest is 4,500: 7.50 and 15.00
	p.clock("2026-02-28")
	p.shows(0, 0)
	p.clock("2026-03-01")
	p.shows(6_250, 6_250)
	p.redeem("p", 6_250, true)
	p.redeem("p", 6_250, true)
	p.redeemed -= 6_250 // the second was the first
	p.clock("2026-05-01")
	p.refund("r", "sofa", 300_000) // the rest is 1,500: 3.75
	p.shows(4_375-6_250, 0)
	p.refund("r", "sofa", 300_000)
	p.shows(4_375-6_250, 0)
	p.buy("more", 500_000, "5712") // 7.50 and 20.00
	p.clock("2027-04-01")
	p.shows(4_375-6_250+2_750, 875)
}

func TestLatestDClimbLeak(t *testing.T) {
	p := latestDStart(t, latestDClimbDesign(), "2025-01-01")
	p.buy("first", 600_000, "5712")
	p.shows(5_000, 5_000)
	p.buy("kept", 500_000, "5712")
	p.shows(15_000, 15_000)
	p.redeem("p", 15_000, true)
	p.clock("2025-02-01")
	p.refund("r", "first", 600_000)
	p.shows(-5_000, 0)
	if p.gain() != 10_000 {
		t.Fatal(p.gain())
	}
	// What is promised for 5,000.00.
	q := latestDStart(t, latestDClimbDesign(), "2025-01-01")
	q.buy("kept", 500_000, "5712")
	q.shows(4_000, 4_000)
	// A new card year starts at the first step, and a purchase across steps earns by parts.
	q.clock("2026-01-01")
	q.buy("x", 300_000, "5712")
	q.shows(4_000+1_000+1_000, 6_000)
	q.refund("rx", "x", 150_000)
	q.shows(4_000+750, 4_750)
}

func TestLatestDPoints(t *testing.T) {
	p := latestDStart(t, latestDPointsDesign(), "2025-01-01") // a Wednesday
	p.buy("food", 100_099, "5411")
	p.clock("2025-01-07") // a Tuesday
	p.buy("tv", 50_000, "5732")
	p.clock("2025-01-14")
	p.shows(0, 0)
	p.clock("2025-01-15")
	p.shows(3_000, 3_000)
	p.clock("2025-05-01")
	p.shows(19_000, 19_000)
	// All but 10.99 of the food goes back: 2,970 points and the welcome.
	p.redeem("p", 4_000, true)
	p.refund("r", "food", 99_000)
	p.shows(15_000, 0)
	p.clock("2025-05-31")
	p.shows(15_000-5_990, 0)
	p.redeem("q", 1, false)
	p.clock("2025-09-01")
	p.shows(1_000+30-4_000, 0)
	must := issuer.Chargeback{Account: "a", Chargeback: "c", Transaction: "tv"}
	p.must(p.e.Chargeback(must))
	p.shows(30-4_000, 0)
}

func TestLatestDCutLeak(t *testing.T) {
	for day, want := range map[string]int64{
		"2025-01-02": 0, "2025-01-23": 0, "2025-01-25": 6_000, "2025-01-27": 6_000, "2025-01-29": 0, "2026-01-30": 0,
	} {
		p := latestDStart(t, latestDCutDesign(), "2025-01-01")
		p.buy("hotel", 200_000, "7011")
		p.clock(day)
		p.refund("r", "hotel", 200_000)
		p.clock("2026-02-28")
		p.shows(want, want)
	}
	p := latestDStart(t, latestDCutDesign(), "2025-01-01")
	p.buy("hotel", 200_000, "7011")
	p.clock("2025-02-01")
	p.shows(6_000, 6_000)
	p.redeem("p", 6_000, true)
	p.refund("r", "hotel", 50_000)
	p.shows(-1_500, 0)
}

func TestLatestDMonth(t *testing.T) {
	p := latestDStart(t, latestDMonthDesign(), "2025-01-01")
	p.buy("meal", 60_000, "5812") // 36.00
	p.buy("fuel", 10_000, "5541") // 5.00
	p.buy("misc", 20_000, "5999") // 0.50
	p.clock("2025-02-09")
	p.shows(0, 0)
	p.clock("2025-02-10")
	p.shows(0, 0) // 41.50 are paid out
	if p.gain() != 4_150 {
		t.Fatal(p.gain())
	}
	p.buy("small", 100_000, "5999") // 2.50, credited in March
	p.clock("2025-03-15")
	p.shows(250, 250)
	// 800.00 are left with 100.00 off the meals; nothing is entered before April, but 6.00
	// more than the balance are not there to be redeemed.
	p.refund("r1", "meal", 10_000)
	p.shows(250, 0)
	p.redeem("p", 1, false)
	p.clock("2025-04-10")
	p.shows(250-600, 0)
	// Another 0.01 closes the better rates: 799.99 earn 2.00.
	p.refund("r2", "meal", 1)
	p.clock("2025-05-10")
	p.shows(250-4_150+200, 0)
	p.buy("feast", 300_000, "5812") // 180.00, at most 80.00
	p.clock("2025-06-10")
	p.shows(0, 0)
	if p.gain() != 250+200+8_000 {
		t.Fatal(p.gain())
	}
}

func TestLatestDSlotsLeak(t *testing.T) {
	p := latestDStart(t, latestDSlotsDesign(), "2025-01-01")
	p.buy("order", 50_000, "5964")
	p.shows(0, 0)
	p.clock("2025-02-01")
	p.must(p.e.CloseStatement("a"))
	p.shows(1_500, 1_500)
	p.redeem("p", 1_500, true)
	for i := range 10 {
		p.refund("r"+string(rune('0'+i)), "order", 5_000)
		p.shows(max(-600, -150*int64(i+1)), 0)
	}
	if p.gain() != 900 {
		t.Fatal(p.gain())
	}
	q := latestDStart(t, latestDSlotsDesign(), "2025-01-01")
	q.buy("order", 50_000, "5964")
	q.must(q.e.CloseStatement("a"))
	q.refund("big", "order", 49_000)
	q.shows(30, 30)
	for i := range 3 {
		q.refund("s"+string(rune('0'+i)), "order", 200)
	}
	q.shows(12, 12)
	q.refund("s3", "order", 200)
	q.shows(1_476, 1_476)
	// Four parts are all right.
	r := latestDStart(t, latestDSlotsDesign(), "2025-01-01")
	r.buy("order", 50_000, "5964")
	r.must(r.e.CloseStatement("a"))
	for i := range 4 {
		r.refund("r"+string(rune('0'+i)), "order", 12_500)
	}
	r.shows(0, 0)
}

// TestLatestDFlawedElsewhere looks whether the flawed ones leak by nothing but their flaw.
func TestLatestDFlawedElsewhere(t *testing.T) {
	spared := func(d Design, flaw func([]latestDMove) bool) {
		plain, leaks := 0, 0
		for seed := range 600 {
			with, without := latestDHistory(rand.New(rand.NewSource(int64(seed))))
			a := latestDStart(t, d, "2025-01-05")
			a.deliver(with)
			b := latestDStart(t, d, "2025-01-05")
			b.deliver(without)
			if flaw(with) {
				if a.gain() != b.gain() {
					leaks++
				}
				continue
			}
			plain++
			if a.gain() != b.gain() {
				t.Fatalf("%s, seed %d: %d with returns, %d without", d.Name, seed, a.gain(), b.gain())
			}
		}
		if plain == 0 || leaks == 0 {
			t.Fatalf("%s: %d plain histories, %d leaks", d.Name, plain, leaks)
		}
		t.Log(d.Name, plain, leaks)
	}
	spared(latestDSlotsDesign(), func(m []latestDMove) bool {
		seen, parts := map[string]bool{}, map[string]int{}
		for _, x := range m {
			if x.refund != nil && !seen[x.refund.Refund] {
				seen[x.refund.Refund] = true
				if parts[x.refund.Transaction]++; parts[x.refund.Transaction] > latestDSlotsRoom {
					return true
				}
			}
		}
		return false
	})
	spared(latestDCutDesign(), func(m []latestDMove) bool {
		// Some return is at an age and on a day of the week between cut and entry.
		bought := map[string]time.Time{}
		for _, x := range m {
			if x.settle != nil {
				bought[x.settle.Transaction] = x.settle.At
			}
		}
		for _, x := range m {
			var id string
			switch {
			case x.refund != nil:
				id = x.refund.Transaction
			case x.chargeback != nil:
				id = x.chargeback.Transaction
			default:
				continue
			}
			cut := bought[id].Add(latestDCutAge)
			for cut = time.Date(cut.Year(), cut.Month(), cut.Day(), latestDCutHour, 0, 0, 0, time.UTC); cut.Weekday() != time.Friday ||
				cut.Before(bought[id].Add(latestDCutAge)); cut = cut.AddDate(0, 0, 1) {
			}
			if !x.at.Before(cut) && x.at.Before(cut.Add(latestDCutEntry)) {
				return true
			}
		}
		return false
	})
}

// TestLatestDClimbAlone: where nothing is bought after what comes back, all is well.
func TestLatestDClimbAlone(t *testing.T) {
	for seed := range 100 {
		r := rand.New(rand.NewSource(int64(seed)))
		p, q := latestDStart(t, latestDClimbDesign(), "2025-03-01"), latestDStart(t, latestDClimbDesign(), "2025-03-01")
		for i := range 5 {
			n := 1 + r.Int63n(300_000)
			p.buy(fmt.Sprint("t", i), n, "5999")
			q.buy(fmt.Sprint("t", i), n, "5999")
		}
		last := 1 + r.Int63n(700_000)
		p.buy("last", last, "5999")
		p.clock("2026-03-20")
		left := last
		for i := range 9 {
			n := 1 + r.Int63n(last)
			p.refund(fmt.Sprint("r", i), "last", n)
			left = max(0, left-n)
		}
		if left > 0 {
			q.buy("last", left, "5999")
		}
		if p.gain() != q.gain() {
			t.Fatalf("seed %d: %d, %d", seed, p.gain(), q.gain())
		}
	}
}
