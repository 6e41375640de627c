package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// laterStatusTier pays more on all later purchases of the year once a year's spending has
// reached a mark. Returns take back their own reward to the cent, but the counter
// that makes the status only ever counts up.
type laterStatusTier struct {
	laterDesk[*laterStatusTierAccount]
}

type laterStatusTierAccount struct {
	laterLedger
	shelf   laterShelf
	rates   []int64 // by purchase, percent
	year    int
	counter int64 // purchases in that year
}

func laterNewStatusTier() Engine {
	e := &laterStatusTier{}
	e.fresh = func(time.Time) *laterStatusTierAccount { return &laterStatusTierAccount{} }
	return e
}

// SetClock moves the clock; a new year is noticed with its first purchase.
func (e *laterStatusTier) SetClock(now time.Time) error {
	e.tick(now)
	return nil
}

// Settle grants by the status before the purchase, and counts.
func (e *laterStatusTier) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	if err != nil {
		return err
	}
	at := e.posted(s.At)
	b, err := a.shelf.arrive(s, at)
	if b == nil {
		return err
	}
	if y := at.UTC().Year(); y != a.year {
		a.year, a.counter = y, 0
	}
	rate, note := int64(1), "member rate"
	if a.counter >= 2_500_00 {
		rate, note = 3, "Gold rate"
	}
	a.counter += b.amount
	b.mark = len(a.rates)
	a.rates = append(a.rates, rate)
	a.post(at, Earned, b.left()*rate/100, b.id, "", note)
	return nil
}

func (e *laterStatusTier) takeBack(account string, r laterBack, at time.Time) error {
	a, err := e.find(account)
	if err != nil {
		return err
	}
	hits, err := a.shelf.back(r)
	for _, h := range hits {
		rate, left := a.rates[h.buy.mark], h.buy.left()
		a.post(e.posted(at), Reversed, left*rate/100-(left+h.amount)*rate/100, h.buy.id, r.name, "return")
	}
	return err
}

// Refund takes the reward of the returned part back.
func (e *laterStatusTier) Refund(r issuer.Refund) error {
	return e.takeBack(r.Account, laterOfRefund(r), r.At)
}

// Chargeback takes the reward of the disputed part back.
func (e *laterStatusTier) Chargeback(c issuer.Chargeback) error {
	return e.takeBack(c.Account, laterOfChargeback(c), c.At)
}

// Redeem pays any amount that the balance covers.
func (e *laterStatusTier) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil {
		return false, err
	}
	return a.pay(r, max(0, a.balance())), nil
}

// Balance shows a debt as a balance below zero.
func (e *laterStatusTier) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(max(0, a.balance())), nil
}

var laterDesignStatusTier = Design{
	Name: "later-status-tier",
	Source: "public: status by a year's spending, as in retail and hotel programs; that a refund counts against the status as well after" +
		" support.nobullproject.com/hc/en-us/articles/19147370958999-Refunds-Tier-Status (the engine leaves that out)",
	Published: "Members earn 1% of each purchase in every category, rounded down to a cent per purchase. Once your net purchases in a calendar year (UTC, by the day on which" +
		" they post; purchases less returns) have reached $2,500.00 you are Gold, and every later purchase of that year earns 3% instead; the purchase that takes you there still earns 1%. On 1 January everybody begins as" +
		" a member. No cap. Rewards post with the purchase and can be redeemed at once, any amount from one cent. When you return something its reward is taken back when the return posts, and it counts no longer" +
		" towards Gold in the year in which its purchase posted: purchases that post while your net purchases of the year are below $2,500.00 earn 1%. A balance below zero is carried on." + laterUnnamed,
	How: "Instant grant and instant, exact clawback of each purchase's own reward, debts carried. The counter of the year adds purchases and never subtracts returns, so that Gold once" +
		" reached stays until 31 December.",
	Class: "other",
	Leak: "Buy for $2,500.00, return it: the $25.00 are taken back. Then buy for $2,000.00 and keep it: $60.00 are posted at the Gold rate instead of $20.00, $40.00 ahead. The" +
		" purchase that was returned leaves no trace; the gain is in others.",
	Currency: "USD",
	New:      laterNewStatusTier,
}
