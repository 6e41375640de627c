package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// laterEarmark books purchases and returns only at statement close, from two files that are
// collected during the cycle. What the return file will take back of rewards that are already
// booked is earmarked as soon as the return arrives: the balance does not move yet, but the
// earmarked part of it, and of anything that is booked later, cannot be redeemed.
type laterEarmark struct {
	laterDesk[*laterEarmarkAccount]
}

type laterEarmarkAccount struct {
	laterLedger
	shelf    laterShelf
	items    []laterEarmarkItem
	open     int // items from here on are in the purchase file
	returns  []laterEarmarkReturn
	earmarks int64 // of the return file
}

type laterEarmarkItem struct {
	buy  *laterBuy
	want int64 // what the kept part earns
}

type laterEarmarkReturn struct {
	purchase, refund string
	amount           int64
}

func laterNewEarmark() Engine {
	e := &laterEarmark{}
	e.fresh = func(time.Time) *laterEarmarkAccount { return &laterEarmarkAccount{} }
	return e
}

func laterEarmarkWorth(b *laterBuy) int64 {
	rate := int64(10)
	switch laterKind(b.category, b.mcc) {
	case "DINING":
		rate = 40
	case "FUEL":
		rate = 25
	}
	return b.left() * rate / 1000
}

// SetClock runs the statement closes on the 21st. All files are empty after the first.
func (e *laterEarmark) SetClock(now time.Time) error {
	before, moved := e.tick(now)
	if !moved {
		return nil
	}
	if turns := laterTurns(before, now, 21); len(turns) > 0 {
		for _, a := range e.order {
			a.close(turns[0])
		}
	}
	return nil
}

// close books the return file and then the purchase file.
func (a *laterEarmarkAccount) close(at time.Time) {
	for _, r := range a.returns {
		a.post(at, Reversed, -r.amount, r.purchase, r.refund, "return on statement")
	}
	a.returns, a.earmarks = nil, 0
	for ; a.open < len(a.items); a.open++ {
		i := &a.items[a.open]
		a.post(at, Earned, i.want, i.buy.id, "", "purchase on statement")
	}
}

// Settle puts the purchase into the file.
func (e *laterEarmark) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	if err != nil {
		return err
	}
	b, err := a.shelf.arrive(s, e.posted(s.At))
	if b != nil {
		b.mark = len(a.items)
		a.items = append(a.items, laterEarmarkItem{b, laterEarmarkWorth(b)})
	}
	return err
}

func (e *laterEarmark) takeBack(account string, r laterBack) error {
	a, err := e.find(account)
	if err != nil {
		return err
	}
	hits, err := a.shelf.back(r)
	for _, h := range hits {
		i := &a.items[h.buy.mark]
		want := laterEarmarkWorth(h.buy)
		if d := i.want - want; d > 0 && h.buy.mark < a.open {
			a.returns = append(a.returns, laterEarmarkReturn{h.buy.id, r.name, d})
			a.earmarks += d
		}
		i.want = want
	}
	return err
}

// Refund lowers a purchase that is still in the file, or goes to the return file.
func (e *laterEarmark) Refund(r issuer.Refund) error {
	return e.takeBack(r.Account, laterOfRefund(r))
}

// Chargeback is a return like any other.
func (e *laterEarmark) Chargeback(c issuer.Chargeback) error {
	return e.takeBack(c.Account, laterOfChargeback(c))
}

func (a *laterEarmarkAccount) free() int64 { return max(0, a.balance()-a.earmarks) }

// Redeem pays what is not earmarked.
func (e *laterEarmark) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil {
		return false, err
	}
	return a.pay(r, a.free()), nil
}

// Balance still has in it what is earmarked; Redeemable has not.
func (e *laterEarmark) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(a.free()), nil
}

var laterDesignEarmark = Design{
	Name:   "later-earmark",
	Source: "paper, section 5.3.1 (issuers D and E, which post rewards and clawbacks at statement close) and Algorithm 3; made to look like issuer F of 5.3.2",
	Published: "4% on category DINING, 2.5% on FUEL, 1% on everything else, of each purchase, rounded down to a cent per purchase. No cap." +
		" Statements close on the 21st of each month at 00:00 UTC. Rewards of a statement's purchases post at its close and can be redeemed from then on, any" +
		" amount from one cent. You keep the reward on what you keep of a purchase: returns before the close lower what posts for the purchase;" +
		" returns after it are debited at the next close. Until then the amount of the debit is set aside: it still shows in the balance but cannot be redeemed." +
		" A balance below zero is carried on until later rewards have made it good." + laterUnnamed,
	How: "A purchase file and a return file, both booked by SetClock on the 21st. Clawbacks post up to a month late, as in V3(b), but what they will" +
		" be is subtracted from what can be redeemed the moment the return arrives, so that the delay is worth nothing to anybody.",
	Class:    "robust",
	Currency: "USD",
	New:      laterNewEarmark,
}
