package foreign

import (
	"errors"
	"time"

	"recoup/internal/issuer"
)

// paperRipe gives nothing for a purchase until 60 days have passed since it posted: until
// then its reward is only a line in a queue. When its day comes, what is then left of the
// purchase is rewarded. Later returns are taken from the balance, below zero if need be.
type paperRipe struct {
	paperRoll[paperRipeAcct]
	queue []paperRipeLine // in the order of due, since the clock never goes back
}

type paperRipeLine struct {
	due time.Time
	a   *paperRipeAcct
	b   *paperBuy
}

type paperRipeAcct struct {
	paperBooks
	desk paperDesk
}

const paperRipeWait = 60 * 24 * time.Hour

func paperRipeWorth(b *paperBuy) int64 { return paperOf(b.rest(), int64(b.rank), 10000) }

func (e *paperRipe) Open(account string) error { return e.enrol(account, &paperRipeAcct{}) }

func (e *paperRipe) SetClock(now time.Time) error {
	e.forward(now)
	for len(e.queue) > 0 && !e.queue[0].due.After(e.now) {
		l := e.queue[0]
		e.queue = e.queue[1:]
		l.b.tag = true // ripe
		l.b.kept = paperRipeWorth(l.b)
		l.a.write(l.due, Earned, l.b.kept, l.b.id, "", "available after 60 days")
	}
	return nil
}

func (e *paperRipe) Settle(s issuer.Settlement) error {
	a, err := e.of(s.Account)
	if err != nil || s.Transaction == "" {
		return errors.Join(err, paperNeed(s.Transaction))
	}
	if s.Amount <= 0 || a.desk.known(s.Transaction) {
		return nil
	}
	rank := 100
	switch s.Category {
	case "ONLINE":
		rank = 300
	case "DINING":
		rank = 200
	}
	b := paperBought(s, rank, e.now)
	e.queue = append(e.queue, paperRipeLine{e.now.Add(paperRipeWait), a, b})
	e.lower(a, a.desk.put(b))
	return nil
}

// lower takes back what ripe purchases no longer earn; of others it need not do anything.
func (e *paperRipe) lower(a *paperRipeAcct, shares []paperShare) {
	for _, s := range shares {
		if !s.buy.tag {
			continue
		}
		w := paperRipeWorth(s.buy)
		a.write(e.now, Reversed, w-s.buy.kept, s.buy.id, s.ref, "returned after it was credited")
		s.buy.kept = w
	}
}

func (e *paperRipe) back(account, id string, r paperBack) error {
	a, err := e.of(account)
	if err != nil || id == "" {
		return errors.Join(err, paperNeed(id))
	}
	if a.desk.admit(&r) {
		e.lower(a, a.desk.take(r))
	}
	return nil
}

func (e *paperRipe) Refund(r issuer.Refund) error {
	return e.back(r.Account, r.Refund, paperRefundBack(r))
}

func (e *paperRipe) Chargeback(c issuer.Chargeback) error {
	return e.back(c.Account, c.Chargeback, paperDisputeBack(c))
}

func (e *paperRipe) CloseStatement(account string) error {
	_, err := e.of(account)
	return err
}

func (e *paperRipe) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.of(r.Account)
	if err != nil {
		return false, err
	}
	return a.redeem(r, 100, a.bal)
}

func (e *paperRipe) Balance(account string) (issuer.Balance, error) {
	a, err := e.of(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(100, a.bal), nil
}

func (e *paperRipe) Postings(account string) []Posting {
	if a := e.byName[account]; a != nil {
		return a.copied()
	}
	return nil
}
