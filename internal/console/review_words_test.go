package console_test

import (
	"strings"
	"testing"

	"recoup/internal/service/access"
	"recoup/reward"
)

// Whatever is open is said at length, whichever kind it is of.
func TestEveryKindOfReviewIsSaidInWords(t *testing.T) {
	o := openOffice(t)
	settle := func(id string, amount int64) {
		o.deliver(reward.Event{Account: "acct", Type: reward.TransactionSettled, Transaction: id, Amount: amount, Time: daysAgo(5)})
	}
	settle("t1", 5_000)
	settle("t2", 5_000)
	o.deliver(reward.Event{Account: "acct", Type: reward.RefundPosted, Fact: "early", Transaction: "later", Amount: 7_500})
	o.deliver(reward.Event{Account: "acct", Type: reward.ChargebackPosted, Fact: "early", Transaction: "later"})
	o.deliver(reward.Event{Account: "acct", Type: reward.TransactionReversed, Transaction: "withdrawn"})
	o.deliver(reward.Event{Account: "acct", Type: reward.RefundReversed, Fact: "undone"})
	o.deliver(reward.Event{Account: "acct", Type: reward.ChargebackReversed, Fact: "undone"})
	o.deliver(reward.Event{Account: "acct", Type: reward.RefundPosted, Fact: "over", Transaction: "t1", Amount: 5_100})
	o.deliver(reward.Event{Account: "acct", Type: reward.RefundPosted, Fact: "over", Transaction: "t2", Amount: 5_100})
	o.deliver(reward.Event{Account: "acct", Type: reward.ChargebackPosted, Fact: "twice", Transaction: "t2", Amount: 100})
	o.deliver(reward.Event{Account: "acct", Type: reward.ChargebackPosted, Fact: "twice", Transaction: "t2", Amount: 200})
	o.deliver(reward.Event{Account: "acct", Type: reward.RefundPosted, Fact: "large", Amount: 50_000})
	vera := o.signIn("Vera", access.Viewer)
	for _, tt := range []struct{ kind, id, want string }{
		{"refund", "early", "This refund of $75.00 names purchase later, which has not posted, so it takes nothing back yet. It counts once the purchase posts. From the first statement on after 30 days of waiting"},
		{"chargeback", "early", "This chargeback names purchase later, which has not posted"},
		{"transaction", "withdrawn", "The clearing of this purchase was withdrawn, and has not posted itself."},
		{"refund", "undone", "This refund was undone or cancelled, and has not arrived itself."},
		{"chargeback", "undone", "This chargeback was undone or cancelled, and has not arrived itself."},
		{"transaction", "t1", "$1.00 more came back for this purchase than was paid."},
		{"refund", "over", "Two deliveries disagree. The first one stands, a later one has other contents: compare them below."},
		{"chargeback", "twice", "Two deliveries disagree: the first said $1.00 and stands, a later one said $2.00."},
		{"refund", "large", "names no purchase, and for $452.00 of it none was found."},
	} {
		if page := said(vera.page(reviewPath("acct", tt.kind, tt.id))); !strings.Contains(page, tt.want) {
			t.Errorf("of %s %s the page does not say %q:\n%s", tt.kind, tt.id, tt.want, page)
		}
	}
}
