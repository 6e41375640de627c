package foreign

import "testing"

// Each leak, with the example of its Leak text.

func TestWalrusTamarinLeaks(t *testing.T) {
	for day, want := range map[string]int64{"2026-02-15": -3000, "2026-03-01": 0} {
		p := walrusNewPlay(t, walrusTamarin)
		p.clock("2026-01-10")
		p.buy("sofa", 200000, "")
		p.clock("2026-01-22")
		p.redeem(3000, true)
		p.clock(day)
		p.back("r", "sofa", 200000)
		p.clock("2027-06-01")
		p.shows(want, 0)
	}
}

func TestWalrusSaguaroLeaks(t *testing.T) {
	p := walrusNewPlay(t, walrusSaguaro)
	p.buy("one", 100000, "")
	p.clock("2026-01-02")
	p.redeem(2000, true)
	p.back("r", "one", 100000)
	p.clock("2026-01-03")
	p.shows(0, 0)
	p.buy("two", 100000, "")
	p.clock("2026-01-04")
	p.shows(2000, 2000)
	p.back("r2", "two", 50000) // of what was not redeemed nothing leaks
	p.shows(2000, 1000)
	p.clock("2026-01-05")
	p.shows(1000, 1000)
}

func TestWalrusMonsoonLeaks(t *testing.T) {
	p := walrusNewPlay(t, walrusMonsoon)
	p.clock("2026-01-10")
	p.buy("feast", 2000000, "DINING")
	p.clock("2026-01-11")
	p.back("r", "feast", 2000000)
	p.clock("2026-01-20")
	p.redeem(2000, true)
	p.clock("2026-02-07")
	p.shows(0, 0)
	p.clock("2026-12-31")
	p.shows(-2000, 0)
	p.buy("more", 1000000, "DINING") // debts are repaid
	p.shows(-1000, 0)
}

func TestWalrusCaribouLeaks(t *testing.T) {
	p := walrusNewPlay(t, walrusCaribou)
	p.clock("2026-01-10") // a Saturday
	p.buy("skis", 100000, "")
	p.clock("2026-02-02")
	p.shows(4000, 4000)
	p.clock("2026-02-10") // a Tuesday
	p.back("r", "skis", 100000)
	p.shows(4000, 3000)
	p.buy("boots", 100000, "")
	p.clock("2026-03-02")
	p.shows(4000, 4000)
	p.clock("2026-03-14") // a Saturday: too much is taken, and given back by hand
	p.back("r2", "boots", 100000)
	p.clock("2026-04-02")
	p.shows(0, 0)
	p.clock("2026-04-07")
	p.shows(3000, 3000)
}
