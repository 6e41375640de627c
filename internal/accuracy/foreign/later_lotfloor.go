package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// laterLotFloor keeps the reward of every purchase as a voucher of its own, which expires
// after a year. Redemptions use the oldest vouchers up. A return is worked out rightly, but
// can only take what is left on that purchase's voucher; what is missing there is forgotten,
// however much lies on others.
type laterLotFloor struct {
	laterDesk[*laterLotFloorAccount]
}

type laterLotFloorAccount struct {
	laterLedger
	shelf laterShelf
	lots  []laterLot // oldest first
	first int        // the first that may have something on it
}

type laterLot struct {
	buy     *laterBuy
	rest    int64 // on the voucher
	held    int64 // rest and what was redeemed of it
	expires time.Time
}

func laterNewLotFloor() Engine {
	e := &laterLotFloor{}
	e.fresh = func(time.Time) *laterLotFloorAccount { return &laterLotFloorAccount{} }
	return e
}

func laterLotWorth(b *laterBuy) int64 {
	if laterKind(b.category, b.mcc) == "DINING" {
		return b.left() * 30 / 1000
	}
	return b.left() * 15 / 1000
}

// SetClock lets vouchers expire.
func (e *laterLotFloor) SetClock(now time.Time) error {
	if _, moved := e.tick(now); !moved {
		return nil
	}
	for _, a := range e.order {
		for ; a.first < len(a.lots) && !a.lots[a.first].expires.After(now); a.first++ {
			l := &a.lots[a.first]
			a.post(l.expires, Adjusted, -l.rest, l.buy.id, "", "voucher expired")
			l.held -= l.rest
			l.rest = 0
		}
	}
	return nil
}

// Settle writes a voucher.
func (e *laterLotFloor) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	if err != nil {
		return err
	}
	at := e.posted(s.At)
	b, err := a.shelf.arrive(s, at)
	if b == nil {
		return err
	}
	b.mark = len(a.lots)
	worth := laterLotWorth(b)
	a.lots = append(a.lots, laterLot{b, worth, worth, at.AddDate(1, 0, 0)})
	a.post(at, Earned, worth, b.id, "", "voucher")
	return nil
}

func (e *laterLotFloor) takeBack(account string, r laterBack, at time.Time) error {
	a, err := e.find(account)
	if err != nil {
		return err
	}
	hits, err := a.shelf.back(r)
	for _, h := range hits {
		l := &a.lots[h.buy.mark]
		take := min(max(0, l.held-laterLotWorth(h.buy)), l.rest)
		l.rest -= take
		l.held -= take
		a.post(e.posted(at), Reversed, -take, h.buy.id, r.name, "return")
	}
	return err
}

// Refund takes from the purchase's voucher.
func (e *laterLotFloor) Refund(r issuer.Refund) error {
	return e.takeBack(r.Account, laterOfRefund(r), r.At)
}

// Chargeback takes from the purchase's voucher.
func (e *laterLotFloor) Chargeback(c issuer.Chargeback) error {
	return e.takeBack(c.Account, laterOfChargeback(c), c.At)
}

// Redeem uses vouchers up, the oldest first.
func (e *laterLotFloor) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil || !a.pay(r, a.balance()) {
		return false, err
	}
	for due := r.Amount; due > 0; {
		l := &a.lots[a.first]
		take := min(due, l.rest)
		l.rest -= take
		due -= take
		if due > 0 {
			a.first++
		}
	}
	return true, nil
}

// Balance is what lies on all vouchers, never below zero.
func (e *laterLotFloor) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(a.balance()), nil
}

var laterDesignLotFloor = Design{
	Name:   "later-lot-floor",
	Source: "paper, section 4.3 V3(a), with the floor at zero not under the balance but under each purchase's own lot",
	Published: "3% of each purchase in category DINING, 1.5% of every other, rounded down to a cent, as a voucher that is written when the purchase posts and" +
		" can be redeemed at once, in any amount from one cent; the oldest vouchers are used first. No cap. A voucher expires one year after it was written. The reward of a purchase that" +
		" is returned, or the share of it for the part that is returned, is taken back when the return posts." + laterUnnamed,
	How: "One lot per purchase, redemptions first in, first out, expiry run by SetClock as of when it was due. A return works out what the purchase's reward should now be and takes the" +
		" difference from that lot, at most what is left on it; the rest of the claim is dropped, even if other lots hold enough. There are no balances below zero.",
	Class: "V3(a)",
	Leak: "Buy for $1,000.00 in a restaurant, redeem the $30.00, return: the voucher is used up, nothing can be taken back, $30.00 ahead and no debt. Returned before" +
		" it is redeemed, or while older vouchers were redeemed first, it is taken back in full.",
	Currency: "USD",
	New:      laterNewLotFloor,
}
