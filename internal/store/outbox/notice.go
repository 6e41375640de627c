package outbox

import (
	"context"

	"recoup/internal/store/record"
)

// The types of notices, as endpoints choose among them.
const (
	// RewardPosted: an event caused postings, all of which are in one notice.
	RewardPosted = "reward.posted"
	// RedemptionDenied: a redemption, its authorisation or its capture was refused by a rule.
	RedemptionDenied = "redemption.denied"
	// ReviewOpened: something is new on the review list, one notice each.
	ReviewOpened = "review.opened"
	// BalanceNegative: the balance fell from zero or more to below zero.
	BalanceNegative = "balance.negative"
	// RewardMatured: rewards of purchases have become old enough to be redeemed.
	RewardMatured = "reward.matured"
	// HoldEnded: an announced refund was not heard of again, or the hold after a statement
	// is over.
	HoldEnded = "hold.ended"
	// RedemptionAuthorized, RedemptionCaptured, RedemptionReleased: what was reserved for a
	// redemption, paid out of that, or let go again.
	RedemptionAuthorized = "redemption.authorized"
	RedemptionCaptured   = "redemption.captured"
	RedemptionReleased   = "redemption.released"
	// RedemptionExpired: what was reserved was let go by time alone.
	RedemptionExpired = "redemption.expired"
	// JournalPosted: the postings of an event, all of them, in as many notices as it takes.
	JournalPosted = "journal.posted"
	// VelocityExceeded: a purchase was returned within days of a payout after it.
	VelocityExceeded = "velocity.exceeded"
)

// NoticeTypes are those that are told to whoever names none, which is all but the journal.
var NoticeTypes = [...]string{
	RewardPosted, RedemptionDenied, ReviewOpened, BalanceNegative, RewardMatured, HoldEnded,
	RedemptionAuthorized, RedemptionCaptured, RedemptionReleased, RedemptionExpired, VelocityExceeded,
}

// Choices are the types that an endpoint may name.
var Choices = append(NoticeTypes[:], JournalPosted)

// Notice is something to tell about an event, or about what time alone has brought about.
type Notice struct {
	Event, Place  int64 // the event's number, or one of its own; and which of the notices under it this is
	Account, Type string
	Sequence      int64 // how many events the account had, the event included
	Moment        int64 // nanoseconds since 1970 of what time has brought about; 0: it is about the event
	Created       int64 // nanoseconds since 1970
	Body          []byte
}

// Write appends the deliveries of a notice, one for each of the endpoints that wants
// it, due at once.
func Write(dst []record.Record, endpoints []Endpoint, n Notice) ([]record.Record, error) {
	for i := range endpoints {
		if !endpoints[i].Wants(n.Type) {
			continue
		}
		d := Delivery{
			Endpoint: endpoints[i].ID, Event: n.Event, Place: n.Place, Account: n.Account, Type: n.Type,
			Body: n.Body, Created: n.Created, Next: n.Created,
		}
		if endpoints[i].InOrder() {
			d.Next, d.Order = 0, &Order{n.Sequence, n.Moment}
		}
		r, err := Deliveries.Record(d.Key(), &d)
		if err != nil {
			return dst, err
		}
		dst = append(dst, r)
	}
	return dst, nil
}

// Listed returns all endpoints that there are, disabled ones too, by id.
func Listed(ctx context.Context, r record.Reader) (list []Endpoint, err error) {
	err = Endpoints.Each(ctx, r, record.Span{}, func(_ string, e *Endpoint) (bool, error) {
		list = append(list, *e)
		return true, nil
	})
	return list, err
}
