package foreign

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// outsidePlay is one account, played by its public interface.
type outsidePlay struct {
	t *testing.T
	e Engine
	n int
}

func playOutside(t *testing.T, d *Design, day string) *outsidePlay {
	p := &outsidePlay{t: t, e: d.New()}
	p.day(day)
	p.ok(p.e.Open("c"))
	return p
}

func (p *outsidePlay) ok(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// day is noon UTC of a day.
func (p *outsidePlay) day(day string) {
	p.t.Helper()
	at, err := time.Parse(time.DateOnly, day)
	p.ok(err)
	p.ok(p.e.SetClock(at.Add(12 * time.Hour)))
}

func (p *outsidePlay) buy(id, category string, amount int64) {
	p.t.Helper()
	s := issuer.Settlement{Account: "c", Transaction: id, Amount: amount, Category: category, Merchant: "shop of " + category}
	p.ok(p.e.Settle(s))
	p.ok(p.e.Settle(s)) // again
}

// back returns a purchase in part, or of none that it names something of a category.
func (p *outsidePlay) back(of, category string, amount int64) {
	p.t.Helper()
	p.n++
	r := issuer.Refund{Account: "c", Refund: fmt.Sprint("r", p.n), Transaction: of, Amount: amount, Category: category}
	p.ok(p.e.Refund(r))
	p.ok(p.e.Refund(r))
}

func (p *outsidePlay) redeem(amount int64) bool {
	p.t.Helper()
	p.n++
	paid, err := p.e.Redeem(issuer.Redemption{Account: "c", Redemption: fmt.Sprint("d", p.n), Amount: amount})
	p.ok(err)
	return paid
}

// is checks the balance and what can be redeemed.
func (p *outsidePlay) is(balance, redeemable int64) {
	p.t.Helper()
	b, err := p.e.Balance("c")
	p.ok(err)
	if b.Balance != balance || b.Redeemable != redeemable {
		p.t.Fatalf("balance %d and redeemable %d, want %d and %d; %+v", b.Balance, b.Redeemable, balance, redeemable, p.e.Postings("c"))
	}
}

func (p *outsidePlay) paid(want int64) {
	p.t.Helper()
	if got, err := issuer.PaidOut(p.e, "c"); err != nil || got != want {
		p.t.Fatalf("paid out %d, want %d", got, want)
	}
}

func TestOutsideLitres(t *testing.T) {
	p := playOutside(t, &outsideLitres, "2024-03-31")
	p.buy("a", "FUEL", 9_149)  // 60 litres
	p.buy("b", "FUEL", 17_000) // 113
	p.buy("c", "GROCERY", 199_999)
	p.is(0, 0)
	p.day("2024-04-02")
	p.is(0, 0)
	p.day("2024-04-03")
	p.is(4*173+999, 1691)
	p.back("", "FUEL", 17_000)
	p.is(1691, 999+120) // blocked
	if p.redeem(1120) || !p.redeem(1119) {
		t.Fatal("what is blocked was redeemed")
	}
	p.day("2024-05-03")
	p.is(0, 0)
	p.back("c", "", 199_999)
	p.day("2024-06-03")
	p.is(-999, 0)
	p.back("a", "", 150) // 59 litres: a cent each
	p.day("2024-07-03")
	p.is(-999-120+59, 0)
}

func TestOutsideSaveback(t *testing.T) {
	p := playOutside(t, &outsideSaveback, "2024-03-01")
	p.buy("a", "ONLINE", 100_000)
	p.buy("b", "ONLINE", 80_000) // 500 of 800
	p.buy("c", "DINING", 9_999)  // nothing
	p.is(1500, 0)
	p.day("2024-03-05")
	p.is(0, 0)
	p.paid(1500)
	p.back("a", "", 100_000) // b has 800, c 99
	p.is(-601, 0)
	p.day("2024-04-02")
	p.buy("d", "FUEL", 65_000)
	p.day("2024-04-09")
	p.is(49, 0) // carried over
	p.paid(1500)
	reversed := 0
	for _, r := range p.e.Postings("c") {
		if r.Kind == Reversed {
			reversed++
		}
	}
	if reversed != 2 { // c had nothing
		t.Fatalf("%d entries are reversed", reversed)
	}
}

func TestOutsideGuild(t *testing.T) {
	p := playOutside(t, &outsideGuild, "2024-03-31")
	p.buy("a", "OTHER", 100_000)
	p.buy("b", "TRAVEL", 500_000)
	p.day("2024-04-01")
	p.buy("c", "ONLINE", 150_000) // of the second quarter
	p.day("2024-04-14")
	p.is(0, 0)
	p.day("2024-04-15")
	p.is(750+3500+1500, 5750)
	if !p.redeem(5750) {
		t.Fatal("refused")
	}
	p.back("b", "", 500_000)
	p.is(-5250, 0)
	p.day("2024-07-15")
	p.is(-5250+750, 0)
	p.back("", "ONLINE", 150_000)
	p.is(-5250, 0)
}

func TestOutsideCampus(t *testing.T) {
	for days, want := range map[string]int64{"2024-03-29": -800, "2024-03-30": 0} {
		p := playOutside(t, &outsideCampus, "2024-03-01")
		p.buy("a", "ONLINE", 40_000)
		p.is(800, 800)
		if !p.redeem(800) {
			t.Fatal("refused")
		}
		p.day(days) // 28 and 29 days
		p.back("a", "", 40_000)
		p.is(want, 0)
	}
}

func TestOutsideTopup(t *testing.T) {
	p := playOutside(t, &outsideTopup, "2024-03-20")
	p.buy("a", "ONLINE", 60_000)
	p.is(0, 0)
	p.day("2024-03-25")
	p.is(1800, 1800)
	p.day("2024-04-01")
	p.is(0, 0)
	p.paid(1800)
	p.day("2024-04-02")
	p.back("a", "", 60_000)
	p.is(0, 0)
	p.buy("b", "FUEL", 40_000)
	p.buy("c", "FUEL", 40_000)
	p.back("c", "", 40_000) // before it is credited
	p.day("2024-04-08")
	p.is(400, 400) // and should be -1,400
}

func TestOutsideSatoshi(t *testing.T) {
	p := playOutside(t, &outsideSatoshi, "2024-03-03")
	p.buy("a", "TRAVEL", 100_000)
	p.day("2024-03-05")
	p.back("a", "", 100_000)
	p.day("2024-03-06")
	p.is(2000, 2000)
	if !p.redeem(2000) {
		t.Fatal("refused")
	}
	p.day("2024-03-31")
	p.is(0, 0)
	p.day("2024-04-01")
	p.is(-2000, 0)
	p.buy("b", "OTHER", 120_000)
	p.is(100, 100)
}

func TestOutsideApothecary(t *testing.T) {
	p := playOutside(t, &outsideApothecary, "2024-03-03")
	p.buy("a", "OTHER", 6_000)
	p.is(300, 300)
	for range 3 {
		p.back("a", "", 1_900)
	}
	p.is(300, 300) // and should be nothing
	p.buy("b", "GROCERY", 6_000)
	p.back("", "GROCERY", 6_000)
	p.is(300, 300) // whole baskets go back right
}

func TestOutsideFifty(t *testing.T) {
	p := playOutside(t, &outsideFifty, "2024-03-03")
	p.buy("a", "ONLINE", 30_000)
	p.is(3000, 3000)
	p.back("a", "", 30_000)
	p.is(2500, 2500) // and should be nothing
	p.buy("b", "ONLINE", 30_000)
	p.is(5500, 5500)
}

// A sound account that bought, redeemed and returned ends as one that never bought what came back, and of a flawed
// one more is left.
func TestOutsideAsIfNeverBought(t *testing.T) {
	for i := range outsideDesigns {
		d := &outsideDesigns[i]
		if !strings.HasPrefix(d.Name, "outside-") || (d.Class == "robust") != (d.Leak == "") {
			t.Errorf("%s: class %s and leak %q", d.Name, d.Class, d.Leak)
		}
		end := func(bought bool) (sum int64) {
			p := playOutside(t, d, "2024-01-01")
			returned := make(map[int]bool)
			categories := []string{"GROCERY", "FUEL", "ONLINE", "DINING"}
			for n := range 120 {
				p.day(time.Date(2024, 1, 2+3*n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
				p.buy(fmt.Sprint("kept", n), categories[n%4], int64(2_011+n*137))
				if b, _ := p.e.Balance("c"); n%9 == 8 && b.Redeemable > 0 && p.redeem(b.Redeemable) {
					sum += b.Redeemable
				}
				if bought && n%3 == 0 {
					p.buy(fmt.Sprint("back", n), categories[n/3%4], int64(9_000+n*211))
				}
				if m := (n - 1) - 3*(2+n%5); bought && n%3 == 1 && m > 0 && !returned[m] { // in parts, some without a name
					returned[m] = true
					all := int64(9_000 + m*211)
					p.back(fmt.Sprint("back", m), "", 1_500)
					if m%2 == 0 {
						p.back(fmt.Sprint("back", m), "", all-1_500)
					} else {
						p.back("", categories[m/3%4], all-1_500)
					}
				}
			}
			for n := 0; bought && n < 120; n += 3 { // the rest, a cent more than there is
				if !returned[n] {
					p.back(fmt.Sprint("back", n), "", int64(9_000+n*211)+1)
				}
			}
			p.day("2026-01-01")
			b, _ := p.e.Balance("c")
			paid, _ := issuer.PaidOut(p.e, "c")
			total := int64(0)
			for _, row := range p.e.Postings("c") {
				total += row.Amount
			}
			if total != b.Balance+sum {
				t.Errorf("%s: postings of %d, a balance of %d and %d redeemed", d.Name, total, b.Balance, sum)
			}
			return sum + b.Balance + paid
		}
		never, after := end(false), end(true)
		t.Logf("%s: %d, %d", d.Name, never, after)
		if d.Class == "robust" && after != never {
			t.Errorf("%s: ends with %d, never having bought with %d", d.Name, after, never)
		}
		if d.Class != "robust" && d.Class != "V3(b)" && after <= never {
			t.Errorf("%s: ends with %d, never having bought with %d", d.Name, after, never)
		}
	}
}
