package console

import (
	"cmp"
	"net/http"

	"recoup/internal/console/locale"
	"recoup/internal/kit/tabular"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// transactionPage is a purchase, from its authorisation to what became of its
// reward.
type transactionPage struct {
	Account string
	reward.Units
	*reward.Detail
	// Missing: the purchase is not there, and the moments are of what names it.
	Missing bool
	Program string
	Terms   *reward.Program // by which cycles begin; nil: not known
	Moments []moment
	Cut     bool // there is more than was read
	// Customer is what can be told of it; nil: it has not posted.
	Customer *customerText
}

// mostBetween is how many postings between a purchase's first and last are looked
// through for redemptions.
const mostBetween = 500

func (c *Console) transaction(v *visit) error {
	account, err := c.accountAsked(v, "account")
	if err != nil {
		return err
	}
	id := v.id("id")
	t, ok, err := c.ledger.Transaction(v.ctx(), account.Account, id)
	if err != nil {
		return err
	}
	history, cut, err := c.ledger.TransactionHistory(v.ctx(), account.Account, id)
	if err != nil {
		return err
	}
	if !ok && len(history) == 0 {
		return refuse(http.StatusNotFound, "There is no such purchase", "The account has none of this id, and nothing that names it.")
	}
	body := transactionPage{Account: account.Account, Units: account.Units, Detail: &t, Missing: !ok, Program: account.Program}
	body.Terms, _ = c.programs.Get(account.Program)
	redemptions, unread, err := c.redemptionsBetween(v, &account, history, id)
	if err != nil {
		return err
	}
	body.Cut = cut || unread
	told := v.telling(&account)
	told.Merchant = func(string) string { return t.Merchant }
	for i := range history {
		// What the ledger took between two events of the purchase is shown there.
		for len(redemptions) > 0 && len(history[i].Postings) > 0 && redemptions[0].Number < history[i].Postings[0].Number {
			body.Moments = append(body.Moments, redemptionMoment(v.locale, &redemptions[0], told))
			redemptions = redemptions[1:]
		}
		body.Moments = append(body.Moments, momentOfEvent(v.locale, &history[i], id, told))
	}
	if ok && t.Settled != 0 {
		body.Customer = &customerText{Says: v.toCustomer(&account, &t)}
		for i := range body.Moments {
			body.Customer.add(body.Moments[i].Changes)
		}
	}
	return v.show("transaction", "accounts", v.locale.Sprintf("Purchase %s", tabular.Visible(id)), body)
}

// redemptionsBetween are the payouts after a purchase earned its reward and before
// it was taken back, in order: they are why a balance falls below zero. If unread is
// true, there may be more.
func (c *Console) redemptionsBetween(v *visit, account *durable.AccountView, history []durable.LoggedView, id string) (list []reward.Posting, unread bool, err error) {
	var first, last int64 // postings of the purchase
	var latest int64      // the event of the last
	for i := range history {
		for j := range history[i].Postings {
			if p := &history[i].Postings[j]; p.Transaction == id {
				first, last, latest = cmp.Or(first, p.Number), p.Number, history[i].Number
			}
		}
	}
	if first == last {
		return nil, false, nil
	}
	entries, err := c.ledger.EntriesFrom(v.ctx(), account.Account, latest, mostBetween)
	if err != nil {
		return nil, false, err
	}
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].Number > first && entries[i].Number < last && entries[i].Kind == reward.RedemptionPaid {
			list = append(list, entries[i])
		}
	}
	return list, len(entries) == mostBetween && entries[len(entries)-1].Number > first+1, nil
}

// redemptionMoment tells a payout that was made from all of the balance.
func redemptionMoment(l *locale.Locale, p *reward.Posting, told reward.Telling) moment {
	return moment{
		At: p.At, What: "Redeemed, from all of the balance", Tone: "blue",
		Changes: []balanceChange{{*p, explained(l, p, told), false}},
	}
}
