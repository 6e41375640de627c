package console

import (
	"net/http"
	"slices"

	"recoup/reward"
	"recoup/store/durable"
)

// transactionPage is a purchase, from its authorisation to what became of its
// reward.
type transactionPage struct {
	Account  string
	Currency string
	durable.TransactionView
	Program string
	Moments []moment
	Cut     bool // there is more than was read
}

// mostRedemptions is how many postings between a purchase's first and last are
// looked through for redemptions.
const mostRedemptions = 500

func (c *Console) transaction(v *visit) error {
	account, err := c.accountAsked(v, "account")
	if err != nil {
		return err
	}
	id := v.r.URL.Query().Get("id")
	t, ok, err := c.ledger.Transaction(v.ctx(), account.Account, id)
	if err != nil {
		return err
	}
	if !ok {
		return refuse(http.StatusNotFound, "There is no such purchase", "The account has none of this id. Refunds that wait for it are among the reviews.")
	}
	body := transactionPage{Account: account.Account, Currency: account.Currency, TransactionView: t, Program: account.Program}
	history, cut, err := c.ledger.TransactionHistory(v.ctx(), account.Account, id)
	if err != nil {
		return err
	}
	body.Cut = cut
	var first, last int64 // postings
	for i := range history {
		body.Moments = append(body.Moments, momentOfEvent(&history[i], id, v.money(account.Currency)))
		for j := range history[i].Postings {
			if p := &history[i].Postings[j]; p.Transaction == id {
				if first == 0 {
					first = p.Number
				}
				last = p.Number
			}
		}
	}
	redemptions, err := c.redemptionsBetween(v, &account, first, last)
	if err != nil {
		return err
	}
	body.Moments = append(body.Moments, redemptions...)
	slices.SortStableFunc(body.Moments, func(a, b moment) int { return int(min(1, max(-1, a.At-b.At))) })
	return v.show("transaction", "accounts", "Purchase "+id, body)
}

// redemptionsBetween are the payouts after a purchase earned its reward and before
// it was taken back: they are why a balance falls below zero.
func (c *Console) redemptionsBetween(v *visit, account *durable.AccountView, first, last int64) (list []moment, err error) {
	if first == 0 || last <= first {
		return nil, nil
	}
	entries, err := c.ledger.Entries(v.ctx(), account.Account, last, mostRedemptions)
	if err != nil {
		return nil, err
	}
	for i := range entries {
		p := entries[i]
		if p.Number > first && p.Kind == reward.RedemptionPaid {
			list = append(list, moment{
				At: p.At, What: "Redeemed, from all of the balance", Tone: "blue",
				Changes: []balanceChange{{p, p.Explain(v.money(account.Currency)), false}},
			})
		}
	}
	return list, nil
}
