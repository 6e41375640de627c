package foreign

import (
	"slices"
	"time"

	"recoup/internal/issuer"
)

// Refund takes in a refund; one of nothing does nothing.
func (d *canalDesk) Refund(r issuer.Refund) error {
	if r.Amount <= 0 {
		_, err := d.file(r.Account)
		return err
	}
	return d.back(r.Account, "refund ", canalBack{id: r.Refund, transaction: r.Transaction, shop: r.Merchant, category: r.Category, amount: r.Amount, at: r.At})
}

// Chargeback takes in a dispute that was won.
func (d *canalDesk) Chargeback(c issuer.Chargeback) error {
	if c.Amount < 0 {
		_, err := d.file(c.Account)
		return err
	}
	return d.back(c.Account, "chargeback ", canalBack{id: c.Chargeback, transaction: c.Transaction, amount: c.Amount, whole: c.Amount == 0, at: c.At})
}

// back takes in what came back, however the network calls it.
func (d *canalDesk) back(account, kind string, k canalBack) error {
	f, err := d.file(account)
	if err != nil || !f.fresh(kind, k.id) {
		return err
	}
	k.at, k.arrived = canalWhen(k.at, d.now), d.now
	if d.plan.takes(f, &k) {
		f.backs = append(f.backs, &k)
	}
	d.work(f, canalCause{transaction: k.transaction, refund: k.id})
	return nil
}

// CloseStatement has nothing to do: the clock closes what is over.
func (d *canalDesk) CloseStatement(account string) error {
	_, err := d.file(account)
	return err
}

// Redeem pays out what there is. The same request asked twice has the same answer.
func (d *canalDesk) Redeem(r issuer.Redemption) (bool, error) {
	f, err := d.file(r.Account)
	if err != nil {
		return false, err
	}
	if a, ok := f.answers[r.Redemption]; ok && r.Redemption != "" {
		return a, nil
	}
	ok := r.Amount > 0 && r.Amount <= d.plan.redeemable(f)
	if ok {
		f.redeemed += r.Amount
	}
	f.answers[r.Redemption] = ok
	return ok, nil
}

// Balance shows the balance, and what of it may be paid out.
func (d *canalDesk) Balance(account string) (issuer.Balance, error) {
	f, err := d.file(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: f.balance(), Redeemable: max(0, min(f.balance(), d.plan.redeemable(f)))}, nil
}

// Postings shows the rows; of an account that there is none of, none.
func (d *canalDesk) Postings(account string) []Posting {
	if f := d.files[account]; f != nil {
		return slices.Clone(f.rows)
	}
	return nil
}

func canalWhen(at, now time.Time) time.Time {
	if at.IsZero() {
		return now
	}
	return at
}

func canalZone(name string) *time.Location {
	l, err := time.LoadLocation(name)
	if err != nil {
		panic(err) // the zones are compiled in
	}
	return l
}

// canalMonth is the first instant of the month in which t lies, n months on.
func canalMonth(t time.Time, zone *time.Location, n int) time.Time {
	y, m, _ := t.In(zone).Date()
	return time.Date(y, m+time.Month(n), 1, 0, 0, 0, 0, zone)
}

// canalKeys are the keys of what is to be posted or has been, in order.
func canalKeys(want, have map[string]int64) []string {
	var keys []string
	for k := range want {
		keys = append(keys, k)
	}
	for k := range have {
		if _, ok := want[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}
