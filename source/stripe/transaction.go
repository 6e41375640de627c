package stripe

import (
	"errors"

	"recoup/reward"
	"recoup/source"
)

// transaction is an issuing.transaction.
type transaction struct {
	ID string `json:"id"`
	owner
	money
	Type          string `json:"type"`
	Created       int64  `json:"created"`
	Authorization id     `json:"authorization"` // null where there was none
	Details       struct {
		Receipt []line `json:"receipt"`
	} `json:"purchase_details"`
}

// captureKey is under which a capture's currency and account are kept, for the disputes of
// it.
func captureKey(id string) string { return "capture " + id }

// subject is a transaction with what all that tell of one need: whose it is, and when it
// was.
func (w *webhook) subject() (t transaction, account string, at reward.Instant, err error) {
	if t, err = read[transaction](w); err != nil {
		return t, "", 0, err
	}
	if !source.IsID(t.ID) {
		return t, "", 0, errors.New("id: expected an id")
	}
	if at, err = instant(t.Created); err != nil {
		return t, "", 0, err
	}
	account, err = t.account(w.Account)
	return t, account, at, err
}

// transaction tells of money that has moved. It comes when the transaction is made and
// again whenever something of it changes, which the rules know for the same fact.
func (w *webhook) transaction() source.Translation {
	t, account, at, err := w.subject()
	switch {
	case err != nil:
		return source.Dead(err.Error())
	case t.Amount == 0:
		return source.Ignore("it is of nothing")
	case t.Type == "capture" && t.Amount < 0:
		return w.captured(&t, account, at)
	case t.Type == "capture":
		return source.Dead("amount: expected that of a capture below zero")
	case t.Type == "refund" && t.Amount > 0:
		return w.refunded(&t, account, at)
	case t.Type == "refund":
		return w.undone(&t, account)
	}
	return source.Dead("type: expected capture or refund")
}

// captured is a purchase. Each capture of an authorisation is one by itself.
func (w *webhook) captured(t *transaction, account string, at reward.Instant) source.Translation {
	e := w.event(reward.TransactionSettled, account, at)
	e.Transaction = w.Prefixed(t.ID)
	if err := t.fill(&e, -t.Amount); err != nil {
		return source.Dead(err.Error())
	}
	t.abroad(&e)
	kept := source.Notebook{Before: w.notes}
	kept.Put(captureKey(t.ID), e.Currency+" "+account, account)
	w.keepCapture(&kept, t, account)
	return source.Translation{Events: []reward.Event{e}, Keep: kept.Kept}
}

// refunded is a refund. The authorisation that it may name is a guess of Stripe's, and may
// be of another purchase: so the link to what was captured of it says who asserts it, and
// the rules believe it where it fits.
func (w *webhook) refunded(t *transaction, account string, at reward.Instant) source.Translation {
	e := w.event(reward.RefundPosted, account, at)
	e.Fact = w.Prefixed(t.ID)
	if err := t.fill(&e, t.Amount); err != nil {
		return source.Dead(err.Error())
	}
	book := w.book(account, &e)
	book.add(t.Created, t.ID)
	t.abroad(&e)
	kept := source.Notebook{Before: w.notes, Kept: book.notes(account)}
	if capture := w.guess(&kept, t, account); capture != "" {
		e.Transaction, e.LinkedBy = w.Prefixed(capture), reward.LinkedByProcessor
	}
	return source.Translation{Events: []reward.Event{e}, Keep: kept.Kept}
}

// undone is a refund that is taken back. It does not say which: of those to this account,
// from this merchant and of this amount, which are all the same to the rules, it is the
// first that is not undone.
func (w *webhook) undone(t *transaction, account string) source.Translation {
	e := w.event(reward.RefundReversed, account, w.at)
	if err := t.fill(&e, -t.Amount); err != nil {
		return source.Dead(err.Error())
	}
	book := w.book(account, &e)
	refund, ok := book.undo(t.ID)
	if !ok {
		return source.Wait(book.key, "no refund has come that this could undo: one to the same account, from the same merchant and of the same amount")
	}
	bare := w.event(reward.RefundReversed, account, w.at)
	bare.Fact = w.Prefixed(refund)
	return source.Translation{Events: []reward.Event{bare}, Keep: book.notes(account)}
}
