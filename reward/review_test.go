package reward_test

import (
	"testing"

	"recoup/reward"
)

// A refund without a link is certain while it lies on the one purchase that it can be of
// by its merchant, its kind and its amount. Of one that is firm that is where it lies now,
// not where it lay when it became so.
func TestARefundIsCertainWhereItLiesNow(t *testing.T) {
	program := flat("p", 5)
	program.Refunds.FirmDays = 5
	c := newCard(t, program)
	fuel := func(id string, amount int64) reward.Event {
		e := settle(id, amount)
		e.Category = "fuel"
		return e
	}
	expect := func(when string, want reward.ReviewKind) {
		t.Helper()
		if open := c.ReviewsIn(reward.RefundPart, "r1"); len(open) != 1 || open[0].Kind != want || open[0].Amount != 700 {
			t.Errorf("%s: open is %v, want 700 as %v", when, open, want)
		}
	}
	c.tell(10, fuel("t1", 2_500))
	c.tell(20, reward.Event{Type: reward.RefundPosted, Fact: "r1", Amount: 700, Merchant: "m1", Category: "fuel"})
	expect("on part of a purchase", reward.MatchedWithoutLink)
	c.tell(32, reward.Event{Type: reward.CycleClosed})
	c.tell(21, fuel("t2", 700))
	expect("firm, beside a purchase of its amount", reward.MatchedWithoutLink)
	c.tell(33, reward.Event{Type: reward.ChargebackPosted, Transaction: "t1", Fact: "c1"})
	expect("its place was needed, and one purchase is left", reward.CertainWithoutLink)
	c.tell(34, reward.Event{Type: reward.ChargebackReversed, Fact: "c1"})
	expect("back where it is firm", reward.MatchedWithoutLink)
	c.tell(22, fuel("t3", 900))
	c.tell(35, reward.Event{Type: reward.ChargebackPosted, Transaction: "t1", Fact: "c2"})
	expect("its place was needed, and two are left", reward.MatchedWithoutLink)
}
