package foreign

import (
	"strings"
	"testing"

	"recoup/internal/issuer"
)

// The sound ones, in money: what was paid or used is owed after a return, however late.
func TestLagoonSoundOwe(t *testing.T) {
	r := lagoonNewRun(t, lagoonSheet)
	r.on("2024-03-15", "buy", "food", "", 60000, "GROCERY")
	r.on("2024-03-16", "buy", "desk", "", 20000, "")
	r.day(lagoonOn("2024-04-12"))
	r.expect("paid out", 0, 0)
	if paid, err := issuer.PaidOut(r.e, "a"); err != nil || paid != 1700 {
		t.Errorf("paid out: %d, %v", paid, err)
	}
	r.on("2025-04-13", "return", "back", "food", 30000, "")
	r.day(lagoonOn("2025-05-12"))
	r.expect("£9.00 of £15.00 are kept", -600, 0)

	r = lagoonNewRun(t, lagoonRules)
	r.on("2024-03-01", "buy", "dinner", "", 100000, "DINING") // a Friday, on the last day as a new member
	r.expect("1% base, 1% weekend; 1% new member is over", 2000, 0)
	r.day(lagoonOn("2024-03-15"))
	r.redeem("all", 2000)
	r.on("2025-03-15", "return", "back", "dinner", 50000, "")
	r.expect("half is owed", -1000, 0)

	r = lagoonNewRun(t, lagoonEvents)
	r.on("2024-03-01", "buy", "flight", "", 99999, "TRAVEL")
	r.on("2024-03-02", "buy", "rest", "", 1, "")
	r.day(lagoonOn("2024-03-03"))
	r.expect("100 and 2 times 99", 298, 298)
	r.redeem("some", 298)
	r.on("2024-06-01", "return", "back", "rest", 1, "")
	r.expect("nothing is posted by day", 0, 0)
	r.day(lagoonOn("2024-06-02"))
	r.expect("a point is owed", -1, 0)
}

// A return whose purchase is unknown waits, is then set off against another, and goes to its
// own when that clears at last. What it might take cannot be redeemed meanwhile.
func TestLagoonReturnBeforePurchase(t *testing.T) {
	r := lagoonNewRun(t, lagoonRules)
	r.on("2024-04-01", "buy", "fuel", "", 100000, "FUEL")
	r.on("2024-05-01", "return", "early", "late", 50000, "")
	r.day(lagoonOn("2024-05-20"))
	r.expect("waiting", 3000, 1500)
	r.day(lagoonOn("2024-06-01"))
	r.expect("in vain", 1500, 1500)
	r.deliver(lagoonFact{at: lagoonOn("2024-05-02"), kind: "buy", id: "late", amount: 50000})
	r.expect("until it clears", 3000, 3000)
	r.on("2024-06-02", "dispute", "whole", "late", 0, "")
	r.on("2024-06-02", "return", "above", "fuel", 900000, "")
	r.on("2024-06-02", "dispute", "again", "fuel", 0, "")
	r.expect("never less than nothing of a purchase", 0, 0)
}

func TestLagoonDesignsAreDescribed(t *testing.T) {
	for _, d := range lagoonDesigns {
		if !strings.HasPrefix(d.Name, "lagoon-") || d.Source == "" || d.Published == "" || d.How == "" || d.Currency == "" || (d.Leak == "") != (d.Class == "robust") {
			t.Errorf("%s is not described", d.Name)
		}
	}
}
