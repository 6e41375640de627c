package session

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"recoup/internal/console/locale"
	"recoup/internal/service/access"
	"recoup/internal/store/record"
	"recoup/reward"
)

// Denied is why somebody is not signed in. Message is for them, on one line: what
// was wrong, and what to do. Cause is for the log, and may be nil: it says things
// that who asks must not learn. An error that is not Denied is a failure of the
// database or of the provider, and nobody's who asks.
type Denied struct {
	Message locale.Text // for whoever is refused
	Values  []any
	Cause   error
}

// Sentence is the message with its values.
func (d *Denied) Sentence() locale.Sentence {
	return locale.Sentence{Format: d.Message, Values: d.Values}
}

// Error returns the message and the cause, in English.
func (d *Denied) Error() string {
	if d.Cause == nil {
		return d.Sentence().String()
	}
	return d.Sentence().String() + " (" + d.Cause.Error() + ")"
}

// Unwrap returns the cause.
func (d *Denied) Unwrap() error { return d.Cause }

// maxLive is how many sessions a person may have at a time: more than anybody has
// browsers, and few enough that a program which signs in for every page it reads
// fills no disk. The oldest go.
const maxLive = 1000

// SignInWithKey exchanges an API key for a session and returns its token, for the
// cookie. The error is Denied if the key is none, or of no use to a person; ErrRate if it
// is used too often.
func (s *Sessions) SignInWithKey(ctx context.Context, key string) (token string, p Person, err error) {
	principal, err := s.keys.Authenticate(ctx, "Bearer "+strings.TrimSpace(key))
	switch {
	case errors.As(err, new(access.Refusal)):
		// The same for every one, or who tries could find out which keys there are.
		return "", Person{}, &Denied{Message: "There is no such API key in force. A key begins with rk_ and is 59 characters long.", Cause: err}
	case err != nil:
		return "", Person{}, fmt.Errorf("looking for the key: %w", err)
	}
	if _, ok := s.rates.Take(&principal, s.now()); !ok {
		return "", Person{}, ErrRate
	}
	p, ok := personOf(principal)
	switch {
	case principal.Confined():
		return "", Person{}, &Denied{Message: "This API key is for some accounts alone, and the console shows all of them: sign in with one that was made without --account-prefix and --program."}
	case !ok:
		return "", Person{}, &Denied{Message: "This API key is for programs: it may not read. Make one for a person by recoup keys create --role viewer."}
	}
	return s.begin(ctx, p, nil)
}

// players are who somebody can be where no key is needed, to try what several
// people do together.
var players = map[access.Role]string{
	access.Viewer: "Vera", access.Operator: "Oscar", access.Approver: "Anna", access.Administrator: "Ada",
}

// SignInAs makes a session of a person with the role, who is the same for everybody
// that asks: Vera (viewer), Oscar (operator), Anna (approver), Ada (admin). It is
// for a service that is open; any other refuses it.
func (s *Sessions) SignInAs(ctx context.Context, role access.Role) (token string, p Person, err error) {
	name, ok := players[role]
	switch {
	case !s.open:
		return "", Person{}, &Denied{Message: "Nobody can choose a role here: sign in with an API key."}
	case !ok:
		return "", Person{}, &Denied{Message: "There is no such role: expected viewer, operator, approver or admin."}
	}
	return s.begin(ctx, Person{
		ID: playing + role.String(), Name: fmt.Sprintf("%s (%v)", name, role), Role: role, Scopes: role.Scopes(),
	}, nil)
}

// proof is what a provider gave besides who somebody is.
type proof struct{ sid, refresh string }

// begin makes a session, and makes room for it: what has expired goes, and what
// one person has too many of. from is nil of whom no provider sent.
func (s *Sessions) begin(ctx context.Context, p Person, from *proof) (string, Person, error) {
	t := newToken()
	err := s.records.Change(ctx, func(tx record.Tx) error {
		now := s.now()
		if err := removeExpired(ctx, tx, reward.At(now)); err != nil {
			return err
		}
		if err := removeOldest(ctx, tx, p.ID, maxLive-1); err != nil {
			return err
		}
		kept := row{
			Person: p.ID, Name: p.Name, Scopes: p.Scopes.String(),
			Created: int64(reward.At(now)), Expires: int64(reward.At(now.Add(s.lifetime))),
		}
		if from != nil {
			kept.Sid, kept.Confirmed, kept.Due = from.sid, kept.Created, int64(reward.At(now.Add(s.refresh)))
			if from.refresh != "" {
				kept.Refresh = t.close(from.refresh)
			}
		}
		return write(tx, t.id(), &kept)
	})
	if err != nil {
		return "", Person{}, fmt.Errorf("storing the session: %w", err)
	}
	return t.String(), p, nil
}

// SignOut ends the session of a request, in all processes, at once. Without a
// session it does nothing.
func (s *Sessions) SignOut(ctx context.Context, r *http.Request) error {
	t, ok := s.tokenOf(r)
	if !ok {
		return nil
	}
	return s.end(ctx, t.id())
}

// end ends a session, if it is there.
func (s *Sessions) end(ctx context.Context, id string) error {
	err := s.records.Change(ctx, func(tx record.Tx) error {
		row, ok, err := sessions.Get(ctx, tx, id)
		if ok {
			placeOf(id, &row).remove(tx)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("ending the session: %w", err)
	}
	return nil
}
