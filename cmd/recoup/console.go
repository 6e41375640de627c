package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"recoup/internal/console"
	"recoup/internal/console/session"
	"recoup/internal/service/access"
	"recoup/internal/service/approval"
	"recoup/internal/service/demo"
	"recoup/internal/service/observe"
	"recoup/reward"
)

// consoleOptions are the flags of `recoup serve` that are about the console.
type consoleOptions struct {
	alone         approval.Limits
	lifetime      time.Duration
	idle, refresh time.Duration
	secureCookies bool
	oidc          session.Provider
	oidcSecret    string // file
	oidcRoles     []string
}

func (o *consoleOptions) flags(f *pflag.FlagSet) {
	o.alone.Above = 2500
	f.Var(&aboveFlag{&o.alone}, "approve-above", "amount in minor units above which an adjustment, or a decision of a review by its effect, needs a second person; CURRENCY=AMOUNT for one currency, in its own units, such as JPY=2500 or KWD=7.500; may be repeated. Several times as much may be done alone in 24 hours and in 30 days")
	f.DurationVar(&o.lifetime, "session-lifetime", session.DefaultLifetime, "how long somebody stays signed in to the console")
	f.DurationVar(&o.idle, "session-idle", session.DefaultIdle, "how long somebody stays signed in who does nothing")
	f.DurationVar(&o.refresh, "session-refresh", session.DefaultRefresh, "how often the identity provider is asked again who its people are: a role that it takes away ends within that time")
	f.BoolVar(&o.secureCookies, "secure-cookies", false, "send the console's cookies over TLS only, as is done where the service itself or --oidc-redirect-url has it; set it behind a proxy that ends TLS")
	f.StringVar(&o.oidc.Issuer, "oidc-issuer", "", "sign people in to the console at this OpenID Connect provider, besides API keys")
	f.StringVar(&o.oidc.ClientID, "oidc-client-id", "", "what the provider knows this service as")
	f.StringVar(&o.oidcSecret, "oidc-client-secret-file", "", "file with the secret that the provider gave it; none for a public client")
	f.StringVar(&o.oidc.RedirectURL, "oidc-redirect-url", "", "where the provider sends people back to: https://HOST"+console.CallbackPath)
	f.StringVar(&o.oidc.RoleClaim, "oidc-role-claim", "", "claim with a person's roles or groups, with dots for one within another (default roles)")
	f.StringVar(&o.oidc.NameClaim, "oidc-name-claim", "", "claim with what a person is called (default email, or else name, or else sub)")
	f.StringArrayVar(&o.oidc.Scopes, "oidc-scope", nil, "scope to ask the provider for besides openid, such as groups; may be repeated (default profile and email)")
	f.StringArrayVar(&o.oidcRoles, "oidc-role", nil, "VALUE=ROLE: what a value of that claim makes somebody: viewer, operator, approver or admin; may be repeated")
}

// provider is the identity provider of the flags; nil: there is none.
func (o *consoleOptions) provider() (*session.Provider, error) {
	if o.oidc.Issuer == "" {
		return nil, nil
	}
	p := o.oidc
	p.Roles = make(map[string]access.Role, len(o.oidcRoles))
	for _, pair := range o.oidcRoles {
		// A value may have an equals sign, a role has none.
		cut := strings.LastIndexByte(pair, '=')
		if cut <= 0 {
			return nil, fmt.Errorf("--oidc-role %s: expected VALUE=ROLE, such as finance=approver", pair)
		}
		role, err := access.ParseRole(pair[cut+1:])
		if err != nil {
			return nil, fmt.Errorf("--oidc-role %s: %w", pair, err)
		}
		p.Roles[pair[:cut]] = role
	}
	if o.oidcSecret != "" {
		secret, err := os.ReadFile(o.oidcSecret)
		if err != nil {
			return nil, fmt.Errorf("--oidc-client-secret-file: %w", err)
		}
		p.ClientSecret = strings.TrimSpace(string(secret))
	}
	return &p, nil
}

// openConsole makes the pages that people look at. Keys are used there within their rates.
func (s *service) openConsole(keys *access.Keys, rates *access.Rates) (*console.Console, error) {
	o := &s.options.console
	provider, err := o.provider()
	if err != nil {
		return nil, err
	}
	sessions, err := session.New(session.Options{
		Records: s.db, Keys: keys, Lifetime: o.lifetime,
		Secure: o.secureCookies || s.options.tlsCert != "" || strings.HasPrefix(o.oidc.RedirectURL, "https:"), Open: s.options.dev, Provider: provider,
		Idle: o.idle, Refresh: o.refresh, NameOf: access.NewPeople(s.db, time.Now).NameOf, Rates: rates,
	})
	if err != nil {
		return nil, err
	}
	options := console.Options{
		Ledger: s.store, Applier: s.applier, Programs: s.store.Programs(), Preview: s.preview, Overview: s.overview,
		Webhooks: s.outbox, Sessions: sessions, Proposals: s.proposals,
		Open: s.options.dev, Alone: o.alone, Security: s.security, Budgets: s.budgets, Log: s.log, Aside: s.engine.Aside, Explain: observe.Explain,
	}
	if s.options.demo {
		for _, story := range demo.Cast() {
			options.Stories = append(options.Stories, console.Story(story))
		}
	}
	return console.New(options)
}

// applyOne applies one event by the way of all.
func (s *service) applyOne(ctx context.Context, e reward.Event) (reward.Result, error) {
	results, err := s.applier.Apply(ctx, []reward.Event{e}, nil)
	if err != nil {
		return reward.Result{}, err
	}
	return results[0], nil
}
