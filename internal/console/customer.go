package console

import (
	"recoup/internal/store/durable"
	"recoup/reward"
)

// customerText is what can be told a customer who asks: sentences as a person would say
// them, and below them the sums that they follow from.
type customerText struct {
	Says string
	Sums []any // as text has them
}

// mostSums is how many sums are given.
const mostSums = 20

// add adds the sums that postings follow from.
func (c *customerText) add(changes []balanceChange) {
	for i := range changes {
		if len(c.Sums) < mostSums {
			c.Sums = append(c.Sums, changes[i].Why)
		}
	}
}

// forCustomer tells what is under review to a customer; nil where there is no purchase to
// tell of.
func (c *Console) forCustomer(v *visit, account *durable.AccountView, body *reviewPage) *customerText {
	purchase := body.Purchase
	if purchase == nil && len(body.Placed) > 0 {
		purchase = body.Placed[0].Lies
	}
	if purchase == nil || purchase.Settled == 0 {
		return nil
	}
	text := &customerText{Says: v.toCustomer(account, purchase)}
	for i := range body.Said {
		text.add(body.Said[i].Changes)
	}
	return text
}

// toCustomer tells of a purchase and its reward as a person would, without an id and
// without who decided what.
func (v *visit) toCustomer(account *durable.AccountView, p *reward.Detail) string {
	l, spend, rewards := v.locale, v.money(account.Currency), v.money(account.Reward.Name)
	day := l.Date(p.Settled)
	text := l.Sprintf("On %s you paid %s, which earned a reward of %s.", day, spend(p.Amount), rewards(p.Original))
	if p.Merchant != "" {
		text = l.Sprintf("On %s you paid %s at %s, which earned a reward of %s.", day, spend(p.Amount), p.Merchant, rewards(p.Original))
	}
	if p.Original == 0 && p.Retained == 0 {
		text = l.Sprintf("On %s you paid %s. That purchase has earned no reward so far.", day, spend(p.Amount))
	}
	switch taken := p.Original - p.Retained; {
	case p.Reversed == 0:
		return text
	case taken <= 0:
		return l.Sprintf("%s %s of it came back to you, and your reward has stayed as it was.", text, spend(p.Reversed))
	case p.Retained == 0:
		return l.Sprintf("%s %s of it came back to you, so that reward was taken back.", text, spend(p.Reversed))
	default:
		return l.Sprintf("%s %s of it came back to you, so %s of that reward was taken back. You keep %s for what you did not return.", text, spend(p.Reversed), rewards(taken), rewards(p.Retained))
	}
}
