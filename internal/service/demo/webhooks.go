package demo

import (
	"context"
	"sync/atomic"
	"time"

	"recoup/internal/service/webhook"
	"recoup/internal/store/outbox"
)

// webhooks is an endpoint whose deliveries fail, so that there are some to look
// at. Its address is one of those for documentation, which a dispatcher never
// connects to.
type webhooks struct {
	outbox *webhook.Outbox
	id     string // of the endpoint, once it is there
}

const failingEndpoint = "https://192.0.2.10/recoup"

// add adds the endpoint. It wants what somebody should look at.
func (w *webhooks) add(ctx context.Context) error {
	types := []string{outbox.BalanceNegative, outbox.ReviewOpened, outbox.RedemptionDenied}
	endpoint, _, err := w.outbox.Add(ctx, failingEndpoint, types, true)
	w.id = endpoint.ID
	return err
}

// giveUp tries every delivery once, and no more, and returns how many there were.
func (w *webhooks) giveUp(ctx context.Context) (int, error) {
	endpoint, err := w.outbox.Endpoint(ctx, w.id)
	if err != nil || endpoint.Due == 0 {
		return 0, err
	}
	sending, done := context.WithCancel(ctx)
	defer done()
	var left atomic.Int64
	left.Store(endpoint.Due)
	webhook.Dispatch(sending, w.outbox, webhook.Options{
		Schedule: []time.Duration{},
		Observe: func(webhook.Attempt) {
			if left.Add(-1) == 0 {
				done()
			}
		},
	})
	return int(endpoint.Due), ctx.Err()
}
