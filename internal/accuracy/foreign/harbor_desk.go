package foreign

import (
	"errors"
	"time"
	_ "time/tzdata" // zones must not depend on the machine

	"recoup/internal/issuer"
)

// harborDesigns are the programs of retailers, travel and telecom brands written here.
var harborDesigns = []Design{
	harborGrocer, harborFolio, harborFuel,
	harborMarket, harborTelecom, harborStore, harborMiles, harborWeekend,
}

// harborClearingLag is how much later than a refund without a name its purchase may
// clear: a return at the counter can overtake the clearing of what it returns.
const harborClearingLag = 10 * 24 * time.Hour

// harborPatience is how long a refund waits for the purchase that it names. Then it counts
// as one without a name, until the purchase does turn up.
const harborPatience = 30 * 24 * time.Hour

// harborBuy is a purchase that has cleared.
type harborBuy struct {
	id, merchant, category string
	amount                 int64
	at                     time.Time
	// named is what refunds and chargebacks that name the purchase took back, loose what
	// refunds without a name were placed here. Both are set afresh by match.
	named, loose int64
}

// net is what is left of the purchase.
func (b *harborBuy) net() int64 { return b.amount - b.named - b.loose }

// harborBack is a refund or a chargeback.
type harborBack struct {
	id, tx, merchant string
	amount           int64
	whole            bool // a chargeback of all that there is
	at, heard        time.Time
	loose            bool         // it names no purchase, or none that has turned up
	parts            []harborPart // where match has put it
}

// harborPart is how much of a refund is of which purchase.
type harborPart struct {
	buy *harborBuy
	x   int64
}

// harborBook is all that is known of one account.
type harborBook struct {
	opened, now    time.Time
	buys           []*harborBuy // in the order of their delivery
	byID           map[string]*harborBuy
	backs          []*harborBack
	seen           map[string]bool  // facts, so that the same message counts once
	answers        map[string]bool  // redemptions, likewise
	booked         map[string]int64 // what has been posted so far, by whatever a design books under
	rows           []Posting
	sum            int64 // of the rows
	redeemed, paid int64
	stale          bool // something was heard since a design last did its nightly work
}

func (k *harborBook) balance() int64 { return k.sum - k.redeemed }

// post appends a row at the book's time.
func (k *harborBook) post(row Posting) {
	if row.Amount == 0 {
		return
	}
	row.At = k.now
	k.rows = append(k.rows, row)
	k.sum += row.Amount
}

// level posts what is missing from, or too much under, a label. The row says everything
// but its amount and, unless it has one, its kind.
func (k *harborBook) level(label string, target int64, row Posting) {
	row.Amount = target - k.booked[label]
	if row.Kind == "" {
		row.Kind = Earned
		if row.Amount < 0 {
			row.Kind = Reversed
		}
	}
	k.booked[label] = target
	k.post(row)
}

// harborFact is what has just been heard: a purchase, something that came back, or, if it
// is neither, that a refund has waited for its purchase long enough.
type harborFact struct {
	buy  *harborBuy
	back *harborBack
}

// refund is the name of the refund that was heard, if it was one.
func (f harborFact) refund() string {
	if f.back == nil {
		return ""
	}
	return f.back.id
}

// harborPlan is what one program does with its books.
type harborPlan interface {
	// next is the first time after t at which something is due by the calendar; zero: never.
	next(k *harborBook, t time.Time) time.Time
	// due does what is due at the book's time.
	due(k *harborBook)
	// heard reacts to a new fact.
	heard(k *harborBook, f harborFact)
	// free is what could be redeemed; the desk takes care that it is not negative.
	free(k *harborBook) int64
}

// harborDesk takes facts in for a plan: every program here has the same counter, none the
// same books.
type harborDesk struct {
	plan  harborPlan
	now   time.Time
	books map[string]*harborBook
	order []string // of opening, so that nothing depends on a map's order
}

func harborNew(plan harborPlan) func() Engine {
	return func() Engine { return &harborDesk{plan: plan, books: map[string]*harborBook{}} }
}

var (
	errHarborAccount = errors.New("harbor: no such account")
	errHarborOpen    = errors.New("harbor: account is open already")
	errHarborClock   = errors.New("harbor: the clock does not go back")
	errHarborName    = errors.New("harbor: a fact without an id")
)

func (d *harborDesk) Open(account string) error {
	if d.books[account] != nil {
		return errHarborOpen
	}
	d.books[account] = &harborBook{
		opened: d.now, now: d.now, byID: map[string]*harborBuy{},
		seen: map[string]bool{}, answers: map[string]bool{}, booked: map[string]int64{},
	}
	d.order = append(d.order, account)
	return nil
}

func (d *harborDesk) SetClock(now time.Time) error {
	if now.Before(d.now) {
		return errHarborClock
	}
	for _, account := range d.order {
		k := d.books[account]
		if k.now.IsZero() { // opened before there was a clock
			k.opened, k.now = now, now
		}
		for {
			t, gaveUp := d.plan.next(k, k.now), k.nextGivenUp(k.now)
			first := harborEarlier(t, gaveUp)
			if first.IsZero() || first.After(now) {
				break
			}
			k.now = first
			if first.Equal(gaveUp) {
				d.plan.heard(k, harborFact{})
			}
			if first.Equal(t) {
				d.plan.due(k)
			}
		}
		k.now = now
	}
	d.now = now
	return nil
}

// book finds the account of a fact and says whether the fact is a new one.
func (d *harborDesk) book(account, kind, id string, at *time.Time) (*harborBook, bool, error) {
	k := d.books[account]
	if k == nil {
		return nil, false, errHarborAccount
	}
	if id == "" {
		return nil, false, errHarborName
	}
	if at.IsZero() {
		*at = d.now
	}
	fresh := !k.seen[kind+id]
	k.seen[kind+id] = true
	return k, fresh, nil
}

func (d *harborDesk) Settle(s issuer.Settlement) error {
	k, fresh, err := d.book(s.Account, "s/", s.Transaction, &s.At)
	if err != nil || !fresh || s.Amount <= 0 {
		return err
	}
	b := &harborBuy{id: s.Transaction, merchant: s.Merchant, category: s.Category, amount: s.Amount, at: s.At}
	k.buys = append(k.buys, b)
	k.byID[b.id] = b
	d.plan.heard(k, harborFact{buy: b})
	return nil
}

func (d *harborDesk) Refund(r issuer.Refund) error {
	k, fresh, err := d.book(r.Account, "r/", r.Refund, &r.At)
	if err != nil || !fresh || r.Amount <= 0 {
		return err
	}
	k.takeBack(d.plan, &harborBack{id: r.Refund, tx: r.Transaction, merchant: r.Merchant, amount: r.Amount, at: r.At})
	return nil
}

func (d *harborDesk) Chargeback(c issuer.Chargeback) error {
	k, fresh, err := d.book(c.Account, "c/", c.Chargeback, &c.At)
	if err != nil || !fresh || c.Amount < 0 || c.Transaction == "" {
		return err
	}
	k.takeBack(d.plan, &harborBack{id: c.Chargeback, tx: c.Transaction, amount: c.Amount, whole: c.Amount == 0, at: c.At})
	return nil
}

func (k *harborBook) takeBack(plan harborPlan, r *harborBack) {
	r.heard = k.now
	k.backs = append(k.backs, r)
	plan.heard(k, harborFact{back: r})
}

// CloseStatement does nothing: all programs here close by their own clock.
func (d *harborDesk) CloseStatement(account string) error {
	if d.books[account] == nil {
		return errHarborAccount
	}
	return nil
}

func (d *harborDesk) Redeem(r issuer.Redemption) (bool, error) {
	k := d.books[r.Account]
	if k == nil {
		return false, errHarborAccount
	}
	if answer, known := k.answers[r.Redemption]; known {
		return answer, nil
	}
	ok := r.Amount > 0 && r.Amount <= d.plan.free(k)
	if ok {
		k.redeemed += r.Amount
	}
	if r.Redemption != "" {
		k.answers[r.Redemption] = ok
	}
	return ok, nil
}

func (d *harborDesk) Balance(account string) (issuer.Balance, error) {
	k := d.books[account]
	if k == nil {
		return issuer.Balance{}, errHarborAccount
	}
	return issuer.Balance{Balance: k.balance(), Redeemable: max(0, d.plan.free(k))}, nil
}

// PaidOut is what programs that pay by themselves have paid.
func (d *harborDesk) PaidOut(account string) (int64, error) {
	k := d.books[account]
	if k == nil {
		return 0, errHarborAccount
	}
	return k.paid, nil
}

func (d *harborDesk) Postings(account string) []Posting {
	k := d.books[account]
	if k == nil {
		return nil
	}
	return append([]Posting(nil), k.rows...)
}
