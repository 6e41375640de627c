package foreign

import (
	"errors"
	"time"
	_ "time/tzdata" // zones must be the same on every machine

	"recoup/internal/issuer"
)

// opalDesigns are eight programs by one author. They share the desk below, which takes
// facts in, and nothing of how a reward is reckoned or booked.
var opalDesigns = []Design{
	opalTanukiDesign, opalHelvetiaDesign, opalKelpDesign, opalCrownDesign,
	opalDinarDesign, opalIpeDesign, opalHarvestDesign, opalHanbokDesign,
}

const (
	opal24h = 24 * time.Hour // what terms call a day where they count days
	// opalPark is how long a refund waits for the purchase that it names before it is
	// treated like one that names none.
	opalPark = 30 * opal24h
	// opalAhead is how long before its purchase a refund without a name may have posted.
	opalAhead = 30 * opal24h
)

var (
	errOpalAccount = errors.New("opal: unknown account")
	errOpalAmount  = errors.New("opal: amount must be above zero")
	errOpalClock   = errors.New("opal: the clock does not go back")
)

// opalBuy is a purchase that cleared. back is what refunds and chargebacks that name it
// have taken from it, never more than its amount: what a merchant pays above the price is
// the merchant's present and no return.
type opalBuy struct {
	id, merchant, category string
	amount, back           int64
	at, seen               time.Time // when it happened, and when it cleared here
}

func (b *opalBuy) net() int64 { return b.amount - b.back }

// opalBack is a refund or a chargeback. buy is nil while its purchase is not known, taken
// is what it took from it. early says that it was there before its purchase.
type opalBack struct {
	id, transaction, merchant, category string
	amount, taken                       int64
	whole, early                        bool
	at, seen                            time.Time
	buy                                 *opalBuy
}

// opalScheme is what is special to one program; there is one for each account.
type opalScheme interface {
	// changed is called after a fact has been taken in; one of buy and back is nil.
	changed(a *opalAccount, at time.Time, buy *opalBuy, back *opalBack)
	// due is the first instant after the given one at which something is to be booked
	// without a new fact; zero if there is none.
	due(a *opalAccount, after time.Time) time.Time
	// tick books what is due at an instant.
	tick(a *opalAccount, at time.Time)
	redeemable(a *opalAccount, at time.Time) int64
}

// opalAccount is what the desk knows of a cardholder.
type opalAccount struct {
	opened, booked time.Time
	buys           []*opalBuy // in the order in which they cleared
	byID           map[string]*opalBuy
	backs          []*opalBack
	known          map[string]bool // refunds and chargebacks taken in
	redemptions    map[string]int64
	ledger         []Posting
	posted         int64 // sum of the ledger
	redeemed, paid int64
	scheme         opalScheme
}

func (a *opalAccount) balance() int64 { return a.posted - a.redeemed }

// post writes a row. Rows of nothing are not written.
func (a *opalAccount) post(p Posting) {
	if p.Amount == 0 {
		return
	}
	a.ledger = append(a.ledger, p)
	a.posted += p.Amount
	if p.Kind == Paid {
		a.paid -= p.Amount
	}
}

// link gives a refund its purchase.
func (a *opalAccount) link(back *opalBack, buy *opalBuy) {
	back.buy, back.taken = buy, min(back.amount, buy.net())
	if back.whole {
		back.taken = buy.net()
	}
	buy.back += back.taken
}

// opalDesk is the port: it takes each fact in once, and sees to it that what is due by
// time is booked at its time.
type opalDesk struct {
	now      time.Time
	accounts map[string]*opalAccount
	order    []*opalAccount
	scheme   func() opalScheme
}

func opalNew(scheme func() opalScheme) func() Engine {
	return func() Engine { return &opalDesk{accounts: map[string]*opalAccount{}, scheme: scheme} }
}

func (d *opalDesk) find(account string) (*opalAccount, error) {
	if a := d.accounts[account]; a != nil {
		return a, nil
	}
	return nil, errOpalAccount
}

// when is the time of a fact: the clock's if it names none or one that is still to come.
func (d *opalDesk) when(at time.Time) time.Time {
	if at.IsZero() || at.After(d.now) {
		return d.now
	}
	return at
}

// Open creates an account; one that exists stays as it is.
func (d *opalDesk) Open(account string) error {
	if d.accounts[account] == nil {
		a := &opalAccount{
			opened: d.now, booked: d.now, scheme: d.scheme(), byID: map[string]*opalBuy{},
			known: map[string]bool{}, redemptions: map[string]int64{},
		}
		d.accounts[account] = a
		d.order = append(d.order, a)
	}
	return nil
}

// SetClock books for every account what was due until now, each at its own time.
func (d *opalDesk) SetClock(now time.Time) error {
	if now.Before(d.now) {
		return errOpalClock
	}
	for _, a := range d.order {
		if a.opened.IsZero() { // opened before the clock was set for the first time
			a.opened, a.booked = now, now
		}
		for {
			due := a.scheme.due(a, a.booked)
			if due.IsZero() || due.After(now) {
				break
			}
			a.booked = due
			a.scheme.tick(a, due)
		}
		a.booked = now
	}
	d.now = now
	return nil
}

// Settle takes a purchase in, with the refunds that have waited for it.
func (d *opalDesk) Settle(s issuer.Settlement) error {
	a, err := d.find(s.Account)
	if err != nil {
		return err
	}
	if s.Amount <= 0 {
		return errOpalAmount
	}
	if a.byID[s.Transaction] != nil {
		return nil
	}
	buy := &opalBuy{id: s.Transaction, merchant: s.Merchant, category: s.Category, amount: s.Amount, at: d.when(s.At), seen: d.now}
	a.buys = append(a.buys, buy)
	a.byID[buy.id] = buy
	var waited []*opalBack
	for _, b := range a.backs {
		if b.buy == nil && b.transaction != "" && b.transaction == buy.id {
			b.early = true
			a.link(b, buy)
			waited = append(waited, b)
		}
	}
	a.scheme.changed(a, d.now, buy, nil)
	for _, b := range waited {
		a.scheme.changed(a, d.now, nil, b)
	}
	return nil
}

// Refund takes a refund in.
func (d *opalDesk) Refund(r issuer.Refund) error {
	if r.Amount <= 0 {
		return errOpalAmount
	}
	return d.takeBack(r.Account, "refund "+r.Refund, &opalBack{
		id: r.Refund, transaction: r.Transaction, merchant: r.Merchant, category: r.Category, amount: r.Amount, at: r.At,
	})
}

// Chargeback takes a chargeback in; it is a refund but for its amount.
func (d *opalDesk) Chargeback(c issuer.Chargeback) error {
	if c.Amount < 0 {
		return errOpalAmount
	}
	return d.takeBack(c.Account, "chargeback "+c.Chargeback, &opalBack{
		id: c.Chargeback, transaction: c.Transaction, amount: c.Amount, whole: c.Amount == 0, at: c.At,
	})
}

func (d *opalDesk) takeBack(account, fact string, back *opalBack) error {
	a, err := d.find(account)
	if err != nil {
		return err
	}
	if a.known[fact] {
		return nil
	}
	a.known[fact] = true
	back.at, back.seen = d.when(back.at), d.now
	a.backs = append(a.backs, back)
	if buy := a.byID[back.transaction]; buy != nil && back.transaction != "" {
		a.link(back, buy)
	}
	a.scheme.changed(a, d.now, nil, back)
	return nil
}

// CloseStatement has nothing to do: statements close by the clock.
func (d *opalDesk) CloseStatement(account string) error {
	_, err := d.find(account)
	return err
}

// Redeem pays out what is redeemable. A request that was paid is not paid again.
func (d *opalDesk) Redeem(r issuer.Redemption) (bool, error) {
	a, err := d.find(r.Account)
	if err != nil {
		return false, err
	}
	if paid, ok := a.redemptions[r.Redemption]; ok {
		return paid == r.Amount, nil
	}
	if r.Amount <= 0 || r.Amount > a.scheme.redeemable(a, d.now) {
		return false, nil
	}
	a.redemptions[r.Redemption] = r.Amount
	a.redeemed += r.Amount
	return true, nil
}

// Balance shows the account.
func (d *opalDesk) Balance(account string) (issuer.Balance, error) {
	a, err := d.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.balance(), Redeemable: max(0, a.scheme.redeemable(a, d.now))}, nil
}

// PaidOut is what the program paid by itself.
func (d *opalDesk) PaidOut(account string) (int64, error) {
	a, err := d.find(account)
	if err != nil {
		return 0, err
	}
	return a.paid, nil
}

// Postings are the account's rows.
func (d *opalDesk) Postings(account string) []Posting {
	if a := d.accounts[account]; a != nil {
		return append([]Posting(nil), a.ledger...)
	}
	return nil
}
