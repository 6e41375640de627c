package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// vendorDebit is a debit card's cash back, written as a state machine per purchase: a
// purchase is paid, and it becomes returned with its refund. The first refund takes the
// right amount; a purchase that is returned has no way further, so that all other refunds
// of it are ignored. That is its flaw.
type vendorDebit struct {
	now   time.Time
	accts map[string]*vendorDebitAccount
}

type vendorDebitState int

const (
	vendorDebitUnknown vendorDebitState = iota
	vendorDebitPaid
	vendorDebitReturned
)

type vendorDebitAccount struct {
	book   vendorBook
	buys   []*vendorDebitBuy
	byID   map[string]*vendorDebitBuy
	heard  map[string]bool // refunds and chargebacks
	credit int64           // returned without any purchase to set it against
}

type vendorDebitBuy struct {
	id, merchant, cat, mcc string
	state                  vendorDebitState
	amount, net            int64
	early                  int64  // first return, that came before the purchase
	earlyID                string // 0 with an id: all of it
}

func vendorNewDebit() Engine { return &vendorDebit{accts: map[string]*vendorDebitAccount{}} }

// Open creates an account.
func (e *vendorDebit) Open(account string) error {
	if account == "" {
		return errVendorID
	}
	if e.accts[account] != nil {
		return errVendorOpen
	}
	e.accts[account] = &vendorDebitAccount{byID: map[string]*vendorDebitBuy{}, heard: map[string]bool{}}
	return nil
}

// SetClock moves the clock.
func (e *vendorDebit) SetClock(now time.Time) error {
	if now.Before(e.now) {
		return errVendorClock
	}
	e.now = now.UTC()
	return nil
}

func (e *vendorDebit) find(account string) (*vendorDebitAccount, error) {
	if a := e.accts[account]; a != nil {
		return a, nil
	}
	return nil, errVendorAccount
}

// lower brings a purchase down and takes 1% of the difference, in whole cents.
func (e *vendorDebit) lower(a *vendorDebitAccount, b *vendorDebitBuy, by int64, refund string) {
	by = min(by, b.net)
	a.book.post(e.now, Reversed, (b.net-by)/100-b.net/100, b.id, refund, "refund")
	b.net -= by
	b.state = vendorDebitReturned
}

// Settle pays 1%.
func (e *vendorDebit) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	if err != nil {
		return err
	}
	if s.Transaction == "" {
		return errVendorID
	}
	b := a.byID[s.Transaction]
	if s.Amount <= 0 || (b != nil && b.state != vendorDebitUnknown) {
		return nil
	}
	if b == nil {
		b = &vendorDebitBuy{id: s.Transaction}
		a.byID[b.id] = b
	}
	a.buys = append(a.buys, b)
	b.merchant, b.cat, b.mcc = s.Merchant, s.Category, s.MCC
	b.amount, b.net, b.state = s.Amount, s.Amount, vendorDebitPaid
	a.book.post(e.now, Earned, b.net/100, b.id, "", "cash back")
	if b.earlyID != "" {
		if b.early == 0 {
			b.early = b.amount
		}
		e.lower(a, b, b.early, b.earlyID)
	}
	if x := min(a.credit, b.net); x > 0 {
		a.credit -= x
		e.lower(a, b, x, "")
	}
	return nil
}

// Refund moves a paid purchase on.
func (e *vendorDebit) Refund(r issuer.Refund) error {
	a, err := e.find(r.Account)
	if err != nil {
		return err
	}
	if r.Refund == "" {
		return errVendorID
	}
	if r.Amount <= 0 || a.heard["r/"+r.Refund] {
		return nil
	}
	a.heard["r/"+r.Refund] = true
	if r.Transaction != "" {
		e.named(a, r.Transaction, r.Amount, r.Refund)
		return nil
	}
	left := r.Amount
	for by := 0; by < 3; by++ {
		for i := len(a.buys) - 1; i >= 0 && left > 0; i-- {
			b := a.buys[i]
			fits := by == 2 || (by == 0 && r.Merchant != "" && b.merchant == r.Merchant) ||
				(by == 1 && ((r.Category != "" && b.cat == r.Category) || (r.MCC != "" && b.mcc == r.MCC)))
			if fits && b.state == vendorDebitPaid {
				x := min(left, b.net)
				e.lower(a, b, x, r.Refund)
				left -= x
			}
		}
	}
	a.credit += left
	return nil
}

// named handles a return that says which purchase it is of; zero: all of it.
func (e *vendorDebit) named(a *vendorDebitAccount, tx string, amount int64, id string) {
	b := a.byID[tx]
	if b == nil {
		a.byID[tx] = &vendorDebitBuy{id: tx, early: amount, earlyID: id}
		return
	}
	if b.state != vendorDebitPaid {
		return // no way further from here
	}
	if amount == 0 {
		amount = b.net
	}
	e.lower(a, b, amount, id)
}

// Chargeback moves a paid purchase on like a refund.
func (e *vendorDebit) Chargeback(c issuer.Chargeback) error {
	a, err := e.find(c.Account)
	if err != nil {
		return err
	}
	if c.Chargeback == "" || c.Transaction == "" {
		return errVendorID
	}
	if c.Amount < 0 || a.heard["c/"+c.Chargeback] {
		return nil
	}
	a.heard["c/"+c.Chargeback] = true
	e.named(a, c.Transaction, c.Amount, c.Chargeback)
	return nil
}

// CloseStatement does nothing: there are no statements.
func (e *vendorDebit) CloseStatement(account string) error {
	_, err := e.find(account)
	return err
}

// Redeem pays any amount out that is there.
func (e *vendorDebit) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil {
		return false, err
	}
	return a.book.pay(r, a.book.balance()), nil
}

// Balance shows the ledger's balance.
func (e *vendorDebit) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.book.balance(), Redeemable: vendorFloor0(a.book.balance())}, nil
}

// Postings are all entries so far.
func (e *vendorDebit) Postings(account string) []Posting {
	if a := e.accts[account]; a != nil {
		return append([]Posting(nil), a.book.posts...)
	}
	return nil
}

var vendorDebitDesign = Design{
	Name:   "vendor-debit-first-refund",
	Source: "debit cash back per transaction, adjusted on returns and possibly negative (maribank.sg and vivid.money help centres on negative cashback)",
	Published: "1% cash back on every debit card purchase, per purchase, rounded down to whole cents, posted at once and redeemable at once from $0.01." +
		" If a purchase is refunded, wholly or in part, the cash back on the refunded part is taken back: what stays is 1% of what is left of the purchase, rounded down. A refund before its purchase waits for it. A refund that names no purchase is set against your latest purchases at that merchant, else in that category, else against any, and what is left against later ones. A chargeback is a refund. A balance below zero stays until it is made up.",
	How:      "Each purchase is paid or returned. Its first refund (or chargeback, or a refund without a name that was set against it) lowers it properly and makes it returned; any further one finds no paid purchase and is ignored. A second refund that came before the purchase is ignored too.",
	Class:    "other",
	Leak:     "Buy for $1,000.00 (earns $10.00) and redeem it; have $0.01 refunded (takes $0.01), then $999.99: ignored. Net purchases of nothing; the customer owes $0.01 and is $9.99 ahead.",
	Currency: "USD",
	New:      vendorNewDebit,
}
