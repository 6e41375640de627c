package e2e_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recoup/e2e/browser"
	"recoup/internal/console/session/oidctest"
)

// key is an API key as `recoup keys create` makes it.
type key struct{ ID, Name, Key string }

// newKey makes a key for somebody with a role.
func newKey(t testing.TB, db, role, name string, more ...string) key {
	t.Helper()
	made := command(t, append([]string{"keys", "create", "--db", db, "--role", role, "--name", name, "--output", "json"}, more...)...)
	if made.code != 0 {
		t.Fatalf("recoup keys create exits %d:\n%s", made.code, made.stderr)
	}
	var list struct{ Keys []key }
	noError(t, json.Unmarshal([]byte(made.stdout), &list))
	return list.Keys[0]
}

// enter exchanges a key for a session.
func enter(p *browser.Page, key string) {
	p.Fill("API key", key)
	p.Click("Sign in")
}

// People sign in with a key of theirs, and see and do what its role allows.
func TestConsoleSignIn(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "data")
	keys := make(map[string]key)
	for _, role := range []string{"viewer", "operator", "approver", "admin"} {
		keys[role] = newKey(t, db, role, role+" of the test")
	}
	s := serveAs(t, "--db", db, "--program", filepath.Join("..", "program", "everyday.yaml"))

	for role, may := range map[string]struct{ adjust, publish bool }{
		"viewer":   {},
		"operator": {adjust: true},
		"approver": {adjust: true},
		"admin":    {adjust: true, publish: true},
	} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			p := s.page(t, browser.Options{NoScript: role == "operator", Phone: role == "approver"})
			// Where one wanted to go is where one gets.
			p.Open("/console/programs?from=a%26b")
			p.See("Sign in with an API key of yours.")
			enter(p, keys[role].Key)
			p.At("/console/programs?from=a%26b")
			p.See(role + " of the test")

			p.Open("/console/program?id=everyday")
			button := "Try a draft"
			if may.publish {
				button = "Write a new version"
			}
			p.See(button)
			if !may.adjust {
				p.Expect(http.StatusForbidden)
			}
			p.Open("/console/adjustment/new")
			if may.adjust {
				p.See("Go on")
			} else {
				p.See("Your role does not allow this")
				p.Axe()
			}
			p.Click("Adjustments")
			p.See("Nothing waits.")
			if found := strings.Contains(strings.Join(p.Texts("a"), "\n"), "New adjustment"); found != may.adjust {
				t.Errorf("whether one is offered to adjust is %v, want %v", found, may.adjust)
			}
			for _, c := range p.Cookies() {
				if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Expires.IsZero() || strings.Contains(c.Value, keys[role].Key) {
					t.Errorf("the cookie is %v, want one that scripts and other sites do not get, that ends, without the key", c)
				}
			}

			p.Click("Sign out")
			p.See("You are signed out.")
			p.Back()
			p.See("Sign in with an API key of yours.")
		})
	}

	t.Run("a key that is none", func(t *testing.T) {
		t.Parallel()
		p := s.page(t, browser.Options{Dark: true})
		p.Open("/console/reviews?kind=conflict")
		p.Axe()
		p.Expect(http.StatusUnauthorized)
		enter(p, "rk_"+strings.Repeat("a", 56))
		p.See("There is no such API key in force.")
		if typed := p.Value("API key"); typed != "" {
			t.Errorf("the page has the key %q in it", typed)
		}
		p.Axe()
		enter(p, keys["viewer"].Key)
		p.At("/console/reviews?kind=conflict")
	})

	t.Run("a key that is revoked", func(t *testing.T) {
		t.Parallel()
		gone := newKey(t, db, "operator", "somebody who leaves")
		c := s.client(t)
		eventually(t, "the service has read the new key", func() error {
			_, _, err := c.ask(http.MethodGet, "/v1/programs", "", http.Header{"Authorization": {"Bearer " + gone.Key}}, nil)
			return err
		})
		p := s.page(t, browser.Options{})
		p.Open("/console/adjustment/new")
		enter(p, gone.Key)
		p.See("Go on")
		if end := command(t, "keys", "revoke", "--db", db, gone.ID); end.code != 0 {
			t.Fatalf("recoup keys revoke exits %d:\n%s", end.code, end.stderr)
		}
		eventually(t, "the session ends", func() error {
			if p.Reload(); strings.HasPrefix(p.URL(), "/console/sign-in?") {
				return nil
			}
			return errors.New("the page is there still")
		})
		p.Expect(http.StatusUnauthorized)
		enter(p, gone.Key)
		p.See("There is no such API key in force.")
	})
}

// People sign in at an identity provider, whose claim says who may do what.
func TestConsoleSignInAtAProvider(t *testing.T) {
	t.Parallel()
	const there = "/console/adjustments"
	t.Run("by a claim", func(t *testing.T) {
		provider := oidctest.New(t)
		p, name := atProvider(t, provider)
		p.Open(there)
		p.Axe()
		p.Expect(http.StatusUnauthorized)
		p.Click(name)
		p.See("realm.roles") // none of which Anna has
		provider.Claim("realm", map[string]any{"roles": []string{"reader", "reward-leads"}})
		p.Open(there)
		p.Click(name)
		p.At(there)
		p.See("anna@example.com")
		p.See("approver")
		p.See("New adjustment")
		// The provider is asked when somebody signs in, and not for each page.
		provider.Down(true)
		p.Reload()
		p.See("anna@example.com")
		p.Click("Sign out")
		p.See("You are signed out.")
	})
	t.Run("that does not answer", func(t *testing.T) {
		provider := oidctest.New(t)
		provider.Down(true)
		p, name := atProvider(t, provider)
		p.Open(there)
		p.Expect(http.StatusBadGateway)
		p.Click(name)
		p.See("The identity provider does not answer")
		p.See("sign in with an API key")
		p.Axe()
	})
}

// atProvider is a page of a service that has people sign in at a provider, and what
// the page calls it.
func atProvider(t testing.TB, provider *oidctest.Provider) (p *browser.Page, name string) {
	t.Helper()
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	noError(t, os.WriteFile(secret, []byte(oidctest.ClientSecret+"\n"), 0o600))
	address := freeAddress(t)
	s := serveAs(t, "--listen", address, "--db", filepath.Join(dir, "data"), "--program", filepath.Join("..", "program", "everyday.yaml"),
		"--oidc-issuer", provider.Issuer, "--oidc-client-id", oidctest.ClientID, "--oidc-client-secret-file", secret,
		"--oidc-redirect-url", "http://"+address+"/console/sign-in/callback", "--oidc-role-claim", "realm.roles", "--oidc-role", "reward-leads=approver")
	return s.page(t, browser.Options{Others: []string{provider.Issuer}}), "Sign in with " + strings.TrimPrefix(provider.Issuer, "http://")
}
