package console_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/service/access"
	"recoup/reward"
)

var postRoute = regexp.MustCompile(`"POST "\s*\+\s*(?:Path\s*\+\s*"([^"]*)"|playgroundPath\s*\+\s*"([^"]*)"|BackChannelPath)`)

// sends sends a form of a session, with the field that shows where it is from.
func (b *browser) sends(action string, pairs ...string) reply {
	b.Helper()
	if !slices.Contains(pairs, "csrf") {
		hidden, _ := formOf(b.get("/console/").body, "/console/language")
		pairs = append(pairs, "csrf", hidden.Get("csrf"))
	}
	return b.post(action, pairs...)
}

// Whatever a form is answered in a German console is German: each form is sent well filled in
// and in every way badly.
func TestFormsAreAnsweredInGerman(t *testing.T) {
	english := englishWords(t)
	for _, id := range []string{"grocery", "shop", "paper", "none"} {
		delete(english, id)
	}
	o := openOffice(t, yen)
	for _, account := range []string{"acct", "other"} {
		o.unlinked(account)
	}
	o.inEuros("acct", "r-euro", 9_000)
	o.inEuros("acct", "r-euro-2", 700)
	o.opens("JPY", "nippon")
	o.deliver(reward.Event{Account: "sure", Type: reward.TransactionSettled, Transaction: "grocery", Amount: 10_000, Merchant: "shop", Category: "GROCERY", Time: daysAgo(20)})
	o.deliver(reward.Event{Account: "sure", Type: reward.RefundPosted, Fact: "sure", Amount: 10_000, Merchant: "shop", Category: "GROCERY", Time: daysAgo(16)})
	o.refresh()
	people := map[string]*browser{"": o.stranger()}
	for name, role := range map[string]access.Role{"Vera": access.Viewer, "Oscar": access.Operator, "Anna": access.Approver, "Ada": access.Administrator} {
		people[name] = o.signIn(name, role)
	}
	for _, b := range people {
		hidden, _ := formOf(b.get("/console/sign-in").body, "/console/language")
		b.post("/console/language", "csrf", hidden.Get("csrf"), "language", "de")
	}
	resolution := func() string { return "resolution-" + rand.Text() }
	adjustment := func() string { return "adjustment-" + rand.Text() }
	review := reviewPath("acct", "refund", "r1")
	ofReview := func(what string) string {
		return "/console/review/" + what + strings.TrimPrefix(review, "/console/review")
	}
	const card = "4111111111111111"
	long := strings.Repeat("ä", 200)
	tomorrow := today.Add(24 * time.Hour).Format(time.DateOnly)
	draft := func(pairs ...string) []string {
		return append([]string{"id", "everyday", "as", "yaml", "document", dearer}, pairs...)
	}
	form := func(pairs ...string) []string {
		return append([]string{"id", "everyday", "as", "form", "document", dearer}, pairs...)
	}
	sent := make(map[string]bool)
	send := func(who, action string, status int, pairs ...string) reply {
		t.Helper()
		path, _, _ := strings.Cut(action, "?")
		sent[strings.TrimPrefix(path, "/console/")] = true
		r := people[who].sends(action, pairs...)
		if r.status != status {
			t.Errorf("%s sends %.60q to %s: answered %d, want %d\n%.400s", who, pairs, action, r.status, status, said(r.body))
		}
		if strings.HasPrefix(r.body, "<!doctype") && !strings.Contains(r.body, `<html lang="de" dir="ltr">`) {
			t.Errorf("%s sends %.60q to %s: answered in another language", who, pairs, action)
		}
		for w, where := range leftIn(r.body, english) {
			t.Errorf("%s sends %.60q to %s, and %q is English: … %s", who, pairs, action, w, where)
		}
		return r
	}

	// Who they are.
	send("", "/console/sign-in", http.StatusUnauthorized, "key", "rk_none")
	send("", "/console/sign-in", http.StatusUnauthorized, "role", "viewer")
	send("", "/console/sign-in", http.StatusBadRequest, "role", "emperor")
	send("", "/console/language", http.StatusBadRequest, "language", "xx")
	send("", "/console/sign-in/back-channel", http.StatusNotFound, "logout_token", "x")
	send("", "/console/reviews/filters", http.StatusUnauthorized, "name", "x")
	send("Vera", "/console/adjustments", http.StatusForbidden, "number", "1")
	send("Oscar", "/console/reviews/filters", http.StatusForbidden, "csrf", "forged", "name", "x")

	// Adjustments, and what waits.
	adjust := newAdjustmentPath("acct")
	for _, wrong := range [][]string{
		{"direction", "", "amount", "1", "reason", "Grund"}, {"direction", "give", "amount", "", "reason", "Grund"}, {"direction", "give", "amount", "-5", "reason", "Grund"},
		{"direction", "give", "amount", "1,2,3", "reason", "Grund"}, {"direction", "give", "amount", "1,234", "reason", "Grund"}, {"direction", "give", "amount", "0", "reason", "Grund"},
		{"direction", "give", "amount", "10000000000000,01", "reason", "Grund"}, {"direction", "give", "amount", "1", "reason", ""}, {"direction", "give", "amount", "1", "reason", long}, {"direction", "give", "amount", "1", "reason", card},
	} {
		send("Oscar", adjust, http.StatusUnprocessableEntity, append(wrong, "adjustment", adjustment())...)
	}
	send("Oscar", newAdjustmentPath("JPY"), http.StatusUnprocessableEntity, "direction", "give", "amount", "1.50", "reason", "Grund", "adjustment", adjustment())
	send("Oscar", adjust, http.StatusBadRequest, "adjustment", "x")
	send("Oscar", newAdjustmentPath("none"), http.StatusNotFound, "adjustment", adjustment())
	once := adjustment()
	send("Oscar", adjust, http.StatusOK, "direction", "give", "amount", "1,50", "reason", "Grund", "adjustment", once)
	send("Oscar", adjust, http.StatusConflict, "direction", "give", "amount", "2,50", "reason", "Grund", "adjustment", once)
	for n := range 4 {
		send("Oscar", adjust, http.StatusOK, "direction", "give", "amount", fmt.Sprint(100+n), "reason", "Grund", "adjustment", adjustment())
	}
	send("Anna", "/console/adjustments", http.StatusOK, "number", "1", "decision", "approve")
	send("Anna", "/console/adjustments", http.StatusConflict, "number", "1", "decision", "reject")
	send("Anna", "/console/adjustments", http.StatusUnprocessableEntity, "number", "2", "decision", "reject", "note", long)
	send("Anna", "/console/adjustments", http.StatusOK, "number", "2", "decision", "reject", "note", "Nein")
	send("Anna", "/console/adjustments", http.StatusConflict, "number", "2", "decision", "approve")
	send("Oscar", "/console/adjustments", http.StatusForbidden, "number", "3", "decision", "approve")
	send("Oscar", "/console/adjustments", http.StatusOK, "number", "3", "decision", "reject")
	send("Anna", "/console/adjustments", http.StatusConflict, "number", "3", "decision", "approve")
	send("Anna", "/console/adjustments", http.StatusNotFound, "number", "99", "decision", "approve")
	send("Anna", "/console/adjustments", http.StatusBadRequest, "number", "4", "decision", "postpone")
	send("Anna", adjust, http.StatusOK, "direction", "give", "amount", "200", "reason", "Grund", "adjustment", adjustment())
	send("Anna", "/console/adjustments", http.StatusConflict, "number", "5", "decision", "approve")

	// Reviews.
	decide := func(status int, pairs ...string) {
		t.Helper()
		send("Oscar", review, status, append(pairs, "event", resolution())...)
	}
	for _, wrong := range [][]string{
		{"choice", "", "reason", "Grund"}, {"choice", "dismiss", "reason", ""}, {"choice", "dismiss", "reason", long}, {"choice", "dismiss", "reason", card}, {"choice", "link:", "reason", "Grund"},
		{"choice", "link:paper", "other", "grocery", "reason", "Grund"}, {"choice", "dismiss", "other", "paper", "reason", "Grund"}, {"choice", "count", "as", "", "reason", "Grund"}, {"choice", "count", "as", card, "reason", "Grund"}, {"choice", "link:" + long, "reason", "Grund"},
	} {
		decide(http.StatusUnprocessableEntity, wrong...)
	}
	decide(http.StatusConflict, "choice", "link:none", "reason", "Grund")
	decide(http.StatusConflict, "choice", "settle", "reason", "Grund")
	decide(http.StatusConflict, "choice", "count", "as", "r2", "reason", "Grund")
	decide(http.StatusBadRequest, "choice", "steal", "reason", "Grund")
	send("Oscar", review, http.StatusBadRequest, "event", "x")
	send("Oscar", ofReview("note"), http.StatusOK, "note", "gesehen")
	send("Oscar", ofReview("note"), http.StatusUnprocessableEntity, "note", card)
	send("Oscar", ofReview("note"), http.StatusUnprocessableEntity, "note", long)
	send("Oscar", ofReview("assign"), http.StatusOK, "to", "me")
	send("Oscar", ofReview("assign"), http.StatusOK, "to", "nobody")
	send("Oscar", ofReview("assign"), http.StatusOK, "assignee", "Berta")
	send("Oscar", ofReview("assign"), http.StatusUnprocessableEntity, "assignee", "")
	send("Oscar", ofReview("assign"), http.StatusUnprocessableEntity, "assignee", "a\nb")
	send("Oscar", ofReview("snooze"), http.StatusOK, "until", tomorrow)
	send("Oscar", ofReview("snooze"), http.StatusOK)
	send("Oscar", ofReview("snooze"), http.StatusUnprocessableEntity, "until", "bald")
	send("Oscar", ofReview("snooze"), http.StatusUnprocessableEntity, "until", "2099-01-01")
	decide(http.StatusOK, "choice", "link:paper", "reason", "Grund")
	decide(http.StatusConflict, "choice", "link:paper", "reason", "Grund")
	send("Oscar", ofReview("reopen"), http.StatusUnprocessableEntity, "reason", "")
	send("Oscar", ofReview("reopen"), http.StatusOK, "reason", "noch einmal")
	decide(http.StatusOK, "choice", "settle", "reason", "Grund")
	review = reviewPath("other", "refund", "r1")
	twice := resolution()
	send("Oscar", review, http.StatusOK, "choice", "dismiss", "reason", "Grund", "event", twice)
	send("Oscar", review, http.StatusConflict, "choice", "dismiss", "reason", "anderer Grund", "event", twice)
	list := people["Oscar"].page("/console/reviews?kind=matched_certain")
	pick := regexp.MustCompile(`name="part" value="([^"]*)"`).FindStringSubmatch(list)
	if pick == nil {
		t.Fatalf("nothing is certain:\n%s", said(list))
	}
	send("Oscar", "/console/reviews/certain?queue=all", http.StatusUnprocessableEntity, "event", resolution(), "reason", "Grund")
	send("Oscar", "/console/reviews/certain?queue=all", http.StatusUnprocessableEntity, "event", resolution(), "part", pick[1])
	send("Oscar", "/console/reviews/certain?queue=all", http.StatusBadRequest, "event", "x")
	send("Oscar", "/console/reviews/certain?queue=all", http.StatusOK, "event", resolution(), "part", pick[1], "reason", "Grund")
	send("Oscar", "/console/reviews/certain?queue=all", http.StatusOK, "event", resolution(), "part", pick[1], "reason", "Grund")
	send("Oscar", "/console/reviews/filters", http.StatusOK, "name", "Meine", "query", "kind=matched_without_link")
	send("Oscar", "/console/reviews/filters", http.StatusUnprocessableEntity, "name", "", "query", "")
	send("Oscar", "/console/reviews/filters", http.StatusUnprocessableEntity, "name", card, "query", "")
	send("Oscar", "/console/reviews/filters", http.StatusUnprocessableEntity, "name", "lang", "query", "account="+url.QueryEscape(strings.Repeat("ä", 300)))
	send("Oscar", "/console/reviews/filters", http.StatusOK, "forget", "Meine")
	refused := people["Oscar"].refusedPath()
	for _, wrong := range [][]string{{"action", "count", "amount", "x", "reason", "Grund"}, {"action", "count", "amount", "0", "reason", "Grund"}, {"action", "dismiss", "reason", ""}} {
		send("Oscar", refused, http.StatusUnprocessableEntity, append(wrong, "event", resolution())...)
	}
	send("Oscar", refused, http.StatusBadRequest, "action", "admit", "reason", "Grund", "event", resolution())
	send("Oscar", refused, http.StatusBadRequest, "event", "x")
	send("Oscar", refused, http.StatusOK, "action", "count", "amount", "50", "reason", "Grund", "event", resolution())
	send("Oscar", refused, http.StatusConflict, "action", "dismiss", "reason", "Grund", "event", resolution())
	send("Oscar", people["Oscar"].refusedPath(), http.StatusOK, "action", "dismiss", "reason", "Grund", "event", resolution())

	// Terms.
	send("Vera", "/console/program/draft", http.StatusOK, draft("do", "preview")...)
	send("Vera", "/console/program/draft", http.StatusForbidden, draft("do", "save", "name", "x")...)
	send("Oscar", "/console/program/draft", http.StatusOK, draft("do", "save", "name", "Mein Entwurf")...)
	send("Oscar", "/console/program/draft", http.StatusUnprocessableEntity, draft("do", "save", "name", long)...)
	send("Oscar", "/console/program/draft", http.StatusConflict, draft("do", "save", "name", "x", "draft", "77", "revision", "1")...)
	send("Ada", "/console/program/draft", http.StatusConflict, draft("do", "save", "name", "x", "draft", "1", "revision", "0")...)
	send("Oscar", "/console/program/draft", http.StatusOK, draft("do", "form")...)
	send("Oscar", "/console/program/draft", http.StatusOK, form("do", "yaml")...)
	send("Oscar", "/console/program/draft", http.StatusOK, form("do", "edit add rules")...)
	send("Oscar", "/console/program/draft", http.StatusUnprocessableEntity, form("do", "edit add nothing")...)
	send("Oscar", "/console/program/draft", http.StatusOK, form("do", "simulate", "story", "buy 80 at mcc 5411, return half", "f.rules.0.rate", "1,5%")...)
	send("Oscar", "/console/program/draft", http.StatusUnprocessableEntity, form("do", "simulate", "story", "steal 5")...)
	for name, value := range map[string]string{"rules.0.rate": "1%\n2%", "rules.0.cap.reward": "viel", "maturity_days": "bald", "rules.0.match.from": "morgen", "timing.grant": "nie", "cycle": "x", "categories": "x", "rules.0.match.category": ","} {
		send("Oscar", "/console/program/draft", http.StatusUnprocessableEntity, form("do", "preview", "f."+name, value)...)
	}
	send("Oscar", "/console/program/draft", http.StatusUnprocessableEntity, "id", "everyday", "as", "yaml", "document", "id: everyday\ncolour: red\n")
	send("Oscar", "/console/program/draft", http.StatusNotFound, "id", "none", "as", "yaml", "document", dearer)
	send("Oscar", "/console/program/draft/delete", http.StatusOK, "id", "everyday", "draft", "1")
	send("Oscar", "/console/program/draft/delete", http.StatusNotFound, "id", "everyday", "draft", "1")
	page := people["Ada"].sends("/console/program/draft", draft("do", "preview")...).body
	publish, _ := formOf(page, "/console/program/publish")
	if publish.Get("hash") == "" {
		t.Fatalf("there is nothing to publish:\n%s", said(page))
	}
	proposed := draft("hash", publish.Get("hash"), "change", publish.Get("change"), "typed", publish.Get("change"))
	send("Ada", "/console/program/publish", http.StatusConflict, draft("hash", "x", "from", "2026-08")...)
	send("Ada", "/console/program/publish", http.StatusBadRequest, append(proposed, "from", "x")...)
	send("Ada", "/console/program/publish", http.StatusUnprocessableEntity, append(proposed, "from", "2020-01")...)
	send("Ada", "/console/program/publish", http.StatusOK, append(proposed, "from", "2026-08")...)
	send("Ada", "/console/program/withdraw", http.StatusConflict, "id", "everyday", "version", "1")
	send("Ada", "/console/program/withdraw", http.StatusNotFound, "id", "none", "version", "1")

	// Deliveries, webhooks and the playground.
	send("Oscar", "/console/deliveries", http.StatusBadRequest, "number", "x")
	send("Oscar", "/console/deliveries", http.StatusConflict, "number", "5")
	send("Oscar", "/console/deliveries", http.StatusConflict, "all", "none")
	send("Oscar", "/console/deliveries", http.StatusOK, "all", "*")
	for _, what := range []string{"replay", "dismiss"} {
		send("Oscar", "/console/dead-webhooks/"+what, http.StatusBadRequest, "number", "x")
		send("Oscar", "/console/dead-webhooks/"+what, http.StatusConflict, "number", "5")
	}
	send("Vera", "/console/playground/scenario", http.StatusUnprocessableEntity, "scenario", "title: x")
	send("Vera", "/console/sign-out", http.StatusOK)

	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	routes := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range postRoute.FindAllStringSubmatch(string(source), -1) {
			routes++
			path := m[1]
			switch {
			case m[2] != "":
				path = "playground" + m[2]
			case path == "":
				path = "sign-in/back-channel"
			}
			if !sent[path] {
				t.Errorf("%s takes a form at %q that was not sent", file, path)
			}
		}
	}
	if routes < 20 {
		t.Errorf("only %d forms were found", routes)
	}
}
