package reward_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/reward"
)

// TestWhatIsKnownTakesNothingThatIsAvailable: when every announced refund posts,
// and the statement closes, no less is available than before. So whoever redeems
// all that is available in between runs off with nothing.
func TestWhatIsKnownTakesNothingThatIsAvailable(t *testing.T) {
	ofBoth(t, func(t *rapid.T, start func(*reward.Program) player) {
		p := modes(t, rapid.Bool().Draw(t, "capped"))
		p.Timing.Grant = reward.GrantAtSettlement
		p.Refunds.FirmDays = 400
		events, announced := announcing(t, factsWithin(t, pick(t, "days", 20, 80)))
		subject := start(p)
		for _, e := range events {
			subject.play(t, e)
		}
		before := subject.account().Available
		for _, e := range announced {
			subject.play(t, e)
		}
		if after := subject.account().Available; after < before {
			t.Errorf("%d was available, %d once what was announced has posted", before, after)
		}
		subject.until(t, reward.At(time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)))
		if after := subject.account().Available; after < before {
			t.Errorf("%d was available, %d once the statements have closed", before, after)
		}
	})
}

// announcing keeps of a trace what does not wait for a purchase that never comes,
// and adds announcements at its end. It also returns the postings of these.
func announcing(t *rapid.T, trace []reward.Event) (events, announced []reward.Event) {
	var bought []reward.Event
	for _, e := range trace {
		if e.Type == reward.TransactionSettled {
			bought = append(bought, e)
		}
	}
	for _, e := range trace {
		known := e.Transaction == ""
		for _, b := range bought {
			known = known || b.Transaction == e.Transaction
		}
		if known {
			events = append(events, e)
		}
	}
	now := reward.At(time.Date(2026, 5, 25, 0, 0, 0, 0, time.UTC))
	for i, b := range bought {
		if rapid.Bool().Draw(t, "announced") {
			e := reward.Event{
				Source: "core", ID: fmt.Sprintf("p%d", i), Account: "a", Time: now, Type: reward.RefundPending,
				Fact: fmt.Sprintf("p%d", i), Transaction: b.Transaction, Amount: 1 + b.Amount*3/int64(pick(t, "share", 3, 4, 2)), HasAmount: true, Currency: "USD",
			}
			events = append(events, e)
			e.ID += "-posted"
			e.Type = reward.RefundPosted
			announced = append(announced, e)
		}
	}
	return events, announced
}
