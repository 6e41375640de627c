package foreign

import (
	"recoup/internal/issuer"
)

// vendorCapOpens is a card with 5% on online purchases up to a spend per quarter. Every
// purchase remembers how much of it found room under the cap and keeps its share of what
// it earned when part of it comes back. Its flaw is the room: a return opens as much of it
// as was returned, although the purchase may have taken none.
type vendorCapOpens struct {
	vendorHouse[vendorCapAccount]
}

type vendorCapAccount struct {
	book vendorBook
	till vendorTill
	used map[int]int64 // of the cap, by quarter
}

const vendorCapRoom = 100_000

func vendorNewCapOpens() Engine {
	return &vendorCapOpens{vendorNewHouse(
		func() *vendorCapAccount { return &vendorCapAccount{used: map[int]int64{}} }, nil,
		func(a *vendorCapAccount) *vendorBook { return &a.book })}
}

// Settle gives 5% on what finds room and 1% on the rest.
func (e *vendorCapOpens) Settle(s issuer.Settlement) error {
	a, err := e.get(s.Account)
	if err != nil {
		return err
	}
	if s.Transaction == "" {
		return errVendorID
	}
	if !a.till.takes(s) {
		return nil
	}
	at := e.when(s.At)
	var five int64
	if vendorIn("ONLINE", s.Category, s.MCC) {
		q := vendorQuarterOf(at)
		five = min(s.Amount, vendorCapRoom-a.used[q])
		a.used[q] += five
	}
	reward := (five*5 + s.Amount - five) / 100
	buys := a.till.add(s, at, vendorShare(reward, 10_000, s.Amount))
	b := buys[0]
	b.mark, b.gain, b.seen = reward, reward, s.Amount
	a.book.move(e.now, reward, b.id, "", "cash back")
	e.adjust(a, buys, "")
	return nil
}

// adjust leaves each purchase the share of its reward that its net amount is of the whole,
// and gives the cap its room back.
func (e *vendorCapOpens) adjust(a *vendorCapAccount, buys []*vendorBuy, refund string) {
	for _, b := range buys {
		back := b.seen - b.net()
		if back == 0 {
			continue
		}
		b.seen = b.net()
		keep := vendorShare(b.mark, b.net(), b.amount)
		a.book.move(e.now, keep-b.gain, b.id, refund, "return")
		b.gain = keep
		if vendorIn("ONLINE", b.cat, b.mcc) {
			q := vendorQuarterOf(b.at)
			a.used[q] = min(vendorFloor0(a.used[q]-back), vendorCapRoom)
		}
	}
}

// Refund takes the purchase's share back.
func (e *vendorCapOpens) Refund(r issuer.Refund) error {
	a, err := e.get(r.Account)
	if err != nil {
		return err
	}
	if r.Refund == "" {
		return errVendorID
	}
	e.adjust(a, a.till.ret(vendorRefunded(r)), r.Refund)
	return nil
}

// Chargeback is a return.
func (e *vendorCapOpens) Chargeback(c issuer.Chargeback) error {
	a, err := e.get(c.Account)
	if err != nil {
		return err
	}
	if c.Chargeback == "" {
		return errVendorID
	}
	e.adjust(a, a.till.ret(vendorCharged(c)), c.Chargeback)
	return nil
}

// Redeem pays out from $1.00.
func (e *vendorCapOpens) Redeem(r issuer.Redemption) (bool, error) {
	b, err := e.Balance(r.Account)
	if err != nil || r.Amount < 100 {
		return false, err
	}
	return e.accts[r.Account].book.pay(r, b.Redeemable), nil
}

// Balance shows nothing to redeem below $1.00.
func (e *vendorCapOpens) Balance(account string) (issuer.Balance, error) {
	a, err := e.get(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	b := issuer.Balance{Balance: a.book.balance()}
	if b.Balance >= 100 {
		b.Redeemable = b.Balance
	}
	return b, nil
}

var vendorCapOpensDesign = Design{
	Name:   "vendor-cap-opens",
	Source: "cards with a quarterly cap; of giving the limit back when a purchase is returned: help-business.vivid.money, why was my cashback revoked",
	Published: "5% cash back on ONLINE purchases, up to $1,000.00 of them per calendar quarter (UTC, by the day of the purchase); 1% on ONLINE purchases above that and on everything else. Each purchase's cash back is rounded down to whole cents, posts at once and can be redeemed from $1.00." +
		" When you return something, the cash back that this purchase earned is taken back in proportion (what stays is rounded down to whole cents), and the part of the $1,000.00 that it had used is free again for new purchases of that quarter. A negative balance stays until it is made up." + vendorLooseTerms,
	How:      "Per purchase the reward and a counter of the cap per quarter. A return reverses the purchase's share properly, but lowers the counter by the whole returned amount even if that purchase was above the cap and had used none or little of it.",
	Class:    "other",
	Leak:     "Buy online for $1,000.00 (earns $50.00, cap full), buy for another $1,000.00 (earns $10.00) and return this one: $10.00 go, but the cap is empty. A third $1,000.00 earns $50.00 again. Net purchases of $2,000.00 promise $60.00; the customer has $100.00 and is $40.00 ahead, and again with every such round.",
	Currency: "USD",
	New:      vendorNewCapOpens,
}
