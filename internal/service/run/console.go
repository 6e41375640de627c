package run

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"recoup/internal/console"
	"recoup/internal/console/session"
	"recoup/internal/service/access"
	"recoup/internal/service/approval"
	"recoup/internal/service/demo"
	"recoup/internal/service/drafts"
	"recoup/internal/service/observe"
	"recoup/internal/store/triage"
	"recoup/reward"
)

// ConsoleOptions are about the console.
type ConsoleOptions struct {
	Alone          approval.Limits // what one person may do alone
	Lifetime       time.Duration   // how long somebody stays signed in
	Idle           time.Duration   // who does nothing
	Refresh        time.Duration   // how often the identity provider is asked again
	SecureCookies  bool            // over TLS only, whatever the service itself has
	OIDC           session.Provider
	OIDCSecretFile string
	OIDCRoles      []string // VALUE=ROLE
}

// secureCookies reports whether browsers send the console's cookies over TLS alone.
func (o *Options) secureCookies() bool {
	return o.Console.SecureCookies || o.TLSCert != "" || strings.HasPrefix(o.Console.OIDC.RedirectURL, "https:")
}

// provider is the identity provider of the flags; nil: there is none.
func (o *ConsoleOptions) provider() (*session.Provider, error) {
	if o.OIDC.Issuer == "" {
		return nil, nil
	}
	p := o.OIDC
	p.Roles = make(map[string]access.Role, len(o.OIDCRoles))
	for _, pair := range o.OIDCRoles {
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
	if o.OIDCSecretFile != "" {
		secret, err := os.ReadFile(o.OIDCSecretFile)
		if err != nil {
			return nil, fmt.Errorf("--oidc-client-secret-file: %w", err)
		}
		p.ClientSecret = strings.TrimSpace(string(secret))
	}
	return &p, nil
}

// openConsole makes the pages that people look at. Keys are used there within their rates.
func (s *service) openConsole(keys *access.Keys, rates *access.Rates) (*console.Console, error) {
	o := &s.options.Console
	provider, err := o.provider()
	if err != nil {
		return nil, err
	}
	sessions, err := session.New(session.Options{
		Records: s.db, Keys: keys, Lifetime: o.Lifetime,
		Secure: s.options.secureCookies(), Open: s.options.Dev, Provider: provider,
		Idle: o.Idle, Refresh: o.Refresh, NameOf: access.NewPeople(s.db, time.Now).NameOf, Rates: rates,
	})
	if err != nil {
		return nil, err
	}
	options := console.Options{
		Ledger: s.store, Applier: s.applier, Programs: s.store.Programs(), Preview: s.preview, Overview: s.overview,
		Webhooks: s.outbox, Sources: s.sources, Sessions: sessions, Proposals: s.proposals, Triage: triage.New(s.db, time.Now), Drafts: drafts.New(s.db, time.Now), Exemptions: s.exempt,
		Open: s.options.Dev, Alone: o.Alone, Security: s.security, Budgets: s.budgets, Log: s.log, Aside: s.engine.Aside, Explain: observe.Explain,
	}
	if s.options.Demo {
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
