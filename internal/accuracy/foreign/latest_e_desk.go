package foreign

import (
	"errors"
	"fmt"
	"math/bits"
	"sort"
	"time"

	"recoup/internal/issuer"
)

// latestEDesigns are the programs of this desk.
var latestEDesigns = []Design{
	latestESixDrips,
	latestETopCategory,
	latestETwelveSwipes,
	latestEPointsBack,
	latestELastMonth,
	latestESmallDebts,
}

// errLatestENoAccount is the answer to any move on an account that was never opened.
var errLatestENoAccount = errors.New("no such account")

// latestEScale is amount*num/den with the remainder, for amount and num not below zero.
// The product is taken in 128 bits, so that a purchase of any size has a reward.
func latestEScale(amount, num, den int64) (quotient, rest int64) {
	if amount <= 0 || num <= 0 {
		return 0, 0
	}
	high, low := bits.Mul64(uint64(amount), uint64(num))
	q, r := bits.Div64(high%uint64(den), low, uint64(den))
	return int64(q), int64(r)
}

// latestEDown rounds down.
func latestEDown(amount, num, den int64) int64 {
	q, _ := latestEScale(amount, num, den)
	return q
}

// latestEHalfUp rounds to the nearest, a half upwards.
func latestEHalfUp(amount, num, den int64) int64 {
	q, r := latestEScale(amount, num, den)
	if 2*r >= den {
		q++
	}
	return q
}

// latestEHalfEven rounds to the nearest, a half to the even neighbour.
func latestEHalfEven(amount, num, den int64) int64 {
	q, r := latestEScale(amount, num, den)
	if 2*r > den || 2*r == den && q%2 == 1 {
		q++
	}
	return q
}

// latestEMonth numbers the calendar months in UTC.
func latestEMonth(t time.Time) int {
	t = t.UTC()
	return t.Year()*12 + int(t.Month()) - 1
}

// latestEMonthStart is the first instant of a month by its number.
func latestEMonthStart(month int) time.Time {
	return time.Date(month/12, time.Month(month%12+1), 1, 0, 0, 0, 0, time.UTC)
}

// latestEWhen is when a purchase counts: when it happened, if that is known and over.
func latestEWhen(at, now time.Time) time.Time {
	if at.IsZero() || at.After(now) {
		return now
	}
	return at
}

// latestESale is a purchase and what came back of it.
type latestESale struct {
	id, merchant, mcc string
	amount, back      int64
	at                time.Time
}

// net is what the cardholder has kept.
func (s *latestESale) net() int64 { return s.amount - s.back }

// latestEBook keeps an account's purchases for good: whatever comes back, however late,
// finds what it is about. Only what comes back counts; the programs decide what follows.
type latestEBook struct {
	sales map[string]*latestESale
	order []*latestESale // as they happened
	early map[string]int64
	whole map[string]bool // charged back as a whole before they were known
	seen  map[string]bool // refunds and chargebacks, by kind and id
}

func latestENewBook() *latestEBook {
	return &latestEBook{
		sales: map[string]*latestESale{},
		early: map[string]int64{},
		whole: map[string]bool{},
		seen:  map[string]bool{},
	}
}

// settle enters a purchase; it answers nil if there is nothing to enter.
func (b *latestEBook) settle(s issuer.Settlement, now time.Time) *latestESale {
	if s.Amount <= 0 || b.sales[s.Transaction] != nil {
		return nil
	}
	sale := &latestESale{
		id: s.Transaction, merchant: s.Merchant, mcc: s.MCC,
		amount: s.Amount, at: latestEWhen(s.At, now),
	}
	b.sales[sale.id] = sale
	b.order = append(b.order, sale)
	sort.SliceStable(b.order, func(i, j int) bool { return b.order[i].at.Before(b.order[j].at) })
	sale.back = min(sale.amount, b.early[sale.id])
	if b.whole[sale.id] {
		sale.back = sale.amount
	}
	return sale
}

// refund enters a refund and answers the purchases it has shrunk. One without a purchase
// is set against the last purchases at its merchant and then against any others, the
// newest first, since a return without its receipt is most often of something recent.
func (b *latestEBook) refund(r issuer.Refund) []*latestESale {
	return b.takeBack("refund "+r.Refund, r.Transaction, r.Merchant, r.Amount, false)
}

// chargeback enters a chargeback; without an amount it is of the whole purchase.
func (b *latestEBook) chargeback(c issuer.Chargeback) []*latestESale {
	return b.takeBack("chargeback "+c.Chargeback, c.Transaction, "", c.Amount, c.Amount == 0)
}

func (b *latestEBook) takeBack(fact, transaction, merchant string, amount int64, whole bool) []*latestESale {
	if b.seen[fact] || amount < 0 || amount == 0 && !whole {
		return nil
	}
	b.seen[fact] = true
	if transaction == "" {
		if whole {
			return nil
		}
		return b.spread(merchant, amount)
	}
	sale := b.sales[transaction]
	switch {
	case sale == nil && whole:
		b.whole[transaction] = true
		return nil
	case sale == nil:
		// The sum saturates, so that absurd amounts cannot turn it round.
		b.early[transaction] += min(amount, 1<<62-b.early[transaction])
		return nil
	case whole:
		amount = sale.amount
	}
	return sale.take(amount, nil)
}

// take takes at most what is left of the purchase.
func (s *latestESale) take(amount int64, touched []*latestESale) []*latestESale {
	if amount = min(amount, s.net()); amount > 0 {
		s.back += amount
		touched = append(touched, s)
	}
	return touched
}

func (b *latestEBook) spread(merchant string, amount int64) (touched []*latestESale) {
	for _, same := range []bool{true, false} {
		for i := len(b.order) - 1; i >= 0 && amount > 0; i-- {
			sale := b.order[i]
			if (merchant != "" && sale.merchant == merchant) != same {
				continue
			}
			before := sale.net()
			touched = sale.take(amount, touched)
			amount -= before - sale.net()
		}
	}
	return touched
}

// latestETill is the part of an account that every program has: postings and redemptions.
type latestETill struct {
	postings []Posting
	balance  int64
	redeemed map[string]bool
}

// post enters an amount unless it is zero.
func (t *latestETill) post(p Posting) {
	if p.Amount != 0 {
		t.postings = append(t.postings, p)
		t.balance += p.Amount
	}
}

// redeem pays out of what is redeemable. One that was paid before is not paid again.
func (t *latestETill) redeem(r issuer.Redemption, redeemable int64) bool {
	if t.redeemed[r.Redemption] {
		return true
	}
	if r.Amount <= 0 || r.Amount > redeemable {
		return false
	}
	if t.redeemed == nil {
		t.redeemed = map[string]bool{}
	}
	t.redeemed[r.Redemption] = true
	t.balance -= r.Amount
	return true
}

// latestEFind looks an account up.
func latestEFind[A any](accounts map[string]*A, name string) (*A, error) {
	if a := accounts[name]; a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("%w: %q", errLatestENoAccount, name)
}
