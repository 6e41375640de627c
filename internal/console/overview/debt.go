package overview

import (
	"context"

	"recoup/reward"
)

// debtAges are the first days of the ages that debts are shown by.
var debtAges = [...]int{0, 31, 61, 91, 181}

// How many postings of a debtor's journal are read to find out since when it
// owes: a few, and if those do not tell, many, and then no more.
var journalReach = [...]int{50, 2_000, 20_000}

// debtMemory remembers since when accounts owe, by account.
type debtMemory map[string]debtBegan

type debtBegan struct {
	version int64 // of the account, at which that was found out
	since   reward.Instant
	earlier bool
}

// examine finds out how old the debts of a currency are. What it finds out it
// adds to examined.
func (o *Overview) examine(ctx context.Context, at reward.Instant, p *purse, examined debtMemory) (d Debts, err error) {
	d = Debts{Accounts: p.owing, Unexamined: p.owing, UnexaminedDebt: p.Debt, Ages: make([]DebtAge, len(debtAges))}
	for i, from := range debtAges {
		d.Ages[i].From = from
		if i+1 < len(debtAges) {
			d.Ages[i].To = debtAges[i+1] - 1
		}
	}
	var unreadable int
	var first error
	for _, a := range p.debtors.sorted() {
		began, known := o.debts[a.Account]
		if !known || began.version != a.version {
			if began, err = o.debtBegan(ctx, &a); ctx.Err() != nil {
				return d, ctx.Err()
			}
			if err != nil {
				if unreadable++; first == nil {
					first = err
				}
				continue
			}
		}
		examined[a.Account] = began
		a.Since, a.Earlier = began.since, began.earlier
		a.Days = int(max(0, at-a.Since) / reward.Day)
		d.add(&a.Debtor)
	}
	if first != nil {
		o.options.Log.Error("the age of debts could not be found out", "currency", p.Currency.Currency, "accounts", unreadable, "error", first)
	}
	return d, nil
}

func (d *Debts) add(a *Debtor) {
	age := len(d.Ages) - 1
	for d.Ages[age].From > a.Days {
		age--
	}
	d.Ages[age].Accounts++
	increase(&d.Ages[age].Debt, a.Debt)
	d.Debtors = append(d.Debtors, *a)
	d.Unexamined--
	d.UnexaminedDebt -= a.Debt
}

// debtBegan follows an account's journal back to the posting that took its
// balance below zero.
func (o *Overview) debtBegan(ctx context.Context, a *owing) (debtBegan, error) {
	began := debtBegan{version: a.version, since: a.Latest}
	for _, reach := range journalReach {
		journal, err := o.options.Store.Entries(ctx, a.Account, 0, reach)
		if err != nil {
			return began, err
		}
		for i := range journal {
			if journal[i].Balance >= 0 {
				return began, nil
			}
			began.since = journal[i].At
		}
		if began.earlier = len(journal) == reach; !began.earlier {
			break
		}
	}
	return began, nil
}
