package console_test

import (
	"net/http"
	"strings"
	"testing"

	"recoup/internal/service/access"
	"recoup/reward"
)

// club has statements that close with the end of the 9th in Tokyo, two layers, a bonus,
// a tier, and rewards that expire within a month.
const club = `id: club
currency: USD
zone: Asia/Tokyo
cycle: {day: 10}
clawback_method: rerate
maturity_days: 0
expires: {months: 1}
layers:
  - {id: base, rules: [{id: gold, match: {tier: {status: [gold]}}, rate: 2%}, {id: all, rate: 1%}]}
  - {id: more, rules: [{id: fresh, match: {category: [FRESH]}, rate: 4%}]}
bonuses:
  - {id: every-ten, per: month, every: {purchases: 1, reward: 50, at_most: 1}}
tiers:
  - {id: status, per: year, spend: [{from: 10000000, tier: gold}], keeps: next}
`

// member has bought two things on one receipt, sent one back, and let the rest expire.
func member(t *testing.T) *browser {
	o := openOffice(t, club)
	o.deliver(reward.Event{Type: reward.AccountOpened, Account: "m", Fact: "club", Time: daysAgo(120)})
	bought := reward.Event{Type: reward.TransactionSettled, Account: "m", Transaction: "receipt", Amount: 100_00, Time: daysAgo(100)} // 7 March
	bought.Items = reward.MakeItems([]reward.Item{{ID: "salmon", Amount: 40_00, Category: "FRESH"}, {ID: "pan", Amount: 60_00}})
	o.deliver(bought)
	back := reward.Event{Type: reward.RefundPosted, Account: "m", Transaction: "receipt", Fact: "r1", Amount: 10_00, Time: daysAgo(95)} // 12 March
	back.Items = reward.MakeItems([]reward.Item{{ID: "pan", Amount: 10_00}})
	o.deliver(back)
	o.deliver(reward.Event{Type: reward.TransactionSettled, Account: "m", Transaction: "tea", Amount: 10_00, Time: daysAgo(2)}) // 13 June
	o.refresh()
	return o.signIn("Vera", access.Viewer)
}

// A purchase of several items says what each of them cost, earned and kept.
func TestThePurchasePageListsItems(t *testing.T) {
	text := said(member(t).page("/console/transaction?account=m&id=receipt"))
	mustSay(t, text, "Its items Each item is rated, and comes back, as a purchase of its own.",
		"salmon $40.00 nothing $2.00 $2.00 $0.40 in base , $1.60 in more",
		"pan $60.00 $10.00 $0.60 $0.50 $0.50 in base , $0.00 in more",
		"The purchase $100.00 $10.00 $2.60 $2.50", "Counts in 10 Feb 2026 – 9 Mar 2026")
}

// Statements are of the program's own days, and say what they are made of.
func TestStatementsGoByTheProgramAndHaveLines(t *testing.T) {
	b := member(t)
	text := said(b.page("/console/account?id=m"))
	mustSay(t, text, "Statements begin with day 10 of a month, at midnight in Asia/Tokyo.",
		"10 Feb 2026 – 9 Mar 2026 $0.00 $3.10 $0.00 $0.00 $0.00 $0.00 $3.10 yes",
		"10 Feb 2026 – 9 Mar 2026 rule all $1.00 rule fresh $1.60 bonus every-ten $0.50",
		"10 Mar 2026 – 9 Apr 2026 rule all $0.10 ")
	lines := text[strings.Index(text, "What they are made of"):]
	mustSay(t, lines, "expired −$", "bonus every-ten")
	mustSay(t, said(b.page("/console/")), "10 Jun 2026 – 9 Jul 2026 so far: $0.60 granted", "10 May 2026 – 9 Jun 2026 $0.00 $0.00 $0.00 $3.00")
}

// What the terms promise by tier is on the program's page.
func TestTheProgramPageSaysTiers(t *testing.T) {
	mustSay(t, said(member(t).page("/console/program?id=club")), "Tiers", "gold from $100,000.00", "Purchases made at status gold earn 2%.", "not used, at the close 1 month later")
}

// A draft of a program takes effect when its own cycle begins.
func TestADraftIsOfTheProgramsOwnCycle(t *testing.T) {
	o := openOffice(t, club)
	b := o.signIn("Ada", access.Administrator)
	document := strings.Replace(club, "rate: 4%", "rate: 5%", 1)
	page := b.submit(b.page("/console/program/draft?id=club"), "/console/program/draft", "document", document, "id", "club", "sample", "100")
	mustSay(t, said(page.body), "10 Jul 2026 – 9 Aug 2026")
	done := b.submit(page.body, "/console/program/publish", "document", document, "from", "2026-07")
	if !strings.HasPrefix(done.path, "/console/adjustments?notice=terms-proposed.") {
		t.Fatalf("it is at %s: %s", done.path, said(done.body))
	}
	if r := o.signIn("Anna", access.Approver).decides("approve"); r.status != http.StatusOK {
		t.Fatalf("approving is answered with %d:\n%s", r.status, said(r.body))
	}
	if put := o.store.Programs().Versions("club")[1]; put.Terms.From.String() != "2026-07" {
		t.Errorf("it is in force from %v", put.Terms.From)
	}
}
