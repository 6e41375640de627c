package foreign

import (
	"errors"
	"time"

	"recoup/internal/issuer"
)

// paperReserve grants at once and shows all of it, but of each grant a fifth, rounded up,
// stays in a reserve for 45 days. The reserve is a queue of slices; a return takes the
// purchase's reward in full from the balance and frees its slice of the reserve in step.
type paperReserve struct {
	paperRoll[paperReserveAcct]
}

type paperReserveAcct struct {
	paperBooks
	desk   paperDesk
	slices []*paperSlice
	byBuy  map[*paperBuy]*paperSlice
	held   int64
}

type paperSlice struct {
	until time.Time
	buy   *paperBuy
	held  int64
}

func paperReserveRate(mcc string) int {
	switch mcc {
	case "5812", "5814":
		return 400
	case "5541", "5542":
		return 300
	}
	return 100
}

func paperFifth(n int64) int64 { return (max(n, 0) + 4) / 5 }

// free lets go of what has been held long enough, and says what can be redeemed.
func (a *paperReserveAcct) free(now time.Time) int64 {
	for len(a.slices) > 0 && !a.slices[0].until.After(now) {
		a.held -= a.slices[0].held
		delete(a.byBuy, a.slices[0].buy)
		a.slices = a.slices[1:]
	}
	return a.bal - a.held
}

func (a *paperReserveAcct) returned(now time.Time, shares []paperShare) {
	a.free(now)
	for _, s := range shares {
		b := s.buy
		left := paperOf(b.rest(), int64(b.rank), 10000)
		a.write(now, Reversed, left-b.kept, b.id, s.ref, "return")
		b.kept = left
		if sl := a.byBuy[b]; sl != nil {
			a.held += paperFifth(left) - sl.held
			sl.held = paperFifth(left)
		}
	}
}

func (e *paperReserve) Open(account string) error {
	return e.enrol(account, &paperReserveAcct{byBuy: map[*paperBuy]*paperSlice{}})
}

func (e *paperReserve) SetClock(now time.Time) error {
	e.forward(now)
	return nil
}

func (e *paperReserve) Settle(s issuer.Settlement) error {
	a, err := e.of(s.Account)
	if err != nil || s.Transaction == "" {
		return errors.Join(err, paperNeed(s.Transaction))
	}
	if s.Amount <= 0 || a.desk.known(s.Transaction) {
		return nil
	}
	b := paperBought(s, paperReserveRate(s.MCC), e.now)
	b.kept = paperOf(b.amount, int64(b.rank), 10000)
	sl := &paperSlice{until: e.now.AddDate(0, 0, 45), buy: b, held: paperFifth(b.kept)}
	a.slices = append(a.slices, sl)
	a.byBuy[b] = sl
	a.held += sl.held
	a.write(e.now, Earned, b.kept, b.id, "", "cash back, one fifth of it on reserve")
	a.returned(e.now, a.desk.put(b))
	return nil
}

func (e *paperReserve) back(account, id string, r paperBack) error {
	a, err := e.of(account)
	if err != nil || id == "" {
		return errors.Join(err, paperNeed(id))
	}
	if a.desk.admit(&r) {
		a.returned(e.now, a.desk.take(r))
	}
	return nil
}

func (e *paperReserve) Refund(r issuer.Refund) error {
	return e.back(r.Account, r.Refund, paperRefundBack(r))
}

func (e *paperReserve) Chargeback(c issuer.Chargeback) error {
	return e.back(c.Account, c.Chargeback, paperDisputeBack(c))
}

func (e *paperReserve) CloseStatement(account string) error {
	_, err := e.of(account)
	return err
}

func (e *paperReserve) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.of(r.Account)
	if err != nil {
		return false, err
	}
	return a.redeem(r, 1, a.free(e.now))
}

func (e *paperReserve) Balance(account string) (issuer.Balance, error) {
	a, err := e.of(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(1, a.free(e.now)), nil
}

func (e *paperReserve) Postings(account string) []Posting {
	if a := e.byName[account]; a != nil {
		return a.copied()
	}
	return nil
}
