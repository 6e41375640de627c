package session_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"recoup/internal/console/session"
	"recoup/internal/service/access"
	"recoup/internal/service/scope"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/record"
)

func TestAKeyIsExchangedForASession(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db record.Store) {
		d := openDesk(t, db)
		key, text := d.key("Vera Lind", scope.Read|scope.Operate)
		token, p := d.signIn("  " + text + "\n") // as it is pasted
		want := session.Person{ID: key.ID, Name: "Vera Lind", Role: access.Operator, Scopes: scope.Read | scope.Operate}
		if p != want {
			t.Errorf("signed in is %+v, want %+v", p, want)
		}
		d.sent(d.Sessions, token, want)
		d.sent(d.process(), token, want)
		d.nobody(d.Sessions, "", "without a cookie")
		if again, _ := d.signIn(text); again == token {
			t.Error("two sessions have one token")
		}
	})
}

func TestASessionEnds(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db record.Store) {
		ctx := context.Background()
		t.Run("when it is signed out, and no other", func(t *testing.T) {
			d := openDesk(t, db)
			_, text := d.key("Vera", scope.Read)
			token, _ := d.signIn(text)
			other, p := d.signIn(text)
			if err := d.SignOut(ctx, with(token)); err != nil {
				t.Fatal(err)
			}
			d.nobody(d.Sessions, token, "signed out")
			d.nobody(d.process(), token, "signed out, in another process")
			d.sent(d.Sessions, other, p)
			for _, nothing := range []string{"", token, "nonsense"} {
				if err := d.SignOut(ctx, with(nothing)); err != nil {
					t.Errorf("signing out without a session: %v", err)
				}
			}
		})
		t.Run("after its lifetime", func(t *testing.T) {
			d := openDesk(t, db, func(o *session.Options) { o.Lifetime = time.Hour })
			_, text := d.key("Vera", scope.Read)
			token, p := d.signIn(text)
			d.pass(time.Hour - 1)
			d.sent(d.Sessions, token, p)
			d.pass(1)
			d.nobody(d.Sessions, token, "expired")
		})
		t.Run("after twelve hours, if nothing else is said", func(t *testing.T) {
			d := openDesk(t, db)
			_, text := d.key("Vera", scope.Read)
			token, p := d.signIn(text)
			d.pass(12*time.Hour - 1)
			d.sent(d.Sessions, token, p)
			d.pass(1)
			d.nobody(d.Sessions, token, "expired")
		})
		t.Run("with its key", func(t *testing.T) {
			d := openDesk(t, db)
			key, text := d.key("Vera", scope.Read)
			token, p := d.signIn(text)
			d.sent(d.Sessions, token, p)
			if _, err := d.keys.Revoke(ctx, key.ID); err != nil {
				t.Fatal(err)
			}
			d.nobody(d.Sessions, token, "the key was revoked")
		})
		t.Run("when its key may not read any more", func(t *testing.T) {
			d := openDesk(t, db)
			key, text := d.key("Vera", scope.Read|scope.Ingest)
			token, _ := d.signIn(text)
			d.rescope(key.ID, "ingest")
			d.pass(access.Staleness)
			d.nobody(d.Sessions, token, "the key lost the scope read")
		})
	})
}

// What somebody may do is what the key may do now, not what it might when they signed
// in.
func TestTheKeySaysWhatSomebodyMay(t *testing.T) {
	d := openDesk(t, pebbletest.Open(t))
	key, text := d.key("Anna", scope.Admin)
	token, _ := d.signIn(text)
	d.rescope(key.ID, "read,operate,approve")
	d.pass(access.Staleness)
	d.sent(d.Sessions, token, session.Person{ID: key.ID, Name: "Anna", Role: access.Approver, Scopes: access.Approver.Scopes()})
}

func TestWhoIsNotSignedInWithAKey(t *testing.T) {
	ctx := context.Background()
	d := openDesk(t, pebbletest.Open(t))
	_, right := d.key("Vera", scope.Read)
	_, sender := d.key("core banking", scope.Ingest|scope.Redeem)
	revoked, gone := d.key("gone", scope.Read)
	if _, err := d.keys.Revoke(ctx, revoked.ID); err != nil {
		t.Fatal(err)
	}
	messages := make(map[string]bool)
	for _, key := range []string{"", "nonsense", right[:len(right)-1], "rk_aaaaaaaaaaaa_" + right[16:], right[:16] + sender[16:], gone, right + "\r\nX: y", strings.Repeat("rk_", 1<<20)} {
		token, p, err := d.SignInWithKey(ctx, key)
		var denied *session.Denied
		if !errors.As(err, &denied) || !errors.As(err, new(access.Refusal)) || token != "" || p != (session.Person{}) {
			t.Fatalf("the key %.80q signs in %+v with %q: %v", key, p, token, err)
		}
		messages[denied.Sentence().String()] = true
	}
	if len(messages) != 1 {
		t.Errorf("who tries keys can tell them apart: %v", messages)
	}
	var denied *session.Denied
	if _, _, err := d.SignInWithKey(ctx, sender); !errors.As(err, &denied) || !strings.Contains(denied.Sentence().String(), "for programs") {
		t.Errorf("a key that may not read: %v", err)
	}
	if n := d.rows(); n != 0 {
		t.Errorf("%d sessions are stored of people who are not signed in", n)
	}

	d.line.cut.Store(true)
	d.pass(access.Staleness)
	if _, _, err := d.SignInWithKey(ctx, right); err == nil || errors.As(err, new(*session.Denied)) {
		t.Errorf("without a database: %v, want an error that does not blame who asks", err)
	}
}

// The pages show every account, so a key that is for some alone opens none of them, and a
// session that it was exchanged for before ends.
func TestAKeyThatIsForSomeAccountsSignsNobodyIn(t *testing.T) {
	ctx := context.Background()
	d := openDesk(t, pebbletest.Open(t))
	for _, l := range []access.Limits{{Accounts: []string{"shop-"}}, {Programs: []string{"gold"}}, {Accounts: []string{"a"}, Rate: 5}} {
		_, text, err := d.keys.Create(ctx, access.Key{Name: "a partner", Scopes: scope.Admin, Limits: l})
		if err != nil {
			t.Fatal(err)
		}
		var denied *session.Denied
		if token, p, err := d.SignInWithKey(ctx, text); !errors.As(err, &denied) || !strings.Contains(denied.Sentence().String(), "for some accounts alone") || token != "" || p != (session.Person{}) {
			t.Errorf("a key with the limits %+v signs in %+v: %v", l, p, err)
		}
	}
	if n := d.rows(); n != 0 {
		t.Errorf("%d sessions are stored", n)
	}
	key, text := d.key("Vera", scope.Read)
	token, _ := d.signIn(text)
	d.confine(key.ID, "shop-")
	d.pass(access.Staleness)
	d.nobody(d.Sessions, token, "the key was confined")
}

// A page counts as a request of the key that somebody signed in with.
func TestAKeyHasItsRateInTheConsoleToo(t *testing.T) {
	ctx := context.Background()
	var shared access.Rates
	d := openDesk(t, pebbletest.Open(t), func(o *session.Options) { o.Rates = &shared })
	_, text, err := d.keys.Create(ctx, access.Key{Name: "Vera", Scopes: scope.Read, Limits: access.Limits{Sources: []string{"none"}, Rate: 3}})
	if err != nil {
		t.Fatal(err)
	}
	token, p := d.signIn(text)
	d.sent(d.Sessions, token, p)
	shared.Take(&access.Principal{ID: p.ID, Limits: access.Limits{Rate: 3}}, d.now()) // over the API
	if _, ok, err := d.Of(with(token)); ok || !errors.Is(err, session.ErrRate) {
		t.Errorf("a fourth request within a second: %v, %v", ok, err)
	}
	if _, _, err := d.SignInWithKey(ctx, text); !errors.Is(err, session.ErrRate) {
		t.Errorf("signed in a fourth time within a second: %v", err)
	}
	d.pass(time.Second)
	d.sent(d.Sessions, token, p)
}

func TestOnlyTheHashOfATokenIsStored(t *testing.T) {
	d := openDesk(t, pebbletest.Open(t))
	key, text := d.key("Vera", scope.Read)
	token, _ := d.signIn(text)
	value, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(value) != 32 {
		t.Fatalf("the token %q is %d bytes (%v)", token, len(value), err)
	}
	hash := sha256.Sum256(value)
	id, now := hex.EncodeToString(hash[:]), d.now().UnixNano()
	want := map[string]kept{id: {key.ID, "Vera", "read", now, now + int64(12*time.Hour)}}
	if got := d.stored(); !maps.Equal(got, want) {
		t.Errorf("stored is %v, want %v", got, want)
	}
	// Who has the database has nothing to show for it.
	stolen := &http.Cookie{Name: session.CookieName, Value: encode(hash[:])}
	r := with("")
	r.AddCookie(stolen)
	if _, ok, err := d.Of(r); ok || err != nil {
		t.Errorf("what is stored signs somebody in (%v)", err)
	}
}

func TestWhatHasExpiredIsRemoved(t *testing.T) {
	d := openDesk(t, pebbletest.Open(t))
	_, text := d.key("Vera", scope.Read)
	for range 5 {
		d.signIn(text)
	}
	d.pass(time.Hour)
	last, p := d.signIn(text)
	d.pass(11 * time.Hour)
	d.signIn(text)
	if n := d.rows(); n != 2 {
		t.Errorf("%d sessions are stored, want two that have not expired", n)
	}
	d.sent(d.Sessions, last, p)
}

func TestOnePersonHasABoundedNumberOfSessions(t *testing.T) {
	const most = 1000
	eachDatabase(t, func(t *testing.T, db record.Store) {
		d := openDesk(t, db)
		key, text := d.key("a script", scope.Read)
		_, other := d.key("Vera", scope.Read)
		theirs, vera := d.signIn(other)
		first, p := d.signIn(text)
		d.meddle(func(tx record.Tx) error {
			for n := range most - 2 {
				d.pass(1)
				w := way{fmt.Sprintf("%064x", n), key.ID, d.now().UnixNano(), d.now().Add(time.Hour).UnixNano()}
				err := errors.Join(
					sessions.Put(tx, w.ID, &kept{w.Person, "a script", "read", w.Created, w.Expires}),
					byPerson.Put(tx, record.Key(w.Person, w.Created, w.ID), &w),
					byEnd.Put(tx, record.Key(w.Expires, w.ID), &w))
				if err != nil {
					return err
				}
			}
			return nil
		})
		d.pass(1)
		d.signIn(text)
		d.sent(d.Sessions, first, p)
		if n := d.rows(); n != most+1 {
			t.Fatalf("%d sessions are stored, want %d and one of somebody else", n, most)
		}
		d.pass(1)
		last, _ := d.signIn(text)
		d.nobody(d.Sessions, first, "the oldest of too many")
		d.sent(d.Sessions, last, p)
		d.sent(d.Sessions, theirs, vera)
		if n := d.rows(); n != most+1 {
			t.Errorf("%d sessions are stored, want %d and one of somebody else", n, most)
		}
		d.pass(-time.Minute) // a clock that goes back takes nobody's new session away
		back, _ := d.signIn(text)
		d.sent(d.Sessions, back, p)
	})
}

// Many at once sign in as one person, and sign out again. No session is left that is in
// one list and not in another.
func TestManySignInAtOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db record.Store) {
		d := openDesk(t, db)
		_, text := d.key("Vera", scope.Read)
		var all sync.WaitGroup
		for i := range 8 {
			s := d.process()
			all.Go(func() {
				token, _, err := s.SignInWithKey(context.Background(), text)
				if err != nil {
					t.Error(err)
				} else if i%2 == 0 {
					if err := s.SignOut(context.Background(), with(token)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if n := d.rows(); n != 4 {
			t.Errorf("%d sessions are stored, want 4", n)
		}
	})
}

// However many have expired, whoever signs in next does not wait until all are gone.
func TestWhatHasExpiredIsRemovedBitByBit(t *testing.T) {
	d := openDesk(t, pebbletest.Open(t))
	_, text := d.key("Vera", scope.Read)
	for range 150 {
		d.signIn(text)
	}
	d.pass(12 * time.Hour)
	for _, want := range []int{51, 2, 3} {
		d.signIn(text)
		if n := d.rows(); n != want {
			t.Errorf("%d sessions are stored, want %d", n, want)
		}
	}
}

func TestCookies(t *testing.T) {
	for _, secure := range []bool{false, true} {
		d := openDesk(t, pebbletest.Open(t), func(o *session.Options) { o.Secure, o.Lifetime = secure, time.Hour })
		want := "__Host-recoup_session=abc; Path=/; Max-Age=3600; HttpOnly; Secure; SameSite=Lax"
		gone := "__Host-recoup_session=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax"
		if !secure {
			plain := strings.NewReplacer(" Secure;", "", "__Host-", "", "Path=/;", "Path=/console/;")
			want, gone = plain.Replace(want), plain.Replace(gone)
		}
		if got := d.Cookie("abc").String(); got != want {
			t.Errorf("the cookie is %q, want %q", got, want)
		}
		if got := d.Expired().String(); got != gone {
			t.Errorf("the cookie that takes it away is %q, want %q", got, gone)
		}

		// It is read under its own name alone: another's was put in, or went without TLS.
		_, key := d.key("Anna", access.Viewer.Scopes())
		token, _ := d.signIn(key)
		for _, name := range []string{"recoup_session", "__Host-recoup_session"} {
			r := httptest.NewRequest("GET", "/console/", nil)
			r.AddCookie(&http.Cookie{Name: name, Value: token})
			if _, ok, err := d.Of(r); err != nil || ok != (name == d.Cookie(token).Name) {
				t.Errorf("secure %v: with the cookie %s somebody is signed in: %v (%v)", secure, name, ok, err)
			}
		}
	}
}

func TestNobodyNeedsAKeyWhereTheServiceIsOpen(t *testing.T) {
	ctx := context.Background()
	d := openDesk(t, pebbletest.Open(t), open)
	dev := session.Person{ID: "dev", Name: "dev", Role: access.Administrator, Scopes: scope.Admin}
	d.sent(d.Sessions, "", dev)
	d.sent(d.Sessions, "nonsense", dev)

	tokens, ids := make(map[access.Role]string), make(map[string]bool)
	for role, name := range map[access.Role]string{
		access.Viewer: "Vera (viewer)", access.Operator: "Oscar (operator)", access.Approver: "Anna (approver)", access.Administrator: "Ada (admin)",
	} {
		token, p, err := d.SignInAs(ctx, role)
		if err != nil || p.Name != name || p.Role != role || p.Scopes != role.Scopes() || ids[p.ID] {
			t.Errorf("signed in as %v is %+v (%v)", role, p, err)
		}
		d.sent(d.Sessions, token, p)
		tokens[role], ids[p.ID] = token, true
	}
	if _, _, err := d.SignInAs(ctx, 0); !errors.As(err, new(*session.Denied)) {
		t.Errorf("signed in as nobody: %v", err)
	}
	if err := d.SignOut(ctx, with(tokens[access.Viewer])); err != nil {
		t.Fatal(err)
	}
	d.sent(d.Sessions, tokens[access.Viewer], dev)

	// The same database, behind a service that is not open.
	shut := d.process(func(o *session.Options) { o.Open = false })
	d.nobody(shut, tokens[access.Administrator], "a session of a role that was played")
	if _, _, err := shut.SignInAs(ctx, access.Viewer); !errors.As(err, new(*session.Denied)) {
		t.Errorf("somebody chooses a role: %v", err)
	}
	_, text := d.key("Vera", scope.Read)
	token, p := d.signIn(text)
	d.sent(shut, token, p)
}

func TestADamagedSessionSignsNobodyIn(t *testing.T) {
	d := openDesk(t, pebbletest.Open(t), open)
	token, p, err := d.SignInAs(context.Background(), access.Viewer)
	if err != nil {
		t.Fatal(err)
	}
	d.sent(d.Sessions, token, p)
	for _, scopes := range []string{"", "ingest", "read,settle"} {
		for id, k := range d.stored() {
			k.Scopes = scopes
			d.meddle(func(tx record.Tx) error { return sessions.Put(tx, id, &k) })
		}
		if got, ok, err := d.Of(with(token)); !ok || err != nil || got.ID != "dev" {
			t.Errorf("with the scopes %q the request is of %+v (%v, %v)", scopes, got, ok, err)
		}
	}
}

func TestWithoutADatabaseNobodyKnowsWhoAsks(t *testing.T) {
	d := openDesk(t, pebbletest.Open(t))
	_, text := d.key("Vera", scope.Read)
	token, _ := d.signIn(text)
	d.line.cut.Store(true)
	if _, ok, err := d.Of(with(token)); err == nil || ok {
		t.Errorf("the request is of somebody: %v, %v", ok, err)
	}
	if err := d.SignOut(context.Background(), with(token)); err == nil {
		t.Error("signing out did nothing, and says nothing")
	}
	d.nobody(d.Sessions, "", "without a cookie there is nothing to ask")
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	d := openDesk(t, pebbletest.Open(t))
	for name, change := range map[string]func(*session.Options){
		"expected a database":       func(o *session.Options) { o.Records = nil },
		"and keys":                  func(o *session.Options) { o.Keys = nil },
		"expected from 1m0s to 720": func(o *session.Options) { o.Lifetime = time.Second },
		"found -1h0m0s":             func(o *session.Options) { o.Lifetime = -time.Hour },
		"found 100000h0m0s":         func(o *session.Options) { o.Lifetime = 100000 * time.Hour },
	} {
		o := d.options
		change(&o)
		if _, err := session.New(o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q in the error", err, name)
		}
	}
}
