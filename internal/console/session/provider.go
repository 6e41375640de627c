package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"recoup/internal/service/access"
)

// Provider is an OpenID Connect provider that signs people in, and what of its
// claims counts here.
type Provider struct {
	// Issuer is the provider's URL, exactly as it calls itself; https, or http at a
	// loopback address. What else there is to know is read from it.
	Issuer string
	// ClientID and ClientSecret are what the provider knows this service by. The
	// secret is empty for a public client.
	ClientID, ClientSecret string
	// RedirectURL is where the provider sends people back to: the page of the console
	// that calls Callback, as their browsers reach it, and as the provider was told.
	RedirectURL string
	// Scopes are asked for besides openid. None: profile and email.
	Scopes []string
	// RoleClaim is the claim with a person's roles or groups: a text, or a list of
	// them. One that is within another is written with a dot, as realm_access.roles.
	// Empty: roles.
	RoleClaim string
	// Roles says which role a value of the claim stands for. Of several, the strongest
	// counts; who has none is refused.
	Roles map[string]access.Role
	// NameClaim is the claim with what people are called. Empty: email, unless the
	// provider says that it was not verified, or else name, or else sub.
	NameClaim string
}

const defaultRoleClaim = "roles"

// What is asked of a provider has bounds, as it has for anybody else's answers.
const (
	providerPatience = 10 * time.Second
	maxAnswer        = 1 << 20 // bytes
	// discoveryPause is for how long a provider that could not be reached is not
	// asked again. Everybody who waits for it meanwhile learns so at once.
	discoveryPause = time.Second
)

// provider is one that signs people in, and what it was found to be.
type provider struct {
	Provider
	now    func() time.Time
	client *http.Client

	turn   chan struct{} // holds a token while somebody uses what follows
	found  *oidc.Provider
	failed time.Time
	reason error
}

func newProvider(p Provider, now func() time.Time) (*provider, error) {
	p.RoleClaim = cmp.Or(p.RoleClaim, defaultRoleClaim)
	if len(p.Scopes) == 0 {
		p.Scopes = []string{oidc.ScopeProfile, oidc.ScopeEmail}
	}
	if err := secureURL("issuer", p.Issuer); err != nil {
		return nil, err
	}
	if err := secureURL("redirect URL", p.RedirectURL); err != nil {
		return nil, err
	}
	switch back, _ := url.Parse(p.RedirectURL); {
	case !strings.HasPrefix(path.Clean(back.Path), Path):
		return nil, fmt.Errorf("redirect URL of the provider: expected a page below %s, found %q", Path, p.RedirectURL)
	case p.ClientID == "":
		return nil, errors.New("provider: expected the client id under which it knows this service")
	case len(p.Roles) == 0:
		return nil, fmt.Errorf("provider: expected a role for at least one value of the claim %s, or nobody could sign in", p.RoleClaim)
	}
	for _, value := range slices.Sorted(maps.Keys(p.Roles)) {
		if p.Roles[value].Scopes() == 0 {
			return nil, fmt.Errorf("provider: the value %q of the claim %s stands for no role", value, p.RoleClaim)
		}
	}
	client := &http.Client{
		Timeout:   providerPatience,
		Transport: bounded{http.DefaultTransport},
		// A code and a secret are for the provider's endpoint and for nobody it
		// names in passing.
		CheckRedirect: func(_ *http.Request, via []*http.Request) error {
			if via[0].Method != http.MethodGet || len(via) >= 5 {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}
	return &provider{Provider: p, now: now, client: client, turn: make(chan struct{}, 1)}, nil
}

// secureURL refuses what is no absolute URL, or one over which others could listen.
func secureURL(what, text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.RawQuery != "" || u.Scheme != "https" && u.Scheme != "http" {
		return fmt.Errorf("%s of the provider: expected an address https://host/path, found %q", what, text)
	}
	if u.Scheme == "http" && !loopback(u.Hostname()) {
		return fmt.Errorf("%s of the provider: expected https, since anybody on the way could sign in by it: %q", what, text)
	}
	return nil
}

func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// bounded cuts answers off that are too long.
type bounded struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer.Body = http.MaxBytesReader(nil, answer.Body, maxAnswer)
	return answer, nil
}

// discovered returns what the provider says of itself. It is asked when it is first
// needed, and again as long as it does not answer: a provider that is down keeps
// nobody from signing in with a key.
func (p *provider) discovered(ctx context.Context) (*oidc.Provider, error) {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for the provider: %w", ctx.Err())
	}
	if p.found != nil {
		return p.found, nil
	}
	if since := p.now().Sub(p.failed); p.reason != nil && since >= 0 && since < discoveryPause {
		return nil, p.reason
	}
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.Issuer)
	if err != nil {
		err = fmt.Errorf("asking the provider %s how to sign in: %w", p.Issuer, err)
		if ctx.Err() == nil { // or it was the browser that left
			p.failed, p.reason = p.now(), err
		}
		return nil, err
	}
	p.found, p.reason = found, nil
	return found, nil
}

// exchange is how codes are asked for, and exchanged for tokens.
func (p *provider) exchange(found *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.ClientID, ClientSecret: p.ClientSecret, RedirectURL: p.RedirectURL,
		Endpoint: found.Endpoint(), Scopes: append([]string{oidc.ScopeOpenID}, p.Scopes...),
	}
}

// ProviderName returns what to call the provider on the page for signing in: its
// host. It is empty if there is none.
func (s *Sessions) ProviderName() string {
	if s.provider == nil {
		return ""
	}
	u, _ := url.Parse(s.provider.Issuer)
	return u.Host
}
