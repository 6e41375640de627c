package e2e_test

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"recoup/e2e/browser"
)

// issuer is an issuer's site: pages that show a feed, and a backend that gets tokens for
// whoever has signed in. Its origin is another than that of the service.
type issuer struct {
	*service
	site    *httptest.Server
	account string
	tokens  func(w http.ResponseWriter, of string) // answers /token
	asked   atomic.Int64
}

// feedTerms hold a reward for thirty days.
const feedTerms = "id: everyday\ncurrency: USD\nmaturity_days: 30\nrules:\n  - {id: base, rate: 5%}\n"

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	folder := t.TempDir()
	db, keys, terms := filepath.Join(folder, "data"), filepath.Join(folder, "feed.keys"), filepath.Join(folder, "terms.yaml")
	noError(t, os.WriteFile(terms, []byte(feedTerms), 0o600))
	i := new(issuer)
	i.site = httptest.NewServer(i)
	t.Cleanup(i.site.Close)
	if made := command(t, "feed", "key", keys); made.code != 0 {
		t.Fatal(made.stderr)
	}
	sender := scopedKey(t, db, "core", "--scope", "ingest", "--scope", "redeem", "--source", "core")
	app := scopedKey(t, db, "app", "--scope", "feed")
	i.service = serveAs(t, "--db", db, "--program", terms, "--feed-keys", keys, "--feed-origin", i.site.URL)
	i.tokens = func(w http.ResponseWriter, of string) {
		status, answer := i.call(t, app, "POST", "/v1/accounts/"+of+"/feed-tokens", "", "")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		w.Write(answer)
	}
	i.story(t, sender)
	return i
}

// scopedKey makes a key of some scopes.
func scopedKey(t testing.TB, db, name string, more ...string) string {
	t.Helper()
	made := command(t, append([]string{"keys", "create", "--db", db, "--name", name, "--output", "json"}, more...)...)
	if made.code != 0 {
		t.Fatal(made.stderr)
	}
	var list struct{ Keys []key }
	noError(t, json.Unmarshal([]byte(made.stdout), &list))
	return list.Keys[0].Key
}

func (i *issuer) call(t testing.TB, key, method, path, media, body string) (status int, answer []byte) {
	r, err := http.NewRequest(method, i.url+path, strings.NewReader(body))
	noError(t, err)
	r.Header.Set("Authorization", "Bearer "+key)
	if media != "" {
		r.Header.Set("Content-Type", media)
	}
	response, err := http.DefaultClient.Do(r)
	noError(t, err)
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	noError(t, err)
	return response.StatusCode, answer
}

// story is what happens to the accounts: ada has thirty purchases that have matured, of which
// one came back in part and one whole, one that is young, and a payout; bob has none.
func (i *issuer) story(t testing.TB, key string) {
	n := 0
	now := time.Now().UTC()
	event := func(kind, account string, days int, data string) {
		n++
		line := fmt.Sprintf(`{"specversion":"1.0","id":"e%d","source":"core","type":%q,"time":%q,"subject":%q,"data":{%s}}`,
			n, kind, now.AddDate(0, 0, -days).Add(-time.Minute).Format(time.RFC3339), account, data)
		if status, answer := i.call(t, key, "POST", "/v1/events", "application/cloudevents+json", line); status != 200 || !strings.Contains(string(answer), `"applied"`) {
			t.Fatalf("%d %s", status, answer)
		}
	}
	event("account.opened", "bob", 70, "")
	for p := range 30 {
		event("transaction.settled", "ada", 70, fmt.Sprintf(`"transaction":"old%d","amount":2000,"currency":"USD","merchant":"Shop %d"`, p, p))
	}
	event("transaction.settled", "ada", 60, `"transaction":"shoes","amount":10000,"currency":"USD","merchant":"Shoe Barn"`)
	event("refund.posted", "ada", 50, `"refund":"r1","amount":4000,"currency":"USD","transaction":"shoes"`)
	event("transaction.settled", "ada", 45, `"transaction":"hat","amount":3000,"currency":"USD","merchant":"Hats & <b>Co</b>"`)
	event("refund.posted", "ada", 40, `"refund":"r2","amount":3000,"currency":"USD","transaction":"hat"`)
	event("redemption.requested", "ada", 20, `"redemption":"p1","amount":1000,"currency":"USD"`)
	event("transaction.settled", "ada", 2, `"transaction":"lamp","amount":5000,"currency":"USD","merchant":"Lamps"`)
	event("transaction.authorized", "ada", 0, `"transaction":"tea","amount":700,"currency":"USD","merchant":"Tea House"`)
}

// page is an issuer's page with the element, under a policy that allows the service and
// nothing else of others.
var issuersPage = template.Must(template.New("page").Parse(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>App</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><script src="{{.Service}}/embed/recoup-feed.js" defer></script>
<link rel="stylesheet" href="/page.css"></head><body><main><h1>Your card</h1>
<recoup-feed {{range $name, $value := .Attributes}} {{$name}}="{{$value}}"{{end}}>{{.Slots}}</recoup-feed></main></body></html>`))

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/token":
		if r.Method != http.MethodPost || r.Header.Get("Sec-Fetch-Site") != "same-origin" {
			http.Error(w, "not so", http.StatusForbidden)
			return
		}
		i.asked.Add(1)
		i.tokens(w, i.account)
	case "/page.css":
		w.Header().Set("Content-Type", "text/css")
		io.WriteString(w, ".own { --recoup-accent: rgb(90, 0, 90); --recoup-surface: rgb(255, 250, 240); }\n.own::part(entry) { padding: 3px; }\n")
	case "/":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src "+i.url+"; connect-src 'self' "+i.url)
		attributes := make(map[template.HTMLAttr]string)
		for name, values := range r.URL.Query() {
			if name != "slots" {
				attributes[template.HTMLAttr(name)] = values[0]
			}
		}
		err := issuersPage.Execute(w, map[string]any{"Service": i.url, "Attributes": attributes, "Slots": template.HTML(r.URL.Query().Get("slots"))})
		if err != nil {
			panic(err)
		}
	default:
		http.NotFound(w, r)
	}
}

// shown opens a page with the element for an account.
func (i *issuer) shown(t *testing.T, account string, o browser.Options, attributes ...string) *browser.Page {
	t.Helper()
	i.account = account
	o.Server, o.Others = i.site.URL, []string{i.url}
	p := browser.Start(t).Page(t, o)
	query := url.Values{"account": {account}, "token-url": {"/token"}}
	for n := 0; n < len(attributes); n += 2 {
		query.Set(attributes[n], attributes[n+1])
	}
	p.Open("/?" + query.Encode())
	return p
}

// What is in the element is in its shadow, where a page's own scripts and texts are not.
const inFeed = `document.querySelector("recoup-feed").shadowRoot`

// text is what one reads of a part of the element.
func text(p *browser.Page, selector string) (read string) {
	p.Evaluate(fmt.Sprintf(`[...%s.querySelectorAll(%q)].map((e) => e.textContent).join("|")`, inFeed, selector), &read)
	return strings.Map(func(r rune) rune {
		if r == '\u00a0' || r == '\u202f' {
			return ' '
		}
		return r
	}, read)
}

func expectText(t *testing.T, p *browser.Page, selector, want string) {
	t.Helper()
	if got := text(p, selector); got != want {
		t.Errorf("%s reads %q, want %q", selector, got, want)
	}
}

// entries waits until so many are shown.
func entries(p *browser.Page, n int) {
	p.Await(fmt.Sprintf(`%s.querySelectorAll("li").length === %d && !%[1]s.querySelector("[aria-busy]")`, inFeed, n))
}

// A page of another site shows an account's feed, and goes on with the keyboard alone.
func TestFeedOnAnotherSite(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	p := i.shown(t, "ada", browser.Options{})
	entries(p, 20)
	expectText(t, p, "dd", "$23.00|$2.50")
	expectText(t, p, "li:nth-child(-n+5) .what", "Tea House|Lamps|Payout|Hats & <b>Co</b>|Shoe Barn")
	expectText(t, p, "li:nth-child(-n+5) .state", "Pending|Pending|Paid out|Taken back|Partly taken back")
	expectText(t, p, "li:nth-child(-n+5) .amount", "|+$2.50|−$10.00|$0.00|+$3.00")
	expectText(t, p, "li:nth-child(5) .why", "You got $40.00 of $100.00 back, so $2.00 of the reward was taken back.")
	p.Axe()
	p.Fits()
	if n := i.asked.Load(); n != 1 {
		t.Errorf("%d tokens were asked for", n)
	}
	// The one thing to stop at is the button, whose ring is seen; then the new entries.
	p.Press("Tab")
	var stop struct{ Part, Outline string }
	at := `(() => { const e = ` + inFeed + `.activeElement; return { part: e.getAttribute("part"), outline: getComputedStyle(e).outlineStyle + getComputedStyle(e).outlineWidth } })()`
	if p.Evaluate(at, &stop); stop.Part != "more" || stop.Outline != "solid3px" {
		t.Errorf("the first stop is %+v", stop)
	}
	p.Press("Enter")
	entries(p, 35)
	if p.Evaluate(at, &stop); stop.Part != "entry entry-purchase" {
		t.Errorf("the focus is at %+v, want the first of the new entries", stop)
	}
	var name string
	p.Evaluate(inFeed+`.activeElement.querySelector(".what").textContent`, &name)
	expectText(t, p, "li:nth-child(21) .what", name)
	expectText(t, p, "[role=status].seen", "15 more entries. That is all")
	var there bool
	if p.Evaluate(inFeed+`.querySelector("[part=more]").hidden`, &there); !there {
		t.Error("there is more of nothing")
	}
	if n := i.asked.Load(); n != 1 {
		t.Errorf("%d tokens were asked for", n)
	}
	p.Axe()
}

// On a phone, in the dark, in German; with a site's own colours and texts.
func TestFeedAsASiteWantsIt(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	p := i.shown(t, "ada", browser.Options{Phone: true, Dark: true, Locale: "de-DE"}, "lang", "de-CH", "page-size", "5")
	entries(p, 5)
	expectText(t, p, "h2", "Deine Prämien")
	expectText(t, p, "dt", "Verfügbar|Ausstehend")
	expectText(t, p, "li:nth-child(5) .state", "Teilweise zurückgenommen")
	expectText(t, p, "li:nth-child(5) .why", "Du hast 40,00 $ von 100,00 $ zurückbekommen, deshalb wurden 2,00 $ der Prämie zurückgenommen.")
	var colour string
	if p.Evaluate(`getComputedStyle(document.querySelector("recoup-feed")).backgroundColor`, &colour); colour != "rgb(20, 24, 29)" {
		t.Errorf("in the dark it is %s", colour)
	}
	p.Axe()
	p.Fits()

	p = i.shown(t, "ada", browser.Options{Dark: true}, "theme", "light", "class", "own", "slots", `<span slot="heading">Cashback</span><b slot="more">Go on</b>`)
	entries(p, 20)
	if p.Evaluate(`getComputedStyle(document.querySelector("recoup-feed")).backgroundColor`, &colour); colour != "rgb(255, 250, 240)" {
		t.Errorf("as the site wants it, it is %s", colour)
	}
	var padding, heading string
	if p.Evaluate(`getComputedStyle(`+inFeed+`.querySelector("li")).padding`, &padding); padding != "3px" {
		t.Errorf("an entry's padding is %s", padding)
	}
	if p.Evaluate(inFeed+`.querySelector("slot[name=heading]").assignedElements()[0].textContent`, &heading); heading != "Cashback" {
		t.Errorf("the heading is %q", heading)
	}
	p.See("Go on")
	p.Axe()
}

// What goes wrong is said, and can be tried again; a token that has expired is replaced
// without a word.
func TestFeedThatIsNotThere(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	p := i.shown(t, "bob", browser.Options{})
	p.Await(inFeed + `.querySelector("[part=empty]")?.hidden === false`)
	expectText(t, p, "[part=empty]", "No rewards yet. They appear here after your first purchase.")
	p.Axe()

	good := i.tokens
	i.tokens = func(w http.ResponseWriter, _ string) { http.Error(w, "not now", http.StatusInternalServerError) }
	p = browserAt(t, i)
	p.Expect(http.StatusInternalServerError)
	open(p, "ada")
	p.Await(inFeed + `.querySelector("[part=retry]") !== null`)
	expectText(t, p, "[role=alert]", "Your rewards could not be loaded.Try again")
	p.Axe()
	i.account, i.tokens = "ada", good
	p.Press("Tab")
	p.Press("Enter")
	entries(p, 20)
	expectText(t, p, "[role=alert]", "")

	// A token of somebody else's account, then an old one: each time the next is the right one.
	old := "eyJhbGciOiJIUzI1NiIsImtpZCI6ImsxIn0.e30.c2lnbmF0dXJl"
	i.tokens = func(w http.ResponseWriter, of string) {
		i.tokens = good
		json.NewEncoder(w).Encode(map[string]string{"token": old})
	}
	p = browserAt(t, i)
	p.Expect(http.StatusUnauthorized)
	open(p, "ada")
	entries(p, 20)

	i.tokens = func(w http.ResponseWriter, _ string) { good(w, "bob") }
	p = browserAt(t, i)
	p.Expect(http.StatusForbidden)
	open(p, "ada")
	p.Await(inFeed + `.querySelector("[part=retry]") !== null`)
	if n := text(p, "li"); n != "" {
		t.Errorf("bob reads %q of ada", n)
	}
}

func browserAt(t *testing.T, i *issuer) *browser.Page {
	t.Helper()
	return browser.Start(t).Page(t, browser.Options{Server: i.site.URL, Others: []string{i.url}})
}

func open(p *browser.Page, account string) {
	p.Open("/?" + url.Values{"account": {account}, "token-url": {"/token"}}.Encode())
}
