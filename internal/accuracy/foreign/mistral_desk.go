package foreign

import (
	"errors"
	"fmt"
	"sort"
	"time"
	_ "time/tzdata" // the programs' zones, wherever this runs

	"recoup/internal/issuer"
)

// mistralDesigns are five programs that are all sound and whose books have little in common.
var mistralDesigns = []Design{
	mistralFjord, mistralSakura, mistralMarken, mistralDividend, mistralSouq,
}

// mistralBook keeps the reward ledger of one account: all that tells one program from another.
// The facts lie on the account, already freed of duplicates and linked to their purchases.
type mistralBook interface {
	// settled and returned are told of a fact just after the account has taken it in.
	settled(p *mistralPurchase, now time.Time)
	returned(r *mistralReturn, now time.Time)
	// next is when the book first has something to do by itself later than after; zero: never.
	next(after time.Time) time.Time
	job(at time.Time)
	// sure is what could be paid out without any fact that is known by now speaking against
	// it. It may be negative.
	sure(now time.Time) int64
}

// mistralPurchase is a cleared purchase and what of it has been returned under its name.
type mistralPurchase struct {
	id, category string
	amount, back int64 // back is at most amount: no refund returns more than was bought
	at           time.Time
	known        time.Time // when its clearing was delivered
}

func (p *mistralPurchase) left() int64 { return p.amount - p.back }

// mistralReturn is a refund or a chargeback.
type mistralReturn struct {
	id, transaction string
	amount          int64
	whole           bool // a chargeback of all of the purchase, whatever its amount
	known           time.Time
	purchase        *mistralPurchase // nil as long as no purchase of that name has cleared
	took            int64            // what it took of its purchase: less than amount if too little was left
}

// apply takes the return out of its purchase.
func (r *mistralReturn) apply(p *mistralPurchase) {
	r.purchase, r.took = p, p.left()
	if !r.whole && r.amount < r.took {
		r.took = r.amount
	}
	p.back += r.took
}

// mistralUse is a redemption that was paid.
type mistralUse struct {
	at     time.Time
	amount int64
}

// mistralAccount has the facts of an account and the rows that its book has made of them.
type mistralAccount struct {
	purchases []*mistralPurchase // in the order of delivery, which is also that of caps
	byID      map[string]*mistralPurchase
	returns   []*mistralReturn
	seen      map[string]bool
	uses      []mistralUse
	answered  map[string]int64
	redeemed  int64
	rows      []Posting
	posted    int64 // the sum of rows
	done      time.Time
	book      mistralBook
}

// post writes a row; rows of nothing are not written.
func (a *mistralAccount) post(p Posting) {
	if p.Amount == 0 {
		return
	}
	a.rows = append(a.rows, p)
	a.posted += p.Amount
}

// loose are the returns that belong to no purchase known so far: those without a name, and
// those whose purchase has not cleared. All books treat them as if they were of whatever would
// lose most, for the name on them may be wrong and the purchase one of those that did clear.
func (a *mistralAccount) loose() []*mistralReturn {
	var out []*mistralReturn
	for _, r := range a.returns {
		if r.purchase == nil && r.amount > 0 {
			out = append(out, r)
		}
	}
	return out
}

// looseWorth is the most that the loose returns can have cost at so many basis points.
func (a *mistralAccount) looseWorth(bps int64) int64 {
	var sum int64
	for _, r := range a.loose() {
		sum += mistralCeil(r.amount*bps, 10000)
	}
	return sum
}

// mistralDesk is the counter at which all five programs receive their facts.
type mistralDesk struct {
	now      time.Time
	accounts map[string]*mistralAccount
	open     func(*mistralAccount) mistralBook
}

func mistralNew(open func(*mistralAccount) mistralBook) *mistralDesk {
	return &mistralDesk{accounts: map[string]*mistralAccount{}, open: open}
}

// Open implements issuer.Issuer.
func (d *mistralDesk) Open(account string) error {
	if _, ok := d.accounts[account]; ok {
		return nil
	}
	a := &mistralAccount{byID: map[string]*mistralPurchase{}, seen: map[string]bool{}, answered: map[string]int64{}, done: d.now}
	a.book = d.open(a)
	d.accounts[account] = a
	return nil
}

// SetClock runs what every book had to do until now, each job at the time it was due.
func (d *mistralDesk) SetClock(now time.Time) error {
	if now.Before(d.now) {
		return errors.New("mistral: the clock does not go back")
	}
	d.now = now
	names := make([]string, 0, len(d.accounts))
	for name := range d.accounts {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		a := d.accounts[name]
		if a.done.IsZero() { // opened before the clock was first set
			a.done = now
		}
		for t := a.book.next(a.done); !t.IsZero() && !t.After(now); t = a.book.next(a.done) {
			a.done = t
			a.book.job(t)
		}
	}
	return nil
}

func (d *mistralDesk) account(name string) (*mistralAccount, error) {
	if a, ok := d.accounts[name]; ok {
		return a, nil
	}
	return nil, fmt.Errorf("mistral: no account %q", name)
}

// when is the time of a fact: nothing happens later than it is heard of.
func (d *mistralDesk) when(at time.Time) time.Time {
	if at.IsZero() || at.After(d.now) {
		return d.now
	}
	return at
}

// Settle implements issuer.Issuer. A purchase clears once; returns that came before it find
// it now.
func (d *mistralDesk) Settle(s issuer.Settlement) error {
	a, err := d.account(s.Account)
	if err != nil {
		return err
	}
	if s.Transaction == "" {
		return errors.New("mistral: a clearing without a transaction")
	}
	if s.Amount <= 0 || a.byID[s.Transaction] != nil {
		return nil
	}
	p := &mistralPurchase{id: s.Transaction, category: s.Category, amount: s.Amount, at: d.when(s.At), known: d.now}
	a.byID[p.id] = p
	a.purchases = append(a.purchases, p)
	for _, r := range a.returns {
		if r.transaction == p.id {
			r.apply(p)
		}
	}
	a.book.settled(p, d.now)
	return nil
}

// Refund implements issuer.Issuer.
func (d *mistralDesk) Refund(r issuer.Refund) error {
	a, err := d.account(r.Account)
	if err != nil {
		return err
	}
	if r.Refund == "" {
		return errors.New("mistral: a refund without an id")
	}
	if r.Amount <= 0 {
		return nil
	}
	key := fmt.Sprintf("refund %q of %q by %q: %d", r.Refund, r.Transaction, r.Merchant, r.Amount)
	d.take(a, key, &mistralReturn{id: r.Refund, transaction: r.Transaction, amount: r.Amount})
	return nil
}

// Chargeback implements issuer.Issuer. What refunds have returned before is not there to be
// charged back again.
func (d *mistralDesk) Chargeback(c issuer.Chargeback) error {
	a, err := d.account(c.Account)
	if err != nil {
		return err
	}
	if c.Chargeback == "" || c.Transaction == "" && c.Amount == 0 {
		return errors.New("mistral: a chargeback of nothing that can be named")
	}
	if c.Amount < 0 {
		return nil
	}
	key := fmt.Sprintf("chargeback %q of %q: %d", c.Chargeback, c.Transaction, c.Amount)
	d.take(a, key, &mistralReturn{id: c.Chargeback, transaction: c.Transaction, amount: c.Amount, whole: c.Amount == 0})
	return nil
}

// take takes a return in, once. Only what is the same in all that matters is a redelivery: an
// id that a sender has used again for something else is another return.
func (d *mistralDesk) take(a *mistralAccount, key string, r *mistralReturn) {
	if a.seen[key] {
		return
	}
	a.seen[key] = true
	r.known = d.now
	a.returns = append(a.returns, r)
	if p := a.byID[r.transaction]; p != nil {
		r.apply(p)
	}
	a.book.returned(r, d.now)
}

// CloseStatement implements issuer.Issuer: all books close by their own clock.
func (d *mistralDesk) CloseStatement(account string) error {
	_, err := d.account(account)
	return err
}

// Redeem implements issuer.Issuer. A redelivery gets the answer that was given; one that was
// refused may be tried again.
func (d *mistralDesk) Redeem(r issuer.Redemption) (bool, error) {
	a, err := d.account(r.Account)
	if err != nil {
		return false, err
	}
	if amount, ok := a.answered[r.Redemption]; ok && r.Redemption != "" {
		return amount == r.Amount, nil
	}
	if r.Amount <= 0 || r.Amount > d.redeemable(a) {
		return false, nil
	}
	a.answered[r.Redemption] = r.Amount
	a.redeemed += r.Amount
	a.uses = append(a.uses, mistralUse{d.now, r.Amount})
	return true, nil
}

func (d *mistralDesk) redeemable(a *mistralAccount) int64 {
	return max(0, min(a.book.sure(d.now), a.posted-a.redeemed))
}

// Balance implements issuer.Issuer.
func (d *mistralDesk) Balance(account string) (issuer.Balance, error) {
	a, err := d.account(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.posted - a.redeemed, Redeemable: d.redeemable(a)}, nil
}

// Postings implements Engine.
func (d *mistralDesk) Postings(account string) []Posting {
	a := d.accounts[account]
	if a == nil {
		return nil
	}
	return append([]Posting(nil), a.rows...)
}

// mistralPayer is a desk whose books pay out by themselves.
type mistralPayer struct{ *mistralDesk }

// PaidOut implements issuer.Payer.
func (p mistralPayer) PaidOut(account string) (int64, error) {
	a, err := p.account(account)
	if err != nil {
		return 0, err
	}
	return mistralPaid(a), nil
}

func mistralPaid(a *mistralAccount) int64 {
	var sum int64
	for _, row := range a.rows {
		if row.Kind == Paid {
			sum -= row.Amount
		}
	}
	return sum
}

// mistralShare is a rate in basis points of an amount, rounded down as rewards are.
func mistralShare(amount, bps int64) int64 { return amount * bps / 10000 }

// mistralCeil divides what is not negative, rounding up as what is taken back unseen is.
func mistralCeil(a, b int64) int64 { return (a + b - 1) / b }

// mistralSigned is the kind of a row that may be of either sign.
func mistralSigned(amount int64) Kind {
	if amount < 0 {
		return Reversed
	}
	return Earned
}

// mistralZone loads a zone that is known to exist.
func mistralZone(name string) *time.Location {
	l, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return l
}

// mistralDate is an hour of a local date; months and days out of range carry over.
func mistralDate(y int, m time.Month, day, hour int, l *time.Location) time.Time {
	return time.Date(y, m, day, hour, 0, 0, 0, l)
}

// mistralMonth numbers local months, so that they can be added to.
func mistralMonth(t time.Time, l *time.Location) int {
	t = t.In(l)
	return t.Year()*12 + int(t.Month()) - 1
}
