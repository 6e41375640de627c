package console_test

import (
	"html"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"recoup/internal/console/locale"
	"recoup/internal/console/play"
	"recoup/internal/lab/design"
	"recoup/internal/scenario"
	"recoup/internal/service/access"
)

const playgroundURL = "/console/playground"

// player is a viewer at the playground, who may change nothing.
func player(t *testing.T) *browser { return openOffice(t).signIn("Vera", access.Viewer) }

// inLanguage looks at a page as a browser set to a language does.
func (b *browser) inLanguage(language, path string) reply {
	b.Helper()
	r, err := http.NewRequest(http.MethodGet, b.server.URL+path, nil)
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Accept-Language", language)
	response, err := b.client.Do(r)
	return b.read(response, err)
}

func runURL(r play.Run) string { return playgroundURL + "?" + r.Values().Encode() }

// hrefOf returns where the link with an id leads.
func hrefOf(t *testing.T, page, id string) string {
	t.Helper()
	m := regexp.MustCompile(`<a [^>]*id="` + id + `"[^>]*href="([^"]*)#stage"`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("no link %s in the page", id)
	}
	return html.UnescapeString(m[1])
}

// designAt returns one design's part of a page, as text.
func designAt(t *testing.T, page, side string) string {
	t.Helper()
	m := regexp.MustCompile(`(?s)<section class="design [^>]*aria-labelledby="` + side + `-name">.*?</section>`).FindString(page)
	if m == "" {
		t.Fatalf("no design at the %s", side)
	}
	return said(m)
}

func mustSay(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestTheFirstVisitBeginsWithTheDoubleDip(t *testing.T) {
	page := player(t).page(playgroundURL)
	mustSay(t, said(page), "Follow the money from the shop to the bank", "The four-phase double dip", "Before the first step")
	mustSay(t, designAt(t, page, "left"), "A ", "Balance $0.00", "Leaked $0.00")
	mustSay(t, designAt(t, page, "right"), "Recoup ", "Balance $0.00", "Leaked $0.00")
	hrefOf(t, page, "next")
	if strings.Contains(page, `id="back"`) {
		t.Error("before the first step there is nothing to go back to")
	}
}

func TestSteppingThroughTheDoubleDip(t *testing.T) {
	b := player(t)
	page := b.page(playgroundURL)
	for _, step := range []struct {
		move, caption string
		left, right   []string
	}{
		{"Buy the groceries for $1,000.00", "Earn:", []string{"granted $50.00", "Balance $50.00"}, []string{"granted $50.00", "Balance $50.00"}},
		{"Redeem $50.00", "Extract:", []string{"accepted", "Paid out so far $50.00"}, []string{"accepted", "Paid out so far $50.00"}},
		{"7 days pass", "A week passes", []string{"Leaked $0.00"}, []string{"Leaked $0.00"}},
		{"Return the groceries: $1,000.00 is refunded", "Return:", []string{"changed nothing", "Entitled to $0.00", "Leaked $50.00"}, []string{"took back $50.00", "Balance −$50.00", "Leaked $0.00"}},
		{"The statement of January closes", "Retain:", []string{"Leaked $50.00"}, []string{"Leaked $0.00"}},
		{"4 days pass", "A new month", nil, nil},
		{"Buy the groceries (2) for $1,000.00 at the corner shop", "The same purchase again", []string{"Balance $50.00"}, []string{"Balance $0.00"}},
		{"Redeem $50.00", "The attacker asks", []string{"accepted", "Paid out so far $100.00"}, []string{"denied", "Paid out so far $50.00"}},
		{"7 days pass", "Another week", nil, nil},
		{"Return the groceries (2)", "The goods go back again", []string{"Leaked $100.00"}, []string{"Leaked $0.00"}},
		{"The statement of February closes", "Two months", []string{"Leaked $100.00"}, []string{"Balance −$50.00", "Leaked $0.00"}},
	} {
		page = b.page(hrefOf(t, page, "next"))
		mustSay(t, said(page), step.move, step.caption)
		mustSay(t, designAt(t, page, "left"), step.left...)
		mustSay(t, designAt(t, page, "right"), step.right...)
	}
	mustSay(t, said(page), "What came of it: A paid $100.00 for goods that went back and does not take it back; Recoup took the reward back")
	if strings.Contains(page, `id="next"`) {
		t.Error("after the last step there is another")
	}
	mustSay(t, said(b.page(hrefOf(t, page, "onward"))), "Returned in a later cycle", "Before the first step")
	mustSay(t, said(b.page(hrefOf(t, page, "back"))), "Step 10 of 11")
	mustSay(t, said(b.page(hrefOf(t, page, "start"))), "Before the first step")
}

// Before the statement less is there than the terms promise, which is no leak.
func TestWhatIsStillToComeIsNoLeak(t *testing.T) {
	page := player(t).page(playgroundURL + "?v=1&left=b&m=buy+1000.00+GROCERY")
	mustSay(t, designAt(t, page, "left"), "Entitled to $50.00", "Leaked $0.00 $50.00 still to come")
}

// What is told of the end is told at the end, and what is shown of a run is no more
// than was played.
func TestAStepInTheMiddleTellsNothingOfTheRest(t *testing.T) {
	b := player(t)
	const run = "v=1&m=buy+1000.00+GROCERY&m=wait+7&m=buy+20.00&m=redeem+50.00"
	middle, end := b.page(playgroundURL+"?at=1&"+run), b.page(playgroundURL+"?"+run)
	mustSay(t, said(end), "What came of it:", "the headphones, $20.00 the next purchase, yet to be bought")
	mustSay(t, said(middle), "the groceries, $1,000.00 the next purchase, yet to be bought", "still to come")
	if strings.Contains(said(middle), "What came of it:") {
		t.Error("the middle of a run has a verdict")
	}
	// Lines begin at the left end of the plot, and come to where the run is.
	due := regexp.MustCompile(`<path class="line due" d="M46 [^"]*H(\d+)"`)
	soFar, all := due.FindStringSubmatch(middle), due.FindStringSubmatch(end)
	if soFar == nil || all == nil || soFar[1] == all[1] {
		t.Errorf("lines end at %v in the middle, and at %v at the end", soFar, all)
	}
	if got := strings.Count(end, `class="marker-label"`); got != 2*3 {
		t.Errorf("%d marks in two charts: expected one for each purchase and redemption", got)
	}
}

// The form for a design has the run without that design.
func TestADesignIsChanged(t *testing.T) {
	b := player(t)
	page := b.page(playgroundURL + "?v=1&m=buy+10.00&m=close&at=1")
	form := regexp.MustCompile(`(?s)<form class="choose".*?</form>`).FindString(page)
	query := url.Values{"left": {"f"}}
	for _, tag := range inputTag.FindAllString(form, -1) {
		a := attributes(tag)
		query.Add(a["name"], a["value"])
	}
	mustSay(t, designAt(t, b.page(playgroundURL+"?"+query.Encode()), "left"), "F ")
}

// An attack under other terms is another run.
func TestAnAttackIsKnownByItsTermsToo(t *testing.T) {
	b := player(t)
	r := play.Attacks()[0].Run
	r.Left = "C"
	mustSay(t, said(b.page(runURL(r))), "V1 The four-phase double dip")
	r.Program.GraceDays = 7
	mustSay(t, said(b.page(runURL(r))), "A run of your own")
}

// A reward above the entitlement that cannot be redeemed is not lost yet.
func TestALeakThatIsHeldIsToldFromOneThatIsOut(t *testing.T) {
	attack, err := play.FindAttack("g10-residual-window")
	if err != nil {
		t.Fatal(err)
	}
	attack.Run.At = 8
	page := player(t).page(runURL(attack.Run))
	mustSay(t, page, `class="design mood-bad" aria-labelledby="left-name"`, `class="design mood-part" aria-labelledby="right-name"`)
	mustSay(t, designAt(t, page, "right"), "denied", "Leaked $5.00 held, cannot be redeemed")
}

func TestEveryStepOfEveryAttackIsShownInEveryLanguage(t *testing.T) {
	b := player(t)
	for _, attack := range play.Attacks() {
		for at := range len(attack.Run.Moves) + 1 {
			r := attack.Run
			r.At = at
			language := []string{"en-US", "de", "fr", "hi", "ja", "xx"}[at%6]
			w := b.inLanguage(language, runURL(r))
			text := said(w.body)
			l := locale.Match(language).With(play.Decimals)
			if title := l.Say(attack.Title); w.status != http.StatusOK || !strings.Contains(text, title) {
				t.Fatalf("%s, step %d in %s: answered %d, without %q", attack.ID, at, language, w.status, title)
			}
			if at > 0 && !strings.Contains(text, spaces.ReplaceAllString(l.Tell(attack.Captions[at-1]), " ")) {
				t.Errorf("%s, step %d in %s: no caption %q", attack.ID, at, language, l.Tell(attack.Captions[at-1]))
			}
		}
	}
	mustSay(t, said(b.inLanguage("de", playgroundURL+"?v=1&m=buy+1000.00+GROCERY").body), "Kauf: die Lebensmittel für 1.000,00 $", "Saldo 50,00 $")
	german := said(b.inLanguage("de", playgroundURL+"?v=1&m=buy+1000.00+at+m1&m=buy+80.00&m=refund+80.00+of+t2+late+3&m=wait+4&m=redeem+all&m=close").body)
	mustSay(t, german, "Kauf: die Kopfhörer für 1.000,00 $ bei Eckladen", "Rückgabe: der Mantel, 80,00 $ erstattet, 3 Tage später gemeldet", "4 Tage vergehen", "Alles einlösen, was da ist", "Die Abrechnung für Januar schließt")
}

func TestEveryDesignCanBeOnEitherSide(t *testing.T) {
	b := player(t)
	for _, d := range play.Designs() {
		page := b.page(playgroundURL + "?v=1&m=buy+100.00+GROCERY&m=refund+100.00+of+t1&left=" + d.Key + "&right=" + d.Key)
		mustSay(t, designAt(t, page, "left"), d.Name, string(d.Summary))
		mustSay(t, designAt(t, page, "right"), d.Name, string(d.Summary))
		mustSay(t, page, `<option value="`+d.Key+`" selected>`)
	}
}

// The forms send fields, and lead to an address that is the run alone.
func TestFormsLeadToTheAddressOfTheRun(t *testing.T) {
	b := player(t)
	for _, test := range []struct{ name, form, want string }{
		{"a purchase", "v=1&add=buy&amount=12.5&category=GROCERY&merchant=&days=", "left=a&m=buy+12.50+GROCERY&right=recoup&v=1"},
		{"a refund of all that is left", "v=1&m=buy+10.00&m=refund+4.00+of+t1&add=refund&of=t1&amount=&days=", "left=a&m=buy+10.00&m=refund+4.00+of+t1&m=refund+6.00+of+t1&right=recoup&v=1"},
		{"a refund that names nothing", "v=1&m=buy+10.00+GROCERY+at+m1&add=unlinked&of=t1&amount=&days=", "left=a&m=buy+10.00+GROCERY+at+m1&m=refund+10.00+GROCERY+at+m1+really+t1&right=recoup&v=1"},
		{"another turn in the middle", "v=1&m=buy+10.00&m=wait+7&at=1&add=close", "left=a&m=buy+10.00&m=close&right=recoup&v=1"},
		{"terms", "v=1&grocery=7&cap=&base=0&grant=statement&clawback=refund&method=proportional&maturity=0&grace=3&minimum=0.00", "left=a&program=grocery+7+cap+none+base+0+grant+statement+grace+3&right=recoup&v=1"},
		{"the usual terms", "v=1&program=base+0&grocery=5&cap=50.00&base=1&grant=settlement", "left=a&right=recoup&v=1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := b.get(playgroundURL + "?" + test.form)
			if want := playgroundURL + "?" + test.want; r.status != http.StatusOK || r.path != want {
				t.Errorf("answered %d and led to\n%s, expected\n%s", r.status, r.path, want)
			}
		})
	}
}

func TestWhatCannotBePlayedIsSaid(t *testing.T) {
	b := player(t)
	for _, test := range []struct {
		name, query string
		status      int
		want        []string
	}{
		{"another version", "v=2", http.StatusBadRequest, []string{"This run cannot be played", "expected version 1", "Start over"}},
		{"no move", "v=1&m=steal+5.00", http.StatusBadRequest, []string{"m, number 1", "Start over"}},
		{"a form alone", "add=buy", http.StatusBadRequest, []string{"Start over"}},
		{"a form that is wrong, on a run that is not", "v=1&m=buy+10.00&add=refund&of=t7&amount=", http.StatusUnprocessableEntity, []string{"That cannot be played.", "expected an amount above zero", "Step 1 of 1", "Buy the headphones for $10.00"}},
		{"terms that are none", "v=1&m=buy+10.00&grocery=500&cap=1", http.StatusUnprocessableEntity, []string{"That cannot be played.", "Step 1 of 1"}},
		{"too many moves", "v=1" + strings.Repeat("&m=close", play.MaxMoves+1), http.StatusBadRequest, []string{"expected at most 60"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := b.get(playgroundURL + "?" + test.query)
			if r.status != test.status {
				t.Errorf("answered %d, expected %d", r.status, test.status)
			}
			mustSay(t, said(r.body), test.want...)
		})
	}
}

func TestTheLongestRunOffersNoMoreMoves(t *testing.T) {
	page := player(t).page(playgroundURL + "?v=1" + strings.Repeat("&m=buy+1.00", play.MaxMoves))
	mustSay(t, said(page), "This is as long as a run may be: 60 moves")
	if strings.Contains(page, `name="add"`) {
		t.Error("there is a form to add a move")
	}
}

func TestTextOfOthersIsEscaped(t *testing.T) {
	b := player(t)
	const script = `<script>alert(1)</script>`
	for _, address := range []string{
		playgroundURL + "?" + url.Values{"v": {"1"}, "m": {"buy 1.00 at " + script}}.Encode(),
		playgroundURL + "?" + url.Values{"v": {"1"}, "left": {script}}.Encode(),
		playgroundURL + "?" + url.Values{"v": {"1"}, "add": {"buy"}, "amount": {"1"}, "merchant": {script}}.Encode(),
		playgroundURL + "?" + url.Values{"v": {"1"}, script: {"1"}}.Encode(),
		playgroundURL + "?" + url.Values{"v": {"1"}, "grocery": {script}}.Encode(),
	} {
		if r := b.get(address); strings.Contains(r.body, script) || r.status < 400 {
			t.Errorf("%s: answered %d, with what was sent in it", address, r.status)
		}
	}
}

// A run that was downloaded and pasted is the same run, and its file expects what
// the page showed.
func TestARunGoesAsAScenarioFileAndComesBack(t *testing.T) {
	b := player(t)
	for _, attack := range play.Attacks() {
		file := b.download(attack.Run)
		s, err := scenario.Parse("playground.txt", []byte(file))
		if err != nil {
			t.Fatal(err)
		}
		if last := s.Steps[len(s.Steps)-1]; len(last.Expect) != 4 {
			t.Errorf("%s: %d expectations at the end: expected balance and payouts at both designs", attack.ID, len(last.Expect))
		}
		for _, name := range []string{attack.Run.Left, attack.Run.Right} {
			design, err := design.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			played, err := scenario.Play(s, design.New(s.Program))
			if err != nil {
				t.Fatal(err)
			}
			for _, mismatch := range scenario.Check(played, name) {
				t.Error(mismatch)
			}
		}
		r := b.submit(b.page(playgroundURL), playgroundURL+"/scenario", "scenario", file)
		if want := runURL(attack.Run); r.status != http.StatusOK || r.path != want {
			t.Errorf("%s: answered %d and led to\n%s, expected\n%s", attack.ID, r.status, r.path, want)
		}
	}
}

// download returns the scenario file of a run.
func (b *browser) download(r play.Run) string {
	b.Helper()
	response, err := b.client.Get(b.server.URL + playgroundURL + "/scenario?" + r.Values().Encode())
	if err != nil {
		b.Fatal(err)
	}
	for name, want := range map[string]string{"Content-Type": "text/plain; charset=utf-8", "Content-Disposition": `attachment; filename="playground.txt"`} {
		if got := response.Header.Get(name); got != want {
			b.Errorf("%s: %s, expected %s", name, got, want)
		}
	}
	return b.read(response, nil).body
}

func TestAScenarioThatCannotBePlayedIsShownAgain(t *testing.T) {
	b := player(t)
	r := play.New().With(play.Move{Kind: play.Buy, Amount: 10_00})
	page, file := b.page(runURL(r)), b.download(r)
	for _, test := range []struct {
		name, text, want string
		kept             bool
	}{
		{"no scenario", "</textarea><script>alert(1)</script>", "scenario:1:", true},
		{"a move of another kind", file + "2026-02-01 10:00  authorise a1 5.00\n", "scenario:18:", true},
		{"a step before the first day", strings.ReplaceAll(file, "2026-01-05", "2025-01-05"), "expected no step before 2026-01-05", true},
		{"nothing", "", "scenario", true},
		{"too large", strings.Repeat("# comment\n", 7000), "70000 bytes: expected at most 65536", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := b.submit(page, playgroundURL+"/scenario", "scenario", test.text)
			if r.status != http.StatusUnprocessableEntity || strings.Contains(r.body, "<script>alert") {
				t.Errorf("answered %d", r.status)
			}
			mustSay(t, said(r.body), "This file cannot be played.", test.want, "Step 1 of 1")
			if kept := strings.Contains(r.body, "\n"+html.EscapeString(test.text)+"</textarea>"); kept != test.kept {
				t.Errorf("what was pasted is kept: %v, expected %v", kept, test.kept)
			}
		})
	}
}

func TestAScenarioFromAnotherSiteIsRefused(t *testing.T) {
	if r := player(t).post(playgroundURL+"/scenario", "scenario", "title: x"); r.status != http.StatusForbidden {
		t.Errorf("answered %d", r.status)
	}
}

func TestOnlyWhoIsSignedInPlays(t *testing.T) {
	if r := openOffice(t).stranger().get(playgroundURL + "?v=1&m=close"); !strings.HasPrefix(r.path, "/console/sign-in?next=%2Fconsole%2Fplayground%3Fv%3D1") {
		t.Errorf("led to %s", r.path)
	}
}

// Without a script everything is reached by links: all of them lead somewhere, and so
// do those of the pages that they lead to, of which only some are tried where there is no time.
func TestLinksLeadSomewhere(t *testing.T) {
	b := player(t)
	links := regexp.MustCompile(`<a [^>]*href="(/console/playground[^"]*)"`)
	seen := map[string]bool{playgroundURL: true}
	level := []string{playgroundURL}
	for range 2 {
		var next []string
		for _, address := range level {
			for _, m := range links.FindAllStringSubmatch(b.page(address), -1) {
				to, _, _ := strings.Cut(html.UnescapeString(m[1]), "#")
				if !seen[to] {
					seen[to] = true
					next = append(next, to)
				}
			}
		}
		level = next
	}
	for i, address := range level {
		if os.Getenv("RECOUP_LONG") != "" || i%5 == 0 {
			b.page(address)
		}
	}
	if len(seen) < 100 {
		t.Errorf("%d pages: expected more, of attacks, steps and suggestions", len(seen))
	}
}

// Nothing in a page but its files runs or styles anything.
func TestThePageKeepsToItsPolicy(t *testing.T) {
	page := player(t).page(playgroundURL)
	if found := regexp.MustCompile(`(?i)\sstyle=|\son[a-z]+=|<style|<script(?: defer)?>|javascript:`).FindString(page); found != "" {
		t.Errorf("found %q in the page", found)
	}
	mustSay(t, page, "/console/static/playground-")
}

// Cash that was paid out and is not earned is said, and is nowhere green: the books are
// even where it is owed back, and nobody has collected it.
func TestCashThatIsGoneIsNotGreen(t *testing.T) {
	b := player(t)
	const dip = "v=1&left=c&right=recoup-mature&m=buy+100.00+GROCERY&m=redeem+5.00&m=refund+100.00+of+t1"
	page := b.page(playgroundURL + "?" + dip)
	mustSay(t, designAt(t, page, "left"), "Leaked $0.00 the books are even", "Cash gone and not earned $5.00 owed back, not collected")
	mustSay(t, designAt(t, page, "right"), "Leaked $0.00 nothing lost", "Cash gone and not earned $0.00")
	mustSay(t, page, `class="design mood-part" aria-labelledby="left-name"`, `class="design mood-good" aria-labelledby="right-name"`)
	last := page[strings.LastIndex(page, `<tr class="current">`):]
	if good := strings.Count(last[:strings.Index(last, "</tr>")], `class="n good"`); good != 1 {
		t.Errorf("%d cells of the last step are green, want that of one design alone", good)
	}
}

// The sign-up bonus: buy to reach it, redeem, send it back.
func TestTheSignUpBonusIsPlayed(t *testing.T) {
	b := player(t)
	attack, err := play.FindAttack("sign-up-bonus")
	if err != nil {
		t.Fatal(err)
	}
	at := func(step int) (left, right, page string) {
		r := attack.Run
		r.At = step
		page = b.page(runURL(r))
		return designAt(t, page, "left"), designAt(t, page, "right"), page
	}
	left, right, _ := at(2)
	mustSay(t, left, "denied")
	mustSay(t, right, "denied")
	left, right, page := at(7)
	mustSay(t, left, "Paid out so far $205.00", "Entitled to $0.00", "Leaked $200.00")
	mustSay(t, right, "Balance −$205.00", "Leaked $0.00 the books are even", "Cash gone and not earned $205.00 owed back, not collected")
	mustSay(t, said(page), "The sign-up bonus, bought and sent back", "earn a bonus once in an account's life: $200.00 once they come to $500.00")
	if strings.Contains(page, `<option value="a"`) {
		t.Error("an issuer that knows no bonus can be chosen")
	}
}

// Programs of the gallery are begun with an empty account, and played.
func TestAProgramOfTheGalleryIsPlayed(t *testing.T) {
	b := player(t)
	for _, p := range play.Gallery() {
		r := b.get(playgroundURL + "?gallery=" + p.Name)
		if r.status != http.StatusOK || !strings.Contains(r.path, "program="+p.Name) {
			t.Errorf("%s: answered %d and led to %s", p.Name, r.status, r.path)
			continue
		}
		mustSay(t, said(r.body), p.Name+": "+string(p.About), "Before the first step")
		onward := regexp.MustCompile(`<a class="button" href="([^"]*)#stage">Buy `).FindStringSubmatch(r.body)
		if onward == nil {
			t.Errorf("%s: nothing to buy is suggested", p.Name)
			continue
		}
		mustSay(t, said(b.page(html.UnescapeString(onward[1]))), "Step 1 of 1")
	}
	if r := b.get(playgroundURL + "?gallery=none"); r.status != http.StatusBadRequest || !strings.Contains(said(r.body), "expected one of the gallery's: activation, ") {
		t.Errorf("an unknown program is answered with %d", r.status)
	}
	if r := b.get(playgroundURL + "?v=1&left=a&program=signup-bonus"); r.status != http.StatusBadRequest || !strings.Contains(said(r.body), "left: the design A cannot say the terms of signup-bonus") {
		t.Errorf("a design that knows no bonus is answered with %d", r.status)
	}
}
