package session

import (
	"bytes"
	"cmp"
	"compress/flate"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// flowCookie has, while somebody is away at the provider, what shows on their return
// that it is the browser which went.
const flowCookie = "recoup_signin"

// flowLifetime is how long somebody may be away.
const flowLifetime = 10 * time.Minute

// flow is one way to the provider and back.
type flow struct {
	state    token  // comes back in the address: the answer is to this browser's question
	nonce    token  // comes back in the signed token: so does that
	verifier token  // never in an address: a code is worth nothing to who sees it on the way
	next     string // where to, after it
}

// String writes the flow as its cookie has it.
func (f *flow) String() string {
	return strings.Join([]string{f.state.String(), f.nonce.String(), f.verifier.String(), packed(f.next)}, ".")
}

// parseFlow reads what String writes.
func parseFlow(text string) (*flow, bool) {
	parts := strings.Split(text, ".")
	if len(parts) != 4 || len(parts[3]) > maxPacked {
		return nil, false
	}
	f := &flow{}
	for i, t := range []*token{&f.state, &f.nonce, &f.verifier} {
		var ok bool
		if *t, ok = parseToken(parts[i]); !ok {
			return nil, false
		}
	}
	next, err := unpacked(parts[3])
	if err != nil || packed(next) != parts[3] || localPath(next) != next {
		return nil, false
	}
	f.next = next
	return f, true
}

// maxPacked is the longest place as a cookie has it, which holds 4096 bytes in all.
const maxPacked = 3500

// packed writes a place as a cookie has it: a long one has to be compressed to fit. One
// that does not fit leads to Path.
func packed(next string) string {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err == nil {
		_, err = io.WriteString(w, next)
	}
	if err = errors.Join(err, w.Close()); err != nil || encoding.EncodedLen(b.Len()) > maxPacked {
		return packed(Path)
	}
	return encoding.EncodeToString(b.Bytes())
}

// unpacked reads what packed writes.
func unpacked(text string) (string, error) {
	compressed, err := encoding.DecodeString(text)
	if err != nil {
		return "", err
	}
	next, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(compressed)), maxNext+1))
	return string(next), err
}

func (s *Sessions) flowOf(r *http.Request) (*flow, bool) {
	c, err := r.Cookie(s.named(flowCookie))
	if err != nil {
		return nil, false
	}
	return parseFlow(c.Value)
}

// ErrNoProvider says that none is configured.
var ErrNoProvider = errors.New("no provider is configured to sign in with")

// Begin sends somebody to the provider. If it returns an error nothing was answered
// yet: the provider cannot be reached just now, or there is none.
func (s *Sessions) Begin(w http.ResponseWriter, r *http.Request) error {
	if s.provider == nil {
		return ErrNoProvider
	}
	found, err := s.provider.discovered(r.Context())
	if err != nil {
		return err
	}
	f := &flow{state: newToken(), nonce: newToken(), verifier: newToken(), next: s.Next(r)}
	http.SetCookie(w, s.cookie(flowCookie, f.String(), flowLifetime))
	http.Redirect(w, r, s.provider.exchange(found).AuthCodeURL(f.state.String(),
		oidc.Nonce(f.nonce.String()), oauth2.S256ChallengeOption(f.verifier.String())), http.StatusSeeOther)
	return nil
}

// Callback signs in who comes back from the provider and returns the token for their
// cookie, which the caller sets; Next says where they wanted to go. The error is
// Denied if they are not to be signed in. It sets a cookie, and answers nothing: a
// way is gone once.
func (s *Sessions) Callback(w http.ResponseWriter, r *http.Request) (token string, p Person, err error) {
	if s.provider == nil {
		return "", Person{}, ErrNoProvider
	}
	http.SetCookie(w, s.cookie(flowCookie, "", -1))
	query := r.URL.Query()
	f, ok := s.flowOf(r)
	switch state := query.Get("state"); {
	case !ok:
		return "", Person{}, &Denied{Message: "This browser did not ask to sign in, or did so too long ago: sign in once more."}
	case subtle.ConstantTimeCompare([]byte(state), []byte(f.state.String())) != 1:
		return "", Person{}, &Denied{Message: "This answer is to another request to sign in: sign in once more, in one window."}
	case cmp.Or(query.Get("iss"), s.provider.Issuer) != s.provider.Issuer:
		return "", Person{}, &Denied{Message: "This answer is from another provider: sign in once more."}
	case query.Get("error") != "":
		return "", Person{}, &Denied{Message: "The provider refused: %s", Values: []any{shown(query.Get("error") + " " + query.Get("error_description"))}}
	case query.Get("code") == "":
		return "", Person{}, &Denied{Message: "The provider sent no code: sign in once more."}
	}
	claims, from, err := s.provider.redeem(r.Context(), query.Get("code"), f)
	if err != nil {
		return "", Person{}, err
	}
	if p, err = s.provider.person(claims); err != nil {
		return "", Person{}, err
	}
	return s.begin(r.Context(), p, from)
}

// redeem exchanges a code for what the provider says of who went there.
func (p *provider) redeem(ctx context.Context, code string, f *flow) (claims, *proof, error) {
	found, err := p.discovered(ctx)
	if err != nil {
		return nil, nil, err
	}
	ctx = oidc.ClientContext(ctx, p.client)
	answer, err := p.exchange(found).Exchange(ctx, code, oauth2.VerifierOption(f.verifier.String()))
	if refused := new(oauth2.RetrieveError); errors.As(err, &refused) && refused.ErrorCode == "invalid_grant" {
		return nil, nil, &Denied{Message: "The provider does not accept its answer any more: sign in once more.", Cause: err}
	} else if err != nil {
		return nil, nil, fmt.Errorf("asking the provider %s who signed in: %w", p.Issuer, err)
	}
	raw, _ := answer.Extra("id_token").(string)
	c, verified, err := p.verified(ctx, found, raw)
	if err != nil {
		return nil, nil, err
	}
	if subtle.ConstantTimeCompare([]byte(verified.Nonce), []byte(f.nonce.String())) != 1 {
		return nil, nil, unproven(errors.New("the nonce is not the one that was sent"))
	}
	if verified.AccessTokenHash != "" {
		if err := verified.VerifyAccessToken(answer.AccessToken); err != nil {
			return nil, nil, unproven(err)
		}
	}
	sid, _ := c["sid"].(string)
	return c, &proof{sid, answer.RefreshToken}, nil
}

// verified returns the claims of a token that the provider signed for this service. One
// that is for several must say that this one asked for it.
func (p *provider) verified(ctx context.Context, found *oidc.Provider, raw string) (claims, *oidc.IDToken, error) {
	token, err := found.Verifier(&oidc.Config{ClientID: p.ClientID, Now: p.now}).Verify(ctx, raw)
	if err != nil {
		return nil, nil, unproven(err)
	}
	var c claims
	if err := token.Claims(&c); err != nil {
		return nil, nil, unproven(err)
	}
	party, there := c["azp"]
	switch {
	case there && party != p.ClientID:
		return nil, nil, unproven(fmt.Errorf("the authorised party is %s", shown(fmt.Sprint(party))))
	case !there && len(token.Audience) > 1:
		return nil, nil, unproven(errors.New("it is for several, and does not say that this service asked for it"))
	}
	return c, token, nil
}

func unproven(cause error) error {
	return &Denied{Message: "What the provider sent does not prove who you are: sign in once more, and if it happens again tell whoever runs this service.", Cause: cause}
}
