package foreign

import (
	"fmt"
	"sort"
	"time"
	_ "time/tzdata" // the zones of the designs, wherever this runs

	"recoup/internal/issuer"
)

// juniperDesigns are five sound programs whose ledgers look as unlike each other as those
// of real vendors do.
var juniperDesigns = []Design{
	juniperTidemarkDesign, juniperTabulaDesign, juniperLienDesign, juniperPaymasterDesign, juniperHarvestDesign,
}

// juniperPurchase is a clearing, with what its program has booked for it so far.
type juniperPurchase struct {
	id, category string
	amount, net  int64 // net: what is left after all returns that name it
	at           time.Time
	granted      bool      // the program has granted it, all or in part
	posted       int64     // what the books hold for it, where they are kept by purchase
	parts        int64     // instalments that are over
	since        time.Time // since when the books hold too much
}

// juniperReturn is a refund or a chargeback.
type juniperReturn struct {
	id, purchase string
	amount       int64
	whole        bool // a chargeback of all that is left
	chargeback   bool
	came         time.Time
	pieces       int64 // the fewest purchases that can bear it, at least one
	standing     int64 // what has been taken for it until it is matched
}

// juniperUse is a redemption that was paid.
type juniperUse struct {
	at     time.Time
	amount int64
}

// juniperAccount is a cardholder's facts and ledger.
type juniperAccount struct {
	opened, cursor time.Time // cursor: the last moment whose jobs have run
	purchases      []*juniperPurchase
	known          map[string]*juniperPurchase
	returns        []*juniperReturn
	rows           []Posting
	balance        int64
	uses           []juniperUse
	used           int64
	paidIDs        map[string]bool

	// What follows is for the programs' own use.
	posted  int64 // purchase rows in the books, where they are kept by account
	taken   int64 // deducted for returns of which nobody knows the purchase
	extras  int64 // gifts, goodwill and fees: nothing that a return could change
	expired int64
	paid    int64
	seenBuy int // facts that a batch has been through
	seenRet int
	sheets  map[int][]juniperLine
}

// juniperJob is something that a program does by the clock.
type juniperJob struct {
	next func(a *juniperAccount, after time.Time) time.Time // strictly after
	run  func(a *juniperAccount, at time.Time)
}

// juniperScheme is what makes one program differ from the others.
type juniperScheme interface {
	jobs() []juniperJob
	// changed books what a new fact does at once; r is nil where it is a purchase.
	changed(a *juniperAccount, at time.Time, r *juniperReturn)
	// sure is the most that may be paid out on request now.
	sure(a *juniperAccount, at time.Time) int64
}

// juniperDesk receives facts, each of them once, and runs a scheme's jobs when they are due.
type juniperDesk struct {
	scheme   juniperScheme
	now      time.Time
	accounts map[string]*juniperAccount
	order    []string
}

func juniperNew(s juniperScheme) *juniperDesk {
	return &juniperDesk{scheme: s, accounts: map[string]*juniperAccount{}}
}

func (d *juniperDesk) account(name string) (*juniperAccount, error) {
	if a := d.accounts[name]; a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("unknown account %q", name)
}

// Open implements issuer.Issuer.
func (d *juniperDesk) Open(name string) error {
	if d.accounts[name] != nil {
		return fmt.Errorf("account %q is open already", name)
	}
	d.accounts[name] = &juniperAccount{
		opened: d.now, cursor: d.now,
		known: map[string]*juniperPurchase{}, paidIDs: map[string]bool{}, sheets: map[int][]juniperLine{},
	}
	d.order = append(d.order, name)
	return nil
}

// SetClock implements issuer.Issuer: all that fell due on the way is booked at its time.
func (d *juniperDesk) SetClock(now time.Time) error {
	if now.Before(d.now) {
		return fmt.Errorf("the clock does not go back")
	}
	d.now = now
	for _, name := range d.order {
		a := d.accounts[name]
		if a.opened.IsZero() { // opened before the clock was first set
			a.opened, a.cursor = now, now
		}
		d.catchUp(a)
	}
	return nil
}

func (d *juniperDesk) catchUp(a *juniperAccount) {
	jobs := d.scheme.jobs()
	due := make([]time.Time, len(jobs))
	for i, j := range jobs {
		due[i] = j.next(a, a.cursor)
	}
	for {
		var first time.Time
		for _, t := range due {
			if first.IsZero() || t.Before(first) {
				first = t
			}
		}
		if first.IsZero() || first.After(d.now) {
			return
		}
		a.cursor = first
		for i, j := range jobs {
			if due[i].Equal(first) {
				j.run(a, first)
				due[i] = j.next(a, first)
			}
		}
	}
}

// Settle implements issuer.Issuer. The first clearing of a name stands.
func (d *juniperDesk) Settle(s issuer.Settlement) error {
	a, err := d.account(s.Account)
	if err == nil && s.Transaction == "" {
		err = fmt.Errorf("a purchase without a name")
	}
	if err != nil || a.known[s.Transaction] != nil || s.Amount <= 0 {
		return err
	}
	at := s.At
	if at.IsZero() || at.After(d.now) {
		at = d.now
	}
	p := &juniperPurchase{id: s.Transaction, category: s.Category, amount: s.Amount, at: at}
	a.known[p.id] = p
	a.purchases = append(a.purchases, p)
	a.level()
	d.scheme.changed(a, d.now, nil)
	return nil
}

// Refund implements issuer.Issuer.
func (d *juniperDesk) Refund(r issuer.Refund) error {
	a, err := d.account(r.Account)
	if err != nil || r.Amount <= 0 {
		return err
	}
	d.take(a, &juniperReturn{id: r.Refund, purchase: r.Transaction, amount: r.Amount})
	return nil
}

// Chargeback implements issuer.Issuer.
func (d *juniperDesk) Chargeback(c issuer.Chargeback) error {
	a, err := d.account(c.Account)
	if err != nil || c.Amount < 0 {
		return err
	}
	d.take(a, &juniperReturn{
		id: c.Chargeback, purchase: c.Transaction, amount: c.Amount, whole: c.Amount == 0, chargeback: true,
	})
	return nil
}

// take books a return unless it is known. A message that agrees with an earlier one but
// for naming the purchase is the same return, found out later; one that says something
// else under a used name counts by itself, since it may be true.
func (d *juniperDesk) take(a *juniperAccount, r *juniperReturn) {
	for _, old := range a.returns {
		if r.id == "" || old.id != r.id || old.chargeback != r.chargeback || old.whole != r.whole || old.amount != r.amount {
			continue
		}
		if old.purchase == r.purchase || r.purchase == "" {
			return
		}
		if old.purchase == "" {
			old.purchase = r.purchase
			a.level()
			d.scheme.changed(a, d.now, old)
			return
		}
	}
	r.came = d.now
	a.returns = append(a.returns, r)
	a.level()
	d.scheme.changed(a, d.now, r)
}

// level says what is left of each purchase, and over how many purchases each return without
// one must be spread at the least (a split may cost a rounding more).
func (a *juniperAccount) level() {
	for _, p := range a.purchases {
		p.net = p.amount
	}
	for _, r := range a.returns {
		if p := a.known[r.purchase]; p != nil {
			p.net = max(0, p.net-r.amount)
			if r.whole {
				p.net = 0
			}
		}
	}
	lost := a.nameless()
	if len(lost) == 0 {
		return
	}
	nets := make([]int64, len(a.purchases))
	for i, p := range a.purchases {
		nets[i] = p.net
	}
	sort.Slice(nets, func(i, j int) bool { return nets[i] > nets[j] })
	for i := 1; i < len(nets); i++ {
		nets[i] += nets[i-1]
	}
	for _, r := range lost {
		n := sort.Search(len(nets), func(i int) bool { return nets[i] >= r.amount })
		r.pieces = int64(min(n, max(0, len(nets)-1)) + 1)
	}
}

// nameless are the returns whose purchase is not known, or not yet.
func (a *juniperAccount) nameless() []*juniperReturn {
	var out []*juniperReturn
	for _, r := range a.returns {
		if a.known[r.purchase] == nil {
			out = append(out, r)
		}
	}
	return out
}

// worst is the most that the nameless returns can have cost where spend earns at most top
// per ten thousand, rounded per purchase.
func (a *juniperAccount) worst(top int64) int64 {
	var sum int64
	for _, r := range a.nameless() {
		sum += juniperUp(r.amount*top, 10000) + r.pieces - 1
	}
	return sum
}

// post makes an entry, if it is one.
func (a *juniperAccount) post(at time.Time, kind Kind, amount int64, purchase, refund, note string) {
	if amount == 0 {
		return
	}
	a.balance += amount
	a.rows = append(a.rows, Posting{At: at, Kind: kind, Amount: amount, Transaction: purchase, Refund: refund, Note: note})
}

// give books something that has to do with no purchase.
func (a *juniperAccount) give(at time.Time, kind Kind, amount int64, note string) {
	a.extras += amount
	a.post(at, kind, amount, "", "", note)
}

// CloseStatement implements issuer.Issuer: statements close by the clock.
func (d *juniperDesk) CloseStatement(name string) error {
	_, err := d.account(name)
	return err
}

// Redeem implements issuer.Issuer. A redemption that was paid is not paid again.
func (d *juniperDesk) Redeem(r issuer.Redemption) (bool, error) {
	a, err := d.account(r.Account)
	if err != nil || r.Amount <= 0 || r.Amount > d.redeemable(a) || a.paidIDs[r.Redemption] {
		return false, err
	}
	if r.Redemption != "" {
		a.paidIDs[r.Redemption] = true
	}
	a.balance -= r.Amount
	a.used += r.Amount
	a.uses = append(a.uses, juniperUse{at: d.now, amount: r.Amount})
	return true, nil
}

func (d *juniperDesk) redeemable(a *juniperAccount) int64 {
	return max(0, min(a.balance, d.scheme.sure(a, d.now)))
}

// Balance implements issuer.Issuer.
func (d *juniperDesk) Balance(name string) (issuer.Balance, error) {
	a, err := d.account(name)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.balance, Redeemable: d.redeemable(a)}, nil
}

// Postings implements Engine.
func (d *juniperDesk) Postings(name string) []Posting {
	a := d.accounts[name]
	if a == nil {
		return nil
	}
	return append([]Posting(nil), a.rows...)
}
