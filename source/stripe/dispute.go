package stripe

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/reward"
	"recoup/source"
)

// dispute is an issuing.dispute. It does not say whose it is.
type dispute struct {
	ID          string            `json:"id"`
	Transaction id                `json:"transaction"`
	Amount      int64             `json:"amount"`
	Currency    string            `json:"currency"`
	Status      string            `json:"status"`
	Movements   *[]jsontext.Value `json:"balance_transactions"`
}

// reinstated tells that a dispute has given money back, for now or for good.
func (w *webhook) reinstated() source.Translation {
	return w.dispute(reward.ChargebackPosted)
}

// rescinded tells that it has taken it again.
func (w *webhook) rescinded() source.Translation {
	return w.dispute(reward.ChargebackReversed)
}

// closed tells how a dispute ended. One that is won has given money back, of which there is
// an event of its own; one that is lost gives nothing, so whatever it gave is undone, also
// where the event that says so was never sent.
func (w *webhook) closed() source.Translation {
	d, err := read[dispute](w)
	switch {
	case err != nil:
		return source.Dead(err.Error())
	case d.Status == "won":
		return source.Ignore("what a dispute has won is told when funds are reinstated")
	case d.Status != "lost" && d.Status != "expired":
		return source.Dead("status: expected won, lost or expired")
	case d.Movements != nil && len(*d.Movements) == 0:
		return source.Ignore("the dispute never moved funds")
	}
	return w.dispute(reward.ChargebackReversed)
}

// dispute is an event about the chargeback that a dispute is.
func (w *webhook) dispute(t reward.Type) source.Translation {
	d, err := read[dispute](w)
	switch {
	case err != nil:
		return source.Dead(err.Error())
	case !source.IsID(d.ID) || !source.IsID(string(d.Transaction)):
		return source.Dead("id, transaction: expected ids")
	}
	key := captureKey(string(d.Transaction))
	currency, account, known := strings.Cut(w.notes(key), " ")
	if !known {
		return source.Wait(key, "no capture has come of the transaction that is disputed, and it alone says whose it is")
	}
	e := w.event(t, account, w.at)
	e.Fact = w.Prefixed(d.ID)
	if t == reward.ChargebackPosted {
		if !strings.EqualFold(d.Currency, currency) {
			return source.Dead("currency: expected that of the transaction, " + currency)
		}
		if d.Amount <= 0 {
			return source.Dead("amount: expected more than zero")
		}
		e.Transaction, e.HasAmount, e.Amount = w.Prefixed(string(d.Transaction)), true, d.Amount
	}
	return source.Translation{Events: []reward.Event{e}}
}
