// Package stripe reads the webhooks of Stripe Issuing.
//
//   - signature.go: the header Stripe-Signature.
//   - objects.go: the members of Stripe's objects that count here.
//   - authorization.go: holds, which never earn.
//   - transaction.go: captures, refunds, refunds undone, and receipts.
//   - dispute.go: money that a dispute gives back and takes again.
//
// Amounts are in minor units already. What leaves the cardholder is negative.
package stripe

import (
	"net/http"
	"strings"

	"recoup/reward"
	"recoup/source"
)

// Kind is Stripe Issuing.
var Kind = source.Kind{
	Name:   "stripe",
	Secret: checkSecret, Verify: verify,
	ID: func(_ http.Header, body []byte) string {
		var e struct {
			ID string `json:"id"`
		}
		if source.Read(body, &e) != nil {
			return ""
		}
		return e.ID
	},
	Accounts: []string{"cardholder", "card"}, AccountPrefix: metadata,
	Translate: translate,
}

// ours are the families of types in which whatever is not known is for a person to look at:
// it may be about money.
var ours = []string{"issuing_authorization.", "issuing_transaction.", "issuing_dispute."}

// webhook is a webhook on its way to events.
type webhook struct {
	source.Settings
	body  []byte
	notes source.Notes
	at    reward.Instant // of Stripe's event
	id    string         // of Stripe's event
}

func translate(body []byte, of source.Settings, notes source.Notes) source.Translation {
	var e envelope
	if err := source.Read(body, &e); err != nil {
		return source.Dead(err.Error())
	}
	w := webhook{Settings: of, body: body, notes: notes, id: e.ID}
	var t source.Translation
	switch e.Type {
	case "issuing_authorization.request":
		return source.Ignore("it asks for a decision, and an event tells of that")
	case "issuing_dispute.created", "issuing_dispute.submitted", "issuing_dispute.updated":
		return source.Ignore("a dispute counts when it moves funds")
	case "issuing_transaction.created", "issuing_transaction.updated":
		t = w.of(&e, w.transaction)
	case "issuing_transaction.purchase_details_receipt_updated":
		t = w.of(&e, w.receipt)
	case "issuing_authorization.created", "issuing_authorization.updated":
		t = w.of(&e, w.authorization)
	case "issuing_dispute.funds_reinstated":
		t = w.of(&e, w.reinstated)
	case "issuing_dispute.funds_rescinded":
		t = w.of(&e, w.rescinded)
	case "issuing_dispute.closed":
		t = w.of(&e, w.closed)
	default:
		for _, family := range ours {
			if strings.HasPrefix(e.Type, family) {
				return source.Dead("type: " + e.Type + " is not known")
			}
		}
		return source.Ignore("it is not about purchases")
	}
	return t.Checked()
}

// of has what every event of ours must have, and hands it on.
func (w *webhook) of(e *envelope, translate func() source.Translation) source.Translation {
	if !source.IsID(e.ID) {
		return source.Dead("id: expected an id")
	}
	at, err := instant(e.Created)
	if err != nil {
		return source.Dead(err.Error())
	}
	w.at = at
	return translate()
}

// event is an event of this webhook, about an account, as of a moment.
func (w *webhook) event(t reward.Type, account string, at reward.Instant) reward.Event {
	return reward.Event{Source: w.Name, ID: w.id, Account: account, Time: at, Type: t}
}

// read reads the object that the webhook is about.
func read[T any](w *webhook) (object T, err error) {
	var e struct {
		Data struct {
			Object T `json:"object"`
		} `json:"data"`
	}
	err = source.Read(w.body, &e)
	return e.Data.Object, err
}
