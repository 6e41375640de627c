package console_test

import (
	"context"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"recoup/internal/console"
	"recoup/internal/console/overview"
	"recoup/internal/console/session"
	"recoup/internal/engine"
	"recoup/internal/service/access"
	"recoup/internal/service/approval"
	"recoup/internal/service/drafts"
	"recoup/internal/service/preview"
	"recoup/internal/service/security"
	"recoup/internal/service/sources"
	"recoup/internal/service/webhook"
	"recoup/internal/store/durable"
	"recoup/internal/store/exempt"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/seal"
	"recoup/internal/store/triage"
	"recoup/program"
	"recoup/reward"
)

// today is when the office's clock begins, at noon. It moves when a test lets time
// pass.
var today = time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)

// office is a console over a real database and engine, and the people who use it.
type office struct {
	testing.TB
	db         durable.Driver
	store      *durable.Store
	group      *engine.Group
	overview   *overview.Overview
	keys       *access.Keys
	proposals  *approval.Book
	exemptions *exempt.Rules
	server     *httptest.Server
	sent       int           // events
	passed     *atomic.Int64 // nanoseconds since today
}

// alone is what one person may do: $25.00, and about as little of what other programs of tests
// are in.
var alone = approval.Limits{Of: map[string]int64{"USD": 2500, "JPY": 25, "KWD": 25_000}}

// openOffice opens an office whose program is the everyday one, in USD, with the
// other programs besides. Above $25.00 an adjustment needs two people.
func openOffice(t testing.TB, others ...string) *office {
	t.Helper()
	ctx := context.Background()
	db := pebbletest.Open(t)
	o := &office{TB: t, db: db, passed: new(atomic.Int64)}
	now := func() time.Time { return today.Add(time.Duration(o.passed.Load())) }
	parse := func(document []byte) (*reward.Program, error) { return program.Parse("program", document) }
	programs, err := durable.OpenPrograms(ctx, db, parse, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range append([]string{string(program.EverydayDocument())}, others...) {
		terms, err := parse([]byte(document))
		if err == nil {
			_, _, err = programs.Put(ctx, terms.ID, []byte(document), 0, "test")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	o.keys = access.New(db, now)
	secrets, err := seal.Parse(seal.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	o.store = durable.New(db, durable.Options{Programs: programs, Now: func() reward.Instant { return reward.At(now()) }, Secrets: secrets})
	o.group = engine.NewGroup(engine.New(o.store), engine.GroupOptions{})
	t.Cleanup(func() {
		if err := o.group.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	o.overview = overview.New(overview.Options{Store: o.store, Database: db, Records: db, Now: now, Log: slog.New(slog.DiscardHandler)})
	o.proposals = approval.New(approval.Options{Records: db, Now: now, Accounts: o.store, Programs: o.store.Programs(), Apply: func(ctx context.Context, e reward.Event) (reward.Result, error) {
		results, err := o.group.Apply(ctx, []reward.Event{e}, nil)
		if err != nil {
			return reward.Result{}, err
		}
		return results[0], nil
	}})
	sessions, err := session.New(session.Options{Records: db, Keys: o.keys, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	if o.exemptions, err = exempt.Open(ctx, db, now); err != nil {
		t.Fatal(err)
	}
	pages, err := console.New(console.Options{
		Ledger: o.store, Applier: o.group, Programs: programs, Preview: o.preview, Overview: o.overview,
		Webhooks: webhook.New(db, durable.One(db).Records, now), Sources: sources.New(sources.Options{Records: db, Now: now}), Sessions: sessions, Proposals: o.proposals, Triage: triage.New(o.db, now), Drafts: drafts.New(db, now), Alone: alone, Now: now,
		Security: security.New(db, now), Exemptions: o.exemptions,
	})
	if err != nil {
		t.Fatal(err)
	}
	o.server = httptest.NewServer(pages)
	t.Cleanup(o.server.Close)
	o.refresh()
	return o
}

// preview compares a draft, as the service does.
func (o *office) preview(ctx context.Context, id string, draft []byte, transactions int) (*preview.Comparison, bool, error) {
	return preview.Draft(ctx, o.db, o.store.Programs(), id, draft, transactions, reward.At(today))
}

// refresh reads the figures of the overview anew.
func (o *office) refresh() {
	o.Helper()
	if err := o.overview.Refresh(context.Background()); err != nil {
		o.Fatal(err)
	}
}

// pass lets time pass.
func (o *office) pass(d time.Duration) { o.passed.Add(int64(d)) }

// daysAgo is a moment that many days before now.
func daysAgo(n int) reward.Instant { return reward.At(today) - reward.Instant(n)*reward.Day }

// deliver has a sender deliver an event, at its time or else now, and returns what
// became of it. Its amount is in USD unless it says otherwise.
func (o *office) deliver(e reward.Event) reward.Result {
	o.Helper()
	o.sent++
	e.Source, e.ID = "core", fmt.Sprint("e", o.sent)
	if e.Time == 0 {
		e.Time = reward.At(today)
	}
	if e.Amount != 0 {
		e.HasAmount = true
		if e.Currency == "" {
			e.Currency = "USD"
		}
	}
	results, err := o.group.Apply(context.Background(), []reward.Event{e}, nil)
	if err != nil {
		o.Fatal(err)
	}
	return results[0]
}

// account reads an account.
func (o *office) account(id string) durable.AccountView {
	o.Helper()
	v, ok, err := o.store.Account(context.Background(), id)
	if err != nil || !ok {
		o.Fatalf("account %s: %t, %v", id, ok, err)
	}
	return v
}

// entries are the postings of an account, the newest first.
func (o *office) entries(id string) []reward.Posting {
	o.Helper()
	list, err := o.store.Entries(context.Background(), id, 0, 1000)
	if err != nil {
		o.Fatal(err)
	}
	postings := make([]reward.Posting, len(list))
	for i := range list {
		postings[i] = list[i].Posting
	}
	return postings
}

// browser is somebody who looks at pages.
type browser struct {
	*office
	client *http.Client
}

// reply is what a browser was answered: after a form, the page that it led to.
type reply struct {
	status int
	path   string // with the query
	body   string
	// cleared is what the answer that led there has the browser clear.
	cleared string
}

// signIn has somebody sign in with a key of a role.
func (o *office) signIn(name string, role access.Role) *browser {
	o.Helper()
	_, key, err := o.keys.Create(context.Background(), access.Key{Name: name, Scopes: role.Scopes()})
	if err != nil {
		o.Fatal(err)
	}
	b := o.stranger()
	if r := b.post("/console/sign-in", "key", key); r.status != http.StatusOK || !strings.Contains(r.body, name) {
		o.Fatalf("signing in as %s: %d %s", name, r.status, r.path)
	}
	return b
}

// stranger is somebody who is not signed in.
func (o *office) stranger() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		o.Fatal(err)
	}
	return &browser{o, &http.Client{Jar: jar, Transport: o.server.Client().Transport}}
}

// get looks at a page.
func (b *browser) get(path string) reply {
	b.Helper()
	response, err := b.client.Get(b.server.URL + path)
	return b.read(response, err)
}

// page looks at a page that must be there.
func (b *browser) page(path string) string {
	b.Helper()
	r := b.get(path)
	if r.status != http.StatusOK {
		b.Fatalf("%s is answered with %d:\n%s", path, r.status, r.body)
	}
	return r.body
}

// post sends fields and their values as they are.
func (b *browser) post(path string, pairs ...string) reply {
	b.Helper()
	response, err := b.client.PostForm(b.server.URL+path, fields(pairs))
	return b.read(response, err)
}

// submit sends the form of a page that goes to an address, as a person would: with
// its hidden fields, among them the one that shows where it is from, and what is
// filled in.
func (b *browser) submit(page, action string, pairs ...string) reply {
	b.Helper()
	hidden, ok := formOf(page, action)
	if !ok {
		b.Fatalf("the page has no form that goes to %s:\n%s", action, page)
	}
	for name, values := range fields(pairs) {
		hidden[name] = values
	}
	response, err := b.client.PostForm(b.server.URL+action, hidden)
	return b.read(response, err)
}

func (b *browser) read(response *http.Response, err error) reply {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.Fatal(err)
	}
	r := reply{status: response.StatusCode, path: response.Request.URL.RequestURI(), body: string(body)}
	if before := response.Request.Response; before != nil {
		r.cleared = before.Header.Get("Clear-Site-Data")
	}
	return r
}

func fields(pairs []string) url.Values {
	values := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		values.Add(pairs[i], pairs[i+1])
	}
	return values
}

var (
	formTag   = regexp.MustCompile(`(?s)<form\b([^>]*)>(.*?)</form>`)
	inputTag  = regexp.MustCompile(`<input\b[^>]*>`)
	attribute = regexp.MustCompile(`([a-z]+)="([^"]*)"`)
)

// formOf returns the hidden fields of the first form of a page that is sent to an
// address; ok is false if there is none.
func formOf(page, action string) (hidden url.Values, ok bool) {
	for _, form := range formTag.FindAllStringSubmatch(page, -1) {
		if attributes(form[1])["action"] != action {
			continue
		}
		hidden = url.Values{}
		for _, tag := range inputTag.FindAllString(form[2], -1) {
			if a := attributes(tag); a["type"] == "hidden" {
				hidden.Add(a["name"], a["value"])
			}
		}
		return hidden, true
	}
	return nil, false
}

func attributes(tag string) map[string]string {
	all := make(map[string]string)
	for _, m := range attribute.FindAllStringSubmatch(tag, -1) {
		all[m[1]] = html.UnescapeString(m[2])
	}
	return all
}

var (
	tags   = regexp.MustCompile(`(?s)<[^>]*>`)
	spaces = regexp.MustCompile(`[\s\x{a0}]+`)
)

// said is what a page says, without tags and with single spaces.
func said(page string) string {
	if _, main, ok := strings.Cut(page, "<main"); ok {
		page, _, _ = strings.Cut("<main"+main, "</main>")
	}
	return strings.TrimSpace(spaces.ReplaceAllString(html.UnescapeString(tags.ReplaceAllString(page, " ")), " "))
}
