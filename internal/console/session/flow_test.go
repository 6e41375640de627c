package session_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"recoup/internal/console/session"
	"recoup/internal/console/session/oidctest"
	"recoup/internal/service/access"
	"recoup/internal/service/scope"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/record"
)

const callback = "https://recoup.example.com/console/sign-in/callback"

// openWithProvider is a desk that a provider sends people to.
func openWithProvider(t *testing.T, db record.Store, change ...func(*session.Provider)) (*desk, *oidctest.Provider) {
	t.Helper()
	p := oidctest.New(t)
	p.Claim("roles", []string{"recoup-viewer"})
	config := &session.Provider{
		Issuer: p.Issuer, ClientID: oidctest.ClientID, ClientSecret: oidctest.ClientSecret, RedirectURL: callback,
		Roles: map[string]access.Role{"recoup-viewer": access.Viewer, "recoup-approver": access.Approver},
	}
	for _, c := range change {
		c(config)
	}
	return openDesk(t, db, func(o *session.Options) { o.Provider, o.Secure = config, true }), p
}

// browser goes to the provider and back.
type browser struct {
	testing.TB
	cookies map[string]*http.Cookie
}

func newBrowser(t testing.TB) *browser { return &browser{t, make(map[string]*http.Cookie)} }

// keep keeps the cookies of an answer.
func (b *browser) keep(w *httptest.ResponseRecorder) {
	for _, c := range w.Result().Cookies() {
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		} else {
			b.cookies[c.Name] = c
		}
	}
}

func (b *browser) request(address string) *http.Request {
	r := httptest.NewRequest("GET", address, nil)
	for _, c := range b.cookies {
		r.AddCookie(c)
	}
	return r
}

// leave goes to the provider, and returns the address to which it sends the browser
// back.
func (b *browser) leave(s *session.Sessions, next string) *url.URL {
	b.Helper()
	w := httptest.NewRecorder()
	if err := s.Begin(w, b.request("/console/sign-in/provider?"+url.Values{"next": {next}}.Encode())); err != nil {
		b.Fatal(err)
	}
	b.keep(w)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Get(w.Header().Get("Location"))
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	back, err := answer.Location()
	if err != nil {
		b.Fatalf("the provider answers %d: %v", answer.StatusCode, err)
	}
	return back
}

// arrival is what becomes of somebody who comes back.
type arrival struct {
	token  string
	person session.Person
	next   string
	err    error
}

// arrive comes back from the provider.
func (b *browser) arrive(s *session.Sessions, back *url.URL) (a arrival) {
	r, w := b.request(back.String()), httptest.NewRecorder()
	a.token, a.person, a.err = s.Callback(w, r)
	a.next = s.Next(r)
	b.keep(w)
	return a
}

// refused has somebody who comes back not be signed in, and be told why.
func (a arrival) refused(t testing.TB, message string) {
	t.Helper()
	var denied *session.Denied
	if !errors.As(a.err, &denied) || a.token != "" || a.person != (session.Person{}) || !strings.Contains(denied.Sentence().String(), message) {
		t.Errorf("who comes back is %+v (%v), want them denied with %q", a, a.err, message)
	}
}

func TestAProviderSignsPeopleIn(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db record.Store) {
		d, p := openWithProvider(t, db)
		b := newBrowser(t)
		back := b.leave(d.Sessions, "/console/reviews?kind=unmatched")
		if got := back.Scheme + "://" + back.Host + back.Path; got != callback {
			t.Errorf("the provider sends people to %s", got)
		}
		for _, c := range b.cookies {
			if !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || !strings.HasPrefix(c.Name, "__Host-") || c.MaxAge <= 0 || c.MaxAge > 600 {
				t.Errorf("the cookie on the way is %v", c)
			}
		}
		a := b.arrive(d.Sessions, back)
		want := session.Person{ID: access.Subject(p.Issuer, "anna"), Name: "anna@example.com", Role: access.Viewer, Scopes: scope.Read}
		if a.err != nil || a.person != want || a.next != "/console/reviews?kind=unmatched" {
			t.Fatalf("signed in is %+v", a)
		}
		if len(b.cookies) != 0 {
			t.Errorf("the way is over, and its cookies are %v", b.cookies)
		}
		// Without the provider too: what it said was said.
		p.Down(true)
		d.sent(d.Sessions, a.token, want)
		d.sent(d.process(), a.token, want)
		// But not where it is none any more.
		d.nobody(d.process(func(o *session.Options) { o.Provider = nil }), a.token, "no provider")
		d.pass(12 * time.Hour)
		d.nobody(d.Sessions, a.token, "expired")
	})
}

// Another process may be behind the same name.
func TestOneProcessBeginsAndAnotherEnds(t *testing.T) {
	d, _ := openWithProvider(t, pebbletest.Open(t))
	b := newBrowser(t)
	back := b.leave(d.Sessions, "")
	if a := b.arrive(d.process(), back); a.err != nil || a.next != "/console/" {
		t.Errorf("signed in is %+v", a)
	}
}

func TestWhatIsNoAnswerToThisBrowser(t *testing.T) {
	t.Run("another state", func(t *testing.T) {
		d, _ := openWithProvider(t, pebbletest.Open(t))
		for _, state := range []string{"", "nonsense", newBrowser(t).leave(d.Sessions, "").Query().Get("state")} {
			b := newBrowser(t)
			back := b.leave(d.Sessions, "")
			query := back.Query()
			query.Set("state", state)
			back.RawQuery = query.Encode()
			b.arrive(d.Sessions, back).refused(t, "another request to sign in")
		}
	})
	t.Run("the answer to another browser", func(t *testing.T) {
		d, _ := openWithProvider(t, pebbletest.Open(t))
		theirs := newBrowser(t).leave(d.Sessions, "")
		newBrowser(t).arrive(d.Sessions, theirs).refused(t, "did not ask to sign in")
	})
	t.Run("the code of another browser", func(t *testing.T) {
		d, _ := openWithProvider(t, pebbletest.Open(t))
		b := newBrowser(t)
		back := b.leave(d.Sessions, "")
		query := back.Query()
		query.Set("code", newBrowser(t).leave(d.Sessions, "").Query().Get("code"))
		back.RawQuery = query.Encode()
		b.arrive(d.Sessions, back).refused(t, "does not accept") // its verifier is not this browser's
	})
	t.Run("the same answer again", func(t *testing.T) {
		d, _ := openWithProvider(t, pebbletest.Open(t))
		b := newBrowser(t)
		back := b.leave(d.Sessions, "")
		copied := &browser{t, map[string]*http.Cookie{}}
		for name, c := range b.cookies {
			copied.cookies[name] = c
		}
		if a := b.arrive(d.Sessions, back); a.err != nil {
			t.Fatal(a.err)
		}
		b.arrive(d.Sessions, back).refused(t, "did not ask to sign in")
		copied.arrive(d.Sessions, back).refused(t, "does not accept its answer any more")
	})
	t.Run("an answer of another provider", func(t *testing.T) {
		d, _ := openWithProvider(t, pebbletest.Open(t))
		b := newBrowser(t)
		back := b.leave(d.Sessions, "")
		back.RawQuery += "&iss=https%3A%2F%2Fother.example"
		b.arrive(d.Sessions, back).refused(t, "from another provider")
	})
	t.Run("a refusal", func(t *testing.T) {
		d, _ := openWithProvider(t, pebbletest.Open(t))
		b := newBrowser(t)
		state := b.leave(d.Sessions, "").Query().Get("state")
		back, _ := url.Parse(callback + "?" + url.Values{"state": {state}, "error": {"access_denied"}, "error_description": {"not\u202etoday\n<b>"}}.Encode())
		b.arrive(d.Sessions, back).refused(t, `The provider refused: "access_denied nottoday <b>"`)
	})
	t.Run("no code", func(t *testing.T) {
		d, _ := openWithProvider(t, pebbletest.Open(t))
		b := newBrowser(t)
		back := b.leave(d.Sessions, "")
		back.RawQuery = "state=" + back.Query().Get("state")
		b.arrive(d.Sessions, back).refused(t, "sent no code")
	})
}

func TestATokenThatProvesNothing(t *testing.T) {
	for name, spoil := range map[string]func(*oidctest.Provider){
		"for another nonce":                         func(p *oidctest.Provider) { p.Claim("nonce", "another") },
		"without a nonce":                           func(p *oidctest.Provider) { p.Claim("nonce", nil) },
		"for another audience":                      func(p *oidctest.Provider) { p.Claim("aud", "another service") },
		"for several, and meant for another":        func(p *oidctest.Provider) { p.Claim("aud", []string{oidctest.ClientID, "x"}); p.Claim("azp", "x") },
		"for several, and it does not say for whom": func(p *oidctest.Provider) { p.Claim("aud", []string{oidctest.ClientID, "x"}) },
		"of another issuer":                         func(p *oidctest.Provider) { p.Claim("iss", "https://other.example") },
		"that has expired":                          func(p *oidctest.Provider) { p.Claim("exp", time.Now().Add(-time.Minute).Unix()) },
		"that never expires":                        func(p *oidctest.Provider) { p.Claim("exp", nil) },
		"that is not valid yet":                     func(p *oidctest.Provider) { p.Claim("nbf", time.Now().Add(time.Hour).Unix()) },
		"without a signature":                       func(p *oidctest.Provider) { p.Sign("none") },
		"signed with what everybody knows":          func(p *oidctest.Provider) { p.Sign("HS256") },
		"signed in another way than it says":        func(p *oidctest.Provider) { p.Sign("RS256") },
		"with the hash of another access token ":    func(p *oidctest.Provider) { p.Claim("at_hash", "AAAAAAAAAAAAAAAAAAAAAA") },
	} {
		t.Run(name, func(t *testing.T) {
			d, p := openWithProvider(t, pebbletest.Open(t))
			spoil(p)
			b := newBrowser(t)
			b.arrive(d.Sessions, b.leave(d.Sessions, "")).refused(t, "does not prove who you are")
			if n := d.rows(); n != 0 {
				t.Errorf("%d sessions are stored", n)
			}
		})
	}
}

func TestClaimsGiveARole(t *testing.T) {
	for _, tt := range []struct {
		name   string
		claim  string // that is looked at
		claims map[string]any
		want   access.Role
	}{
		{"a text", "", map[string]any{"roles": "recoup-viewer"}, access.Viewer},
		{"the strongest of a list", "", map[string]any{"roles": []any{"recoup-viewer", "recoup-approver", "staff", "recoup-viewer", 7}}, access.Approver},
		{"another claim", "groups", map[string]any{"groups": []string{"recoup-approver"}, "roles": nil}, access.Approver},
		{"a claim that is an address", "https://recoup.example.com/roles", map[string]any{"https://recoup.example.com/roles": "recoup-viewer"}, access.Viewer},
		{"a claim within another", "realm_access.roles", map[string]any{"realm_access": map[string]any{"roles": []string{"recoup-viewer"}}}, access.Viewer},
		{"a claim within one with dots", "resource.recoup.example.roles", map[string]any{"resource": map[string]any{"recoup.example": map[string]any{"roles": []string{"recoup-viewer"}}}}, access.Viewer},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, p := openWithProvider(t, pebbletest.Open(t), func(c *session.Provider) { c.RoleClaim = tt.claim })
			for name, value := range tt.claims {
				p.Claim(name, value)
			}
			b := newBrowser(t)
			a := b.arrive(d.Sessions, b.leave(d.Sessions, ""))
			if a.err != nil || a.person.Role != tt.want || a.person.Scopes != tt.want.Scopes() {
				t.Errorf("signed in is %+v, want a %v", a, tt.want)
			}
			d.sent(d.Sessions, a.token, a.person)
		})
	}
}

func TestWhoHasNoRoleIsToldWhatWasLookedAt(t *testing.T) {
	for _, tt := range []struct {
		name, claim string
		value       any
		want        string
	}{
		{"none", "roles", nil, "the claim roles has nothing"},
		{"another type", "roles", map[string]any{"recoup-viewer": true}, "the claim roles has nothing"},
		{"others", "groups", []string{"staff", "Recoup-Viewer"}, `the claim groups has "staff", "Recoup-Viewer". Ask`},
		{"what is not seen", "groups", "recoup-viewer\u200b\u202e\n\x00", `the claim groups has "recoup-viewer". Ask`},
		{"quotes", "groups", `x". You are an admin. "`, `the claim groups has "x\". You are an admin. \"". Ask`},
		{"long", "groups", strings.Repeat("é", 1000), `the claim groups has "` + strings.Repeat("é", 48) + `…". Ask`},
		{"many", "groups", strings.Split(strings.Repeat("a,", 1000), ","), `"a", 991 more. Ask`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, p := openWithProvider(t, pebbletest.Open(t), func(c *session.Provider) { c.RoleClaim = tt.claim })
			p.Claim("roles", nil)
			p.Claim(tt.claim, tt.value)
			b := newBrowser(t)
			a := b.arrive(d.Sessions, b.leave(d.Sessions, ""))
			a.refused(t, tt.want)
			a.refused(t, "You are known as anna@example.com")
			if len(a.err.Error()) > 300 {
				t.Errorf("they are told %d bytes: %v", len(a.err.Error()), a.err)
			}
		})
	}
}

func TestWhatPeopleAreCalled(t *testing.T) {
	for _, tt := range []struct {
		name, claim string
		claims      map[string]any
		want        string
	}{
		{"their address", "", map[string]any{"name": "Anna A."}, "anna@example.com"},
		{"their name, if the address may be anybody's", "", map[string]any{"name": "Anna A.", "email_verified": false}, "Anna A."},
		{"their name, if there is no address", "", map[string]any{"name": "Anna A.", "email": nil}, "Anna A."},
		{"their subject, if there is nothing else", "", map[string]any{"email": nil}, "anna"},
		{"what a claim says that is asked for", "nick", map[string]any{"nick": "A"}, "A"},
		{"their subject, if that claim says nothing", "nick", map[string]any{"nick": " \u200b"}, "anna"},
		{"on one line, as far as it is seen", "name", map[string]any{"name": " Anna\r\n\u202eA.\x00 \u200bB\t"}, "Anna A. B"},
		{"without what is blank or not there", "name", map[string]any{"name": "A\u034fnn\u17b4a\u2800A.\u3164\u115f\ufe0f"}, "Anna A."},
		{"their subject, if their name is blank", "name", map[string]any{"name": "\u3164\u2800\uffa0"}, "anna"},
		{"in few words", "name", map[string]any{"name": strings.Repeat("x", 5000)}, strings.Repeat("x", access.MaxName-3) + "…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, p := openWithProvider(t, pebbletest.Open(t), func(c *session.Provider) { c.NameClaim = tt.claim })
			for name, value := range tt.claims {
				p.Claim(name, value)
			}
			b := newBrowser(t)
			if a := b.arrive(d.Sessions, b.leave(d.Sessions, "")); a.err != nil || a.person.Name != tt.want || a.person.ID != access.Subject(p.Issuer, "anna") {
				t.Errorf("signed in is %+v, want %q", a, tt.want)
			}
		})
	}
}

func TestASubjectThatCannotBeTold(t *testing.T) {
	for _, subject := range []any{nil, "", "an\u200bna", "anna\n", strings.Repeat("x", 201)} {
		d, p := openWithProvider(t, pebbletest.Open(t))
		p.Claim("sub", subject)
		b := newBrowser(t)
		b.arrive(d.Sessions, b.leave(d.Sessions, "")).refused(t, "expected a claim sub")
	}
}

func TestAProviderThatIsDownKeepsNobodyElseOut(t *testing.T) {
	p := oidctest.New(t)
	p.Down(true)
	d := openDesk(t, pebbletest.Open(t), func(o *session.Options) {
		o.Provider = &session.Provider{Issuer: p.Issuer, ClientID: oidctest.ClientID, ClientSecret: oidctest.ClientSecret, RedirectURL: callback,
			Roles: map[string]access.Role{"recoup-viewer": access.Viewer}}
	})
	p.Claim("roles", "recoup-viewer")
	begin := func() error { return d.Begin(httptest.NewRecorder(), with("")) }
	if err := begin(); err == nil || errors.As(err, new(*session.Denied)) || !strings.Contains(err.Error(), p.Issuer) {
		t.Fatalf("going to a provider that is down: %v, want an error that blames the provider", err)
	}
	_, text := d.key("Vera", scope.Read)
	token, vera := d.signIn(text)
	d.sent(d.Sessions, token, vera)

	// It is not asked by everybody who waits for it.
	asked := p.Asked()
	for range 10 {
		if err := begin(); err == nil {
			t.Fatal("the provider is down")
		}
	}
	if got := p.Asked(); got != asked {
		t.Errorf("within a second it was asked %d times more", got-asked)
	}

	// And it is asked again, once it may be back.
	p.Down(false)
	d.pass(time.Second)
	b := newBrowser(t)
	back := b.leave(d.Sessions, "")
	p.Down(true)
	if a := b.arrive(d.Sessions, back); a.err == nil || errors.As(a.err, new(*session.Denied)) {
		t.Errorf("coming back from a provider that is down: %v", a.err)
	}
	p.Down(false)
	if a := b.arrive(d.Sessions, b.leave(d.Sessions, "")); a.err != nil {
		t.Errorf("once it is up: %v", a.err)
	}
}

func TestWithoutAProvider(t *testing.T) {
	d := openDesk(t, pebbletest.Open(t))
	if err := d.Begin(httptest.NewRecorder(), with("")); !errors.Is(err, session.ErrNoProvider) {
		t.Errorf("going to no provider: %v", err)
	}
	if _, _, err := d.Callback(httptest.NewRecorder(), with("")); !errors.Is(err, session.ErrNoProvider) {
		t.Errorf("coming back from no provider: %v", err)
	}
	if got := d.ProviderName(); got != "" {
		t.Errorf("no provider is called %q", got)
	}
}

func TestProvidersThatMakeNoSense(t *testing.T) {
	d := openDesk(t, pebbletest.Open(t))
	good := session.Provider{Issuer: "https://id.example.com/realms/x", ClientID: "recoup", RedirectURL: callback, Roles: map[string]access.Role{"staff": access.Viewer}}
	o := d.options
	o.Provider = &good
	s, err := session.New(o)
	if err != nil {
		t.Fatal(err) // nobody asks the provider yet
	}
	if got := s.ProviderName(); got != "id.example.com" {
		t.Errorf("the provider is called %q", got)
	}
	for _, tt := range []struct {
		change func(*session.Provider)
		want   string
	}{
		{func(p *session.Provider) { p.Issuer = "" }, "issuer of the provider: expected an address"},
		{func(p *session.Provider) { p.Issuer = "id.example.com" }, "issuer of the provider: expected an address"},
		{func(p *session.Provider) { p.Issuer = "http://id.example.com" }, "issuer of the provider: expected https"},
		{func(p *session.Provider) { p.Issuer = "https://x:y@id.example.com" }, "issuer of the provider: expected an address"},
		{func(p *session.Provider) { p.RedirectURL = "" }, "redirect URL of the provider: expected an address"},
		{func(p *session.Provider) { p.RedirectURL = "http://recoup.example.com/console/x" }, "redirect URL of the provider: expected https"},
		{func(p *session.Provider) { p.RedirectURL = "https://recoup.example.com/callback" }, "expected a page below /console/"},
		{func(p *session.Provider) { p.RedirectURL = "https://recoup.example.com/console/../x" }, "expected a page below /console/"},
		{func(p *session.Provider) { p.ClientID = "" }, "expected the client id"},
		{func(p *session.Provider) { p.Roles = nil }, "expected a role for at least one value of the claim roles"},
		{func(p *session.Provider) { p.Roles = map[string]access.Role{"staff": 0} }, `the value "staff" of the claim roles stands for no role`},
	} {
		bad := good
		tt.change(&bad)
		o.Provider = &bad
		if _, err := session.New(o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q in the error", bad, err, tt.want)
		}
	}
}

// A session that one provider gave is none where another signs people in, whoever has the
// same subject there.
func TestAnotherProvidersPeopleAreOthers(t *testing.T) {
	db := pebbletest.Open(t)
	d, p := openWithProvider(t, db)
	b := newBrowser(t)
	first := b.arrive(d.Sessions, b.leave(d.Sessions, ""))
	next, q := openWithProvider(t, db)
	c := newBrowser(t)
	second := c.arrive(next.Sessions, c.leave(next.Sessions, ""))
	if first.err != nil || second.err != nil || p.Issuer == q.Issuer || first.person.ID == second.person.ID {
		t.Fatalf("two providers have one person: %+v, %+v", first, second)
	}
	d.sent(d.Sessions, first.token, first.person)
	d.nobody(next.Sessions, first.token, "a session of another provider")
	next.sent(next.Sessions, second.token, second.person)
}
