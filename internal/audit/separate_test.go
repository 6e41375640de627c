package audit_test

import (
	"testing"

	"recoup/internal/audit/judge"
	"recoup/reward"
)

// aged adds refunds of such an outcome that come so many days after their purchase, one for
// each day.
func (b *book) aged(from, to int, o judge.Outcome) {
	for days := from; days <= to; days++ {
		b.refunds(1, later, o)
		r := &(*b)[len(*b)-1].Refunds[0]
		r.PurchasedAt = r.RefundedAt - reward.Instant(days)*reward.Day
	}
}

// The day from which on refunds take nothing is told to the day, and the days that no refund has.
func TestSeparationToTheDay(t *testing.T) {
	for _, c := range []struct {
		taken, untaken int // the last day, and the first
		want           string
	}{
		{30, 31, "31 days or more after their purchase"},
		{13, 14, "14 days or more after their purchase"},
		{29, 31, "31 days or more after their purchase (none of 30)"},
		{28, 32, "32 days or more after their purchase (none of 29 to 31)"},
	} {
		var b book
		b.grants(100, 0)
		b.aged(1, c.taken, judge.AtOnce)
		b.aged(c.untaken, 60, judge.Never)
		rule := b.report(t).Separation.Rules[0]
		if all := int64(61 - c.untaken); rule.Words != c.want || rule.Refunds != all || rule.Untaken != all {
			t.Errorf("%d of %d %s, want all of %d %s", rule.Untaken, rule.Refunds, rule.Words, all, c.want)
		}
	}
}
