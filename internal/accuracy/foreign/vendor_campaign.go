package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// vendorCampaign is a 1% card whose bonus for new customers is the work of a campaign job
// that runs once for each account, on day 90, over what has posted by then less what has
// been returned by then. Its result is final: no later return is looked at. That is its
// flaw; the 1% itself follows every return.
type vendorCampaign struct {
	vendorHouse[vendorCampaignAccount]
}

type vendorCampaignAccount struct {
	book vendorBook
	till vendorTill
	job  *vendorCampaignJob // nil once it has run
}

// vendorCampaignJob collects what the job needs.
type vendorCampaignJob struct {
	on          time.Time
	bought, ret int64
}

const (
	vendorCampaignNeeds = 50_000
	vendorCampaignBonus = 15_000
)

func vendorNewCampaign() Engine {
	return &vendorCampaign{vendorNewHouse(
		func() *vendorCampaignAccount { return &vendorCampaignAccount{job: &vendorCampaignJob{}} },
		func(a *vendorCampaignAccount, now time.Time) {
			if a.job == nil {
				return
			}
			if a.job.on.IsZero() {
				a.job.on = now.Add(90 * vendorDay)
			}
			if now.Before(a.job.on) {
				return
			}
			if a.job.bought-a.job.ret >= vendorCampaignNeeds {
				a.book.post(a.job.on, Earned, vendorCampaignBonus, "", "", "new customer bonus")
			}
			a.job = nil
		},
		func(a *vendorCampaignAccount) *vendorBook { return &a.book })}
}

// follow brings the 1% of these purchases to their net amounts and tells the job.
func (e *vendorCampaign) follow(a *vendorCampaignAccount, buys []*vendorBuy, refund string) {
	for _, b := range buys {
		if a.job != nil {
			a.job.ret += b.seen - b.net()
		}
		b.seen = b.net()
		due := b.net() / 100
		a.book.move(e.now, due-b.gain, b.id, refund, "cash back")
		b.gain = due
	}
}

// Settle posts 1%.
func (e *vendorCampaign) Settle(s issuer.Settlement) error {
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
	buys := a.till.add(s, e.when(s.At), 100)
	buys[0].seen = s.Amount
	if a.job != nil {
		a.job.bought += s.Amount
	}
	e.follow(a, buys, "")
	return nil
}

// Refund takes 1% back.
func (e *vendorCampaign) Refund(r issuer.Refund) error {
	return e.back(r.Account, vendorRefunded(r))
}

// Chargeback is a return.
func (e *vendorCampaign) Chargeback(c issuer.Chargeback) error {
	return e.back(c.Account, vendorCharged(c))
}

func (e *vendorCampaign) back(account string, r vendorReturn) error {
	a, err := e.get(account)
	if err != nil {
		return err
	}
	if r.id == "" {
		return errVendorID
	}
	e.follow(a, a.till.ret(r), r.id)
	return nil
}

// Redeem pays out from $5.00.
func (e *vendorCampaign) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.get(r.Account)
	if err != nil || r.Amount < 500 {
		return false, err
	}
	return a.book.pay(r, a.book.balance()), nil
}

// Balance shows nothing to redeem below $5.00.
func (e *vendorCampaign) Balance(account string) (issuer.Balance, error) {
	a, err := e.get(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	b := issuer.Balance{Balance: a.book.balance()}
	if b.Balance >= 500 {
		b.Redeemable = b.Balance
	}
	return b, nil
}

var vendorCampaignDesign = Design{
	Name:   "vendor-bonus-day-90",
	Source: "new-customer bonuses after a spend of $500 in three months (nerdwallet.com on 5% cards; ibankdesign.com topic 16457: exclusive of credits, returns and adjustments)",
	Published: "1% cash back on every purchase, worked out per purchase on what is left of it after returns and rounded down to whole cents; it posts at once and can be redeemed from $5.00." +
		" New customers get $150.00 once if their net purchases of the first 90 days (90 times 24 hours from the opening of the account, by the time they post) come to $500.00 or more; the bonus posts at the end of the 90 days. Net purchases are purchases less returns; a bonus for purchases that were returned is not earned." +
		" A balance below zero stays until it is made up." + vendorLooseTerms,
	How:      "The 1% follows the net amount of each purchase, at any time. The bonus is worked out once, on day 90 (by the clock, dated so), from purchases less the returns that have posted by then. Returns after day 90 never touch it.",
	Class:    "V2",
	Leak:     "Buy for $500.00 within the 90 days (earns $5.00), let day 90 pass (the bonus of $150.00 posts), redeem $155.00 and return everything on day 91: $5.00 are taken back, the bonus is not. Net purchases of nothing; the customer owes $5.00 and is $150.00 ahead.",
	Currency: "USD",
	New:      vendorNewCampaign,
}
