package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// laterReserve grants rewards net of the returns it expects: four fifths with the purchase,
// and the rest when the return window has ended, by what was then kept. Returns use up the
// fifth that was held back before anything is taken back.
type laterReserve struct {
	laterDesk[*laterReserveAccount]
}

type laterReserveAccount struct {
	laterLedger
	shelf laterShelf
	items []laterReserveItem // in the order in which they posted
	next  int                // the first that has not been trued up
}

type laterReserveItem struct {
	buy     *laterBuy
	granted int64
	due     time.Time
}

func laterNewReserve() Engine {
	e := &laterReserve{}
	e.fresh = func(time.Time) *laterReserveAccount { return &laterReserveAccount{} }
	return e
}

// entitled is what the kept part of the purchase earns.
func (i *laterReserveItem) entitled() int64 {
	rate := int64(1)
	if laterKind(i.buy.category, i.buy.mcc) == "TRAVEL" {
		rate = 3
	}
	return i.buy.left() * rate / 100
}

// SetClock trues purchases up as of the moment when their sixty days had passed.
func (e *laterReserve) SetClock(now time.Time) error {
	if _, moved := e.tick(now); !moved {
		return nil
	}
	for _, a := range e.order {
		for ; a.next < len(a.items) && !a.items[a.next].due.After(now); a.next++ {
			i := &a.items[a.next]
			if d := i.entitled() - i.granted; d > 0 {
				i.granted += d
				a.post(i.due, Earned, d, i.buy.id, "", "return window ended")
			}
		}
	}
	return nil
}

// Settle grants four fifths.
func (e *laterReserve) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	if err != nil {
		return err
	}
	at := e.posted(s.At)
	b, err := a.shelf.arrive(s, at)
	if b == nil {
		return err
	}
	b.mark = len(a.items)
	i := laterReserveItem{buy: b, due: at.Add(60 * 24 * time.Hour)}
	i.granted = i.entitled() * 4 / 5
	a.items = append(a.items, i)
	a.post(at, Earned, i.granted, b.id, "", "first 80%")
	return nil
}

func (e *laterReserve) takeBack(account string, r laterBack, at time.Time) error {
	a, err := e.find(account)
	if err != nil {
		return err
	}
	hits, err := a.shelf.back(r)
	for _, h := range hits {
		i := &a.items[h.buy.mark]
		if d := i.granted - i.entitled(); d > 0 {
			i.granted -= d
			a.post(e.posted(at), Reversed, -d, h.buy.id, r.name, "return beyond the part held back")
		}
	}
	return err
}

// Refund takes back what has been granted above what the kept part earns.
func (e *laterReserve) Refund(r issuer.Refund) error {
	return e.takeBack(r.Account, laterOfRefund(r), r.At)
}

// Chargeback is a return like any other.
func (e *laterReserve) Chargeback(c issuer.Chargeback) error {
	return e.takeBack(c.Account, laterOfChargeback(c), c.At)
}

// Redeem pays any amount that the balance covers.
func (e *laterReserve) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil {
		return false, err
	}
	return a.pay(r, max(0, a.balance())), nil
}

// Balance leaves the part held back out.
func (e *laterReserve) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(max(0, a.balance())), nil
}

var laterDesignReserve = Design{
	Name: "later-return-reserve",
	Source: "public: cards that hold rewards until the usual return period is over, as described by" +
		" flexerphoto.com/Do-Rewards-Get-Deducted-When-a-Credit-Card-Transaction-is-Refunded- (30 to 45 days)" +
		" and help.feedmefightme.com (points available after 30 days); with the paper's grace period (Algorithm 4) made part of the grant",
	Published: "3% on category TRAVEL, 1% on everything else, of each purchase, rounded down to a cent per purchase. No cap." +
		" 80% of that, rounded down to a cent, posts with the purchase and can be redeemed at once, any amount from one cent. The rest is held back and posts 60 days" +
		" (of 24 hours) after the purchase posted. Returns: you keep the reward on what you keep of the purchase. As long as that is at least as much as has been posted for the" +
		" purchase, nothing is taken back and the part held back becomes smaller; beyond that the difference is taken back on the day the return posts," +
		" also after the 60 days. If the balance does not cover it, it falls below zero and later rewards go to it first." + laterUnnamed,
	How: "Instant grant of four fifths and a queue of true-ups that SetClock runs as of the time they are due. Compares what was granted for a purchase" +
		" with what its kept part earns; a return of up to a fifth of a young purchase makes no entry at all.",
	Class:    "robust",
	Currency: "USD",
	New:      laterNewReserve,
}
