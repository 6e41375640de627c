package foreign

import (
	"fmt"
	"math/rand"
	"sort"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// tulipFact is a purchase or a return with the time it is delivered.
type tulipFact struct {
	due    time.Time
	settle *issuer.Settlement
	refund *issuer.Refund
	charge *issuer.Chargeback
	of     string // the purchase that really came back
}

var tulipStart = time.Date(2024, 2, 27, 15, 0, 0, 0, time.UTC)

var tulipKinds = []string{"GROCERY", "DINING", "FUEL", "ONLINE", "OTHER", "TRAVEL", "HOME", "ELECTRONICS", "FASHION", "RESTAURANT"}

// tulipHistory is two purchases a week for days, of which many come back in every way.
func tulipHistory(rng *rand.Rand, days int, unlinked bool) []tulipFact {
	var facts []tulipFact
	hours := func(n int) time.Duration { return time.Duration(rng.Intn(n*60)) * time.Minute }
	for i := 0; i < days*2/7; i++ {
		at := tulipStart.Add(hours(days * 24))
		amount := int64(500 + rng.Intn(30000))
		if rng.Intn(5) == 0 {
			amount = int64(500 + rng.Intn(600000))
		}
		id := fmt.Sprint("p", i)
		s := &issuer.Settlement{Account: "a", Transaction: id, Amount: amount, Category: tulipKinds[rng.Intn(len(tulipKinds))], Merchant: "m", At: at}
		facts = append(facts, tulipFact{due: at.Add(hours(96)), settle: s, of: id})
		if rng.Intn(3) > 0 {
			continue
		}
		back := at.Add(hours([]int{48, 24 * 30, 24 * 120, 24 * 400}[rng.Intn(4)]))
		if rng.Intn(8) == 0 {
			c := &issuer.Chargeback{Account: "a", Chargeback: "c" + id, Transaction: id, Amount: amount * int64(rng.Intn(2)), At: back}
			facts = append(facts, tulipFact{due: back.Add(hours(48)), charge: c, of: id})
			continue
		}
		parts, whole := int64(1), amount
		switch rng.Intn(5) {
		case 0:
			parts = int64(1 + rng.Intn(50))
		case 1:
			whole = 1 + rng.Int63n(amount)
		case 2:
			whole += rng.Int63n(5000)
		}
		link := id
		if unlinked && rng.Intn(3) == 0 {
			link = ""
		}
		for k := int64(0); k < parts; k++ {
			n := whole*(k+1)/parts - whole*k/parts
			if n == 0 {
				continue
			}
			r := &issuer.Refund{Account: "a", Refund: fmt.Sprint("r", id, "-", k), Transaction: link, Amount: n, Category: s.Category, At: back}
			facts = append(facts, tulipFact{due: back.Add(hours(72)), refund: r, of: id})
			if rng.Intn(12) == 0 {
				twin := *r
				twin.Refund += "-again"
				facts = append(facts, tulipFact{due: back.Add(hours(72)), refund: &twin, of: id})
			}
		}
	}
	sort.SliceStable(facts, func(i, j int) bool { return facts[i].due.Before(facts[j].due) })
	return facts
}

// tulipNever is the history without what came back in it.
func tulipNever(facts []tulipFact) []tulipFact {
	back := map[string]int64{}
	for _, f := range facts {
		switch {
		case f.refund != nil:
			back[f.of] += f.refund.Amount
		case f.charge != nil && f.charge.Amount == 0:
			back[f.of] += 1 << 40
		case f.charge != nil:
			back[f.of] += f.charge.Amount
		}
	}
	var never []tulipFact
	for _, f := range facts {
		if f.settle != nil && f.settle.Amount > back[f.of] {
			s := *f.settle
			s.Amount -= back[f.of]
			never = append(never, tulipFact{due: f.due, settle: &s})
		}
	}
	return never
}

// tulipRun is an engine at work, with what has been redeemed.
type tulipRun struct {
	t        *testing.T
	e        Engine
	redeemed int64
	n        int
}

func (r *tulipRun) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *tulipRun) deliver(f tulipFact) {
	switch {
	case f.settle != nil:
		r.must(r.e.Settle(*f.settle))
	case f.refund != nil:
		r.must(r.e.Refund(*f.refund))
	case f.charge != nil:
		r.must(r.e.Chargeback(*f.charge))
	}
}

func (r *tulipRun) balance() issuer.Balance {
	b, err := r.e.Balance("a")
	r.must(err)
	return b
}

func (r *tulipRun) redeem(amount int64) bool {
	r.n++
	ok, err := r.e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint("x", r.n), Amount: amount})
	r.must(err)
	if ok {
		r.redeemed += amount
	}
	return ok
}

func (r *tulipRun) kept() int64 {
	paid, err := issuer.PaidOut(r.e, "a")
	r.must(err)
	return r.balance().Balance + r.redeemed + paid
}

// tulipPlay runs a history until the time; with a source of chance it also redeems
// and delivers facts twice.
func tulipPlay(t *testing.T, d Design, facts []tulipFact, until time.Time, rng *rand.Rand) *tulipRun {
	r := &tulipRun{t: t, e: d.New()}
	r.must(r.e.SetClock(tulipStart))
	r.must(r.e.Open("a"))
	for i, f := range facts {
		r.must(r.e.SetClock(f.due))
		r.deliver(f)
		if rng == nil {
			continue
		}
		if rng.Intn(6) == 0 {
			r.deliver(facts[rng.Intn(i+1)])
		}
		if b := r.balance(); rng.Intn(4) == 0 {
			if b.Redeemable < 0 || r.redeem(b.Redeemable+1) || r.redeem(0) {
				t.Fatalf("%s: gate", d.Name)
			}
			if b.Redeemable > 0 && !r.redeem(b.Redeemable) {
				t.Fatalf("%s: refused", d.Name)
			}
		}
	}
	r.must(r.e.SetClock(until))
	sum := -r.redeemed
	for _, p := range r.e.Postings("a") {
		sum += p.Amount
	}
	if b := r.balance().Balance; sum != b {
		t.Fatalf("%s: postings come to %d, balance %d", d.Name, sum, b)
	}
	return r
}

// TestTulip compares random histories with what was never bought in them, at the end and
// at cuts: sound designs keep not a unit more, flawed ones do.
func TestTulip(t *testing.T) {
	for _, d := range tulipDesigns {
		leaks, worst := 0, int64(0)
		for seed := int64(0); seed < int64(often(6, 60)); seed++ {
			rng := rand.New(rand.NewSource(seed))
			unlinked := seed%2 == 1
			all := tulipHistory(rng, 400, unlinked)
			for _, cut := range []int{len(all), rng.Intn(len(all)), rng.Intn(len(all))} {
				facts := all[:max(1, cut)]
				never := tulipNever(facts)
				last := facts[len(facts)-1].due
				got, want := tulipPlay(t, d, facts, last, rng), tulipPlay(t, d, never, last, nil)
				if b := got.balance(); d.Class == "robust" && b.Redeemable > 0 && got.kept()-b.Balance+b.Redeemable > want.kept() {
					t.Errorf("%s seed %d cut %d: %d redeemable", d.Name, seed, cut, b.Redeemable)
				}
				for _, wait := range []int{1, 40, 200} {
					now := last.AddDate(0, 0, wait)
					got.must(got.e.SetClock(now))
					want.must(want.e.SetClock(now))
					leak := got.kept() - want.kept()
					worst = max(worst, leak)
					if leak > 0 {
						leaks++
					}
					if d.Class == "robust" && (leak > 0 || !unlinked && leak < 0) {
						t.Errorf("%s seed %d cut %d after %d days: %d", d.Name, seed, cut, wait, leak)
					}
				}
			}
		}
		t.Logf("%s: %d leaks, at most %d", d.Name, leaks, worst)
		if d.Class != "robust" && (leaks == 0 || d.Leak == "") {
			t.Errorf("%s does not leak", d.Name)
		}
	}
}

// TestTulipLeaks plays the examples by which the flawed designs are declared.
func TestTulipLeaks(t *testing.T) {
	day := func(z *time.Location, month time.Month, d int) time.Time {
		return time.Date(2025, month, d, 12, 0, 0, 0, z)
	}
	buy := func(id string, at time.Time, amount int64, category string) tulipFact {
		return tulipFact{due: at, settle: &issuer.Settlement{Account: "a", Transaction: id, Amount: amount, Category: category, At: at}}
	}
	back := func(id string, at time.Time, amount int64) tulipFact {
		return tulipFact{due: at, refund: &issuer.Refund{Account: "a", Refund: "r" + id, Transaction: id, Amount: amount, At: at}}
	}
	for _, c := range []struct {
		d     Design
		facts []tulipFact
		kept  int64
	}{
		{tulipReplayDesign, []tulipFact{buy("p", day(tulipKolkata, 1, 6), 600000, "ONLINE"), back("p", day(tulipKolkata, 4, 10), 600000)}, 30000},
		{tulipReplayDesign, []tulipFact{buy("p", day(tulipKolkata, 1, 6), 600000, "ONLINE"), back("p", day(tulipKolkata, 4, 4), 600000)}, 0},
		{tulipPotsDesign, []tulipFact{buy("p", day(tulipWarsaw, 5, 6), 600000, "TRAVEL"), buy("q", day(tulipWarsaw, 6, 3), 100000, "HOME"), back("p", day(tulipWarsaw, 6, 10), 600000)}, 6000},
		{tulipPotsDesign, []tulipFact{buy("p", day(tulipWarsaw, 5, 6), 600000, "TRAVEL"), back("p", day(tulipWarsaw, 5, 10), 600000)}, 0},
		{tulipWeekendDesign, []tulipFact{buy("p", day(tulipSingapore, 3, 1), 20000, "DINING"), back("p", day(tulipSingapore, 3, 4), 20000)}, 1000},
		{tulipWeekendDesign, []tulipFact{buy("p", day(tulipSingapore, 3, 1), 20000, "DINING"), back("p", day(tulipSingapore, 3, 2), 20000)}, 0},
	} {
		if got := tulipPlay(t, c.d, c.facts, day(time.UTC, 12, 1), nil).kept(); got != c.kept {
			t.Errorf("%s: kept %d, want %d", c.d.Name, got, c.kept)
		}
	}
}
