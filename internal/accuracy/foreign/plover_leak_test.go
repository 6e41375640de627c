package foreign

import (
	"testing"
	"time"
)

// Each flawed design leaks by the very example of its Leak text, and not where its terms
// are kept.

func TestPloverDinarLeak(t *testing.T) {
	p := ploverStart(t, ploverDinar, "2026-03-01")
	p.on("2026-03-20").buy("fridge", "", 2000000)
	p.buy("oven", "", 1000000)
	p.on("2026-04-05").refund("oven", 1000000) // while the month is open
	p.on("2026-04-05").want(0, 0)
	p.on("2026-04-06").want(40000, 40000)
	p.on("2026-04-10").refund("fridge", 2000000)
	p.on("2026-12-31").want(40000, 40000)
}

func TestPloverDukaLeak(t *testing.T) {
	p := ploverStart(t, ploverDuka, "2026-03-01")
	p.buy("tv", "ELECTRONICS", 8000000)
	p.on("2026-03-07").redeem(1, false)
	p.on("2026-03-09").redeem(2400, true)
	p.on("2026-03-10").refund("tv", 8000000)
	p.want(0, 2400)
	p.buy("food", "", 1000000)
	p.on("2026-03-18").redeem(100, true)
	p.want(0, 2500)

	p = ploverStart(t, ploverDuka, "2026-03-01") // not where the points are there
	p.buy("tv", "ELECTRONICS", 8000000)
	p.refund("tv", 8000000)
	p.want(0, 0)
}

func TestPloverSukliLeak(t *testing.T) {
	p := ploverStart(t, ploverSukli, "2026-05-28")
	p.on("2026-06-01").buy("food", "SUPERMARKET", 2000000)
	p.on("2026-06-03").refund("food", 2000000)
	p.on("2026-06-04").redeem(100000, true)
	p.on("2027-06-30").want(-100000, 0)
	rows := p.e.Postings("c")
	if at := rows[len(rows)-1].At; !at.Equal(ploverDate("2026-06-24").Add(4 * time.Hour)) { // midnight of the 25th in Manila
		t.Error(at)
	}
}

func TestPloverMonederoLeak(t *testing.T) {
	p := ploverStart(t, ploverMonedero, "2026-03-01")
	p.buy("ticket", "HOME", 1200000)
	p.want(60000, 60000)
	p.on("2026-03-05").refund("ticket", 600000)
	p.want(30000, 30000)
	p.on("2026-03-06").refund("ticket", 600000)
	p.want(30000, 30000)

	p = ploverStart(t, ploverMonedero, "2026-11-15") // unequal parts, in the campaign
	p.buy("ticket", "HOME", 1200000)
	p.want(120000, 120000)
	p.refund("ticket", 500000)
	p.refund("ticket", 700000)
	p.want(0, 0)
}

func TestPloverFaturaLeak(t *testing.T) {
	p := ploverStart(t, ploverFatura, "2026-05-01")
	p.on("2026-05-15").buy("feast", "RESTAURANT", 200000)
	p.want(10000, 10000)
	p.on("2026-06-15").refund("feast", 200000)
	p.want(0, 0)
	p.on("2026-06-20").buy("meals", "RESTAURANT", 400000)
	p.want(20000, 20000)

	p = ploverStart(t, ploverFatura, "2026-05-01") // not within one bill
	p.on("2026-05-15").buy("feast", "RESTAURANT", 200000)
	p.on("2026-05-20").refund("feast", 200000)
	p.on("2026-05-21").buy("meals", "RESTAURANT", 400000)
	p.want(10000, 10000)
}
