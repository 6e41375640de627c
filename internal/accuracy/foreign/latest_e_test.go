package foreign

import (
	"fmt"
	"math/rand"
	"sort"
	"testing"
	"time"

	"recoup/internal/issuer"
)

const latestEName = "acc"

// latestEPlay drives an engine by day numbers of 2025 and fails the test on any error.
type latestEPlay struct {
	t        *testing.T
	e        Engine
	redeemed int64
	facts    int
}

func latestEDay(month time.Month, day int) time.Time {
	return time.Date(2025, month, day, 12, 0, 0, 0, time.UTC)
}

func latestEStart(t *testing.T, d Design) *latestEPlay {
	t.Helper()
	p := &latestEPlay{t: t, e: d.New()}
	p.clock(latestEDay(1, 5))
	p.must(p.e.Open(latestEName))
	return p
}

func (p *latestEPlay) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *latestEPlay) clock(at time.Time) { p.t.Helper(); p.must(p.e.SetClock(at)) }

func (p *latestEPlay) buy(id, mcc string, amount int64) {
	p.t.Helper()
	s := issuer.Settlement{Account: latestEName, Transaction: id, Amount: amount, MCC: mcc, Merchant: "m" + mcc}
	p.must(p.e.Settle(s))
	p.must(p.e.Settle(s))
}

func (p *latestEPlay) back(id string, amount int64) {
	p.t.Helper()
	p.facts++
	r := issuer.Refund{Account: latestEName, Refund: fmt.Sprint("r", p.facts), Transaction: id, Amount: amount}
	p.must(p.e.Refund(r))
	p.must(p.e.Refund(r))
}

func (p *latestEPlay) redeem(amount int64) bool {
	p.t.Helper()
	p.facts++
	ok, err := p.e.Redeem(issuer.Redemption{Account: latestEName, Redemption: fmt.Sprint("x", p.facts), Amount: amount})
	p.must(err)
	if ok {
		p.redeemed += amount
	}
	return ok
}

// want checks what is shown, and that the books agree with it.
func (p *latestEPlay) want(balance, redeemable int64) {
	p.t.Helper()
	got, err := p.e.Balance(latestEName)
	p.must(err)
	if got != (issuer.Balance{Balance: balance, Redeemable: redeemable}) {
		p.t.Fatalf("balance %+v, want %d and %d redeemable", got, balance, redeemable)
	}
	p.books()
}

func (p *latestEPlay) books() (granted int64) {
	p.t.Helper()
	b, err := p.e.Balance(latestEName)
	p.must(err)
	paid, err := issuer.PaidOut(p.e, latestEName)
	p.must(err)
	var sum, out int64
	var last time.Time
	for _, posting := range p.e.Postings(latestEName) {
		if posting.Amount == 0 || posting.At.Before(last) {
			p.t.Fatalf("posting out of order or of nothing: %+v after %v", posting, last)
		}
		last = posting.At
		sum += posting.Amount
		if posting.Kind == Paid {
			out -= posting.Amount
		}
	}
	if sum-p.redeemed != b.Balance || b.Redeemable < 0 || out != paid {
		p.t.Fatalf("postings %d, redeemed %d, paid %d of %d, balance %+v", sum, p.redeemed, out, paid, b)
	}
	return sum + out
}

func (p *latestEPlay) wantPaid(amount int64) {
	p.t.Helper()
	paid, err := issuer.PaidOut(p.e, latestEName)
	p.must(err)
	if paid != amount {
		p.t.Fatalf("paid %d, want %d", paid, amount)
	}
}

func TestLatestESixDrips(t *testing.T) {
	p := latestEStart(t, latestESixDrips)
	p.buy("a", "5999", 10050) // 3.015, half to even: 3.02
	p.want(0, 0)
	p.clock(latestEDay(1, 5).Add(latestEDripStep - time.Second))
	p.want(0, 0)
	p.clock(latestEDay(1, 5).Add(latestEDripStep))
	p.want(50, 50)
	p.clock(latestEDay(1, 5).Add(3 * latestEDripStep))
	p.want(151, 151)
	if p.redeem(152) || !p.redeem(151) {
		t.Fatal("redemption")
	}
	p.back("a", 5050) // 1.50 is left, half of it due
	p.want(75-151, 0)
	p.clock(latestEDay(1, 5).Add(6 * latestEDripStep))
	p.want(150-151, 0)

	// The limit of the quarter, and that a return frees it.
	p = latestEStart(t, latestESixDrips)
	p.buy("a", "", 150000)
	p.buy("b", "", 100000)
	p.clock(latestEDay(12, 1))
	p.want(6000, 6000)
	p.back("a", 150000)
	p.want(3000, 3000)
}

func TestLatestETopCategory(t *testing.T) {
	p := latestEStart(t, latestETopCategory)
	p.buy("a", "5411", 60000)
	p.buy("b", "5812", 40000)
	p.buy("c", "9999", 10050)
	p.clock(time.Date(2025, 1, 24, 23, 59, 59, 0, time.UTC))
	p.want(0, 0)
	p.clock(time.Date(2025, 1, 25, 0, 0, 0, 0, time.UTC))
	p.want(3100, 3100) // 11.005 of all and 20.00 on groceries
	p.redeem(1000)
	p.back("a", 60000) // restaurants are now the top: 5.005 + 16.00
	p.want(2100, 1100)
	if p.redeem(1101) || !p.redeem(1100) {
		t.Fatal("held rewards were paid")
	}
	p.want(1000, 0)
	p.clock(latestEDay(2, 25))
	p.want(0, 0)
	p.back("b", 40000)
	p.want(0, 0)
	p.clock(latestEDay(3, 25))
	p.want(100-2100, 0)
}

func TestLatestETwelveSwipes(t *testing.T) {
	p := latestEStart(t, latestETwelveSwipes)
	for i := range 12 {
		p.buy(fmt.Sprint(i), "", 1000)
	}
	p.buy("small", "", 499)
	p.clock(latestEDay(2, 1))
	p.wantPaid(500) // 4% of 124.99 is 4.9996
	p.want(0, 0)
	p.back("3", 300)
	p.want(-12, 0)
	p.back("3", 201) // 4.99 is left: eleven purchases
	p.want(-500, 0)
	for i := range 12 {
		p.buy(fmt.Sprint("f", i), "", 5000)
	}
	p.clock(latestEDay(3, 1))
	p.wantPaid(1000)
	p.want(0, 0)
}

// A history is of facts with the time at which each arrives; the plain one is the same
// without what came back.
type latestEFact struct {
	at   time.Time
	full func(*latestEPlay)
	kept func(*latestEPlay)
}

func latestEHistory(r *rand.Rand) []latestEFact {
	codes := []string{"5411", "5812", "5541", "5912", "9999", "", "4111", "5814"}
	var facts []latestEFact
	begin := latestEDay(1, 6)
	for i := range 60 + r.Intn(60) {
		id := fmt.Sprint("t", i)
		happened := begin.Add(time.Duration(r.Int63n(int64(150 * 24 * time.Hour))))
		arrives := happened
		s := issuer.Settlement{Account: latestEName, Transaction: id, Amount: 1 + r.Int63n(9000), MCC: codes[r.Intn(len(codes))], At: happened}
		if r.Intn(6) == 0 {
			s.Amount = 20000 + r.Int63n(80000)
		}
		if r.Intn(5) == 0 {
			arrives = happened.Add(time.Duration(r.Int63n(int64(60 * 24 * time.Hour))))
		}
		kept := s.Amount
		for part := range r.Intn(4) {
			x := 1 + r.Int63n(s.Amount)
			if r.Intn(4) == 0 {
				x = s.Amount + r.Int63n(500)
			}
			when := happened.Add(time.Duration(r.Int63n(int64(400*24*time.Hour))) - 3*24*time.Hour)
			name := fmt.Sprint(id, "-", part)
			fact := func(p *latestEPlay) {
				p.must(p.e.Refund(issuer.Refund{Account: latestEName, Refund: name, Transaction: id, Amount: x}))
			}
			if r.Intn(6) == 0 {
				amount := x
				if r.Intn(2) == 0 {
					amount, x = 0, s.Amount
				}
				fact = func(p *latestEPlay) {
					p.must(p.e.Chargeback(issuer.Chargeback{Account: latestEName, Chargeback: name, Transaction: id, Amount: amount}))
				}
			}
			kept -= min(kept, x)
			facts = append(facts, latestEFact{at: when, full: fact})
			if r.Intn(4) == 0 {
				facts = append(facts, latestEFact{at: when.Add(24 * time.Hour), full: fact})
			}
		}
		plain := s
		plain.Amount = kept
		facts = append(facts, latestEFact{at: arrives, full: func(p *latestEPlay) { p.must(p.e.Settle(s)) }, kept: func(p *latestEPlay) {
			if plain.Amount > 0 {
				p.must(p.e.Settle(plain))
			}
		}})
	}
	sort.SliceStable(facts, func(i, j int) bool { return facts[i].at.Before(facts[j].at) })
	return facts
}

func TestLatestESoundHistories(t *testing.T) {
	end := time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC)
	for _, d := range latestEDesigns {
		// Two of the flawed ones are sound for those who redeem nothing.
		quiet := d.Name == "latest-points-back" || d.Name == "latest-small-debts"
		if d.Class != "robust" && !quiet {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			var some int
			for seed := range 300 {
				r := rand.New(rand.NewSource(int64(seed)))
				facts := latestEHistory(r)
				full, plain := latestEStart(t, d), latestEStart(t, d)
				for _, f := range facts {
					full.clock(f.at)
					f.full(full)
					b, err := full.e.Balance(latestEName)
					full.must(err)
					if !quiet && b.Redeemable > 0 && r.Intn(5) == 0 && !full.redeem(1+r.Int63n(b.Redeemable)) {
						t.Fatal("refused what was redeemable")
					}
					if r.Intn(10) == 0 {
						full.books()
					}
					if f.kept != nil {
						plain.clock(f.at)
						f.kept(plain)
					}
				}
				full.clock(end)
				plain.clock(end)
				got, want := full.books(), plain.books()
				if got != want {
					t.Fatalf("seed %d: %d, without what was returned %d", seed, got, want)
				}
				if want > 0 {
					some++
				}
			}
			if some < 100 {
				t.Fatalf("only %d histories earned anything", some)
			}
		})
	}
}

// A refund without its purchase is set against what was last bought there, then against
// anything else, and is spent when nothing is left.
func TestLatestEUnlinked(t *testing.T) {
	for _, d := range []Design{latestEPointsBack, latestESmallDebts} {
		p := latestEStart(t, d)
		p.buy("old", "5411", 10000)
		p.clock(latestEDay(1, 6))
		p.buy("new", "5411", 10000)
		p.buy("other", "5999", 10000)
		refund := issuer.Refund{Account: latestEName, Refund: "u", Merchant: "m5411", Amount: 15000}
		p.must(p.e.Refund(refund))
		p.must(p.e.Refund(refund))
		var got []string
		for _, posting := range p.e.Postings(latestEName)[3:] {
			got = append(got, fmt.Sprint(posting.Transaction, posting.Amount))
		}
		want := "[new-200 old-100]"
		if d.Name == latestESmallDebts.Name {
			want = "[new-150 old-75]"
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s", d.Name, got, want)
		}
		refund.Refund, refund.Amount = "v", 1<<40
		p.must(p.e.Refund(refund))
		p.want(0, 0)
	}
}

func TestLatestEPointsBack(t *testing.T) {
	p := latestEStart(t, latestEPointsBack)
	p.buy("a", "5411", 1025) // 20.5 points
	p.want(21, 21)
	p.back("a", 1000)
	p.want(1, 1)
	p.back("a", 25)
	p.want(0, 0)

	p.buy("g", "5411", 500000)
	p.want(10000, 10000)
	p.redeem(10000)
	p.want(0, 0)
	p.back("g", 500000)
	p.want(-10000, 0)
	p.clock(latestEDay(2, 1))
	p.want(-9000, 0) // 100.00 was paid and 90.00 is owed
	p.clock(latestEDay(6, 1))
	p.want(-9000, 0)

	// Without redeeming a return leaves nothing.
	p = latestEStart(t, latestEPointsBack)
	p.buy("g", "5411", 500000)
	p.back("g", 500000)
	p.clock(latestEDay(6, 1))
	p.want(0, 0)

	// The limit of the year.
	p.buy("h", "", 20000000)
	p.redeem(99999)
	p.redeem(50000)
	p.clock(latestEDay(7, 1))
	p.want(200000-149999+10000, 60001)
}

func TestLatestELastMonth(t *testing.T) {
	play := func(furniture bool) *latestEPlay {
		p := latestEStart(t, latestELastMonth)
		p.clock(time.Date(2025, 3, 31, 10, 0, 0, 0, time.UTC))
		if furniture {
			p.buy("f", "5712", 1200000)
		}
		p.clock(latestEDay(4, 1))
		if furniture {
			p.back("f", 1200000)
		}
		p.buy("d", "5812", 400000)
		p.clock(latestEDay(5, 1))
		p.want(0, 0)
		return p
	}
	play(false).wantPaid(0)
	play(true).wantPaid(40000)

	// Plain: the first months, the steps, and a late return as a debt.
	p := latestEStart(t, latestELastMonth)
	p.buy("a", "5812", 155559)
	p.buy("b", "5541", 200019)
	p.clock(latestEDay(2, 1))
	p.wantPaid(10000)
	p.buy("c", "5812", 30009)
	p.buy("d", "5541", 20019)
	p.buy("tax", "9311", 900000)
	p.clock(latestEDay(3, 1))
	p.wantPaid(14000)
	p.back("c", 30009)
	p.want(-3000, 0)
	p.buy("e", "5812", 300000)
	p.clock(latestEDay(4, 1)) // February's spend was 50,028: nothing
	p.wantPaid(14000)
	p.buy("g", "5812", 90000)
	p.clock(latestEDay(5, 1)) // March's is 300,000 less 30,009
	p.wantPaid(14000)
	p.want(-3000, 0)
	p.buy("h", "", 700000)
	p.clock(latestEDay(6, 1))
	p.buy("i", "5814", 300000)
	p.clock(latestEDay(7, 1))
	p.wantPaid(14000 - 3000 + 20000)
	p.want(0, 0)
}

func TestLatestESmallDebts(t *testing.T) {
	p := latestEStart(t, latestESmallDebts)
	p.buy("odd", "", 300) // 4.5 cents, half to even
	p.buy("bar", "5813", 150)
	p.want(8, 8)
	p.back("odd", 300)
	p.back("bar", 150)
	p.want(0, 0)

	p.buy("a", "", 60000)
	p.redeem(900)
	p.back("a", 60000)
	p.want(-900, 0)
	p.clock(latestEDay(3, 5))
	p.want(-900, 0)
	p.clock(time.Date(2025, 4, 1, 0, 0, 0, 0, time.UTC))
	p.want(0, 0)
	p.buy("b", "", 10000)
	p.want(150, 150)

	// A debt that is not small stays, and later rewards make it up.
	p = latestEStart(t, latestESmallDebts)
	p.buy("a", "", 80000)
	p.redeem(1200)
	p.back("a", 80000)
	p.clock(latestEDay(12, 1))
	p.want(-1200, 0)
	p.buy("b", "5812", 50000)
	p.want(300, 300)
}

// TestLatestEAnything throws at every design whatever the port can deliver.
func TestLatestEAnything(t *testing.T) {
	names := map[string]bool{}
	for _, d := range latestEDesigns {
		if names[d.Name] || d.Published == "" || d.How == "" || d.Source == "" || (d.Leak == "") != (d.Class == "robust") {
			t.Errorf("%s is not described in full", d.Name)
		}
		names[d.Name] = true
		e := d.New()
		if e.Settle(issuer.Settlement{Account: "nobody", Transaction: "t", Amount: 1}) == nil {
			t.Error("an unknown account was taken")
		}
		if _, err := e.Balance("nobody"); err == nil {
			t.Error("an unknown account has a balance")
		}
		if e.Postings("nobody") != nil {
			t.Error("an unknown account has postings")
		}
		for seed := range 40 {
			r := rand.New(rand.NewSource(int64(seed)))
			p := &latestEPlay{t: t, e: d.New()}
			if seed%2 == 0 {
				p.clock(latestEDay(1, 1))
			}
			p.must(p.e.Open(latestEName))
			now := latestEDay(1, 1)
			codes := []string{"5411", "5812", "", "9311", "x"}
			for range 200 {
				id, fact := fmt.Sprint("t", r.Intn(40)), fmt.Sprint("f", r.Intn(60))
				if r.Intn(4) == 0 {
					id = ""
				}
				amount := r.Int63n(100000) - 1000
				if r.Intn(50) == 0 {
					amount = 1 << 61
				}
				mcc := codes[r.Intn(len(codes))]
				at := now.Add(time.Duration(r.Int63n(int64(4000*time.Hour))) - 2000*time.Hour)
				switch r.Intn(7) {
				case 0, 1:
					p.must(p.e.Settle(issuer.Settlement{Account: latestEName, Transaction: id, Amount: amount % 1e6, MCC: mcc, Merchant: mcc, At: at}))
				case 2:
					p.must(p.e.Refund(issuer.Refund{Account: latestEName, Refund: fact, Transaction: id, Amount: amount, Merchant: mcc, At: at}))
				case 3:
					p.must(p.e.Chargeback(issuer.Chargeback{Account: latestEName, Chargeback: fact, Transaction: id, Amount: amount % 3 * 1000}))
				case 4:
					b, err := p.e.Balance(latestEName)
					p.must(err)
					if p.redeem(0) || p.redeem(-5) || p.redeem(b.Redeemable+1) {
						t.Fatalf("%s: a bad redemption was paid", d.Name)
					}
					if b.Redeemable > 0 && !p.redeem(b.Redeemable) {
						t.Fatalf("%s: a good redemption was refused", d.Name)
					}
				case 5:
					now = now.Add(time.Duration(r.Int63n(int64(3000 * time.Hour))))
					p.clock(now)
				case 6:
					p.must(p.e.CloseStatement(latestEName))
				}
				p.books()
			}
		}
	}
}
