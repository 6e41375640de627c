package foreign

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// freshTry is a program with one customer, to be tried by hand.
type freshTry struct {
	*testing.T
	Engine
	now      time.Time
	redeemed int64
	facts    int
}

func freshTryOf(t *testing.T, name string, opened string) *freshTry {
	t.Helper()
	for _, d := range freshDesigns {
		if d.Name == name {
			try := &freshTry{T: t, Engine: d.New()}
			try.on(opened)
			try.must(try.Open("a"))
			return try
		}
	}
	t.Fatalf("no design %s", name)
	return nil
}

func (try *freshTry) must(err error) {
	try.Helper()
	if err != nil {
		try.Fatal(err)
	}
}

// on moves the clock to noon of a day.
func (try *freshTry) on(day string) {
	try.Helper()
	at, err := time.Parse(time.DateOnly, day)
	try.must(err)
	try.now = at.Add(12 * time.Hour)
	try.must(try.SetClock(try.now))
}

func (try *freshTry) buy(id, category string, amount int64) {
	try.Helper()
	s := issuer.Settlement{Account: "a", Transaction: id, Amount: amount, Merchant: "shop-" + category, Category: category}
	try.must(try.Settle(s))
	try.must(try.Settle(s)) // once more has no effect
}

// back returns of a purchase, or of none.
func (try *freshTry) back(of, category string, amount int64) {
	try.Helper()
	try.facts++
	r := issuer.Refund{
		Account: "a", Refund: fmt.Sprintf("r%d", try.facts), Transaction: of, Amount: amount, Merchant: "shop-" + category, Category: category,
	}
	try.must(try.Refund(r))
	try.must(try.Refund(r))
}

func (try *freshTry) redeem(amount int64, want bool) {
	try.Helper()
	try.facts++
	got, err := try.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprintf("c%d", try.facts), Amount: amount})
	try.must(err)
	if got != want {
		try.Fatalf("redeeming %d: got %v, want %v", amount, got, want)
	}
	if got {
		try.redeemed += amount
	}
}

// stands holds balance and redeemable, and that the books add up.
func (try *freshTry) stands(balance, redeemable int64) {
	try.Helper()
	b, err := try.Balance("a")
	try.must(err)
	if b.Balance != balance || b.Redeemable != redeemable {
		try.Fatalf("balance %d and redeemable %d, want %d and %d", b.Balance, b.Redeemable, balance, redeemable)
	}
	try.addsUp()
}

// paid is what was paid out by itself.
func (try *freshTry) paid(want int64) {
	try.Helper()
	got, err := issuer.PaidOut(try.Engine, "a")
	try.must(err)
	if got != want {
		try.Fatalf("paid out %d, want %d", got, want)
	}
}

func (try *freshTry) addsUp() {
	try.Helper()
	b, err := try.Balance("a")
	try.must(err)
	sum := -try.redeemed
	for _, p := range try.Postings("a") {
		sum += p.Amount
		if p.Amount == 0 || (p.Kind == Earned) != (p.Amount > 0) && p.Kind != Adjusted {
			try.Fatalf("posting %+v", p)
		}
	}
	if sum != b.Balance || b.Redeemable < 0 || b.Redeemable > max(0, b.Balance) {
		try.Fatalf("the books say %d, the balance is %+v", sum, b)
	}
}

func TestFreshLarder(t *testing.T) {
	try := freshTryOf(t, "fresh-larder", "2024-01-05")
	try.buy("p1", "GROCERY", 100_00)
	try.stands(600, 600)
	try.redeem(601, false)
	try.redeem(0, false)
	try.redeem(600, true)
	try.back("p1", "GROCERY", 40_00)
	try.stands(-240, 0)
	try.buy("p2", "OTHER", 300_00)
	try.stands(60, 60)
	try.on("2024-08-01")
	try.buy("p3", "GROCERY", 6_000_00) // 5,940 at 6% and 60 at 1%
	try.stands(60+357_00, 60+357_00)
	try.back("p1", "GROCERY", 100_00) // what is left of it, and no more
	try.stands(60+357_00-3_60+3_00, 60+357_00-3_60+3_00)
	try.must(try.Chargeback(issuer.Chargeback{Account: "a", Chargeback: "cb", Transaction: "p3"}))
	try.stands(-300, 0)
}

func TestFreshLarderWelcome(t *testing.T) {
	try := freshTryOf(t, "fresh-larder", "2024-01-05")
	try.buy("p1", "OTHER", 3_000_00)
	try.stands(280_00, 280_00)
	try.redeem(280_00, true)
	try.back("p1", "OTHER", 1)
	try.stands(-250_00, 0) // $29.9999 are $30.00
	try.buy("p2", "OTHER", 1)
	try.stands(0, 0)
}

func TestFreshGuess(t *testing.T) {
	try := freshTryOf(t, "fresh-larder", "2024-06-01")
	try.buy("p1", "GROCERY", 50_00)
	try.on("2024-06-02")
	try.buy("p2", "FUEL", 80_00)
	try.stands(300+240, 540)
	try.back("", "GROCERY", 50_00) // p1, by the shop
	try.stands(240, 240)
	try.back("p1", "GROCERY", 50_00) // so it was p2
	try.stands(90, 90)
	try.back("p9", "GROCERY", 10_00) // not heard of yet
	try.stands(90, 90)
	try.buy("p9", "GROCERY", 10_00)
	try.stands(90, 90)
}

func TestFreshVoucher(t *testing.T) {
	try := freshTryOf(t, "fresh-voucher", "2024-01-05")
	try.buy("p1", "GROCERY", 199_99)
	try.buy("p2", "ONLINE", 900_00) // 112
	try.stands(0, 0)
	try.on("2024-02-01") // 311 points
	try.stands(300, 300)
	try.redeem(300, true)
	try.back("p1", "GROCERY", 99_00) // 100 points are kept
	try.stands(-150, 0)
	try.buy("p3", "GROCERY", 300_00) // 512 points
	try.stands(-150, 0)
	try.on("2024-05-01")
	try.stands(150, 150)
}

func TestFreshTopshelf(t *testing.T) {
	try := freshTryOf(t, "fresh-topshelf", "2024-01-05")
	try.buy("p1", "GROCERY", 400_00)
	try.buy("p2", "DINING", 300_00)
	try.buy("p3", "ONLINE", 999_99)
	try.stands(0, 0)
	try.on("2024-02-01")
	try.stands(32_99, 32_99) // 16.9999 + 16.00
	try.redeem(32_99, true)
	try.on("2025-03-03")
	try.back("p1", "GROCERY", 200_00)
	try.stands(26_99-32_99, 0) // dining is the highest now
}

func TestFreshTracked(t *testing.T) {
	try := freshTryOf(t, "fresh-tracked", "2024-01-05")
	try.buy("p1", "DINING", 90_00)
	try.buy("p2", "TRAVEL", 10_000_00)
	try.buy("p3", "ONLINE", 5_00)
	try.on("2024-03-05")
	try.stands(0, 0)
	try.on("2024-03-06")
	try.stands(4_50+50_00+20, 0)
	try.on("2024-05-16")
	try.paid(54_70)
	try.back("p2", "TRAVEL", 9_000_00)
	try.back("p3", "ONLINE", 1)
	try.stands(0, 0)
	try.on("2024-05-17")
	try.stands(-30_20, 0)
	try.on("2026-01-01")
	try.stands(-30_20, 0)
	try.paid(54_70)
}

func TestFreshFourths(t *testing.T) {
	try := freshTryOf(t, "fresh-fourths", "2024-01-05")
	try.buy("p1", "ONLINE", 100_01) // two dollars, and ten
	try.stands(10_50, 10_50)
	try.on("2024-01-19")
	try.stands(11_00, 11_00)
	try.redeem(11_00, true)
	try.back("p1", "ONLINE", 50_01)
	try.stands(-10_50, 0)
	try.on("2024-03-01")
	try.stands(-10_00, 0)
	try.back("p1", "ONLINE", 30_01) // less than twenty are kept
	try.stands(-11_00, 0)
	try.buy("p2", "GROCERY", 100_00)
	try.stands(-75, 0)
}

// The flawed ones: as their Leak says.

func TestFreshPointsLeak(t *testing.T) {
	try := freshTryOf(t, "fresh-points", "2024-06-03")
	try.buy("p1", "ONLINE", 200_000)
	try.stands(2000, 0)
	try.on("2024-07-10")
	try.stands(2000, 2000)
	try.redeem(2000, true)
	try.on("2024-07-15")
	try.back("p1", "ONLINE", 200_000)
	try.stands(0, 0)
	try.buy("p2", "FUEL", 1_000)
	try.back("p2", "FUEL", 801)
	try.stands(1, 0)
}

func TestFreshCreditLeak(t *testing.T) {
	try := freshTryOf(t, "fresh-credit", "2024-05-03")
	try.buy("p1", "ONLINE", 10_000_00)
	try.on("2024-06-01")
	try.paid(500_00)
	try.back("p1", "ONLINE", 10_000_00)
	try.on("2024-07-01")
	try.stands(0, 0)
	try.buy("p2", "ONLINE", 1_000_00)
	try.on("2024-08-01")
	try.paid(550_00)
}

func TestFreshCoinsLeak(t *testing.T) {
	try := freshTryOf(t, "fresh-coins", "2024-03-06")
	try.buy("p1", "ONLINE", 1_000_00)
	try.on("2024-03-08")
	try.back("p1", "ONLINE", 1_000_00)
	try.on("2024-03-10")
	try.redeem(3000, true)
	try.on("2024-04-05")
	try.stands(-3000, 0)
	try.buy("p2", "OTHER", 3_000_00)
	try.stands(0, 0)
}

func TestFreshRotationLeak(t *testing.T) {
	try := freshTryOf(t, "fresh-rotation", "2024-10-02")
	try.buy("p1", "ONLINE", 1_500_00)
	try.buy("p2", "ONLINE", 1_500_00)
	try.buy("p3", "ONLINE", 1_500_00)
	try.stands(105_00, 105_00)
	try.back("p3", "ONLINE", 1_500_00)
	try.stands(150_00, 150_00)
}

func TestFreshRotationBelowLimit(t *testing.T) {
	try := freshTryOf(t, "fresh-rotation", "2024-10-02")
	try.buy("p1", "ONLINE", 1_500_00)
	try.buy("p2", "ONLINE", 1_500_00)
	try.back("p1", "ONLINE", 500_00)
	try.stands(85_00, 85_00) // 1,000 and 500 at 5%, 1,000 at 1%
}

func TestFreshLadderLeak(t *testing.T) {
	try := freshTryOf(t, "fresh-ladder", "2024-01-02")
	try.buy("p0", "TRAVEL", 15_000_00)
	try.back("p0", "TRAVEL", 15_000_00)
	try.stands(0, 0)
	for i := range 20 {
		try.buy(fmt.Sprintf("p%d", i+1), "OTHER", 1_000_00)
	}
	try.stands(500_00, 500_00)
}

// TestFreshChance plays facts by chance: the books of all designs add up after each, and
// at the end the sound ones have granted what they grant on what was kept.
func TestFreshChance(t *testing.T) {
	categories := []string{"GROCERY", "DINING", "FUEL", "ONLINE", "TRAVEL", "OTHER"}
	for _, d := range freshDesigns {
		for seed := range uint64(30) {
			rnd := rand.New(rand.NewPCG(seed, 7))
			try, kept := freshTryOf(t, d.Name, "2024-01-05"), freshTryOf(t, d.Name, "2024-01-05")
			type bought struct {
				id, category   string
				amount, back   int64
				made, heardNow time.Time
			}
			var all []*bought
			for i := range 120 {
				try.now = try.now.Add(time.Duration(rnd.IntN(100)) * time.Hour)
				try.must(try.SetClock(try.now))
				switch n := rnd.IntN(10); {
				case n < 5 || len(all) == 0:
					b := &bought{fmt.Sprintf("p%d", i), categories[rnd.IntN(6)], int64(1 + rnd.IntN(200_000)), 0, try.now.Add(-time.Duration(rnd.IntN(90)) * time.Hour), try.now}
					if rnd.IntN(8) == 0 { // its refund is told of first
						b.back = b.amount / 2
						try.back(b.id, b.category, max(1, b.back))
						b.back = max(1, b.back)
					}
					all = append(all, b)
					try.must(try.Settle(issuer.Settlement{Account: "a", Transaction: b.id, Amount: b.amount, Merchant: "shop-" + b.category, Category: b.category, At: b.made}))
				case n < 7:
					b := all[rnd.IntN(len(all))]
					amount := 1 + rnd.Int64N(b.amount+b.amount/5+1)
					try.back(b.id, b.category, amount)
					b.back = min(b.amount, b.back+amount)
				case n < 8:
					b := all[rnd.IntN(len(all))]
					try.facts++
					try.must(try.Chargeback(issuer.Chargeback{Account: "a", Chargeback: fmt.Sprintf("b%d", try.facts), Transaction: b.id}))
					b.back = b.amount
				default:
					b, err := try.Balance("a")
					try.must(err)
					try.redeem(b.Redeemable, b.Redeemable > 0)
				}
				try.addsUp()
			}
			for _, b := range all {
				kept.now = b.heardNow
				kept.must(kept.SetClock(kept.now))
				if b.amount > b.back {
					kept.must(kept.Settle(issuer.Settlement{
						Account: "a", Transaction: b.id, Amount: b.amount - b.back, Merchant: "shop-" + b.category, Category: b.category, At: b.made,
					}))
				}
			}
			try.on("2029-01-01")
			kept.on("2029-01-01")
			try.addsUp()
			if got, want := freshHad(try), freshHad(kept); d.Class == "robust" && got != want {
				t.Errorf("%s, seed %d: had %d, on what was kept %d", d.Name, seed, got, want)
			}
		}
	}
}

// TestFreshNothingKept returns without names first, and then all by name: of the sound
// ones nothing is kept, whatever was redeemed between.
func TestFreshNothingKept(t *testing.T) {
	for _, d := range freshDesigns {
		rnd := rand.New(rand.NewPCG(3, 9))
		try := freshTryOf(t, d.Name, "2024-01-05")
		for i := range 60 {
			try.now = try.now.Add(time.Duration(rnd.IntN(200)) * time.Hour)
			try.must(try.SetClock(try.now))
			category := []string{"GROCERY", "ONLINE", "FUEL"}[rnd.IntN(3)]
			try.buy(fmt.Sprintf("p%d", i), category, int64(1_000+rnd.IntN(200_000)))
			if rnd.IntN(3) == 0 {
				try.back("", category, int64(1+rnd.IntN(150_000)))
			}
			if b, err := try.Balance("a"); err == nil && rnd.IntN(4) == 0 {
				try.redeem(b.Redeemable, b.Redeemable > 0)
			}
			try.addsUp()
		}
		for i := range 60 {
			try.must(try.Chargeback(issuer.Chargeback{Account: "a", Chargeback: fmt.Sprintf("b%d", i), Transaction: fmt.Sprintf("p%d", i)}))
			try.addsUp()
		}
		try.on("2029-01-01")
		try.addsUp()
		if had := freshHad(try); d.Class == "robust" && had != 0 {
			t.Errorf("%s: had %d of nothing", d.Name, had)
		}
	}
}

// freshHad is what the customer has had.
func freshHad(try *freshTry) int64 {
	b, err := try.Balance("a")
	try.must(err)
	paid, err := issuer.PaidOut(try.Engine, "a")
	try.must(err)
	return b.Balance + paid + try.redeemed
}
