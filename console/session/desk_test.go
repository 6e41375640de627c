package session_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"recoup/access"
	"recoup/console/session"
	"recoup/internal/pgtest"
	"recoup/store/durable"
	"recoup/store/postgres"
	"recoup/store/sqlite"
)

// desk is a service that people sign in to, over a real database, with a clock that
// the test sets.
type desk struct {
	testing.TB
	*session.Sessions
	options session.Options
	keys    *access.Keys
	db      durable.Driver
	clock   *atomic.Int64
}

// eachDatabase runs a test on both databases.
func eachDatabase(t *testing.T, test func(*testing.T, durable.Driver)) {
	t.Run("SQLite", func(t *testing.T) { test(t, openSQLite(t)) })
	t.Run("PostgreSQL", func(t *testing.T) {
		db, err := postgres.Open(context.Background(), pgtest.NewSchema(t), postgres.Options{Migrate: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		test(t, db)
	})
}

func openSQLite(t *testing.T) durable.Driver {
	t.Helper()
	db, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "recoup.db"), sqlite.Options{Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func openDesk(t *testing.T, db durable.Driver, options ...func(*session.Options)) *desk {
	t.Helper()
	d := &desk{TB: t, db: db, clock: new(atomic.Int64)}
	d.clock.Store(time.Now().UnixNano())
	d.keys = access.New(db.DB(), db.Rebind, d.now)
	d.options = session.Options{DB: db.DB(), Rebind: db.Rebind, Keys: d.keys, Now: d.now}
	for _, set := range options {
		set(&d.options)
	}
	d.Sessions = d.process()
	return d
}

// process is a process of the service, with the options changed.
func (d *desk) process(change ...func(*session.Options)) *session.Sessions {
	d.Helper()
	o := d.options
	for _, c := range change {
		c(&o)
	}
	s, err := session.New(o)
	if err != nil {
		d.Fatal(err)
	}
	return s
}

func open(o *session.Options) { o.Open = true }

func (d *desk) now() time.Time       { return time.Unix(0, d.clock.Load()) }
func (d *desk) pass(t time.Duration) { d.clock.Add(int64(t)) }

func (d *desk) key(name string, scopes access.Scopes) (access.Key, string) {
	d.Helper()
	key, text, err := d.keys.Create(context.Background(), name, scopes)
	if err != nil {
		d.Fatal(err)
	}
	return key, text
}

// signIn exchanges a key for a session.
func (d *desk) signIn(key string) (string, session.Person) {
	d.Helper()
	token, p, err := d.SignInWithKey(context.Background(), key)
	if err != nil {
		d.Fatalf("not signed in: %v", err)
	}
	return token, p
}

// with is a request with the cookie of a session; empty: without.
func with(token string) *http.Request {
	r := httptest.NewRequest("GET", "/console/", nil)
	if token != "" {
		r.AddCookie(&http.Cookie{Name: session.CookieName, Value: token})
	}
	return r
}

// form is a request to change something, with fields and their values.
func form(token string, fields ...string) *http.Request {
	values := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	r := httptest.NewRequest("POST", "/console/reviews", strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if token != "" {
		r.AddCookie(&http.Cookie{Name: session.CookieName, Value: token})
	}
	return r
}

// sent has a token be of a person, in a process.
func (d *desk) sent(s *session.Sessions, token string, want session.Person) {
	d.Helper()
	p, ok, err := s.Of(with(token))
	if err != nil || !ok || p != want {
		d.Errorf("a request with the session is of %+v (%v, %v), want %+v", p, ok, err, want)
	}
}

// nobody has a token be of nobody, in a process.
func (d *desk) nobody(s *session.Sessions, token, why string) {
	d.Helper()
	if p, ok, err := s.Of(with(token)); ok || err != nil || p != (session.Person{}) {
		d.Errorf("%s: the request is of %+v (%v, %v), want nobody", why, p, ok, err)
	}
}

// rows counts the sessions that are stored.
func (d *desk) rows() (n int) {
	d.Helper()
	if err := d.db.DB().QueryRow(`SELECT count(*) FROM sessions`).Scan(&n); err != nil {
		d.Fatal(err)
	}
	return n
}
