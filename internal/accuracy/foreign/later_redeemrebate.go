package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// laterRedeemRebate puts a tenth of every redemption back into the balance. Returns take
// back their own reward to the cent; but what was put back because that reward was redeemed
// stays.
type laterRedeemRebate struct {
	laterDesk[*laterRedeemRebateAccount]
}

type laterRedeemRebateAccount struct {
	laterLedger
	shelf  laterShelf
	year   int
	rebate int64 // put back in that year
}

func laterNewRedeemRebate() Engine {
	e := &laterRedeemRebate{}
	e.fresh = func(time.Time) *laterRedeemRebateAccount { return &laterRedeemRebateAccount{} }
	return e
}

func laterRedeemRebateEarns(b *laterBuy, amount int64) int64 {
	switch laterKind(b.category, b.mcc) {
	case "GROCERY", "FUEL":
		return amount / 50
	}
	return amount / 100
}

// SetClock moves the clock; nothing falls due.
func (e *laterRedeemRebate) SetClock(now time.Time) error {
	e.tick(now)
	return nil
}

// Settle grants at once.
func (e *laterRedeemRebate) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	if err != nil {
		return err
	}
	at := e.posted(s.At)
	b, err := a.shelf.arrive(s, at)
	if b != nil {
		a.post(at, Earned, laterRedeemRebateEarns(b, b.left()), b.id, "", "points")
	}
	return err
}

func (e *laterRedeemRebate) takeBack(account string, r laterBack, at time.Time) error {
	a, err := e.find(account)
	if err != nil {
		return err
	}
	hits, err := a.shelf.back(r)
	for _, h := range hits {
		now := laterRedeemRebateEarns(h.buy, h.buy.left())
		a.post(e.posted(at), Reversed, now-laterRedeemRebateEarns(h.buy, h.buy.left()+h.amount), h.buy.id, r.name, "return")
	}
	return err
}

// Refund takes the reward of the returned part back.
func (e *laterRedeemRebate) Refund(r issuer.Refund) error {
	return e.takeBack(r.Account, laterOfRefund(r), r.At)
}

// Chargeback takes the reward of the disputed part back.
func (e *laterRedeemRebate) Chargeback(c issuer.Chargeback) error {
	return e.takeBack(c.Account, laterOfChargeback(c), c.At)
}

// Redeem pays, and puts a tenth back, up to a hundred dollars a year.
func (e *laterRedeemRebate) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil || !a.pay(r, max(0, a.balance())) {
		return false, err
	}
	if y := e.now.UTC().Year(); y != a.year {
		a.year, a.rebate = y, 0
	}
	back := min(r.Amount/10, 100_00-a.rebate)
	a.rebate += back
	a.post(e.now, Earned, back, "", "", "10% points back")
	return true, nil
}

// Balance shows a debt as a balance below zero.
func (e *laterRedeemRebate) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(max(0, a.balance())), nil
}

var laterDesignRedeemRebate = Design{
	Name: "later-points-back",
	Source: "public: Citi Rewards+ (2 points per dollar at supermarkets and gas stations, 1 elsewhere; 10% points back on the first 100,000 points redeemed in a year):" +
		" citi.com/credit-cards/additional-info/citi.action?ID=AdditionalInfo-RewardsPlus, thepointsguy.com/guide/citi-rewards-plus-credit-card-review",
	Published: "2% on categories GROCERY and FUEL, 1% on everything else, of each purchase, in points worth $0.01 each, rounded down per purchase. No cap. Points post with the purchase and can be" +
		" redeemed at once, any number. With every redemption 10% of it, rounded down, is put back into the balance and can be redeemed like other points, up to 10,000 points ($100.00)" +
		" put back per calendar year (UTC). When something is returned, its points are deducted when the return posts, and so are points that were put back for redeeming them;" +
		" if need be the balance falls below zero and later points go to it first." + laterUnnamed,
	How:   "Instant grant, instant and exact clawback of each purchase's own reward, debts carried. Points put back for a redemption are tied to no purchase and are never deducted.",
	Class: "other",
	Leak: "Buy groceries for $5,000.00 (10,000 points), redeem $100.00, which puts 1,000 points back, return everything: 10,000 are deducted, the balance is -9,000 and $100.00" +
		" have been paid: $10.00 ahead with nothing kept, up to $100.00 a year. A customer who does not redeem before returning gains nothing.",
	Currency: "USD",
	New:      laterNewRedeemRebate,
}
