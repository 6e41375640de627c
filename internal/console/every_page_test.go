package console_test

import (
	"html"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"recoup/internal/service/access"
	"recoup/internal/service/demo"
)

// languages are of browsers, with every way to write amounts and dates among them.
var languages = []string{"en", "en-US", "de-CH", "ar", "fr", "hi", "pl", "ja", "", "not a language;q=x"}

// look looks at a page as a browser set to a language does, and finds what is wrong
// with it.
func (b *browser) look(language, path string) reply {
	b.Helper()
	r := b.inLanguage(language, path)
	if !strings.HasPrefix(r.body, "<!doctype html>") && r.status == http.StatusOK {
		return r // a file
	}
	for _, fault := range faults(r.body) {
		b.Errorf("%s in %q: %s", path, language, fault)
	}
	return r
}

var linkTag = regexp.MustCompile(`<a\b[^>]*\shref="([^"]+)"`)

// linksOf are the addresses that a page leads to.
func linksOf(page string) (list []string) {
	for _, m := range linkTag.FindAllStringSubmatch(page, -1) {
		if address, _, _ := strings.Cut(html.UnescapeString(m[1]), "#"); address != "" {
			list = append(list, address)
		}
	}
	return list
}

// crawl follows the links from the overview, to so many pages of each kind, and
// returns the addresses that it was at.
func (b *browser) crawl(most int) (visited []string) {
	b.Helper()
	queue, known, kinds := []string{"/console/"}, map[string]bool{"/console/": true}, make(map[string]int)
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		u, err := url.Parse(path)
		if err != nil {
			b.Errorf("a link to %q: %v", path, err)
			continue
		}
		if kinds[u.Path]++; kinds[u.Path] > most {
			continue
		}
		r := b.look(languages[len(visited)%len(languages)], path)
		if r.status != http.StatusOK {
			b.Errorf("%s is linked to and answered with %d: %s", path, r.status, said(r.body))
		}
		visited = append(visited, path)
		for _, next := range linksOf(r.body) {
			if !known[next] {
				known[next] = true
				queue = append(queue, next)
			}
		}
	}
	return visited
}

// TestTheSampleData looks at the console with lively data, in which ids are as bad as
// ids can be.
func TestTheSampleData(t *testing.T) {
	o := openSample(t)
	b := o.stranger()
	t.Run("every link leads to a page", func(t *testing.T) {
		most := 10
		if os.Getenv("RECOUP_LONG") != "" {
			most = 20
		}
		visited := b.crawl(most)
		for _, page := range []string{
			"", "accounts", "account", "transaction", "reviews", "reviews/resolved", "review", "adjustments", "adjustment/new", "programs", "program", "program/draft", "program/simulate", "playground",
			"risk", "dippers", "risk/report", "risk/report.csv", "debts", "held", "statements", "refunds", "checks", "exemptions", "deliveries", "dead-webhooks", "sign-in",
		} {
			if !slices.ContainsFunc(visited, func(path string) bool { p, _, _ := strings.Cut(path, "?"); return p == "/console/"+page }) {
				t.Errorf("no link leads to %q", page)
			}
		}
	})
	t.Run("an id is shown as it is", func(t *testing.T) {
		ids := 0
		for _, story := range demo.Cast() {
			path := "/console/account?" + url.Values{"id": {story.Account}}.Encode()
			page := b.page(path)
			for _, bad := range []string{"<b>", "\u202e"} {
				if strings.Contains(story.Account, bad) {
					ids++
				}
				if strings.Contains(page, bad) && !(bad == "<b>" && !strings.Contains(page, "<b>bold")) {
					t.Errorf("the page of %q has %q as it is", story.Account, bad)
				}
			}
			if !strings.Contains(page, html.EscapeString(story.Title)) && !strings.Contains(html.UnescapeString(page), story.Title) {
				t.Errorf("the page of %q does not tell its story", story.Account)
			}
		}
		if ids < 2 {
			t.Errorf("%d accounts have ids that are made to harm", ids)
		}
	})
	t.Run("each maturity is marked once", func(t *testing.T) {
		marked := 0
		for _, lag := range o.overview.Latest().Refunds.Programs {
			if lag.MaturityDays > 0 && lag.Linked.Refunds > 0 {
				marked++
			}
		}
		if page := b.page("/console/risk"); marked == 0 || strings.Count(page, ">maturity, ") != marked {
			t.Errorf("%d programs with a maturity have %d marks", marked, strings.Count(page, ">maturity, "))
		}
	})
	t.Run("the months are what their statements add up to", func(t *testing.T) { testMonthsAddUp(t, o, b) })
	t.Run("the ages of debts are what their accounts owe", func(t *testing.T) { testDebtsAddUp(t, o, b) })
	t.Run("what is held is what the accounts hold", func(t *testing.T) { testHeldAddsUp(t, o, b) })
	t.Run("accounts show what the store has", func(t *testing.T) { testAccountsTie(t, o, b) })
	t.Run("a delivery that was given up is tried again", func(t *testing.T) { testDeliveryIsTriedAgain(t, o, b) })
}

// everyPath are the pages that need no id.
var everyPath = []string{
	"", "accounts", "reviews", "reviews?sort=amount", "reviews?view=mine", "reviews?view=reopened", "reviews/resolved", "adjustments", "programs", "playground", "deliveries", "dead-webhooks", "exemptions", "search", "search?q=x", "sign-in", "statements?cycle=2026-06&currency=USD",
}

// needFigures are the pages of figures, which are not there at first.
var needFigures = []string{"debts?currency=USD", "held?currency=USD", "refunds?program=everyday&from=0", "checks"}

func TestAnEmptyDatabase(t *testing.T) {
	o := openSite(t, openDatabase(t), site{open: true})
	b := o.stranger()
	t.Run("before the figures are read", func(t *testing.T) {
		for _, path := range everyPath {
			if r := b.look("en", "/console/"+path); r.status != http.StatusOK {
				t.Errorf("%q is answered with %d", path, r.status)
			}
		}
		mustSay(t, said(b.page("/console/")), "read for the first time")
		for _, path := range needFigures {
			r := b.look("en", "/console/"+path)
			if r.status != http.StatusServiceUnavailable || !strings.Contains(said(r.body), "figures are being read") {
				t.Errorf("%q is answered with %d: %s", path, r.status, said(r.body))
			}
		}
	})
	o.refresh()
	t.Run("with figures", func(t *testing.T) {
		for _, language := range languages {
			for _, path := range append([]string{"checks"}, everyPath...) {
				if r := b.look(language, "/console/"+path); r.status != http.StatusOK {
					t.Errorf("%q is answered with %d", path, r.status)
				}
			}
		}
		for path, want := range map[string]string{
			"": "There are no accounts yet", "accounts": "There are no accounts", "programs": "There is no program yet", "deliveries": "Nobody is told of anything", "exemptions": "Nothing is exempt", "dead-webhooks": "Every webhook could be mapped", "checks": "never verified",
		} {
			mustSay(t, said(b.page("/console/"+path)), want)
		}
	})
}

// TestWhatIsNotThere asks for things that are not there, in ways that nobody means.
func TestPagesOfWhatIsNotThere(t *testing.T) {
	o := openOffice(t)
	b := o.signIn("Vera", access.Viewer)
	for path, want := range map[string]int{
		"nowhere": 404, "account": 404, "account?id=none": 404, "account?id=%ff": 404, "account?id=a%00b": 404, "account?id=" + strings.Repeat("x", 5000): 404,
		"transaction?id=t": 404, "transaction?account=none&id=t": 404,
		"program": 404, "program?id=none": 404, "program?id=everyday&version=0": 404, "program?id=everyday&version=2": 404, "program?id=everyday&version=x": 404,
		"program/draft": 404, "program/draft?id=none": 404, "program/proposed": 404, "program/proposed?number=7": 404, "program/simulate": 404, "program/simulate?id=everyday&version=2": 404,
		"program/simulate?id=everyday&story=steal": 422, "program/draft?id=everyday&draft=1": 404,
		"statements": 404, "statements?cycle=2026-13&currency=USD": 404, "statements?cycle=9999-01&currency=USD": 404, "statements?cycle=2026-06": 404,
		"statements?cycle=2026-06&currency=%22%3E%3Cb%3E": 200, "statements?cycle=2026-06&currency=USD&after=%ff": 200,
		"debts": 404, "debts?currency=EUR": 404, "held?currency=": 404, "refunds": 404, "refunds?program=everyday&from=7": 404,
		"accounts?from=%ff": 200, "accounts?after=%00": 200, "accounts?after=zzz": 200, "deliveries?after=-1": 200, "dead-webhooks?after=-1": 200, "dead-webhook?number=1": 403, "exemptions?before=-1": 200, "exemptions?before=x": 200, "deliveries?after=99999999999999999999": 200,
		"account?id=%E2%80%AE": 404, "?notice=%3Cb%3E": 200, "static/none.css": 404, "search?q=%00%ff": 200,
	} {
		if r := b.look("en", "/console/"+path); r.status != want {
			t.Errorf("%.80q is answered with %d, want %d: %.300s", path, r.status, want, said(r.body))
		}
	}
}
