package foreign

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// finalRun is one account at a design, played by hand.
type finalRun struct {
	*testing.T
	e Engine
	n int
}

func playFinal(t *testing.T, d *Design, opened string) *finalRun {
	r := &finalRun{T: t, e: d.New()}
	r.on(opened)
	r.must(r.e.Open("a"))
	return r
}

func (r *finalRun) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// on moves the clock to noon UTC of a day, or to a given minute.
func (r *finalRun) on(day string) {
	r.Helper()
	if !strings.Contains(day, " ") {
		day += " 12:00"
	}
	at, err := time.Parse("2006-01-02 15:04", day)
	r.must(err)
	r.must(r.e.SetClock(at))
}

// buy clears a purchase now; where is "CATEGORY", "CATEGORY merchant" or an MCC.
func (r *finalRun) buy(id, where string, amount int64) {
	r.Helper()
	s := issuer.Settlement{Account: "a", Transaction: id, Amount: amount}
	s.Category, s.Merchant, _ = strings.Cut(where, " ")
	if s.Category < "A" {
		s.MCC, s.Category = s.Category, ""
	}
	r.must(r.e.Settle(s))
}

// back returns so much of a purchase, or of none.
func (r *finalRun) back(of string, amount int64) {
	r.Helper()
	r.n++
	r.must(r.e.Refund(issuer.Refund{Account: "a", Refund: fmt.Sprint("r", r.n), Transaction: of, Amount: amount}))
}

// spend redeems, which must be accepted.
func (r *finalRun) spend(amount int64) {
	r.Helper()
	r.n++
	ok, err := r.e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint("c", r.n), Amount: amount})
	if r.must(err); !ok {
		r.Fatalf("a redemption of %d is refused", amount)
	}
}

func (r *finalRun) want(balance, redeemable int64) {
	r.Helper()
	b, err := r.e.Balance("a")
	r.must(err)
	if b.Balance != balance || b.Redeemable != redeemable {
		r.Fatalf("balance %d, redeemable %d; want %d, %d", b.Balance, b.Redeemable, balance, redeemable)
	}
}

func TestFinalWharf(t *testing.T) {
	r := playFinal(t, &finalWharf, "2024-01-18")
	r.buy("p1", "5411", 120_000) // 3,600
	r.buy("p2", "5411", 60_000)  // 400 of 1,800: the limit is 4,000
	r.buy("p3", "9999", 10_001)  // 50
	r.on("2024-02-16 20:59")
	r.want(0, 0)
	r.on("2024-02-16 21:00") // 00:00 of the 17th in Kuwait
	r.want(0, 0)
	if paid, _ := r.e.(issuer.Payer).PaidOut("a"); paid != 4050 {
		t.Fatalf("credited %d", paid)
	}
	r.back("p1", 120_000) // leaves 1,800 for p2
	r.want(-2200, 0)
	r.buy("p4", "5812", 200_000) // 2,500 at most
	r.on("2024-03-18")
	r.want(300, 0) // too little to be credited
}

func TestFinalSummit(t *testing.T) {
	r := playFinal(t, &finalSummit, "2024-01-18")
	r.buy("p1", "ONLINE", 100_000)
	r.buy("p2", "FUEL", 49_950)
	r.want(2500, 2500) // 2,000 and 499.5 half up
	r.buy("p3", "FUEL", 50)
	r.want(4001, 4001)
	r.spend(4001)
	r.on("2024-08-01")
	r.back("p3", 1)
	r.want(-1501, 0) // 0.5 cents were half up, 0.49 are not
}

func TestFinalBrackets(t *testing.T) {
	r := playFinal(t, &finalBrackets, "2024-01-31")
	r.buy("p1", "DINING", 40_000)  // 160
	r.buy("p2", "ONLINE", 120_000) // 40 + 800 + 120
	r.buy("p3", "FUEL", 90_000)
	r.want(1120, 0)
	r.on("2024-03-01")
	r.want(1120, 1120)
	r.back("p1", 40_000) // p2: 200 + 560
	r.want(760, 760)
}

func TestFinalWing(t *testing.T) {
	r := playFinal(t, &finalWing, "2023-01-01")
	r.buy("p1", "TRAVEL", 100_099) // 3,000
	r.buy("p2", "OTHER", 49_999)   // 499, and the welcome
	r.want(5999, 5999)
	r.spend(1000)
	r.back("p2", 199) // a mile and the welcome
	r.want(2498, 2498)
	r.on("2024-02-05 11:59")
	r.want(2498, 2498)
	r.on("2024-02-05 12:00")
	r.want(0, 0)
	r.back("p1", 100_099) // 1,000 were used; 498 of p2 make up for as many
	r.want(-502, 0)
}

func TestFinalPartner(t *testing.T) {
	r := playFinal(t, &finalPartner, "2023-10-31")
	r.buy("p1", "ONLINE m-31", 50_000) // 4%: 2,000
	r.on("2023-11-02")
	r.buy("p2", "ONLINE m-31", 50_000)  // 2%: 1,000
	r.buy("p3", "ONLINE m-32", 100_000) // 6%: 2,500 at most
	r.buy("p4", "DINING", 299)
	r.on("2023-12-15")
	r.want(2000, 2000)
	r.on("2023-12-17")
	r.want(5500, 5500)
	r.spend(5500)
	r.back("p3", 60_000) // 2,400
	r.want(-100, 0)
}

func TestFinalTap(t *testing.T) {
	r := playFinal(t, &finalTap, "2024-01-18")
	r.buy("p1", "GROCERY", 48_001)
	r.want(970, 970) // 960.02 to full tens
	r.back("p1", 48_001)
	r.want(970, 970) // and should be nothing
	r.buy("p2", "GROCERY", 499)
	r.want(970, 970)
}

func TestFinalAnnual(t *testing.T) {
	r := playFinal(t, &finalAnnual, "2023-11-20")
	r.buy("p1", "ONLINE", 300_000)
	r.buy("p2", "ONLINE", 900_000)
	r.buy("p3", "ONLINE", 100_333)
	r.on("2024-01-20")
	r.back("p3", 100_000)
	r.on("2024-01-31 23:00") // 00:00 in Zurich
	r.want(9000, 9000)       // 750 + 5,250 + 3,004.995, down to full fives
	r.back("p2", 900_000)
	r.want(9000, 9000) // and should be 750
}

func TestFinalLots(t *testing.T) {
	r := playFinal(t, &finalLots, "2024-01-18")
	r.buy("p1", "ONLINE", 140_000) // 2,800
	r.buy("p2", "FUEL", 10_999)    // 50
	r.want(0, 0)
	r.on("2024-01-18 15:00") // midnight in Seoul
	r.want(2850, 2850)
	r.spend(2000)
	r.back("p1", 140_000)
	r.want(50, 50) // and should be -1,950
}

func TestFinalMiles(t *testing.T) {
	r := playFinal(t, &finalMiles, "2024-01-18")
	r.buy("p1", "TRAVEL", 200_000)
	r.on("2024-01-19")
	r.back("p1", 200_000)
	r.on("2024-02-08")
	r.want(6000, 6000) // and should be nothing
	r.spend(6000)
	r.on("2024-02-09")
	r.want(-6000, 0)
	r.on("2024-05-20")
	r.buy("p2", "OTHER", 100_000) // no longer double
	r.want(-5250, 0)
}

func TestFinalTrolley(t *testing.T) {
	r := playFinal(t, &finalTrolley, "2024-03-31")
	for i := range 4 {
		r.buy(fmt.Sprint("p", i), "GROCERY", 2000)
	}
	r.want(580, 580)
	for i := range 4 {
		r.back(fmt.Sprint("p", i), 1900)
	}
	r.want(504, 504) // and should be 4
	r.back("p0", 100)
	r.want(3, 3)
	r.back("", 100) // the newest
	r.want(2, 2)
}

// TestFinalIntake holds what all designs share: ids count once, books add up.
func TestFinalIntake(t *testing.T) {
	for i := range finalDesigns {
		d := &finalDesigns[i]
		if !strings.HasPrefix(d.Name, "final-") || (d.Class == "robust") != (d.Leak == "") {
			t.Errorf("%s: class %s and leak %q", d.Name, d.Class, d.Leak)
		}
		r := playFinal(t, d, "2024-01-18")
		back := issuer.Chargeback{Account: "a", Chargeback: "early", Transaction: "p1"}
		r.must(r.e.Chargeback(back)) // before its purchase clears, and whole
		for range 2 {
			r.buy("p1", "TRAVEL", 300_000)
			r.buy("p2", "GROCERY", 50_000)
			r.must(r.e.Chargeback(back))
		}
		r.on("2025-03-03") // granted in every design, lapsed in none
		sum := int64(0)
		for _, p := range r.e.Postings("a") {
			if sum += p.Amount; p.Transaction == "p1" && p.Kind == Earned && d.Class == "robust" {
				t.Errorf("%s: grants %d on what came back before", d.Name, p.Amount)
			}
		}
		r.want(sum, max(0, func() int64 { b, _ := r.e.Balance("a"); return b.Redeemable }()))
		if ok, err := r.e.Redeem(issuer.Redemption{Account: "a", Redemption: "zero"}); ok || err != nil {
			t.Errorf("%s: a redemption of nothing: %v, %v", d.Name, ok, err)
		}
		if r.e.SetClock(time.Time{}) == nil {
			t.Errorf("%s: the clock goes back", d.Name)
		}
	}
}
