// Package fidel reads the webhooks of Fidel, which sees purchases of linked cards at the
// locations of a program. A webhook is a transaction as it stands: authorised, cleared, or a
// refund, of which Fidel says the purchase where it could match one. Amounts are in decimal
// major units, below zero of a refund.
package fidel

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"recoup/reward"
	"recoup/source"
)

// Kind is Fidel.
var Kind = source.Kind{
	Name:   "fidel",
	Secret: checkSecret, Verify: verify,
	ID:       source.Nameless,
	Accounts: []string{"card.id", "accountId"}, AccountPrefix: metadata,
	Translate: translate,
}

// metadata begins the account fields that were given when the card was linked.
const metadata = "card.metadata."

// The headers of a webhook.
const (
	HeaderSignature = "X-Fidel-Signature"
	HeaderTimestamp = "X-Fidel-Timestamp" // milliseconds since 1970
)

// secrets are the key of a webhook, and on lines of their own the addresses that it was
// registered with, which are signed too. Each webhook has a key; there is one for each type.
func secrets(text string) (keys []string, address string, err error) {
	lines := strings.Fields(text)
	if len(lines) < 2 {
		return nil, "", errors.New("expected the address that the webhooks were registered with, and the key of each on a line of its own")
	}
	if u, err := url.Parse(lines[0]); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return nil, "", errors.New("expected the address that the webhooks were registered with on the first line")
	}
	return lines[1:], lines[0], nil
}

func checkSecret(text string) error {
	_, _, err := secrets(text)
	return err
}

// verify holds the signature against those of body, address and time by the keys.
func verify(header http.Header, body []byte, text string, now time.Time) error {
	keys, address, err := secrets(text)
	signatures, times := header[HeaderSignature], header[HeaderTimestamp]
	if err != nil || len(signatures) != 1 || len(times) != 1 {
		return source.ErrSignature
	}
	ms, err := strconv.ParseInt(times[0], 10, 64)
	if err != nil {
		return source.ErrSignature
	}
	if age := now.Sub(time.UnixMilli(ms)); age > source.Tolerance || age < -source.Tolerance {
		return source.ErrSignature
	}
	for _, key := range keys {
		once := digest(key, string(body)+address+times[0])
		if hmac.Equal([]byte(digest(key, once)), []byte(signatures[0])) {
			return nil
		}
	}
	return source.ErrSignature
}

func digest(key, text string) string {
	h := hmac.New(sha256.New, []byte(key))
	h.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// transaction is a transaction as it stands.
type transaction struct {
	ID       string         `json:"id"`
	Account  string         `json:"accountId"`
	Amount   source.Decimal `json:"amount"`
	Currency string         `json:"currency"`
	Created  time.Time      `json:"created"`
	Cleared  bool           `json:"cleared"`
	Original string         `json:"originalTransactionId"` // of a refund that was matched
	MCC      string         `json:"merchantCategoryCode"`
	Brand    struct {
		ID string `json:"id"`
	} `json:"brand"`
	Card *struct {
		ID       string            `json:"id"`
		Metadata map[string]string `json:"metadata"`
	} `json:"card"`
}

// account is whose a transaction is, by the field that is the account.
func (t *transaction) account(field string) string {
	switch field {
	case "card.id":
		return t.Card.ID
	case "accountId":
		return t.Account
	}
	return t.Card.Metadata[strings.TrimPrefix(field, metadata)]
}

func translate(body []byte, of source.Settings, _ source.Notes) source.Translation {
	var t transaction
	if err := source.Read(body, &t); err != nil {
		return source.Dead(err.Error())
	}
	if t.Card == nil || t.Amount == "" {
		return source.Ignore("it is not about purchases")
	}
	e, err := t.event(of)
	switch {
	case err != nil:
		return source.Dead(err.Error())
	case e.Type == 0:
		return source.Ignore("it counts when it is cleared")
	}
	return source.Translation{Events: []reward.Event{e}}.Checked()
}

// event is what a transaction tells. That it is authorised and that it is cleared are told
// of the same purchase, under one id.
func (t *transaction) event(of source.Settings) (e reward.Event, err error) {
	account := t.account(of.Account)
	at, ok := source.Instant(t.Created)
	switch {
	case !source.IsID(t.ID):
		return e, errors.New("id: expected an id")
	case account == "":
		return e, errors.New(of.Account + ": missing, and it is the account")
	case !ok:
		return e, errors.New("created: expected a time")
	case t.Original != "" && !source.IsID(t.Original):
		return e, errors.New("originalTransactionId: expected an id")
	}
	currency, err := source.Currency(t.Currency)
	if err != nil {
		return e, errors.New("currency: " + err.Error())
	}
	amount, err := t.Amount.Minor(currency)
	if err != nil {
		return e, errors.New("amount: " + err.Error())
	}
	e = reward.Event{Source: of.Name, Account: account, Time: at, HasAmount: true, Currency: currency, Merchant: t.Brand.ID, MCC: source.MCC(t.MCC)}
	switch {
	case amount == 0:
		return reward.Event{}, nil
	case amount < 0 && !t.Cleared:
		return reward.Event{}, nil
	case amount < 0:
		e.Type, e.ID, e.Amount, e.Fact = reward.RefundPosted, t.ID+":refund", -amount, of.Prefixed(t.ID)
		if t.Original != "" {
			e.Transaction, e.LinkedBy = of.Prefixed(t.Original), reward.LinkedByInference
		}
	case t.Cleared:
		e.Type, e.ID, e.Amount, e.Transaction = reward.TransactionSettled, t.ID+":cleared", amount, of.Prefixed(t.ID)
	default:
		e.Type, e.ID, e.Amount, e.Transaction = reward.TransactionAuthorized, t.ID+":auth", amount, of.Prefixed(t.ID)
	}
	return e, nil
}
