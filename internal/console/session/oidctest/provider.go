// Package oidctest is a small OpenID Connect provider for tests: real keys, real
// signatures, codes that can be used once and want their PKCE verifier. It asks
// nobody for a password: whoever comes is signed in at once, with the claims that
// the test set.
package oidctest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"
)

// What the service under test is known by.
const (
	ClientID     = "recoup-console"
	ClientSecret = "a secret of the test"
)

// Provider is a provider on a free port of this machine. It is gone with the test.
type Provider struct {
	// Issuer is its URL.
	Issuer string

	t   testing.TB
	key *ecdsa.PrivateKey

	mu        sync.Mutex
	claims    map[string]any
	down      bool
	algorithm string
	codes     map[string]grant
	asked     int
	refreshes bool
	refresh   string // the token that is in force
	ahead     time.Duration
}

// grant is what a code stands for.
type grant struct{ challenge, nonce, redirect string }

// New starts a provider that signs everybody in as anna@example.com, whose subject is
// "anna" and who has no roles.
func New(t testing.TB) *Provider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{
		t: t, key: key, algorithm: "ES256", codes: make(map[string]grant),
		claims: map[string]any{"sub": "anna", "email": "anna@example.com", "email_verified": true},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discover)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		down := p.down
		p.asked++
		p.mu.Unlock()
		if down {
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p.Issuer = server.URL
	return p
}

// Claim sets a claim of whoever signs in from now on; nil removes it. Those that the
// provider makes itself can be set too, to be wrong: iss, aud, exp, iat and nonce.
func (p *Provider) Claim(name string, value any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims[name] = value
}

// Down has the provider answer every request with 503, or end that.
func (p *Provider) Down(down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
}

// Sign sets what tokens say they are signed with: ES256, which they are; anything
// else is a lie, and "none" leaves the signature out.
func (p *Provider) Sign(algorithm string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.algorithm = algorithm
}

// Refreshing has the provider give refresh tokens from now on, each of which can be used
// once.
func (p *Provider) Refreshing() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refreshes = true
}

// Pass has the provider's clock go ahead.
func (p *Provider) Pass(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ahead += d
}

// LogoutToken is a token by which the provider says that somebody has signed out; claims
// are added to those that it makes itself, and nil removes one.
func (p *Provider) LogoutToken(claims map[string]any) string {
	all := map[string]any{"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}, "jti": rand.Text(), "nonce": nil}
	maps.Copy(all, claims)
	return p.stamped(all)
}

// Asked returns how many requests came so far.
func (p *Provider) Asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

func (p *Provider) discover(w http.ResponseWriter, _ *http.Request) {
	p.write(w, http.StatusOK, map[string]any{
		"issuer": p.Issuer, "authorization_endpoint": p.Issuer + "/authorize", "token_endpoint": p.Issuer + "/token", "jwks_uri": p.Issuer + "/keys",
		"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"},
		"code_challenge_methods_supported":      []string{"S256"},
	})
}

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	point, err := p.key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		p.t.Error(err)
	}
	p.write(w, http.StatusOK, map[string]any{"keys": []any{map[string]string{
		"kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": "1", "x": encode(point[1:33]), "y": encode(point[33:]),
	}}})
}

// authorize signs in whoever comes, and sends them back with a code.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	back, err := url.Parse(query.Get("redirect_uri"))
	switch {
	case err != nil || back.Host == "":
		http.Error(w, "no redirect_uri", http.StatusBadRequest)
		return
	case query.Get("client_id") != ClientID, query.Get("response_type") != "code", query.Get("code_challenge_method") != "S256", query.Get("state") == "":
		http.Error(w, "not a request for a code with PKCE", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	p.mu.Lock()
	p.codes[code] = grant{query.Get("code_challenge"), query.Get("nonce"), query.Get("redirect_uri")}
	p.mu.Unlock()
	answer := back.Query()
	answer.Set("code", code)
	answer.Set("state", query.Get("state"))
	back.RawQuery = answer.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

// token exchanges a code, once, for an id token.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, ok := r.BasicAuth()
	if ok {
		id, _ = url.QueryUnescape(id)
		secret, _ = url.QueryUnescape(secret)
	} else {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	if id != ClientID || secret != ClientSecret {
		p.write(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	}
	if r.PostFormValue("grant_type") == "refresh_token" {
		p.mu.Lock()
		fits := p.refresh != "" && r.PostFormValue("refresh_token") == p.refresh
		p.mu.Unlock()
		if !fits {
			p.write(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
			return
		}
		p.tokens(w, "")
		return
	}
	p.mu.Lock()
	code := r.PostFormValue("code")
	g, known := p.codes[code]
	delete(p.codes, code)
	p.mu.Unlock()
	challenge := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !known || encode(challenge[:]) != g.challenge || r.PostFormValue("redirect_uri") != g.redirect {
		p.write(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	}
	p.tokens(w, g.nonce)
}

func (p *Provider) tokens(w http.ResponseWriter, nonce string) {
	answer := map[string]any{"access_token": "not used", "token_type": "Bearer", "expires_in": 300, "id_token": p.signed(nonce)}
	p.mu.Lock()
	if p.refreshes {
		p.refresh = rand.Text()
		answer["refresh_token"] = p.refresh
	}
	p.mu.Unlock()
	p.write(w, http.StatusOK, answer)
}

// signed is a token about whoever signs in.
func (p *Provider) signed(nonce string) string {
	p.mu.Lock()
	own := maps.Clone(p.claims)
	p.mu.Unlock()
	if _, set := own["nonce"]; !set {
		own["nonce"] = nonce
	}
	return p.stamped(own)
}

// stamped is a token with claims besides those that the provider makes itself.
func (p *Provider) stamped(own map[string]any) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now().Add(p.ahead)
	claims := map[string]any{
		"iss": p.Issuer, "aud": ClientID, "iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(),
	}
	maps.Copy(claims, own)
	maps.DeleteFunc(claims, func(_ string, value any) bool { return value == nil })
	text := p.part(map[string]any{"alg": p.algorithm, "kid": "1", "typ": "JWT"}) + "." + p.part(claims)
	if p.algorithm == "none" {
		return text + "."
	}
	digest := sha256.Sum256([]byte(text))
	x, y, err := ecdsa.Sign(rand.Reader, p.key, digest[:])
	if err != nil {
		p.t.Error(err)
	}
	var signature [64]byte
	x.FillBytes(signature[:32])
	y.FillBytes(signature[32:])
	return text + "." + encode(signature[:])
}

// part is a part of a token.
func (p *Provider) part(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		p.t.Error(err)
	}
	return encode(text)
}

func (p *Provider) write(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		p.t.Error(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(text)
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
