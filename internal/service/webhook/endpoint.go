package webhook

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
)

// Endpoint is where deliveries go.
type Endpoint struct {
	ID  string
	URL string
	// Types are the types of notices that it wants; none for all.
	Types    []string
	Created  time.Time
	Disabled time.Time // zero: it is not
	Due      int64     // deliveries that are or will be tried, see MostCounted
	Dead     int64     // deliveries that were given up, see MostCounted
	Askers   []Asker   // who cannot enable it, see Alteration.By
}

func shown(e *outbox.Endpoint) Endpoint {
	s := Endpoint{ID: e.ID, URL: e.URL, Types: e.Types, Created: moment(e.Created), Askers: e.Askers}
	if e.Disabled != 0 {
		s.Disabled = moment(e.Disabled)
	}
	return s
}

// Add adds an endpoint that wants notices of the types, or of all if there are
// none, and returns it with its secret, which is not shown again. From then on
// the store writes deliveries for it.
func (o *Outbox) Add(ctx context.Context, address string, types []string, allowPrivate bool) (Endpoint, string, error) {
	return o.add(ctx, nil, address, types, allowPrivate)
}

// Propose adds an endpoint as Add does, disabled until somebody else than who proposes it
// enables it.
func (o *Outbox) Propose(ctx context.Context, by Asker, address string, types []string, allowPrivate bool) (Endpoint, string, error) {
	return o.add(ctx, &by, address, types, allowPrivate)
}

func (o *Outbox) add(ctx context.Context, by *Asker, address string, types []string, allowPrivate bool) (Endpoint, string, error) {
	if err := checkURL(address, allowPrivate); err != nil {
		return Endpoint{}, "", &InvalidError{"url", err}
	}
	if err := checkTypes(types); err != nil {
		return Endpoint{}, "", err
	}
	secret := newSecret()
	e := outbox.Endpoint{
		ID: "ep_" + strings.ToLower(rand.Text()[:16]), URL: address, Types: distinct(types),
		Created: o.now().UnixNano(),
	}
	if by != nil {
		ask(&e, *by, e.Created)
	}
	if err := o.lock(&e, keyring{{secret: secret}}); err != nil {
		return Endpoint{}, "", err
	}
	err := o.home.Change(ctx, func(tx record.Tx) error { return outbox.Endpoints.Put(tx, e.ID, &e) })
	if err != nil {
		return Endpoint{}, "", fmt.Errorf("adding an endpoint: %w", err)
	}
	return shown(&e), secret, nil
}

// InvalidError says what of an endpoint cannot be so.
type InvalidError struct {
	Member string // url or types
	Err    error
}

// Error says what was expected.
func (e *InvalidError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *InvalidError) Unwrap() error { return e.Err }

func checkTypes(types []string) error {
	for _, t := range types {
		if !slices.Contains(outbox.Choices, t) {
			return &InvalidError{"types", fmt.Errorf("type %q: expected one of %s", t, strings.Join(outbox.Choices, ", "))}
		}
	}
	return nil
}

// distinct are the types of an endpoint as they are kept.
func distinct(types []string) []string { return slices.Compact(slices.Sorted(slices.Values(types))) }

// Alteration is what is to be different about an endpoint. What is nil stays.
type Alteration struct {
	URL      *string
	Types    *[]string // none for all
	Disabled *bool
	// By is who changes it. With another address, or types that it was not told before, it
	// is disabled, and only somebody who asked for none of that enables it again. nil: who
	// may do so alone.
	By *Asker
}

// Alter changes an endpoint, all of it or nothing. What was written for it is delivered to
// its new address, signed with the same secret. The error is ErrSamePerson if By asked for
// what is to be enabled.
func (o *Outbox) Alter(ctx context.Context, id string, a Alteration, allowPrivate bool) error {
	if a.URL != nil {
		if err := checkURL(*a.URL, allowPrivate); err != nil {
			return &InvalidError{"url", err}
		}
	}
	if a.Types != nil {
		if err := checkTypes(*a.Types); err != nil {
			return err
		}
	}
	now := o.now().UnixNano()
	return o.change(ctx, "changing", id, func(r record.Reader, e *outbox.Endpoint) error {
		if a.URL != nil && *a.URL != e.URL {
			before := e.InOrder()
			e.URL, e.Askers = *a.URL, nil // who asked for the old one asked for nothing of this
			if before != e.InOrder() {
				return &InvalidError{"url", errors.New("expected an address of the kind that it has, a topic or a server: what waits lies in another order; add another endpoint")}
			}
			if a.By != nil {
				ask(e, *a.By, now)
			}
		}
		if a.Types != nil {
			types := distinct(*a.Types)
			if a.By != nil && wider(types, e.Types) {
				ask(e, *a.By, now)
			}
			e.Types = types
		}
		switch {
		case a.Disabled == nil:
		case *a.Disabled:
			e.Disabled = cmp.Or(e.Disabled, now)
		default:
			if err := agree(ctx, r, e, a.By); err != nil {
				return err
			}
			e.Disabled = 0
		}
		return nil
	})
}

// List returns all endpoints, the oldest first, with what waits for them.
func (o *Outbox) List(ctx context.Context) ([]Endpoint, error) {
	kept, err := o.listed(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing endpoints: %w", err)
	}
	list := make([]Endpoint, len(kept))
	for i := range kept {
		list[i] = shown(&kept[i])
	}
	slices.SortFunc(list, func(x, y Endpoint) int {
		return cmp.Or(x.Created.Compare(y.Created), cmp.Compare(x.ID, y.ID))
	})
	if err := o.count(ctx, list); err != nil {
		return nil, fmt.Errorf("counting what waits for endpoints: %w", err)
	}
	return list, nil
}

// listed returns all endpoints as they are kept.
func (o *Outbox) listed(ctx context.Context) (list []outbox.Endpoint, err error) {
	err = o.home.Read(ctx, func(r record.Reader) error {
		list, err = outbox.Listed(ctx, r)
		return err
	})
	return list, err
}

// Endpoint returns one endpoint, with what waits for it.
func (o *Outbox) Endpoint(ctx context.Context, id string) (Endpoint, error) {
	var e outbox.Endpoint
	var ok bool
	err := o.home.Read(ctx, func(r record.Reader) (err error) {
		e, ok, err = outbox.Endpoints.Get(ctx, r, id)
		return err
	})
	if err == nil && !ok {
		return Endpoint{}, unknownEndpoint(id)
	}
	one := []Endpoint{shown(&e)}
	if err == nil {
		err = o.count(ctx, one)
	}
	if err != nil {
		return Endpoint{}, fmt.Errorf("reading endpoint %s: %w", id, err)
	}
	return one[0], nil
}

// Rotate gives an endpoint a new secret and returns it; it is not shown again.
// For as long as the overlap deliveries are signed with the old secret as well,
// so that the receiver can change over at leisure. No overlap stops the old one
// at once, as a secret that has leaked wants it.
func (o *Outbox) Rotate(ctx context.Context, id string, overlap time.Duration) (string, error) {
	secret, now := newSecret(), o.now()
	err := o.change(ctx, "rotating the secret of", id, func(_ record.Reader, e *outbox.Endpoint) error {
		ring, err := o.ring(e)
		if err != nil {
			return err
		}
		return o.lock(e, ring.rotated(secret, now, overlap))
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// Disable stops an endpoint: nothing new is written for it, and what waits for
// it waits until it is enabled. Disabling it again changes nothing.
func (o *Outbox) Disable(ctx context.Context, id string) error {
	yes := true
	return o.Alter(ctx, id, Alteration{Disabled: &yes}, false)
}

// Enable starts an endpoint again, beginning with what waits for it. What
// happened while it was disabled is not told.
func (o *Outbox) Enable(ctx context.Context, id string) error {
	no := false
	return o.Alter(ctx, id, Alteration{Disabled: &no}, false)
}

// change changes an endpoint as f does, which may be run again.
func (o *Outbox) change(ctx context.Context, doing, id string, f func(record.Reader, *outbox.Endpoint) error) error {
	err := o.home.Change(ctx, func(tx record.Tx) error {
		e, ok, err := outbox.Endpoints.Get(ctx, tx, id)
		if err == nil && !ok {
			return unknownEndpoint(id)
		}
		if err == nil {
			err = f(tx, &e)
		}
		if err != nil {
			return err
		}
		return outbox.Endpoints.Put(tx, id, &e)
	})
	if err != nil && !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrSamePerson) && !errors.As(err, new(*InvalidError)) {
		return fmt.Errorf("%s endpoint %s: %w", doing, id, err)
	}
	return err
}

func unknownEndpoint(id string) error {
	return fmt.Errorf("endpoint %q: %w; `recoup webhooks list` shows those that are there", id, ErrNotFound)
}
