package foreign

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // statement days are local days, also where the machine has no zones

	"recoup/internal/issuer"
)

// tundraDesigns are the eight programs of this stranger.
var tundraDesigns = []Design{
	tundraDagblad, tundraMikan, tundraAlbion, // sound
	tundraMaple, tundraWisla, tundraHarbour, tundraFjord, tundraAlpina,
}

// tundraLag is how much later than its refund a purchase may be dated that the refund is
// still taken to be of: a merchant may send the refund before the purchase has cleared.
const tundraLag = 30 * 24 * time.Hour

// tundraPurchase is a purchase that has cleared.
type tundraPurchase struct {
	id, merchant, category string
	at                     time.Time
	amount                 int64
	back                   int64 // of amount, what refunds and chargebacks took back
	// The rest is the program's: what the purchase still has by its reckoning, and the
	// local periods that it counts in, worked out once since zones are slow.
	kept, base, extra int64
	day, month        string
	year              int
	cycle             int64
}

func (p *tundraPurchase) left() int64 { return p.amount - p.back }

// tundraReturn is a refund or a chargeback.
type tundraReturn struct {
	id, transaction, merchant string
	amount                    int64 // all of the purchase if it is a chargeback of 0
	at                        time.Time
	chargeback                bool
	taken                     int64 // the program's: what it takes while its purchase is unknown
}

// tundraAccount is one customer's facts and ledger.
type tundraAccount struct {
	desk    *tundraDesk
	opened  time.Time
	ticked  time.Time // everything due up to here is booked
	bought  []*tundraPurchase
	byID    map[string]*tundraPurchase
	waiting map[string][]*tundraReturn // of purchases that have not cleared, by their names
	strays  []*tundraReturn            // that name no purchase, by time
	seen    map[string]bool            // facts that were delivered
	rows    []Posting
	booked  int64 // the sum of rows
	// redeemed and paid are what left the account on request and by itself.
	redeemed, paid int64
	// sheet is what is booked under each heading of the program's ledger, pending what is
	// to be booked at the next tick; used counts what a period has used of a cap.
	sheet, used map[string]int64
	pending     int64
	waits       bool // there is something for the next tick
}

// post adds an entry to the ledger; one of nothing is none.
func (a *tundraAccount) post(row Posting) {
	if row.Amount != 0 {
		a.rows = append(a.rows, row)
		a.booked += row.Amount
	}
}

func (a *tundraAccount) balance() int64 { return a.booked - a.redeemed }

// tundraProgram is what differs from program to program: what happens on the ledger when
// a fact has been filed.
type tundraProgram interface {
	settled(*tundraAccount, *tundraPurchase)
	// returned hears that x of the purchase came back; x is never more than was left and
	// is in p.back already.
	returned(a *tundraAccount, p *tundraPurchase, r *tundraReturn, x int64)
	// stray hears of a refund that names no purchase.
	stray(*tundraAccount, *tundraReturn)
	// cleared hears, after everything else, that one more purchase has cleared.
	cleared(*tundraAccount)
	// due is the first instant after t at which the program books by itself.
	due(t time.Time) time.Time
	tick(a *tundraAccount, at time.Time)
	redeemable(*tundraAccount) int64
}

// tundraDesk is the port: it files facts, drops repetitions, keeps the time and leaves
// the ledger to its program. Returns whose purchase has not cleared wait for it, however
// long; what is returned beyond the price is no return.
type tundraDesk struct {
	tundraCalendar
	program  tundraProgram
	clock    time.Time
	accounts map[string]*tundraAccount
	order    []*tundraAccount // as they were opened, so that all runs are alike
}

func newTundraDesk(c tundraCalendar, p tundraProgram) *tundraDesk {
	return &tundraDesk{tundraCalendar: c, program: p, accounts: map[string]*tundraAccount{}}
}

func (d *tundraDesk) find(account string) (*tundraAccount, error) {
	if a, ok := d.accounts[account]; ok {
		return a, nil
	}
	return nil, fmt.Errorf("tundra: no account %q", account)
}

// Open creates an account; opening it again changes nothing.
func (d *tundraDesk) Open(account string) error {
	if account == "" {
		return errors.New("tundra: an account needs a name")
	}
	if d.accounts[account] != nil {
		return nil
	}
	a := &tundraAccount{
		desk: d, opened: d.clock, ticked: d.clock,
		byID: map[string]*tundraPurchase{}, waiting: map[string][]*tundraReturn{},
		seen: map[string]bool{}, sheet: map[string]int64{}, used: map[string]int64{},
	}
	d.accounts[account], d.order = a, append(d.order, a)
	return nil
}

// SetClock books all that was due until now, each at its own time.
func (d *tundraDesk) SetClock(now time.Time) error {
	if now.Before(d.clock) {
		return nil
	}
	for _, a := range d.order {
		if a.opened.IsZero() { // opened before the clock was ever set
			a.opened, a.ticked = now, now
			continue
		}
		for {
			at := d.program.due(a.ticked)
			if at.IsZero() || at.After(now) {
				break
			}
			d.program.tick(a, at)
			a.ticked = at
		}
	}
	d.clock = now
	return nil
}

// when is the time of a fact: its own, but never in the future.
func (d *tundraDesk) when(at time.Time) time.Time {
	if at.IsZero() || at.After(d.clock) {
		return d.clock
	}
	return at
}

// Settle files a purchase; a second one under its name is a repetition.
func (d *tundraDesk) Settle(s issuer.Settlement) error {
	a, err := d.find(s.Account)
	if err != nil {
		return err
	}
	if s.Amount <= 0 || s.Transaction == "" {
		return errors.New("tundra: a purchase needs a name and an amount above zero")
	}
	if a.byID[s.Transaction] != nil {
		return nil
	}
	p := &tundraPurchase{id: s.Transaction, merchant: s.Merchant, category: s.Category, at: d.when(s.At), amount: s.Amount}
	p.day, p.month, p.year = d.day(p.at), d.month(p.at), p.at.In(d.zone).Year()
	a.byID[p.id] = p
	i, _ := slices.BinarySearchFunc(a.bought, p, func(x, y *tundraPurchase) int {
		if c := x.at.Compare(y.at); c != 0 {
			return c
		}
		return strings.Compare(x.id, y.id)
	})
	a.bought = slices.Insert(a.bought, i, p)
	d.program.settled(a, p)
	for _, r := range a.waiting[p.id] {
		d.apply(a, p, r, r.amount)
	}
	delete(a.waiting, p.id)
	d.program.cleared(a)
	return nil
}

// apply takes up to amount of the purchase back and says how much that was.
func (d *tundraDesk) apply(a *tundraAccount, p *tundraPurchase, r *tundraReturn, amount int64) int64 {
	if r.chargeback && r.amount == 0 {
		amount = p.amount
	}
	x := min(amount, p.left())
	if x > 0 {
		p.back += x
		d.program.returned(a, p, r, x)
	}
	return max(0, x)
}

// file brings a return to its purchase, unless it has been here before.
func (d *tundraDesk) file(account string, r *tundraReturn) error {
	a, err := d.find(account)
	if err != nil {
		return err
	}
	if r.amount < 0 || r.amount == 0 && !r.chargeback {
		return errors.New("tundra: nothing is returned")
	}
	// Two returns that merely share a number are two: to drop one would be to forget it.
	key := fmt.Sprintf("%t|%s|%s|%d", r.chargeback, r.id, r.transaction, r.amount)
	if a.seen[key] {
		return nil
	}
	a.seen[key] = true
	r.at = d.when(r.at)
	switch p := a.byID[r.transaction]; {
	case p != nil:
		d.apply(a, p, r, r.amount)
	case r.transaction != "":
		a.waiting[r.transaction] = append(a.waiting[r.transaction], r)
	default:
		d.program.stray(a, r)
	}
	return nil
}

// Refund files a refund.
func (d *tundraDesk) Refund(r issuer.Refund) error {
	return d.file(r.Account, &tundraReturn{id: r.Refund, transaction: r.Transaction, merchant: r.Merchant, amount: r.Amount, at: r.At})
}

// Chargeback files a chargeback, which always names its purchase.
func (d *tundraDesk) Chargeback(c issuer.Chargeback) error {
	if c.Transaction == "" {
		return errors.New("tundra: a chargeback of no purchase")
	}
	return d.file(c.Account, &tundraReturn{id: c.Chargeback, transaction: c.Transaction, amount: c.Amount, at: c.At, chargeback: true})
}

// CloseStatement does nothing: statements close by the clock.
func (d *tundraDesk) CloseStatement(account string) error {
	_, err := d.find(account)
	return err
}

// Redeem pays out what can be redeemed. A number that was asked for before pays nothing
// again, and so it says.
func (d *tundraDesk) Redeem(r issuer.Redemption) (bool, error) {
	a, err := d.find(r.Account)
	if err != nil {
		return false, err
	}
	key := "redemption|" + r.Redemption
	if r.Amount <= 0 || r.Amount > d.program.redeemable(a) || a.seen[key] {
		return false, nil
	}
	a.seen[key] = true
	a.redeemed += r.Amount
	return true, nil
}

// Balance is what the customer sees.
func (d *tundraDesk) Balance(account string) (issuer.Balance, error) {
	a, err := d.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.balance(), Redeemable: max(0, d.program.redeemable(a))}, nil
}

// PaidOut is what the program has paid by itself.
func (d *tundraDesk) PaidOut(account string) (int64, error) {
	a, err := d.find(account)
	if err != nil {
		return 0, err
	}
	return a.paid, nil
}

// Postings are the account's rows so far.
func (d *tundraDesk) Postings(account string) []Posting {
	if a := d.accounts[account]; a != nil {
		return slices.Clone(a.rows)
	}
	return nil
}

// tundraPlain has what a program that books everything at once need not say.
type tundraPlain struct{}

func (tundraPlain) due(time.Time) time.Time                 { return time.Time{} }
func (tundraPlain) tick(*tundraAccount, time.Time)          {}
func (tundraPlain) redeemable(a *tundraAccount) int64       { return max(0, a.balance()) }
func (tundraPlain) cleared(a *tundraAccount)                { a.retry(nil) }
func (tundraPlain) stray(a *tundraAccount, r *tundraReturn) { a.attach(r, nil) }
