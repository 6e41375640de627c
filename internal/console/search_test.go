package console_test

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"recoup/internal/service/access"
	"recoup/reward"
)

// finds pastes something into the search field.
func (b *browser) finds(text string) reply {
	b.Helper()
	return b.look("en", "/console/search?"+url.Values{"q": {text}}.Encode())
}

func TestSearchForgivesWhatAClipboardAdds(t *testing.T) {
	o := openOffice(t)
	o.deliver(transaction("acct-1", "txn-1", 100_00, 20))
	o.deliver(reward.Event{Type: reward.RefundPosted, Account: "acct-1", Transaction: "txn-1", Fact: "refund-1", Amount: 10_00, Time: daysAgo(10)})
	o.deliver(reward.Event{Type: reward.ChargebackPosted, Account: "acct-1", Transaction: "txn-1", Fact: "dispute-1", Amount: 10_00, Time: daysAgo(9)})
	o.deliver(transaction("SHOUTED", "txn-2", 100_00, 8))
	o.deliver(transaction(" with spaces\u200b ", "txn-3", 100_00, 8))
	o.deliver(transaction("https://elsewhere.example/?id=acct-1", "txn-4", 100_00, 8))
	b := o.signIn("Vera", access.Viewer)
	const account, purchase = "/console/account?id=acct-1", "/console/transaction?account=acct-1&id=txn-1"
	for text, want := range map[string]string{
		"acct-1": account, " acct-1\n": account, "\"acct-1\"": account, "“acct-1”,": account, "'acct-1';": account, "<acct-1>": account, "(acct-1).": account,
		"acct\u200b-1\ufeff": account, "\u00a0acct-1\u202f": account, "acct-\u00ad1": account, "acct -\n1": account, "ACCT-1": account, "Acct-1": account,
		"account: acct-1": account, "Account ID: \"acct-1\"": account, "subject:acct-1": account, "id : acct-1": account,
		"http://127.0.0.1:8080/console/account?id=acct-1": account, "<https://recoup.example/console/account?id=acct-1&before=7#history>": account,
		"txn-1": purchase, "transaction: 'TXN-1'": purchase, "/console/transaction?account=acct-1&id=txn-1": purchase,
		"shouted": "/console/account?id=SHOUTED",
		// Ids that are what elsewhere is noise.
		" with spaces\u200b ":                  "/console/account?" + url.Values{"id": {" with spaces\u200b "}}.Encode(),
		"https://elsewhere.example/?id=acct-1": "/console/account?" + url.Values{"id": {"https://elsewhere.example/?id=acct-1"}}.Encode(),
		"refund-1":                             "/console/review?" + url.Values{"account": {"acct-1"}, "kind": {"refund"}, "id": {"refund-1"}}.Encode(),
		"chargeback: dispute-1":                "/console/review?" + url.Values{"account": {"acct-1"}, "kind": {"chargeback"}, "id": {"dispute-1"}}.Encode(),
	} {
		if r := b.finds(text); r.path != want || r.status != http.StatusOK {
			t.Errorf("%q leads to %s (%d), want %s", text, r.path, r.status, want)
		}
	}
}

func TestAnIdInSeveralPlaces(t *testing.T) {
	o := openOffice(t)
	o.deliver(transaction("one", "same", 100_00, 8))
	o.deliver(transaction("two", "same", 100_00, 8))
	o.deliver(reward.Event{Type: reward.RefundPosted, Account: "two", Transaction: "same", Fact: "same", Amount: 10_00, Time: daysAgo(7)})
	o.deliver(transaction("same", "other", 100_00, 8))
	b := o.signIn("Vera", access.Viewer)
	page := b.finds("same").body
	mustSay(t, said(page), "“ same ” is in 4 places: What Account Id account same same transaction one same transaction two same refund two same")
	for _, path := range []string{"/console/account?id=same", "/console/transaction?account=one&id=same", "/console/transaction?account=two&id=same", "/console/review?account=two&id=same&kind=refund"} {
		if !strings.Contains(html.UnescapeString(page), `"`+path+`"`) {
			t.Errorf("nothing leads to %s", path)
		}
	}
	for i := range 51 {
		o.deliver(transaction("crowd-"+strings.Repeat("x", i), "everywhere", 100, 8))
	}
	mustSay(t, said(b.finds("everywhere").body), "is in more than 50 places")
}

func TestWhatIsNotFound(t *testing.T) {
	o := openOffice(t)
	o.deliver(transaction("Acct-100", "t", 100_00, 8))
	o.deliver(transaction("Acct-101", "t1", 100_00, 8))
	b := o.signIn("Vera", access.Viewer)
	for _, beginning := range []string{"Acct-1", "“Acct-1”", " Acct- 1"} {
		mustSay(t, said(b.finds(beginning).body), "Nothing has the id", "Accounts that begin so Acct-100 Acct-101")
	}
	for text, want := range map[string]string{
		"":                        "Enter the id of an account",
		" \u200b ":                "Enter the id of an account",
		"none":                    "Nothing has the id “ none ”",
		"https://x.test/?id=t":    "Nothing has the id", // an address of somebody else's page
		"<b>\u202e":               "Nothing has the id “ <b><U+202E> ”",
		"%' OR 1=1 --":            "Nothing has the id",
		"\x00\xff":                "Nothing has the id “ <U+0000><0xFF> ”",
		strings.Repeat("x", 1000): "Nothing has the id",
		strings.Repeat("x", 5000): "No id is as long as that",
	} {
		r := b.finds(text)
		if r.status != http.StatusOK || !strings.Contains(said(r.body), want) || strings.Contains(said(r.body), "begin so") {
			t.Errorf("%.20q: %d, %.300s", text, r.status, said(r.body))
		}
	}
}
