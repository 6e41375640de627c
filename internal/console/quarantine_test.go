package console_test

import (
	"net/http"
	"strings"
	"testing"

	"recoup/internal/service/access"
	"recoup/internal/store/durable"
	"recoup/reward"
)

const pan = "4111111111111111"

// keptApart is a purchase whose merchant looks like a card number, and where it is looked
// at.
func (o *office) keptApart(s *durable.Store, b *browser, id string) string {
	o.Helper()
	x := []durable.Suspect{{Member: "data.merchant", Event: reward.Event{
		Source: "core", ID: id, Account: "acct", Type: reward.TransactionSettled, Transaction: id, Amount: 10_000, HasAmount: true, Currency: "USD",
		Merchant: "shop " + pan, Category: "GROCERY", Time: daysAgo(20),
	}}}
	if err := s.KeepApart(o.Context(), x); err != nil {
		o.Fatal(err)
	}
	list := b.page("/console/reviews?kind=card_number")
	_, rest, ok := strings.Cut(list, `<a href="/console/refused?`)
	if !ok || strings.Contains(list, "1111111") || !strings.Contains(said(list), "looks like the number of a card") {
		o.Fatalf("the list is\n%s", said(list))
	}
	query, _, _ := strings.Cut(rest, `"`)
	return "/console/refused?" + strings.ReplaceAll(query, "&amp;", "&")
}

func TestWhatWasKeptApartIsLetIn(t *testing.T) {
	o := openOffice(t)
	oscar, vera := o.signIn("Oscar", access.Operator), o.signIn("Vera", access.Viewer)
	path := o.keptApart(o.store, oscar, "p1")
	page := oscar.page(path)
	for _, want := range []string{"Kept apart for a card number", "data.merchant looks like the number of a card", "shop ************1111", "100.00"} {
		if !strings.Contains(said(page), want) {
			t.Errorf("the page does not say %q:\n%s", want, said(page))
		}
	}
	if strings.Contains(page, "1111111") {
		t.Errorf("the page has the number:\n%s", page)
	}
	if strings.Contains(vera.page(path), `value="admit"`) {
		t.Error("a viewer may let it in")
	}
	if r := oscar.resolves(path, "admit", "reason", ""); r.status != http.StatusUnprocessableEntity {
		t.Errorf("without a reason: %d", r.status)
	}
	if r := oscar.resolves(path, "admit", "reason", "the shop's number"); r.status != http.StatusOK || !strings.Contains(r.body, "It is let in, as it was sent.") {
		t.Fatalf("it leads to %d %s:\n%s", r.status, r.path, said(r.body))
	}
	if got := o.account("acct").Balance; got != 500 {
		t.Errorf("the balance is %d, want 500", got)
	}
	if page := said(oscar.page(path)); !strings.Contains(page, "somebody let it in") {
		t.Errorf("it is still open:\n%s", page)
	}
}

func TestWhatIsMaskedForGoodIsDismissed(t *testing.T) {
	o := openOffice(t)
	oscar := o.signIn("Oscar", access.Operator)
	path := o.keptApart(durable.New(o.db, durable.Options{Programs: o.store.Programs(), Now: func() reward.Instant { return daysAgo(1) }}), oscar, "p1")
	if page := oscar.page(path); strings.Contains(page, `value="admit"`) || !strings.Contains(said(page), "no secrets key") {
		t.Errorf("the page says\n%s", said(page))
	}
	if r := oscar.resolves(path, "dismiss", "reason", "a card"); r.status != http.StatusOK || !strings.Contains(r.body, "It is dismissed") {
		t.Errorf("dismissing leads to %d %s", r.status, r.path)
	}
}
