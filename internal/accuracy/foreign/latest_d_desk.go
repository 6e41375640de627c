package foreign

import (
	"errors"
	"fmt"
	"sort"
	"time"

	"recoup/internal/issuer"
)

var latestDDesigns = []Design{
	latestDCertDesign(), latestDClimbDesign(), latestDPointsDesign(),
	latestDCutDesign(), latestDMonthDesign(), latestDSlotsDesign(),
}

// latestDSale is a purchase as the front desk files it.
type latestDSale struct {
	id, merchant, mcc, category string
	amount                      int64
	gone                        int64 // returned or disputed so far, never above amount
	at                          time.Time
}

func (s *latestDSale) net() int64 { return s.amount - s.gone }

// latestDTake is something given back that waits for its purchase.
type latestDTake struct {
	ref     string
	amount  int64 // what is still to be placed
	all     bool  // a chargeback of whatever is left
	dispute bool
	// A refund that names no purchase is placed by these.
	merchant, mcc string
	at            time.Time
}

// latestDFile is what each of these programs keeps of an account, whatever else it does.
type latestDFile struct {
	opened                 time.Time
	entries                []Posting
	total, redeemed, payed int64
	seen                   map[string]bool
	sales                  map[string]*latestDSale
	order                  []*latestDSale
	early                  map[string][]latestDTake
	loose                  []*latestDTake
}

func (f *latestDFile) base() *latestDFile { return f }

func (f *latestDFile) balance() int64 { return f.total - f.redeemed }

// redeemable is all of the balance, unless a program says otherwise.
func (f *latestDFile) redeemable(time.Time) int64 { return f.balance() }

// due does nothing for a program that has no clockwork.
func (f *latestDFile) due(time.Time) {}

func (f *latestDFile) post(p Posting) {
	if p.Amount == 0 {
		return
	}
	f.total += p.Amount
	if p.Kind == Paid {
		f.payed -= p.Amount
	}
	f.entries = append(f.entries, p)
}

// first says whether a fact is new, and remembers it.
func (f *latestDFile) first(kind, id string) bool {
	key := kind + ":" + id
	if f.seen[key] {
		return false
	}
	f.seen[key] = true
	return true
}

// latestDAccount is a program's account: the file and what the program does with it.
type latestDAccount interface {
	base() *latestDFile
	booked(now time.Time, s *latestDSale)
	// taken says that amount of s, which is already in s.gone, was given back.
	taken(now time.Time, s *latestDSale, amount int64, ref string, dispute bool)
	due(now time.Time)
	redeemable(now time.Time) int64
}

// latestDDesk takes facts in, each once, and finds the purchase that a return belongs to.
type latestDDesk struct {
	now      time.Time
	accounts map[string]latestDAccount
	fresh    func(latestDFile) latestDAccount
}

func latestDNewDesk(fresh func(latestDFile) latestDAccount) *latestDDesk {
	return &latestDDesk{accounts: map[string]latestDAccount{}, fresh: fresh}
}

func (d *latestDDesk) find(account string) (latestDAccount, error) {
	a, ok := d.accounts[account]
	if !ok {
		return nil, fmt.Errorf("no account %q", account)
	}
	return a, nil
}

func (d *latestDDesk) Open(account string) error {
	if account == "" {
		return errors.New("an account needs a name")
	}
	if _, ok := d.accounts[account]; ok {
		return nil
	}
	d.accounts[account] = d.fresh(latestDFile{
		opened: d.now,
		seen:   map[string]bool{},
		sales:  map[string]*latestDSale{},
		early:  map[string][]latestDTake{},
	})
	d.accounts[account].due(d.now)
	return nil
}

func (d *latestDDesk) SetClock(now time.Time) error {
	now = now.UTC()
	if now.Before(d.now) {
		return errors.New("the clock does not go back")
	}
	d.now = now
	for _, a := range d.accounts {
		if f := a.base(); f.opened.IsZero() {
			f.opened = now
		}
		a.due(now)
	}
	return nil
}

func (d *latestDDesk) when(at time.Time) time.Time {
	if at.IsZero() {
		return d.now
	}
	return at.UTC()
}

func (d *latestDDesk) Settle(s issuer.Settlement) error {
	a, err := d.find(s.Account)
	if err != nil {
		return err
	}
	if s.Transaction == "" || s.Amount < 0 {
		return errors.New("a purchase needs a name and an amount")
	}
	f := a.base()
	if !f.first("sale", s.Transaction) {
		return nil
	}
	sale := &latestDSale{id: s.Transaction, merchant: s.Merchant, mcc: s.MCC,
		category: s.Category, amount: s.Amount, at: d.when(s.At)}
	f.sales[sale.id] = sale
	f.order = append(f.order, sale)
	a.booked(d.now, sale)
	for _, t := range f.early[sale.id] {
		d.take(a, sale, t)
	}
	delete(f.early, sale.id)
	// A refund that named no purchase and found none may have been for this one.
	for _, t := range f.loose {
		if !t.at.Before(sale.at) && (t.merchant == "" || t.merchant == sale.merchant) {
			t.amount -= d.take(a, sale, *t)
		}
	}
	return nil
}

// take gives back at most what is left of the purchase, and says how much it was.
func (d *latestDDesk) take(a latestDAccount, s *latestDSale, t latestDTake) int64 {
	amount := min(t.amount, s.net())
	if t.all {
		amount = s.net()
	}
	if amount <= 0 {
		return 0
	}
	s.gone += amount
	a.taken(d.now, s, amount, t.ref, t.dispute)
	return amount
}

func (d *latestDDesk) Refund(r issuer.Refund) error {
	a, err := d.find(r.Account)
	if err != nil {
		return err
	}
	if r.Refund == "" || r.Amount < 0 {
		return errors.New("a refund needs a name and an amount")
	}
	f := a.base()
	if !f.first("refund", r.Refund) {
		return nil
	}
	t := latestDTake{ref: r.Refund, amount: r.Amount, merchant: r.Merchant, mcc: r.MCC, at: d.when(r.At)}
	if r.Transaction != "" {
		d.named(a, r.Transaction, t)
		return nil
	}
	for _, s := range f.candidates(t) {
		t.amount -= d.take(a, s, t)
	}
	if t.amount > 0 {
		f.loose = append(f.loose, &t)
	}
	return nil
}

func (d *latestDDesk) named(a latestDAccount, transaction string, t latestDTake) {
	f := a.base()
	if s, ok := f.sales[transaction]; ok {
		d.take(a, s, t)
		return
	}
	f.early[transaction] = append(f.early[transaction], t)
}

// candidates are the purchases that a refund without a name may be of, the likeliest
// first: those at its merchant, then those of its kind of shop, then any, and of each the
// newest first. Purchases after the refund are not asked.
func (f *latestDFile) candidates(t latestDTake) []*latestDSale {
	var list []*latestDSale
	for _, s := range f.order {
		if !s.at.After(t.at) {
			list = append(list, s)
		}
	}
	rank := func(s *latestDSale) int {
		switch {
		case t.merchant != "" && s.merchant == t.merchant:
			return 0
		case t.mcc != "" && s.mcc == t.mcc:
			return 1
		}
		return 2
	}
	sort.SliceStable(list, func(i, j int) bool {
		if a, b := rank(list[i]), rank(list[j]); a != b {
			return a < b
		}
		return list[i].at.After(list[j].at)
	})
	return list
}

func (d *latestDDesk) Chargeback(c issuer.Chargeback) error {
	a, err := d.find(c.Account)
	if err != nil {
		return err
	}
	if c.Chargeback == "" || c.Transaction == "" || c.Amount < 0 {
		return errors.New("a chargeback needs a name, a purchase and no negative amount")
	}
	if !a.base().first("dispute", c.Chargeback) {
		return nil
	}
	d.named(a, c.Transaction, latestDTake{ref: c.Chargeback, amount: c.Amount, all: c.Amount == 0, dispute: true})
	return nil
}

// latestDCloser is an account whose statement is closed from outside.
type latestDCloser interface{ closeStatement(now time.Time) }

func (d *latestDDesk) CloseStatement(account string) error {
	a, err := d.find(account)
	if err != nil {
		return err
	}
	if c, ok := a.(latestDCloser); ok {
		c.closeStatement(d.now)
	}
	return nil
}

func (d *latestDDesk) Redeem(r issuer.Redemption) (bool, error) {
	a, err := d.find(r.Account)
	if err != nil {
		return false, err
	}
	f := a.base()
	key := "redeemed:" + r.Redemption
	if f.seen[key] {
		return true, nil // it was paid when it was first asked for
	}
	if r.Amount <= 0 || r.Amount > a.redeemable(d.now) {
		return false, nil
	}
	f.redeemed += r.Amount
	f.seen[key] = true
	return true, nil
}

func (d *latestDDesk) Balance(account string) (issuer.Balance, error) {
	a, err := d.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.base().balance(), Redeemable: max(0, a.redeemable(d.now))}, nil
}

func (d *latestDDesk) Postings(account string) []Posting {
	a, err := d.find(account)
	if err != nil {
		return nil
	}
	return append([]Posting(nil), a.base().entries...)
}

// latestDHalfUp and latestDHalfEven divide what is not negative, to the nearest.
func latestDHalfUp(n, by int64) int64 { return (2*n + by) / (2 * by) }

func latestDHalfEven(n, by int64) int64 {
	q, r := n/by, n%by
	if 2*r > by || 2*r == by && q%2 == 1 {
		q++
	}
	return q
}

func latestDEats(mcc string) bool { return mcc >= "5811" && mcc <= "5814" && len(mcc) == 4 }
