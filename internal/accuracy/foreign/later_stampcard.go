package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// laterStampCard gives a stamp for each purchase of some size and ten dollars for every
// fifth stamp. It was built for a counter where nothing is ever returned: it has no memory
// of purchases beyond their ids, and returns end where they are received.
type laterStampCard struct {
	laterDesk[*laterStampCardAccount]
}

type laterStampCardAccount struct {
	laterLedger
	known  map[string]bool
	stamps int
}

func laterNewStampCard() Engine {
	e := &laterStampCard{}
	e.fresh = func(time.Time) *laterStampCardAccount { return &laterStampCardAccount{known: map[string]bool{}} }
	return e
}

// SetClock moves the clock; nothing falls due.
func (e *laterStampCard) SetClock(now time.Time) error {
	e.tick(now)
	return nil
}

// Settle stamps.
func (e *laterStampCard) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	switch {
	case err != nil:
		return err
	case s.Transaction == "":
		return errLaterNoName
	case s.Amount > laterLargest:
		return errLaterTooLarge
	case s.Amount <= 0 || a.known[s.Transaction]:
		return nil
	}
	a.known[s.Transaction] = true
	if s.Amount < 25_00 {
		return nil
	}
	a.stamps++
	if a.stamps == 5 {
		a.stamps = 0
		a.post(e.posted(s.At), Earned, 10_00, s.Transaction, "", "stamp card full")
	}
	return nil
}

// Refund is heard and has no effect.
func (e *laterStampCard) Refund(r issuer.Refund) error {
	_, err := e.find(r.Account)
	return err
}

// Chargeback is heard and has no effect.
func (e *laterStampCard) Chargeback(c issuer.Chargeback) error {
	_, err := e.find(c.Account)
	return err
}

// Redeem pays any amount that the balance covers.
func (e *laterStampCard) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil {
		return false, err
	}
	return a.pay(r, a.balance()), nil
}

// Balance is never below zero.
func (e *laterStampCard) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(a.balance()), nil
}

var laterDesignStampCard = Design{
	Name:   "later-stamp-card",
	Source: "paper, section 4.3 V1 and case I, with the reward no longer proportional but that of a buy-five stamp card",
	Published: "Every purchase of $25.00 or more earns one stamp, whatever its category; smaller ones earn none, larger ones no more than one. Every fifth stamp fills" +
		" the card: $10.00 are posted with the purchase that earned it, and a new card begins. No limit on the number of cards. Rewards can be redeemed at once, any amount from one cent. Only purchases" +
		" you keep earn stamps: when a purchase is returned so that less than $25.00 of it is kept, its stamp is void, and $10.00 are taken back for each full card that" +
		" your remaining stamps no longer fill, if need be from later rewards.",
	How:   "Counts stamps and knows nothing but the ids of purchases. Refunds and chargebacks are accepted and end there. Nothing falls due with time.",
	Class: "V1",
	Leak: "Buy five things for $25.00, redeem the $10.00 of the full card, return all five: nothing is taken back and the customer is $10.00 ahead with nothing spent," +
		" as often as wanted. One or two purchases earn nothing and show nothing.",
	Currency: "USD",
	New:      laterNewStampCard,
}
