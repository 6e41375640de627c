package foreign

import (
	"sort"
	"time"

	"recoup/internal/issuer"
)

// vendorMiles is an airline's card. Each purchase is a lot of miles with a day of expiry;
// redemptions use the lots up, the oldest first, and each lot knows how much of it has been
// used. A return makes the lot smaller. If more of it has been used than it is worth by
// then, other lots are used in its place, and what they do not cover is owed and is used
// out of the next lots to come.
type vendorMiles struct {
	vendorHouse[vendorMilesAccount]
}

type vendorMilesAccount struct {
	book vendorBook
	till vendorTill
	lots []*vendorMilesLot // by expiry
	of   map[string]*vendorMilesLot
	next int // lots before this have expired
	live int64
	owed int64 // used without a lot
}

type vendorMilesLot struct {
	buy     *vendorBuy
	until   time.Time
	worth   int64 // miles that the purchase's net amount earns
	used    int64
	expired bool
}

// vendorMilesUntil is the end of the 24th month after that of the purchase.
func vendorMilesUntil(t time.Time) time.Time {
	return time.Date(t.Year()+2, t.Month()+1, 1, 0, 0, 0, 0, time.UTC)
}

func vendorNewMiles() Engine {
	return &vendorMiles{vendorNewHouse(
		func() *vendorMilesAccount { return &vendorMilesAccount{of: map[string]*vendorMilesLot{}} },
		func(a *vendorMilesAccount, now time.Time) {
			for a.next < len(a.lots) && !a.lots[a.next].until.After(now) {
				l := a.lots[a.next]
				a.next++
				l.expired = true
				a.book.post(l.until, Adjusted, -(l.worth - l.used), l.buy.id, "", "expired")
				a.live -= l.worth - l.used
			}
		},
		func(a *vendorMilesAccount) *vendorBook { return &a.book })}
}

// use takes miles out of the lots that are still good, the oldest first.
func (a *vendorMilesAccount) use(n int64) {
	for i := a.next; i < len(a.lots) && n > 0; i++ {
		l := a.lots[i]
		x := min(n, l.worth-l.used)
		l.used += x
		a.live -= x
		n -= x
	}
	a.owed += n
}

// fix makes the lots of these purchases as large as their net amounts.
func (a *vendorMilesAccount) fix(at time.Time, buys []*vendorBuy, refund, note string) {
	for _, b := range buys {
		b.seen = b.net()
		l := a.of[b.id]
		was := l.worth
		l.worth = b.rate / 100 * (b.net() / 100)
		if l.expired {
			// Of a lot that has expired the ledger holds only what was used.
			was, l.worth = min(was, l.used), min(l.worth, l.used)
		} else {
			a.live += l.worth - was
		}
		a.book.move(at, l.worth-was, b.id, refund, note)
		if over := l.used - l.worth; over > 0 {
			l.used = l.worth
			if !l.expired {
				a.live += over
			}
			a.use(over)
		}
	}
	if n := min(a.owed, a.live); n > 0 {
		a.owed -= n
		a.use(n)
	}
}

// Settle opens a lot.
func (e *vendorMiles) Settle(s issuer.Settlement) error {
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
	rate := int64(100)
	if vendorIn("TRAVEL", s.Category, s.MCC) {
		rate = 200
	}
	buys := a.till.add(s, e.when(s.At), rate)
	l := &vendorMilesLot{buy: buys[0], until: vendorMilesUntil(buys[0].at)}
	a.of[s.Transaction] = l
	if !l.until.After(e.now) { // came too late to be of use
		l.expired = true
	}
	i := sort.Search(len(a.lots), func(i int) bool { return a.lots[i].until.After(l.until) })
	if l.expired {
		i = 0
		a.next++
	}
	a.lots = append(a.lots, nil)
	copy(a.lots[i+1:], a.lots[i:])
	a.lots[i] = l
	a.fix(e.now, buys, "", "miles")
	return nil
}

// Refund makes lots smaller.
func (e *vendorMiles) Refund(r issuer.Refund) error {
	return e.back(r.Account, vendorRefunded(r))
}

// Chargeback is a return.
func (e *vendorMiles) Chargeback(c issuer.Chargeback) error {
	return e.back(c.Account, vendorCharged(c))
}

func (e *vendorMiles) back(account string, r vendorReturn) error {
	a, err := e.get(account)
	if err != nil {
		return err
	}
	if r.id == "" {
		return errVendorID
	}
	a.fix(e.now, a.till.ret(r), r.id, "return")
	return nil
}

// Redeem uses lots up, from 500 miles.
func (e *vendorMiles) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.get(r.Account)
	if err != nil || r.Amount < 500 || !a.book.pay(r, a.live) {
		return false, err
	}
	a.use(r.Amount)
	return true, nil
}

// Balance is what the good lots hold, less what is owed.
func (e *vendorMiles) Balance(account string) (issuer.Balance, error) {
	a, err := e.get(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	b := issuer.Balance{Balance: a.book.balance()}
	if a.live >= 500 {
		b.Redeemable = a.live
	}
	return b, nil
}

var vendorMilesDesign = Design{
	Name:   "vendor-miles-24-months",
	Source: "miles that are good for a fixed time whatever the activity, and one mile per dollar on the airline's card (viewfromthewing.boardingarea.com 2014/01/22, keep miles from expiring; onemileatatime.com)",
	Published: "1 mile per whole dollar of a purchase, 2 miles per whole dollar of TRAVEL purchases (MCC 4511), counted per purchase on what is left of it after returns, cents dropped. A mile is worth $0.01. Miles post at once and can be redeemed from 500 miles." +
		" Miles expire unused at the end (UTC) of the 24th calendar month after the month of the purchase; no activity prolongs them; a purchase that reaches us after that earns none. Redemptions use the miles first that expire first." +
		" A return takes the miles back that the returned part earned; those that have expired already are not taken twice. If they have been used, other miles of yours are taken for them, and what is missing is owed and taken from the next miles you earn, without limit of time." + vendorLooseTerms,
	How:      "A lot per purchase with what it is worth and how much was used. Expiry by the clock, dated as of the day, is a posting of kind adjusted. Debts from returned lots move to other lots at once, the rest waits for new ones.",
	Class:    "robust",
	Currency: "USD",
	New:      vendorNewMiles,
}
