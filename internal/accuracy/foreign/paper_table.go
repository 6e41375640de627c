package foreign

import (
	"errors"
	"time"

	"recoup/internal/issuer"
)

// paperTable keeps purchases in a table of the last 90 days. Returns are looked up there,
// those without a name by likeness, and take their part of the reward; a purchase that has
// been cleared out of the table is past, and a return of it finds nothing to do.
type paperTable struct {
	paperRoll[paperTableAcct]
}

type paperTableAcct struct {
	paperBooks
	had   paperDesk // only for which returns were sent before
	buys  map[string]*paperBuy
	hot   []*paperBuy // the table, by arrival
	early map[string][]paperBack
	loose int64 // returned and like nothing in the table
}

const paperTableLeast = 2000

// acct clears the account's table.
func (e *paperTable) acct(name string) (*paperTableAcct, error) {
	a, err := e.of(name)
	if err != nil {
		return nil, err
	}
	for len(a.hot) > 0 && !a.hot[0].at.AddDate(0, 0, 90).After(e.now) {
		a.hot[0].tag = true
		a.hot = a.hot[1:]
	}
	return a, nil
}

func (e *paperTable) Open(account string) error {
	return e.enrol(account, &paperTableAcct{buys: map[string]*paperBuy{}, early: map[string][]paperBack{}})
}

func (e *paperTable) SetClock(now time.Time) error {
	e.forward(now)
	return nil
}

func (e *paperTable) Settle(s issuer.Settlement) error {
	a, err := e.acct(s.Account)
	if err != nil || s.Transaction == "" {
		return errors.Join(err, paperNeed(s.Transaction))
	}
	if s.Amount <= 0 || a.buys[s.Transaction] != nil {
		return nil
	}
	rank := map[string]int{"DINING": 400, "TRAVEL": 300}[s.Category]
	b := paperBought(s, max(rank, 100), e.now)
	b.kept = paperTableWorth(b)
	a.buys[b.id] = b
	a.hot = append(a.hot, b)
	a.write(e.now, Earned, b.kept, b.id, "", "cash back")
	waiting := a.early[b.id]
	delete(a.early, b.id)
	for _, r := range waiting {
		e.strike(a, r)
	}
	n := min(a.loose, b.rest())
	a.loose -= n
	e.strikeOne(a, b, n, "")
	return nil
}

// paperTableWorth is the cash back of what is left, to the nearest cent.
func paperTableWorth(b *paperBuy) int64 { return (b.rest()*int64(b.rank) + 5000) / 10000 }

func (e *paperTable) strikeOne(a *paperTableAcct, b *paperBuy, n int64, ref string) {
	b.back += n
	w := paperTableWorth(b)
	a.write(e.now, Reversed, w-b.kept, b.id, ref, "return")
	b.kept = w
}

func (e *paperTable) strike(a *paperTableAcct, r paperBack) {
	if r.txn != "" {
		b := a.buys[r.txn]
		switch {
		case b == nil:
			a.early[r.txn] = append(a.early[r.txn], r)
			return
		case b.tag: // no longer in the table
			return
		case r.whole:
			r.amount = b.rest()
		}
		n := min(r.amount, b.rest())
		e.strikeOne(a, b, n, r.ref)
		r.amount -= n
		r.merchant, r.category = b.merchant, b.category
	}
	for r.amount > 0 {
		b := a.like(r)
		if b == nil {
			a.loose += r.amount
			return
		}
		n := min(r.amount, b.rest())
		e.strikeOne(a, b, n, r.ref)
		r.amount -= n
	}
}

// like finds the purchase in the table that is most like the return: by merchant, then
// category, then amount, then the one with the highest rate, then the latest.
func (a *paperTableAcct) like(r paperBack) *paperBuy {
	var best *paperBuy
	top := -1
	for _, b := range a.hot {
		if b.rest() == 0 {
			continue
		}
		score := b.rank
		if b.merchant == r.merchant && r.merchant != "" {
			score += 4000
		}
		if b.category == r.category && r.category != "" {
			score += 2000
		}
		if b.rest() == r.amount {
			score += 1000
		}
		if score >= top {
			best, top = b, score
		}
	}
	return best
}

func (e *paperTable) back(account, id string, r paperBack) error {
	a, err := e.acct(account)
	if err != nil || id == "" {
		return errors.Join(err, paperNeed(id))
	}
	if a.had.admit(&r) {
		e.strike(a, r)
	}
	return nil
}

func (e *paperTable) Refund(r issuer.Refund) error {
	return e.back(r.Account, r.Refund, paperRefundBack(r))
}

func (e *paperTable) Chargeback(c issuer.Chargeback) error {
	return e.back(c.Account, c.Chargeback, paperDisputeBack(c))
}

func (e *paperTable) CloseStatement(account string) error {
	_, err := e.acct(account)
	return err
}

func (e *paperTable) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.acct(r.Account)
	if err != nil {
		return false, err
	}
	return a.redeem(r, paperTableLeast, a.bal)
}

func (e *paperTable) Balance(account string) (issuer.Balance, error) {
	a, err := e.acct(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(paperTableLeast, a.bal), nil
}

func (e *paperTable) Postings(account string) []Posting {
	if a := e.byName[account]; a != nil {
		return a.copied()
	}
	return nil
}
