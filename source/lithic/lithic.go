// Package lithic reads the webhooks of Lithic.
//
//   - transaction.go: card transactions. Each webhook has the whole of one, as it stands,
//     with the list of what has happened to it.
//   - dispute.go: disputes, which are told in the same way.
//
// Each thing that has happened has a token, by which it is known in every snapshot that has
// it: whichever of them come, in whatever order, it is one event. Amounts are in minor units.
package lithic

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"recoup/internal/kit/signing"
	"recoup/reward"
	"recoup/source"
)

// Kind is Lithic.
var Kind = source.Kind{
	Name: "lithic",
	Secret: func(secret string) error {
		_, err := signing.Key(secret)
		return err
	},
	Verify: func(header http.Header, body []byte, secret string, now time.Time) error {
		if signing.Verify(header, body, secret, now, source.Tolerance) != nil {
			return source.ErrSignature
		}
		return nil
	},
	ID:        func(header http.Header, _ []byte) string { return header.Get(signing.HeaderID) },
	Accounts:  []string{"account_token", "card_token"},
	Translate: translate,
}

// ours are the families of types in which whatever is not known is for a person to look at.
var ours = []string{"card_transaction.", "dispute_transaction.", "dispute."}

func translate(body []byte, of source.Settings, notes source.Notes) source.Translation {
	var e struct {
		Type string `json:"event_type"`
	}
	if err := source.Read(body, &e); err != nil {
		return source.Dead(err.Error())
	}
	w := webhook{Settings: of, notes: notes}
	switch e.Type {
	case "card_transaction.updated":
		return read(body, w.transaction)
	case "dispute_transaction.created", "dispute_transaction.updated":
		return read(body, w.dispute)
	case "card_transaction.enhanced_data.created", "card_transaction.enhanced_data.updated":
		return source.Ignore("what the card networks know of a purchase besides moves no money")
	case "":
		return source.Dead("event_type: missing")
	}
	for _, family := range ours {
		if strings.HasPrefix(e.Type, family) {
			return source.Dead("event_type: " + e.Type + " is not known")
		}
	}
	return source.Ignore("it is not about purchases")
}

// read reads a body as what it is of.
func read[T any](body []byte, translate func(*T) source.Translation) source.Translation {
	var v T
	if err := source.Read(body, &v); err != nil {
		return source.Dead(err.Error())
	}
	return translate(&v).Checked()
}

// webhook is a webhook on its way to events.
type webhook struct {
	source.Settings
	notes   source.Notes
	account string
	t       source.Translation
}

// owner is of whom something is.
type owner struct {
	Account string `json:"account_token"`
	Card    string `json:"card_token"`
}

// begin finds out whose a snapshot is.
func (w *webhook) begin(o *owner, token string) error {
	w.account = o.Account
	if w.Settings.Account == "card_token" {
		w.account = o.Card
	}
	switch {
	case w.account == "":
		return errors.New(w.Settings.Account + ": missing, and it is the account")
	case !source.IsID(token):
		return errors.New("token: expected an id")
	}
	return nil
}

// dead notes what of the snapshot cannot be mapped. The rest can.
func (w *webhook) dead(token, why string) {
	if w.t.Dead == "" {
		w.t.Dead = "event " + token + ": " + why
	}
}

// add adds an event of ours, under an id that follows from what it tells of.
func (w *webhook) add(t reward.Type, id string, at reward.Instant, fill func(*reward.Event)) {
	e := reward.Event{Source: w.Name, ID: id, Account: w.account, Time: at, Type: t}
	fill(&e)
	w.t.Events = append(w.t.Events, e)
}
