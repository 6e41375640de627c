package console_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"recoup/internal/service/access"
	"recoup/internal/store/triage"
	"recoup/reward"
)

// queueOf are accounts with a refund each that lies on the grocery of an account, of a
// growing amount: the later, the less.
func (o *office) queueOf(n int) {
	o.Helper()
	for i := range n {
		account := fmt.Sprint("q", i)
		o.deliver(reward.Event{Account: account, Type: reward.TransactionSettled, Transaction: "grocery", Amount: 10_000, Merchant: "shop", Category: "GROCERY", Time: daysAgo(30)})
		o.deliver(reward.Event{Account: account, Type: reward.TransactionSettled, Transaction: "paper", Amount: 9_000, Merchant: "shop", Time: daysAgo(29)})
		o.deliver(reward.Event{Account: account, Type: reward.RefundPosted, Fact: fmt.Sprint("r", i), Amount: int64(4_000 - 100*i), Merchant: "shop", Time: daysAgo(20 - i)})
	}
	o.refresh()
}

// ids are those of the rows of a list.
func ids(t *testing.T, page string) string {
	t.Helper()
	var list []string
	for _, row := range rows(t, page) {
		_, id, _ := strings.Cut(row, "without link ")
		list = append(list, id)
	}
	return strings.Join(list, " ")
}

// firstRow is where the first row of a list leads.
func firstRow(t *testing.T, page string) string {
	t.Helper()
	m := rowLink.FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("the list is empty:\n%s", said(page))
	}
	return html.UnescapeString(m[1])
}

func TestTheQueueIsSorted(t *testing.T) {
	o := openOffice(t)
	o.queueOf(5)
	vera := o.signIn("Vera", access.Viewer)
	for sort, want := range map[string]string{
		"": "r0 r1 r2 r3 r4", "newest": "r4 r3 r2 r1 r0", "amount": "r0 r1 r2 r3 r4", "stake": "r0 r1 r2 r3 r4", "nonsense": "r0 r1 r2 r3 r4",
	} {
		if got := ids(t, vera.page("/console/reviews?sort="+sort)); got != want {
			t.Errorf("sorted by %q it is %s, want %s", sort, got, want)
		}
	}
	// To put it on the paper would give back $2.00 and take $0.40; to undo it, give back $2.00.
	if page := said(vera.page("/console/reviews?sort=stake")); !strings.Contains(page, "r0 names none q0 $40.00 $2.00 20 days") {
		t.Errorf("what is at stake is not said:\n%s", page)
	}
}

// The next review of the list opens by itself, in the list's order, and the counts are true
// after each.
func TestTheNextOpensByItself(t *testing.T) {
	for _, sort := range []string{"", "newest", "amount", "stake"} {
		t.Run(sort, func(t *testing.T) {
			o := openOffice(t)
			o.queueOf(4)
			oscar := o.signIn("Oscar", access.Operator)
			list := "/console/reviews?kind=matched_without_link&sort=" + sort
			page := oscar.page(list)
			order := strings.Fields(ids(t, page))
			path := firstRow(t, page)
			for n, id := range order {
				page := oscar.page(path)
				if !strings.Contains(page, "Refund "+id+", under review") || !strings.Contains(said(page), fmt.Sprintf("%d in it", len(order)-n)) {
					t.Fatalf("review %d is not of %s, or not so many are left:\n%s", n, id, said(page))
				}
				action := strings.ReplaceAll(path, "&", "&amp;")
				if !strings.Contains(page, `action="`+action+`"`) {
					t.Fatalf("no form goes to %s", path)
				}
				r := oscar.submit(strings.ReplaceAll(decisionOf(t, page), action, path), path, "choice", "dismiss", "preset", "Merchant, amount and date agree")
				if r.status != http.StatusOK || !strings.Contains(said(r.body), "It is dismissed, and leaves the list.") {
					t.Fatalf("it is answered with %d %s:\n%s", r.status, r.path, said(r.body))
				}
				u, err := url.Parse(r.path)
				if err != nil {
					t.Fatal(err)
				}
				q := u.Query()
				q.Del("notice")
				path = u.Path + "?" + q.Encode()
				if n < len(order)-1 && q.Get("id") != order[n+1] || n == len(order)-1 && u.Path != "/console/reviews" {
					t.Fatalf("after %s it goes on to %s, want one of %v", id, r.path, order)
				}
				if counted := regexp.MustCompile(`all <b>(\d+)`).FindStringSubmatch(oscar.page("/console/reviews")); counted == nil || counted[1] != fmt.Sprint(len(order)-n-1) {
					t.Errorf("after %d decisions %q are counted", n+1, counted)
				}
			}
			if q, _ := url.Parse(path); q.Query().Get("kind") != "matched_without_link" || q.Query().Get("sort") != sort {
				t.Errorf("the filter is lost: %s", path)
			}
		})
	}
}

// Each decision is told with what it would do, which is what it does then.
func TestDecisionsAreWeighedBeforeTheyAreMade(t *testing.T) {
	for choice, want := range map[string]struct {
		says    string
		balance int64
	}{
		"dismiss":    {"The match is right Changes no reward: what it took stays taken.", 340},
		"link:paper": {"It belongs to shop, $40.00 on 27 May 2026 Gives back $2.00, takes $0.40.", 500},
		"undo":       {"Not ours: it is of nothing on this account Gives back $2.00.", 540},
	} {
		t.Run(choice, func(t *testing.T) {
			o := openOffice(t)
			o.unlinked("acct")
			oscar := o.signIn("Oscar", access.Operator)
			path := reviewPath("acct", "refund", "r1")
			page := oscar.page(path)
			for _, says := range []string{want.says, "At stake there: $5.00 was granted for it, and $3.00 of that still is."} {
				if !strings.Contains(said(page), says) {
					t.Errorf("the page does not say %q:\n%s", says, said(page))
				}
			}
			if r := oscar.submit(decisionOf(t, page), path, "choice", choice, "reason", "the receipt"); r.status != http.StatusOK {
				t.Fatalf("it is answered with %d:\n%s", r.status, said(r.body))
			}
			if got := o.account("acct").Balance; got != want.balance {
				t.Errorf("the balance is %d, want %d", got, want.balance)
			}
			if page := said(oscar.page("/console/reviews/resolved?text=RECEIPT")); !strings.Contains(page, "r1 acct matched without link") || !strings.Contains(page, "Oscar the receipt") {
				t.Errorf("it is not among those that are resolved:\n%s", page)
			}
			if page := said(oscar.page("/console/account?id=acct")); !strings.Contains(page, "Decided by Oscar: the receipt") {
				t.Errorf("the account does not say who decided, and why:\n%s", page)
			}
		})
	}
}

// What gives back more than one person may alone waits for a second, also where a refund is
// said to be of nothing here.
func TestNotOursWaitsForASecondPerson(t *testing.T) {
	o := openOffice(t)
	o.deliver(reward.Event{Account: "acct", Type: reward.TransactionSettled, Transaction: "grocery", Amount: 90_000, Merchant: "shop", Category: "GROCERY", Time: daysAgo(20)})
	o.deliver(reward.Event{Account: "acct", Type: reward.TransactionSettled, Transaction: "paper", Amount: 80_000, Merchant: "shop", Time: daysAgo(19)})
	o.deliver(reward.Event{Account: "acct", Type: reward.RefundPosted, Fact: "r1", Amount: 80_000, Merchant: "shop", Time: daysAgo(16)})
	before := o.account("acct").Balance
	oscar := o.signIn("Oscar", access.Operator)
	path := reviewPath("acct", "refund", "r1")
	page := oscar.page(path)
	if !strings.Contains(said(page), "Gives back $40.00. A second person has to agree.") {
		t.Fatalf("it is not said that a second person has to agree:\n%s", said(page))
	}
	r := oscar.submit(decisionOf(t, page), path, "choice", "undo", "reason", "another card")
	if !strings.Contains(said(r.body), "The decision waits for another person") || o.account("acct").Balance != before {
		t.Fatalf("it is answered with %d %s, and the balance is %d", r.status, r.path, o.account("acct").Balance)
	}
	if !strings.Contains(said(r.body), "Refund undone: r1") || strings.Contains(said(r.body), "minor units") {
		t.Errorf("what waits is not said in words:\n%s", said(r.body))
	}
	anna := o.signIn("Anna", access.Approver)
	r = anna.submit(anna.page("/console/adjustments"), "/console/adjustments", "number", "1", "decision", "approve")
	if got := o.account("acct").Balance; got != before+4000 || r.status != http.StatusOK {
		t.Errorf("approved, the balance is %d, want %d: %d\n%s", got, before+4000, r.status, said(r.body))
	}
	if page := said(anna.page("/console/reviews/resolved")); !strings.Contains(page, "r1 acct matched without link not ours $40.00") || !strings.Contains(page, "Oscar another card") {
		t.Errorf("it is not among those that are resolved:\n%s", page)
	}
	// A refund that names its purchase is not for a person to undo.
	o.deliver(reward.Event{Account: "acct", Type: reward.RefundPosted, Fact: "r2", Transaction: "paper", Amount: 1_000, Time: daysAgo(1)})
	o.deliver(reward.Event{Account: "acct", Type: reward.RefundPosted, Fact: "r2", Transaction: "paper", Amount: 2_000, Time: daysAgo(1)})
	linked := reviewPath("acct", "refund", "r2")
	if r := oscar.submit(decisionOf(t, oscar.page(linked)), linked, "choice", "undo", "reason", "x"); r.status != http.StatusConflict {
		t.Errorf("a linked refund is undone by hand: %d\n%s", r.status, said(r.body))
	}
}

func TestCertainMatchesAreConfirmedTogether(t *testing.T) {
	o := openOffice(t)
	for i := range 5 {
		account := fmt.Sprint("c", i)
		o.deliver(reward.Event{Account: account, Type: reward.TransactionSettled, Transaction: "grocery", Amount: 10_000, Merchant: "market", Category: "GROCERY", Time: daysAgo(20)})
		o.deliver(reward.Event{Account: account, Type: reward.RefundPosted, Fact: fmt.Sprint("sure", i), Amount: 10_000, Merchant: "market", Category: "GROCERY", Time: daysAgo(16)})
	}
	o.refresh()
	oscar := o.signIn("Oscar", access.Operator)
	page := oscar.page("/console/reviews?kind=matched_certain")
	picks := regexp.MustCompile(`name="part" value="([^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(picks) != 5 {
		t.Fatalf("%d can be marked:\n%s", len(picks), said(page))
	}
	const action = "/console/reviews/certain?queue=kind%3Dmatched_certain"
	form, fields := page[strings.Index(page, `<form method="post" action="/console/reviews/certain`):], []string{"preset", "Merchant, amount and date agree"}
	for _, p := range picks[:4] {
		fields = append(fields, "part", p[1])
	}
	// Meanwhile a second delivery disagrees about one of them.
	o.deliver(reward.Event{Account: "c1", Type: reward.RefundPosted, Fact: "sure1", Amount: 5_000, Merchant: "market", Category: "GROCERY", Time: daysAgo(15)})
	r := oscar.submit(form, action, fields...)
	if r.status != http.StatusOK || !strings.Contains(said(r.body), "Matches confirmed: 3. Left, since something about them has changed: 1.") {
		t.Fatalf("it is answered with %d:\n%s", r.status, said(r.body))
	}
	if !strings.Contains(r.path, "kind=matched_certain") || ids(t, r.body) == "" {
		t.Errorf("it leads to %s", r.path)
	}
	versions := o.account("c0").Version
	if r := oscar.submit(form, action, fields...); !strings.Contains(said(r.body), "Matches confirmed: 0.") || o.account("c0").Version != versions {
		t.Errorf("sent twice: %s, version %d", said(r.body)[:200], o.account("c0").Version)
	}
	for _, bad := range [][]string{{"preset", "x"}, {"part", picks[4][1]}, {"part", "nonsense", "preset", "x"}} {
		if r := oscar.submit(form, action, bad...); r.status < 400 {
			t.Errorf("%q is answered with %d", bad, r.status)
		}
	}
	if r := o.signIn("Vera", access.Viewer).page("/console/reviews?kind=matched_certain"); strings.Contains(r, `name="part"`) {
		t.Error("a viewer may confirm")
	}
}

// Who looks at a review, until when it is put off, what was noted, and that it is to be
// looked at once more.
func TestReviewsAreWorked(t *testing.T) {
	o := openOffice(t)
	o.queueOf(3)
	oscar, maria := o.signIn("Oscar", access.Operator), o.signIn("Maria", access.Operator)
	path := reviewPath("q0", "refund", "r0")
	do := func(b *browser, what, says string, pairs ...string) {
		t.Helper()
		action := strings.Replace(path, "/console/review?", "/console/review/"+what+"?", 1)
		page := strings.ReplaceAll(b.page(path), strings.ReplaceAll(action, "&", "&amp;"), action)
		if r := b.submit(page, action, pairs...); !strings.Contains(said(r.body), says) {
			t.Fatalf("%s %q is answered with %d:\n%s", what, pairs, r.status, said(r.body))
		}
	}
	sees := func(b *browser, query, want string) {
		t.Helper()
		if got := ids(t, b.page("/console/reviews?"+query)); got != want {
			t.Errorf("%q shows %q, want %q", query, got, want)
		}
	}
	do(oscar, "assign", "It is assigned.", "to", "me")
	sees(oscar, "view=mine", "r0")
	sees(maria, "view=mine", "")
	sees(maria, "view=free", "r1 r2")
	sees(maria, "", "r0 r1 r2")
	do(maria, "note", "Maria noted: the shop calls back", "note", "the shop calls back")
	do(maria, "note", "Nothing was changed", "note", "4111 1111 1111 1111")
	do(oscar, "snooze", "It is put off.", "days", "1")
	sees(oscar, "", "r1 r2")
	sees(oscar, "sort=amount", "r1 r2")
	sees(oscar, "view=snoozed", "r0")
	o.pass(25 * time.Hour)
	oscar, maria = o.signIn("Oscar", access.Operator), o.signIn("Maria", access.Operator)
	sees(oscar, "", "r0 r1 r2")
	do(oscar, "snooze", "Nothing was changed", "until", "2020-01-01")
	do(oscar, "snooze", "It is put off.", "until", "2026-07-01")
	do(oscar, "snooze", "It is on the list again.")
	if r := oscar.resolves(path, "dismiss", "reason", "fine"); r.status != http.StatusOK {
		t.Fatalf("it is answered with %d", r.status)
	}
	sees(oscar, "", "r1 r2")
	sees(oscar, "view=mine", "")
	// What is decided over the API is nobody's to look at any more.
	path = reviewPath("q1", "refund", "r1")
	do(oscar, "assign", "It is assigned.", "to", "me")
	o.deliver(reward.Event{Account: "q1", Type: reward.RefundDismissed, Fact: "r1", Reason: "over the API", Actor: "robot"})
	sees(oscar, "view=mine", "")
	if page := said(oscar.page("/console/reviews")); !strings.Contains(page, "mine 0") {
		t.Errorf("it is still counted as Oscar's:\n%s", page)
	}
	path = reviewPath("q0", "refund", "r0")
	do(maria, "reopen", "It is to be looked at once more.", "reason", "a complaint")
	if page := said(oscar.page("/console/reviews?view=reopened")); !strings.Contains(page, "opened again r0") {
		t.Errorf("it is not on the list of those that are:\n%s", page)
	}
	if r := oscar.resolves(path, "settle", "reason", "it was right"); !strings.Contains(said(r.body), "It stays as it was, and is closed again.") {
		t.Errorf("it is not closed again: %d\n%s", r.status, said(r.body))
	}
	page := said(oscar.page(path))
	for _, want := range []string{"Oscar gave it to Oscar", "Maria noted: the shop calls back", "Oscar put it off until 2026-06-16", "Oscar decided: fine", "Maria opened it again: a complaint", "Oscar closed it as it was: it was right"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q:\n%s", want, page)
		}
	}
}

func TestFiltersAreSaved(t *testing.T) {
	o := openOffice(t)
	o.queueOf(1)
	vera, oscar := o.signIn("Vera", access.Viewer), o.signIn("Oscar", access.Operator)
	const name = `large "ones"`
	page := vera.page("/console/reviews?amount=30&sort=amount")
	if r := vera.submit(page, "/console/reviews/filters", "name", name); !strings.Contains(said(r.body), "The filter is saved.") || !strings.HasPrefix(r.path, "/console/reviews?amount=30&") {
		t.Fatalf("it is answered with %d %s", r.status, r.path)
	}
	page = vera.page("/console/reviews")
	if !strings.Contains(page, `href="/console/reviews?amount=30&amp;sort=amount"`) || !strings.Contains(said(page), name) {
		t.Errorf("it is not there:\n%s", said(page))
	}
	if strings.Contains(said(oscar.page("/console/reviews")), name) {
		t.Error("others have it as well")
	}
	if r := vera.submit(page, "/console/reviews/filters", "forget", name); strings.Contains(said(r.body), name) {
		t.Errorf("it is not forgotten:\n%s", said(r.body))
	}
}

// Nobody can have a page say that something was done by a link.
func TestNoLinkForgesASuccess(t *testing.T) {
	o := openOffice(t)
	o.unlinked("acct")
	oscar, vera := o.signIn("Oscar", access.Operator), o.signIn("Vera", access.Viewer)
	r := oscar.resolves(reviewPath("acct", "refund", "r1"), "dismiss", "reason", "fine")
	const says = "It is dismissed, and leaves the list."
	if !strings.Contains(said(r.body), says) {
		t.Fatalf("it is answered with %d", r.status)
	}
	seal := r.path[strings.Index(r.path, "notice=")+len("notice="):]
	for who, path := range map[*browser][]string{
		oscar: {"/console/reviews?notice=dismissed", "/console/reviews?notice=dismissed.x", "/console/accounts?notice=" + seal, "/console/reviews?notice=" + strings.Replace(seal, "dismissed", "approved", 1), "/console/?notice=signed-out"},
		vera:  {r.path},
	} {
		for _, p := range path {
			if page := who.page(p); strings.Contains(page, `class="notice"`) {
				t.Errorf("%s says %s", p, said(page))
			}
		}
	}
}

// What a customer can be told says what happened as a person would, without ids and without
// who decided what; the sums are below it.
func TestWhatACustomerIsTold(t *testing.T) {
	o := openOffice(t)
	o.unlinked("acct")
	vera := o.signIn("Vera", access.Viewer)
	for path, want := range map[string]string{
		"/console/transaction?account=acct&id=grocery": "On 26 May 2026 you paid $100.00 at shop, which earned a reward of $5.00. $40.00 of it came back to you, so $2.00 of that reward was taken back. You keep $3.00 for what you did not return.",
		"/console/transaction?account=acct&id=paper":   "On 27 May 2026 you paid $40.00 at shop, which earned a reward of $0.40.",
		reviewPath("acct", "refund", "r1"):             "You keep $3.00 for what you did not return.",
	} {
		page := vera.page(path)
		_, told, ok := strings.Cut(page, `<p id="told">`)
		told, _, _ = strings.Cut(told, "</p>")
		if got := html.UnescapeString(told); !ok || !strings.HasSuffix(got, want) || strings.Contains(got, "grocery") || strings.Contains(got, "r1") {
			t.Errorf("%s tells %q, want %q", path, got, want)
		}
		if !strings.Contains(said(page), "The sums") {
			t.Errorf("%s has no sums:\n%s", path, said(page))
		}
	}
}

// A filter that is too long to be kept is refused in words, on the list that it makes, with
// the name that was typed; what is saved stays, and one that just fits is saved.
func TestAFilterTooLongToBeKept(t *testing.T) {
	o := openOffice(t)
	o.queueOf(3)
	oscar := o.signIn("Oscar", access.Operator)
	list := oscar.page("/console/reviews")
	oscar.submit(list, "/console/reviews/filters", "name", "mine", "query", "older=3")
	at := func(bytes int) string {
		const amount = "&amount=12"
		return "account=" + strings.Repeat("x", bytes-len("account="+amount)) + amount
	}
	long := url.Values{"account": {strings.Repeat("x", triage.MaxQuery)}, "amount": {"12"}}.Encode()
	r := oscar.submit(list, "/console/reviews/filters", "name", "all of his", "query", long)
	if r.status != http.StatusUnprocessableEntity {
		t.Errorf("answered with %d", r.status)
	}
	mustSay(t, said(r.body), fmt.Sprintf("The filter is not saved. The filter: it has %d bytes, and at most 1024 can be kept.", len("account=&amount=12")+triage.MaxQuery), "mine")
	for _, kept := range []string{`name="name" value="all of his"`, `name="amount" value="12"`, `name="account" value="` + strings.Repeat("x", triage.MaxQuery) + `"`, `<details class="filters" open>`} {
		if !strings.Contains(r.body, kept) {
			t.Errorf("what was sent is lost: %.60s", kept)
		}
	}
	saved := func() string { return said(oscar.page("/console/reviews")) }
	if text := saved(); !strings.Contains(text, "mine") || strings.Contains(text, "all of his") {
		t.Errorf("the list has\n%s", text)
	}
	if r := oscar.submit(r.body, "/console/reviews/filters", "name", "all of his", "query", at(triage.MaxQuery)); r.status != http.StatusOK || !strings.Contains(saved(), "all of his") {
		t.Errorf("one of %d bytes is answered with %d", triage.MaxQuery, r.status)
	}
	if r := oscar.submit(list, "/console/reviews/filters", "name", "more", "query", at(triage.MaxQuery+1)); r.status != http.StatusUnprocessableEntity {
		t.Errorf("one of %d bytes is answered with %d", triage.MaxQuery+1, r.status)
	}
}
