package console_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"recoup/internal/service/access"
	"recoup/reward"
)

// Accounts are sorted and filtered, and the sums are of those that were chosen.
func TestAccountsAreSortedAndFiltered(t *testing.T) {
	o := openOffice(t, "id: slow\ncurrency: JPY\nmaturity_days: 30\nrules: [{id: base, rate: 1%}]\n")
	for i, spent := range []int64{300_00, 100_00, 200_00} { // of 30, 20 and 10 days ago
		o.deliver(transaction(fmt.Sprint("a", i), "t", spent, 30-10*i))
	}
	o.dip("debtor") // the latest event is of 10 days ago
	o.deliver(reward.Event{Type: reward.AccountOpened, Account: "yen", Fact: "slow", Time: daysAgo(100)})
	o.deliver(reward.Event{Type: reward.TransactionSettled, Account: "yen", Transaction: "t", Amount: 1_000, Currency: "JPY", Time: daysAgo(95)})
	o.deliver(reward.Event{Type: reward.AccountOpened, Account: "over", Time: daysAgo(400)})
	o.deliver(reward.Event{Type: reward.AccountClosed, Account: "over", Time: daysAgo(399)})
	o.refresh()
	b := o.signIn("Vera", access.Viewer)
	for query, want := range map[string]string{
		"sort=owed&currency=USD":             "a0 a2 a1 over debtor",
		"sort=debt&currency=USD":             "debtor over a1 a2 a0",
		"sort=redeemed&state=open":           "debtor a0 a1 a2 yen",
		"sort=recent&currency=USD":           "a2 debtor a1 a0 over",
		"sort=idle":                          "over yen a0 a1 a2 debtor",
		"sort=held":                          "yen a0 a1 a2 debtor over",
		"show=owing":                         "debtor",
		"show=holding":                       "yen",
		"state=closed":                       "over",
		"program=slow":                       "yen",
		"active=30":                          "a0 a1 a2 debtor",
		"active=-30":                         "over yen",
		"active=-365":                        "over",
		"active=30&from=a&sort=owed":         "a0 a2 a1",
		"show=owing&state=closed":            "",
		"sort=other&show=other&program=none": "a0 a1 a2 debtor over yen",
	} {
		var got []string
		for _, r := range b.allRows("/console/accounts?" + query) {
			got = append(got, strings.Fields(r[0])[0])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s lists %q, want %q", query, got, want)
		}
	}
	mustSay(t, said(b.page("/console/accounts?from=a")), "3 accounts in USD : we owe $6.00, of which $0.00 is held; they owe $0.00; $0.00 was redeemed.")
	mustSay(t, said(b.page("/console/accounts?show=owing")), "1 account in USD : we owe $0.00, of which $0.00 is held; they owe $8.00; $10.00 was redeemed.")
	mustSay(t, said(b.page("/console/accounts?show=owing&state=closed")), "No account is like this")
}

// Each account is on one page of a sorted list, whatever is sorted by.
func TestSortedAccountsArePaged(t *testing.T) {
	o := openOffice(t)
	var all []string
	for i := range 120 {
		all = append(all, fmt.Sprintf("a%03d", i))
		o.deliver(transaction(all[i], "t", int64(100_00+i%7*100), 3))
	}
	o.refresh()
	b := o.signIn("Vera", access.Viewer)
	for _, sort := range []string{"owed", "debt", "held", "redeemed", "recent", "idle"} {
		var got []string
		for _, r := range b.allRows("/console/accounts?sort=" + sort) {
			got = append(got, r[0])
		}
		if slices.Sort(got); !slices.Equal(got, all) {
			t.Errorf("by %s there are %d accounts", sort, len(got))
		}
	}
}
