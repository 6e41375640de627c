package foreign

import (
	"errors"
	"time"

	"recoup/internal/issuer"
)

// paperDeaf is a debit card's featured category: running counters per month, and nothing
// that listens to returns.
type paperDeaf struct {
	paperRoll[paperDeafAcct]
}

type paperDeafAcct struct {
	paperBooks
	month int
	count int64 // featured cash back of the month
	had   map[string]bool
}

const paperDeafCap = 5000

func paperDeafFeatured(t time.Time) string {
	return []string{"GROCERY", "DINING", "FUEL"}[(int(t.Month())-1)%3]
}

func (e *paperDeaf) Open(account string) error {
	return e.enrol(account, &paperDeafAcct{had: map[string]bool{}})
}

func (e *paperDeaf) SetClock(now time.Time) error {
	e.forward(now)
	return nil
}

func (e *paperDeaf) Settle(s issuer.Settlement) error {
	a, err := e.of(s.Account)
	if err != nil || s.Transaction == "" {
		return errors.Join(err, paperNeed(s.Transaction))
	}
	if s.Amount <= 0 || a.had[s.Transaction] {
		return nil
	}
	a.had[s.Transaction] = true
	t := e.now.UTC()
	if m := paperMonth(t, time.UTC); m != a.month {
		a.month, a.count = m, 0
	}
	if s.Category != paperDeafFeatured(t) {
		a.write(e.now, Earned, s.Amount/200, s.Transaction, "", "0.5% cash back")
		return nil
	}
	r := min(s.Amount/20, paperDeafCap-a.count)
	a.count += r
	a.write(e.now, Earned, r, s.Transaction, "", "5% featured category")
	return nil
}

// Refund puts the principal back on the card, which is not this engine's concern.
func (e *paperDeaf) Refund(r issuer.Refund) error {
	_, err := e.of(r.Account)
	return err
}

func (e *paperDeaf) Chargeback(c issuer.Chargeback) error {
	_, err := e.of(c.Account)
	return err
}

func (e *paperDeaf) CloseStatement(account string) error {
	_, err := e.of(account)
	return err
}

func (e *paperDeaf) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.of(r.Account)
	if err != nil {
		return false, err
	}
	return a.redeem(r, 1, a.bal)
}

func (e *paperDeaf) Balance(account string) (issuer.Balance, error) {
	a, err := e.of(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(1, a.bal), nil
}

func (e *paperDeaf) Postings(account string) []Posting {
	if a := e.byName[account]; a != nil {
		return a.copied()
	}
	return nil
}
