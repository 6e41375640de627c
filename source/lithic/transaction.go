package lithic

import (
	"slices"
	"strings"
	"time"

	"recoup/reward"
	"recoup/source"
)

// transaction is a card transaction as it stands.
type transaction struct {
	owner
	Token    string    `json:"token"`
	Created  time.Time `json:"created"`
	Status   string    `json:"status"`
	Merchant struct {
		ID  string `json:"acceptor_id"`
		MCC string `json:"mcc"`
	} `json:"merchant"`
	Events []happening `json:"events"`
}

// happening is something that has happened to a transaction.
type happening struct {
	Token    string    `json:"token"`
	Type     string    `json:"type"`
	Result   string    `json:"result"`
	Created  time.Time `json:"created"`
	Polarity string    `json:"effective_polarity"`
	Amounts  struct {
		Cardholder struct {
			Amount   int64  `json:"amount"`
			Currency string `json:"currency"`
		} `json:"cardholder"`
		Merchant struct {
			Amount   int64  `json:"amount"`
			Currency string `json:"currency"`
		} `json:"merchant"`
	} `json:"amounts"`
}

// purchaseKey is under which the currency and the clearings of a transaction are kept, for
// the disputes of it.
func purchaseKey(token string) string { return "purchase " + token }

// transaction tells what has happened to a transaction. The hold is a transaction of ours by
// itself, under Lithic's token, and so is each clearing, of which there may be several.
func (w *webhook) transaction(t *transaction) source.Translation {
	if err := w.begin(&t.owner, t.Token); err != nil {
		return source.Dead(err.Error())
	}
	if len(t.Events) == 0 {
		return source.Ignore("nothing has happened")
	}
	held := false
	var returns []credit
	kept := strings.Fields(w.notes(purchaseKey(t.Token)))
	for i := range t.Events {
		h := &t.Events[i]
		if h.Result != "APPROVED" {
			continue
		}
		m, why := h.read()
		if why != "" {
			w.dead(h.Token, why)
			continue
		}
		fill := func(e *reward.Event) {
			e.HasAmount, e.Amount, e.Currency = true, m.amount, m.currency
			e.Merchant, e.MCC = t.Merchant.ID, source.MCC(t.Merchant.MCC)
		}
		switch {
		case m.amount == 0:
			// A card was looked up, or nothing is left of what was held.
		case h.Type == "AUTHORIZATION" || h.Type == "AUTHORIZATION_ADVICE":
			held = true
			w.add(reward.TransactionAuthorized, h.Token, m.at, func(e *reward.Event) {
				fill(e)
				e.Transaction = w.Prefixed(t.Token)
			})
		case h.Type == "RETURN_REVERSAL":
			w.undo(h.Token, m, returns)
		case h.Type == "RETURN" || h.Type == "FINANCIAL_CREDIT_AUTHORIZATION" || h.Type == "CLEARING" && m.credit:
			returns = append(returns, credit{token: h.Token, amount: m.amount})
			w.add(reward.RefundPosted, h.Token, m.at, func(e *reward.Event) {
				fill(e)
				source.Abroad(e, h.Amounts.Merchant.Amount, h.Amounts.Merchant.Currency)
				e.Fact = w.Prefixed(h.Token)
			})
		case m.credit:
			w.dead(h.Token, h.Type+": expected a debit")
		case h.Type == "CLEARING" || h.Type == "FINANCIAL_AUTHORIZATION":
			w.add(reward.TransactionSettled, h.Token, m.at, func(e *reward.Event) {
				fill(e)
				source.Abroad(e, h.Amounts.Merchant.Amount, h.Amounts.Merchant.Currency)
				e.Transaction = w.Prefixed(h.Token)
			})
			if len(kept) == 0 {
				kept = []string{m.currency}
			}
			if !slices.Contains(kept, h.Token) {
				kept = append(kept, h.Token)
			}
		}
	}
	if at, ok := source.Instant(t.Created); held && ok && slices.Contains([]string{"SETTLED", "VOIDED", "EXPIRED"}, t.Status) {
		w.add(reward.TransactionCanceled, t.Token+":released", at, func(e *reward.Event) { e.Transaction = w.Prefixed(t.Token) })
	}
	if len(kept) > 0 {
		w.t.Keep = []source.Note{{Key: purchaseKey(t.Token), Value: strings.Join(kept, " "), Account: w.account}}
	}
	if len(w.t.Events) == 0 && w.t.Dead == "" {
		return source.Ignore("nothing of it moves money or holds it")
	}
	return w.t
}

// credit is a refund of a transaction, and whether it was undone.
type credit struct {
	token  string
	amount int64
	undone bool
}

// undo tells of a return that is reversed: the first of that amount that is not yet. It is
// one of the same transaction.
func (w *webhook) undo(token string, m movement, returns []credit) {
	for i := range returns {
		if r := &returns[i]; !r.undone && r.amount == m.amount {
			r.undone = true
			w.add(reward.RefundReversed, token, m.at, func(e *reward.Event) { e.Fact = w.Prefixed(r.token) })
			return
		}
	}
	w.dead(token, "RETURN_REVERSAL: the transaction has no return of that amount")
}

// movement is what a happening moves: an amount of zero or more, to the cardholder or from
// them.
type movement struct {
	amount   int64
	currency string
	credit   bool
	at       reward.Instant
}

// moving are the types that hold money or move it.
var moving = []string{
	"AUTHORIZATION", "AUTHORIZATION_ADVICE", "CLEARING", "FINANCIAL_AUTHORIZATION",
	"RETURN", "RETURN_REVERSAL", "FINANCIAL_CREDIT_AUTHORIZATION",
}

// silent are those of which nothing follows: what is held is seen by the status, and a
// refund that is announced names no purchase whose reward could be held for it.
var silent = []string{
	"AUTHORIZATION_REVERSAL", "AUTHORIZATION_EXPIRY", "BALANCE_INQUIRY", "CREDIT_AUTHORIZATION", "CREDIT_AUTHORIZATION_ADVICE",
}

// read reads what moves; why says what is wrong with it.
func (h *happening) read() (m movement, why string) {
	if slices.Contains(silent, h.Type) {
		return movement{}, ""
	}
	if !slices.Contains(moving, h.Type) {
		return m, h.Type + " is for a person to look at"
	}
	at, ok := source.Instant(h.Created)
	switch {
	case !ok:
		return m, "created: expected a time"
	case !source.IsID(h.Token):
		return m, "token: expected an id"
	}
	sum := h.Amounts.Cardholder
	currency, err := source.Currency(sum.Currency)
	if err != nil {
		return m, "amounts.cardholder.currency: " + err.Error()
	}
	m = movement{amount: sum.Amount, currency: currency, credit: sum.Amount < 0, at: at}
	switch {
	case sum.Amount < 0 && h.Polarity == "DEBIT":
		return m, "amounts.cardholder.amount: expected zero or more of a debit"
	case sum.Amount < 0:
		m.amount = -sum.Amount
	case h.Polarity == "CREDIT":
		m.credit = true
	}
	return m, ""
}
