package foreign

import (
	"errors"
	"fmt"
	"slices"
	"time"
	_ "time/tzdata" // the calendars of these programs are local ones

	"recoup/internal/issuer"
)

// finalDesigns are the ten designs of these files: first the sound ones.
var finalDesigns = []Design{
	finalWharf, finalSummit, finalBrackets, finalWing, finalPartner,
	finalTap, finalAnnual, finalLots, finalMiles, finalTrolley,
}

// finalProgram is what a design adds to the desk: what it does when it hears of something.
type finalProgram interface {
	// bought is called once for a purchase that clears, returned once for what comes back.
	bought(b *finalBook, p *finalBuy)
	returned(b *finalBook, r *finalBack)
	// struck is called at each time that was noted in the book's agenda.
	struck(b *finalBook)
	// redeemable is what may be taken out now, spent is told of what was.
	redeemable(b *finalBook) int64
	spent(b *finalBook, amount int64)
}

// finalBuy is a purchase.
type finalBuy struct {
	id, merchant, mcc, category string
	amount                      int64
	kept                        int64 // of the amount, by the last placing of returns
	made, cleared               time.Time
}

// finalBack is a return: of a purchase that it names, or of none.
type finalBack struct {
	id, of, merchant, category string
	amount                     int64
	whole                      bool // a chargeback that gives no amount
	made, told                 time.Time
}

// finalBook is an account.
type finalBook struct {
	opened, now time.Time // now is the clock, or the moment of the agenda that is on
	buys        []*finalBuy
	backs       []*finalBack
	heard       map[string]bool
	agenda      []time.Time
	posts       []Posting
	balance     int64
	spendings   []finalSpending
	booked      map[string]int64 // what stands in the books, by what it is for
	keys        []string         // of booked, in the order in which they came up
}

// finalSpending is a redemption that was paid.
type finalSpending struct {
	at     time.Time
	amount int64
}

// post makes an entry, if it is of anything.
func (b *finalBook) post(kind Kind, amount int64, transaction, refund, note string) {
	if amount == 0 {
		return
	}
	b.balance += amount
	b.posts = append(b.posts, Posting{At: b.now, Kind: kind, Amount: amount, Transaction: transaction, Refund: refund, Note: note})
}

// note puts a time that is still to come into the agenda.
func (b *finalBook) note(at time.Time) {
	if !at.After(b.now) {
		return
	}
	if i, there := slices.BinarySearchFunc(b.agenda, at, time.Time.Compare); !there {
		b.agenda = slices.Insert(b.agenda, i, at)
	}
}

// finalDesk takes in what an issuer hears, once each, and keeps the agenda.
type finalDesk struct {
	program finalProgram
	now     time.Time
	books   map[string]*finalBook
	order   []string
}

func newFinalDesk(p finalProgram) *finalDesk {
	return &finalDesk{program: p, books: make(map[string]*finalBook)}
}

var errFinalAmount = errors.New("an amount must be above zero")

func (d *finalDesk) book(account string) (*finalBook, error) {
	b := d.books[account]
	if b == nil {
		return nil, fmt.Errorf("no account %q", account)
	}
	return b, nil
}

// Open implements issuer.Issuer.
func (d *finalDesk) Open(account string) error {
	if d.books[account] != nil {
		return fmt.Errorf("account %q is open already", account)
	}
	d.books[account] = &finalBook{opened: d.now, now: d.now, heard: make(map[string]bool), booked: make(map[string]int64)}
	d.order = append(d.order, account)
	return nil
}

// SetClock implements issuer.Issuer: what falls due on the way is done at its own time.
func (d *finalDesk) SetClock(now time.Time) error {
	if now.Before(d.now) {
		return errors.New("the clock does not go back")
	}
	d.now = now
	for _, account := range d.order {
		b := d.books[account]
		for len(b.agenda) > 0 && !b.agenda[0].After(now) {
			b.now = b.agenda[0]
			b.agenda = b.agenda[1:]
			d.program.struck(b)
		}
		b.now = now
	}
	return nil
}

// CloseStatement implements issuer.Issuer: statements close by the clock.
func (d *finalDesk) CloseStatement(account string) error {
	_, err := d.book(account)
	return err
}

// madeAt is when something was, which cannot be later than now.
func (d *finalDesk) madeAt(at time.Time) time.Time {
	if at.IsZero() || at.After(d.now) {
		return d.now
	}
	return at
}

// first says whether an id is new in its kind.
func (b *finalBook) first(kind, id string) bool {
	key := kind + " " + id
	if b.heard[key] {
		return false
	}
	b.heard[key] = true
	return true
}

// Settle implements issuer.Issuer.
func (d *finalDesk) Settle(s issuer.Settlement) error {
	b, err := d.book(s.Account)
	if err != nil {
		return err
	}
	if s.Amount <= 0 {
		return errFinalAmount
	}
	if !b.first("purchase", s.Transaction) {
		return nil
	}
	p := &finalBuy{
		id: s.Transaction, merchant: s.Merchant, mcc: s.MCC, category: s.Category,
		amount: s.Amount, kept: s.Amount, made: d.madeAt(s.At), cleared: d.now,
	}
	b.buys = append(b.buys, p)
	d.program.bought(b, p)
	return nil
}

// Refund implements issuer.Issuer.
func (d *finalDesk) Refund(r issuer.Refund) error {
	if r.Amount <= 0 {
		return errFinalAmount
	}
	return d.back(r.Account, "refund", &finalBack{
		id: r.Refund, of: r.Transaction, merchant: r.Merchant, category: r.Category, amount: r.Amount, made: d.madeAt(r.At), told: d.now,
	})
}

// Chargeback implements issuer.Issuer.
func (d *finalDesk) Chargeback(c issuer.Chargeback) error {
	if c.Amount < 0 || c.Transaction == "" {
		return errors.New("a chargeback names its purchase and is not below zero")
	}
	return d.back(c.Account, "chargeback", &finalBack{
		id: c.Chargeback, of: c.Transaction, amount: c.Amount, whole: c.Amount == 0, made: d.madeAt(c.At), told: d.now,
	})
}

func (d *finalDesk) back(account, kind string, r *finalBack) error {
	b, err := d.book(account)
	if err != nil || !b.first(kind, r.id) {
		return err
	}
	b.backs = append(b.backs, r)
	d.program.returned(b, r)
	return nil
}

// Redeem implements issuer.Issuer.
func (d *finalDesk) Redeem(r issuer.Redemption) (bool, error) {
	b, err := d.book(r.Account)
	if err != nil {
		return false, err
	}
	if r.Amount <= 0 || r.Amount > d.program.redeemable(b) || !b.first("redemption", r.Redemption) {
		return false, nil
	}
	b.balance -= r.Amount
	b.spendings = append(b.spendings, finalSpending{d.now, r.Amount})
	d.program.spent(b, r.Amount)
	return true, nil
}

// Balance implements issuer.Issuer.
func (d *finalDesk) Balance(account string) (issuer.Balance, error) {
	b, err := d.book(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: b.balance, Redeemable: max(0, d.program.redeemable(b))}, nil
}

// Postings implements Engine.
func (d *finalDesk) Postings(account string) []Posting {
	b := d.books[account]
	if b == nil {
		return nil
	}
	return slices.Clone(b.posts)
}

// PaidOut implements issuer.Payer.
func (d *finalDesk) PaidOut(account string) (int64, error) {
	b, err := d.book(account)
	if err != nil {
		return 0, err
	}
	sum := int64(0)
	for _, p := range b.posts {
		if p.Kind == Paid {
			sum -= p.Amount
		}
	}
	return sum, nil
}

// finalZone is a time zone by its name.
func finalZone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return zone
}

const finalDay = 24 * time.Hour
