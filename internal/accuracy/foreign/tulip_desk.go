package foreign

import (
	"fmt"
	"time"
	_ "time/tzdata"

	"recoup/internal/issuer"
)

// tulipDesigns are all designs of this hand.
var tulipDesigns = []Design{
	tulipStornoDesign,
	tulipEnvelopeDesign,
	tulipNightfileDesign,
	tulipVoucherDesign,
	tulipReplayDesign,
	tulipPotsDesign,
	tulipWeekendDesign,
}

// tulipClerk keeps the rewards of one account: what a program does with facts that the
// desk has found to be new.
type tulipClerk interface {
	// bought hears of a purchase, to which returns that came before it are attached.
	bought(b *tulipBuy)
	// returned hears of a return that is already attached to b; b is nil if it names none.
	returned(b *tulipBuy, r tulipReturn)
	// next is when the clerk's next run is due; zero if there is nothing to run.
	next() time.Time
	run(at time.Time)
	redeemable() int64
}

// tulipReturn is a refund or a chargeback.
type tulipReturn struct {
	id       string
	amount   int64
	whole    bool // all of the purchase, whatever its price
	category string
	at       time.Time
}

// tulipBuy is a purchase with what came back of it.
type tulipBuy struct {
	id, category string
	amount       int64
	at           time.Time
	returns      []tulipReturn
}

// net is what is left of the purchase, never below zero.
func (b *tulipBuy) net() int64 { return b.left(func(tulipReturn) bool { return true }) }

// left is what is left of the purchase if only the returns that count had happened.
func (b *tulipBuy) left(counts func(tulipReturn) bool) int64 {
	n := b.amount
	for _, r := range b.returns {
		switch {
		case !counts(r):
		case r.whole:
			n = 0
		default:
			n -= r.amount
		}
	}
	return max(0, n)
}

// tulipFile is what the desk has of an account: its facts, each once, and its ledger.
type tulipFile struct {
	now      time.Time
	buys     []*tulipBuy // in the order in which they were delivered
	byID     map[string]*tulipBuy
	early    map[string][]tulipReturn // returns of purchases that have not been delivered
	seen     map[string]bool
	rows     []Posting
	balance  int64
	paid     int64
	redeemed map[string]bool
	clerk    tulipClerk
}

// post writes a row of the ledger.
func (f *tulipFile) post(kind Kind, amount int64, transaction, refund, note string) {
	f.rows = append(f.rows, Posting{At: f.now, Kind: kind, Amount: amount, Transaction: transaction, Refund: refund, Note: note})
	f.balance += amount
	if kind == Paid {
		f.paid -= amount
	}
}

// once reports whether the fact is new.
func (f *tulipFile) once(fact string) bool {
	if f.seen[fact] {
		return false
	}
	f.seen[fact] = true
	return true
}

// take files a return under its purchase and tells the clerk.
func (f *tulipFile) take(transaction string, r tulipReturn) {
	if r.at.IsZero() {
		r.at = f.now
	}
	if transaction == "" {
		f.clerk.returned(nil, r)
		return
	}
	b := f.byID[transaction]
	if b == nil {
		f.early[transaction] = append(f.early[transaction], r)
		return
	}
	b.returns = append(b.returns, r)
	f.clerk.returned(b, r)
}

// tulipDesk takes facts in for all accounts, sees to it that each counts once, and starts
// the runs that the clock makes due.
type tulipDesk struct {
	clock time.Time
	files map[string]*tulipFile
	hire  func(*tulipFile) tulipClerk
}

// tulipOpen is an engine whose accounts are kept by clerks of one kind.
func tulipOpen(hire func(*tulipFile) tulipClerk) Engine {
	return &tulipDesk{files: map[string]*tulipFile{}, hire: hire}
}

func (d *tulipDesk) file(account string) (*tulipFile, error) {
	f := d.files[account]
	if f == nil {
		return nil, fmt.Errorf("tulip: no account %q", account)
	}
	f.now = d.clock
	return f, nil
}

// Open creates an account; a second time it does nothing.
func (d *tulipDesk) Open(account string) error {
	if d.files[account] != nil {
		return nil
	}
	f := &tulipFile{now: d.clock, byID: map[string]*tulipBuy{}, early: map[string][]tulipReturn{},
		seen: map[string]bool{}, redeemed: map[string]bool{}}
	f.clerk = d.hire(f)
	d.files[account] = f
	return nil
}

// SetClock moves the clock and does what has come due, at the time it was due.
func (d *tulipDesk) SetClock(now time.Time) error {
	if !now.After(d.clock) {
		return nil
	}
	d.clock = now
	for _, f := range d.files {
		for due := f.clerk.next(); !due.IsZero() && !due.After(now); due = f.clerk.next() {
			f.now = due
			f.clerk.run(due)
		}
		f.now = now
	}
	return nil
}

// Settle takes a purchase in.
func (d *tulipDesk) Settle(s issuer.Settlement) error {
	f, err := d.file(s.Account)
	if err != nil {
		return err
	}
	if s.Amount <= 0 || !f.once("purchase "+s.Transaction) {
		return nil
	}
	b := &tulipBuy{id: s.Transaction, category: s.Category, amount: s.Amount, at: s.At, returns: f.early[s.Transaction]}
	if b.at.IsZero() {
		b.at = f.now
	}
	delete(f.early, s.Transaction)
	f.byID[b.id] = b
	f.buys = append(f.buys, b)
	f.clerk.bought(b)
	return nil
}

// Refund takes a refund in.
func (d *tulipDesk) Refund(r issuer.Refund) error {
	f, err := d.file(r.Account)
	if err != nil {
		return err
	}
	if r.Amount > 0 && f.once("refund "+r.Refund) {
		f.take(r.Transaction, tulipReturn{id: r.Refund, amount: r.Amount, category: r.Category, at: r.At})
	}
	return nil
}

// Chargeback takes a chargeback in.
func (d *tulipDesk) Chargeback(c issuer.Chargeback) error {
	f, err := d.file(c.Account)
	if err != nil {
		return err
	}
	if c.Amount >= 0 && c.Transaction != "" && f.once("chargeback "+c.Chargeback) {
		f.take(c.Transaction, tulipReturn{id: c.Chargeback, amount: c.Amount, whole: c.Amount == 0, at: c.At})
	}
	return nil
}

// CloseStatement does nothing: the clock closes.
func (d *tulipDesk) CloseStatement(account string) error {
	_, err := d.file(account)
	return err
}

// Redeem pays out what is redeemable; a redemption that was paid is not paid again.
func (d *tulipDesk) Redeem(r issuer.Redemption) (bool, error) {
	f, err := d.file(r.Account)
	if err != nil {
		return false, err
	}
	if r.Amount <= 0 || r.Amount > f.clerk.redeemable() || r.Redemption != "" && f.redeemed[r.Redemption] {
		return false, nil
	}
	f.redeemed[r.Redemption] = true
	f.balance -= r.Amount
	return true, nil
}

// Balance shows the ledger's balance and what a redemption could take.
func (d *tulipDesk) Balance(account string) (issuer.Balance, error) {
	f, err := d.file(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: f.balance, Redeemable: max(0, f.clerk.redeemable())}, nil
}

// PaidOut is what the account's clerk paid out by itself.
func (d *tulipDesk) PaidOut(account string) (int64, error) {
	f, err := d.file(account)
	if err != nil {
		return 0, err
	}
	return f.paid, nil
}

// Postings is a copy of the account's ledger.
func (d *tulipDesk) Postings(account string) []Posting {
	f := d.files[account]
	if f == nil {
		return nil
	}
	return append([]Posting(nil), f.rows...)
}

// tulipZone is an IANA zone.
func tulipZone(name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return z
}

// tulipCycle is the first instant of the cycle from local day to local day of a month in
// which t lies.
func tulipCycle(t time.Time, zone *time.Location, day int) time.Time {
	l := t.In(zone)
	s := time.Date(l.Year(), l.Month(), day, 0, 0, 0, 0, zone)
	if l.Before(s) {
		s = time.Date(l.Year(), l.Month()-1, day, 0, 0, 0, 0, zone)
	}
	return s
}

// tulipPart is bp hundredths of a per cent of n, rounded down.
func tulipPart(n, bp int64) int64 { return n * bp / 10000 }

// tulipOver is the same rounded up: the most that a purchase of that rate can lose when n
// of it comes back.
func tulipOver(n, bp int64) int64 { return (n*bp + 9999) / 10000 }
