package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// This program keeps its rewards in lots, one to a purchase, as a wallet keeps its
// coins: redemptions use up the oldest, returns shrink their own.

const newestALotAge = 60 * 24 * time.Hour

var newestALots = Design{
	Name: "newest-wallet-lots",
	Source: "Section 6 of the paper: records must persist for the lifetime of the account, 'garbage collecting these records after N billing cycles' lets late " +
		"refunds through; rewards in dated lots that are redeemed oldest first as in MyBank's rewards (mybank.com, 'How are points deducted from my rewards accounts')",
	Published: "Every purchase earns 1.5%, rounded to the nearest cent, half a cent up. Cash back is there as soon as the purchase posts, never expires, and can be " +
		"redeemed in any amount; the oldest goes first. A return takes back the cash back of what was returned, so that the rest of the " +
		"purchase keeps what it would have earned by itself. If you have redeemed it already, it is taken from other cash back or from what you earn next. " +
		"Returns without reference are taken from your latest purchases, first those at the same merchant.",
	How: "Each purchase has a lot. On the first of each month (UTC) lots that are empty and whose purchase is older than 60 days are removed with their purchase, to keep " +
		"the wallet small. A return whose purchase is not on file is taken for one that came ahead of its purchase and waits for it; for a removed one it " +
		"waits for ever. As long as a cent of the lot is left, or 60 days and the month have not passed, returns are handled to the cent.",
	Class: "V2",
	Leak: "Redeem everything, wait until the first of a month that is 60 days after the purchase, return. Buy for €1,000.00 on 10 January, redeem €15.00 at once, " +
		"return everything on 2 April: €15.00 stay and nothing is owed. If the €15.00 had not been redeemed, or on 28 February, the return would have cost all of it.",
	Currency: "EUR",
	New:      func() Engine { return &newestAWallets{} },
}

type newestAWallets struct {
	newestAOffice[newestAWallet]
}

type newestALot struct {
	sale          *newestASale
	granted, open int64
}

type newestAWallet struct {
	newestAFile
	lots    []*newestALot // in the order of their purchases' delivery
	arrears int64         // what returns took beyond all lots
	known   map[string]bool
}

func (e *newestAWallets) Open(account string) error {
	return e.add(account, &newestAWallet{newestAFile: newestANewFile(), known: map[string]bool{}})
}

func (e *newestAWallets) SetClock(now time.Time) error {
	was, err := e.tick(now)
	if err != nil {
		return err
	}
	// One sweep on the last first of a month does what one on each would have done,
	// since nothing else happens while the clock moves.
	first := newestAMonthStart(newestAMonth(now))
	if !first.After(was) {
		return nil
	}
	for _, name := range e.names {
		e.files[name].sweep(first)
	}
	return nil
}

// sweep removes what is used up and old.
func (a *newestAWallet) sweep(at time.Time) {
	var lots []*newestALot
	for _, l := range a.lots {
		if l.open > 0 || l.sale.at.Add(newestALotAge).After(at) {
			lots = append(lots, l)
			continue
		}
		delete(a.sales, l.sale.id)
		for i, s := range a.order {
			if s == l.sale {
				a.order = append(a.order[:i:i], a.order[i+1:]...)
				break
			}
		}
	}
	a.lots = lots
}

func (e *newestAWallets) Settle(s issuer.Settlement) error {
	a, err := e.file(s.Account)
	if err != nil || a.known[s.Transaction] {
		return err
	}
	sale, hits, err := a.sell(s, e.when(s.At))
	if sale == nil {
		return err
	}
	a.known[sale.id] = true
	// The lot is filled by the whole amount first; what came back ahead of the
	// purchase is taken out again below.
	reward := newestAHalfUp(sale.amount, 15, 1000)
	lot := &newestALot{sale: sale, granted: reward, open: reward}
	a.lots = append(a.lots, lot)
	a.correct(e.now, reward, sale.id, "", "cash back")
	e.takeBack(a, hits)
	paid := min(a.arrears, lot.open)
	lot.open -= paid
	a.arrears -= paid
	return nil
}

// takeBack shrinks the lots of what came back, and others or nobody's if they are empty.
func (e *newestAWallets) takeBack(a *newestAWallet, hits []newestAHit) {
	for _, h := range hits {
		for _, l := range a.lots {
			if l.sale != h.sale {
				continue
			}
			due := l.granted - newestAHalfUp(l.sale.net(), 15, 1000)
			l.granted -= due
			a.correct(e.now, -due, l.sale.id, h.by, "return")
			own := min(due, l.open)
			l.open -= own
			a.arrears += due - own
			break
		}
	}
	a.use(&a.arrears)
}

// use takes an amount out of the lots, the oldest first, as far as they last.
func (a *newestAWallet) use(amount *int64) {
	for _, l := range a.lots {
		took := min(*amount, l.open)
		l.open -= took
		*amount -= took
	}
}

func (e *newestAWallets) Refund(r issuer.Refund) error {
	a, err := e.file(r.Account)
	if err != nil {
		return err
	}
	hits, err := a.refund(r)
	e.takeBack(a, hits)
	return err
}

func (e *newestAWallets) Chargeback(c issuer.Chargeback) error {
	a, err := e.file(c.Account)
	if err != nil {
		return err
	}
	hits, err := a.chargeback(c)
	e.takeBack(a, hits)
	return err
}

// total is the contents of all lots.
func (a *newestAWallet) total() int64 {
	var total int64
	for _, l := range a.lots {
		total += l.open
	}
	return total
}

func (e *newestAWallets) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.file(r.Account)
	if err != nil {
		return false, err
	}
	before := a.redeemed
	ok := a.redeem(r, a.total())
	paid := a.redeemed - before
	a.use(&paid)
	return ok, nil
}

func (e *newestAWallets) Balance(account string) (issuer.Balance, error) {
	a, err := e.file(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.total() - a.arrears, Redeemable: a.total()}, nil
}

func (e *newestAWallets) Postings(account string) []Posting {
	if a := e.files[account]; a != nil {
		return append([]Posting(nil), a.postings...)
	}
	return nil
}
