package foreign

import (
	"time"

	"recoup/internal/issuer"
)

var latestCMeterDesign = Design{
	Name:   "latest-gross-meter",
	Source: "National Bank of Canada, World Elite Mastercard: 5 points on groceries and restaurants \"until a total of $2,500 in gross monthly purchases is charged to the account\", whatever the category, then 2 (nationalbank.com/personal/notice.html, ratehub.ca); returns \"based on the rewards or cashback program in effect at the time of return\" (nbc.ca help centre, how-my-cashback-is-affected-if-i-get-a-refund)",
	Published: `You earn 5% at grocery stores (MCC 5411, 5422, 5499) and restaurants (5812, 5813, 5814) until a total of $2,500.00 in gross purchases of any kind has been charged to the account in the calendar month (UTC); for the purchases there that follow in that month you earn 2%. The total that counts is the one before the purchase, which earns one rate for the whole of it. You earn 2% at gas stations (5541, 5542) and 1% everywhere else. The month is the one in which a purchase posts. Each purchase is rounded to the nearest cent, half a cent up.
Rewards are granted when the purchase posts and can be redeemed at once in any amount. If you return a purchase, the reward associated with it is forfeited, in proportion for a part, and deducted when the return posts; your balance may go below zero and later rewards make that good first. Gross purchases are not lowered by returns. Refunds above the price have no effect on rewards. A refund that names no purchase counts against your purchases at that merchant, the latest first, otherwise against your other latest ones.`,
	How:      "A running account with a meter of the month's gross purchases that decides the rate as each purchase passes. A return is priced by the same rate table: at the rate at which the purchase would be charged at the moment of the return, with the meter as it stands (without the purchase itself, if it is on it), but never above the rate that the purchase earned. So it takes back all of it as long as little else has been charged in the month of the return, and 2% of what earned 5% once the meter without the purchase has reached $2,500. Debts are carried without end.",
	Class:    "other",
	Leak:     "Buy groceries for $1,000.00 on the 2nd: $50.00. Charge $2,600.00 of anything else later in the month: $26.00. Return the groceries: $20.00 is taken back, at the 2% that a purchase there earns by then. Return the other thing as well: $26.00. Net spend is nothing and $30.00 stay; each month again, and by returning in a later month in which $2,500 were charged as well.",
	Currency: "CAD",
	New: func() Engine {
		return &latestCMeter{accounts: map[string]*latestCMeterAccount{}}
	},
}

type latestCMeter struct {
	now      time.Time
	accounts map[string]*latestCMeterAccount
}

type latestCMeterAccount struct {
	book  latestCBook
	in    latestCIntake
	month time.Time // which the meter is of
	gross int64
	slips map[string]*latestCSlip
}

// latestCSlip is what the account remembers of how a purchase was rewarded.
type latestCSlip struct {
	month  time.Time
	rate   int64 // in percent
	earned int64
	taken  int64
	off    int64 // what came back, times the percent at which it did
}

// rate is what a purchase at an MCC earns with so much charged before it.
func latestCMeterRate(mcc string, before int64) int64 {
	switch mcc {
	case "5411", "5422", "5499", "5812", "5813", "5814":
		if before >= 250000 {
			return 2
		}
		return 5
	case "5541", "5542":
		return 2
	}
	return 1
}

// turn starts the meter anew in a new month.
func (a *latestCMeterAccount) turn(now time.Time) {
	if m := latestCMonth(now); !m.Equal(a.month) {
		a.month, a.gross = m, 0
	}
}

func (e *latestCMeter) Open(account string) error {
	if e.accounts[account] == nil {
		e.accounts[account] = &latestCMeterAccount{in: latestCNewIntake(), slips: map[string]*latestCSlip{}}
	}
	return nil
}

func (e *latestCMeter) SetClock(now time.Time) error {
	if now = now.UTC(); now.After(e.now) {
		e.now = now
	}
	return nil
}

func (e *latestCMeter) Settle(s issuer.Settlement) error {
	a := e.accounts[s.Account]
	if a == nil {
		return errLatestCAccount
	}
	b, err := a.in.buy(s, e.now)
	if b == nil {
		return err
	}
	a.turn(e.now)
	slip := &latestCSlip{month: a.month, rate: latestCMeterRate(b.mcc, a.gross)}
	slip.earned = latestCHalfUp(b.amount*slip.rate, 100)
	a.slips[b.id] = slip
	a.gross += b.amount
	a.book.post(Posting{At: e.now, Kind: Earned, Amount: slip.earned, Transaction: b.id})
	a.in.arrived(b, e.back(a))
	return nil
}

// back prices a return by the rate table of this moment. Whoever wrote it meant to post
// the purchase once more with the sign turned, and the meter had moved on meanwhile.
func (e *latestCMeter) back(a *latestCMeterAccount) func(*latestCBuy, int64, latestCBack) {
	return func(b *latestCBuy, x int64, r latestCBack) {
		a.turn(e.now)
		slip := a.slips[b.id]
		before := a.gross
		if slip.month.Equal(a.month) {
			before -= b.amount
		}
		slip.off += x * min(slip.rate, latestCMeterRate(b.mcc, before))
		// What stays is rounded, so that a return in parts takes what one of all does.
		taken := slip.earned - latestCHalfUp(b.amount*slip.rate-slip.off, 100)
		a.book.post(Posting{At: e.now, Kind: Reversed, Amount: slip.taken - taken, Transaction: b.id, Refund: r.id})
		slip.taken = taken
	}
}

func (e *latestCMeter) Refund(r issuer.Refund) error {
	a := e.accounts[r.Account]
	if a == nil {
		return errLatestCAccount
	}
	if back, fresh := a.in.refund(r, e.now); fresh {
		a.in.apply(back, nil, e.back(a))
	}
	return nil
}

func (e *latestCMeter) Chargeback(c issuer.Chargeback) error {
	a := e.accounts[c.Account]
	if a == nil {
		return errLatestCAccount
	}
	if back, fresh := a.in.chargeback(c, e.now); fresh {
		a.in.apply(back, nil, e.back(a))
	}
	return nil
}

// CloseStatement has nothing to do: rewards are posted as they come.
func (e *latestCMeter) CloseStatement(account string) error {
	if e.accounts[account] == nil {
		return errLatestCAccount
	}
	return nil
}

func (e *latestCMeter) Redeem(r issuer.Redemption) (bool, error) {
	a := e.accounts[r.Account]
	if a == nil {
		return false, errLatestCAccount
	}
	return a.book.redeem(r, max(0, a.book.sum)), nil
}

func (e *latestCMeter) Balance(account string) (issuer.Balance, error) {
	a := e.accounts[account]
	if a == nil {
		return issuer.Balance{}, errLatestCAccount
	}
	return issuer.Balance{Balance: a.book.sum, Redeemable: max(0, a.book.sum)}, nil
}

func (e *latestCMeter) Postings(account string) []Posting {
	if a := e.accounts[account]; a != nil {
		return a.book.list()
	}
	return nil
}
