package foreign

import (
	"time"

	"recoup/internal/issuer"
)

var latestCRoomDesign = Design{
	Name:   "latest-wandering-room",
	Source: "Bank of America Customized Cash Rewards, program rules: 3% and 2% \"on up to $2,500 in combined purchases in those categories each quarter, then 1% thereafter\", net purchases; the flaw is the one that section 6 of the paper guards against by restoring cap headroom only in the period of the purchase",
	Published: `You earn 3% at gas stations (MCC 5541, 5542, 5552) and 2% at grocery stores and wholesale clubs (5411, 5300) on the first $2,500.00 of combined purchases there in each calendar quarter (UTC), then 1%; and 1% everywhere else. A purchase that passes the limit earns the higher rate on the part below it. The quarter is the one in which a purchase posts. Each part of a purchase that has a rate of its own is rounded to the nearest cent, half a cent up.
Rewards are posted with the purchase and can be redeemed three days (72 hours) later, in any amount. A return takes back what the returned purchase earned, of a purchase in two parts first from the part at 1%, when it posts, however late; your balance may go below zero and later rewards make that good first. Returns of purchases in bonus categories make room again under the limit of their purchase's quarter, for further purchases; purchases that have already earned 1% stay at 1%. Refunds above the price have no effect. A refund that names no purchase counts against your purchases at that merchant, those with the highest rate first, otherwise against others.`,
	How:      "A ledger of lots: a purchase makes a lot below the quarter's limit and one above, each with its rate, and a return lowers them and posts what they are worth less. One counter holds what is used of the limit; it is set to nothing when a quarter begins. A return lowers it by what came back of the bonus lot, whatever quarter the purchase was in, and it may go below nothing. So a late return takes back all of its reward, yet gives room in the quarter of the return that had been used up in another. Debts are carried without end.",
	Class:    "other",
	Leak:     "Buy gas (cards) for $2,500.00 in March: $75.00. Return it all in April: the $75.00 are taken back, and the counter of the new quarter stands at -$2,500.00. Buy $5,000.00 of gas in April: $150.00, where the limit allows $100.00 (3% of $2,500.00 and 1% of the rest). $50.00 too much for a purchase that was returned; the purchases of April are real and the trick works each quarter, to any height that was bought under the limits before.",
	Currency: "USD",
	New: func() Engine {
		return &latestCRoom{accounts: map[string]*latestCRoomAccount{}}
	},
}

type latestCRoom struct {
	now      time.Time
	accounts map[string]*latestCRoomAccount
}

type latestCRoomAccount struct {
	book    latestCBook
	in      latestCIntake
	quarter time.Time // which the counter is of
	used    int64     // of the limit
	lots    map[string][]*latestCLot
	young   []*latestCLot // those not yet three days old
}

// latestCLot is the part of a purchase that has one rate, with what it is worth now.
type latestCLot struct {
	bonus       bool
	rate        int64 // in percent
	left, worth int64
	ripe        time.Time
}

func latestCRoomRate(mcc string) int64 {
	switch mcc {
	case "5541", "5542", "5552":
		return 3
	case "5411", "5300":
		return 2
	}
	return 1
}

// turn empties the counter when a quarter begins.
func (a *latestCRoomAccount) turn(now time.Time) {
	if q := latestCQuarter(now); !q.Equal(a.quarter) {
		a.quarter, a.used = q, 0
	}
}

// free leaves out what young lots are worth.
func (a *latestCRoomAccount) free(now time.Time) int64 {
	rest, held := a.young[:0], int64(0)
	for _, l := range a.young {
		if l.ripe.After(now) {
			rest = append(rest, l)
			held += l.worth
		}
	}
	a.young = rest
	return max(0, a.book.sum-held)
}

func (e *latestCRoom) Open(account string) error {
	if e.accounts[account] == nil {
		e.accounts[account] = &latestCRoomAccount{in: latestCNewIntake(), lots: map[string][]*latestCLot{}}
	}
	return nil
}

func (e *latestCRoom) SetClock(now time.Time) error {
	if now = now.UTC(); now.After(e.now) {
		e.now = now
	}
	return nil
}

func (e *latestCRoom) Settle(s issuer.Settlement) error {
	a := e.accounts[s.Account]
	if a == nil {
		return errLatestCAccount
	}
	b, err := a.in.buy(s, e.now)
	if b == nil {
		return err
	}
	a.turn(e.now)
	rest := b.amount
	add := func(part, rate int64, bonus bool) {
		if part <= 0 {
			return
		}
		l := &latestCLot{bonus: bonus, rate: rate, left: part, worth: latestCHalfUp(part*rate, 100), ripe: e.now.Add(72 * time.Hour)}
		a.lots[b.id] = append(a.lots[b.id], l)
		a.young = append(a.young, l)
		rest -= part
		a.book.post(Posting{At: e.now, Kind: Earned, Amount: l.worth, Transaction: b.id})
	}
	if rate := latestCRoomRate(b.mcc); rate > 1 {
		part := min(rest, 250000-a.used)
		add(part, rate, true)
		a.used += max(0, part)
	}
	add(rest, 1, false)
	a.in.arrived(b, e.back(a))
	return nil
}

// back takes a return out of the lots of its purchase, the one that was made last first.
func (e *latestCRoom) back(a *latestCRoomAccount) func(*latestCBuy, int64, latestCBack) {
	return func(b *latestCBuy, x int64, r latestCBack) {
		a.turn(e.now)
		lots := a.lots[b.id]
		for i := len(lots) - 1; i >= 0 && x > 0; i-- {
			l := lots[i]
			part := min(x, l.left)
			x -= part
			l.left -= part
			worth := latestCHalfUp(l.left*l.rate, 100)
			a.book.post(Posting{At: e.now, Kind: Reversed, Amount: worth - l.worth, Transaction: b.id, Refund: r.id})
			l.worth = worth
			if l.bonus {
				// The counter knows no quarter but this one.
				a.used -= part
			}
		}
	}
}

func (e *latestCRoom) take(a *latestCRoomAccount, r latestCBack) {
	a.in.apply(r, func(x, y *latestCBuy) bool {
		return a.lots[x.id][0].rate > a.lots[y.id][0].rate
	}, e.back(a))
}

func (e *latestCRoom) Refund(r issuer.Refund) error {
	a := e.accounts[r.Account]
	if a == nil {
		return errLatestCAccount
	}
	if back, fresh := a.in.refund(r, e.now); fresh {
		e.take(a, back)
	}
	return nil
}

func (e *latestCRoom) Chargeback(c issuer.Chargeback) error {
	a := e.accounts[c.Account]
	if a == nil {
		return errLatestCAccount
	}
	if back, fresh := a.in.chargeback(c, e.now); fresh {
		e.take(a, back)
	}
	return nil
}

// CloseStatement has nothing to do: rewards are posted as they come.
func (e *latestCRoom) CloseStatement(account string) error {
	if e.accounts[account] == nil {
		return errLatestCAccount
	}
	return nil
}

func (e *latestCRoom) Redeem(r issuer.Redemption) (bool, error) {
	a := e.accounts[r.Account]
	if a == nil {
		return false, errLatestCAccount
	}
	return a.book.redeem(r, a.free(e.now)), nil
}

func (e *latestCRoom) Balance(account string) (issuer.Balance, error) {
	a := e.accounts[account]
	if a == nil {
		return issuer.Balance{}, errLatestCAccount
	}
	return issuer.Balance{Balance: a.book.sum, Redeemable: a.free(e.now)}, nil
}

func (e *latestCRoom) Postings(account string) []Posting {
	if a := e.accounts[account]; a != nil {
		return a.book.list()
	}
	return nil
}
