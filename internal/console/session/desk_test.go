package session_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/internal/console/session"
	"recoup/internal/kit/pgtest"
	"recoup/internal/service/access"
	"recoup/internal/service/scope"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/postgres"
	"recoup/internal/store/record"
)

// desk is a service that people sign in to, over a real database, with a line to it
// that may be cut, and a clock that the test sets.
type desk struct {
	testing.TB
	*session.Sessions
	options session.Options
	keys    *access.Keys
	line    *line
	clock   *atomic.Int64
}

// line is a line to a database.
type line struct {
	record.Store
	cut atomic.Bool
}

var errCut = errors.New("the line to the database is cut")

func (l *line) Read(ctx context.Context, f func(record.Reader) error) error {
	if l.cut.Load() {
		return errCut
	}
	return l.Store.Read(ctx, f)
}

func (l *line) Change(ctx context.Context, f func(record.Tx) error) error {
	if l.cut.Load() {
		return errCut
	}
	return l.Store.Change(ctx, f)
}

// eachDatabase runs a test on each database.
func eachDatabase(t *testing.T, test func(*testing.T, record.Store)) {
	t.Run("Pebble", func(t *testing.T) { test(t, pebbletest.Open(t)) })
	t.Run("PostgreSQL", func(t *testing.T) {
		db, err := postgres.Open(context.Background(), pgtest.NewSchema(t), postgres.Options{Migrate: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		test(t, db)
	})
}

func openDesk(t *testing.T, db record.Store, options ...func(*session.Options)) *desk {
	t.Helper()
	d := &desk{TB: t, line: &line{Store: db}, clock: new(atomic.Int64)}
	d.clock.Store(time.Now().UnixNano())
	d.keys = access.New(d.line, d.now)
	d.options = session.Options{Records: d.line, Keys: d.keys, Now: d.now, Idle: session.MaxLifetime}
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

func (d *desk) key(name string, scopes scope.Set) (access.Key, string) {
	d.Helper()
	key, text, err := d.keys.Create(context.Background(), access.Key{Name: name, Scopes: scopes})
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

// with is a request with the cookie of a session, by each of its names; empty: without.
func with(token string) *http.Request {
	r := httptest.NewRequest("GET", "/console/", nil)
	if token != "" {
		r.AddCookie(&http.Cookie{Name: session.CookieName, Value: token})
		r.AddCookie(&http.Cookie{Name: session.HostPrefix + session.CookieName, Value: token})
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
		r.AddCookie(&http.Cookie{Name: session.HostPrefix + session.CookieName, Value: token})
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

// kept is a session as the database has it, and ways lead to it.
type kept struct {
	Person  string `json:"person"`
	Name    string `json:"name"`
	Scopes  string `json:"scopes"`
	Created int64  `json:"created_at"`
	Expires int64  `json:"expires_at"`
}

type way struct {
	ID      string `json:"id"`
	Person  string `json:"person"`
	Created int64  `json:"created_at"`
	Expires int64  `json:"expires_at"`
}

const (
	sessions record.Table[kept] = "sessions"
	byPerson record.Table[way]  = "sessions_of"
	byEnd    record.Table[way]  = "sessions_end"
)

// stored returns the sessions that are stored, by id, and has the two lists that lead to
// them be of the same sessions.
func (d *desk) stored() map[string]kept {
	d.Helper()
	all := make(map[string]kept)
	persons, ends := make(map[string]kept), make(map[string]kept)
	ctx := context.Background()
	err := d.line.Store.Read(ctx, func(r record.Reader) error {
		var last int64
		return errors.Join(
			sessions.Each(ctx, r, record.Span{}, func(id string, k *kept) (bool, error) {
				all[id] = *k
				return true, nil
			}),
			byPerson.Each(ctx, r, record.Span{}, func(_ string, w *way) (bool, error) {
				persons[w.ID] = kept{w.Person, all[w.ID].Name, all[w.ID].Scopes, w.Created, w.Expires}
				return true, nil
			}),
			byEnd.Each(ctx, r, record.Span{}, func(_ string, w *way) (bool, error) {
				if w.Expires < last {
					d.Errorf("the end %d comes after %d", w.Expires, last)
				}
				last = w.Expires
				ends[w.ID] = kept{w.Person, all[w.ID].Name, all[w.ID].Scopes, w.Created, w.Expires}
				return true, nil
			}))
	})
	if err != nil {
		d.Fatal(err)
	}
	if !maps.Equal(all, persons) || !maps.Equal(all, ends) {
		d.Errorf("stored are %d sessions %v, by person %d %v, by end %d %v", len(all), all, len(persons), persons, len(ends), ends)
	}
	return all
}

// rows counts the sessions that are stored.
func (d *desk) rows() int {
	d.Helper()
	return len(d.stored())
}

// meddle changes what the database has.
func (d *desk) meddle(f func(record.Tx) error) {
	d.Helper()
	if err := d.line.Store.Change(context.Background(), f); err != nil {
		d.Fatal(err)
	}
}

// rescope changes the scopes of a key in the database.
func (d *desk) rescope(key, scopes string) { d.rewrite(key, "scopes", `"`+scopes+`"`) }

// confine has a key be for accounts with a beginning alone.
func (d *desk) confine(key, account string) { d.rewrite(key, "accounts", `["`+account+`"]`) }

// rewrite changes a member of a key in the database.
func (d *desk) rewrite(key, member, value string) {
	d.Helper()
	const keys record.Table[map[string]jsontext.Value] = "keys"
	d.meddle(func(tx record.Tx) error {
		k, ok, err := keys.Get(context.Background(), tx, key)
		if err != nil || !ok {
			d.Fatalf("the key %s is not stored (%v)", key, err)
		}
		k[member] = jsontext.Value(value)
		return keys.Put(tx, key, &k)
	})
}
