package foreign

import (
	"testing"

	"recoup/internal/issuer"
)

func TestHarborMarketLeaks(t *testing.T) {
	h := harborOpenTill(t, harborMarket)
	h.at("2026-03-05 12:00")
	h.buy("t", 200000)
	h.redeem(6000, true)
	h.at("2026-03-15 12:00")
	h.back("r", "t", 200000)
	h.want(0) // sound: -6000
	h.buy("u", 100000)
	h.back("s", "u", 100000)
	h.want(0) // within the statement it works
}

func TestHarborTelecomLeaks(t *testing.T) {
	h := harborOpenTill(t, harborTelecom)
	h.buy("t", 100000)
	h.redeem(7000, true)
	h.back("r", "t", 100000)
	h.want(0) // sound: -7000
	h.buy("u", 100000)
	h.redeem(7000, true)
}

func TestHarborTelecomWithoutRedemption(t *testing.T) {
	h := harborOpenTill(t, harborTelecom)
	h.buy("t", 100000)
	h.back("r", "t", 50001)
	h.want(49999 * 4 / 100) // the welcome credit is gone
}

func TestHarborStoreLeaks(t *testing.T) {
	h := harborOpenTill(t, harborStore)
	h.at("2026-03-26 12:00")
	h.buy("t", 500000)
	h.at("2026-03-27 12:00")
	h.back("r", "t", 500000)
	h.at("2026-03-28 12:00")
	h.redeem(10000, true)
	h.want(0)
	h.at("2026-09-01 00:00")
	h.want(-10000)
	rows := h.e.Postings("a")
	if due := rows[len(rows)-1].At; due.In(harborZone("Australia/Sydney")).Format("2006-01-02 15:04") != "2026-04-25 00:00" {
		t.Errorf("booked at %v", due)
	}
}

func TestHarborMilesLeaks(t *testing.T) {
	h := harborOpenTill(t, harborMiles)
	h.buy("t", 5000000)
	h.want(5000)
	h.back("r", "t", 5000000)
	h.want(0)
	h.buy("u", 2000000)
	h.want(6000) // sound: 2000
}

func TestHarborWeekendLeaks(t *testing.T) {
	h := harborOpenTill(t, harborWeekend)
	h.at("2026-03-07 12:00") // a Saturday
	h.buy("t", 100000)
	h.want(5000)
	h.at("2026-03-09 12:00")
	h.back("r", "t", 100000)
	h.want(4000) // sound: 0
}

func TestHarborFuelPaysByItself(t *testing.T) {
	h := harborOpenTill(t, harborFuel)
	h.buy("t", 60000) // 200 + 600 + 300
	h.at("2026-01-25 12:00")
	h.want(1100)
	h.redeem(1, false)
	h.back("r", "t", 10000) // known before the credit, booked after it
	h.at("2026-06-01 12:00")
	h.want(0)
	if paid, _ := issuer.PaidOut(h.e, "a"); paid != 800 {
		t.Errorf("paid out %d; rows %v", paid, h.e.Postings("a"))
	}
}

func TestHarborFolioMatures(t *testing.T) {
	h := harborOpenTill(t, harborFolio)
	h.buy("t", 100000)
	h.redeem(1, false)
	h.at("2026-02-05 12:00")
	h.redeem(1000, true)
	h.back("r", "t", 500) // breaks one full ten
	h.want(-10)
}

func TestHarborWaitsThirtyDays(t *testing.T) {
	h := harborOpenTill(t, harborFolio)
	h.buy("t", 100000)
	h.back("r", "typo", 100000)
	h.want(1000)
	h.at("2026-02-10 12:00")
	h.want(0)
	h.must(h.e.Settle(issuer.Settlement{Account: "a", Transaction: "typo", Amount: 100000}))
	h.want(1000)
}
