package session

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-json-experiment/json"

	"recoup/internal/service/access"
)

// logoutEvent is what a provider says has happened, in a logout token.
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

// LoggedOut ends what sessions a provider says have ended: those of its session or, if it
// names none, of the person. It is OpenID Connect's back-channel logout: the provider
// sends the token by itself. The error is Denied if the token is not one of the provider's
// for that, and ErrNoProvider if there is none.
func (s *Sessions) LoggedOut(ctx context.Context, raw string) ([]Signed, error) {
	if s.provider == nil {
		return nil, ErrNoProvider
	}
	found, err := s.provider.discovered(ctx)
	if err != nil {
		return nil, err
	}
	if kind := typeOf(raw); kind != "" && !strings.EqualFold(kind, "logout+jwt") && !strings.EqualFold(kind, "JWT") {
		return nil, unproven(fmt.Errorf("expected a logout token, found one of type %s", shown(kind)))
	}
	ctx = oidc.ClientContext(ctx, s.provider.client)
	c, _, err := s.provider.verified(ctx, found, raw)
	if err != nil {
		return nil, err
	}
	events, _ := c["events"].(map[string]any)
	if _, is := events[logoutEvent].(map[string]any); !is {
		return nil, unproven(errors.New("it is no logout token: it has no such event"))
	}
	if _, is := c["nonce"]; is {
		return nil, unproven(errors.New("it is no logout token: it has a nonce"))
	}
	subject, _ := c["sub"].(string)
	sid, _ := c["sid"].(string)
	if subject == "" && sid == "" {
		return nil, unproven(errors.New("the logout token says neither whose session nor which"))
	}
	return endWhere(ctx, s.records, func(_ string, r *row) bool {
		return strings.HasPrefix(r.Person, access.Issued(s.provider.Issuer)) && (subject == "" || r.Person == access.Subject(s.provider.Issuer, subject)) && (sid == "" || r.Sid == sid)
	})
}

// typeOf is the type in the header of a token; "" if it says none.
func typeOf(raw string) string {
	header, _, _ := strings.Cut(raw, ".")
	text, err := base64.RawURLEncoding.DecodeString(header)
	var h struct {
		Type string `json:"typ"`
	}
	if err != nil || json.Unmarshal(text, &h) != nil {
		return ""
	}
	return h.Type
}
