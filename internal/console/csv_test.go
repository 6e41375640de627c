package console_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"

	"recoup/internal/service/access"
	"recoup/reward"
)

// sheet reads a list as a file, by the names of its columns.
func (b *browser) sheet(path string) (rows []map[string]string) {
	b.Helper()
	r := b.get(path)
	all, err := csv.NewReader(strings.NewReader(r.body)).ReadAll()
	if r.status != http.StatusOK || err != nil || len(all) == 0 {
		b.Fatalf("%s is answered with %d, %v:\n%s", path, r.status, err, r.body)
	}
	for _, line := range all[1:] {
		row := make(map[string]string)
		for i, name := range all[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// Every list can be had as a file: amounts plain, with their currency beside them, and no
// cell that a spreadsheet takes for a formula.
func TestListsAsFiles(t *testing.T) {
	o := openOffice(t, yen)
	const evil = `=HYPERLINK("http://x")`
	o.unlinked("acct")
	o.deliver(reward.Event{Account: evil, Type: reward.RefundPosted, Fact: "+1", Amount: 123_456, Merchant: "shop", Time: daysAgo(3)})
	o.deliver(reward.Event{Account: "j1", Type: reward.AccountOpened, Fact: "nippon", Time: daysAgo(9)})
	o.deliver(reward.Event{Account: "j1", Type: reward.RefundPosted, Fact: "yen", Amount: 1300, Currency: "JPY", Time: daysAgo(8)})
	o.deliver(reward.Event{Account: "acct", Type: reward.RedemptionRequested, Fact: "d1", Amount: 300, Time: daysAgo(2)})
	o.deliver(reward.Event{Account: "acct", Type: reward.RefundPosted, Fact: "r2", Transaction: "grocery", Amount: 6_000, Time: daysAgo(1)})
	o.refresh()
	ada := o.signIn("Ada", access.Administrator)
	reviews := ada.sheet("/console/reviews.csv?sort=amount")
	for i, want := range []struct{ id, account, amount, currency, stake string }{
		{"yen", "j1", "1300", "JPY", "0"},
		{"'+1", "'" + evil, "1234.56", "USD", "0.00"},
		{"r1", "acct", "40.00", "USD", "0.40"},
	} {
		got := reviews[i]
		if got["id"] != want.id || got["account"] != want.account || got["amount"] != want.amount || got["currency"] != want.currency {
			t.Errorf("review %d is %v, want %+v", i, got, want)
		}
	}
	if len(reviews) != 3 {
		t.Errorf("there are %d reviews: %v", len(reviews), reviews)
	}
	if some := ada.sheet("/console/reviews.csv?account=acct"); len(some) != 1 {
		t.Errorf("filtered there are %v", some)
	}
	accounts := ada.sheet("/console/accounts.csv")
	if len(accounts) != 3 || accounts[0]["account"] != "'"+evil || accounts[1]["account"] != "acct" || accounts[1]["balance"] != "-2.60" || accounts[1]["currency"] != "USD" || accounts[1]["redeemed"] != "3.00" {
		t.Errorf("the accounts are %v", accounts)
	}
	if debts := ada.sheet("/console/debts.csv?currency=USD"); len(debts) != 1 || debts[0]["debt"] != "2.60" {
		t.Errorf("the debts are %v", debts)
	}
	if statements := ada.sheet("/console/statements.csv?currency=USD&cycle=2026-06"); len(statements) != 1 || statements[0]["closing"] != "-2.60" {
		t.Errorf("the statements are %v", statements)
	}
	for _, path := range []string{"held.csv?currency=USD", "adjustments.csv", "deliveries.csv", "reviews/resolved.csv"} {
		ada.sheet("/console/" + path)
	}
	taken := 0
	for _, entry := range ada.sheet("/console/security.csv") {
		if entry["what"] == "exported" && entry["name"] == "Ada" {
			taken++
		}
	}
	if taken != 10 {
		t.Errorf("the security log has %d files that Ada took, want 10", taken)
	}
	if r := o.signIn("Vera", access.Viewer).get("/console/security.csv"); r.status != http.StatusForbidden {
		t.Errorf("a viewer is answered with %d", r.status)
	}
}
