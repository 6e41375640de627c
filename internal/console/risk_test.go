package console_test

import (
	"encoding/csv"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/service/access"
	"recoup/reward"
)

// dips has an account buy, be paid out and return, so many days before today.
func (o *office) dips(account, n string, ago int) {
	o.Helper()
	o.deliver(reward.Event{Type: reward.TransactionSettled, Account: account, Transaction: "t" + n, Amount: 200_000, Time: daysAgo(ago)})
	o.deliver(reward.Event{Type: reward.RedemptionRequested, Account: account, Fact: "d" + n, Amount: 800, Method: "statement_credit", Time: daysAgo(ago - 1)})
	o.deliver(reward.Event{Type: reward.RefundPosted, Account: account, Transaction: "t" + n, Fact: "r" + n, Amount: 200_000, Time: daysAgo(ago - 3)})
}

func TestTheRiskPage(t *testing.T) {
	o := openOffice(t)
	b := o.signIn("maria", access.Viewer)
	if page := b.page("/console/risk"); !strings.Contains(page, "There are no accounts yet") {
		t.Errorf("with nothing there the page says %s", said(page))
	}
	o.dips("again", "1", 60)
	o.dips("again", "2", 40)
	o.deliver(reward.Event{Type: reward.TransactionSettled, Account: "kept", Transaction: "t1", Amount: 50_000, Time: daysAgo(9)})
	o.deliver(reward.Event{Type: reward.RedemptionRequested, Account: "kept", Fact: "d1", Amount: 300, Method: "statement_credit", Time: daysAgo(8)})
	o.pass(10 * time.Minute)
	o.refresh()
	page := b.page("/console/risk")
	for _, want := range []string{
		"Redeemed and returned", `href="/console/account?id=again"`, "buys, is paid out 1 day later, sends it back 2 days after that", "$16.00", // 2 × $8.00 paid out
		"Accounts that redeemed and returned more than once in USD: 1; the threshold is 1.", "The security log says who was let in",
		"$3.00</b><span>exposed: paid out on purchases of the last 90 days",
	} {
		if !strings.Contains(strings.ReplaceAll(page, "\u00a0", " "), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if page := b.page("/console/dippers?currency=USD"); !strings.Contains(page, `href="/console/transaction?account=again&amp;id=t2"`) || !strings.Contains(page, "2 times") {
		t.Errorf("the dippers are %s", said(page))
	}
	if page := o.signIn("root", access.Administrator).page("/console/risk"); !strings.Contains(page, `href="/console/security"`) || !strings.Contains(page, "signed in") {
		t.Errorf("an admin does not see who did what")
	}
}

// A report says what happened in its months alone, on a page and as files.
func TestTheRiskReport(t *testing.T) {
	o := openOffice(t)
	b := o.signIn("maria", access.Viewer)
	o.dips("again", "1", 60) // refunded on 19 April
	o.dips("again", "2", 40) // on 9 May
	o.dips("=again", "1", 42)
	o.dips("=again", "2", 41)
	o.pass(10 * time.Minute)
	o.refresh()
	table := func(name, from, to string) [][]string {
		t.Helper()
		r := b.get("/console/risk/report.csv?table=" + name + "&from=" + from + "&to=" + to)
		rows, err := csv.NewReader(strings.NewReader(r.body)).ReadAll()
		if err != nil || r.status != http.StatusOK {
			t.Fatalf("%d, %v: %s", r.status, err, r.body)
		}
		return rows
	}
	months := table("months", "2026-04", "2026-05")
	if len(months) != 3 || months[1][0] != "2026-04" || months[2][0] != "2026-05" || months[2][13] != "3" || months[1][13] != "1" || months[2][8] != "32.00" {
		t.Errorf("the months are %q", months)
	}
	dippers := table("dippers", "2026-05", "2026-05")
	if len(dippers) != 3 || !slices.ContainsFunc(dippers, func(r []string) bool { return r[1] == "'=again" && r[3] == "2" }) || !slices.ContainsFunc(dippers, func(r []string) bool { return r[1] == "again" && r[3] == "1" }) {
		t.Errorf("the dippers are %q", dippers)
	}
	if debts := table("debts", "2026-05", "2026-05"); len(debts) != 7 || debts[2][4] != "32.00" {
		t.Errorf("the debts are %q", debts)
	}
	if page := b.page("/console/risk/report?from=2026-04&to=2026-05"); !strings.Contains(page, "made for maria") || !strings.Contains(page, "table=dippers") {
		t.Errorf("the report is %s", said(page))
	}
	for _, query := range []string{"", "from=2026-05&to=2026-04", "from=2020-01&to=2026-05", "from=x&to=y"} {
		if r := b.get("/console/risk/report?" + query); r.status != http.StatusNotFound {
			t.Errorf("%q is answered with %d", query, r.status)
		}
	}
	if r := b.get("/console/risk/report.csv?table=other&from=2026-05&to=2026-05"); r.status != http.StatusNotFound {
		t.Errorf("another table is answered with %d", r.status)
	}
}
