// Package adyen reads the transfer webhooks of Adyen's balance platform, as far as they are of
// issued cards. Each has the whole of a transfer as it stands, with the list of what has
// happened to it; each of these has an id, by which it is known in every snapshot. Amounts
// are in minor units.
package adyen

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"recoup/reward"
	"recoup/source"
)

// Kind is Adyen.
var Kind = source.Kind{
	Name:   "adyen",
	Secret: checkSecret, Verify: verify,
	ID:        source.Nameless,
	Accounts:  []string{"accountHolder", "balanceAccount", "paymentInstrument"},
	Translate: translate,
}

// Header is the header that a signature comes in.
const Header = "Hmacsignature"

func checkSecret(secret string) error {
	if key, err := hex.DecodeString(secret); err != nil || len(key) < 16 {
		return errors.New("expected the HMAC key of the webhook, which is hexadecimal")
	}
	return nil
}

// verify holds the signature against that of the body. Adyen signs no time: what a recorded
// request says is known already.
func verify(header http.Header, body []byte, secret string, _ time.Time) error {
	key, err := hex.DecodeString(secret)
	values := header[Header]
	if err != nil || len(key) < 16 || len(values) != 1 {
		return source.ErrSignature
	}
	h := hmac.New(sha256.New, key)
	h.Write(body)
	if got, err := base64.StdEncoding.DecodeString(values[0]); err != nil || !hmac.Equal(got, h.Sum(nil)) {
		return source.ErrSignature
	}
	return nil
}

// money is an amount in minor units.
type money struct {
	Currency string `json:"currency"`
	Value    int64  `json:"value"`
}

type named struct {
	ID string `json:"id"`
}

// transfer is a transfer as it stands.
type transfer struct {
	ID           string    `json:"id"`
	Category     string    `json:"category"`
	Created      time.Time `json:"creationDate"`
	Holder       named     `json:"accountHolder"`
	Balance      named     `json:"balanceAccount"`
	Instrument   named     `json:"paymentInstrument"`
	Counterparty struct {
		Merchant struct {
			ID  string `json:"merchantId"`
			MCC string `json:"mcc"`
		} `json:"merchant"`
	} `json:"counterparty"`
	Events []happening `json:"events"`
}

// happening is something that has happened to a transfer.
type happening struct {
	ID       string    `json:"id"`
	Status   string    `json:"status"`
	Booked   time.Time `json:"bookingDate"`
	Amount   money     `json:"amount"`
	Original money     `json:"originalAmount"` // in the currency of the merchant
}

// silent are the states in which no money has moved for good, or none at all.
var silent = []string{
	"received", "refused", "error", "pending", "refundPending", "capturePending", "authAdjustmentRefused", "authAdjustmentError",
	"captureFailed", "refundFailed", "captureReversalPending", "chargebackPending",
}

// account is whose a transfer is, by the field that is the account.
func (t *transfer) account(field string) string {
	switch field {
	case "balanceAccount":
		return t.Balance.ID
	case "paymentInstrument":
		return t.Instrument.ID
	}
	return t.Holder.ID
}

func translate(body []byte, of source.Settings, _ source.Notes) source.Translation {
	var w struct {
		Type string   `json:"type"`
		Data transfer `json:"data"`
	}
	if err := source.Read(body, &w); err != nil {
		return source.Dead(err.Error())
	}
	t := &w.Data
	account := t.account(of.Account)
	switch {
	case strings.HasPrefix(w.Type, "balancePlatform.dispute."):
		return source.Dead("type: " + w.Type + " is for a person to look at")
	case w.Type != "balancePlatform.transfer.created" && w.Type != "balancePlatform.transfer.updated":
		return source.Ignore("it is not about purchases")
	case t.Category != "issuedCard":
		return source.Ignore("it is not of an issued card")
	case !source.IsID(t.ID):
		return source.Dead("data.id: expected an id")
	case account == "":
		return source.Dead("data." + of.Account + ".id: missing, and it is the account")
	}
	var told source.Translation
	var dead []string
	for i := range t.Events {
		h := &t.Events[i]
		e, err := t.event(of, h)
		switch {
		case err != nil:
			dead = append(dead, "event "+h.ID+": "+err.Error())
		case e.Type != 0:
			e.Source, e.Account = of.Name, account
			told.Events = append(told.Events, e)
		}
	}
	told.Dead = strings.Join(dead, "; ")
	if len(told.Events) == 0 && told.Dead == "" {
		return source.Ignore("nothing of it moves money or holds it")
	}
	return told.Checked()
}

// event is what has happened, as an event of ours; its type is zero for what is of no
// interest. A hold is a transaction by itself, and so is each capture.
func (t *transfer) event(of source.Settings, h *happening) (e reward.Event, err error) {
	if slices.Contains(silent, h.Status) {
		return e, nil
	}
	at, ok := source.Instant(h.Booked)
	if !source.IsID(h.ID) || !ok {
		return e, errors.New("expected an id and a bookingDate")
	}
	e = reward.Event{ID: h.ID, Time: at}
	switch h.Status {
	case "cancelled", "expired", "authorisationExpired":
		e.Type, e.Transaction = reward.TransactionCanceled, of.Prefixed(t.ID)
		return e, nil
	case "authorised", "authAdjustmentAuthorised":
		e.Type, e.Transaction = reward.TransactionAuthorized, of.Prefixed(t.ID)
	case "captured":
		e.Type, e.Transaction = reward.TransactionSettled, of.Prefixed(h.ID)
	case "refunded":
		e.Type, e.Fact = reward.RefundPosted, of.Prefixed(h.ID)
	default:
		return e, errors.New("status: " + h.Status + " is for a person to look at")
	}
	currency, err := source.Currency(h.Amount.Currency)
	if err != nil {
		return e, errors.New("amount.currency: " + err.Error())
	}
	amount := max(h.Amount.Value, -h.Amount.Value)
	if amount <= 0 {
		return reward.Event{}, nil // to see whether the card is good
	}
	e.HasAmount, e.Amount, e.Currency = true, amount, currency
	e.Merchant, e.MCC = t.Counterparty.Merchant.ID, source.MCC(t.Counterparty.Merchant.MCC)
	if e.Type != reward.TransactionAuthorized {
		source.Abroad(&e, h.Original.Value, h.Original.Currency)
	}
	return e, nil
}
