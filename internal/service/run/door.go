package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"recoup/internal/service/access"
	"recoup/internal/service/server"
)

// doorkeeper lets in who has an API key.
type doorkeeper struct {
	*access.Keys
	rates *access.Rates
}

// Authenticate implements server.Authenticator.
func (k *doorkeeper) Authenticate(ctx context.Context, header string) (server.Principal, error) {
	p, err := k.Keys.Authenticate(ctx, header)
	if refusal := access.Refusal(0); errors.As(err, &refusal) {
		return server.Principal{ID: p.ID, Name: p.Name}, fmt.Errorf("%w: %w", server.ErrUnauthenticated, refusal)
	}
	if err != nil {
		return server.Principal{}, err
	}
	if _, ok := k.rates.Take(&p, time.Now()); !ok {
		return server.Principal{}, server.ErrRate
	}
	return server.Principal{ID: p.ID, Name: p.Name, Scopes: p.Scopes, Limits: &p.Limits}, nil
}
