package console_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/internal/service/access"
	"recoup/internal/service/approval"
	"recoup/reward"
)

func newAdjustmentPath(account string) string {
	return "/console/adjustment/new?" + url.Values{"account": {account}}.Encode()
}

// proposes fills in the form for an adjustment of an account.
func (b *browser) proposes(account, direction, amount, reason string) reply {
	b.Helper()
	path := newAdjustmentPath(account)
	return b.submit(b.page(path), path, "direction", direction, "amount", amount, "reason", reason)
}

// decides sends the form of the first adjustment that waits.
func (b *browser) decides(decision string, pairs ...string) reply {
	b.Helper()
	return b.submit(formWith(b, b.page("/console/adjustments"), "decision", decision), "/console/adjustments", pairs...)
}

// adjusted are the adjustments in the journal of an account, the newest first.
func (o *office) adjusted(account string) (list []string) {
	o.Helper()
	for _, p := range o.entries(account) {
		if p.Kind == reward.Adjustment {
			list = append(list, fmt.Sprintf("%s %d by %s/%s: %s", p.Source, p.Amount, p.Actor, p.Approver, p.Reason))
		}
	}
	return list
}

func (o *office) opens(account, program string) {
	o.Helper()
	if r := o.deliver(reward.Event{Account: account, Type: reward.AccountOpened, Fact: program}); r.Outcome != reward.Applied {
		o.Fatalf("opening %s: %+v", account, r)
	}
}

func TestASmallAdjustmentIsPostedAtOnce(t *testing.T) {
	o := openOffice(t)
	o.opens("acct", "everyday")
	oscar := o.signIn("Oscar", access.Operator)
	if page := said(oscar.page(newAdjustmentPath("acct"))); !strings.Contains(page, "Up to $25.00 an adjustment is posted at once; above that it waits until another person approves it.") {
		t.Errorf("the form does not say above which amount:\n%s", page)
	}
	r := oscar.proposes("acct", "give", "25.00", "parcel lost")
	if r.status != http.StatusOK || !strings.HasPrefix(r.path, "/console/account?") || !strings.Contains(r.body, "The adjustment is posted.") {
		t.Fatalf("answered with %d %s:\n%s", r.status, r.path, said(r.body))
	}
	oscar.proposes("acct", "take", "0.5", "one too many")
	want := []string{engine.ConsoleSource + " -50 by Oscar/: one too many", engine.ConsoleSource + " 2500 by Oscar/: parcel lost"}
	if got := o.adjusted("acct"); !slices.Equal(got, want) || o.account("acct").Balance != 2450 {
		t.Errorf("the journal has %q and the balance is %d, want %q", got, o.account("acct").Balance, want)
	}
}

// The ledger's own account, which has what is proposed about terms, has nobody's balance.
func TestTheLedgersOwnAccountIsNotAdjusted(t *testing.T) {
	o := openOffice(t)
	o.opens(approval.TermsAccount, "everyday")
	oscar := o.signIn("Oscar", access.Operator)
	if r := oscar.proposes(approval.TermsAccount, "give", "1.00", "x"); r.status != http.StatusNotFound || len(o.adjusted(approval.TermsAccount)) > 0 {
		t.Errorf("answered with %d %s:\n%s", r.status, r.path, said(r.body))
	}
}

func TestALargeAdjustmentTakesTwoPeople(t *testing.T) {
	o := openOffice(t)
	o.opens("acct", "everyday")
	oscar, anna, vera := o.signIn("Oscar", access.Operator), o.signIn("Anna", access.Approver), o.signIn("Vera", access.Viewer)
	if r := oscar.proposes("acct", "give", "25.01", "complaint 12"); r.status != http.StatusOK || !strings.HasPrefix(r.path, "/console/adjustments?") || !strings.Contains(r.body, "waits for another person") {
		t.Fatalf("answered with %d %s:\n%s", r.status, r.path, said(r.body))
	}
	if got := o.adjusted("acct"); len(got) > 0 || o.account("acct").Balance != 0 {
		t.Fatalf("it is posted already: %q", got)
	}
	for who, b := range map[string]*browser{"the operator": oscar, "the viewer": vera} {
		page := b.page("/console/adjustments")
		if !strings.Contains(said(page), "acct +$25.01 complaint 12 Oscar") || strings.Contains(page, `value="approve"`) {
			t.Errorf("%s sees:\n%s", who, said(page))
		}
		if own := strings.Contains(page, "Withdraw</button>") && strings.Contains(page, "Yours: another person has to approve it."); own != (b == oscar) {
			t.Errorf("%s can withdraw it: %t", who, own)
		}
	}
	r := anna.decides("approve")
	if r.status != http.StatusOK || !strings.Contains(r.body, "approved and posted") || !strings.Contains(said(r.body), "approved by Anna") {
		t.Fatalf("approving is answered with %d:\n%s", r.status, said(r.body))
	}
	if got, want := o.adjusted("acct"), []string{engine.ConsoleSource + " 2501 by Oscar/Anna: complaint 12"}; !slices.Equal(got, want) || o.account("acct").Balance != 2501 {
		t.Errorf("the journal has %q, want %q", got, want)
	}
}

// Nobody approves what they proposed, whatever their role, nor with another key of
// the same name.
func TestNobodyApprovesTheirOwn(t *testing.T) {
	o := openOffice(t)
	o.opens("acct", "everyday")
	ada, again, oscar := o.signIn("Ada", access.Administrator), o.signIn("ada", access.Approver), o.signIn("Oscar", access.Operator)
	ada.proposes("acct", "give", "100", "for myself")
	for _, b := range []*browser{ada, again} {
		page := b.page("/console/adjustments")
		if strings.Contains(page, `value="approve"`) {
			t.Error("the page offers to approve it")
		}
		r := b.submit(page, "/console/adjustments", "decision", "approve")
		if r.status != http.StatusConflict || !strings.Contains(said(r.body), "another person has to approve it. Nothing was posted.") {
			t.Errorf("approving it is answered with %d:\n%s", r.status, said(r.body))
		}
	}
	hidden, _ := formOf(oscar.page(newAdjustmentPath("acct")), newAdjustmentPath("acct"))
	for _, decision := range []string{"approve", "reject"} {
		if r := oscar.post("/console/adjustments", "csrf", hidden.Get("csrf"), "number", "1", "decision", decision); r.status != http.StatusForbidden {
			t.Errorf("an operator may %s what somebody else proposed: %d", decision, r.status)
		}
	}
	if got := o.adjusted("acct"); len(got) > 0 {
		t.Errorf("the journal has %q", got)
	}
	if r := ada.decides("reject"); r.status != http.StatusOK || !strings.Contains(r.body, "The adjustment is withdrawn.") || !strings.Contains(said(r.body), "withdrawn") {
		t.Errorf("withdrawing is answered with %d:\n%s", r.status, said(r.body))
	}
}

func TestAnAdjustmentIsRejectedWithANote(t *testing.T) {
	o := openOffice(t)
	o.opens("acct", "everyday")
	oscar, anna := o.signIn("Oscar", access.Operator), o.signIn("Anna", access.Approver)
	oscar.proposes("acct", "give", "400", "promotion")
	stale := formWith(t, anna.page("/console/adjustments"), "decision", "approve")
	long := strings.Repeat("x", 257)
	if r := anna.decides("reject", "note", long); r.status != http.StatusUnprocessableEntity || !strings.Contains(said(r.body), "The note: expected at most 256 bytes") || !strings.Contains(r.body, long) {
		t.Errorf("a note that is too long: %d", r.status)
	}
	r := anna.decides("reject", "note", "there was no <b>such</b> promotion")
	if r.status != http.StatusOK || !strings.Contains(r.body, "The adjustment is rejected.") || !strings.Contains(said(r.body), "rejected by Anna 15 Jun 2026, 12:00 there was no <b>such</b> promotion") {
		t.Errorf("answered with %d:\n%s", r.status, said(r.body))
	}
	if got := o.adjusted("acct"); len(got) > 0 {
		t.Errorf("the journal has %q", got)
	}
	if r := anna.submit(stale, "/console/adjustments"); r.status != http.StatusConflict || !strings.Contains(said(r.body), "Anna rejected it already, so your decision came too late.") {
		t.Errorf("approving it afterwards is answered with %d:\n%s", r.status, said(r.body))
	}
	for _, form := range [][]string{{"number", "2"}, {"number", "-1"}, {"number", "one"}, {"number", ""}} {
		if r := anna.submit(stale, "/console/adjustments", form...); r.status != http.StatusNotFound {
			t.Errorf("a decision with %q is answered with %d", form, r.status)
		}
	}
	if r := anna.submit(stale, "/console/adjustments", "decision", "postpone"); r.status != http.StatusBadRequest {
		t.Errorf("a decision that is none is answered with %d", r.status)
	}
}

// Two approvers are at it: one of them did it, the other is told who.
func TestTwoApproversRace(t *testing.T) {
	o := openOffice(t)
	o.opens("acct", "everyday")
	o.signIn("Oscar", access.Operator).proposes("acct", "give", "60", "charged twice")
	names := []string{"Anna", "Jo"}
	replies := make([]reply, len(names))
	forms := make([]string, len(names))
	approvers := make([]*browser, len(names))
	for i, name := range names {
		approvers[i] = o.signIn(name, access.Approver)
		forms[i] = formWith(t, approvers[i].page("/console/adjustments"), "decision", "approve")
	}
	var all sync.WaitGroup
	for i := range names {
		all.Go(func() { replies[i] = approvers[i].submit(forms[i], "/console/adjustments") })
	}
	all.Wait()
	won := slices.IndexFunc(replies, func(r reply) bool { return r.status == http.StatusOK })
	if won < 0 {
		t.Fatalf("nobody approved it:\n%s", said(replies[0].body))
	}
	lost := 1 - won
	if replies[lost].status != http.StatusConflict || !strings.Contains(said(replies[lost].body), names[won]+" approved it already, so your decision came too late.") {
		t.Errorf("the other is answered with %d:\n%s", replies[lost].status, said(replies[lost].body))
	}
	if got, want := o.adjusted("acct"), []string{engine.ConsoleSource + " 6000 by Oscar/" + names[won] + ": charged twice"}; !slices.Equal(got, want) {
		t.Errorf("the journal has %q, want %q", got, want)
	}
}

func TestAnAdjustmentSentTwiceIsOne(t *testing.T) {
	o := openOffice(t)
	o.opens("acct", "everyday")
	oscar := o.signIn("Oscar", access.Operator)
	path := newAdjustmentPath("acct")
	send := func(page, amount string) reply {
		return oscar.submit(page, path, "direction", "give", "amount", amount, "reason", "once")
	}
	for _, amount := range []string{"10", "50"} {
		page := oscar.page(path)
		first := send(page, amount)
		o.pass(time.Second)
		second := send(page, amount)
		if first.status != http.StatusOK || second.status != http.StatusOK || first.path != second.path {
			t.Errorf("%s is answered with %d %s and %d %s", amount, first.status, first.path, second.status, second.path)
		}
		r := send(page, "11")
		if r.status != http.StatusConflict || !strings.Contains(said(r.body), "The form was sent before with other contents") || !strings.Contains(r.body, `name="amount" value="11"`) {
			t.Errorf("the same form with other contents: %d\n%s", r.status, said(r.body))
		}
	}
	if got, open := o.adjusted("acct"), o.open(); len(got) != 1 || len(open) != 1 || open[0].Amount != 5000 {
		t.Errorf("the journal has %q, and %+v waits", got, open)
	}
	for _, id := range []string{"", "adjustment-", "console-ABCDEFGHIJKLMNOPQRSTUVWXYZ", "resolution-ABCDEFGHIJKLMNOPQRSTUVWXYZ", "adjustment-abcdefghijklmnopqrstuvwxyz"} {
		if r := oscar.submit(oscar.page(path), path, "adjustment", id, "direction", "give", "amount", "1", "reason", "r"); r.status != http.StatusBadRequest {
			t.Errorf("a form with the id %q is answered with %d", id, r.status)
		}
	}
}

// open are the proposals that wait.
func (o *office) open() []approval.Proposal {
	o.Helper()
	list, err := o.proposals.Open(o.Context(), 0, 100)
	if err != nil {
		o.Fatal(err)
	}
	return list
}

func TestAmountsAreOfTheAccountsCurrency(t *testing.T) {
	o := openOffice(t, yen, "id: gulf\ncurrency: KWD\nrules: [{id: base, rate: 1%}]\n")
	for account, program := range map[string]string{"USD": "everyday", "JPY": "nippon", "KWD": "gulf"} {
		o.opens(account, program)
	}
	oscar := o.signIn("Oscar", access.Operator)
	for _, tt := range []struct {
		account, amount string
		minor           int64  // what is posted, or
		wrong           string // why it is not
	}{
		{"USD", "1", 100, ""}, {"USD", " 0.07 ", 7, ""}, {"USD", "12.5", 1250, ""},
		{"JPY", "1250", 1250, ""}, {"KWD", "1.234", 1234, ""}, {"KWD", "0.5", 500, ""},
		{"USD", "1.234", 0, "USD has 2 decimals: expected an amount such as 12.50."},
		{"USD", "1.000", 0, "USD has 2 decimals: expected an amount such as 12.50."},
		{"JPY", "12.50", 0, "JPY has no decimals: expected an amount such as 1250."},
		{"KWD", "0.0001", 0, "KWD has 3 decimals: expected an amount such as 12.500."},
		{"USD", "1,25", 0, "in one way only"},
		{"KWD", "1,250", 0, "in one way only"},
		{"USD", "1e2", 0, "in one way only"}, {"USD", "ten", 0, "in one way only"}, {"USD", "$5", 500, ""}, {"USD", ".5", 0, "in one way only"},
		{"USD", "-5", 0, "without a sign"}, {"USD", "+5", 0, "without a sign"}, {"USD", "−5", 0, "without a sign"},
		{"USD", "0.00", 0, "more than zero"}, {"USD", "", 0, "Enter an amount"},
		{"USD", "10000000000000.01", 0, "at most $10,000,000,000,000.00"}, {"USD", "99999999999999999999999", 0, "in one way only"},
	} {
		before := o.account(tt.account).Balance
		r := oscar.proposes(tt.account, "give", tt.amount, "test")
		if got := o.account(tt.account).Balance - before; got != tt.minor {
			t.Errorf("%s of %s posts %d, want %d", tt.amount, tt.account, got, tt.minor)
		}
		if tt.wrong == "" {
			continue
		}
		told := regexp.MustCompile(`id="amount-wrong">([^<]*)<`).FindStringSubmatch(r.body)
		if r.status != http.StatusUnprocessableEntity || told == nil || !strings.Contains(html.UnescapeString(told[1]), tt.wrong) {
			t.Errorf("%s of %s: %d %q, want %q", tt.amount, tt.account, r.status, told, tt.wrong)
		}
		if !strings.Contains(html.UnescapeString(r.body), `name="amount" value="`+tt.amount+`"`) || !strings.Contains(r.body, `value="test"`) || !strings.Contains(r.body, `value="give" id="give" required checked`) {
			t.Errorf("%s of %s: what was entered is lost", tt.amount, tt.account)
		}
	}
	if open := o.open(); len(open) > 0 {
		t.Errorf("%+v waits", open)
	}
	oscar.proposes("JPY", "take", "2501", "campaign credited twice")
	if page := said(oscar.page("/console/adjustments")); !strings.Contains(page, "JPY −JPY 2,501 campaign credited twice") {
		t.Errorf("what waits is:\n%s", page)
	}
}

func TestWhatIsMissingOfAnAdjustment(t *testing.T) {
	o := openOffice(t)
	o.opens("acct", "everyday")
	oscar, vera := o.signIn("Oscar", access.Operator), o.signIn("Vera", access.Viewer)
	for _, tt := range []struct{ direction, reason, at, want string }{
		{"", "r", "direction-wrong", "Choose whether to give or to take."},
		{"lend", "r", "direction-wrong", "Choose whether to give or to take."},
		{"give", " ", "reason-wrong", "Say why"},
		{"give", strings.Repeat("é", 129), "reason-wrong", "at most 256 bytes"},
		{"take", "5500 0000 0000 0004", "reason-wrong", "number of a payment card"},
	} {
		r := oscar.proposes("acct", tt.direction, "1", tt.reason)
		if told := regexp.MustCompile(`id="` + tt.at + `">([^<]*)<`).FindStringSubmatch(r.body); r.status != http.StatusUnprocessableEntity || told == nil || !strings.Contains(html.UnescapeString(told[1]), tt.want) {
			t.Errorf("%+.60v: %d %q\n%s", tt, r.status, told, said(r.body))
		}
	}
	for _, account := range []string{"nobody", "\u200b"} {
		if r := oscar.get(newAdjustmentPath(account)); r.status != http.StatusNotFound || account == "nobody" && !strings.Contains(r.body, "There is no such account") {
			t.Errorf("of account %q: %d", account, r.status)
		}
	}
	if page := oscar.page(newAdjustmentPath("acct\u200b")); !strings.Contains(page, `id="amount"`) {
		t.Error("an account's id with paste noise is not found")
	}
	if page := oscar.page("/console/adjustment/new"); !strings.Contains(page, `name="account"`) || strings.Contains(page, `name="amount"`) {
		t.Error("without an account it is not asked for")
	}
	form := oscar.page(newAdjustmentPath("acct"))
	hidden, _ := formOf(form, newAdjustmentPath("acct"))
	if r := oscar.submit(form, newAdjustmentPath("acct"), "csrf", "x", "direction", "give", "amount", "1", "reason", "r"); r.status != http.StatusForbidden {
		t.Errorf("a form of another session is answered with %d", r.status)
	}
	own, _ := formOf(vera.page("/console/adjustments"), "/console/sign-out")
	if r := vera.post(newAdjustmentPath("acct"), "csrf", own.Get("csrf"), "adjustment", hidden.Get("adjustment"), "direction", "give", "amount", "1", "reason", "r"); r.status != http.StatusForbidden {
		t.Errorf("a viewer's is answered with %d", r.status)
	}
	if r := vera.get(newAdjustmentPath("acct")); r.status != http.StatusForbidden {
		t.Errorf("a viewer sees the form: %d", r.status)
	}
	if got := o.adjusted("acct"); len(got) > 0 || len(o.open()) > 0 {
		t.Errorf("the journal has %q, and %+v waits", got, o.open())
	}
}

// What the rules refuse when somebody approves it is closed: the log has that they did.
func TestARefusedAdjustmentIsClosed(t *testing.T) {
	o := openOffice(t)
	o.opens("acct", "everyday")
	oscar, anna := o.signIn("Oscar", access.Operator), o.signIn("Anna", access.Approver)
	var full []reward.Event
	for i := range 4000 {
		id := fmt.Sprint("a", i)
		full = append(full, reward.Event{
			Source: "core", ID: id, Account: "acct", Time: reward.At(today), Type: reward.AdjustmentPosted, Fact: id,
			Amount: reward.MaxAmount, HasAmount: true, Currency: "USD", Reason: "r", Actor: "core",
		})
	}
	if _, err := o.group.Apply(t.Context(), full, nil); err != nil {
		t.Fatal(err)
	}
	before := o.account("acct").Balance
	oscar.proposes("acct", "give", "10000000000000", "too much")
	r := anna.decides("approve")
	if r.status != http.StatusConflict || !strings.Contains(said(r.body), "It was not posted: the balance would exceed what an account can have. It is closed.") {
		t.Errorf("answered with %d:\n%s", r.status, said(r.body))
	}
	if got := o.account("acct").Balance; got != before || len(o.open()) != 0 {
		t.Errorf("the balance went from %d to %d, and %d wait", before, got, len(o.open()))
	}
}

func TestTheListsOfAdjustmentsArePaged(t *testing.T) {
	o := openOffice(t)
	o.opens("acct", "everyday")
	oscar := approval.Person{ID: "k", Name: "Oscar"}
	const n = 60
	propose := func() approval.Proposal {
		p, _, _, err := o.proposals.Propose(t.Context(), approval.Proposal{Account: "acct", Amount: 9_999, Reason: fmt.Sprint("case ", o.sent), Proposer: oscar}, approval.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		o.sent++
		return p
	}
	for range n {
		p := propose()
		if _, err := o.proposals.Reject(t.Context(), p.Number, oscar, ""); err != nil {
			t.Fatal(err)
		}
	}
	for range n {
		propose()
	}
	vera := o.signIn("Vera", access.Viewer)
	reasons := regexp.MustCompile(`<td>(case \d+)</td>`)
	next := regexp.MustCompile(`href="([^"#]*)[^"]*" rel="next"`)
	first := vera.page("/console/adjustments")
	links := next.FindAllStringSubmatch(first, -1)
	if len(links) != 2 {
		t.Fatalf("there are %d further pages, want one of each list", len(links))
	}
	seen := make(map[string]bool)
	for _, page := range []string{first, vera.page(html.UnescapeString(links[0][1])), vera.page(html.UnescapeString(links[1][1]))} {
		for _, m := range reasons.FindAllStringSubmatch(page, -1) {
			seen[m[1]] = true
		}
	}
	if len(seen) != 2*n {
		t.Errorf("the pages show %d adjustments, want %d", len(seen), 2*n)
	}
	if r := vera.get("/console/adjustments?after=x&before=-5"); r.status != http.StatusOK {
		t.Errorf("places that are none are answered with %d", r.status)
	}
}
