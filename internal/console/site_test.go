package console_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"recoup/internal/console"
	"recoup/internal/console/overview"
	"recoup/internal/console/session"
	"recoup/internal/engine"
	"recoup/internal/service/access"
	"recoup/internal/service/approval"
	"recoup/internal/service/demo"
	"recoup/internal/service/drafts"
	"recoup/internal/service/security"
	"recoup/internal/service/server"
	"recoup/internal/service/sources"
	"recoup/internal/service/webhook"
	"recoup/internal/store/durable"
	"recoup/internal/store/exempt"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/triage"
	"recoup/program"
	"recoup/reward"
)

// site is how a console is set up as part of a whole service. Zero members are those
// of a service with keys, at the office's time.
type site struct {
	now      func() time.Time // of the sessions
	open     bool
	provider func(address string) *session.Provider
	change   func(*console.Options)
	log      *slog.Logger
}

// openDatabase opens a database without programs.
func openDatabase(t testing.TB) durable.Driver {
	t.Helper()
	return pebbletest.Open(t)
}

// openWithEveryday opens a database with the everyday program.
func openWithEveryday(t testing.TB) durable.Driver {
	t.Helper()
	db := openDatabase(t)
	parse := func(document []byte) (*reward.Program, error) { return program.Parse("program", document) }
	programs, err := durable.OpenPrograms(context.Background(), db, parse, func() time.Time { return today })
	if err == nil {
		_, _, err = programs.Put(context.Background(), "everyday", program.EverydayDocument(), 0, "test")
	}
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// openSite opens an office over a database, with its console where the service has
// it: behind the server's guard.
func openSite(t testing.TB, db durable.Driver, s site) *office {
	t.Helper()
	ctx := context.Background()
	now := func() time.Time { return today }
	programs, err := durable.OpenPrograms(ctx, db, func(document []byte) (*reward.Program, error) { return program.Parse("program", document) }, now)
	if err != nil {
		t.Fatal(err)
	}
	o := &office{TB: t, db: db, keys: access.New(db, now)}
	o.store = durable.New(db, durable.Options{Programs: programs, Now: func() reward.Instant { return reward.At(today) }})
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
	o.server = httptest.NewUnstartedServer(nil)
	t.Cleanup(o.server.Close)
	settings := session.Options{Records: db, Keys: o.keys, Now: now, Open: s.open}
	if s.now != nil {
		settings.Now = s.now
	}
	if s.provider != nil {
		settings.Provider = s.provider("http://" + o.server.Listener.Addr().String())
	}
	sessions, err := session.New(settings)
	if err != nil {
		t.Fatal(err)
	}
	exemptions, err := exempt.Open(ctx, db, now)
	if err != nil {
		t.Fatal(err)
	}
	options := console.Options{
		Ledger: o.store, Applier: o.group, Programs: programs, Preview: o.preview, Overview: o.overview, Open: s.open, Log: s.log,
		Webhooks: webhook.New(db, durable.One(db).Records, now), Sources: sources.New(sources.Options{Records: db, Now: now}), Sessions: sessions, Proposals: o.proposals, Triage: triage.New(o.db, now), Drafts: drafts.New(db, now), Alone: alone, Now: now, Security: security.New(db, now), Exemptions: exemptions,
	}
	if s.change != nil {
		s.change(&options)
	}
	pages, err := console.New(options)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := server.New(server.Options{Applier: o.group, Ledger: o.store, Programs: programs, Open: true, Console: pages})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(whole.Close)
	o.server.Config.Handler = whole
	o.server.Start()
	return o
}

// ask sends a request as it is and follows no redirect.
func (b *browser) ask(r *http.Request) *http.Response {
	b.Helper()
	client := *b.client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := client.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	response.Body.Close()
	return response
}

func (b *browser) request(method, path string) *http.Request {
	b.Helper()
	r, err := http.NewRequest(method, b.server.URL+path, nil)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// openSample opens a site with the sample data, at which everybody is an admin. It
// takes a moment, and is only read.
func openSample(t testing.TB) *office {
	t.Helper()
	db := openDatabase(t)
	if _, err := demo.Load(context.Background(), demo.Target{Database: durable.One(db), Now: today}); err != nil {
		t.Fatal(err)
	}
	o := openSite(t, db, site{open: true, change: func(options *console.Options) {
		for _, story := range demo.Cast() {
			options.Stories = append(options.Stories, console.Story(story))
		}
	}})
	o.refresh()
	return o
}
