package console_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/internal/service/access"
	"recoup/reward"
)

// unlinked is an account with two purchases at one shop and a refund that names
// neither. It lies on the grocery, which is the dearer one.
func (o *office) unlinked(account string) {
	o.deliver(reward.Event{Account: account, Type: reward.TransactionSettled, Transaction: "grocery", Amount: 10_000, Merchant: "shop", Category: "GROCERY", Time: daysAgo(20)})
	o.deliver(reward.Event{Account: account, Type: reward.TransactionSettled, Transaction: "paper", Amount: 4_000, Merchant: "shop", Time: daysAgo(19)})
	o.deliver(reward.Event{Account: account, Type: reward.RefundPosted, Fact: "r1", Amount: 4_000, Merchant: "shop", Time: daysAgo(16)})
}

func reviewPath(account, kind, id string) string {
	return "/console/review?" + url.Values{"account": {account}, "kind": {kind}, "id": {id}}.Encode()
}

// formWith is the part of a page from the form on that has a field of a value.
func formWith(t testing.TB, page, name, value string) string {
	t.Helper()
	for _, at := range formTag.FindAllStringIndex(page, -1) {
		if strings.Contains(page[at[0]:at[1]], `name="`+name+`" value="`+value+`"`) {
			return page[at[0]:]
		}
	}
	t.Fatalf("no form has %s=%s:\n%s", name, value, said(page))
	return ""
}

// resolves decides about a review on its page. An action is one of the choices there, or the
// form of a refused fact. To link it takes a transaction among the pairs.
func (b *browser) resolves(path, action string, pairs ...string) reply {
	b.Helper()
	page := b.page(path)
	if strings.HasPrefix(path, "/console/refused") {
		return b.submit(formWith(b, page, "action", action), path, pairs...)
	}
	choice := action
	var rest []string
	for i := 0; i < len(pairs); i += 2 {
		switch pairs[i] {
		case "transaction":
			choice += ":" + pairs[i+1]
		case "choice":
			choice = pairs[i+1]
		default:
			rest = append(rest, pairs[i], pairs[i+1])
		}
	}
	return b.submit(decisionOf(b, page), path, append(rest, "choice", choice)...)
}

// decisionOf is a page from the form on that decides about a review.
func decisionOf(t testing.TB, page string) string {
	t.Helper()
	_, form, ok := strings.Cut(page, "<form method=\"post\" action=\"/console/review?")
	if !ok || !strings.Contains(form, "data-decide") {
		t.Fatalf("nothing can be decided:\n%s", said(page))
	}
	return "<form method=\"post\" action=\"/console/review?" + form
}

func TestARefundIsLinkedToThePurchaseThatItIsOf(t *testing.T) {
	o := openOffice(t)
	o.unlinked("acct")
	before := o.account("acct").Balance
	if before != 500+40-200 {
		t.Fatalf("the balance is %d before: the refund does not lie on the grocery", before)
	}
	oscar := o.signIn("Oscar", access.Operator)
	path := reviewPath("acct", "refund", "r1")
	page := said(oscar.page(path))
	for _, want := range []string{
		"This refund names no purchase. $40.00 of it was placed where it fits best",
		"$40.00 on purchase grocery at shop",
		"paper shop $40.00 $40.00 $0.40 base 27 May 2026 same merchant the amount fits exactly settled 3 days before nothing",
		"covers the amount settled 4 days before",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q:\n%s", want, page)
		}
	}
	r := oscar.resolves(path, "link", "transaction", "paper", "reason", "receipt 4711")
	if r.status != http.StatusOK || !strings.HasPrefix(r.path, "/console/reviews?") || !strings.Contains(r.body, "The refund is linked.") || !strings.Contains(said(r.body), "Nothing is open") {
		t.Fatalf("linking leads to %d %s:\n%s", r.status, r.path, said(r.body))
	}
	if got := o.account("acct").Balance; got != 500 {
		t.Errorf("the balance is %d, want the grocery's reward alone", got)
	}
	journal := o.entries("acct")
	for i, want := range []struct {
		transaction string
		amount      int64
	}{{"grocery", 200}, {"paper", -40}} {
		var found bool
		for _, p := range journal[:2] {
			found = found || p.Transaction == want.transaction && p.Amount == want.amount && p.Actor == "Oscar" && p.Reason == "receipt 4711" && p.Source == engine.ConsoleSource
		}
		if !found {
			t.Errorf("posting %d of %+v by Oscar is not in the journal: %+v", i, want, journal[:2])
		}
	}
}

func TestWhatIsOpenIsDismissed(t *testing.T) {
	o := openOffice(t)
	o.unlinked("acct")
	o.deliver(reward.Event{Account: "acct", Type: reward.ChargebackPosted, Fact: "c1", Transaction: "gone", Amount: 700})
	o.deliver(reward.Event{Account: "acct", Type: reward.TransactionSettled, Transaction: "grocery", Amount: 21_000, Merchant: "shop", Category: "GROCERY"})
	o.deliver(reward.Event{Account: "acct", Type: reward.RedemptionCaptured, Fact: "d1", Amount: 300})
	o.deliver(reward.Event{Account: "acct", Type: reward.AttributeWithdrawn, Fact: "x1"})
	before := o.account("acct")
	oscar := o.signIn("Oscar", access.Operator)
	for _, tt := range []struct {
		kind, id, says string
		becomes        reward.Type
	}{
		{"refund", "r1", "$40.00 of it was placed", reward.RefundDismissed},
		{"chargeback", "c1", "This chargeback of $7.00 names purchase gone, which has not posted", reward.ChargebackDismissed},
		{"redemption", "d1", "This redemption was captured, of $3.00, and no authorisation of it was granted here", reward.RedemptionDismissed},
		{"attribute", "x1", "This attribute was withdrawn, and was never set here.", reward.AttributeDismissed},
		{"transaction", "grocery", "Two deliveries disagree: the first said $100.00 and stands, a later one said $210.00.", reward.TransactionDismissed},
	} {
		path := reviewPath("acct", tt.kind, tt.id)
		page := oscar.page(path)
		if !strings.Contains(said(page), tt.says) {
			t.Errorf("of %s %s the page does not say %q:\n%s", tt.kind, tt.id, tt.says, said(page))
		}
		if strings.Contains(page, `value="link:`) != (tt.kind == "refund") {
			t.Errorf("%s %s can be linked", tt.kind, tt.id)
		}
		if r := oscar.resolves(path, "dismiss", "reason", "as it should be"); r.status != http.StatusOK || !strings.Contains(r.body, "It is dismissed") {
			t.Fatalf("dismissing %s leads to %d %s:\n%s", tt.kind, r.status, r.path, said(r.body))
		}
		history, err := o.store.History(t.Context(), "acct", 0, 1)
		if err != nil || history[0].Event.Type != tt.becomes || history[0].Event.Actor != "Oscar" || history[0].Event.Reason != "as it should be" || history[0].Result.Outcome != reward.Applied {
			t.Errorf("in the log is %+v (%v), want %v", history, err, tt.becomes)
		}
		if page := said(oscar.page(path)); !strings.Contains(page, "Nothing about it is open") {
			t.Errorf("%s %s is still open:\n%s", tt.kind, tt.id, page)
		}
	}
	if after := o.account("acct"); after.Balance != before.Balance {
		t.Errorf("dismissals changed the balance from %d to %d", before.Balance, after.Balance)
	}
}

// A page is sent twice, also at the same time: it is one event, and both are told
// that it was done.
func TestAFormSentTwiceIsOneEvent(t *testing.T) {
	o := openOffice(t)
	o.unlinked("acct")
	oscar := o.signIn("Oscar", access.Operator)
	path := reviewPath("acct", "refund", "r1")
	form := decisionOf(t, oscar.page(path))
	version := o.account("acct").Version
	var both sync.WaitGroup
	for range 2 {
		o.pass(time.Second)
		both.Go(func() {
			if r := oscar.submit(form, path, "choice", "link:paper", "reason", "receipt"); r.status != http.StatusOK || !strings.Contains(r.body, "The refund is linked.") {
				t.Errorf("answered with %d:\n%s", r.status, said(r.body))
			}
		})
	}
	both.Wait()
	if got := o.account("acct").Version; got != version+1 {
		t.Errorf("%d events, want one", got-version)
	}
	o.pass(time.Second)
	if r := oscar.submit(form, path, "choice", "link:paper", "reason", "receipt"); r.status != http.StatusOK || o.account("acct").Version != version+1 {
		t.Errorf("a moment later it is answered with %d", r.status)
	}
	r := oscar.submit(form, path, "choice", "link:grocery", "reason", "second thoughts")
	if r.status != http.StatusConflict || !strings.Contains(said(r.body), "The form was sent before, with other contents, and that stands.") {
		t.Errorf("the same form with other contents is answered with %d:\n%s", r.status, said(r.body))
	}
	// Whoever has said which purchase it is of has said so.
	if got := o.account("acct").Balance; got != 500 {
		t.Errorf("the balance is %d, want the refund on the paper still", got)
	}
}

func TestWhatTheLedgerRefusesIsSaidInWords(t *testing.T) {
	o := openOffice(t)
	o.unlinked("acct")
	o.deliver(reward.Event{Account: "acct", Type: reward.RefundPosted, Fact: "linked", Transaction: "paper", Amount: 100})
	oscar := o.signIn("Oscar", access.Operator)
	path := reviewPath("acct", "refund", "r1")
	stale := decisionOf(t, oscar.page(path))
	for _, tt := range []struct{ what, refund, purchase, want string }{
		{"to what is not there", "r1", "nowhere", "The account has no purchase of this id that has posted. Nothing was changed."},
	} {
		path := reviewPath("acct", "refund", tt.refund)
		r := oscar.resolves(path, "link", "transaction", "", "other", tt.purchase, "reason", "looked into")
		if r.status != http.StatusConflict || !strings.Contains(said(r.body), tt.want) {
			t.Errorf("%s: %d\n%s", tt.what, r.status, said(r.body))
		}
		if !strings.Contains(r.body, `name="other" value="`+tt.purchase+`"`) || !strings.Contains(r.body, `value="looked into"`) {
			t.Errorf("%s: what was entered is lost", tt.what)
		}
	}
	if page := oscar.page(reviewPath("acct", "refund", "linked")); strings.Contains(page, `value="link:`) {
		t.Error("a refund that is linked can be linked")
	}
	if r := oscar.resolves(path, "dismiss", "reason", "fine"); r.status != http.StatusOK {
		t.Fatalf("dismissing: %d", r.status)
	}
	if r := oscar.submit(stale, path, "choice", "dismiss", "reason", "late"); r.status != http.StatusConflict || !strings.Contains(said(r.body), "Somebody dismissed it already.") {
		t.Errorf("dismissing again: %d\n%s", r.status, said(r.body))
	}
	o.deliver(reward.Event{Account: "acct", Type: reward.RefundReversed, Fact: "linked"})
	if page := oscar.page(reviewPath("acct", "refund", "linked")); strings.Contains(page, `value="link:`) || !strings.Contains(said(page), "State undone") {
		t.Errorf("a refund that was undone can be linked:\n%s", said(page))
	}
}

func TestWhatIsMissingIsSaidAtTheField(t *testing.T) {
	o := openOffice(t)
	o.unlinked("acct")
	oscar := o.signIn("Oscar", access.Operator)
	path := reviewPath("acct", "refund", "r1")
	version := o.account("acct").Version
	long := strings.Repeat("x", 257)
	for _, tt := range []struct {
		action, transaction, other, reason string
		at, want                           string
	}{
		{"", "", "", "receipt", "choice-wrong", "Choose what is right"},
		{"link", "", "", "receipt", "purchase-wrong", "Choose the purchase that it is of"},
		{"dismiss", "", "grocery", "receipt", "purchase-wrong", "You entered a purchase and chose something else"},
		{"link", "paper", "grocery", "receipt", "purchase-wrong", "You chose one purchase and entered another"},
		{"link", "", long, "receipt", "purchase-wrong", "at most 256 bytes"},
		{"link", "paper", "", "", "reason-wrong", "Say why"},
		{"link", "paper", "", "  \u200b ", "reason-wrong", "Say why"},
		{"dismiss", "", "", "", "reason-wrong", "Say why"},
		{"dismiss", "", "", long, "reason-wrong", "at most 256 bytes"},
		{"dismiss", "", "", "a\nb", "reason-wrong", "on one line"},
		{"dismiss", "", "", "4111 1111 1111 1111", "reason-wrong", "number of a payment card"},
	} {
		choice := tt.action
		if tt.action == "link" {
			choice += ":" + tt.transaction
		}
		r := oscar.resolves(path, choice, "other", tt.other, "reason", tt.reason)
		told := regexp.MustCompile(`id="` + tt.at + `">([^<]*)<`).FindStringSubmatch(r.body)
		if r.status != http.StatusUnprocessableEntity || told == nil || !strings.Contains(html.UnescapeString(told[1]), tt.want) {
			t.Errorf("%+.60v: %d, %q", tt, r.status, told)
		}
		if !strings.Contains(r.body, `aria-describedby="`+tt.at+`"`) {
			t.Errorf("%+.60v: the field is not tied to what is wrong with it", tt)
		}
		if tt.transaction != "" && !strings.Contains(r.body, `value="link:`+tt.transaction+`" id="way-1" data-action="link" aria-describedby="effect-1" checked`) {
			t.Errorf("%+.60v: what was chosen is lost", tt)
		}
	}
	for _, form := range [][]string{
		{"choice", "adjust"}, {"event", ""}, {"event", "resolution-"}, {"event", "adjustment-ABCDEFGHIJKLMNOPQRSTUVWXYZ"}, {"event", "e1"},
	} {
		if r := oscar.resolves(path, "dismiss", append(form, "reason", "r")...); r.status != http.StatusBadRequest {
			t.Errorf("a form with %q is answered with %d", form, r.status)
		}
	}
	o.deliver(reward.Event{Account: "acct", Type: reward.ChargebackPosted, Fact: "c1", Transaction: "gone", Amount: 700})
	if r := oscar.resolves(reviewPath("acct", "chargeback", "c1"), "link", "transaction", "paper", "reason", "r"); r.status != http.StatusBadRequest {
		t.Errorf("a chargeback is linked: %d", r.status)
	}
	if got := o.account("acct").Version; got != version+1 {
		t.Errorf("%d events came of forms with something missing", got-version-1)
	}
}

func TestWhoMayNotOperateOnlyLooks(t *testing.T) {
	o := openOffice(t)
	o.unlinked("acct")
	oscar, vera := o.signIn("Oscar", access.Operator), o.signIn("Vera", access.Viewer)
	path := reviewPath("acct", "refund", "r1")
	version := o.account("acct").Version
	page := vera.page(path)
	if strings.Contains(page, `method="post" action="/console/review`) || strings.Contains(page, `type="radio"`) || !strings.Contains(said(page), "the amount fits exactly") {
		t.Errorf("a viewer sees forms, or not all:\n%s", said(page))
	}
	form := decisionOf(t, oscar.page(path))
	hidden, _ := formOf(form, html.EscapeString(path))
	if hidden == nil {
		hidden, _ = formOf(form, path)
	}
	send := func(b *browser, csrf string) reply {
		return b.post(path, "csrf", csrf, "event", hidden.Get("event"), "choice", "dismiss", "reason", "mine")
	}
	own, _ := formOf(page, "/console/sign-out")
	for what, r := range map[string]reply{
		"a viewer":                          send(vera, own.Get("csrf")),
		"an operator without the token":     send(oscar, ""),
		"an operator with another's token":  send(oscar, own.Get("csrf")),
		"a viewer with an operator's token": send(vera, hidden.Get("csrf")),
	} {
		if r.status != http.StatusForbidden {
			t.Errorf("%s is answered with %d:\n%s", what, r.status, said(r.body))
		}
	}
	if r := send(o.stranger(), hidden.Get("csrf")); r.status != http.StatusUnauthorized {
		t.Errorf("who is not signed in is answered with %d", r.status)
	}
	if r := o.stranger().get(path); !strings.HasPrefix(r.path, "/console/sign-in?") {
		t.Errorf("who is not signed in is led to %s", r.path)
	}
	if got := o.account("acct").Version; got != version {
		t.Errorf("%d events came of it", got-version)
	}
	if r := send(oscar, hidden.Get("csrf")); r.status != http.StatusOK {
		t.Errorf("the same with the right token: %d", r.status)
	}
}

var rowLink = regexp.MustCompile(`<th scope="row"><a href="([^"]*)"[^>]*>([^<]*)<`)

// Ids, merchants and reasons are anybody's, and stay text.
func TestHostileTextsStayText(t *testing.T) {
	o := openOffice(t)
	const evil = `"><script>alert(1)</script>&amp;'</table>`
	const hidden = "txt.\u202e1t"
	o.deliver(reward.Event{Account: evil, Type: reward.TransactionSettled, Transaction: hidden, Amount: 5_000, Merchant: evil, Category: evil, Time: daysAgo(3)})
	o.deliver(reward.Event{Account: evil, Type: reward.RefundPosted, Fact: evil, Amount: 5_000, Merchant: evil, Time: daysAgo(2)})
	oscar := o.signIn("Oscar", access.Operator)
	path := reviewPath(evil, "refund", evil)
	pages := []string{oscar.page("/console/reviews"), oscar.page(path)}
	r := oscar.resolves(path, "link", "transaction", hidden, "reason", evil)
	if r.status != http.StatusOK {
		t.Fatalf("answered with %d", r.status)
	}
	pages = append(pages, r.body, oscar.page(path), oscar.page("/console/reviews?account="+url.QueryEscape(evil)), oscar.get("/console/reviews?amount="+url.QueryEscape(evil)).body)
	for i, page := range pages {
		if strings.Contains(page, "<script>alert") || strings.Contains(page, "\u202e") && !strings.Contains(page, `value="txt.`) {
			t.Errorf("page %d has what others wrote as it is:\n%s", i, page)
		}
	}
	if !strings.Contains(pages[3], "by Oscar: "+html.EscapeString(evil)) && !strings.Contains(said(pages[3]), "by Oscar: "+evil) {
		t.Errorf("the reason is not shown as it was written:\n%s", said(pages[3]))
	}
	if r, ok, err := o.store.Refund(t.Context(), evil, evil); err != nil || !ok || r.Transaction != hidden || !r.Linked {
		t.Errorf("the refund is %+v, %t, %v", r, ok, err)
	}
}

func TestWhatIsNotThere(t *testing.T) {
	o := openOffice(t)
	o.unlinked("acct")
	vera := o.signIn("Vera", access.Viewer)
	for _, path := range []string{
		reviewPath("acct", "refund", "nothing"), reviewPath("acct", "chargeback", "r1"), reviewPath("acct", "transaction", "r1"), reviewPath("nobody", "refund", "r1"),
		reviewPath("acct", "redemption", "r1"), reviewPath("acct", "", "r1"), reviewPath("acct", "refund", ""), reviewPath("", "refund", "r1"),
		reviewPath("acct", "refund", "\x00"), reviewPath("\xff", "refund", "r1"), reviewPath("acct", "refund", strings.Repeat("x", 300)), "/console/review",
	} {
		if r := vera.get(path); r.status != http.StatusNotFound {
			t.Errorf("%s is answered with %d", path, r.status)
		}
	}
}
