package overview

import (
	"context"

	"recoup/internal/console/risk"
	"recoup/reward"
)

// debtAges are the first days of the ages that debts are shown by.
var debtAges = [...]int{0, 31, 61, 91, 181}

// examine finds out how old the debts of a currency are.
func (o *Overview) examine(ctx context.Context, at reward.Instant, p *purse) (d Debts, err error) {
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
		a.Since, err = o.risk.Since(ctx, &risk.Account{ID: a.Account, Program: a.Program, Currency: a.currency, Version: a.version}, at)
		if ctx.Err() != nil {
			return d, ctx.Err()
		}
		if err != nil {
			if unreadable++; first == nil {
				first = err
			}
			continue
		}
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
	risk.Increase(&d.Ages[age].Debt, a.Debt)
	d.Debtors = append(d.Debtors, *a)
	d.Unexamined--
	d.UnexaminedDebt -= a.Debt
}
