package foreign

import (
	"errors"
	"time"

	"recoup/internal/issuer"
)

// paperLots gives each purchase a lot of points of its own, which expires 24 months later.
// Redemptions use the oldest lots up. A return cancels points of its purchase's own lot,
// of which there may be none left; a lot holds points or it is empty, never less.
type paperLots struct {
	paperRoll[paperLotsAcct]
}

type paperLotsAcct struct {
	paperBooks
	desk paperDesk
	fifo []*paperLot
	lots map[*paperBuy]*paperLot
}

type paperLot struct {
	ends time.Time
	buy  *paperBuy
	left int64
}

func (e *paperLots) acct(name string) (*paperLotsAcct, error) {
	a, err := e.of(name)
	if err != nil {
		return nil, err
	}
	for len(a.fifo) > 0 && (a.fifo[0].left == 0 || !a.fifo[0].ends.After(e.now)) {
		l := a.fifo[0]
		a.write(l.ends, Adjusted, -l.left, l.buy.id, "", "points expired")
		l.left = 0
		a.fifo = a.fifo[1:]
	}
	return a, nil
}

func (e *paperLots) Open(account string) error {
	return e.enrol(account, &paperLotsAcct{lots: map[*paperBuy]*paperLot{}})
}

func (e *paperLots) SetClock(now time.Time) error {
	e.forward(now)
	return nil
}

func (e *paperLots) Settle(s issuer.Settlement) error {
	a, err := e.acct(s.Account)
	if err != nil || s.Transaction == "" {
		return errors.Join(err, paperNeed(s.Transaction))
	}
	if s.Amount <= 0 || a.desk.known(s.Transaction) {
		return nil
	}
	rank := 100
	if s.Category == "GROCERY" || s.Category == "TRAVEL" {
		rank = 200
	}
	b := paperBought(s, rank, e.now)
	b.kept = paperOf(b.amount, int64(rank), 10000)
	l := &paperLot{ends: e.now.AddDate(2, 0, 0), buy: b, left: b.kept}
	a.fifo = append(a.fifo, l)
	a.lots[b] = l
	a.write(e.now, Earned, b.kept, b.id, "", "points")
	e.cancel(a, a.desk.put(b))
	return nil
}

func (e *paperLots) cancel(a *paperLotsAcct, shares []paperShare) {
	for _, s := range shares {
		l := a.lots[s.buy]
		left := paperOf(s.buy.rest(), int64(s.buy.rank), 10000)
		n := min(s.buy.kept-left, l.left)
		s.buy.kept = left
		l.left -= n
		a.write(e.now, Reversed, -n, s.buy.id, s.ref, "points cancelled")
	}
}

func (e *paperLots) back(account, id string, r paperBack) error {
	a, err := e.acct(account)
	if err != nil || id == "" {
		return errors.Join(err, paperNeed(id))
	}
	if a.desk.admit(&r) {
		e.cancel(a, a.desk.take(r))
	}
	return nil
}

func (e *paperLots) Refund(r issuer.Refund) error {
	return e.back(r.Account, r.Refund, paperRefundBack(r))
}

func (e *paperLots) Chargeback(c issuer.Chargeback) error {
	return e.back(c.Account, c.Chargeback, paperDisputeBack(c))
}

func (e *paperLots) CloseStatement(account string) error {
	_, err := e.acct(account)
	return err
}

func (e *paperLots) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.acct(r.Account)
	if err != nil {
		return false, err
	}
	ok, err := a.redeem(r, 100, a.bal)
	if !ok {
		return false, err
	}
	for n, i := r.Amount, 0; n > 0; i++ {
		u := min(n, a.fifo[i].left)
		a.fifo[i].left -= u
		n -= u
	}
	return true, nil
}

func (e *paperLots) Balance(account string) (issuer.Balance, error) {
	a, err := e.acct(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(100, a.bal), nil
}

func (e *paperLots) Postings(account string) []Posting {
	if a, err := e.acct(account); err == nil {
		return a.copied()
	}
	return nil
}
