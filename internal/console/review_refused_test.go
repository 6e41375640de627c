package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"recoup/internal/engine"
	"recoup/internal/service/access"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// inEuros is a refund in another currency than that of the account.
func (o *office) inEuros(account, refund string, amount int64) {
	o.deliver(reward.Event{Account: account, Type: reward.RefundPosted, Fact: refund, Transaction: "grocery", Amount: amount, Currency: "EUR", Time: daysAgo(5)})
}

// refusedPath is where the only refused fact on the list is looked at.
func (b *browser) refusedPath() string {
	b.Helper()
	_, rest, ok := strings.Cut(b.page("/console/reviews?kind=currency_mismatch"), `<a href="/console/refused?`)
	if !ok {
		b.Fatal("the list has no refused fact")
	}
	query, _, _ := strings.Cut(rest, `"`)
	return "/console/refused?" + strings.ReplaceAll(query, "&amp;", "&")
}

func TestARefusedFactIsMadeToCount(t *testing.T) {
	o := openOffice(t)
	o.deliver(reward.Event{Account: "acct", Type: reward.TransactionSettled, Transaction: "grocery", Amount: 10_000, Merchant: "shop", Category: "GROCERY", Time: daysAgo(20)})
	o.inEuros("acct", "r-euro", 9_000)
	if got := o.account("acct").Balance; got != 500 {
		t.Fatalf("the balance is %d: what was refused had an effect", got)
	}
	oscar, vera := o.signIn("Oscar", access.Operator), o.signIn("Vera", access.Viewer)
	if list := said(oscar.page("/console/reviews")); !strings.Contains(list, "currency mismatch") || !strings.Contains(list, "r-euro") {
		t.Errorf("the list does not have it:\n%s", list)
	}
	path := oscar.refusedPath()
	for _, want := range []string{"It is in another currency than the account, which is in USD.", "r-euro", "90.00", "Purchase grocery Event"} {
		if page := said(oscar.page(path)); !strings.Contains(page, want) {
			t.Errorf("the page does not say %q:\n%s", want, page)
		}
	}
	if strings.Contains(vera.page(path), "<form method") && strings.Contains(vera.page(path), `value="count"`) {
		t.Error("a viewer may decide")
	}
	for _, wrong := range []struct{ amount, reason, says string }{
		{"", "x", "Enter the amount"}, {"-1", "x", "amount"}, {"0", "x", "more than zero"}, {"100.00", "", "Say why"},
	} {
		if r := oscar.resolves(path, "count", "amount", wrong.amount, "reason", wrong.reason); r.status != http.StatusUnprocessableEntity || !strings.Contains(said(r.body), wrong.says) {
			t.Errorf("%+v: %d\n%s", wrong, r.status, said(r.body))
		}
	}
	r := oscar.resolves(path, "count", "amount", "100.00", "reason", "the rate of the day")
	if r.status != http.StatusOK || !strings.Contains(r.body, "It counts now.") {
		t.Fatalf("it leads to %d %s:\n%s", r.status, r.path, said(r.body))
	}
	if got := o.account("acct").Balance; got != 0 {
		t.Errorf("the balance is %d, want 0", got)
	}
	history, err := o.store.History(t.Context(), "acct", 0, 1)
	if e := history[0].Event; err != nil || e.Source != engine.ConsoleSource || e.Fact != "r-euro" || e.Amount != 10_000 || e.Currency != "USD" || e.Time != daysAgo(5) {
		t.Errorf("in the log: %+v, %v", e, err)
	}
	if page := said(oscar.page(path)); !strings.Contains(page, "somebody had it count") {
		t.Errorf("it is still open:\n%s", page)
	}
}

func TestARefusedFactIsDismissed(t *testing.T) {
	o := openOffice(t)
	o.inEuros("nobody", "r-euro", 700)
	oscar := o.signIn("Oscar", access.Operator)
	path := oscar.refusedPath()
	if page := oscar.page(path); strings.Contains(page, `value="count"`) || !strings.Contains(said(page), "which is not there") {
		t.Errorf("of an account that is not there:\n%s", said(page))
	}
	if r := oscar.resolves(path, "dismiss", "reason", "of another bank"); r.status != http.StatusOK || !strings.Contains(r.body, "It is dismissed") {
		t.Fatalf("dismissing leads to %d %s:\n%s", r.status, r.path, said(r.body))
	}
	u, _ := url.Parse(path)
	if f, ok, err := o.store.Refused(t.Context(), "nobody", u.Query().Get("id")); err != nil || !ok || f.Decision != "dismiss" {
		t.Errorf("kept: %+v, %v, %v", f, ok, err)
	}
	if list, _, _, err := o.store.Reviews(t.Context(), durable.ReviewFilter{}, durable.ReviewPlace{}, 10); err != nil || len(list) != 0 {
		t.Errorf("still on the list: %+v, %v", list, err)
	}
}

func TestWhatCameUnderAnIDIsAskedToCount(t *testing.T) {
	o := openOffice(t)
	o.unlinked("acct")
	path := reviewPath("acct", "refund", "r1")
	oscar := o.signIn("Oscar", access.Operator)
	if strings.Contains(oscar.page(path), `value="count"`) {
		t.Error("what has no conflict can be made to count")
	}
	o.deliver(reward.Event{Account: "acct", Type: reward.RefundPosted, Fact: "r1", Amount: 3_000, Merchant: "other", Time: daysAgo(15)})
	page := decisionOf(t, oscar.page(path))
	if !strings.Contains(page, `value="r1~2"`) {
		t.Errorf("no id is proposed:\n%s", page)
	}
	if r := oscar.submit(page, path, "choice", "count", "as", "", "reason", "x"); r.status != http.StatusUnprocessableEntity || !strings.Contains(said(r.body), "Enter the id") {
		t.Errorf("without an id: %d\n%s", r.status, said(r.body))
	}
	oscar.submit(page, path, "choice", "count", "as", "r1~2", "reason", "another shop's number")
	history, err := o.store.History(t.Context(), "acct", 0, 1)
	if e := history[0].Event; err != nil || e.Type != reward.RefundCounted || e.Fact != "r1" || e.As != "r1~2" || e.Actor != "Oscar" {
		t.Errorf("in the log: %+v, %v", e, err)
	}
}

// The amount that somebody names is theirs, so what it does to the balance counts against
// their limits.
func TestARefusedFactCountsUpToTheLimits(t *testing.T) {
	o := openOffice(t)
	o.opens("acct", "everyday")
	o.deliver(reward.Event{Account: "acct", Type: reward.TransactionSettled, Transaction: "abroad", Amount: 10_000, Currency: "EUR", Time: daysAgo(5)})
	oscar := o.signIn("Oscar", access.Operator)
	path := oscar.refusedPath()
	r := oscar.resolves(path, "count", "amount", "1000000.00", "reason", "the rate of the day")
	if r.status != http.StatusConflict || !strings.Contains(said(r.body), "more to the balance than one person may") || o.account("acct").Balance != 0 {
		t.Fatalf("it leads to %d %s:\n%s", r.status, r.path, said(r.body))
	}
	if r := oscar.resolves(path, "count", "amount", "100.00", "reason", "the rate of the day"); r.status != http.StatusOK || !strings.Contains(r.body, "It counts now.") {
		t.Fatalf("it leads to %d %s:\n%s", r.status, r.path, said(r.body))
	}
}

// A decision that was kept apart is not let in: nobody has weighed it.
func TestADecisionIsNotLetIn(t *testing.T) {
	o := openOffice(t)
	o.opens("acct", "everyday")
	x := []durable.Suspect{{Member: "data.reason", Event: reward.Event{
		Source: "core", ID: "big", Account: "acct", Type: reward.AdjustmentPosted, Fact: "big", Amount: 1_000_000, HasAmount: true, Currency: "USD",
		Reason: pan, Actor: "Oscar", Time: daysAgo(5),
	}}}
	if err := o.store.KeepApart(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	oscar := o.signIn("Oscar", access.Operator)
	_, rest, _ := strings.Cut(oscar.page("/console/reviews?kind=card_number"), `<a href="/console/refused?`)
	query, _, _ := strings.Cut(rest, `"`)
	r := oscar.resolves("/console/refused?"+strings.ReplaceAll(query, "&amp;", "&"), "admit", "reason", "x")
	if r.status != http.StatusConflict || o.account("acct").Balance != 0 {
		t.Errorf("it leads to %d %s:\n%s", r.status, r.path, said(r.body))
	}
}
