package foreign

import "testing"

// The tests below play the example of each Leak text, and beside it the nearest course in
// which the flaw has no part.

func TestAmberBasketLeak(t *testing.T) {
	d := amberByName(t, "amber-basket")
	p := amberStart(t, d, "2026-02-28")
	p.on("2026-03-02")
	p.buy("sofa", 200_000, "GROCERY")
	p.want(0)
	p.on("2026-03-27")
	p.want(4_000)
	p.on("2026-03-30")
	p.refund("r", "sofa", 200_000)
	p.on("2026-09-01")
	p.want(4_000)
	if !p.redeem("p", 4_000) {
		t.Fatal("not redeemed")
	}

	p = amberStart(t, d, "2026-03-02")
	p.buy("sofa", 200_000, "GROCERY")
	p.on("2026-03-26")
	p.refund("r", "sofa", 200_000)
	p.on("2026-09-01")
	p.want(0)
}

func TestAmberJetstreamLeak(t *testing.T) {
	d := amberByName(t, "amber-jetstream")
	p := amberStart(t, d, "2026-03-02")
	p.buy("flight", 100_000, "AIRLINE")
	p.want(3_000)
	if !p.redeem("p", 3_000) || p.redeem("q", 1) {
		t.Fatal("redemptions")
	}
	p.refund("r", "flight", 100_000)
	p.want(0)
	p.buy("tyres", 50_000, "OTHER")
	p.want(500)
	if !p.redeem("s", 500) || p.net() != 3_500 {
		t.Fatal(p.net())
	}

	p = amberStart(t, d, "2026-03-02")
	p.buy("flight", 100_000, "AIRLINE")
	p.refund("r", "flight", 100_000)
	p.buy("tyres", 50_000, "OTHER")
	p.want(500)
}

func TestAmberDhowLeak(t *testing.T) {
	d := amberByName(t, "amber-dhow")
	p := amberStart(t, d, "2026-03-16")
	p.buy("flight", 500_000, "AIRLINE")
	p.on("2026-03-18")
	p.refund("r", "flight", 500_000)
	p.on("2026-03-20")
	p.want(20_000)
	if !p.redeem("p", 20_000) {
		t.Fatal("not redeemed")
	}
	p.on("2026-04-15")
	p.want(-20_000)
	p.buy("fuel", 100_000, "FUEL")
	p.want(-16_000) // the debt is kept: only who leaves gets away
	if p.redeem("q", 1) {
		t.Fatal("redeemed a debt")
	}
}

func TestAmberPumpLeak(t *testing.T) {
	d := amberByName(t, "amber-pump")
	p := amberStart(t, d, "2026-03-10")
	p.buy("march", 150_000, "FUEL")
	p.on("2026-04-02")
	p.buy("april", 150_000, "FUEL")
	p.want(15_000)
	p.on("2026-04-05")
	p.refund("r", "march", 150_000)
	p.want(7_500)
	p.on("2026-04-10")
	p.buy("more", 150_000, "FUEL")
	p.want(15_000)

	p = amberStart(t, d, "2026-03-10")
	p.buy("march", 150_000, "FUEL")
	p.on("2026-03-20")
	p.refund("r", "march", 150_000)
	p.on("2026-04-02")
	p.buy("april", 150_000, "FUEL")
	p.buy("more", 150_000, "FUEL")
	p.want(7_500)
}

func TestAmberFjordLeak(t *testing.T) {
	d := amberByName(t, "amber-fjord")
	p := amberStart(t, d, "2026-03-07") // a Saturday
	p.buy("skis", 1_000_000, "OTHER")
	p.want(4_000)
	p.on("2026-03-10")
	p.refund("r", "skis", 1_000_000)
	p.want(3_000)
	if !p.redeem("p", 3_000) {
		t.Fatal("not redeemed")
	}

	p = amberStart(t, d, "2026-03-07")
	p.buy("skis", 1_000_000, "OTHER")
	p.on("2026-03-14")
	p.refund("r", "skis", 1_000_000)
	p.want(0)
}

// TestAmberStray: a return of a purchase that never clears is withheld after 30 days, and
// given back should its purchase come after all.
func TestAmberStray(t *testing.T) {
	p := amberStart(t, amberByName(t, "amber-larder"), "2026-03-02")
	p.buy("food", 100_000, "GROCERY")
	p.refund("r", "unheard of", 50_000)
	p.want(1_000)
	p.on("2026-07-01") // one cheque of SEK 25 would need more
	p.want(500)
	if rows := p.e.Postings("a"); !rows[1].At.Equal(amberNoon(t, "2026-04-01")) {
		t.Fatal(rows)
	}
	p.buy("unheard of", 60_000, "GROCERY")
	p.want(1_100)
	if p.e.Open("a") != nil || p.e.CloseStatement("nobody") == nil {
		t.Fatal("accounts")
	}
}
