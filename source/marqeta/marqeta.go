// Package marqeta reads the webhooks of Marqeta.
//
//   - signature.go: Basic authentication, and the header X-Marqeta-Signature.
//   - transaction.go: holds, purchases and refunds. Each message of the card network is a
//     transaction by itself, which may name the one that it follows.
//   - chargeback.go: money that a dispute gives back and takes again.
//
// A webhook has up to ten transactions, which need not be of one account. Amounts are in
// decimal major units.
package marqeta

import (
	"errors"
	"slices"
	"strings"
	"time"

	"recoup/reward"
	"recoup/source"
)

// Kind is Marqeta.
var Kind = source.Kind{
	Name:   "marqeta",
	Secret: checkSecret, Verify: verify,
	ID:        source.Nameless,
	Accounts:  []string{"user_token", "acting_user_token", "business_token", "card_token"},
	Translate: translate,
}

// successes are the codes of responses to what went through: as asked, in part, and without
// a word to whom it was sent.
var successes = []string{"0000", "0002", "1830"}

// batch is what a webhook has. What is not a transaction moves no money: of a chargeback's
// states those that do are transactions as well.
type batch struct {
	Transactions []transaction `json:"transactions"`
}

// transaction is a message of the card network.
type transaction struct {
	Token      string         `json:"token"`
	Type       string         `json:"type"`
	Created    time.Time      `json:"created_time"`
	Amount     source.Decimal `json:"amount"`
	CashBack   source.Decimal `json:"cash_back_amount"`
	Currency   string         `json:"currency_code"`
	Preceding  string         `json:"preceding_related_transaction_token"`
	Final      *bool          `json:"is_final_clearing"`
	User       string         `json:"user_token"`
	ActingUser string         `json:"acting_user_token"`
	Business   string         `json:"business_token"`
	Card       string         `json:"card_token"`
	Response   struct {
		Code string `json:"code"`
	} `json:"response"`
	Acceptor struct {
		MID string `json:"mid"`
		MCC string `json:"mcc"`
	} `json:"card_acceptor"`
	Chargeback struct {
		Token    string `json:"token"`
		Purchase string `json:"transaction_token"`
	} `json:"chargeback"`
}

// account is whose a transaction is, by the field that is the account.
func (t *transaction) account(field string) string {
	switch field {
	case "acting_user_token":
		return t.ActingUser
	case "business_token":
		return t.Business
	case "card_token":
		return t.Card
	}
	return t.User
}

// webhook is a webhook on its way to events.
type webhook struct {
	source.Settings
	notes source.Notebook
	t     source.Translation
}

func translate(body []byte, of source.Settings, notes source.Notes) source.Translation {
	var b batch
	if err := source.Read(body, &b); err != nil {
		return source.Dead(err.Error())
	}
	if len(b.Transactions) == 0 {
		return source.Ignore("it is not about purchases")
	}
	w := webhook{Settings: of, notes: source.Notebook{Before: notes}}
	ignored := ""
	var dead []string
	for i := range b.Transactions {
		m := message{webhook: &w, transaction: &b.Transactions[i]}
		why, err := m.tell()
		switch {
		case err != nil:
			dead = append(dead, "transaction "+m.Token+": "+err.Error())
		case why != "":
			ignored = why
		}
	}
	w.t.Keep, w.t.Dead = w.notes.Kept, strings.Join(dead, "; ")
	if len(w.t.Events) == 0 && w.t.Dead == "" {
		w.t.Ignored = ignored // what is kept of it counts for those that come later
	}
	return w.t.Checked()
}

// message is a transaction of a webhook.
type message struct {
	*webhook
	*transaction
	account  string
	at       reward.Instant
	amount   int64 // minor units
	currency string
}

// tell adds the events of a transaction, or says why there are none: it is of no interest,
// or an error that somebody is to look at.
func (m *message) tell() (ignored string, err error) {
	kind, known := kinds[m.Type]
	switch {
	case !known && slices.ContainsFunc(ours, func(family string) bool { return strings.HasPrefix(m.Type, family) }):
		return "", errors.New("type: " + m.Type + " is for a person to look at")
	case !known:
		return "it is not about purchases", nil
	case kind.silent != "":
		return kind.silent, nil
	case m.Response.Code == "":
		return "", errors.New("response.code: missing")
	case !slices.Contains(successes, m.Response.Code):
		return "it was declined", nil
	}
	if err := m.read(); err != nil {
		return "", err
	}
	return kind.tell(m)
}

// read reads what every transaction must have.
func (m *message) read() (err error) {
	m.account = m.transaction.account(m.Settings.Account)
	switch {
	case !source.IsID(m.Token):
		return errors.New("token: expected an id")
	case m.account == "":
		return errors.New(m.Settings.Account + ": missing, and it is the account")
	case m.Preceding != "" && !source.IsID(m.Preceding):
		return errors.New("preceding_related_transaction_token: expected an id")
	}
	var ok bool
	if m.at, ok = source.Instant(m.Created); !ok {
		return errors.New("created_time: expected a time")
	}
	if m.currency, err = source.Currency(m.Currency); err != nil {
		return errors.New("currency_code: " + err.Error())
	}
	if m.amount, err = m.Amount.Minor(m.currency); err != nil {
		return errors.New("amount: " + err.Error())
	}
	if m.amount < 0 {
		return errors.New("amount: expected zero or more, since the type says which way it goes")
	}
	return nil
}

// add adds an event of ours, under an id that follows from what it tells of.
func (m *message) add(t reward.Type, id string, at reward.Instant, fill func(*reward.Event)) {
	e := reward.Event{Source: m.Name, ID: id, Account: m.account, Time: at, Type: t}
	fill(&e)
	m.t.Events = append(m.t.Events, e)
}

// money gives an event an amount, and the merchant.
func (m *message) money(e *reward.Event, amount int64) {
	e.HasAmount, e.Amount, e.Currency = true, amount, m.currency
	e.Merchant, e.MCC = m.Acceptor.MID, source.MCC(m.Acceptor.MCC)
}
