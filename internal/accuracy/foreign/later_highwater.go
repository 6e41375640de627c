package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// laterHighWater pays on the account's net purchases since it was opened, and only when they
// reach a new height at a month's close. It never takes anything back: after returns nothing
// new is granted, and what has been granted cannot be redeemed, until net purchases are back
// where they were. A debt is thus carried in purchases and not in rewards.
type laterHighWater struct {
	laterDesk[*laterHighWaterAccount]
}

type laterHighWaterAccount struct {
	laterLedger
	net     int64 // purchases less returns, ever; may be below zero
	granted int64
	bought  map[string]*laterHighWaterItem
	early   map[string]int64
	seen    map[string]bool // refunds and chargebacks
}

type laterHighWaterItem struct{ amount, back int64 }

func laterNewHighWater() Engine {
	e := &laterHighWater{}
	e.fresh = func(time.Time) *laterHighWaterAccount {
		return &laterHighWaterAccount{bought: map[string]*laterHighWaterItem{}, early: map[string]int64{}, seen: map[string]bool{}}
	}
	return e
}

func laterOneAndAHalf(net int64) int64 { return max(0, net) * 15 / 1000 }

// SetClock closes months: there is no event between two closes of one call, so that only
// the first can grant something.
func (e *laterHighWater) SetClock(now time.Time) error {
	before, moved := e.tick(now)
	if !moved {
		return nil
	}
	turns := laterTurns(before, now, 1)
	if len(turns) == 0 {
		return nil
	}
	for _, a := range e.order {
		if d := laterOneAndAHalf(a.net) - a.granted; d > 0 {
			a.granted += d
			a.post(turns[0], Earned, d, "", "", "cash back on net purchases to "+turns[0].AddDate(0, 0, -1).Format("2 Jan 2006"))
		}
	}
	return nil
}

// Settle counts what is kept of a purchase.
func (e *laterHighWater) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	switch {
	case err != nil:
		return err
	case s.Transaction == "":
		return errLaterNoName
	case s.Amount > laterLargest:
		return errLaterTooLarge
	case s.Amount <= 0 || a.bought[s.Transaction] != nil:
		return nil
	}
	back := min(a.early[s.Transaction], s.Amount)
	delete(a.early, s.Transaction)
	a.bought[s.Transaction] = &laterHighWaterItem{s.Amount, back}
	a.net += s.Amount - back
	return nil
}

func (e *laterHighWater) less(account, key, purchase string, amount int64) error {
	a, err := e.find(account)
	if err != nil {
		return err
	}
	if amount <= 0 || a.seen[key] {
		return nil
	}
	a.seen[key] = true
	amount = min(amount, laterLargest)
	if purchase == "" {
		a.net -= amount
		return nil
	}
	item := a.bought[purchase]
	if item == nil {
		a.early[purchase] += amount
		return nil
	}
	amount = min(amount, item.amount-item.back)
	item.back += amount
	a.net -= amount
	return nil
}

// Refund lowers the net purchases.
func (e *laterHighWater) Refund(r issuer.Refund) error {
	if r.Refund == "" {
		return errLaterNoName
	}
	return e.less(r.Account, "r"+r.Refund, r.Transaction, r.Amount)
}

// Chargeback lowers the net purchases.
func (e *laterHighWater) Chargeback(c issuer.Chargeback) error {
	if c.Chargeback == "" || c.Transaction == "" {
		return errLaterNoName
	}
	if c.Amount == 0 {
		c.Amount = laterLargest
	}
	return e.less(c.Account, "c"+c.Chargeback, c.Transaction, c.Amount)
}

// free is what net purchases of this moment have earned of what was granted, less what was
// redeemed. Below five dollars there is no redemption.
func (a *laterHighWaterAccount) free() int64 {
	f := min(a.granted, laterOneAndAHalf(a.net)) - a.redeemed
	if f < 5_00 {
		return 0
	}
	return f
}

// Redeem pays five dollars or more.
func (e *laterHighWater) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil || r.Amount < 5_00 {
		return false, err
	}
	return a.pay(r, a.free()), nil
}

// Balance is never below zero.
func (e *laterHighWater) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(a.free()), nil
}

var laterDesignHighWater = Design{
	Name:   "later-high-water",
	Source: "paper, section 4.1 (net spend of the account, equation 1; monotonicity with net spend in 4.2)",
	Published: "1.5% cash back on everything, on the net purchases of your account since it was opened: all purchases less all returns." +
		" At the end of each calendar month (UTC) we work out 1.5% of your net purchases so far, rounded down to a cent once for the whole," +
		" and post what that is more than all cash back posted before. If your net purchases have fallen, nothing is posted and nothing is taken" +
		" away, but there is no new cash back until net purchases have passed their former height, however many months that takes. At any time you" +
		" can redeem from $5.00 on, at most 1.5% of the net purchases of that moment less what you have redeemed before." +
		" Returns lower net purchases on the day they post, up to what was paid for the purchase they name; credits that name no purchase lower them in full." +
		" A credit that posts before the purchase it names waits for it. A won dispute counts like a return.",
	How: "One net total per account, closed by SetClock on the first of each month. No entry ever takes back; a debt is only that new" +
		" purchases earn nothing until the total is back at its height. What lies granted cannot be redeemed above 1.5% of the current total," +
		" so that the return is felt at once although the balance does not move.",
	Class:    "robust",
	Currency: "USD",
	New:      laterNewHighWater,
}
