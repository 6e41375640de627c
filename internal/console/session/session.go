// Package session signs people in to the console and says, of every request, who
// sent it.
//
// Somebody shows an API key once, or comes back from an OpenID Connect provider,
// and gets a cookie with 256 random bits in exchange. The database has their
// SHA-256 alone, with whose they are and until when: a copy of the database signs
// nobody in, and whoever signs out is out, in every process. What is behind a
// session is looked at again with every request: one whose key was revoked ends
// with the key.
//
// A cookie comes along with every request that a browser makes, whoever has it
// make it. So a form that changes something carries a second proof, that it is from
// a page of this service; see Protect.
package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"recoup/internal/service/access"
	"recoup/internal/service/scope"
	"recoup/internal/store/record"
	"recoup/reward"
)

// Path is what all pages of the console are below. It begins and ends with a slash.
// Cookies are sent to these and to nothing else, unless TLS is sure: see HostPrefix.
const Path = "/console/"

// Keys are the API keys that people sign in with; access.Keys are.
type Keys interface {
	Authenticate(ctx context.Context, header string) (access.Principal, error)
	Holder(ctx context.Context, id string) (access.Principal, error)
}

// Options are what sessions are made of. All but those said to be optional must be
// there.
type Options struct {
	Records record.Store
	Keys    Keys
	Now     func() time.Time // nil: time.Now
	// Lifetime is how long a session lasts. 0: 12 hours.
	Lifetime time.Duration
	// Idle is how long a session lasts that is not used. 0: DefaultIdle.
	Idle time.Duration
	// Refresh is how often a provider is asked again who its people are. 0: DefaultRefresh.
	Refresh time.Duration
	// NameOf returns the name of the person whose a provider's person is; ok is false if
	// nobody said whose. Optional.
	NameOf func(ctx context.Context, id string) (name string, ok bool, err error)
	// Rates keep keys to their rates, with what they are used for besides. nil: the
	// sessions' own.
	Rates *access.Rates
	// Secure has browsers send the cookies over TLS alone. It must be set wherever
	// the console is reached by https, be it through a proxy.
	Secure bool
	// Open lets in everybody, as admin, and lets people try the roles: for a service
	// that answers on a loopback address alone.
	Open bool
	// Provider signs people in besides keys. Optional.
	Provider *Provider
}

// Sessions are who is signed in to the console of a database. It is safe for
// concurrent use, and any number of processes may share the database.
type Sessions struct {
	records  record.Store
	keys     Keys
	now      func() time.Time
	lifetime time.Duration
	idle     time.Duration
	refresh  time.Duration
	nameOf   func(ctx context.Context, id string) (name string, ok bool, err error)
	rates    *access.Rates
	secure   bool
	open     bool
	stranger token // stands in for a session where none is needed
	provider *provider
}

// The bounds of a lifetime: sessions end within a working day or so, whatever is
// configured, and not before a page was read.
const (
	DefaultLifetime = 12 * time.Hour
	DefaultIdle     = time.Hour
	MinLifetime     = time.Minute
	MaxLifetime     = 30 * 24 * time.Hour
)

// New returns the sessions of a database. It fails if
// something is missing or makes no sense; whether the provider is up is not asked.
func New(o Options) (*Sessions, error) {
	if o.Records == nil || o.Keys == nil {
		return nil, errors.New("sessions: expected a database and keys")
	}
	s := &Sessions{
		records: o.Records, keys: o.Keys, now: o.Now, secure: o.Secure, open: o.Open,
		lifetime: cmp.Or(o.Lifetime, DefaultLifetime), idle: cmp.Or(o.Idle, DefaultIdle), refresh: cmp.Or(o.Refresh, DefaultRefresh), nameOf: o.NameOf, stranger: newToken(),
		rates: cmp.Or(o.Rates, new(access.Rates)),
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.lifetime < MinLifetime || s.lifetime > MaxLifetime {
		return nil, fmt.Errorf("lifetime of a session: expected from %v to %v, found %v", MinLifetime, MaxLifetime, s.lifetime)
	}
	if s.idle < MinLifetime || s.refresh < MinLifetime {
		return nil, fmt.Errorf("how long a session lasts that is not used, and how often the provider is asked: expected %v or more, found %v and %v", MinLifetime, s.idle, s.refresh)
	}
	if o.Provider != nil {
		var err error
		if s.provider, err = newProvider(*o.Provider, s.now); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Person is who uses the console.
type Person struct {
	// ID tells people apart, and does not change from one session to the next: the
	// id of a key, access.Subject of a provider's person, "as:" and a role that is
	// played, or "dev". Whether two are the same person is asked of it, never of
	// the name.
	ID string
	// Name is what people call them, on one line, and anybody's choice.
	Name   string
	Role   access.Role
	Scopes scope.Set
}

// The kinds of people who have no key, as the beginning of their ids. The id of a
// key has no colon.
const (
	fromProvider = access.FromProvider
	playing      = "as:"
)

// developer is who everybody is where no key is needed.
var developer = Person{ID: "dev", Name: "dev", Role: access.Administrator, Scopes: scope.Admin}

// ErrRate says that the key that somebody signed in with is used more often than it may be.
var ErrRate = errors.New("the API key is used too often")

// Of says who sent a request; ok is false if nobody is signed in: there is no
// session, it has expired, or what it was given for is gone. The error is ErrRate, or
// says that the database could not be asked.
func (s *Sessions) Of(r *http.Request) (p Person, ok bool, err error) {
	if t, found := s.tokenOf(r); found {
		if p, ok, err = s.signedIn(r.Context(), t); ok || err != nil {
			return p, ok, err
		}
	}
	if s.open {
		return developer, true, nil
	}
	return Person{}, false, nil
}

// signedIn says whose session a token is, as things stand now.
func (s *Sessions) signedIn(ctx context.Context, t token) (Person, bool, error) {
	var row row
	var found bool
	err := s.records.Read(ctx, func(r record.Reader) (err error) {
		row, found, err = sessions.Get(ctx, r, t.id())
		return err
	})
	switch {
	case err != nil:
		return Person{}, false, fmt.Errorf("reading the session: %w", err)
	case !found || row.Expires <= int64(reward.At(s.now())):
		return Person{}, false, nil
	}
	if ok, err := s.seen(ctx, t, &row); err != nil || !ok {
		return Person{}, false, err
	}
	switch {
	case strings.HasPrefix(row.Person, playing):
		// The database of a service that was open may belong to one that is not.
		if !s.open {
			return Person{}, false, nil
		}
	case strings.HasPrefix(row.Person, fromProvider):
		// One that another provider sent is nobody's here.
		if s.provider == nil || !strings.HasPrefix(row.Person, access.Issued(s.provider.Issuer)) {
			return Person{}, false, nil
		}
		if ok, err := s.confirmed(ctx, t, &row); err != nil || !ok {
			return Person{}, false, err
		}
	default:
		return s.holder(ctx, row.Person)
	}
	set, err := scope.Parse(strings.Split(row.Scopes, ","))
	if err != nil {
		return Person{}, false, nil // from a later version, or damaged: it allows nothing
	}
	p, ok := personOf(access.Principal{ID: row.Person, Name: row.Name, Scopes: set})
	if ok && s.nameOf != nil {
		if name, known, err := s.nameOf(ctx, p.ID); err != nil {
			return Person{}, false, err
		} else if known {
			p.Name = name
		}
	}
	return p, ok, nil
}

// seen reports whether a session was used lately, and notes that it is now.
func (s *Sessions) seen(ctx context.Context, t token, r *row) (ok bool, err error) {
	now := int64(reward.At(s.now()))
	last := max(r.Seen, r.Created)
	switch {
	case now-last > int64(s.idle):
		return false, nil
	case now-last < int64(time.Minute):
		return true, nil
	}
	return true, s.update(ctx, t.id(), func(kept *row) { kept.Seen = now })
}

// holder is the person whose key was exchanged for a session.
func (s *Sessions) holder(ctx context.Context, id string) (Person, bool, error) {
	principal, err := s.keys.Holder(ctx, id)
	switch {
	case errors.As(err, new(access.Refusal)):
		return Person{}, false, nil
	case err != nil:
		return Person{}, false, fmt.Errorf("looking for the key of the session: %w", err)
	}
	p, ok := personOf(principal)
	if !ok {
		return Person{}, false, nil
	}
	if _, ok := s.rates.Take(&principal, s.now()); !ok {
		return Person{}, false, ErrRate
	}
	return p, true, nil
}

// personOf is a principal as a person; ok is false if they may not even look, or not at
// every account: the pages show all.
func personOf(p access.Principal) (Person, bool) {
	role, ok := access.RoleOf(p.Scopes)
	if !ok || p.Confined() {
		return Person{}, false
	}
	return Person{ID: p.ID, Name: p.Name, Role: role, Scopes: p.Scopes}, true
}
