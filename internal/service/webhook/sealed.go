package webhook

import (
	"context"
	"fmt"

	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
	"recoup/internal/store/seal"
)

// place is what the sealed secrets of an endpoint are bound to.
func place(endpoint string) string { return "endpoint " + endpoint }

// ring opens the secrets of an endpoint.
func (o *Outbox) ring(e *outbox.Endpoint) (keyring, error) {
	text, err := o.keys.Open(place(e.ID), e.Secrets)
	if err != nil {
		return nil, fmt.Errorf("the secret of endpoint %s: %w", e.ID, err)
	}
	ring, err := parseKeyring(text)
	if err != nil {
		return nil, fmt.Errorf("endpoint %s: %w", e.ID, err)
	}
	return ring, nil
}

// lock puts secrets into an endpoint, sealed if there are keys. Without any, secrets that
// were sealed before are not replaced by some that are not.
func (o *Outbox) lock(e *outbox.Endpoint, ring keyring) error {
	if id := seal.KeyOf(e.Secrets); id != "" && o.keys == nil {
		return &seal.MissingKeyError{Key: id}
	}
	e.Secrets = o.keys.Seal(place(e.ID), ring.String())
	return nil
}

// Keys returns how many endpoints have their secrets sealed under which key, by its id;
// "" is for those that are not sealed.
func (o *Outbox) Keys(ctx context.Context) (map[string]int, error) {
	list, err := o.listed(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the endpoints of webhooks: %w", err)
	}
	counts := make(map[string]int)
	for i := range list {
		counts[seal.KeyOf(list[i].Secrets)]++
	}
	return counts, nil
}

// Check reports whether the secrets of all endpoints open.
func (o *Outbox) Check(ctx context.Context) error {
	list, err := o.listed(ctx)
	if err != nil {
		return fmt.Errorf("reading the endpoints of webhooks: %w", err)
	}
	for i := range list {
		if _, err := o.ring(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

// Reseal seals the secrets of all endpoints that are not under the first of the keys yet,
// and returns how many those are.
func (o *Outbox) Reseal(ctx context.Context) (n int, err error) {
	err = o.home.Change(ctx, func(tx record.Tx) error {
		n = 0
		list, err := outbox.Listed(ctx, tx)
		if err != nil {
			return err
		}
		for i := range list {
			e := &list[i]
			if seal.KeyOf(e.Secrets) == o.keys.ID() {
				continue
			}
			ring, err := o.ring(e)
			if err == nil {
				err = o.lock(e, ring)
			}
			if err == nil {
				err = outbox.Endpoints.Put(tx, e.ID, e)
			}
			if err != nil {
				return err
			}
			n++
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("sealing the secrets of endpoints: %w", err)
	}
	return n, nil
}
