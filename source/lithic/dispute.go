package lithic

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"recoup/reward"
	"recoup/source"
)

// dispute is a dispute as it stands.
type dispute struct {
	owner
	Token     string `json:"token"`
	Currency  string `json:"currency"`
	Liability struct {
		Original int64 `json:"original_amount"`
	} `json:"liability_allocation"`
	Series struct {
		Transaction string `json:"related_transaction_token"`
		Event       string `json:"related_transaction_event_token"`
	} `json:"transaction_series"`
	Events []step `json:"events"`
}

// step is something that has happened to a dispute.
type step struct {
	Token   string    `json:"token"`
	Created time.Time `json:"created"`
	Type    string    `json:"type"`
	Data    struct {
		Amount   int64  `json:"amount"`
		Action   string `json:"action"`
		Polarity string `json:"polarity"`
	} `json:"data"`
}

// claim is what a dispute has brought so far: what the network has given back, what the
// cardholder was credited with for now, and what the issuer has taken upon itself.
type claim struct{ network, provisional, writtenOff int64 }

// take adds what happened; why says what is wrong with it.
func (c *claim) take(s *step) (why string) {
	if s.Type == "WORKFLOW" {
		return ""
	}
	if s.Data.Amount < 0 || s.Data.Amount > reward.MaxAmount {
		return "amount: expected zero or more"
	}
	switch s.Type + " " + s.Data.Action + s.Data.Polarity {
	case "FINANCIAL CREDIT":
		c.network += s.Data.Amount
	case "FINANCIAL DEBIT":
		c.network -= s.Data.Amount
	case "CARDHOLDER_LIABILITY PROVISIONAL_CREDIT_GRANTED":
		c.provisional += s.Data.Amount
	case "CARDHOLDER_LIABILITY PROVISIONAL_CREDIT_REVERSED":
		c.provisional -= s.Data.Amount
	case "CARDHOLDER_LIABILITY WRITTEN_OFF":
		c.writtenOff += s.Data.Amount
	case "CARDHOLDER_LIABILITY WRITE_OFF_REVERSED":
		c.writtenOff -= s.Data.Amount
	default:
		return s.Type + " is not known"
	}
	return ""
}

// back is how much of the purchase the cardholder has back. The provisional credit and what
// then comes from the network, or is written off, are the same money.
func (c *claim) back(original int64) int64 {
	return max(0, min(original, max(c.provisional, c.network+c.writtenOff)))
}

// dispute tells what a dispute has brought, step by step. More is a chargeback of the
// difference. Less undoes those that there are, since one can only be undone whole, and has
// one of what is left take their place.
func (w *webhook) dispute(d *dispute) source.Translation {
	if err := w.begin(&d.owner, d.Token); err != nil {
		return source.Dead(err.Error())
	}
	if !source.IsID(d.Series.Transaction) {
		return source.Dead("transaction_series.related_transaction_token: missing, and it is the purchase")
	}
	key := purchaseKey(d.Series.Transaction)
	kept := strings.Fields(w.notes(key))
	if len(kept) < 2 {
		return source.Wait(key, "no clearing has come of the transaction that is disputed")
	}
	currency, purchase := kept[0], kept[1]
	switch {
	case d.Liability.Original <= 0:
		return source.Dead("liability_allocation.original_amount: expected more than zero")
	case d.Currency != currency:
		return source.Dead("currency: expected that of the transaction, " + currency)
	case slices.Contains(kept[1:], d.Series.Event):
		purchase = d.Series.Event
	case len(kept) > 2:
		return source.Dead("transaction_series.related_transaction_event_token: expected that of a clearing, since there are several")
	}
	var c claim
	var stand []string
	had := int64(0)
	for i := range d.Events {
		s := &d.Events[i]
		at, ok := source.Instant(s.Created)
		if !ok || !source.IsID(s.Token) {
			w.dead(s.Token, "expected a token and a time")
			break // what comes after it builds on it
		}
		if why := c.take(s); why != "" {
			w.dead(s.Token, why)
			break
		}
		has := c.back(d.Liability.Original)
		if has < had {
			for i, id := range stand {
				w.add(reward.ChargebackReversed, fmt.Sprintf("%s:%d", s.Token, i), at, func(e *reward.Event) { e.Fact = w.Prefixed(id) })
			}
			stand, had = nil, 0
		}
		if has > had {
			stand = append(stand, s.Token)
			w.add(reward.ChargebackPosted, s.Token, at, func(e *reward.Event) {
				e.Fact, e.Transaction = w.Prefixed(s.Token), w.Prefixed(purchase)
				e.HasAmount, e.Amount = true, has-had
			})
		}
		had = has
	}
	if len(w.t.Events) == 0 && w.t.Dead == "" {
		return source.Ignore("the dispute has moved no money")
	}
	return w.t
}
