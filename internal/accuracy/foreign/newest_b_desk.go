package foreign

import (
	"errors"
	"fmt"
	"time"

	"recoup/internal/issuer"
)

// This file is the front office that the houses of desk B share: it takes calls in, throws
// out what was delivered before, and files purchases and returns. What a house makes of its
// files, its money, is each house's own.

var newestBDesigns = []Design{
	newestBKaede,
	newestBZugvogel,
	newestBMarket,
	newestBSterling,
	newestBKoin,
	newestBStamp,
}

const newestBDay = 24 * time.Hour

var errNewestBNoAccount = errors.New("no such account")

// newestBHolder is one account of a house.
type newestBHolder interface {
	book() *newestBBook
	// tick does everything that falls due up to now, in order.
	tick(now time.Time)
	settle(s issuer.Settlement, now time.Time)
	back(b newestBBack, now time.Time)
	// free is what could be redeemed if the balance allows it.
	free(now time.Time) int64
}

// newestBHouse is the counter of a house.
type newestBHouse struct {
	now     time.Time
	holders map[string]newestBHolder
	order   []newestBHolder
	fresh   func(now time.Time) newestBHolder
}

func newestBOpenHouse(fresh func(now time.Time) newestBHolder) *newestBHouse {
	return &newestBHouse{holders: map[string]newestBHolder{}, fresh: fresh}
}

func (h *newestBHouse) find(account string) (newestBHolder, error) {
	a, ok := h.holders[account]
	if !ok {
		return nil, fmt.Errorf("%w: %q", errNewestBNoAccount, account)
	}
	return a, nil
}

func (h *newestBHouse) Open(account string) error {
	if _, ok := h.holders[account]; ok {
		return fmt.Errorf("account %q is open already", account)
	}
	a := h.fresh(h.now)
	h.holders[account] = a
	h.order = append(h.order, a)
	return nil
}

func (h *newestBHouse) SetClock(now time.Time) error {
	if now.Before(h.now) {
		return fmt.Errorf("clock cannot go back to %s", now)
	}
	h.now = now
	for _, a := range h.order {
		a.tick(now)
	}
	return nil
}

// when is the date of a fact: what its sender says, unless that is still to come.
func (h *newestBHouse) when(at time.Time) time.Time {
	if at.IsZero() || !h.now.IsZero() && at.After(h.now) {
		return h.now
	}
	return at
}

func (h *newestBHouse) Settle(s issuer.Settlement) error {
	a, err := h.find(s.Account)
	if err != nil {
		return err
	}
	if s.Transaction == "" {
		return errors.New("a clearing must have a number")
	}
	if s.Amount <= 0 || !a.book().first("sale", s.Transaction) {
		return nil
	}
	s.At = h.when(s.At)
	a.settle(s, h.now)
	return nil
}

func (h *newestBHouse) Refund(r issuer.Refund) error {
	a, err := h.find(r.Account)
	if err != nil {
		return err
	}
	if r.Refund == "" {
		return errors.New("a refund must have a number")
	}
	if r.Amount <= 0 || !a.book().first("refund", r.Refund) {
		return nil
	}
	a.back(newestBBack{id: r.Refund, sale: r.Transaction, merchant: r.Merchant, amount: r.Amount}, h.now)
	return nil
}

func (h *newestBHouse) Chargeback(c issuer.Chargeback) error {
	a, err := h.find(c.Account)
	if err != nil {
		return err
	}
	if c.Chargeback == "" || c.Transaction == "" {
		return errors.New("a chargeback must have a number and name its purchase")
	}
	if c.Amount < 0 || !a.book().first("chargeback", c.Chargeback) {
		return nil
	}
	a.back(newestBBack{id: c.Chargeback, sale: c.Transaction, amount: c.Amount, all: c.Amount == 0}, h.now)
	return nil
}

// CloseStatement does nothing: every house of this desk goes by its own calendar.
func (h *newestBHouse) CloseStatement(account string) error {
	_, err := h.find(account)
	return err
}

func (h *newestBHouse) Redeem(r issuer.Redemption) (bool, error) {
	a, err := h.find(r.Account)
	if err != nil {
		return false, err
	}
	b := a.book()
	// An order that has been paid is answered as before and not paid again.
	if r.Redemption != "" && b.orders[r.Redemption] {
		return true, nil
	}
	if r.Amount <= 0 || r.Amount > h.redeemable(a) {
		return false, nil
	}
	b.redeemed += r.Amount
	if b.orders == nil {
		b.orders = map[string]bool{}
	}
	b.orders[r.Redemption] = true
	if t, ok := a.(interface{ took(amount int64) }); ok {
		t.took(r.Amount)
	}
	return true, nil
}

func (h *newestBHouse) redeemable(a newestBHolder) int64 {
	return max(0, min(a.free(h.now), a.book().balance()))
}

func (h *newestBHouse) Balance(account string) (issuer.Balance, error) {
	a, err := h.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.book().balance(), Redeemable: h.redeemable(a)}, nil
}

func (h *newestBHouse) Postings(account string) []Posting {
	a, err := h.find(account)
	if err != nil {
		return nil
	}
	return append([]Posting(nil), a.book().lines...)
}

// newestBBook is the reward ledger of an account.
type newestBBook struct {
	lines    []Posting
	sum      int64
	redeemed int64
	orders   map[string]bool
	seen     map[[2]string]bool
}

func (b *newestBBook) book() *newestBBook { return b }
func (b *newestBBook) balance() int64     { return b.sum - b.redeemed }

// first says whether a fact is new, and remembers it.
func (b *newestBBook) first(kind, id string) bool {
	k := [2]string{kind, id}
	if b.seen[k] {
		return false
	}
	if b.seen == nil {
		b.seen = map[[2]string]bool{}
	}
	b.seen[k] = true
	return true
}

func (b *newestBBook) post(p Posting) {
	if p.Amount == 0 {
		return
	}
	b.sum += p.Amount
	b.lines = append(b.lines, p)
}

// move posts a change of what was earned: more is earned, less is reversed.
func (b *newestBBook) move(at time.Time, by int64, sale, refund, note string) {
	kind := Earned
	if by < 0 {
		kind = Reversed
	}
	b.post(Posting{At: at, Kind: kind, Amount: by, Transaction: sale, Refund: refund, Note: note})
}

// newestBSale is a purchase on file and newestBBack something that gives money back for
// one: a refund or a chargeback.
type newestBSale struct {
	id, merchant, mcc string
	at                time.Time
	seq               int
	price, kept       int64
}

type newestBBack struct {
	id, sale, merchant string
	amount             int64
	all                bool // as much as the purchase was, whatever that is
	seq                int
}

// newestBFile keeps purchases and what came back of each. It matches afresh on every new
// fact, so that the order in which facts come in has no say in what is named: refunds that
// name their purchase come first, up to its price; then each that names none is laid on
// what came before it, at its own merchant first, the latest first, and what is left over
// on what came after it.
type newestBFile struct {
	seq   int
	sales []*newestBSale
	backs []newestBBack
}

// buy files a purchase, dig a return; both answer the purchases of which another amount
// is kept now (a new one is always among them).
func (f *newestBFile) buy(s issuer.Settlement) []*newestBSale {
	f.seq++
	n := &newestBSale{id: s.Transaction, merchant: s.Merchant, mcc: s.MCC, at: s.At, seq: f.seq, price: s.Amount, kept: -1}
	f.sales = append(f.sales, n)
	return f.match()
}

func (f *newestBFile) dig(b newestBBack) []*newestBSale {
	f.seq++
	b.seq = f.seq
	f.backs = append(f.backs, b)
	return f.match()
}

func (f *newestBFile) match() (changed []*newestBSale) {
	kept := make([]int64, len(f.sales))
	at := map[string]int{}
	for i, s := range f.sales {
		kept[i] = s.price
		at[s.id] = i
	}
	take := func(i int, amount int64) int64 {
		t := min(kept[i], amount)
		kept[i] -= t
		return amount - t
	}
	for _, b := range f.backs {
		if i, ok := at[b.sale]; b.sale != "" && ok {
			if b.all {
				b.amount = f.sales[i].price
			}
			take(i, b.amount)
		}
	}
	for _, b := range f.backs {
		if b.sale != "" {
			continue
		}
		left := b.amount
		for _, near := range []bool{true, false} {
			for i := len(f.sales) - 1; i >= 0 && left > 0; i-- {
				s := f.sales[i]
				if s.seq < b.seq && (!near || b.merchant != "" && s.merchant == b.merchant) {
					left = take(i, left)
				}
			}
		}
		for i, s := range f.sales {
			if s.seq > b.seq && left > 0 {
				left = take(i, left)
			}
		}
	}
	for i, s := range f.sales {
		if s.kept != kept[i] {
			s.kept = kept[i]
			changed = append(changed, s)
		}
	}
	return changed
}

// newestBMonth is the first moment of a date's month, UTC.
func newestBMonth(t time.Time) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// The shares below are of amounts that are not negative, so that / rounds down.

func newestBHalfUp(amount, num, den int64) int64 { return (amount*num*2 + den) / (2 * den) }

func newestBHalfEven(amount, num, den int64) int64 {
	q, r := amount*num/den, amount*num%den
	if 2*r > den || 2*r == den && q%2 == 1 {
		q++
	}
	return q
}
