package e2e_test

import (
	"cmp"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"recoup/internal/kit/tabular"
)

// timedPage is a page of the console, of which there may be many.
type timedPage struct {
	name   string
	paths  []string // without /console/
	status int      // 0: 200
	marker string   // that the page has, or for a redirect the address that it begins with
}

// TestConsoleSpeed asks for every page of the console on a large database and prints
// how long they took: the same again and again, and another each time with the
// database's file out of the system's memory. It fails where a page does not answer
// as it should, not where one is slow: that is for people to judge, who know what
// else the machine did. Of PostgreSQL it also prints how often the server is asked.
//
//	RECOUP_LONG=1 go test ./e2e -run TestConsoleSpeed -v -timeout 60m
//
// RECOUP_LEDGER names a folder to fill and keep, or that was kept; or it is the URL of a
// PostgreSQL database that is empty, or was kept.
func TestConsoleSpeed(t *testing.T) {
	accounts, events, longest, requests := 50, 1_500, 400, 1
	if long() {
		accounts, events, longest, requests = 50_000, 1_750_000, 100_000, 30
	} else {
		t.Parallel() // nobody reads the figures
	}
	for _, store := range stores {
		t.Run(store.name, func(t *testing.T) {
			if store.name == "pebble" && !long() {
				t.Skip("all pages of a folder are asked for by TestConsole: set RECOUP_LONG=1")
			}
			db, there := store.database(t), false
			if kept := os.Getenv("RECOUP_LEDGER"); kept != "" && strings.HasPrefix(kept, "postgres:") == (store.name == "postgres") {
				db, there = kept, filled(t, kept)
			}
			l := newLargeLedger(t, db, there, accounts, events, longest)
			s := serveAs(t, "--dev", "--log-level", "warn", untimely, "--db", l.db)
			v := newVisitor(t, s.url)
			v.untilCounted(t)
			v.time(t, l, requests)
			v.timePreviews(t, min(3, requests))
			if store.name == "postgres" {
				s.stop(t)
				c := new(counted)
				v := newVisitor(t, serveAs(t, "--dev", "--log-level", "warn", untimely, "--db", c.through(t, l.db)).url)
				v.untilCounted(t)
				v.countExchanges(t, l, c, min(10, requests))
			}
		})
	}
}

// filled reports whether a database that is kept between runs has a ledger.
func filled(t testing.TB, db string) (is bool) {
	t.Helper()
	if !strings.HasPrefix(db, "postgres:") {
		_, err := os.Stat(db)
		return err == nil
	}
	conn, err := pgx.Connect(t.Context(), db)
	noError(t, err)
	defer conn.Close(t.Context())
	noError(t, conn.QueryRow(t.Context(), "SELECT to_regclass('accounts') IS NOT NULL").Scan(&is))
	return is
}

// visitor asks for pages of the console.
type visitor struct {
	base string
	http http.Client
}

func newVisitor(t testing.TB, base string) *visitor {
	v := &visitor{base: base + "/console/", http: http.Client{
		Transport:     &http.Transport{},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	t.Cleanup(v.http.CloseIdleConnections)
	return v
}

// ask asks for a page.
func (v *visitor) ask(t testing.TB, path string) (status int, body, location string) {
	t.Helper()
	response, err := v.http.Get(v.base + path)
	noError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	noError(t, err)
	return response.StatusCode, string(text), response.Header.Get("Location")
}

// page is the text of a page that has to be there.
func (v *visitor) page(t testing.TB, path string) string {
	t.Helper()
	status, body, _ := v.ask(t, path)
	if status != http.StatusOK {
		t.Fatalf("%s answers with %d:\n%s", path, status, body)
	}
	return body
}

// untilCounted waits until the figures of the overview are there, and those of risk, for
// which all logs are read.
func (v *visitor) untilCounted(t testing.TB) {
	t.Helper()
	counted := func() bool {
		return !strings.Contains(v.page(t, "programs"), "being counted") && strings.Contains(v.page(t, "risk"), "Exposure")
	}
	for end := time.Now().Add(20 * patience); !counted(); time.Sleep(patience / 100) {
		if time.Now().After(end) {
			t.Fatal("the overview's figures are not read")
		}
	}
}

// reference finds addresses of the console in a page.
var reference = regexp.MustCompile(`href="/console/([^"]*)"`)

// references are the addresses in a page that begin like this.
func (v *visitor) references(t testing.TB, page, prefix string) (list []string) {
	t.Helper()
	for _, m := range reference.FindAllStringSubmatch(v.page(t, page), -1) {
		if path := html.UnescapeString(m[1]); strings.HasPrefix(path, prefix) && !slices.Contains(list, path) {
			list = append(list, path)
		}
	}
	return list
}

// deep is a page so many pages further on in a list, or its last.
func (v *visitor) deep(t testing.TB, path string, pages int) string {
	t.Helper()
	name, _, _ := strings.Cut(path, "?")
	for range pages {
		next := slices.DeleteFunc(v.references(t, path, name+"?"), func(p string) bool { return !strings.Contains(p, "after=") })
		if len(next) != 1 {
			break
		}
		path = next[0]
	}
	return path
}

// pagesOf are all pages, of a database.
func (v *visitor) pagesOf(t testing.TB, l *largeLedger) []timedPage {
	t.Helper()
	query := func(path string, pairs ...string) string {
		q := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			q.Set(pairs[i], pairs[i+1])
		}
		return path + "?" + q.Encode()
	}
	each := func(ids []string, path func(string) string) (list []string) {
		for _, id := range ids {
			list = append(list, path(id))
		}
		return list
	}
	transactions := func(list []purchase) (paths []string) {
		for _, p := range list {
			paths = append(paths, query("transaction", "account", p.account, "id", p.id))
		}
		return paths
	}
	account := func(id string) string { return query("account", "id", id) }
	search := func(id string) string { return query("search", "q", id) }
	var ids []string
	for _, p := range l.ordinary {
		ids = append(ids, p.id)
	}
	few := min(len(l.long)/4, 300)
	statements := []string{}
	for _, month := range []string{"2026-01", "2026-02", "2026-03", "2026-04", "2026-05", "2026-06", "2026-07", "2026-08"} {
		statements = append(statements, query("statements", "cycle", month, "currency", "USD"))
	}
	accounts := accountsOf(l.ordinary)
	riskLinks := func(prefix string) []string { return v.references(t, "risk", prefix) }
	reviews := v.references(t, "reviews", "review?")
	if len(reviews) == 0 {
		t.Fatal("nothing is open for review, expected refunds of too much")
	}
	return []timedPage{
		{"overview", []string{""}, 0, "Overview"},
		{"accounts", []string{"accounts"}, 0, "acct-1"},
		{"accounts, sorted", []string{"accounts?sort=debt", "accounts?sort=held", "accounts?sort=recent"}, 0, "acct-"},
		{"accounts, filtered", []string{"accounts?show=owing", "accounts?active=-90&sort=owed", "accounts?state=closed"}, 0, "Accounts"},
		{"risk", []string{"risk"}, 0, "Exposure"},
		{"dippers", []string{"dippers?currency=USD"}, 0, "after a payout"},
		{"accounts, deep", each(accounts, func(id string) string { return query("accounts", "after", id) }), 0, "Accounts"},
		{"accounts by prefix", each(accounts, func(id string) string { return query("accounts", "from", id[:len(id)-1]) }), 0, "acct-"},
		{"account, ordinary", each(accounts, account), 0, "What happened"},
		{"account, 2,000 purchases", []string{account("busy")}, 0, "Balance over time"},
		{"account, 100,000 events", []string{account("long")}, 0, "Balance over time"},
		{"purchase", transactions(l.ordinary), 0, "Settled"},
		{"purchase of 2,000", transactions(l.busy), 0, "Settled"},
		{"purchase of 100,000 events, recent", transactions(l.long[len(l.long)-few:]), 0, "Settled"},
		{"purchase of 100,000 events, old", transactions(l.long[:few]), 0, "Settled"},
		{"search, account", each(accounts, search), http.StatusSeeOther, "/console/account?"},
		{"search, purchase", each(ids, search), http.StatusSeeOther, "/console/transaction?"},
		{"search, refund", each(l.refunds, search), http.StatusSeeOther, "/console/review?"},
		{"search, not found", each(ids, func(id string) string { return search("no-" + id) }), 0, "Nothing has the id"},
		{"reviews", []string{"reviews"}, 0, "review?"},
		{"reviews, deep", []string{v.deep(t, "reviews", 40)}, 0, "review?"},
		{"reviews by kind", []string{query("reviews", "kind", "over_refunded")}, 0, "Reviews"},
		{"reviews by amount", []string{query("reviews", "amount", "500")}, 0, "Reviews"},
		{"reviews by age", []string{query("reviews", "older", "90")}, 0, "Reviews"},
		{"reviews of a kind, amount, age", []string{query("reviews", "kind", "unmatched", "amount", "500", "older", "30")}, 0, "Reviews"},
		{"review", reviews, 0, "What is open"},
		{"review of 2,000 purchases", v.references(t, query("reviews", "account", "busy"), "review?"), 0, "What is open"},
		{"review of 100,000 events", v.references(t, query("reviews", "account", "long"), "review?"), 0, "What is open"},
		{"adjustments", []string{"adjustments"}, 0, "Adjustments"},
		{"adjustment, form", each(accounts, func(id string) string { return query("adjustment/new", "account", id) }), 0, "<form"},
		{"programs", []string{"programs"}, 0, "everyday"},
		{"program", []string{"program?id=everyday"}, 0, "What a purchase earns"},
		{"draft, form", []string{"program/draft?id=everyday"}, 0, "<textarea"},
		{"statements of a month", statements, 0, "acct-"},
		{"statements, deep", each(accounts, func(id string) string {
			return query("statements", "cycle", "2026-05", "currency", "USD", "after", id)
		}), 0, "Statements"},
		{"debts", append(riskLinks("debts?"), "debts?currency=USD"), 0, "owe"},
		{"held", []string{"held?currency=USD"}, 0, "hold"},
		{"refunds of a lag", riskLinks("refunds?"), 0, "refunds"},
		{"deliveries", []string{"deliveries"}, 0, "Endpoints"},
		{"checks", []string{"checks"}, 0, "Seal"},
		{"exemptions", []string{"exemptions"}, 0, "In force"},
		{"playground", []string{"playground"}, 0, "playground"},
	}
}

// fetch asks for the page number i of its kind and returns how long it took.
func (v *visitor) fetch(t testing.TB, p *timedPage, i int) time.Duration {
	t.Helper()
	path := p.paths[i%len(p.paths)]
	begun := time.Now()
	status, body, location := v.ask(t, path)
	took := time.Since(begun)
	switch want := cmp.Or(p.status, http.StatusOK); {
	case status != want:
		t.Errorf("%s: %s answers with %d, want %d", p.name, path, status, want)
	case want == http.StatusOK && !strings.Contains(body, p.marker):
		t.Errorf("%s: %s does not have %q", p.name, path, p.marker)
	case want != http.StatusOK && !strings.HasPrefix(location, p.marker):
		t.Errorf("%s: %s leads to %s, want %s", p.name, path, location, p.marker)
	}
	return took
}

// time times all pages and prints the table of them.
func (v *visitor) time(t *testing.T, l *largeLedger, requests int) {
	var out strings.Builder
	table := tabular.New(&out, "page", ">first", ">median", ">95 %", ">others: median", ">95 %")
	for _, p := range v.pagesOf(t, l) {
		if len(p.paths) == 0 {
			table.AppendRow(tabular.Row{p.name, "there is none"})
			continue
		}
		first := v.fetch(t, &p, 0)
		var again, others []time.Duration
		for range requests {
			again = append(again, v.fetch(t, &p, 0))
		}
		for i := range requests {
			forget(t, l.db)
			others = append(others, v.fetch(t, &p, i+1))
		}
		table.AppendRow(tabular.Row{p.name, milliseconds(first), milliseconds(quantile(again, 50)), milliseconds(quantile(again, 95)), milliseconds(quantile(others, 50)), milliseconds(quantile(others, 95))})
	}
	table.Render()
	load, _ := os.ReadFile("/proc/loadavg")
	t.Logf("milliseconds of %d requests each; load of the machine: %s\n%s", requests, strings.TrimSpace(string(load)), out.String())
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()*1000) }

// quantile is the value that so many of a hundred are not above.
func quantile(list []time.Duration, percent int) time.Duration {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[(len(sorted)*percent+99)/100-1]
}

// forget has the system forget what it keeps in memory of a database's folder.
// Of another database it keeps what it has.
func forget(t testing.TB, db string) {
	t.Helper()
	if strings.HasPrefix(db, "postgres") {
		return
	}
	const dontNeed = 4 // POSIX_FADV_DONTNEED
	list, err := os.ReadDir(db)
	noError(t, err)
	for _, entry := range list {
		if !entry.Type().IsRegular() {
			continue
		}
		name := filepath.Join(db, entry.Name())
		file, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the service is done with it
		}
		noError(t, err)
		_, _, failed := syscall.Syscall6(syscall.SYS_FADVISE64, file.Fd(), 0, 0, dontNeed, 0, 0)
		noError(t, file.Close())
		if failed != 0 {
			t.Fatalf("the system does not forget %s: %v", name, failed)
		}
	}
}

// csrfField is the token of a form.
var csrfField = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

// timePreviews times previews of a draft, which are a computation over the last
// purchases, and prints that.
func (v *visitor) timePreviews(t *testing.T, requests int) {
	form := v.page(t, "program/draft?id=everyday")
	token := csrfField.FindStringSubmatch(form)
	document, err := os.ReadFile(everydayFile(t))
	noError(t, err)
	if token == nil {
		t.Fatal("the form of the draft has no token")
	}
	for _, sample := range []string{"1000", "10000"} {
		var list []time.Duration
		for range requests {
			begun := time.Now()
			response, err := v.http.PostForm(v.base+"program/draft", url.Values{"csrf": {token[1]}, "id": {"everyday"}, "document": {string(document)}, "sample": {sample}})
			noError(t, err)
			body, err := io.ReadAll(response.Body)
			noError(t, err)
			response.Body.Close()
			list = append(list, time.Since(begun))
			if response.StatusCode != http.StatusOK || !strings.Contains(string(body), "purchases") {
				t.Fatalf("the preview answers with %d:\n%s", response.StatusCode, body)
			}
		}
		t.Logf("preview of %s purchases: %s ms (median of %d)", sample, milliseconds(quantile(list, 50)), requests)
	}
}
