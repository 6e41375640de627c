package console_test

import (
	"net/http"
	"strings"
	"testing"

	"recoup/internal/service/access"
	"recoup/reward"
)

// counted has what came under a refund's id count, and checks that its balance falls
// to what is right then and that nothing is left to look into.
func (o *office) counted(t *testing.T, refund, kind string, before, after int64, says ...string) {
	t.Helper()
	if got := o.account("acct").Balance; got != before {
		t.Fatalf("the balance is %d at first, want %d", got, before)
	}
	oscar, vera := o.signIn("Oscar", access.Operator), o.signIn("Vera", access.Viewer)
	if list := strings.Join(rows(t, oscar.page("/console/reviews?kind="+kind)), "\n"); !strings.Contains(list, refund) {
		t.Fatalf("it is not on the list:\n%s", list)
	}
	path := reviewPath("acct", "refund", refund)
	for _, want := range says {
		if page := said(oscar.page(path)); !strings.Contains(page, want) {
			t.Errorf("the page does not say %q:\n%s", want, page)
		}
	}
	if strings.Contains(vera.page(path), `value="count"`) {
		t.Error("a viewer may have it count")
	}
	r := oscar.resolves(path, "count", "as", refund+"~2", "reason", "the shop paid it again")
	if r.status != http.StatusOK || !strings.Contains(r.body, "It counts now.") {
		t.Fatalf("it leads to %d %s:\n%s", r.status, r.path, said(r.body))
	}
	if got := o.account("acct").Balance; got != after {
		t.Errorf("the balance is %d, want %d", got, after)
	}
	if list := rows(t, oscar.page("/console/reviews")); len(list) != 0 {
		t.Errorf("still to look into: %s", list)
	}
	page := oscar.page(path)
	if text := said(page); !strings.Contains(text, "Refund made to count by hand by Oscar: the shop paid it again") || !strings.Contains(text, "it counts as a refund of its own, or was let be") {
		t.Errorf("what became of it is not said:\n%s", text)
	}
	if strings.Contains(page, `value="count"`) {
		t.Error("it can be made to count once more")
	}
	journal := o.entries("acct")
	if p := journal[0]; p.Amount != after-before || p.Actor != "Oscar" || p.Reason != "the shop paid it again" {
		t.Errorf("in the journal: %+v", p)
	}
}

// M20: a refund bounces and is posted again under its old number.
func TestARefundPaidAgainIsMadeToCount(t *testing.T) {
	o := openOffice(t)
	o.deliver(reward.Event{Account: "acct", Type: reward.TransactionSettled, Transaction: "grocery", Amount: 10_000, Merchant: "shop", Category: "GROCERY", Time: daysAgo(20)})
	o.deliver(reward.Event{Account: "acct", Type: reward.RefundPosted, Fact: "r1", Transaction: "grocery", Amount: 10_000, Time: daysAgo(16)})
	o.deliver(reward.Event{Account: "acct", Type: reward.RefundReversed, Fact: "r1", Time: daysAgo(14)})
	o.deliver(reward.Event{Account: "acct", Type: reward.RefundPosted, Fact: "r1", Transaction: "grocery", Amount: 10_000, Time: daysAgo(9)})
	o.counted(t, "r1", "already_reversed", 500, 0,
		"This refund came again, of $100.00, after it was undone",
		"What came under its id and does not count",
		"it came after it was undone, or its undoing came first open it can be made to count",
		"of purchase grocery , then takes its reward back like any other",
	)
}

// M19: two shops refund as much under the same number.
func TestTwoShopsRefundsOfOneNumberBothCount(t *testing.T) {
	o := openOffice(t)
	for _, shop := range []string{"market", "bakery"} {
		o.deliver(reward.Event{Account: "acct", Type: reward.TransactionSettled, Transaction: "of " + shop, Amount: 10_000, Merchant: shop, Category: "GROCERY", Time: daysAgo(20)})
	}
	for _, shop := range []string{"market", "bakery"} {
		o.deliver(reward.Event{Account: "acct", Type: reward.RefundPosted, Fact: "1001", Amount: 10_000, Merchant: shop, Category: "GROCERY", Time: daysAgo(10)})
	}
	o.counted(t, "1001", "conflict", 500, 0,
		"Two deliveries disagree. The first one stands, a later one has other contents",
		"$100.00 names none bakery it contradicts the first one open it can be made to count",
		"The refund of $100.00 by bakery",
	)
}

// Of several that do not count, the latest counts first, and then the one before it;
// what was only announced cannot.
func TestSeveralThatDoNotCount(t *testing.T) {
	o := openOffice(t)
	o.deliver(reward.Event{Account: "acct", Type: reward.TransactionSettled, Transaction: "grocery", Amount: 10_000, Merchant: "shop", Category: "GROCERY", Time: daysAgo(20)})
	for i, amount := range []int64{1_000, 2_000, 3_000} {
		o.deliver(reward.Event{Account: "acct", Type: reward.RefundPosted, Fact: "r1", Transaction: "grocery", Amount: amount, Time: daysAgo(10 - i)})
	}
	oscar := o.signIn("Oscar", access.Operator)
	path := reviewPath("acct", "refund", "r1")
	for _, step := range []struct {
		says, as string
		balance  int64
	}{{"The refund of $30.00,", "r1~2", 300}, {"The refund of $20.00,", "r1~3", 200}} {
		if page := oscar.page(path); !strings.Contains(said(page), step.says) || !strings.Contains(page, `value="`+step.as+`"`) {
			t.Errorf("the page does not say %q, %s:\n%s", step.says, step.as, said(page))
		}
		if r := oscar.resolves(path, "count", "as", step.as, "reason", "another one"); r.status != http.StatusOK {
			t.Fatalf("it leads to %d %s:\n%s", r.status, r.path, said(r.body))
		}
		if got := o.account("acct").Balance; got != step.balance {
			t.Errorf("the balance is %d, want %d", got, step.balance)
		}
	}
}

// M18: what a refund that waits for its purchase would take is held, and it is said
// why.
func TestWhatAWaitingRefundHolds(t *testing.T) {
	o := openOffice(t)
	o.deliver(reward.Event{Account: "acct", Type: reward.TransactionSettled, Transaction: "grocery", Amount: 10_000, Merchant: "shop", Category: "GROCERY", Time: daysAgo(20)})
	o.deliver(reward.Event{Account: "acct", Type: reward.RefundPosted, Fact: "r1", Transaction: "mistyped", Amount: 10_000, Time: daysAgo(5)})
	vera := o.signIn("Vera", access.Viewer)
	if page := said(vera.page("/console/account?id=acct")); !strings.Contains(page, "grocery $5.00 a refund waits for a purchase that has not posted, and may turn out to be of this one") {
		t.Errorf("the account's page does not say what is held:\n%s", page)
	}
	if page := said(vera.page(reviewPath("acct", "refund", "r1"))); !strings.Contains(page, "What it would take there is held from now on, and cannot be redeemed.") {
		t.Errorf("the review does not say what is held:\n%s", page)
	}
}
