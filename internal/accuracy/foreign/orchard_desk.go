package foreign

import (
	"errors"
	"fmt"
	"sort"
	"time"
	_ "time/tzdata" // the programs' zones must be there on any machine

	"recoup/internal/issuer"
)

// orchardDesigns are eight programs after the software that programs run on: what went wrong
// in five of them is what teams get wrong, three are sound.
var orchardDesigns = []Design{
	orchardProjection, orchardNightbatch, orchardPointsbank,
	orchardUnion, orchardWallet, orchardProcessor, orchardProcedure, orchardRulebook,
}

// orchardPlan is what one design adds to the desk: when it grants, what a return does
// and which jobs run by themselves.
type orchardPlan interface {
	// settled and returned are called once for each fact, after the book has it.
	settled(b *orchardBook, p *orchardPurchase)
	returned(b *orchardBook, r *orchardReturn)
	// next is the first instant after t at which a job is due, zero if there is none.
	next(t time.Time) time.Time
	// run does the job that is due at b.now.
	run(b *orchardBook)
	// redeemable may be below zero; the desk shows that as zero.
	redeemable(b *orchardBook) int64
}

// orchardPurchase is a purchase that has cleared. left, worth and claims are worked out
// anew by orchardBook.tally and the plan's valuation; they are no memory.
type orchardPurchase struct {
	id, merchant, category string
	amount                 int64
	at                     time.Time // when it happened
	granted                bool      // for plans that grant in batches
	left, worth            int64
	claims                 []*orchardReturn
}

// orchardReturn is a refund or a chargeback.
type orchardReturn struct {
	id, purchase string // purchase is empty if its sender knows none
	amount       int64
	whole        bool // all of the purchase, whatever its price
	at           time.Time
	done         bool // for plans that work returns off later
	void         bool // for plans that discard some
}

// orchardBook is all that is known of one account.
type orchardBook struct {
	opened, now time.Time
	ran         time.Time // up to when jobs have run
	purchases   []*orchardPurchase
	byID        map[string]*orchardPurchase
	returns     []*orchardReturn
	heard       map[string]bool // refunds and chargebacks by kind and id
	rows        []Posting
	sum         int64 // of rows
	redeemed    int64
	redemptions map[string]bool  // the answers given
	last        map[string]int64 // what is posted of each stream of a plan
}

// post adds a row at the book's time. Nothing is posted of nothing.
func (b *orchardBook) post(kind Kind, amount int64, purchase, refund, note string) {
	if amount == 0 {
		return
	}
	b.rows = append(b.rows, Posting{At: b.now, Kind: kind, Amount: amount, Transaction: purchase, Refund: refund, Note: note})
	b.sum += amount
}

// level brings what is posted of a stream to value with one row.
func (b *orchardBook) level(stream string, value int64, purchase, refund, note string) {
	delta := value - b.last[stream]
	b.last[stream] = value
	kind := Earned
	switch {
	case delta < 0:
		kind = Reversed
	case refund != "":
		kind = Adjusted // a refund that gives back says that an earlier guess was too high
	}
	b.post(kind, delta, purchase, refund, note)
}

// balance is what the cardholder sees.
func (b *orchardBook) balance() int64 { return b.sum - b.redeemed }

// tally works out what is left of each purchase after the returns that name it and that
// use allows, and gives the others, in order of time: those that name none, and those that
// name one which has not cleared. What a purchase's returns exceed its price by is nobody's.
func (b *orchardBook) tally(use func(*orchardReturn) bool) (loose []*orchardReturn) {
	for _, p := range b.purchases {
		p.left, p.worth, p.claims = p.amount, 0, p.claims[:0]
	}
	for _, r := range b.returns {
		if r.void || (use != nil && !use(r)) {
			continue
		}
		p := b.byID[r.purchase]
		if p == nil {
			if r.amount > 0 {
				loose = append(loose, r)
			}
			continue
		}
		p.claims = append(p.claims, r)
		p.left -= r.of(p)
	}
	sort.SliceStable(loose, func(i, j int) bool { return loose[i].at.Before(loose[j].at) })
	return loose
}

// of is what the return takes of what is left of p.
func (r *orchardReturn) of(p *orchardPurchase) int64 {
	if r.whole {
		return p.left
	}
	return min(r.amount, p.left)
}

// orchardLate is how long after a refund its purchase may still clear: five weeks.
const orchardLate = 35 * 24 * time.Hour

// debit is what loose returns cost: cost says it of one, of which the purchases in seen
// may be the source; but never more than what those have earned and lost to nobody.
// Later purchases do not pay for earlier returns.
func (b *orchardBook) debit(loose []*orchardReturn, cost func(r *orchardReturn, seen []*orchardPurchase) int64) int64 {
	var earned, taken int64
	seen := 0
	for _, r := range loose {
		limit := r.at.Add(orchardLate)
		for ; seen < len(b.purchases) && !b.purchases[seen].at.After(limit); seen++ {
			earned += b.purchases[seen].worth
		}
		taken += min(cost(r, b.purchases[:seen]), earned-taken)
	}
	return taken
}

// orchardTill is the port: it keeps the books, sees to it that every fact counts once,
// and runs what is due before the clock moves on.
type orchardTill struct {
	clock time.Time
	books map[string]*orchardBook
	plan  orchardPlan
}

func orchardOpen(plan orchardPlan) *orchardTill {
	return &orchardTill{books: map[string]*orchardBook{}, plan: plan}
}

var errOrchardAmount = errors.New("orchard: amount must be above zero")

func (t *orchardTill) book(account string) (*orchardBook, error) {
	b := t.books[account]
	if b == nil {
		return nil, fmt.Errorf("orchard: no account %q", account)
	}
	b.now = t.clock
	return b, nil
}

// Open creates an account.
func (t *orchardTill) Open(account string) error {
	if t.books[account] != nil {
		return fmt.Errorf("orchard: account %q is open", account)
	}
	t.books[account] = &orchardBook{
		opened: t.clock, now: t.clock, ran: t.clock, byID: map[string]*orchardPurchase{}, heard: map[string]bool{},
		redemptions: map[string]bool{}, last: map[string]int64{},
	}
	return nil
}

// SetClock runs every job that is due up to now, each at its own time.
func (t *orchardTill) SetClock(now time.Time) error {
	if now.Before(t.clock) {
		return errors.New("orchard: the clock does not go back")
	}
	for _, b := range t.books { // accounts do not touch each other, so their order is no matter
		if len(b.purchases)+len(b.returns) > 0 {
			for at := t.plan.next(b.ran); !at.IsZero() && !at.After(now); at = t.plan.next(at) {
				b.now = at
				t.plan.run(b)
			}
		}
		if b.opened.IsZero() { // opened before the clock was first set
			b.opened = now
		}
		b.ran, b.now = now, now
	}
	t.clock = now
	return nil
}

// when is the time of a fact: no fact is of the future.
func (t *orchardTill) when(at time.Time) time.Time {
	if at.IsZero() || at.After(t.clock) {
		return t.clock
	}
	return at
}

// Settle takes a purchase in.
func (t *orchardTill) Settle(s issuer.Settlement) error {
	b, err := t.book(s.Account)
	if err != nil {
		return err
	}
	if s.Amount <= 0 || s.Transaction == "" {
		return errOrchardAmount
	}
	if b.byID[s.Transaction] != nil {
		return nil
	}
	p := &orchardPurchase{id: s.Transaction, merchant: s.Merchant, category: s.Category, amount: s.Amount, at: t.when(s.At)}
	b.byID[p.id] = p
	// Purchases are kept by time, those of one time as they came.
	i := sort.Search(len(b.purchases), func(i int) bool { return b.purchases[i].at.After(p.at) })
	b.purchases = append(b.purchases, nil)
	copy(b.purchases[i+1:], b.purchases[i:])
	b.purchases[i] = p
	t.plan.settled(b, p)
	return nil
}

// Refund takes a refund in.
func (t *orchardTill) Refund(r issuer.Refund) error {
	if r.Amount <= 0 {
		return errOrchardAmount
	}
	return t.take(r.Account, "refund "+r.Refund, &orchardReturn{id: r.Refund, purchase: r.Transaction, amount: r.Amount, at: t.when(r.At)})
}

// Chargeback takes a chargeback in.
func (t *orchardTill) Chargeback(c issuer.Chargeback) error {
	if c.Amount < 0 {
		return errOrchardAmount
	}
	return t.take(c.Account, "chargeback "+c.Chargeback, &orchardReturn{
		id: c.Chargeback, purchase: c.Transaction, amount: c.Amount, whole: c.Amount == 0, at: t.when(c.At),
	})
}

func (t *orchardTill) take(account, key string, r *orchardReturn) error {
	b, err := t.book(account)
	if err != nil || b.heard[key] {
		return err
	}
	b.heard[key] = true
	b.returns = append(b.returns, r)
	t.plan.returned(b, r)
	return nil
}

// CloseStatement has nothing to do: every close runs by the clock.
func (t *orchardTill) CloseStatement(account string) error {
	_, err := t.book(account)
	return err
}

// Redeem pays out what is redeemable, and answers a repeated request as the first.
func (t *orchardTill) Redeem(r issuer.Redemption) (bool, error) {
	b, err := t.book(r.Account)
	if err != nil {
		return false, err
	}
	if answer, known := b.redemptions[r.Redemption]; known {
		return answer, nil
	}
	ok := r.Amount > 0 && r.Amount <= t.plan.redeemable(b)
	if ok {
		b.redeemed += r.Amount
	}
	b.redemptions[r.Redemption] = ok
	return ok, nil
}

// Balance shows the account.
func (t *orchardTill) Balance(account string) (issuer.Balance, error) {
	b, err := t.book(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: b.balance(), Redeemable: max(0, t.plan.redeemable(b))}, nil
}

// Postings are a copy of the account's rows.
func (t *orchardTill) Postings(account string) []Posting {
	if b := t.books[account]; b != nil {
		return append([]Posting(nil), b.rows...)
	}
	return nil
}

// orchardZone is a zone that is known to exist.
func orchardZone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return zone
}

// orchardMidnight is the first instant of a local day.
func orchardMidnight(zone *time.Location, year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, zone)
}

// orchardMonthly is the first start of a local day of the month after t.
func orchardMonthly(zone *time.Location, t time.Time, day int) time.Time {
	l := t.In(zone)
	at := orchardMidnight(zone, l.Year(), l.Month(), day)
	if !at.After(t) {
		at = orchardMidnight(zone, l.Year(), l.Month()+1, day)
	}
	return at
}

// orchardUp divides, rounding up.
func orchardUp(a, b int64) int64 { return (a + b - 1) / b }
