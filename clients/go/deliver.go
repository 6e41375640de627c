package recoup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// batch is how many events a request has.
const batch = 1000

// ErrUndelivered is the error of Deliver where events were not applied, whose accounts
// somebody else had locked all the time.
var ErrUndelivered = errors.New("accounts stayed locked")

// Event returns an event of an account, to be delivered. source and id name it: the same again
// is a duplicate. data has what POST /v1/events says of the type.
func Event(source, id string, kind CloudEventType, account string, at time.Time, data map[string]any) CloudEvent {
	return CloudEvent{Specversion: CloudEventSpecversionN10, Source: source, ID: id, Type: kind, Subject: account, Time: at.UTC(), Data: &data}
}

// Deliver sends events in batches, and returns what became of each, in their order. An
// event that is refused is an outcome, not an error. Those of accounts that are locked are
// sent again. If there is an error, the outcomes are of the first events; all may be sent
// again as they are, since the service recognises what it has.
func (c *Client) Deliver(ctx context.Context, events ...CloudEvent) ([]EventOutcome, error) {
	outcomes := make([]EventOutcome, 0, len(events))
	for len(events) > 0 {
		n := min(batch, len(events))
		some, err := c.deliver(ctx, events[:n])
		outcomes = append(outcomes, some...)
		if err != nil {
			return outcomes, err
		}
		events = events[n:]
	}
	return outcomes, nil
}

// deliver sends a batch, and again what of it was locked.
func (c *Client) deliver(ctx context.Context, events []CloudEvent) ([]EventOutcome, error) {
	outcomes := make([]EventOutcome, len(events))
	left := make([]int, len(events)) // places of those to be sent
	for i := range left {
		left[i] = i
	}
	for attempt := 1; ; attempt++ {
		some := make([]CloudEvent, len(left))
		for i, place := range left {
			some[i] = events[place]
		}
		body, err := json.Marshal(some)
		if err != nil {
			return nil, fmt.Errorf("events: %w", err)
		}
		answer, err := c.PostEvents(ctx, "application/cloudevents-batch+json", body)
		if err != nil {
			return nil, err
		}
		list, err := answer.AsEventOutcomeList()
		if err == nil && len(list) != len(left) {
			err = fmt.Errorf("expected %d, found %d", len(left), len(list))
		}
		if err != nil {
			return nil, fmt.Errorf("POST /v1/events: outcomes: %w", err)
		}
		var locked []int
		for i, place := range left {
			outcomes[place] = list[i]
			if list[i].Outcome == EventOutcomeOutcomeFailed && list[i].Code != nil && *list[i].Code == "account_locked" {
				locked = append(locked, place)
			}
		}
		if len(locked) == 0 {
			return outcomes, nil
		}
		wait, again := c.Retry.after(attempt, false, &Error{Problem: Problem{Status: 423}})
		if !again || c.sleep(ctx, wait) != nil {
			return outcomes, fmt.Errorf("%d events: %w", len(locked), ErrUndelivered)
		}
		left = locked
	}
}
