package foreign

import (
	"fmt"
	"math/bits"
	"sort"
	"time"

	"recoup/internal/issuer"
)

// This file is the back office that the engines of newestADesigns share: it keeps the
// facts of an account in order. What a fact is worth is each engine's own affair.

// newestADesigns are the designs of these files.
var newestADesigns = []Design{
	newestAAnniversary,
	newestATopMonth,
	newestAStamps,
	newestAMeter,
	newestALots,
	newestAQuarter,
}

// newestAMost is more than any card lets through; larger amounts are typing errors.
const newestAMost = int64(1_000_000_000_000_000)

// newestASale is a purchase that cleared, and how much of it has come back.
type newestASale struct {
	id, merchant, mcc, category string
	amount, back                int64
	at                          time.Time
	// guesses are the parts of back that came by returns which named no purchase.
	guesses []newestAParked
}

func (s *newestASale) net() int64 { return s.amount - s.back }

// newestAHit says that a part of a sale has just come back, and by which fact.
type newestAHit struct {
	sale   *newestASale
	amount int64
	by     string
}

// newestAParked is a return that waits for its purchase.
type newestAParked struct {
	by     string
	amount int64
	all    bool
}

// newestAFile holds one account's facts and its reward ledger.
type newestAFile struct {
	sales      map[string]*newestASale
	order      []*newestASale
	refunds    map[string]bool
	disputes   map[string]bool
	parked     map[string][]newestAParked
	loose      []newestAParked // returns that named no purchase and found none
	redemption map[string]bool
	redeemed   int64
	postings   []Posting
	sum        int64
}

func newestANewFile() newestAFile {
	return newestAFile{
		sales:      map[string]*newestASale{},
		refunds:    map[string]bool{},
		disputes:   map[string]bool{},
		parked:     map[string][]newestAParked{},
		redemption: map[string]bool{},
	}
}

// sell files a purchase. It is nil if the purchase has been filed before. The hits are
// the returns that had been waiting for it.
func (f *newestAFile) sell(s issuer.Settlement, at time.Time) (*newestASale, []newestAHit, error) {
	if s.Transaction == "" || s.Amount < 0 || s.Amount > newestAMost {
		return nil, nil, fmt.Errorf("settlement %q of %d is not valid", s.Transaction, s.Amount)
	}
	if f.sales[s.Transaction] != nil {
		return nil, nil, nil
	}
	sale := &newestASale{id: s.Transaction, merchant: s.Merchant, mcc: s.MCC, category: s.Category, amount: s.Amount, at: at}
	f.sales[sale.id] = sale
	f.order = append(f.order, sale)
	var hits []newestAHit
	for _, p := range f.parked[sale.id] {
		if p.all {
			p.amount = sale.net()
		}
		hits = f.named(hits, sale, p.amount, p.by)
	}
	delete(f.parked, sale.id)
	// Returns that found no purchase are set off against the coming ones, so that
	// nothing is gained by having the refund sent first or without a reference.
	for len(f.loose) > 0 && sale.net() > 0 {
		p := &f.loose[0]
		took := min(p.amount, sale.net())
		hits = f.guess(hits, sale, took, p.by)
		if p.amount -= took; p.amount > 0 {
			break
		}
		f.loose = f.loose[1:]
	}
	return sale, hits, nil
}

// hit takes an amount off a sale, at most what is left of it.
func (f *newestAFile) hit(hits []newestAHit, sale *newestASale, amount int64, by string) []newestAHit {
	amount = min(amount, sale.net())
	if amount <= 0 {
		return hits
	}
	sale.back += amount
	return append(hits, newestAHit{sale, amount, by})
}

// guess takes an amount off a sale that its return did not name.
func (f *newestAFile) guess(hits []newestAHit, sale *newestASale, amount int64, by string) []newestAHit {
	if amount > 0 {
		sale.guesses = append(sale.guesses, newestAParked{by: by, amount: amount})
	}
	return f.hit(hits, sale, amount, by)
}

// named takes an amount off the sale that its return names. Where guesses stand in its
// way they were wrong, and move on to other sales; otherwise one of two returns would be
// lost as being above the price.
func (f *newestAFile) named(hits []newestAHit, sale *newestASale, amount int64, by string) []newestAHit {
	short := amount - sale.net()
	hits = f.hit(hits, sale, amount, by)
	for len(sale.guesses) > 0 && short > 0 {
		last := len(sale.guesses) - 1
		g := &sale.guesses[last]
		moved := min(g.amount, short)
		g.amount -= moved
		short -= moved
		guess := g.by
		if g.amount == 0 {
			sale.guesses = sale.guesses[:last]
		}
		hits = f.unnamed(hits, moved, guess, sale.merchant, sale.mcc)
	}
	return hits
}

// refund files a refund and says which sales it takes from. A refund that names no
// purchase is taken from the newest at the same merchant, then from the newest with the
// same merchant code, then from the newest of all, and what is left over waits.
func (f *newestAFile) refund(r issuer.Refund) ([]newestAHit, error) {
	if r.Refund == "" || r.Amount < 0 {
		return nil, fmt.Errorf("refund %q of %d is not valid", r.Refund, r.Amount)
	}
	if f.refunds[r.Refund] {
		return nil, nil
	}
	f.refunds[r.Refund] = true
	left := min(r.Amount, newestAMost)
	if r.Transaction != "" {
		sale := f.sales[r.Transaction]
		if sale == nil {
			f.parked[r.Transaction] = append(f.parked[r.Transaction], newestAParked{by: r.Refund, amount: left})
			return nil, nil
		}
		return f.named(nil, sale, left, r.Refund), nil
	}
	return f.unnamed(nil, left, r.Refund, r.Merchant, r.MCC), nil
}

// unnamed finds sales for a return that names none.
func (f *newestAFile) unnamed(hits []newestAHit, left int64, by, merchant, mcc string) []newestAHit {
	candidates := append([]*newestASale(nil), f.order...)
	rank := func(s *newestASale) int {
		switch {
		case merchant != "" && s.merchant == merchant:
			return 0
		case mcc != "" && s.mcc == mcc:
			return 1
		}
		return 2
	}
	sort.SliceStable(candidates, func(i, j int) bool {
		a, b := candidates[i], candidates[j]
		if rank(a) != rank(b) {
			return rank(a) < rank(b)
		}
		return a.at.After(b.at)
	})
	for _, s := range candidates {
		took := min(left, s.net())
		hits = f.guess(hits, s, took, by)
		left -= took
	}
	if left > 0 {
		f.loose = append(f.loose, newestAParked{by: by, amount: left})
	}
	return hits
}

// chargeback files a chargeback; zero means all that is left of the purchase.
func (f *newestAFile) chargeback(c issuer.Chargeback) ([]newestAHit, error) {
	if c.Chargeback == "" || c.Transaction == "" || c.Amount < 0 {
		return nil, fmt.Errorf("chargeback %q of %d is not valid", c.Chargeback, c.Amount)
	}
	if f.disputes[c.Chargeback] {
		return nil, nil
	}
	f.disputes[c.Chargeback] = true
	amount := min(c.Amount, newestAMost)
	sale := f.sales[c.Transaction]
	if sale == nil {
		f.parked[c.Transaction] = append(f.parked[c.Transaction], newestAParked{by: c.Chargeback, amount: amount, all: c.Amount == 0})
		return nil, nil
	}
	if c.Amount == 0 {
		amount = sale.net()
		for _, g := range sale.guesses {
			amount += g.amount
		}
	}
	return f.named(nil, sale, amount, c.Chargeback), nil
}

// post makes an entry; one of nothing is not made.
func (f *newestAFile) post(p Posting) {
	if p.Amount != 0 {
		f.postings = append(f.postings, p)
		f.sum += p.Amount
	}
}

// correct posts a difference as what it is by its sign.
func (f *newestAFile) correct(at time.Time, delta int64, transaction, refund, note string) {
	kind := Earned
	if delta < 0 {
		kind = Reversed
	}
	f.post(Posting{At: at, Kind: kind, Amount: delta, Transaction: transaction, Refund: refund, Note: note})
}

func (f *newestAFile) balance() int64 { return f.sum - f.redeemed }

// redeem books a redemption of at most what can be redeemed. One that was accepted
// before is not paid again, and its answer stays.
func (f *newestAFile) redeem(r issuer.Redemption, redeemable int64) bool {
	if r.Redemption != "" && f.redemption[r.Redemption] {
		return true
	}
	if r.Amount <= 0 || r.Amount > redeemable {
		return false
	}
	if r.Redemption != "" {
		f.redemption[r.Redemption] = true
	}
	f.redeemed += r.Amount
	return true
}

// newestAOffice is the part of an engine that knows its accounts and the time.
type newestAOffice[X any] struct {
	now   time.Time
	files map[string]*X
	names []string
}

func (o *newestAOffice[X]) file(account string) (*X, error) {
	x := o.files[account]
	if x == nil {
		return nil, fmt.Errorf("no account %q", account)
	}
	return x, nil
}

func (o *newestAOffice[X]) add(account string, x *X) error {
	if o.files == nil {
		o.files = map[string]*X{}
	}
	if account == "" || o.files[account] != nil {
		return fmt.Errorf("cannot open account %q", account)
	}
	o.files[account] = x
	o.names = append(o.names, account)
	return nil
}

// tick moves the clock and returns what it was.
func (o *newestAOffice[X]) tick(now time.Time) (time.Time, error) {
	was := o.now
	if now.Before(was) {
		return was, fmt.Errorf("the clock cannot go back from %v to %v", was, now)
	}
	o.now = now
	return was, nil
}

// when is the time of a fact: its own, but never later than the clock.
func (o *newestAOffice[X]) when(at time.Time) time.Time {
	if at.IsZero() || !o.now.IsZero() && at.After(o.now) {
		return o.now
	}
	return at
}

// CloseStatement does nothing: all of these programs close by their own clock.
func (o *newestAOffice[X]) CloseStatement(account string) error {
	_, err := o.file(account)
	return err
}

// The three ways of rounding amount·num/den. The share num/den is one at most, or the
// result a small multiple of the amount; nothing overflows below newestAMost.
func newestAParts(amount, num, den int64) (quotient, rest int64) {
	if amount <= 0 || num <= 0 || den <= 0 {
		return 0, 0
	}
	hi, lo := bits.Mul64(uint64(amount), uint64(num))
	if hi >= uint64(den) {
		return amount, 0
	}
	q, r := bits.Div64(hi, lo, uint64(den))
	return int64(q), int64(r)
}

func newestADown(amount, num, den int64) int64 {
	q, _ := newestAParts(amount, num, den)
	return q
}

func newestAHalfUp(amount, num, den int64) int64 {
	q, r := newestAParts(amount, num, den)
	if r >= den-r && r > 0 {
		q++
	}
	return q
}

func newestAHalfEven(amount, num, den int64) int64 {
	q, r := newestAParts(amount, num, den)
	if r > den-r || r > 0 && r == den-r && q%2 == 1 {
		q++
	}
	return q
}

// newestAMonth numbers the calendar months in UTC, newestAMonthStart is its inverse.
func newestAMonth(at time.Time) int {
	at = at.UTC()
	return at.Year()*12 + int(at.Month()) - 1
}

func newestAMonthStart(month int) time.Time {
	return time.Date(month/12, time.Month(month%12+1), 1, 0, 0, 0, 0, time.UTC)
}

// newestAKind groups merchant codes as the large networks do. Where there is no code,
// the category that came with the purchase has to do.
func newestAKind(mcc, category string) string {
	switch mcc {
	case "5411", "5422", "5451", "5462", "5499":
		return "grocery"
	case "5812", "5813", "5814":
		return "dining"
	case "5541", "5542":
		return "fuel"
	case "5912":
		return "drugstore"
	case "5200", "5211", "5231", "5251":
		return "home"
	case "4111", "4121", "4131":
		return "transit"
	case "":
		switch category {
		case "grocery", "GROCERY", "groceries", "GROCERIES", "supermarket":
			return "grocery"
		case "dining", "DINING", "restaurant", "RESTAURANT":
			return "dining"
		case "fuel", "FUEL", "gas", "GAS":
			return "fuel"
		}
	}
	return ""
}
