package compare_test

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"strings"
	"testing"

	"recoup/internal/ingest"
	"recoup/internal/kit/labtest"
	"recoup/internal/lab/compare"
	"recoup/internal/lab/design"
	"recoup/program"
	"recoup/reward"
)

// Three cardholders: one returns everything in the next month, one returns a part
// in the same month and the rest in the next, one keeps what was bought.
func TestCompareFiguresByHand(t *testing.T) {
	c := labtest.Compared(t, labtest.Everyday(), labtest.Stream(
		labtest.Settled("2026-01-05", "dipper", "t1", 1000_00, "GROCERY"),
		labtest.Settled("2026-01-06", "parter", "t2", 100_00, "GROCERY"),
		labtest.Settled("2026-01-07", "keeper", "t3", 200_00, ""),
		labtest.Refunded("2026-01-20", "parter", "r1", 40_00, "t2"),
		labtest.Refunded("2026-02-05", "parter", "r2", 60_00, "t2"),
		labtest.Refunded("2026-02-10", "dipper", "r3", 1000_00, "t1"),
	), design.Others()...)

	if c.Accounts != 3 || c.Events != 6 || c.Purchased != 1300_00 || c.NetSpend != 200_00 || c.Entitlement != 2_00 {
		t.Errorf("of the stream: %d accounts, %d events, purchased %d, net spend %d, entitlement %d", c.Accounts, c.Events, c.Purchased, c.NetSpend, c.Entitlement)
	}
	for _, want := range []compare.Figures{
		// Nobody listens: $50 and $5 stay.
		{Design: "A", Granted: 57_00, Redeemed: 57_00, NetReward: 57_00, Leakage: 55_00, AccountsAbove: 2},
		// Only the refund within the month counts.
		{Design: "B", Granted: 55_00, Redeemed: 55_00, NetReward: 55_00, Leakage: 53_00, AccountsAbove: 2},
		{Design: "C", Granted: 57_00, ClawedBack: 55_00, Redeemed: 55_00, NetReward: 2_00, Debt: 53_00, AccountsOwed: 2},
		{Design: "D", Granted: 55_00, ClawedBack: 53_00, Redeemed: 55_00, NetReward: 2_00, Debt: 53_00, AccountsOwed: 2},
		{Design: "E", Granted: 55_00, ClawedBack: 53_00, Redeemed: 55_00, NetReward: 2_00, Debt: 53_00, AccountsOwed: 2},
		// The $2 of January's refund were redeemed a moment before the close.
		{Design: "F", Granted: 57_00, ClawedBack: 55_00, Redeemed: 57_00, NetReward: 2_00, Debt: 55_00, AccountsOwed: 2},
		// What was redeemed is forgiven.
		{Design: "V3(a)", Granted: 57_00, ClawedBack: 2_00, Redeemed: 55_00, NetReward: 55_00, Leakage: 53_00, AccountsAbove: 2},
		{Design: "Literal (instant)", Granted: 57_00, ClawedBack: 55_00, Redeemed: 55_00, NetReward: 2_00, Debt: 53_00, AccountsOwed: 2},
		// G1: of the $3 on $60, the refund of 60 in 100 takes $1.80.
		{Design: "Literal (statement)", Granted: 55_00, ClawedBack: 51_80, Redeemed: 55_00, NetReward: 3_20, Leakage: 1_20, AccountsAbove: 1, Debt: 51_80, AccountsOwed: 2},
		// G6: the close forgets January's refund.
		{Design: "Literal (hybrid)", Granted: 57_00, ClawedBack: 53_00, Redeemed: 57_00, NetReward: 4_00, Leakage: 2_00, AccountsAbove: 1, Debt: 53_00, AccountsOwed: 2},
		{Design: "Recoup", Granted: 57_00, ClawedBack: 55_00, Redeemed: 55_00, NetReward: 2_00, Debt: 53_00, AccountsOwed: 2},
	} {
		got := labtest.Figures(t, c, want.Design)
		got.Title = ""
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", want.Design, got, want)
		}
	}
}

func TestCompareEarningsRepayDebt(t *testing.T) {
	c := labtest.Compared(t, labtest.Everyday(), labtest.Stream(
		labtest.Settled("2026-01-05", "a", "t1", 100_00, "GROCERY"),
		labtest.Refunded("2026-02-05", "a", "r1", 100_00, "t1"),
		labtest.Settled("2026-05-05", "a", "t2", 40_00, "GROCERY"),
	), labtest.Design(t, "C"), labtest.Design(t, "V3(a)"))
	if f := labtest.Figures(t, c, "C"); f.Debt != 3_00 || f.Leakage != 0 {
		t.Errorf("C: debt %d, leakage %d; want 300, 0", f.Debt, f.Leakage)
	}
	if f := labtest.Figures(t, c, "V3(a)"); f.Debt != 0 || f.Leakage != 5_00 {
		t.Errorf("V3(a): debt %d, leakage %d; want 0, 500", f.Debt, f.Leakage)
	}
}

func TestCompareShortPaymentIsNotSetOffAgainstLeakage(t *testing.T) {
	// C gives nothing back for the room that a refund frees (G11): $50 short on one
	// account. Issuer A is right there, and $5 above on the other.
	c := labtest.Compared(t, labtest.Everyday(), labtest.Stream(
		labtest.Settled("2026-01-05", "cut", "t1", 1000_00, "GROCERY"),
		labtest.Settled("2026-01-06", "cut", "t2", 1000_00, "GROCERY"),
		labtest.Refunded("2026-02-10", "cut", "r1", 1000_00, "t1"),
		labtest.Settled("2026-02-11", "dip", "t3", 100_00, "GROCERY"),
		labtest.Refunded("2026-02-12", "dip", "r2", 100_00, "t3"),
	), labtest.Design(t, "A"), labtest.Design(t, "C"))
	if c.Entitlement != 50_00 {
		t.Errorf("entitlement %d, want 5000", c.Entitlement)
	}
	if f := labtest.Figures(t, c, "A"); f.Leakage != 5_00 || f.ShortPaid != 0 {
		t.Errorf("A: leakage %d, short paid %d; want 500, 0", f.Leakage, f.ShortPaid)
	}
	if f := labtest.Figures(t, c, "C"); f.Leakage != 0 || f.ShortPaid != 50_00 || f.AccountsBelow != 1 {
		t.Errorf("C: leakage %d, short paid %d of %d accounts; want 0, 5000 of 1", f.Leakage, f.ShortPaid, f.AccountsBelow)
	}
}

// A grace hold ends before the month does, and what it held is redeemed then.
func TestCompareRedeemsAfterGrace(t *testing.T) {
	p := labtest.Everyday()
	p.Redemption.GraceDays = 27
	c := labtest.Compared(t, p, labtest.Stream(labtest.Settled("2026-01-05", "a", "t1", 100_00, "GROCERY")), labtest.Design(t, "Literal (statement)"))
	for _, name := range []string{"Literal (statement)", "Recoup"} {
		if f := labtest.Figures(t, c, name); f.Redeemed != 5_00 {
			t.Errorf("%s: redeemed %d, want 500", name, f.Redeemed)
		}
	}
}

// However a program times things, the last closes leave nothing waiting: the
// refund of a purchase that never came is taken for another after park_days, and
// until then the reward that it may take cannot be redeemed.
func TestCompareWaitsForWhatIsDeferred(t *testing.T) {
	p := labtest.Everyday()
	p.Timing = reward.Timing{Grant: reward.GrantAtStatement, Clawback: reward.ClawbackAtStatement}
	p.Refunds = reward.RefundTerms{MatchDays: 10, ParkDays: 45, WindowDays: 400, FirmDays: 180, Movable: 32}
	lost := labtest.Refunded("2026-01-20", "a", "r1", 100_00, "not-this-one")
	lost.Merchant = "m1"
	c := labtest.Compared(t, p, labtest.Stream(labtest.Settled("2026-01-05", "a", "t1", 100_00, "GROCERY"), lost))
	if f := labtest.Figures(t, c, "Recoup"); f.Redeemed != 0 || f.ClawedBack != 5_00 || f.Debt != 0 || c.Entitlement != 0 {
		t.Errorf("redeemed %d, clawed back %d, debt %d, entitlement %d; want 0, 500, 0, 0", f.Redeemed, f.ClawedBack, f.Debt, c.Entitlement)
	}
}

func TestCompareLateDeliveryCountsWhenItHappened(t *testing.T) {
	// Both purchases of each account are delivered in February. One of each was made
	// in January and has January's cap; C, which counts what it is told, cuts it.
	c := labtest.Compared(t, labtest.Everyday(), labtest.Stream(
		labtest.Settled("2026-02-03", "other", "t0", 1_00, ""),
		labtest.Settled("2026-02-02", "a", "t1", 1000_00, "GROCERY"),
		labtest.Settled("2026-01-20", "a", "t2", 1000_00, "GROCERY"),
		labtest.Settled("2026-01-20", "b", "t3", 1000_00, "GROCERY"),
		labtest.Settled("2026-02-20", "b", "t4", 1000_00, "GROCERY"),
	), labtest.Design(t, "C"))
	if c.Entitlement != 200_01 {
		t.Errorf("entitlement %d, want 20001", c.Entitlement)
	}
	for name, granted := range map[string]int64{"C": 100_01, "Recoup": 200_01} {
		if f := labtest.Figures(t, c, name); f.Granted != granted || f.Shortfall != 200_01-granted {
			t.Errorf("%s granted %d, %d short; want %d, %d", name, f.Granted, f.Shortfall, granted, 200_01-granted)
		}
	}
}

func TestCompareLeavesOutAndCounts(t *testing.T) {
	euros := labtest.Settled("2026-01-05", "a", "t9", 100_00, "GROCERY")
	euros.Currency = "EUR"
	c := labtest.Compared(t, labtest.Everyday(), labtest.Stream(
		labtest.Settled("2026-01-05", "a", "t1", 100_00, "GROCERY"),
		euros,
		labtest.Settled("2026-01-05", "b", "t8", -5, ""),
		labtest.Money(reward.RedemptionRequested, "2026-01-06", reward.Event{Account: "a", Fact: "d1", Amount: 5_00}),
		labtest.Money(reward.AdjustmentPosted, "2026-01-06", reward.Event{Account: "a", Fact: "x1", Amount: 100_00, Reason: "goodwill", Actor: "x"}),
		labtest.Money(reward.RefundPending, "2026-01-07", reward.Event{Account: "a", Fact: "r1", Amount: 50_00, Transaction: "t1"}),
		labtest.At("2026-01-08", reward.Event{Account: "a", Type: reward.TransactionReversed, Transaction: "t1"}),
	), labtest.Design(t, "C"))
	if want := map[string]int64{"transaction.settled": 2, "redemption.requested": 1, "adjustment.posted": 1}; !maps.Equal(c.LeftOut, want) {
		t.Errorf("left out %v, want %v", c.LeftOut, want)
	}
	if c.Accounts != 1 {
		t.Errorf("%d accounts: one that sent nothing of use was opened", c.Accounts)
	}
	f := labtest.Figures(t, c, "C")
	if want := map[string]int64{"refund.pending": 1, "transaction.reversed": 1}; !maps.Equal(f.NoPath, want) {
		t.Errorf("C: no path for %v, want %v", f.NoPath, want)
	}
	if f.Leakage != 5_00 {
		t.Errorf("C leaks %d through the withdrawn clearing, want 500", f.Leakage)
	}
	if f := labtest.Figures(t, c, "Recoup"); f.NoPath != nil || f.Leakage != 0 {
		t.Errorf("Recoup: no path for %v, leakage %d", f.NoPath, f.Leakage)
	}
}

// Whoever closes an account redeems before.
func TestCompareClosingAccounts(t *testing.T) {
	c := labtest.Compared(t, labtest.Everyday(), labtest.Stream(
		labtest.Settled("2026-01-05", "a", "t1", 100_00, "GROCERY"),
		labtest.At("2026-01-06", reward.Event{Account: "a", Type: reward.AccountClosed}),
		labtest.Refunded("2026-01-07", "a", "r1", 100_00, "t1"),
	), labtest.Design(t, "A"), labtest.Design(t, "C"))
	for name, leakage := range map[string]int64{"A": 5_00, "C": 0, "Recoup": 0} {
		if f := labtest.Figures(t, c, name); f.Redeemed != 5_00 || f.Leakage != leakage || f.Debt != 5_00-leakage {
			t.Errorf("%s: redeemed %d, leakage %d, debt %d; want 500, %d, %d", name, f.Redeemed, f.Leakage, f.Debt, leakage, 5_00-leakage)
		}
	}
}

func TestCompareOnNothing(t *testing.T) {
	c := labtest.Compared(t, labtest.Everyday(), labtest.Stream(), design.Others()...)
	if len(c.Designs) != len(design.Others())+1 || c.Events != 0 || c.Accounts != 0 {
		t.Errorf("%d designs, %d events, %d accounts", len(c.Designs), c.Events, c.Accounts)
	}
}

func TestComparePassesErrorsOn(t *testing.T) {
	broken := errors.New("line 7 is broken")
	_, err := compare.Designs(context.Background(), labtest.Everyday(), func(yield func([]reward.Event, error) bool) { yield(nil, broken) }, nil)
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the stream", err)
	}
	_, err = compare.Designs(context.Background(), labtest.Everyday(), labtest.Stream(labtest.At("2199-12-31", reward.Event{Account: "a", Type: reward.CycleClosed})), []design.Design{labtest.Design(t, "A")})
	if err == nil || !strings.HasPrefix(err.Error(), "design A: ") {
		t.Errorf("error %v, want one that names the design", err)
	}
}

func TestCompareRecoupNeverLeaks(t *testing.T) {
	for _, timing := range []reward.Timing{{}, {Grant: reward.GrantAtStatement, Clawback: reward.ClawbackAtStatement}} {
		for _, method := range []reward.ClawbackMethod{reward.Proportional, reward.Rerate} {
			p := program.Everyday()
			p.Timing, p.Method = timing, method
			c := labtest.Compared(t, p, labtest.InBatches(labtest.Busy(1)), design.Others()...)
			if f := labtest.Figures(t, c, "Recoup"); f.Leakage != 0 || f.AccountsAbove != 0 || f.Granted == 0 || f.ClawedBack == 0 {
				t.Errorf("timing %v, method %v: Recoup leaks %d at %d accounts, granted %d, clawed back %d", timing, method, f.Leakage, f.AccountsAbove, f.Granted, f.ClawedBack)
			}
			if f := labtest.Figures(t, c, "Recoup"); method == reward.Rerate && f.Shortfall != 0 {
				t.Errorf("timing %v: rerated, Recoup is %d short at %d accounts", timing, f.Shortfall, f.AccountsShort)
			}
			if f := labtest.Figures(t, c, "A"); f.Leakage == 0 {
				t.Errorf("timing %v, method %v: A does not leak", timing, method)
			}
			for _, f := range c.Designs {
				if f.NetReward != f.Granted-f.ClawedBack || f.NetReward != c.Entitlement+f.Leakage-f.ShortPaid {
					t.Errorf("%s does not add up: %+v, entitlement %d", f.Design, f, c.Entitlement)
				}
			}
		}
	}
}

// The port, which lab.NewRecoup stands behind, makes no difference to Recoup.
func TestCompareRecoupBehindThePort(t *testing.T) {
	ported := design.Design{Name: "ported", New: design.NewRecoup}
	c := labtest.Compared(t, program.Everyday(), labtest.InBatches(labtest.Busy(2)), ported)
	got, want := labtest.Figures(t, c, "ported"), labtest.Figures(t, c, "Recoup")
	got.Design, got.Title = want.Design, want.Title
	if !reflect.DeepEqual(got, want) {
		t.Errorf("behind the port %+v\n           itself %+v", got, want)
	}
}

// Two years of a real shop, whose refunds name no purchase.
func TestCompareRetail(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	p, err := program.Load("../../../examples/retail.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range []ingest.Link{ingest.LinkMatched, ingest.LinkNone} {
		retail := labtest.RetailStart(t, "../../..", link)
		c := labtest.Compared(t, p, labtest.InBatches(retail.Events()), design.Others()...)
		if c.Accounts < 1000 || c.Entitlement == 0 || c.UnlinkedRefunds == 0 {
			t.Errorf("%d accounts, entitlement %d, %d unlinked refunds", c.Accounts, c.Entitlement, c.UnlinkedRefunds)
		}
		for _, f := range c.Designs {
			if leaks := f.Leakage > 0; leaks != (f.Design != "Recoup") {
				t.Errorf("%s leaks %d", f.Design, f.Leakage)
			}
		}
		if link == ingest.LinkMatched {
			compareRetailUnlinked(t, p, c, retail)
		}
	}
}

// compareRetailUnlinked judges by links that nobody was told.
func compareRetailUnlinked(t *testing.T, p *reward.Program, linked *compare.Comparison, retail *ingest.Imported) {
	t.Helper()
	c, err := compare.Unlinked(context.Background(), p, labtest.InBatches(retail.Events()), design.Others())
	if err != nil {
		t.Fatal(err)
	}
	if c.Entitlement != linked.Entitlement || c.Refunds != linked.Refunds || c.UnlinkedRefunds != c.Refunds {
		t.Errorf("entitlement %d of %d refunds, %d without link; with links %d of %d", c.Entitlement, c.Refunds, c.UnlinkedRefunds, linked.Entitlement, linked.Refunds)
	}
	if want := labtest.Figures(t, linked, "Recoup"); c.Told.NetReward != want.NetReward {
		t.Errorf("told the links, Recoup ends with %d, and %d where everybody is", c.Told.NetReward, want.NetReward)
	}
	before := labtest.Figures(t, c, "Recoup")
	if before.Leakage > c.Entitlement/10_000 || before.Shortfall == 0 {
		t.Errorf("Recoup leaks %d and is %d short of %d", before.Leakage, before.Shortfall, c.Entitlement)
	}
	for _, r := range c.Resolutions {
		if r.Reviews == 0 || r.GivenBack <= 0 || r.Figures.Shortfall > before.Shortfall {
			t.Errorf("%s: %+v", r.Which, r)
		}
	}
}

func TestCompareTable(t *testing.T) {
	c := labtest.Compared(t, labtest.Everyday(), labtest.Stream(
		labtest.Settled("2026-01-05", "a", "t1", 1000_00, "GROCERY"),
		labtest.Refunded("2026-02-05", "a", "r1", 1000_00, "t1"),
		labtest.At("2026-02-06", reward.Event{Account: "a", Type: reward.RefundReversed, Fact: "r1"}),
		labtest.Money(reward.RedemptionRequested, "2026-02-06", reward.Event{Account: "a", Fact: "d1", Amount: 5_00}),
	), labtest.Design(t, "A"), labtest.Design(t, "C"))
	labtest.WantTable(t, c,
		"Events 4, accounts 1, refunds 1 (unlinked 0), 2026-01-05 to 2026-02-06; purchases $1,000.00, net spend $1,000.00, entitlement $50.00.",
		"Left out for everybody: 1 redemption.requested.",
		"No path for 1 refund.reversed: A, C.",
		"│ Recoup │",
	)
}
