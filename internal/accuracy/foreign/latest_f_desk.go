package foreign

import (
	"errors"
	"fmt"
	"time"

	"recoup/internal/issuer"
)

// latestfDesigns are the programs of this set, in the order in which they were written.
var latestfDesigns = []Design{
	latestfArrearsDesign,
	latestfPantryDesign,
	latestfLedgerDayDesign,
	latestfIdleDesign,
	latestfReplayDesign,
	latestfYenDesign,
	latestfHalvesDesign,
	latestfReserveDesign,
}

var (
	errLatestfUnknown = errors.New("no such account")
	errLatestfClock   = errors.New("the clock does not go back")
	errLatestfFact    = errors.New("a fact without a name or with an impossible amount")
)

// latestfHouse keeps the accounts of one program and its clock.
type latestfHouse[A any] struct {
	now      time.Time
	accounts map[string]A
	names    []string // in the order of opening, so that jobs run in a fixed order
	fresh    func() A
}

func latestfOpenHouse[A any](fresh func() A) latestfHouse[A] {
	return latestfHouse[A]{accounts: map[string]A{}, fresh: fresh}
}

// Open creates the account; a second request for the same one changes nothing.
func (h *latestfHouse[A]) Open(account string) error {
	if account == "" {
		return errLatestfFact
	}
	if _, ok := h.accounts[account]; !ok {
		h.accounts[account] = h.fresh()
		h.names = append(h.names, account)
	}
	return nil
}

func (h *latestfHouse[A]) find(account string) (A, error) {
	a, ok := h.accounts[account]
	if !ok {
		return a, fmt.Errorf("%w: %q", errLatestfUnknown, account)
	}
	return a, nil
}

// latestfPurchase is one clearing, and how much of it has come back.
type latestfPurchase struct {
	id, merchant, mcc string
	price             int64
	at                time.Time // when it happened
	came              time.Time // when its clearing came in
	linked            int64     // returned by facts that name it
	loose             int64     // returned by credits that name no purchase
}

func (p *latestfPurchase) net() int64 { return p.price - p.linked - p.loose }

// latestfHit says that part of a purchase came back now.
type latestfHit struct {
	p      *latestfPurchase
	amount int64
	credit string    // the refund or chargeback that did it
	at     time.Time // the date that the credit bears
}

// latestfCredit is a refund or chargeback, or what is left of it to find a purchase for.
type latestfCredit struct {
	id, transaction, merchant string
	amount                    int64
	all                       bool // a dispute over the whole purchase
	at                        time.Time
}

// latestfDesk is the intake: it takes every fact once, holds refunds until their
// purchase is there, and finds purchases for credits that name none: the latest of
// the same shop first, then the latest of any other, and if all have come back in full
// the credit waits for a purchase that was made before it and comes in late.
type latestfDesk struct {
	purchases map[string]*latestfPurchase
	order     []*latestfPurchase
	seen      map[string]bool
	waiting   map[string][]latestfCredit // by the purchase that they name
	open      []latestfCredit            // unnamed and not yet placed
}

func latestfNewDesk() latestfDesk {
	return latestfDesk{purchases: map[string]*latestfPurchase{}, seen: map[string]bool{}, waiting: map[string][]latestfCredit{}}
}

// settle takes a clearing in. The purchase is nil if it was known; the hits are those of
// credits that were there before it.
func (d *latestfDesk) settle(s issuer.Settlement, now time.Time) (*latestfPurchase, error) {
	if s.Transaction == "" || s.Amount < 0 {
		return nil, errLatestfFact
	}
	if d.purchases[s.Transaction] != nil {
		return nil, nil
	}
	p := &latestfPurchase{id: s.Transaction, merchant: s.Merchant, mcc: s.MCC, price: s.Amount, at: s.At, came: now}
	if p.at.IsZero() {
		p.at = now
	}
	d.purchases[p.id] = p
	d.order = append(d.order, p)
	return p, nil
}

// early gives the hits of credits that came before the purchase. It is apart from
// settle, since engines first have to have granted what these take back.
func (d *latestfDesk) early(p *latestfPurchase) []latestfHit {
	var hits []latestfHit
	for _, c := range d.waiting[p.id] {
		hits = append(hits, d.named(p, c)...)
	}
	delete(d.waiting, p.id)
	open := d.open
	d.open = nil
	for _, c := range open {
		if p.at.After(c.at) || c.merchant != p.merchant {
			d.open = append(d.open, c)
			continue
		}
		hits = append(hits, d.unnamed(c)...)
	}
	return hits
}

func (d *latestfDesk) refund(r issuer.Refund, now time.Time) ([]latestfHit, error) {
	if r.Refund == "" {
		return nil, errLatestfFact
	}
	c := latestfCredit{id: r.Refund, transaction: r.Transaction, merchant: r.Merchant, amount: r.Amount, at: r.At}
	return d.credit("refund "+r.Refund, c, now), nil
}

func (d *latestfDesk) chargeback(r issuer.Chargeback, now time.Time) ([]latestfHit, error) {
	if r.Chargeback == "" || r.Amount < 0 {
		return nil, errLatestfFact
	}
	c := latestfCredit{id: r.Chargeback, transaction: r.Transaction, amount: r.Amount, all: r.Amount == 0, at: r.At}
	return d.credit("chargeback "+r.Chargeback, c, now), nil
}

func (d *latestfDesk) credit(key string, c latestfCredit, now time.Time) []latestfHit {
	if d.seen[key] {
		return nil
	}
	d.seen[key] = true
	if c.at.IsZero() {
		c.at = now
	}
	switch {
	case c.amount <= 0 && !c.all:
		return nil // nothing came back
	case c.transaction == "":
		return d.unnamed(c)
	case d.purchases[c.transaction] == nil:
		d.waiting[c.transaction] = append(d.waiting[c.transaction], c)
		return nil
	}
	return d.named(d.purchases[c.transaction], c)
}

// named takes from the purchase that is named, never more than its price. What had been
// laid at its door by a credit without a name is then moved on to another purchase.
func (d *latestfDesk) named(p *latestfPurchase, c latestfCredit) []latestfHit {
	x := p.price - p.linked
	if !c.all {
		x = min(x, c.amount)
	}
	if x <= 0 {
		return nil
	}
	direct := min(x, p.net())
	moved := x - direct
	p.linked += x
	p.loose -= moved
	var hits []latestfHit
	if direct > 0 {
		hits = append(hits, latestfHit{p, direct, c.id, c.at})
	}
	if moved > 0 {
		hits = append(hits, d.unnamed(latestfCredit{id: c.id, merchant: p.merchant, amount: moved, at: c.at})...)
	}
	return hits
}

func (d *latestfDesk) unnamed(c latestfCredit) []latestfHit {
	var hits []latestfHit
	for _, sameShop := range []bool{true, false} {
		for i := len(d.order) - 1; i >= 0 && c.amount > 0; i-- {
			p := d.order[i]
			if (p.merchant == c.merchant) != sameShop || p.net() == 0 || p.at.After(c.at) {
				continue
			}
			x := min(c.amount, p.net())
			p.loose += x
			c.amount -= x
			hits = append(hits, latestfHit{p, x, c.id, c.at})
		}
	}
	if c.amount > 0 {
		d.open = append(d.open, c)
	}
	return hits
}

// latestfBook is the part of an account that can be exported: postings and redemptions.
type latestfBook struct {
	postings []Posting
	sum      int64
	redeemed int64
	paid     int64
	answered map[string]bool // redemptions that were paid
}

func latestfNewBook() latestfBook { return latestfBook{answered: map[string]bool{}} }

func (b *latestfBook) post(at time.Time, kind Kind, amount int64, transaction, refund, note string) {
	if amount == 0 {
		return
	}
	b.sum += amount
	if kind == Paid {
		b.paid -= amount
	}
	b.postings = append(b.postings, Posting{At: at, Kind: kind, Amount: amount, Transaction: transaction, Refund: refund, Note: note})
}

func (b *latestfBook) balance() int64 { return b.sum - b.redeemed }

// redeem answers a request of which up to free could be paid. A request that was paid is
// answered again the same, without being paid again.
func (b *latestfBook) redeem(r issuer.Redemption, free int64) bool {
	if r.Redemption != "" && b.answered[r.Redemption] {
		return true
	}
	if r.Amount <= 0 || r.Amount > free {
		return false
	}
	if r.Redemption != "" {
		b.answered[r.Redemption] = true
	}
	b.redeemed += r.Amount
	return true
}

func (b *latestfBook) export() []Posting { return append([]Posting(nil), b.postings...) }

// latestfHalfUp is n/d to the nearest whole, halves up; d is above zero. It is right for
// n below zero too, where a half goes towards zero's greater side as it does on paper.
func latestfHalfUp(n, d int64) int64 { return latestfFloor(2*n+d, 2*d) }

// latestfHalfEven is n/d to the nearest whole, halves to the even one.
func latestfHalfEven(n, d int64) int64 {
	q := latestfFloor(n, d)
	switch rest := 2 * (n - q*d); {
	case rest > d, rest == d && q%2 != 0:
		return q + 1
	}
	return q
}

// latestfFloor is n/d rounded down, also below zero.
func latestfFloor(n, d int64) int64 {
	q := n / d
	if n%d < 0 {
		q--
	}
	return q
}

// latestfMonth is the first instant of the month that t is in, moved on by some months.
func latestfMonth(t time.Time, on int) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month()+time.Month(on), 1, 0, 0, 0, 0, time.UTC)
}
