package foreign

import (
	"errors"
	"fmt"
	"time"
	_ "time/tzdata" // the schemes' months are local ones, on every machine

	"recoup/internal/issuer"
)

// saffronDesigns are five loyalty programs of shops, carriers and hotels, all sound.
var saffronDesigns = []Design{saffronCoop, saffronFuel, saffronHotel, saffronTelecom, saffronAirline}

var errSaffronAccount = errors.New("saffron: no such account")

// saffronScheme is what one program does with an account's facts. The desk only keeps
// the facts, the clock and the cash box.
type saffronScheme interface {
	// bought books what a purchase that has just cleared changes at once.
	bought(a *saffronAccount, now time.Time, b *saffronBuy)
	// returned books what a return changes at once; b is nil if it names no purchase.
	returned(a *saffronAccount, now time.Time, b *saffronBuy, ref string)
	// day books what is due at this local midnight.
	day(a *saffronAccount, at time.Time)
	// sure is what all facts that have arrived, booked or not, leave of what has been
	// granted, at the least. Nothing beyond it leaves the house.
	sure(a *saffronAccount) int64
}

// saffronDesk is the port: facts in, each once, and days passing.
type saffronDesk struct {
	scheme   saffronScheme
	zone     *time.Location
	clock    time.Time
	accounts map[string]*saffronAccount
	order    []*saffronAccount
}

// saffronNew opens a desk in the zone. The zones are built in; UTC stands in for none.
func saffronNew(zone string, s saffronScheme) Engine {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		loc = time.UTC
	}
	return &saffronDesk{scheme: s, zone: loc, accounts: map[string]*saffronAccount{}}
}

// Open creates an account.
func (d *saffronDesk) Open(account string) error {
	if d.accounts[account] != nil {
		return fmt.Errorf("saffron: account %q is open", account)
	}
	a := &saffronAccount{
		zone: d.zone, byID: map[string]*saffronBuy{}, early: map[string]int64{}, seen: map[string]bool{},
		redemptions: map[string]int64{}, periods: map[int]int64{},
	}
	d.accounts[account] = a
	d.order = append(d.order, a)
	return nil
}

// SetClock lets the days pass, each of which books at its own midnight.
func (d *saffronDesk) SetClock(now time.Time) error {
	if !now.After(d.clock) {
		return nil
	}
	for _, a := range d.order {
		from := d.clock
		if from.IsZero() { // facts may have come before the clock was first set
			if from = a.first; from.IsZero() {
				continue
			}
		}
		y, m, day := from.In(d.zone).Date()
		for i := 1; ; i++ {
			at := time.Date(y, m, day+i, 0, 0, 0, 0, d.zone)
			if at.After(now) {
				break
			}
			d.scheme.day(a, at)
		}
	}
	d.clock = now
	return nil
}

// when is the time of a fact.
func (d *saffronDesk) when(a *saffronAccount, at time.Time) time.Time {
	if at.IsZero() {
		at = d.clock
	}
	if a.first.IsZero() || at.Before(a.first) {
		a.first = at
	}
	return at
}

// now is when a row is booked.
func (d *saffronDesk) now(at time.Time) time.Time {
	if d.clock.IsZero() {
		return at
	}
	return d.clock
}

// Settle takes in a cleared purchase, once, with what came back before it cleared.
func (d *saffronDesk) Settle(s issuer.Settlement) error {
	a := d.accounts[s.Account]
	if a == nil {
		return errSaffronAccount
	}
	if s.Amount <= 0 || a.byID[s.Transaction] != nil {
		return nil
	}
	at := d.when(a, s.At)
	b := &saffronBuy{
		id: s.Transaction, merchant: s.Merchant, category: s.Category, amount: s.Amount,
		back: a.early[s.Transaction], at: at, month: a.monthOf(at),
	}
	delete(a.early, s.Transaction)
	a.byID[b.id] = b
	a.buys = append(a.buys, b)
	a.largest = max(a.largest, b.amount)
	d.scheme.bought(a, d.now(at), b)
	return nil
}

// Refund takes in a refund, once. Another amount or purchase under a name that has been
// used is another refund: merchants number theirs without asking each other.
func (d *saffronDesk) Refund(r issuer.Refund) error {
	a := d.accounts[r.Account]
	if a == nil {
		return errSaffronAccount
	}
	if r.Amount <= 0 || a.again(r.Refund, fmt.Sprintf("refund %q %q %d", r.Refund, r.Transaction, r.Amount)) {
		return nil
	}
	d.reverse(a, d.when(a, r.At), r.Transaction, saffronLoose{id: r.Refund, merchant: r.Merchant, amount: r.Amount})
	return nil
}

// Chargeback takes a purchase back, or a part of it.
func (d *saffronDesk) Chargeback(c issuer.Chargeback) error {
	a := d.accounts[c.Account]
	if a == nil {
		return errSaffronAccount
	}
	if c.Amount < 0 || a.again(c.Chargeback, fmt.Sprintf("chargeback %q %q %d", c.Chargeback, c.Transaction, c.Amount)) {
		return nil
	}
	amount := c.Amount
	if amount == 0 {
		amount = saffronMost
	}
	d.reverse(a, d.when(a, c.At), c.Transaction, saffronLoose{id: c.Chargeback, amount: amount})
	return nil
}

// reverse counts the return of a purchase, whether it has cleared or not, or of one that
// is not named.
func (d *saffronDesk) reverse(a *saffronAccount, at time.Time, tx string, r saffronLoose) {
	amount, ref := min(r.amount, saffronMost), r.id
	if tx == "" {
		a.loose = append(a.loose, &r)
		d.scheme.returned(a, d.now(at), nil, ref)
		return
	}
	b := a.byID[tx]
	if b == nil {
		a.early[tx] = min(saffronMost, a.early[tx]+amount)
		return
	}
	b.back = min(saffronMost, b.back+amount)
	d.scheme.returned(a, d.now(at), b, ref)
}

// CloseStatement has nothing to do: days pass by the clock.
func (d *saffronDesk) CloseStatement(account string) error {
	if d.accounts[account] == nil {
		return errSaffronAccount
	}
	return nil
}

// Redeem pays what is spare. An accepted redemption that is asked for again is the same.
func (d *saffronDesk) Redeem(r issuer.Redemption) (bool, error) {
	a := d.accounts[r.Account]
	if a == nil {
		return false, errSaffronAccount
	}
	if before, ok := a.redemptions[r.Redemption]; ok && r.Redemption != "" {
		return before == r.Amount, nil
	}
	if r.Amount <= 0 || r.Amount > a.spare(d.scheme.sure(a)) {
		return false, nil
	}
	a.redemptions[r.Redemption] = r.Amount
	a.redeemed += r.Amount
	return true, nil
}

// Balance is what the member sees.
func (d *saffronDesk) Balance(account string) (issuer.Balance, error) {
	a := d.accounts[account]
	if a == nil {
		return issuer.Balance{}, errSaffronAccount
	}
	return issuer.Balance{Balance: a.balance(), Redeemable: a.spare(d.scheme.sure(a))}, nil
}

// PaidOut is what the program paid by itself.
func (d *saffronDesk) PaidOut(account string) (int64, error) {
	a := d.accounts[account]
	if a == nil {
		return 0, errSaffronAccount
	}
	return a.paid, nil
}

// Postings are the account's rows.
func (d *saffronDesk) Postings(account string) []Posting {
	a := d.accounts[account]
	if a == nil {
		return nil
	}
	return append([]Posting(nil), a.rows...)
}
