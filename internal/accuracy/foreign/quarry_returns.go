package foreign

import "recoup/internal/issuer"

// Refund files a refund.
func (d *quarryDesk) Refund(r issuer.Refund) error {
	if r.Amount <= 0 {
		return d.known(r.Account)
	}
	return d.back(r.Account, quarryBack{id: r.Refund, buy: r.Transaction, amount: r.Amount,
		merchant: r.Merchant, mcc: r.MCC, category: r.Category, at: d.when(r.At)})
}

// Chargeback files a dispute that was won; one of no amount is of the whole purchase.
func (d *quarryDesk) Chargeback(c issuer.Chargeback) error {
	amount := c.Amount
	if amount == 0 {
		amount = quarryAll
	}
	if amount < 0 || c.Transaction == "" && c.Amount == 0 {
		return d.known(c.Account)
	}
	return d.back(c.Account, quarryBack{id: c.Chargeback, buy: c.Transaction, amount: amount, dispute: true, at: d.when(c.At)})
}

func (d *quarryDesk) back(account string, r quarryBack) error {
	f := d.files[account]
	key := quarryBackKey{r.id, r.buy, r.amount, r.dispute}
	if f == nil {
		return errQuarryAccount
	}
	if f.seen[key] {
		return nil
	}
	f.seen[key], r.came = true, d.now
	k := len(f.backs)
	f.backs = append(f.backs, r)
	if r.buy == "" {
		f.search(k)
	} else {
		f.named[r.buy] = min(quarryAll, f.named[r.buy]+r.amount)
		if _, here := f.number[r.buy]; !here {
			f.parked = append(f.parked, k)
		}
	}
	f.book.returned(k)
	return nil
}
