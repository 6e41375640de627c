package foreign

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"recoup/internal/issuer"
)

// outsideDesigns are the eight designs of these files: first the sound ones.
var outsideDesigns = []Design{
	outsideLitres, outsideSaveback, outsideGuild,
	outsideCampus, outsideTopup, outsideSatoshi, outsideApothecary, outsideFifty,
}

// outsideRules are what a design adds to the desk. What is kept of each purchase is known
// before it is told of anything.
type outsideRules interface {
	sold(a *outsideAccount, s *outsideSale)
	came(a *outsideAccount, r *outsideReturn)
	// due is called at each moment of the diary.
	due(a *outsideAccount)
	// open is how much can be redeemed.
	open(a *outsideAccount) int64
}

// outsideSale is a purchase, outsideReturn a refund or a chargeback.
type outsideSale struct {
	id, merchant, mcc, category string
	amount, kept                int64
	made, told                  time.Time
}

type outsideReturn struct {
	id, of, merchant, mcc, category string
	amount                          int64 // zero: all of it
	made, told                      time.Time
}

// outsideAccount is one customer.
type outsideAccount struct {
	now     time.Time
	reach   time.Duration // how old a purchase may be when it comes back; zero: as old as it likes
	sales   []*outsideSale
	returns []*outsideReturn
	rows    []Posting
	balance int64
	seen    map[string]bool
	diary   []time.Time
	stands  map[string]int64 // what was posted, by what it is for
}

// row writes a line of the ledger.
func (a *outsideAccount) row(kind Kind, amount int64, transaction, refund, note string) {
	if amount != 0 {
		a.balance += amount
		a.rows = append(a.rows, Posting{At: a.now, Kind: kind, Amount: amount, Transaction: transaction, Refund: refund, Note: note})
	}
}

// outsideLine is what should stand in the ledger for something.
type outsideLine struct {
	key, transaction, note string
	amount                 int64
}

// level writes what is missing to each line.
func (a *outsideAccount) level(lines []outsideLine, refund string) {
	for _, l := range lines {
		kind, change := Earned, l.amount-a.stands[l.key]
		if change < 0 {
			kind = Reversed
		}
		a.stands[l.key] = l.amount
		a.row(kind, change, l.transaction, refund, l.note)
	}
}

// wake notes moments that are still to come in the diary.
func (a *outsideAccount) wake(moments ...time.Time) {
	for _, at := range moments {
		if i, there := slices.BinarySearchFunc(a.diary, at, time.Time.Compare); !there && at.After(a.now) {
			a.diary = slices.Insert(a.diary, i, at)
		}
	}
}

// place works out what is kept of each purchase: first by the returns that name theirs, then by those that
// name none, as they came. Such a one is of an earlier purchase at its merchant, or else of its kind: of the newest
// of which as much is left, or of the newest; what is over is of the next.
func (a *outsideAccount) place() {
	for _, s := range a.sales {
		s.kept = s.amount
	}
	for _, r := range a.returns {
		if i := slices.IndexFunc(a.sales, func(s *outsideSale) bool { return s.id == r.of }); r.of != "" && i >= 0 && a.reaches(r, a.sales[i]) {
			if s := a.sales[i]; r.amount == 0 {
				s.kept = 0
			} else {
				s.kept = max(0, s.kept-r.amount)
			}
		}
	}
	for _, r := range a.returns {
		for rest := r.amount; r.of == "" && rest > 0; {
			var best *outsideSale
			for _, s := range a.sales {
				if s.kept > 0 && r.like(s) < 3 && !s.made.After(r.made) && a.reaches(r, s) && (best == nil || r.before(s, best, rest)) {
					best = s
				}
			}
			if best == nil {
				break
			}
			part := min(rest, best.kept)
			best.kept -= part
			rest -= part
		}
	}
}

// before says whether a return that names none is of one purchase rather than of an earlier told other.
func (r *outsideReturn) before(s, other *outsideSale, amount int64) bool {
	off := func(s *outsideSale) int {
		if s.kept == amount {
			return 0
		}
		return 1
	}
	return cmp.Or(r.like(s)-r.like(other), off(s)-off(other), other.made.Compare(s.made)) <= 0
}

func (a *outsideAccount) reaches(r *outsideReturn, s *outsideSale) bool {
	return a.reach == 0 || r.told.Sub(s.told) <= a.reach
}

// like is how much a return that names no purchase is like one: 0 most, 3 not at all.
func (r *outsideReturn) like(s *outsideSale) int {
	switch {
	case r.merchant != "" && r.merchant == s.merchant:
		return 0
	case r.category != "" && r.category == s.category, r.category == "" && r.mcc != "" && r.mcc == s.mcc:
		return 1
	case r.category == "" && r.mcc == "":
		return 2
	}
	return 3
}

// outsideDesk takes in what an issuer hears of.
type outsideDesk struct {
	rules    outsideRules
	reach    time.Duration
	now      time.Time
	accounts map[string]*outsideAccount
	names    []string
}

func newOutsideDesk(rules outsideRules, reach time.Duration) Engine {
	return &outsideDesk{rules: rules, reach: reach, accounts: make(map[string]*outsideAccount)}
}

func (d *outsideDesk) account(name string) (*outsideAccount, error) {
	if a := d.accounts[name]; a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("account %q is not known", name)
}

// Open implements issuer.Issuer.
func (d *outsideDesk) Open(name string) error {
	if d.accounts[name] != nil {
		return fmt.Errorf("account %q exists", name)
	}
	d.accounts[name] = &outsideAccount{now: d.now, reach: d.reach, seen: make(map[string]bool), stands: make(map[string]int64)}
	d.names = append(d.names, name)
	return nil
}

// SetClock implements issuer.Issuer.
func (d *outsideDesk) SetClock(now time.Time) error {
	if now.Before(d.now) {
		return errors.New("time does not run backwards")
	}
	d.now = now
	for _, name := range d.names {
		a := d.accounts[name]
		for len(a.diary) > 0 && !a.diary[0].After(now) {
			a.now, a.diary = a.diary[0], a.diary[1:]
			d.rules.due(a)
		}
		a.now = now
	}
	return nil
}

// CloseStatement implements issuer.Issuer: all is done by the clock.
func (d *outsideDesk) CloseStatement(name string) error {
	_, err := d.account(name)
	return err
}

// fresh finds the account, and says whether a fact is new to it.
func (d *outsideDesk) fresh(name, fact string, valid bool) (*outsideAccount, bool, error) {
	a, err := d.account(name)
	switch {
	case err != nil:
		return nil, false, err
	case !valid:
		return nil, false, fmt.Errorf("%s has no valid amount", fact)
	case a.seen[fact]:
		return a, false, nil
	}
	a.seen[fact] = true
	return a, true, nil
}

func (d *outsideDesk) when(at time.Time) time.Time {
	if at.IsZero() || at.After(d.now) {
		return d.now
	}
	return at
}

// Settle implements issuer.Issuer.
func (d *outsideDesk) Settle(p issuer.Settlement) error {
	a, fresh, err := d.fresh(p.Account, "purchase "+p.Transaction, p.Amount > 0)
	if !fresh {
		return err
	}
	s := &outsideSale{id: p.Transaction, merchant: p.Merchant, mcc: p.MCC, category: p.Category, amount: p.Amount, made: d.when(p.At), told: d.now}
	a.sales = append(a.sales, s)
	a.place()
	d.rules.sold(a, s)
	return nil
}

// Refund implements issuer.Issuer.
func (d *outsideDesk) Refund(p issuer.Refund) error {
	a, fresh, err := d.fresh(p.Account, "refund "+p.Refund, p.Amount > 0)
	if fresh {
		d.back(a, &outsideReturn{id: p.Refund, of: p.Transaction, merchant: p.Merchant, mcc: p.MCC, category: p.Category, amount: p.Amount, made: d.when(p.At), told: d.now})
	}
	return err
}

// Chargeback implements issuer.Issuer.
func (d *outsideDesk) Chargeback(p issuer.Chargeback) error {
	a, fresh, err := d.fresh(p.Account, "chargeback "+p.Chargeback, p.Amount >= 0 && p.Transaction != "")
	if fresh {
		d.back(a, &outsideReturn{id: p.Chargeback, of: p.Transaction, amount: p.Amount, made: d.when(p.At), told: d.now})
	}
	return err
}

func (d *outsideDesk) back(a *outsideAccount, r *outsideReturn) {
	a.returns = append(a.returns, r)
	a.place()
	d.rules.came(a, r)
}

// Redeem implements issuer.Issuer.
func (d *outsideDesk) Redeem(p issuer.Redemption) (bool, error) {
	a, err := d.account(p.Account)
	if err != nil || p.Amount <= 0 || a.seen["redemption "+p.Redemption] || p.Amount > d.rules.open(a) {
		return false, err
	}
	a.seen["redemption "+p.Redemption] = true
	a.balance -= p.Amount
	return true, nil
}

// Balance implements issuer.Issuer.
func (d *outsideDesk) Balance(name string) (issuer.Balance, error) {
	a, err := d.account(name)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.balance, Redeemable: max(0, d.rules.open(a))}, nil
}

// Postings implements Engine.
func (d *outsideDesk) Postings(name string) []Posting {
	if a := d.accounts[name]; a != nil {
		return slices.Clone(a.rows)
	}
	return nil
}

// PaidOut implements issuer.Payer.
func (d *outsideDesk) PaidOut(name string) (sum int64, err error) {
	a, err := d.account(name)
	if err != nil {
		return 0, err
	}
	for _, r := range a.rows {
		if r.Kind == Paid {
			sum -= r.Amount
		}
	}
	return sum, nil
}

// outsideZone is a time zone.
func outsideZone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return zone
}

// outsideMonth is the first instant of the nth day of a month so many months after that of a moment.
func outsideMonth(at time.Time, zone *time.Location, months, day int) time.Time {
	t := at.In(zone)
	return time.Date(t.Year(), t.Month()+time.Month(months), day, 0, 0, 0, 0, zone)
}

// outsideMonday is the first instant of the Monday after a moment.
func outsideMonday(at time.Time, zone *time.Location) time.Time {
	t := at.In(zone)
	return time.Date(t.Year(), t.Month(), t.Day()+7-(int(t.Weekday())+6)%7, 0, 0, 0, 0, zone)
}
