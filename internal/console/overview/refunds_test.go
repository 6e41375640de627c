package overview_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"recoup/internal/console/overview"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// lag returns the lag of refunds of a program.
func (h *house) lag(at time.Time, program string) overview.RefundLag {
	h.Helper()
	for _, l := range h.figures(at).Refunds.Programs {
		if l.Program == program {
			return l
		}
	}
	h.Fatalf("there is no lag of program %s", program)
	return overview.RefundLag{}
}

func sum(refunds, value int64) overview.Sum { return overview.Sum{Refunds: refunds, Value: value} }

// The program gold has a maturity of 30 days, and 10 days of grace after a
// statement.
func TestRefundsAgainstGraceAndMaturity(t *testing.T) {
	bought := day(2026, 1, 11)
	closed := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name            string
		at              time.Time
		days            int
		grace, maturity bool
	}{
		{"at once", bought, 0, true, true},
		{"before the purchase", bought.Add(-time.Hour), 0, true, true},
		{"just before maturity", bought.AddDate(0, 0, 30).Add(-time.Nanosecond), 29, true, true},
		{"at maturity", bought.AddDate(0, 0, 30), 30, true, false},
		{"just before the end of the grace", closed.AddDate(0, 0, 10).Add(-time.Nanosecond), 30, true, false},
		{"at the end of the grace", closed.AddDate(0, 0, 10), 30, false, false},
		{"long after", day(2026, 12, 1), 324, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := onPebble(t)
			h.opens("gold-1", "gold", day(2026, 1, 1))
			h.buys("gold-1", "t1", bought, 1_000)
			h.returns("gold-1", "t1", "r1", c.at, 500)
			l := h.lag(day(2027, 1, 1), "gold")
			share := func(covered bool) overview.Share {
				if !covered {
					return overview.Share{}
				}
				return overview.Share{Sum: sum(1, 500), Permille: 1000, Enough: true}
			}
			if l.GraceDays != 10 || l.MaturityDays != 30 || l.Version != 1 || l.Currency != "EUR" {
				t.Errorf("it is held against %+v", l)
			}
			if l.Linked != sum(1, 500) || l.Grace != share(c.grace) || l.Maturity != share(c.maturity) || !slices.Equal(l.Curve, []overview.LagPoint{{Days: c.days, Sum: sum(1, 500)}}) {
				t.Errorf("the lag is %+v", l)
			}
		})
	}
}

// A hundred refunds, one a day: one per cent of the value each, but for the last.
func TestTheDaysThatWouldCoverMostOfTheValue(t *testing.T) {
	h := onPebble(t)
	h.opens("gold-1", "gold", day(2026, 1, 1))
	for i := range 100 {
		transaction := fmt.Sprint("t", i)
		h.buys("gold-1", transaction, day(2026, 1, 31), 100)
		h.returns("gold-1", transaction, fmt.Sprint("r", i), day(2026, 1, 31).AddDate(0, 0, i), 100)
	}
	l := h.lag(day(2027, 1, 1), "gold")
	// The cycle closed half a day after the purchases: a refund n days after them
	// came on the n-th day of the grace.
	want := []overview.Coverage{
		{Permille: 900, Days: 89, MaturityDays: 90, GraceDays: 27},
		{Permille: 950, Days: 94, MaturityDays: 95, GraceDays: 27},
		{Permille: 990, Days: 98, MaturityDays: 99, GraceDays: 27},
	}
	if !slices.Equal(l.Coverage, want) {
		t.Errorf("the coverage is %+v, want %+v", l.Coverage, want)
	}
	if l.Maturity != (overview.Share{Sum: sum(30, 3_000), Permille: 300}) || l.Grace != (overview.Share{Sum: sum(11, 1_100), Permille: 110}) {
		t.Errorf("maturity covers %+v, grace %+v", l.Maturity, l.Grace)
	}
	if b := l.Buckets[2]; b.From != 4 || b.To != 7 || b.Sum != sum(4, 400) || len(b.Latest) != 4 || b.Latest[0].Refund != "r7" || b.Latest[0].Transaction != "t7" {
		t.Errorf("the third bucket is %+v", b)
	}
	if b := l.Buckets[7]; b.From != 91 || b.Sum != sum(9, 900) {
		t.Errorf("the eighth bucket is %+v", b)
	}
	if b := l.Buckets[5]; len(b.Latest) != overview.MostSamples || b.Latest[0].Refund != "r60" {
		t.Errorf("of 30 refunds there are %d: %+v", len(b.Latest), b.Latest)
	}
}

// One in a hundred refunds came late: whether 99 % are covered is a matter of
// its amount.
func TestWhetherNearlyAllIsCovered(t *testing.T) {
	for late, want := range map[int64]bool{10: true, 11: false} {
		h := onPebble(t)
		h.opens("gold-1", "gold", day(2026, 1, 1))
		h.buys("gold-1", "t1", day(2026, 1, 11), 2_000)
		h.returns("gold-1", "t1", "r1", day(2026, 1, 12), 990)
		h.returns("gold-1", "t1", "r2", day(2026, 3, 12), late)
		if l := h.lag(day(2027, 1, 1), "gold"); l.Maturity.Enough != want || l.Grace.Enough != want {
			t.Errorf("with %d of %d late the maturity is %+v, the grace %+v", late, 990+late, l.Maturity, l.Grace)
		}
	}
}

// Which refunds count, and on which purchase, follows what became of them.
func TestRefundsThatWereLinkedUndoneOrAnnounced(t *testing.T) {
	onEveryDatabase(t, func(t *testing.T, h *house) {
		h.buys("a", "t1", day(2026, 1, 1), 10_000)
		h.buys("a", "t2", day(2026, 1, 5), 10_000)
		now := day(2026, 12, 1)
		wants := func(when string, linked, waiting, unlinked overview.Sum, curve ...overview.LagPoint) {
			t.Helper()
			now = now.Add(6 * time.Minute)
			l := h.lag(now, "everyday")
			if l.Linked != linked || l.Waiting != waiting || l.Unlinked != unlinked || !slices.Equal(l.Curve, curve) {
				t.Errorf("%s: linked %v, waiting %v, unlinked %v, curve %v", when, l.Linked, l.Waiting, l.Unlinked, l.Curve)
			}
		}
		point := func(days int, refunds, value int64) overview.LagPoint {
			return overview.LagPoint{Days: days, Sum: sum(refunds, value)}
		}
		wants("without refunds", sum(0, 0), sum(0, 0), sum(0, 0))
		h.returns("a", "t1", "r1", day(2026, 1, 11), 100)
		h.returns("a", "", "r2", day(2026, 1, 11), 20)
		h.does("a", day(2026, 1, 11), reward.RefundPosted, reward.Parked, reward.Event{Transaction: "t3", Fact: "r3", Amount: 3})
		wants("as they came", sum(1, 100), sum(1, 3), sum(1, 20), point(10, 1, 100))
		h.does("a", day(2026, 1, 12), reward.RefundPosted, reward.Duplicate, reward.Event{Transaction: "t1", Fact: "r1", Amount: 100})
		h.does("a", day(2026, 1, 12), reward.RefundPosted, reward.Rejected, reward.Event{Transaction: "t1", Fact: "r1", Amount: 101})
		wants("delivered again", sum(1, 100), sum(1, 3), sum(1, 20), point(10, 1, 100))
		h.does("a", day(2026, 1, 13), reward.RefundLinked, reward.Applied, reward.Event{Transaction: "t2", Fact: "r2", Reason: "r", Actor: "test"})
		wants("linked by hand", sum(2, 120), sum(1, 3), sum(0, 0), point(6, 1, 20), point(10, 2, 120))
		h.does("a", day(2026, 1, 14), reward.RefundLinked, reward.Applied, reward.Event{Transaction: "t1", Fact: "r2", Reason: "r", Actor: "test"})
		wants("linked to another", sum(2, 120), sum(1, 3), sum(0, 0), point(10, 2, 120))
		h.buys("a", "t3", day(2026, 1, 4), 1_000)
		wants("when its purchase settled", sum(3, 123), sum(0, 0), sum(0, 0), point(7, 1, 3), point(10, 3, 123))
		h.does("a", day(2026, 1, 15), reward.RefundReversed, reward.Applied, reward.Event{Fact: "r1"})
		wants("undone", sum(2, 23), sum(0, 0), sum(0, 0), point(7, 1, 3), point(10, 2, 23))
		h.does("a", day(2026, 1, 16), reward.RefundPending, reward.Applied, reward.Event{Transaction: "t2", Fact: "r4", Amount: 500})
		wants("announced", sum(2, 23), sum(0, 0), sum(0, 0), point(7, 1, 3), point(10, 2, 23))
		h.returns("a", "", "r4", day(2026, 1, 18), 400)
		wants("posted without its purchase", sum(3, 423), sum(0, 0), sum(0, 0), point(7, 1, 3), point(10, 2, 23), point(13, 3, 423))
		h.does("a", day(2026, 1, 19), reward.RefundReversed, reward.Parked, reward.Event{Fact: "r5"})
		h.does("a", day(2026, 1, 19), reward.RefundPosted, reward.Ignored, reward.Event{Transaction: "t2", Fact: "r5", Amount: 9})
		wants("undone before it came", sum(3, 423), sum(0, 0), sum(0, 0), point(7, 1, 3), point(10, 2, 23), point(13, 3, 423))
		if h.Latest().Refunds.Cut {
			t.Error("the log was read to its beginning, and it says that it was not")
		}
	})
}

// The latest refunds are those that count; the log is not read for ever.
func TestOnlyTheLatestRefundsAreRead(t *testing.T) {
	h := onPebble(t)
	events := []reward.Event{}
	for i := range 6_500 {
		e := reward.Event{Source: "test", Account: fmt.Sprint("a", i%50), Amount: 100, HasAmount: true, Currency: "USD", Transaction: fmt.Sprint("t", i)}
		e.ID, e.Type, e.Time = fmt.Sprint("s", i), reward.TransactionSettled, reward.At(day(2026, 1, 1))
		events = append(events, e)
		e.ID, e.Type, e.Time, e.Fact = fmt.Sprint("r", i), reward.RefundPosted, reward.At(day(2026, 1, 1).Add(time.Duration(i)*time.Minute)), fmt.Sprint("r", i)
		events = append(events, e)
	}
	h.deliver(events...)
	f := h.figures(day(2026, 2, 1))
	l := f.Refunds.Programs[0]
	if !f.Refunds.Cut || l.Linked != sum(5_000, 500_000) {
		t.Errorf("read were %+v; cut: %v", l.Linked, f.Refunds.Cut)
	}
	// They came one a minute, 1,440 a day, and the first 1,500 are too early.
	var curve []overview.LagPoint
	for i, n := range []int64{2*1_440 - 1_500, 3*1_440 - 1_500, 4*1_440 - 1_500, 5_000} {
		curve = append(curve, overview.LagPoint{Days: i + 1, Sum: sum(n, 100*n)})
	}
	if !slices.Equal(l.Curve, curve) {
		t.Errorf("the curve is %+v, want %+v", l.Curve, curve)
	}
}

// Without grace, what comes at the close is not covered any more.
func TestWithoutGraceTheCloseIsTheEnd(t *testing.T) {
	h := onPebble(t)
	closed := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	h.buys("a", "t1", day(2026, 1, 11), 1_000)
	h.returns("a", "t1", "r1", closed.Add(-time.Nanosecond), 1)
	h.returns("a", "t1", "r2", closed, 3)
	if l := h.lag(day(2026, 3, 1), "everyday"); l.Grace != (overview.Share{Sum: sum(1, 1), Permille: 250}) || l.Maturity != (overview.Share{}) {
		t.Errorf("grace covers %+v, maturity %+v", l.Grace, l.Maturity)
	}
}

// Between two looks at the log the lag stays what it was, and says so.
func TestTheLogIsReadEveryFewMinutes(t *testing.T) {
	h := onPebble(t)
	h.buys("a", "t1", day(2026, 1, 1), 10_000)
	h.returns("a", "t1", "r1", day(2026, 1, 2), 1)
	start := day(2026, 2, 1)
	h.lag(start, "everyday")
	h.returns("a", "t1", "r2", day(2026, 1, 3), 1)
	for _, c := range []struct {
		after   time.Duration
		refunds int64
		asOf    time.Time
	}{
		{4 * time.Minute, 1, start},
		{5 * time.Minute, 2, start.Add(5 * time.Minute)},
		{9 * time.Minute, 2, start.Add(5 * time.Minute)},
		{10 * time.Minute, 2, start.Add(10 * time.Minute)}, // nothing came, and it is as of now
	} {
		if l := h.lag(start.Add(c.after), "everyday"); l.Linked.Refunds != c.refunds || !h.Latest().Refunds.AsOf.Equal(c.asOf) {
			t.Errorf("after %v there are %+v as of %v", c.after, l.Linked, h.Latest().Refunds.AsOf)
		}
	}
}

// A damaged event does not keep the other figures from being read.
func TestALogThatCannotBeReadLeavesTheOtherFigures(t *testing.T) {
	h := onPebble(t)
	h.buys("a", "t1", day(2026, 1, 1), 10_000)
	h.returns("a", "t1", "r1", day(2026, 1, 2), 100)
	before := h.figures(day(2026, 2, 1)).Refunds
	h.returns("a", "t1", "r2", day(2026, 1, 3), 100)
	h.driver.damage = func(e *durable.EventRow) {
		if e.Type == "refund.posted" {
			e.Event = []byte("x")
		}
	}
	f := h.figures(day(2026, 2, 2))
	if h.currency(f, "USD").Owed != 980 || !f.Refunds.AsOf.Equal(before.AsOf) || f.Refunds.Programs[0].Linked != sum(1, 100) {
		t.Errorf("owed are %d; the refunds are %+v", h.currency(f, "USD").Owed, f.Refunds)
	}
	if h.log.Len() == 0 {
		t.Error("the log does not say so")
	}
}
