package foreign

import (
	"errors"
	"fmt"
	"time"
	_ "time/tzdata" // the designs go by local dates wherever they run

	"recoup/internal/issuer"
)

// garnetDesigns are eight programs as mass-market vendors describe them in their FAQs.
var garnetDesigns = []Design{
	garnetRappenDesign, garnetTapDesign, garnetKazeDesign,
	garnetLaterDesign, garnetLitreDesign, garnetUnionDesign,
	garnetBazaarDesign, garnetEvergreenDesign,
}

// garnetPurchase is a purchase that has cleared.
type garnetPurchase struct {
	id, merchant, category string
	at                     time.Time
	amount, back           int64 // back is what was returned of it, never above amount
	posted                 int64 // what the books say of it, in designs that book by purchase
	period                 int   // where it counts, in designs whose purchases count together
}

// left is what the customer has kept.
func (p *garnetPurchase) left() int64 { return p.amount - p.back }

// garnetReturn is a refund or a chargeback as a clerk hears of it.
type garnetReturn struct {
	id       string
	purchase *garnetPurchase // nil if it names none; else back has been raised by amount
	merchant string
	amount   int64 // of a named purchase no more than what had been left of it
}

// garnetClerk keeps the rewards of one account. What the desk has seen to is that nothing
// reaches it twice, or before its purchase, or beyond the purchase's price, and that all
// that was due before has been run.
type garnetClerk interface {
	bought(now time.Time, p *garnetPurchase)
	returned(now time.Time, r garnetReturn)
	// due is when the clerk next has to do something by itself; zero: never.
	due() time.Time
	// run does what is due at that time.
	run(at time.Time)
	// free is what can be redeemed.
	free() int64
}

// garnetTaker is a clerk that has to know which rewards a redemption uses.
type garnetTaker interface{ taken(amount int64) }

// garnetAccount is one customer's facts and books.
type garnetAccount struct {
	clerk       garnetClerk
	opened      time.Time
	purchases   map[string]*garnetPurchase
	parked      []*garnetParked // in the order in which they came
	refunds     map[string]bool
	chargebacks map[string]bool
	redemptions map[string]bool
	redeemed    int64
	sum         int64 // of the book
	book        []Posting
}

// balance is what the customer sees.
func (a *garnetAccount) balance() int64 { return a.sum - a.redeemed }

// positive is the balance where nothing is owed.
func (a *garnetAccount) positive() int64 { return max(0, a.balance()) }

// post books an entry; one of nothing is none.
func (a *garnetAccount) post(p Posting) {
	if p.Amount == 0 {
		return
	}
	a.book = append(a.book, p)
	a.sum += p.Amount
}

// garnetDesk takes in what a program is told, for all designs alike.
type garnetDesk struct {
	now      time.Time
	hire     func(*garnetAccount) garnetClerk
	accounts map[string]*garnetAccount
}

// garnetOpenDesk is an engine whose accounts are kept by clerks that hire makes.
func garnetOpenDesk(hire func(*garnetAccount) garnetClerk) Engine {
	return &garnetDesk{hire: hire, accounts: map[string]*garnetAccount{}}
}

// account finds an account, and gives it its clerk if the clock had not been set before.
func (d *garnetDesk) account(name string) (*garnetAccount, error) {
	a := d.accounts[name]
	if a == nil {
		return nil, fmt.Errorf("garnet: no account %q", name)
	}
	d.staff(a)
	return a, nil
}

// staff has the account begin at the desk's clock.
func (d *garnetDesk) staff(a *garnetAccount) {
	if a.clerk == nil {
		a.opened = d.now
		a.clerk = d.hire(a)
	}
}

// Open creates an account with nothing on it; an account that there is stays as it is.
func (d *garnetDesk) Open(name string) error {
	if d.accounts[name] != nil {
		return nil
	}
	a := &garnetAccount{
		purchases: map[string]*garnetPurchase{},
		refunds:   map[string]bool{}, chargebacks: map[string]bool{}, redemptions: map[string]bool{},
	}
	d.accounts[name] = a
	if !d.now.IsZero() {
		d.staff(a)
	}
	return nil
}

// SetClock moves the clock and has every clerk do what was due on the way, at its time.
func (d *garnetDesk) SetClock(now time.Time) error {
	if !now.After(d.now) {
		return nil
	}
	d.now = now
	for _, a := range d.accounts { // accounts have nothing to do with each other
		d.staff(a)
		d.catchUp(a)
	}
	return nil
}

// Settle takes in a purchase, and then what of it had been returned before it cleared.
func (d *garnetDesk) Settle(s issuer.Settlement) error {
	a, err := d.account(s.Account)
	if err != nil {
		return err
	}
	if s.Transaction == "" {
		return errors.New("garnet: a purchase without a name")
	}
	if s.Amount <= 0 || a.purchases[s.Transaction] != nil {
		return nil
	}
	p := &garnetPurchase{
		id: s.Transaction, merchant: s.Merchant, category: s.Category, at: s.At, amount: s.Amount,
	}
	if p.at.IsZero() {
		p.at = d.now
	}
	a.purchases[p.id] = p
	a.clerk.bought(d.now, p)
	d.unpark(a, p)
	d.catchUp(a)
	return nil
}

// Refund takes in a refund once; one whose purchase has not cleared waits for it.
func (d *garnetDesk) Refund(r issuer.Refund) error {
	a, err := d.account(r.Account)
	if err != nil {
		return err
	}
	if r.Refund == "" {
		return errors.New("garnet: a refund without a name")
	}
	if r.Amount <= 0 || a.refunds[r.Refund] {
		return nil
	}
	a.refunds[r.Refund] = true
	if r.Transaction == "" {
		a.clerk.returned(d.now, garnetReturn{id: r.Refund, merchant: r.Merchant, amount: r.Amount})
	} else {
		d.file(a, &garnetParked{
			id: r.Refund, transaction: r.Transaction, merchant: r.Merchant, amount: r.Amount,
		})
	}
	d.catchUp(a)
	return nil
}

// Chargeback takes in a chargeback once, of all that is left if it has no amount.
func (d *garnetDesk) Chargeback(c issuer.Chargeback) error {
	a, err := d.account(c.Account)
	if err != nil {
		return err
	}
	if c.Chargeback == "" || c.Transaction == "" {
		return errors.New("garnet: a chargeback without a name, or of no purchase")
	}
	if c.Amount < 0 || a.chargebacks[c.Chargeback] {
		return nil
	}
	a.chargebacks[c.Chargeback] = true
	d.file(a, &garnetParked{
		id: c.Chargeback, transaction: c.Transaction, amount: c.Amount, whole: c.Amount == 0,
	})
	d.catchUp(a)
	return nil
}

// reverse takes a part of a purchase back. What is more than was left of it is money that
// the merchant gave: no reward had been earned with it, so none is lost.
func (d *garnetDesk) reverse(a *garnetAccount, p *garnetPurchase, r *garnetParked) {
	x := p.left()
	if !r.whole {
		x = min(x, r.amount)
	}
	if x == 0 {
		return
	}
	p.back += x
	a.clerk.returned(d.now, garnetReturn{id: r.id, purchase: p, merchant: p.merchant, amount: x})
}

// CloseStatement has nothing to do: clerks go by the clock.
func (d *garnetDesk) CloseStatement(name string) error {
	_, err := d.account(name)
	return err
}

// Redeem pays out at once, or refuses. One that was paid is not paid again; one that was
// refused may be asked for again.
func (d *garnetDesk) Redeem(r issuer.Redemption) (bool, error) {
	a, err := d.account(r.Account)
	if err != nil {
		return false, err
	}
	if r.Redemption != "" && a.redemptions[r.Redemption] {
		return true, nil
	}
	if r.Amount <= 0 || r.Amount > a.clerk.free() {
		return false, nil
	}
	a.redemptions[r.Redemption] = true
	a.redeemed += r.Amount
	if t, ok := a.clerk.(garnetTaker); ok {
		t.taken(r.Amount)
	}
	return true, nil
}

// Balance shows the account.
func (d *garnetDesk) Balance(name string) (issuer.Balance, error) {
	a, err := d.account(name)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.balance(), Redeemable: a.clerk.free()}, nil
}

// PaidOut is what the program paid without being asked.
func (d *garnetDesk) PaidOut(name string) (int64, error) {
	a, err := d.account(name)
	if err != nil {
		return 0, err
	}
	var paid int64
	for _, p := range a.book {
		if p.Kind == Paid {
			paid -= p.Amount
		}
	}
	return paid, nil
}

// Postings are the account's books.
func (d *garnetDesk) Postings(name string) []Posting {
	a := d.accounts[name]
	if a == nil {
		return nil
	}
	return append([]Posting(nil), a.book...)
}

// garnetCeil divides and rounds up, as one does who would rather not pay too much.
func garnetCeil(x, by int64) int64 { return (x + by - 1) / by }

// garnetZone is a zone of the tz database.
func garnetZone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return zone
}

// garnetMonth counts months, so that the next one is one more.
func garnetMonth(t time.Time, zone *time.Location) int {
	t = t.In(zone)
	return t.Year()*12 + int(t.Month()) - 1
}

// garnetFirst is when the given day of a counted month begins.
func garnetFirst(month, day int, zone *time.Location) time.Time {
	return time.Date(month/12, time.Month(month%12+1), day, 0, 0, 0, 0, zone)
}

// garnetNext is the next beginning of that day of a month after t.
func garnetNext(t time.Time, day int, zone *time.Location) time.Time {
	month := garnetMonth(t, zone)
	if next := garnetFirst(month, day, zone); next.After(t) {
		return next
	}
	return garnetFirst(month+1, day, zone)
}
