package server_test

import (
	"context"
	"sync/atomic"

	"recoup/internal/service/server"
	"recoup/reward"
)

// gated is an applier that, while it is closed, says that it was reached and
// applies nothing until it is opened.
type gated struct {
	server.Applier
	closed        atomic.Bool
	reached, open chan struct{}
}

func (g *gated) Apply(ctx context.Context, events []reward.Event, results []reward.Result) ([]reward.Result, error) {
	if g.closed.Load() {
		select {
		case g.reached <- struct{}{}:
		case <-g.open:
		}
		select {
		case <-g.open:
		case <-ctx.Done():
			return results, ctx.Err()
		}
	}
	return g.Applier.Apply(ctx, events, results)
}
