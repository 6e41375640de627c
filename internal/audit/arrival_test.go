package audit_test

import (
	"slices"
	"testing"

	"recoup/internal/audit"
	"recoup/internal/audit/judge"
	"recoup/reward"
)

// came adds a refund of a purchase of 5 January, so many days after it.
func (b *book) came(days int, amount, unrecovered int64) {
	a := b.account()
	a.Refunds = []judge.RefundCase{{
		Linked: true, Purchase: "t", PurchasedAt: day(0), RefundedAt: day(days) + reward.Day/2, Amount: amount,
		Unrecovered: unrecovered, Outcome: judge.Never, Expected: unrecovered,
	}}
}

func TestArrivalBuckets(t *testing.T) {
	var b book
	for _, days := range []int{0, 1, 3, 4, 7, 8, 14, 15, 30, 31, 60, 61, 90, 91, 180, 181, 365, 366, 1000} {
		b.came(days, 10, 0)
	}
	r := b.report(t).Arrival
	want := []audit.ArrivalBucket{
		{0, 0, 1, 10}, {1, 3, 2, 20}, {4, 7, 2, 20}, {8, 14, 2, 20}, {15, 30, 2, 20}, {31, 60, 2, 20},
		{61, 90, 2, 20}, {91, 180, 2, 20}, {181, 365, 2, 20}, {366, 0, 2, 20},
	}
	if !slices.Equal(r.Buckets, want) || r.Refunds != 19 || r.Value != 190 {
		t.Errorf("got %d refunds of %d in %v, want %v", r.Refunds, r.Value, r.Buckets, want)
	}
}

// The purchases are of 5 January at ten, and the cycle closes 26 days and 14 hours
// later; refunds come twelve hours into their day.
func TestCoverage(t *testing.T) {
	var b book
	b.came(2, 900, 45)
	b.came(28, 50, 3) // 2 February: two days have begun since the close
	b.came(40, 40, 2) // 14 February
	b.came(70, 10, 1) // 16 March
	b.account().Waits = []judge.Wait{{Days: 0, Amount: 100}, {Days: 10, Amount: 300}, {Days: 100, Amount: 600}}
	// One of an unknown purchase counts nowhere.
	b.account().Refunds = []judge.RefundCase{{Amount: 5000, RefundedAt: day(1), Outcome: judge.Never, Unrecovered: 250}}
	b.came(3, 0, 0) // makes them five; a fifth of nothing
	got := b.report(t).Arrival
	want := []audit.Coverage{
		// 900 of 1000 have come by the second day; a wait of 3 days is 3 longer for the 100.
		{Permille: 900, Days: 2, MaturityDays: 3, GraceDays: 0, GraceEnough: true, Saved: 45, HonestWait: 3 * 100 * 100 / 1000},
		{Permille: 950, Days: 28, MaturityDays: 29, GraceDays: 2, GraceEnough: true, Saved: 48, HonestWait: (29*100 + 19*300) * 100 / 1000},
		{Permille: 990, Days: 40, MaturityDays: 41, GraceDays: 14, GraceEnough: true, Saved: 50, HonestWait: (41*100 + 31*300) * 100 / 1000},
	}
	if !slices.Equal(got.Coverage, want) {
		t.Errorf("got\n%+v, want\n%+v", got.Coverage, want)
	}
}

// A grace period ends before the next close.
func TestGraceMayNotBeEnough(t *testing.T) {
	var b book
	for range 5 {
		b.came(70, 10, 0)
	}
	for _, c := range b.report(t).Arrival.Coverage {
		if c.GraceDays != 27 || c.GraceEnough || c.MaturityDays != 71 {
			t.Errorf("%d per mille: grace %d, enough %t, maturity %d; want 27, not enough, 71", c.Permille, c.GraceDays, c.GraceEnough, c.MaturityDays)
		}
	}
}

// Refunds that were matched to a purchase count where too few name theirs.
func TestArrivalPrefersRefundsThatNameTheirPurchase(t *testing.T) {
	for _, c := range []struct {
		linked  int
		refunds int64
	}{{4, 14}, {5, 5}} {
		var b book
		for range c.linked {
			b.came(1, 10, 0)
		}
		for range 10 {
			b.came(50, 10, 0)
			b[len(b)-1].Refunds[0].Linked = false
		}
		if got := b.report(t).Arrival.Refunds; got != c.refunds {
			t.Errorf("%d linked of %d: %d counted, want %d", c.linked, c.linked+10, got, c.refunds)
		}
	}
}
