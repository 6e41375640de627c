package stripe

import (
	"recoup/reward"
	"recoup/source"
)

// authorization is an issuing.authorization.
type authorization struct {
	ID string `json:"id"`
	owner
	money
	Approved bool   `json:"approved"`
	Status   string `json:"status"`
	Created  int64  `json:"created"`
}

// authorization tells of a hold. It is a transaction by itself, under its own id, that is
// authorised and then released: each of its captures, of which there may be several, is
// another. So it does not matter which of them comes first. Nothing is earned by it.
func (w *webhook) authorization() source.Translation {
	a, err := read[authorization](w)
	if err != nil {
		return source.Dead(err.Error())
	}
	account, err := a.account(w.Account)
	switch {
	case err != nil:
		return source.Dead(err.Error())
	case !source.IsID(a.ID):
		return source.Dead("id: expected an id")
	case !a.Approved: // it may well be closed
		return source.Ignore("it was declined")
	}
	var e reward.Event
	switch a.Status {
	case "closed", "expired", "reversed":
		e = w.event(reward.TransactionCanceled, account, w.at)
	case "pending":
		switch {
		case a.Amount == 0:
			return source.Ignore("it is of nothing, to see whether the card is good")
		case a.Amount < 0:
			return source.Dead("amount: expected what is held, above zero")
		}
		e = w.event(reward.TransactionAuthorized, account, w.at)
		if err := a.fill(&e, a.Amount); err != nil {
			return source.Dead(err.Error())
		}
	default:
		return source.Dead("status: expected pending, closed, expired or reversed")
	}
	e.Transaction = w.Prefixed(a.ID)
	return source.Translation{Events: []reward.Event{e}}
}
