package foreign

import (
	"errors"
	"fmt"
	"time"
	_ "time/tzdata" // the zones must not depend on the machine

	"recoup/internal/issuer"
)

// basaltDesigns are five programs of one processor. All keep the facts in the same way;
// what the facts are worth, and how the books look, is each plan's own.
var basaltDesigns = []Design{basaltStornoDesign, basaltLapisDesign, basaltInstalmentDesign,
	basaltSluiceDesign, basaltPlinthDesign}

// basaltPlan is one account's program: its terms and its book-keeping.
type basaltPlan interface {
	// next is the first batch after a time, run does it.
	next(a *basaltAccount, after time.Time) time.Time
	run(a *basaltAccount, at time.Time)
	// bought and returned tell of a fact that has just been recorded.
	bought(a *basaltAccount, b *basaltBuy, at time.Time)
	returned(a *basaltAccount, r basaltReturn, at time.Time)
	// worth is all that the terms grant by what is known at a time, whatever is booked:
	// what may leave the program is never more.
	worth(a *basaltAccount, at time.Time) int64
}

// basaltBuy is a purchase that has cleared. Its order among the others is that of delivery.
type basaltBuy struct {
	id, category string
	amount       int64
	at, heard    time.Time
}

// basaltReturn is a refund or a chargeback. That of a purchase which is not known is a claim
// on all purchases until its own clears: nobody knows which one it takes.
type basaltReturn struct {
	id, buy string
	amount  int64
	dispute bool
	heard   time.Time
}

type basaltUse struct {
	at     time.Time
	amount int64
}

// basaltAccount is what is known of one customer, and the rows of the ledger.
type basaltAccount struct {
	plan           basaltPlan
	opened, cursor time.Time
	buys           []*basaltBuy
	known          map[string]*basaltBuy
	back           map[string]int64 // returned so far, by purchase, cleared or not
	gone           map[string]bool  // charged back as a whole
	returns        []basaltReturn
	seen           map[string]bool
	redeemed       map[string]int64
	uses           []basaltUse
	out, paid      int64 // all that has left the program; of it, paid out by itself
	rows           []Posting
	sum            int64
}

// net is what is left of a purchase. More cannot come back than was bought.
func (a *basaltAccount) net(b *basaltBuy) int64 {
	if a.gone[b.id] {
		return 0
	}
	return max(0, b.amount-a.back[b.id])
}

// claims are the returns that name no purchase, or none that has cleared.
func (a *basaltAccount) claims() []basaltReturn {
	var open []basaltReturn
	for _, r := range a.returns {
		if a.known[r.buy] == nil {
			open = append(open, r)
		}
	}
	return open
}

// claimed is what all claims together can have cost at most, at num minor units of reward
// for den of spend: each is rounded up, as a purchase's reward is rounded down.
func (a *basaltAccount) claimed(num, den int64) int64 {
	var all int64
	for _, r := range a.claims() {
		all += (r.amount*num + den - 1) / den
	}
	return all
}

// book writes a row, if it says anything.
func (a *basaltAccount) book(p Posting) {
	if p.Amount != 0 {
		a.rows = append(a.rows, p)
		a.sum += p.Amount
	}
}

func (a *basaltAccount) balance() int64 { return a.sum - (a.out - a.paid) }

// redeemable is what is both booked and sure: by all that is known now, not only by what
// the last batch has seen.
func (a *basaltAccount) redeemable(now time.Time) int64 {
	return max(0, min(a.balance(), a.plan.worth(a, now)-a.out))
}

// basaltDesk drives the plans.
type basaltDesk struct {
	now      time.Time
	plan     func() basaltPlan
	accounts map[string]*basaltAccount
}

func basaltNew(plan func() basaltPlan) *basaltDesk {
	return &basaltDesk{plan: plan, accounts: map[string]*basaltAccount{}}
}

func (d *basaltDesk) account(name string) (*basaltAccount, error) {
	if a := d.accounts[name]; a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("basalt: unknown account %q", name)
}

// Open implements issuer.Issuer. Opening again changes nothing.
func (d *basaltDesk) Open(account string) error {
	if d.accounts[account] == nil {
		d.accounts[account] = &basaltAccount{plan: d.plan(), opened: d.now, cursor: d.now,
			known: map[string]*basaltBuy{}, back: map[string]int64{}, gone: map[string]bool{},
			seen: map[string]bool{}, redeemed: map[string]int64{}}
	}
	return nil
}

// SetClock runs every batch that is due, each at its own time. Accounts know nothing of
// each other, so their order is of no matter.
func (d *basaltDesk) SetClock(now time.Time) error {
	if now.Before(d.now) {
		return errors.New("basalt: the clock does not go back")
	}
	for _, a := range d.accounts {
		if d.now.IsZero() { // opened before there was a clock: as of its first time
			a.opened, a.cursor = now, now
		}
		for t := a.plan.next(a, a.cursor); !t.After(now); t = a.plan.next(a, t) {
			a.cursor = t
			a.plan.run(a, t)
		}
	}
	d.now = now
	return nil
}

// Settle implements issuer.Issuer. A second clearing of the same name is the first again.
func (d *basaltDesk) Settle(s issuer.Settlement) error {
	a, err := d.account(s.Account)
	if err != nil {
		return err
	}
	if s.Transaction == "" || s.Amount <= 0 {
		return errors.New("basalt: a clearing needs a name and an amount")
	}
	if a.known[s.Transaction] != nil {
		return nil
	}
	at := s.At
	if at.IsZero() || at.After(d.now) && !d.now.IsZero() {
		at = d.now
	}
	b := &basaltBuy{id: s.Transaction, category: s.Category, amount: s.Amount, at: at, heard: d.now}
	a.known[b.id] = b
	a.buys = append(a.buys, b)
	a.plan.bought(a, b, d.now)
	return nil
}

// Refund implements issuer.Issuer.
func (d *basaltDesk) Refund(r issuer.Refund) error {
	if r.Amount <= 0 {
		return errors.New("basalt: a refund needs an amount")
	}
	return d.giveBack(r.Account, basaltReturn{id: r.Refund, buy: r.Transaction, amount: r.Amount})
}

// Chargeback implements issuer.Issuer.
func (d *basaltDesk) Chargeback(c issuer.Chargeback) error {
	if c.Amount < 0 || c.Amount == 0 && c.Transaction == "" {
		return errors.New("basalt: a chargeback of nothing")
	}
	return d.giveBack(c.Account, basaltReturn{id: c.Chargeback, buy: c.Transaction, amount: c.Amount, dispute: true})
}

// giveBack records a return once. The same name with another purchase or amount is another
// return: to forget one would be a gift.
func (d *basaltDesk) giveBack(account string, r basaltReturn) error {
	a, err := d.account(account)
	if err != nil {
		return err
	}
	key := fmt.Sprintf("%t|%q|%q|%d", r.dispute, r.id, r.buy, r.amount)
	if r.id != "" && a.seen[key] {
		return nil
	}
	a.seen[key] = true
	r.heard = d.now
	if r.buy != "" {
		a.back[r.buy] += r.amount
		if r.amount == 0 {
			a.gone[r.buy] = true
		}
	}
	a.returns = append(a.returns, r)
	a.plan.returned(a, r, d.now)
	return nil
}

// CloseStatement does nothing: all batches run by the clock.
func (d *basaltDesk) CloseStatement(account string) error {
	_, err := d.account(account)
	return err
}

// Redeem implements issuer.Issuer. One that was paid is paid once, however often it is asked.
func (d *basaltDesk) Redeem(r issuer.Redemption) (bool, error) {
	a, err := d.account(r.Account)
	if err != nil {
		return false, err
	}
	if before, ok := a.redeemed[r.Redemption]; ok && r.Redemption != "" {
		return before == r.Amount, nil
	}
	if r.Amount <= 0 || r.Amount > a.redeemable(d.now) {
		return false, nil
	}
	a.redeemed[r.Redemption] = r.Amount
	a.out += r.Amount
	a.uses = append(a.uses, basaltUse{d.now, r.Amount})
	return true, nil
}

// Balance implements issuer.Issuer.
func (d *basaltDesk) Balance(account string) (issuer.Balance, error) {
	a, err := d.account(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.balance(), Redeemable: a.redeemable(d.now)}, nil
}

// Postings implements Engine.
func (d *basaltDesk) Postings(account string) []Posting {
	if a := d.accounts[account]; a != nil {
		return append([]Posting(nil), a.rows...)
	}
	return nil
}

// basaltZone is a zone that is built in.
func basaltZone(name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return z
}

// basaltMonth numbers the months of a zone.
func basaltMonth(t time.Time, z *time.Location) int {
	y, m, _ := t.In(z).Date()
	return y*12 + int(m) - 1
}

// basaltDay is the first time after a given one at which it is the hour in the zone.
func basaltDay(after time.Time, hour int, z *time.Location) time.Time {
	y, m, d := after.In(z).Date()
	for {
		if t := time.Date(y, m, d, hour, 0, 0, 0, z); t.After(after) {
			return t
		}
		d++
	}
}

const basaltDays = 24 * time.Hour
