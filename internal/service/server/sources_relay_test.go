package server_test

import (
	"context"
	"testing"

	"recoup/internal/service/access"
	"recoup/internal/service/scope"
	"recoup/internal/service/server"
)

// limitedKeys lets keys in whose names are what they are limited to.
type limitedKeys map[string]*access.Limits

func (k limitedKeys) Authenticate(_ context.Context, header string) (server.Principal, error) {
	name := header[len("Bearer "):]
	limits, there := k[name]
	if !there {
		return server.Principal{}, server.ErrUnauthenticated
	}
	p := server.Principal{ID: "key-" + name, Name: name, Scopes: scope.Ingest | scope.Read}
	if limits != nil {
		p.Limits = limits
	}
	if name == "reader" {
		p.Scopes = scope.Read
	}
	return p, nil
}

// TestAWebhookIsHandedOnWithAKey: who has a key for the source need not have the signature,
// which is of another time by then; nobody else gets by without.
func TestAWebhookIsHandedOnWithAKey(t *testing.T) {
	p := newProcessor(t, func(o *server.Options) {
		o.Authenticator = limitedKeys{
			"all": nil, "read": nil, "reader": nil, "stripe": {Sources: []string{"stripe"}}, "lithic": {Sources: []string{"lithic"}}, "some": {Accounts: []string{"ich_"}},
		}
	})
	bought := stripeTransaction("evt_1", "ipi_1", "capture", -10000)
	hand := func(key string, headers ...string) *answer {
		return p.call(key, "POST", "/v1/sources/stripe", "application/json", bought, headers...)
	}
	hand("").fails(401, "unsigned")
	hand("nobody").fails(401, "unauthenticated")
	hand("reader").fails(403, "scope_missing")
	hand("lithic").fails(403, "source_refused")
	hand("some").fails(403, "account_refused")
	p.get("/v1/accounts/ich_1").fails(404, "account_unknown")
	hand("stripe").status200().has("events", "1")
	hand("all", "Stripe-Signature", "t=1,v1=00").status200().has("events", "1")
	p.post(bought).status200().has("events", "1")
	p.get("/v1/accounts/ich_1").status200().has("balance", "500")
	p.call("all", "POST", "/v1/sources/other", "application/json", bought).fails(404, "not_found")
}
