package compare_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"recoup/internal/kit/labtest"
	"recoup/internal/lab/compare"
	"recoup/internal/lab/design"
	"recoup/reward"
)

// shop is the program of these tests, with terms under which refunds are matched.
func shop() *reward.Program {
	p := labtest.Everyday()
	p.Method = reward.Rerate
	p.Refunds = reward.RefundTerms{PendingDays: 30, MatchDays: 10, ParkDays: 30, WindowDays: 400, FirmDays: 180, Movable: 32}
	return p
}

// tillSlip is a refund of a purchase of which the network says the shop and no
// more.
func tillSlip(day, account, id string, amount int64, of string) reward.Event {
	e := labtest.Refunded(day, account, id, amount, of)
	e.Merchant = "m1"
	return e
}

// honest returned the cheap one of two purchases, dear the dear one.
func withLinks() compare.Stream {
	return labtest.Stream(
		labtest.Settled("2026-01-05", "honest", "t1", 100_00, "GROCERY"),
		labtest.Settled("2026-01-06", "honest", "t2", 100_00, "HOME"),
		labtest.Settled("2026-01-05", "dear", "t3", 100_00, "GROCERY"),
		labtest.Settled("2026-01-06", "dear", "t4", 100_00, "HOME"),
		tillSlip("2026-01-10", "honest", "r1", 100_00, "t2"),
		tillSlip("2026-01-10", "dear", "r2", 100_00, "t3"),
	)
}

// Designs that are not told the links are judged by them all the same, Recoup too.
func TestCompareUnlinkedByHand(t *testing.T) {
	c, err := compare.Unlinked(context.Background(), shop(), withLinks(), design.Others())
	if err != nil {
		t.Fatal(err)
	}
	if c.Entitlement != 6_00 || c.NetSpend != 200_00 || c.Refunds != 2 || c.UnlinkedRefunds != 2 {
		t.Errorf("entitlement %d, net spend %d, %d refunds, %d without link", c.Entitlement, c.NetSpend, c.Refunds, c.UnlinkedRefunds)
	}
	if want := (compare.Judged{LinksWithheld: true, Refunds: 2}); c.Judged != want {
		t.Errorf("judged %+v, want %+v", c.Judged, want)
	}
	for name, want := range map[string][4]int64{ // leakage, accounts above, shortfall, accounts short
		"A": {6_00, 2, 0, 0},
		// C takes both for the latest purchase, which is right once.
		"C":                 {4_00, 1, 0, 0},
		"Literal (instant)": {6_00, 2, 0, 0},
		// Recoup takes both for the dearer one, which is right once too.
		"Recoup": {0, 0, 4_00, 1},
	} {
		f := labtest.Figures(t, c, name)
		if got := [4]int64{f.Leakage, f.AccountsAbove, f.Shortfall, f.AccountsShort}; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if f := c.Told; f.Leakage != 0 || f.Shortfall != 0 || f.NetReward != 6_00 {
		t.Errorf("told: %+v", f)
	}
	for _, r := range c.Resolutions {
		if r.Reviews != 2 || r.NoReceipt != 0 || r.GivenBack != 4_00 || r.Figures.Shortfall != 0 || r.Figures.Leakage != 0 {
			t.Errorf("%s: %+v", r.Which, r)
		}
	}
	if len(c.Resolutions) != 2 {
		t.Errorf("%d resolutions", len(c.Resolutions))
	}
}

// A second file with the links judges the same, refunds named alike or not.
func TestCompareToldByAnotherStream(t *testing.T) {
	without := func(renamed string) compare.Stream {
		var events []reward.Event
		for batch := range withLinks() {
			for _, e := range batch {
				if e.Type == reward.RefundPosted {
					e.Transaction = ""
					e.Fact += renamed
				}
				events = append(events, e)
			}
		}
		return labtest.Stream(events...)
	}
	for _, test := range []struct {
		renamed            string
		reviews, noReceipt int64
	}{{"", 2, 0}, {"-till", 0, 2}} {
		c, err := compare.Told(context.Background(), shop(), withLinks(), without(test.renamed), []design.Design{labtest.Design(t, "C")})
		if err != nil {
			t.Fatal(err)
		}
		if c.Events != 6 || c.Entitlement != 6_00 || c.Judged != (compare.Judged{LinksWithheld: true, Refunds: 2}) {
			t.Errorf("%d events, entitlement %d, judged %+v", c.Events, c.Entitlement, c.Judged)
		}
		if f := labtest.Figures(t, c, "Recoup"); f.Leakage != 0 || f.Shortfall != 4_00 {
			t.Errorf("Recoup: leakage %d, shortfall %d; want 0, 400", f.Leakage, f.Shortfall)
		}
		if r := c.Resolutions[1]; r.Reviews != test.reviews || r.NoReceipt != test.noReceipt || r.GivenBack != 2_00*test.reviews {
			t.Errorf("refunds named …%s: %+v", test.renamed, r)
		}
	}
}

// The truth has to be of the same purchases.
func TestCompareToldOfOtherPurchases(t *testing.T) {
	_, err := compare.Told(context.Background(), shop(), withLinks(), labtest.Stream(labtest.Settled("2026-01-05", "honest", "t1", 100_00, "GROCERY")), nil)
	if want := "lab: the truth has 2 accounts with purchases of 40000 minor units, the events 1 accounts and 10000: expected the same purchases in both"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// Without its link a refund says what the network says of its purchase: C finds it
// by the shop. Announcements go with the links.
func TestCompareUnlinkedRefundsSayWhereTheyAreFrom(t *testing.T) {
	c, err := compare.Unlinked(context.Background(), shop(), labtest.Stream(
		labtest.Settled("2026-01-05", "a", "t1", 100_00, "GROCERY"),
		labtest.Money(reward.RefundPending, "2026-01-09", reward.Event{Account: "a", Fact: "r1", Amount: 100_00, Transaction: "t1"}),
		labtest.Refunded("2026-01-10", "a", "r1", 100_00, "t1"),
	), []design.Design{labtest.Design(t, "C")})
	if err != nil {
		t.Fatal(err)
	}
	if f := labtest.Figures(t, c, "C"); f.Leakage != 0 || f.NoPath != nil {
		t.Errorf("C leaks %d, no path for %v", f.Leakage, f.NoPath)
	}
	if c.LeftOut["refund.pending"] != 1 {
		t.Errorf("left out %v, want the announcement", c.LeftOut)
	}
}

// How much of the judgement is Recoup's own is said: of a refund without a link and
// of what refunds exceed their purchase by.
func TestCompareSaysByWhoseReckoning(t *testing.T) {
	for _, test := range []struct {
		name   string
		events []reward.Event
		want   compare.Judged
		says   string
	}{
		{"all linked", []reward.Event{labtest.Refunded("2026-01-10", "a", "r1", 40_00, "t1")}, compare.Judged{Refunds: 1},
			"Everybody is judged by the links that they were told: by those of 1 of 1 refunds.\n┌"},
		{"one without link", []reward.Event{labtest.Refunded("2026-01-10", "a", "r1", 40_00, "t1"), tillSlip("2026-01-11", "a", "r2", 20_00, "")},
			compare.Judged{Refunds: 2, Unlinked: 1, UnlinkedAmount: 20_00, ByReckoning: 1_00},
			"The other 1, of $20.00, name none in the truth either. There Recoup's own reckoning stands, told all the links; it takes $1.00 off the entitlement."},
		{"none linked", []reward.Event{tillSlip("2026-01-11", "a", "r2", 20_00, "")},
			compare.Judged{Refunds: 1, Unlinked: 1, UnlinkedAmount: 20_00, ByReckoning: 1_00},
			"What Recoup has above or below is then by its own reckoning."},
		{"more than its price", []reward.Event{tillSlip("2026-01-11", "a", "r2", 120_00, "t1")}, compare.Judged{Refunds: 1, ByReckoning: 1_00},
			"What refunds exceed their purchase by is taken for another's by Recoup's own reckoning, which takes $1.00 off the entitlement."},
		{"none", nil, compare.Judged{}, "There are no refunds; what is due is beyond dispute."},
	} {
		t.Run(test.name, func(t *testing.T) {
			bought := []reward.Event{labtest.Settled("2026-01-05", "a", "t1", 100_00, "GROCERY"), labtest.Settled("2026-01-06", "a", "t2", 100_00, "GROCERY")}
			c := labtest.Compared(t, shop(), labtest.Stream(append(bought, test.events...)...))
			if c.Judged != test.want {
				t.Errorf("%+v, want %+v", c.Judged, test.want)
			}
			var out bytes.Buffer
			if err := c.WriteTable(&out); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.String(), test.says) {
				t.Errorf("no %q in\n%s", test.says, out.String())
			}
		})
	}
}

func TestCompareUnlinkedTable(t *testing.T) {
	c, err := compare.Unlinked(context.Background(), shop(), withLinks(), []design.Design{labtest.Design(t, "C")})
	if err != nil {
		t.Fatal(err)
	}
	labtest.WantTable(t, c,
		"Everybody is judged by links that they were not told: by those of 2 of 2 refunds.",
		"│ doubtful refunds linked ",
		"│   $4.00 │ 66.67 │", // C's leakage of the entitlement
		"│ told the links from the start │",
	)
}
