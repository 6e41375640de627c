package reward

// abroad is money in the currency of the merchant, in its minor units.
type abroad struct {
	amount   int64 // 0: not known
	currency string
}

// abroadOf is what an event says of it.
func abroadOf(e *Event) *abroad {
	if e.MerchantAmount <= 0 || e.MerchantCurrency == "" {
		return nil
	}
	return &abroad{e.MerchantAmount, e.MerchantCurrency}
}

// foreign reports whether a refund takes of a purchase what it is of it in the merchant's
// currency: both say it, in the same one. One that names items says of what it is in the
// currency that is billed.
func (t *transaction) foreign(r *refund) bool {
	return t.abroad != nil && r.abroad != nil && t.abroad.currency == r.abroad.currency && r.items == ""
}

// foreignShare is what refunds of so much abroad, for which so much was billed, take of a
// purchase together: its share, rounded up, so that refunds of all of it take all, whatever
// the exchange rate was on their days and in however many parts they come. It is at
// most the greater of what was paid and what was billed, so that it adds up.
func (t *transaction) foreignShare(back, billed int64) int64 {
	most := max(t.amount, billed)
	all := mul64(t.amount, back)
	if all.cmp(mul64(most, t.abroad.amount)) >= 0 {
		return most
	}
	share := all.quo(t.abroad.amount)
	if mul64(share, t.abroad.amount).cmp(all) < 0 {
		share++
	}
	return share
}

// share is what a refund at home takes of its purchase by itself.
func (t *transaction) share(r *refund) int64 {
	if t.foreign(r) {
		return t.foreignShare(r.abroad.amount, r.amount)
	}
	return r.amount
}

// recount brings what is at home on a posted transaction in line with a refund that has
// come home to it, of so much, or with less than zero has left. What refunds take that go
// by the merchant's currency they take together, so there all facts are added up.
func (a *Account) recount(t *transaction, more int64) {
	if t.abroad == nil {
		a.rehome(t, more, more)
		return
	}
	facts, named := a.facts(t)
	a.rehome(t, facts-t.home, named-t.link().named)
}
