package foreign

import (
	"errors"
	"sort"
	"time"

	"recoup/internal/issuer"
)

// latestCDesigns are the designs of this hand.
var latestCDesigns = []Design{
	latestCAnniversaryDesign,
	latestCLienDesign,
	latestCWeekendDesign,
	latestCMeterDesign,
	latestCRoomDesign,
	latestCBucketDesign,
}

var (
	errLatestCAccount = errors.New("no such account")
	errLatestCFact    = errors.New("the message is incomplete")
)

// latestCBook is the reward ledger of one account with what was redeemed from it.
type latestCBook struct {
	posts    []Posting
	sum      int64
	redeemed map[string]bool
}

// post makes an entry; one of nothing is not made.
func (b *latestCBook) post(p Posting) {
	if p.Amount == 0 {
		return
	}
	b.posts = append(b.posts, p)
	b.sum += p.Amount
}

// redeem takes a redemption once by its id, and only what may be taken.
func (b *latestCBook) redeem(r issuer.Redemption, free int64) bool {
	if r.Redemption != "" && b.redeemed[r.Redemption] {
		return true
	}
	if r.Amount <= 0 || r.Amount > free {
		return false
	}
	if b.redeemed == nil {
		b.redeemed = map[string]bool{}
	}
	if r.Redemption != "" {
		b.redeemed[r.Redemption] = true
	}
	b.sum -= r.Amount
	return true
}

func (b *latestCBook) list() []Posting {
	if b == nil {
		return nil
	}
	return append([]Posting(nil), b.posts...)
}

// latestCBuy is a purchase as the intake keeps it.
type latestCBuy struct {
	id, merchant, mcc, category string
	amount, back                int64 // back: what has come back so far
	at                          time.Time
	// guesses are the parts of back that are of refunds that named no purchase.
	guesses []latestCBack
}

func (b *latestCBuy) net() int64 { return b.amount - b.back }

// latestCBack is a refund or a chargeback; all says that it takes the whole purchase.
type latestCBack struct {
	id, of, merchant, mcc, category string
	amount                          int64
	all                             bool
	at                              time.Time
}

// latestCIntake sorts out what the network delivers: each fact once, refunds kept until
// their purchase is there, none above what is left of a purchase.
type latestCIntake struct {
	buys   map[string]*latestCBuy
	order  []*latestCBuy
	seen   map[string]bool
	parked map[string][]latestCBack // refunds that name a purchase not yet here
	loose  []latestCBack            // what is left of refunds that found no purchase
}

func latestCNewIntake() latestCIntake {
	return latestCIntake{buys: map[string]*latestCBuy{}, seen: map[string]bool{}, parked: map[string][]latestCBack{}}
}

// buy takes a purchase in; it returns nil for one that is known or is of nothing.
func (in *latestCIntake) buy(s issuer.Settlement, now time.Time) (*latestCBuy, error) {
	if s.Transaction == "" || s.Amount < 0 {
		return nil, errLatestCFact
	}
	if s.Amount == 0 || in.buys[s.Transaction] != nil {
		return nil, nil
	}
	b := &latestCBuy{id: s.Transaction, merchant: s.Merchant, mcc: s.MCC, category: s.Category, amount: s.Amount, at: latestCWhen(s.At, now)}
	in.buys[b.id] = b
	in.order = append(in.order, b)
	return b, nil
}

// refund and chargeback put both into one shape; fresh is false for those seen before.
func (in *latestCIntake) refund(r issuer.Refund, now time.Time) (back latestCBack, fresh bool) {
	if r.Amount <= 0 || in.again("r", r.Refund) {
		return back, false
	}
	return latestCBack{id: r.Refund, of: r.Transaction, merchant: r.Merchant, mcc: r.MCC, category: r.Category, amount: r.Amount, at: latestCWhen(r.At, now)}, true
}

func (in *latestCIntake) chargeback(c issuer.Chargeback, now time.Time) (back latestCBack, fresh bool) {
	if c.Amount < 0 || c.Amount == 0 && c.Transaction == "" || in.again("c", c.Chargeback) {
		return back, false
	}
	return latestCBack{id: c.Chargeback, of: c.Transaction, amount: c.Amount, all: c.Amount == 0, at: latestCWhen(c.At, now)}, true
}

func (in *latestCIntake) again(kind, id string) bool {
	if id == "" {
		return false
	}
	if in.seen[kind+id] {
		return true
	}
	in.seen[kind+id] = true
	return false
}

// take lowers a purchase by what came back under its name and says by how much; more than
// the price is the merchant's kindness and concerns nobody here. Where refunds without a
// name had been guessed to be of this purchase and leave too little, the guess was wrong:
// those parts are handed back to be placed anew.
func (b *latestCBuy) take(r latestCBack) (x int64, wrong []latestCBack) {
	var guessed int64
	for _, g := range b.guesses {
		guessed += g.amount
	}
	x = b.net() + guessed
	if !r.all && r.amount < x {
		x = r.amount
	}
	b.back += x
	for i := len(b.guesses) - 1; b.back > b.amount; i-- {
		g := &b.guesses[i]
		w := *g
		w.amount = min(g.amount, b.back-b.amount)
		g.amount -= w.amount
		b.back -= w.amount
		x -= w.amount
		wrong = append(wrong, w)
		if g.amount == 0 {
			b.guesses = b.guesses[:i]
		}
	}
	return x, wrong
}

// guess lowers a purchase by a refund without a name and says by how much.
func (b *latestCBuy) guess(r latestCBack) int64 {
	x := min(r.amount, b.net())
	if x > 0 {
		r.amount = x
		b.guesses = append(b.guesses, r)
		b.back += x
	}
	return x
}

// apply finds what a refund is of and hands each part to do. A refund that names nothing
// is first of a purchase of that amount at that merchant, then of the purchases there in
// the order that better gives, then of all others; what is left waits for purchases to come.
func (in *latestCIntake) apply(r latestCBack, better func(a, b *latestCBuy) bool, do func(b *latestCBuy, x int64, r latestCBack)) {
	if r.of != "" {
		if b := in.buys[r.of]; b == nil {
			in.parked[r.of] = append(in.parked[r.of], r)
		} else {
			x, wrong := b.take(r)
			if x > 0 {
				do(b, x, r)
			}
			for _, w := range wrong {
				in.apply(w, better, do)
			}
		}
		return
	}
	list := make([]*latestCBuy, 0, len(in.order))
	for i := len(in.order) - 1; i >= 0; i-- {
		list = append(list, in.order[i])
	}
	rank := func(b *latestCBuy) int {
		switch {
		case r.merchant != "" && b.merchant == r.merchant && b.net() == r.amount:
			return 0
		case r.merchant != "" && b.merchant == r.merchant:
			return 1
		case r.mcc != "" && b.mcc == r.mcc || r.category != "" && b.category == r.category:
			return 2
		}
		return 3
	}
	ranks := map[*latestCBuy]int{}
	for _, b := range list {
		ranks[b] = rank(b)
	}
	sort.SliceStable(list, func(i, j int) bool {
		if ri, rj := ranks[list[i]], ranks[list[j]]; ri != rj {
			return ri < rj
		}
		return better != nil && better(list[i], list[j])
	})
	for _, b := range list {
		if r.amount == 0 {
			return
		}
		if x := b.guess(r); x > 0 {
			do(b, x, r)
			r.amount -= x
		}
	}
	if r.amount > 0 {
		in.loose = append(in.loose, r)
	}
}

// arrived hands on the refunds that were there before this purchase.
func (in *latestCIntake) arrived(b *latestCBuy, do func(b *latestCBuy, x int64, r latestCBack)) {
	for _, r := range in.parked[b.id] {
		if x, _ := b.take(r); x > 0 {
			do(b, x, r)
		}
	}
	delete(in.parked, b.id)
	var rest []latestCBack
	for _, r := range in.loose {
		if x := b.guess(r); x > 0 {
			do(b, x, r)
			r.amount -= x
		}
		if r.amount > 0 {
			rest = append(rest, r)
		}
	}
	in.loose = rest
}

// latestCWhen is when a fact happened; one from the future is of now.
func latestCWhen(at, now time.Time) time.Time {
	if at.IsZero() || at.After(now) {
		return now.UTC()
	}
	return at.UTC()
}

func latestCMonth(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
}

func latestCQuarter(t time.Time) time.Time {
	return time.Date(t.Year(), (t.Month()-1)/3*3+1, 1, 0, 0, 0, 0, time.UTC)
}

// latestCHalfUp and latestCHalfEven divide what is not negative and round.
func latestCHalfUp(n, d int64) int64 { return (2*n + d) / (2 * d) }

func latestCHalfEven(n, d int64) int64 {
	q, r := n/d, n%d
	if 2*r > d || 2*r == d && q%2 == 1 {
		q++
	}
	return q
}
