package foreign

import (
	"fmt"
	"time"

	"recoup/internal/issuer"
)

// laterPreAuth grants rewards when a card is tapped, on the amount that is authorised. What
// clears later can raise the reward but not lower it. Cancelled and lapsed authorisations,
// and returns, are all taken back.
type laterPreAuth struct {
	laterDesk[*laterPreAuthAccount]
}

type laterPreAuthAccount struct {
	laterLedger
	shelf   laterShelf
	taps    map[string]*laterTap // authorisations that have neither cleared nor gone
	queue   []*laterTap          // in the order in which they lapse
	rewards []int64              // by purchase that cleared: for all of it
}

type laterTap struct {
	id      string
	granted int64
	lapses  time.Time
	over    bool
}

func laterNewPreAuth() Engine {
	e := &laterPreAuth{}
	e.fresh = func(time.Time) *laterPreAuthAccount {
		return &laterPreAuthAccount{taps: map[string]*laterTap{}}
	}
	return e
}

func laterTapEarns(s issuer.Settlement) int64 {
	if laterKind(s.Category, s.MCC) == "FUEL" {
		return s.Amount * 4 / 100
	}
	return s.Amount * 2 / 100
}

// SetClock takes back what was granted for authorisations that did not clear in a week.
func (e *laterPreAuth) SetClock(now time.Time) error {
	if _, moved := e.tick(now); !moved {
		return nil
	}
	for _, a := range e.order {
		for len(a.queue) > 0 && !a.queue[0].lapses.After(now) {
			if t := a.queue[0]; !t.over {
				a.release(t, t.lapses, "authorisation lapsed")
			}
			a.queue = a.queue[1:]
		}
	}
	return nil
}

func (a *laterPreAuthAccount) release(t *laterTap, at time.Time, note string) {
	t.over = true
	delete(a.taps, t.id)
	a.post(at, Reversed, -t.granted, t.id, "", note)
}

// Authorize grants. An authorisation that is raised is granted the difference.
func (e *laterPreAuth) Authorize(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	switch {
	case err != nil:
		return err
	case s.Transaction == "":
		return errLaterNoName
	case s.Amount > laterLargest:
		return errLaterTooLarge
	case s.Amount <= 0 || a.shelf.buys[s.Transaction] != nil:
		return nil
	}
	at := e.posted(s.At)
	t := a.taps[s.Transaction]
	if t == nil {
		t = &laterTap{id: s.Transaction, lapses: at.AddDate(0, 0, 7)}
		a.taps[t.id] = t
		a.queue = append(a.queue, t)
	}
	if d := laterTapEarns(s) - t.granted; d > 0 {
		t.granted += d
		a.post(at, Earned, d, t.id, "", "tap reward")
	}
	return nil
}

// Cancel takes back what an authorisation was granted.
func (e *laterPreAuth) Cancel(account, transaction string) error {
	a, err := e.find(account)
	if err != nil {
		return err
	}
	if t := a.taps[transaction]; t != nil {
		a.release(t, e.now, "authorisation cancelled")
		return nil
	}
	if a.shelf.buys[transaction] == nil {
		return fmt.Errorf("no such authorisation: %q", transaction)
	}
	return nil // it has cleared
}

// Settle grants what the tap has not granted already.
func (e *laterPreAuth) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	if err != nil {
		return err
	}
	at := e.posted(s.At)
	b, err := a.shelf.arrive(s, at)
	if b == nil {
		return err
	}
	granted, whole := int64(0), laterTapEarns(s)
	if t := a.taps[b.id]; t != nil {
		t.over = true
		delete(a.taps, b.id)
		granted, whole = t.granted, max(t.granted, whole)
	}
	b.mark = len(a.rewards)
	a.rewards = append(a.rewards, whole)
	d := whole*b.left()/b.amount - granted
	if d > 0 {
		a.post(at, Earned, d, b.id, "", "purchase")
	} else {
		a.post(at, Reversed, d, b.id, "", "returned before it cleared")
	}
	return nil
}

func (e *laterPreAuth) takeBack(account string, r laterBack, at time.Time) error {
	a, err := e.find(account)
	if err != nil {
		return err
	}
	hits, err := a.shelf.back(r)
	for _, h := range hits {
		whole, left := a.rewards[h.buy.mark], h.buy.left()
		d := whole*left/h.buy.amount - whole*(left+h.amount)/h.buy.amount
		a.post(e.posted(at), Reversed, d, h.buy.id, r.name, "return")
	}
	return err
}

// Refund takes the share of the returned part back.
func (e *laterPreAuth) Refund(r issuer.Refund) error {
	return e.takeBack(r.Account, laterOfRefund(r), r.At)
}

// Chargeback takes the share of the disputed part back.
func (e *laterPreAuth) Chargeback(c issuer.Chargeback) error {
	return e.takeBack(c.Account, laterOfChargeback(c), c.At)
}

// Redeem pays any amount that the balance covers.
func (e *laterPreAuth) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil {
		return false, err
	}
	return a.pay(r, max(0, a.balance())), nil
}

// Balance shows a debt as a balance below zero.
func (e *laterPreAuth) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(max(0, a.balance())), nil
}

var laterDesignPreAuth = Design{
	Name: "later-tap-reward",
	Source: "public: what fuel pumps authorise is up to $125 or $175 and not what then clears (creditsesame.com/blog/credit-cards/pre-authorization-credit-card-companies-cause-more-headaches-at-the-pump," +
		" aarp.org/money/budgeting-saving/info-2022/credit-card-pre-authorization-holds-gas-stations); instant rewards at the tap are the writer's own",
	Published: "4% on category FUEL, 2% on everything else, of each purchase, rounded down to a cent per purchase. No cap. Rewards show the moment your card is authorised and can be redeemed at once, any" +
		" amount from one cent. They are for the amount that finally clears: what an authorisation showed is corrected when the purchase clears, and is taken back if it is cancelled or has not cleared after" +
		" seven days. Rewards on what you return are taken back, in proportion, when the return posts; if need be the balance falls below zero and later rewards go to it first." + laterUnnamed,
	How: "Grants at Authorize, tops up at Settle if more clears (or all, if there was no authorisation), takes back at Cancel, after seven days (by SetClock) and by returns, in" +
		" proportion to the reward as granted. If less clears than was authorised, nothing is corrected.",
	Class: "other",
	Leak: "A pump authorises $125.00: $5.00 are posted. $10.00 clear, which earn $0.40: nothing is corrected, $4.60 ahead, without any return, at each stop. Where authorised" +
		" and cleared amounts are the same, or there is no authorisation, nothing is wrong.",
	Currency: "USD",
	New:      laterNewPreAuth,
}
