package console_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/service/access"
	"recoup/reward"
)

// dip is an account that redeemed what a refund then took back, and went on to earn.
func (o *office) dip(account string) {
	o.deliver(transaction(account, "coat", 1_000_00, 60))
	o.deliver(reward.Event{Type: reward.RedemptionRequested, Account: account, Fact: "payout", Amount: 10_00, Time: daysAgo(40)})
	o.deliver(reward.Event{Type: reward.RefundPosted, Account: account, Transaction: "coat", Fact: "back", Amount: 1_000_00, Time: daysAgo(20)})
	o.deliver(transaction(account, "shoes", 200_00, 10))
}

func TestWhyTheBalanceWentDown(t *testing.T) {
	o := openOffice(t)
	o.dip("acct")
	b := o.signIn("Vera", access.Viewer)
	page := b.page("/console/account?id=acct")
	text := said(page)
	mustSay(t, text, "−$8.00 balance: a debt, which later rewards repay first", "$0.00 of it can be redeemed", "$10.00 redeemed so far", "$200.00 spent, less what came back", "below the line at zero, a debt")
	falls := regexp.MustCompile(`(?s)<ul class="falls">(.*?)</ul>`).FindStringSubmatch(page)
	mustSay(t, said(falls[1]), "−$10.00 26 May 2026, 12:00", "−$10.00 6 May 2026, 12:00", "The whole story")
	if strings.Count(falls[1], "<li>") != 2 {
		t.Errorf("the balance fell twice: %s", said(falls[1]))
	}
	if strings.Contains(text, "held of it") || !strings.Contains(page, "<svg") {
		t.Error("the chart has a line for what was held, and nothing was")
	}
	// By day, the latest first, in sentences; what it did to the balance beside them.
	days := regexp.MustCompile(`(?s)<section class="day">(.*?)</section>`).FindAllStringSubmatch(page, -1)
	if len(days) != 4 {
		t.Fatalf("there are %d days", len(days))
	}
	for i, want := range []string{
		"5 Jun 2026 Bought for $200.00 +$2.00 balance −$8.00", "26 May 2026 $1,000.00 came back −$10.00 balance −$10.00",
		"6 May 2026 $10.00 was paid out −$10.00 balance $0.00", "16 Apr 2026 Bought for $1,000.00 refunded +$10.00 balance $10.00",
	} {
		mustSay(t, said(days[i][1]), want)
	}
	for show, want := range map[string]int{"purchases": 2, "returns": 1, "payouts": 1, "decisions": 0, "changes": 4, "other": 4} {
		filtered := b.page("/console/account?id=acct&show=" + show)
		if got := strings.Count(filtered, "<details><summary>"); got != want {
			t.Errorf("%s shows %d events, want %d", show, got, want)
		}
	}
	mustSay(t, said(b.page("/console/account?id=acct&show=decisions")), "Nothing of this kind happened")
	mustSay(t, text, "From 5 Jun 2026: balance −$8.00") // what the chart says before one points at it
	mustSay(t, text, "April 2026 $0.00 $10.00 $0.00 $0.00 $0.00 $0.00 $10.00 yes", "May 2026 $10.00 $0.00 $10.00 $10.00 $0.00 $0.00 −$10.00 yes", "June 2026 open −$10.00 $2.00 $0.00 $0.00 $0.00 $0.00 −$8.00 yes")

	story := said(b.page("/console/transaction?account=acct&id=coat"))
	mustSay(t, story, "$10.00 reward as it was granted", "$0.00 of it is still granted", "$1,000.00 of it came back")
	at := func(text string) int { return strings.Index(story, text) }
	if settled, redeemed, refunded := at("Settled $1,000.00"), at("Redeemed, from all of the balance −$10.00"), at("Refunded $1,000.00"); settled < 0 || redeemed < settled || refunded < redeemed {
		t.Errorf("the story is told in another order:\n%s", story)
	}
	if shoes := said(b.page("/console/transaction?account=acct&id=shoes")); strings.Contains(shoes, "Redeemed") {
		t.Errorf("a payout before the purchase is part of its story:\n%s", shoes)
	}
	mustSay(t, said(b.page("/console/account?id=acct&before=1")), "Nothing happened before.", "The latest events")
}

// TestTheStoryIsInTheOrderOfTheLedger has a refund that came long after it was made,
// and a payout between: the balances follow from one another as they are told.
func TestTheStoryIsInTheOrderOfTheLedger(t *testing.T) {
	o := openOffice(t)
	o.deliver(transaction("acct", "coat", 1_000_00, 60))
	o.deliver(reward.Event{Type: reward.RedemptionRequested, Account: "acct", Fact: "payout", Amount: 4_00, Time: daysAgo(10)})
	o.deliver(reward.Event{Type: reward.RefundPosted, Account: "acct", Transaction: "coat", Fact: "late", Amount: 1_000_00, Time: daysAgo(50)})
	page := o.signIn("Vera", access.Viewer).page("/console/transaction?account=acct&id=coat")
	var balances []string
	for _, m := range regexp.MustCompile(`<span class="after">(.*?)</span>`).FindAllStringSubmatch(page, -1) {
		balances = append(balances, said(m[1]))
	}
	if want := []string{"balance $10.00", "balance $6.00", "balance −$4.00"}; !slices.Equal(balances, want) {
		t.Errorf("the story tells of %q, want %q", balances, want)
	}
}

// TestARefundIsToldWhereItLies has a refund that names no purchase: it is part of the
// story of the one that it lies on.
func TestARefundIsToldWhereItLies(t *testing.T) {
	o := openOffice(t)
	o.unlinked("acct")
	page := o.signIn("Vera", access.Viewer).page("/console/account?id=acct")
	mustSay(t, said(page), "$40.00 came back from shop it names no purchase, and was placed on those that fit best −$2.00", "purchase grocery of $100.00", "Bought for $40.00")
	// Linking it to a purchase that is not there waits for nothing.
	o.deliver(reward.Event{Type: reward.RefundLinked, Account: "acct", Fact: "r1", Transaction: "none", Actor: "oscar", Reason: "a receipt"})
	mustSay(t, said(o.signIn("Walter", access.Viewer).page("/console/transaction?account=acct&id=none")), "Refund linked by hand refused: there is no such purchase")
}

func TestAPurchaseThatIsNamedAndNotThere(t *testing.T) {
	o := openOffice(t)
	o.deliver(transaction("acct", "coat", 1_000_00, 20))
	o.deliver(reward.Event{Type: reward.RefundPosted, Account: "acct", Transaction: "lost", Fact: "r", Amount: 10_00, Time: daysAgo(5)})
	b := o.signIn("Vera", access.Viewer)
	mustSay(t, said(b.page("/console/transaction?account=acct&id=lost")), "The ledger does not have this purchase", "Refunded $10.00", "waits for its purchase")
	mustSay(t, said(b.page("/console/account?id=acct")), "waits for its purchase, which has not posted")
	if r := b.get("/console/transaction?account=acct&id=none"); r.status != http.StatusNotFound {
		t.Errorf("a purchase that nothing names is answered with %d", r.status)
	}
}

func TestWhatIsHeldIsSaid(t *testing.T) {
	o := openOffice(t, "id: slow\ncurrency: JPY\nmaturity_days: 30\nrules: [{id: base, rate: 1%}]\n")
	o.deliver(reward.Event{Type: reward.AccountOpened, Account: "acct", Fact: "slow", Time: daysAgo(50)})
	yen := func(id string, days int) {
		e := transaction("acct", id, 1_234_500, days)
		e.Currency = "JPY"
		o.deliver(e)
	}
	yen("ripe", 40)
	yen("green", 10)
	page := o.signIn("Vera", access.Viewer).page("/console/account?id=acct")
	text := said(page)
	mustSay(t, text, "JPY 24,690 balance", "JPY 12,345 of it can be redeemed", "JPY 12,345 of it held; JPY 12,345 until 5 Jul 2026, 12:00",
		"green JPY 12,345 it has not matured 5 Jul 2026, 12:00", "held of it", "nothing has lowered the balance")
	if strings.Contains(text, "24,690.") || strings.Contains(text, "$") {
		t.Errorf("yen have decimals, or are dollars:\n%s", text)
	}
	o.pass(21 * 24 * time.Hour)
	later := o.signIn("Vera", access.Viewer)
	mustSay(t, said(later.page("/console/account?id=acct")), "JPY 24,690 of it can be redeemed", "JPY 0 of it held")
	mustSay(t, said(later.page("/console/accounts")), "acct slow JPY 24,690 JPY 0")
}

func TestAGraceHoldIsSaidWithItsEnd(t *testing.T) {
	o := openOffice(t, "id: patient\ncurrency: USD\nredemption: {grace_days: 20}\nrules: [{id: base, rate: 1%}]\n")
	o.deliver(reward.Event{Type: reward.AccountOpened, Account: "acct", Fact: "patient", Time: daysAgo(40)})
	o.deliver(transaction("acct", "coat", 1_000_00, 30))
	shown := func() string { return said(o.signIn("Vera", access.Viewer).page("/console/account?id=acct")) }
	mustSay(t, shown(), "$10.00 available, but not before 21 Jun 2026")
	o.pass(7 * 24 * time.Hour)
	mustSay(t, shown(), "$10.00 of it can be redeemed")
}

func TestALongHistory(t *testing.T) {
	o := openOffice(t)
	var events []reward.Event
	for i := range 4100 {
		events = append(events, reward.Event{
			Source: "core", ID: fmt.Sprint("long", i), Type: reward.TransactionSettled, Account: "acct", Transaction: fmt.Sprint("t", i),
			Amount: 10_00, HasAmount: true, Currency: "USD", Time: daysAgo(30) + reward.Instant(i)*60e9,
		})
	}
	events[10].Type, events[10].Fact, events[10].Transaction, events[10].Amount = reward.RefundPosted, "early", "t5", 10_00
	if _, err := o.group.Apply(context.Background(), events, nil); err != nil {
		t.Fatal(err)
	}
	b := o.signIn("Vera", access.Viewer)
	page := b.page("/console/account?id=acct")
	mustSay(t, said(page), "The account has a long history: these are its latest postings, without what was held", "nothing has lowered the balance of late", "$409.80 balance")
	if found := faults(page); found != nil {
		t.Error(found)
	}
	// Page after page has all events, each once.
	seen := make(map[string]bool)
	pages := 0
	for ; page != "" && pages < 200; pages++ {
		for _, m := range regexp.MustCompile(`Event <code>(long\d+)</code>`).FindAllStringSubmatch(page, -1) {
			if seen[m[1]] {
				t.Fatalf("event %s is on two pages", m[1])
			}
			seen[m[1]] = true
		}
		next := regexp.MustCompile(`<a class="button" href="([^"#]*)#history" rel="next">Earlier events</a>`).FindStringSubmatch(page)
		if page = ""; next != nil {
			page = b.page(html.UnescapeString(next[1]))
		}
	}
	if len(seen) != 4100 || pages != 164 {
		t.Errorf("%d pages have %d events", pages, len(seen))
	}
	// What is said to be so of late is looked for further back than the page goes.
	mustSay(t, said(b.page("/console/transaction?account=acct&id=t5")), "Refunded $10.00 −$0.10")
}

func TestAccountsAreListedFromABeginning(t *testing.T) {
	o := openOffice(t)
	for i := range 60 {
		o.deliver(transaction(fmt.Sprintf("a-%02d", i), "t", 100_00, 3))
	}
	o.deliver(transaction("b", "t", 100_00, 3))
	b := o.signIn("Vera", access.Viewer)
	for path, want := range map[string]int{"": 61, "?from=a-": 60, "?from=a-5": 10, "?from=%C2%A0a-5+": 10, "?from=none": 0} {
		if got := len(b.allRows("/console/accounts" + path)); got != want {
			t.Errorf("%q lists %d accounts, want %d", path, got, want)
		}
	}
	mustSay(t, said(b.page("/console/accounts?from=none")), "No account's id begins so")
	mustSay(t, said(b.page("/console/accounts?from=b")), "b everyday $1.00 $0.00 $0.00 12 Jun 2026, 12:00")
}

func TestWhatIsReservedIsShown(t *testing.T) {
	o := openOffice(t)
	o.deliver(transaction("acct", "coat", 1_000_00, 5))
	b := o.signIn("Vera", access.Viewer)
	if text := said(b.page("/console/account?id=acct")); strings.Contains(text, "reserved") {
		t.Errorf("nothing is reserved, and the page says\n%s", text)
	}
	o.deliver(reward.Event{Type: reward.RedemptionAuthorized, Account: "acct", Fact: "gift-7", Amount: 6_00, Time: daysAgo(2), Expires: daysAgo(-3)})
	o.deliver(reward.Event{Type: reward.RedemptionAuthorized, Account: "acct", Fact: "gift-6", Amount: 1_00, Time: daysAgo(2), Expires: daysAgo(1)})
	o.deliver(reward.Event{Type: reward.RedemptionAuthorized, Account: "acct", Fact: "gift-8", Amount: 5_00, Time: daysAgo(1)})
	mustSay(t, said(b.page("/console/account?id=acct")), "$6.00 of it reserved for redemptions that were authorised", "$4.00 of it can be redeemed",
		"Redemption Reserved Expires gift-7 $6.00 18 Jun 2026, 12:00", "A payout of $6.00 was authorised", "denied: not enough that may be redeemed")
}
