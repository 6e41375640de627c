package e2e_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"recoup/e2e/browser"
	"recoup/internal/service/demo"
)

// shown is a page of the console, and what is true of the sample data and can be
// read on it. Times and the amounts of accounts without a story change every day.
type shown struct {
	path   string
	says   []string
	status int  // if it is no 200
	dense  bool // so that a phone, and axe-core in Arabic and in the dark, look at it even if there is little time
	alike  bool // to a page before it in the list, so that axe-core looks at it, and nobody without scripts, only if there is time
}

// consoleList is every page of the console, below /console/.
func consoleList() []shown {
	lastMonth := time.Now().UTC()
	lastMonth = lastMonth.AddDate(0, -1, 1-lastMonth.Day())
	list := []shown{
		{path: "", dense: true, says: []string{
			"Redeemed, then returned: a debt that later rewards repay", "What needs somebody", "matched without link", "0 differences",
			"Rewards in USD", "Rewards in JPY", "owed by 0 cardholders", "lost for good",
		}},
		{path: "risk?show=all", dense: true, says: []string{
			"Exposure: if everything came back today", "Debt by age, and what to provide for", "over 180 days", "How much of a debt comes back", "Program travel", "99 % of refunded value", "The whole security log",
		}},
		{path: "risk", says: []string{
			"Exposure: if everything came back today", "Debt by age, and what to provide for", "How much of a debt comes back", "Program travel", "not covered", "The whole security log",
		}, alike: true},
		{path: "dippers?currency=USD", says: []string{"had a refund within 7 days after a payout", "Each time"}},
		{path: "risk/report?from=" + lastMonth.Format("2006-01") + "&to=" + lastMonth.Format("2006-01"), says: []string{"Print this page to keep it", "Debt arisen", "closed accounts"}},
		{path: "accounts?sort=debt&show=owing", says: []string{"they owe", "leo closed", "anna everyday −$1.00 debt"}},
		{path: "account?id=anna&show=payouts", says: []string{"$10.00 was paid out −$10.00 balance $0.50"}, alike: true},
		{path: "accounts?from=anna", says: []string{"anna everyday −$1.00 debt $0.00 $10.00"}, alike: true},
		{path: "accounts?from=nobody-is-called-so", says: []string{"No account's id begins so."}, alike: true},
		{path: "account?id=anna", dense: true, says: []string{
			"−$1.00 balance: a debt, which later rewards repay first",
			"$350.00 of purchase anna-headphones came back: its reward of $10.50 × $0.00 ÷ $350.00 leaves $0.00, rounded down. $10.50 is taken back.",
			"Bought for $60.00 at green-valley-market +$3.60 balance −$1.00",
			"$10.50 $10.50 $10.00 $0.00 $0.00 −$10.00 yes", // the statement of the month in which it fell
		}},
		{path: "account?id=erin", says: []string{"−$45.00 balance", "denied: not enough that may be redeemed"}, alike: true},
		{path: "account?id=dan", says: []string{"$24.00 of it held", "dan-television $24.00 a refund is announced"}},
		{path: "account?id=mia", says: []string{"It did not: nothing has lowered the balance.", "There is no statement yet"}, alike: true},
		{path: "account?id=chloe", says: []string{"JPY 1,240 balance", "JPY 840 of it held"}, alike: true},
		{path: "transaction?account=anna&id=anna-headphones", says: []string{
			"$350.00 settled", "$0.00 of it is still granted", "Redeemed, from all of the balance", "Redemption anna-payout-1 paid out $10.00.", "anna-return refund posted",
		}},
		{path: "search?q=t1", says: []string{"is in", "places"}},
		{path: "search?q=nobody-is-called-so", says: []string{"Nothing has the id “nobody-is-called-so”."}},
		{path: "reviews", says: []string{"waits for transaction", "open-refund-207", "$55.00"}, alike: true},
		{path: "reviews?sort=stake", says: []string{"At stake", "Counted"}, alike: true},
		{path: "reviews/resolved", says: []string{"Resolved reviews", "Nothing was resolved here yet."}},
		{path: "reviews?kind=over_refunded", says: []string{"More came back than was paid", "ines-speaker"}},
		{path: "reviews?kind=conflict&account=jonas", says: []string{"jonas-headset"}, alike: true},
		{path: "review?account=farid&kind=refund&id=farid-refund", dense: true, says: []string{
			"This refund names no purchase. $800.00 of it was placed where it fits best", "the amount fits exactly", "only $450.00 of it is left", "The match is right", "Gives back", "Not ours: it is of nothing on this account",
		}},
		{path: "review?account=paul&kind=refund&id=paul-return", says: []string{
			"What came under its id and does not count", "it can be made to count", "The refund of $250.00", "Both are right: have the later one count",
		}},
		{path: "reviews?kind=matched_certain", says: []string{"rosa-refund", "there is nothing to doubt about them"}, alike: true},
		{path: "reviews?kind=currency_mismatch", says: []string{"sven-return", "Refund"}, alike: true},
		{path: "review?account=ines&kind=transaction&id=ines-speaker", says: []string{"over refunded", "$15.00 more than was paid"}, alike: true},
		{path: "adjustments", says: []string{"charged twice at the same shop, complaint 4471", "Lucia", "approved by Tomas", "there was no such promotion"}},
		{path: "adjustment/new", says: []string{"Account", "Go on"}},
		{path: "adjustment/new?account=anna", says: []string{"has a balance of −$1.00, a debt", "Up to $25.00 an adjustment is posted at once"}},
		{path: "programs", says: []string{"everyday USD version 2", "version 3 from", "nippon JPY version 1, from the beginning none"}},
		{path: "program?id=everyday", says: []string{
			"Purchases of category GROCERY earn 6%, up to $60.00 in a billing cycle.", "All other purchases earn 1%.", "the share of the reward that was returned (proportional)", "version 3 upcoming", "Published by Maria",
		}},
		{path: "program?id=travel", says: []string{"no redemption for 5 days after a statement", "when the statement closes; until then it is held"}, alike: true},
		{path: "program/draft?id=everyday", dense: true, says: []string{"Nothing is published before you say so", "Compare on at least", "Which purchases", "Try it out"}},
		{path: "program/draft?id=everyday&as=yaml", says: []string{"Program file"}, alike: true},
		{path: "program/simulate?id=everyday&story=buy+80+at+mcc+5411%0Areturn+half", says: []string{"$40.00 of purchase 1 came back", "In the end $0.00 is paid out"}},
		{path: "statements?currency=JPY&cycle=" + lastMonth.Format("2006-01"), says: []string{"Statements of " + lastMonth.Format("January 2006") + ", JPY", "nippon-001", "On this page"}},
		{path: "debts?currency=USD", says: []string{"erin $45.00", "leo closed $6.00", "anna $1.00"}},
		{path: "held?currency=USD", says: []string{"dan $24.00 $30.00"}},
		{path: "refunds?program=everyday&from=15", says: []string{"came 15–30 days after their purchase settled", "anna-return anna anna-headphones", "$350.00"}},
		{path: "deliveries", says: []string{"https://192.0.2.10/recoup", "review.opened farid", "Try again"}},
		{path: "dead-webhooks", says: []string{"Every webhook could be mapped."}},
		{path: "security", says: []string{"It is only added to", "Principal"}},
		{path: "checks", says: []string{"0 differences", "demo.recoup.example signed"}},
		{path: "exemptions", says: []string{"core data.transaction", "sequence numbers of the core"}},
		{path: "playground", dense: true, says: []string{"The four-phase double dip", "Before the first step", "Next step"}},
		{path: "sign-in", says: []string{"Who are you?", "Be the approver"}},
		{path: "nowhere", says: []string{"There is no such page", "To the overview"}, status: 404},
		{path: "account?id=nobody-is-called-so", says: []string{"There is no such account"}, status: 404, alike: true},
	}
	// Everybody who has a story; ids are shown as they are, with what would hide or
	// turn text spelled out.
	for _, story := range demo.Cast() {
		list = append(list, shown{path: accountPage(story.Account), says: []string{story.Title + ". " + story.Text}, alike: true})
		switch {
		case strings.HasPrefix(story.Account, "<b>"):
			list = append(list, shown{path: accountPage(story.Account), says: []string{story.Account}, alike: true})
		case strings.Contains(story.Account, "\u202e"):
			list = append(list, shown{path: accountPage(story.Account), says: []string{"shop-<U+202E>gnirrefer-elpmas", "To look into"}, alike: true})
		case len(story.Account) > 100:
			list = append(list, shown{path: accountPage(story.Account), says: []string{story.Account}, alike: true})
		}
	}
	return list
}

func accountPage(account string) string { return "account?" + url.Values{"id": {account}}.Encode() }

// looks are how people look at the console, in the ways that differ most; how it is in the
// dark is seen in Arabic. All of them are tried if there is time.
func looks() map[string]browser.Options {
	if !long() {
		return map[string]browser.Options{"desk": {}, "phone": {Phone: true}, "without scripts": {NoScript: true}}
	}
	all := make(map[string]browser.Options)
	for n := range 1 << 3 {
		o := browser.Options{Phone: n&1 != 0, Dark: n&2 != 0, NoScript: n&4 != 0}
		var name []string
		for _, part := range []struct {
			is           bool
			yes, without string
		}{{o.Phone, "phone", "desk"}, {o.Dark, "dark", "light"}, {o.NoScript, "without scripts", "with scripts"}} {
			if part.is {
				name = append(name, part.yes)
			} else {
				name = append(name, part.without)
			}
		}
		all[strings.Join(name, ", ")] = o
	}
	return all
}

// Every page says what is true, whoever looks at it and however, and is accessible
// and no wider than the window.
func consolePages(t *testing.T, s *service) {
	_, _, err := s.client(t).order("/v1/exemptions", "exempt", `{"source":"core","member":"data.transaction","reason":"sequence numbers of the core"}`)
	noError(t, err)
	for name, o := range looks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := s.page(t, o)
			for _, page := range consoleList() {
				if !long() && (o.NoScript && page.alike || o.Phone && !page.dense) {
					continue
				}
				if page.status != 0 {
					p.Expect(page.status)
				}
				p.Open("/console/" + page.path)
				for _, text := range page.says {
					p.See(text)
				}
				if p.Fits(); long() || !o.NoScript && !o.Phone && !page.alike {
					p.Axe()
				}
			}
		})
	}
}
