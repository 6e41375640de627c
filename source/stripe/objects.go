package stripe

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recoup/reward"
	"recoup/source"
)

// envelope is what every webhook has.
type envelope struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Created int64  `json:"created"`
}

// id is a reference to another object: its id, or the object itself where it is expanded.
type id string

// UnmarshalJSONFrom reads either.
func (i *id) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == jsontext.KindBeginObject {
		var object struct {
			ID string `json:"id"`
		}
		if err := json.UnmarshalDecode(d, &object); err != nil {
			return err
		}
		*i = id(object.ID)
		return nil
	}
	var text string
	err := json.UnmarshalDecode(d, &text)
	*i = id(text)
	return err
}

// card is a reference to a card, which says whose it is where it is expanded, as it always is
// in an authorisation.
type card struct{ id, holder id }

// UnmarshalJSONFrom reads an id or the card itself.
func (c *card) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() != jsontext.KindBeginObject {
		return json.UnmarshalDecode(d, &c.id)
	}
	var object struct {
		ID     id `json:"id"`
		Holder id `json:"cardholder"`
	}
	err := json.UnmarshalDecode(d, &object)
	c.id, c.holder = object.ID, object.Holder
	return err
}

// owner is of whom an object is.
type owner struct {
	Card       card              `json:"card"`
	Cardholder id                `json:"cardholder"` // may be null
	Metadata   map[string]string `json:"metadata"`
}

// metadata begins the account fields that the issuer fills in itself.
const metadata = "metadata."

// account is the account of an object by the field that is it.
func (o *owner) account(field string) (string, error) {
	var account string
	switch field {
	case "card":
		account = string(o.Card.id)
	case "cardholder":
		account = string(cmp.Or(o.Cardholder, o.Card.holder))
	default:
		account = o.Metadata[strings.TrimPrefix(field, metadata)]
	}
	if account == "" {
		return "", errors.New(field + ": missing, and it is the account")
	}
	return account, nil
}

// merchant is where a card was used.
type merchant struct {
	NetworkID string `json:"network_id"`
	Code      string `json:"category_code"`
}

// money is an amount of an object and where it was spent.
type money struct {
	Amount   int64    `json:"amount"`
	Currency string   `json:"currency"`
	Merchant merchant `json:"merchant_data"`
	Abroad   int64    `json:"merchant_amount"`
	Foreign  string   `json:"merchant_currency"`
}

// odd are currencies whose smallest unit at Stripe is not the minor unit of ISO 4217.
var odd = []string{"ISK", "MGA", "UGX"}

// fill gives an event the amount, which is above zero, its currency and the merchant.
func (m *money) fill(e *reward.Event, amount int64) error {
	currency, err := currencyOf(m.Currency)
	e.HasAmount, e.Amount, e.Currency = true, amount, currency
	e.Merchant, e.MCC = m.Merchant.NetworkID, source.MCC(m.Merchant.Code)
	return err
}

// abroad gives an event what it is of in the currency of the merchant.
func (m *money) abroad(e *reward.Event) {
	if _, err := currencyOf(m.Foreign); err == nil {
		source.Abroad(e, m.Abroad, m.Foreign)
	}
}

// currencyOf is a currency in which amounts are minor units.
func currencyOf(code string) (string, error) {
	currency, err := source.Currency(code)
	switch {
	case err != nil:
		return "", fmt.Errorf("currency: %w", err)
	case slices.Contains(odd, currency):
		return "", fmt.Errorf("currency: Stripe counts %s in other units than ISO 4217", currency)
	}
	return currency, nil
}

// lastSecond is the last that an event may be of.
var lastSecond = int64(reward.LatestInstant / 1e9)

// instant is a time of Stripe's, in seconds since 1970.
func instant(seconds int64) (reward.Instant, error) {
	if seconds <= 0 || seconds > lastSecond {
		return 0, errors.New("created: expected seconds since 1970")
	}
	return reward.Instant(seconds * 1e9), nil
}
