package reward_test

import (
	"math/big"
	"slices"
	"sort"

	"recoup/reward"
)

// naiveFacts is what allocation has to place: the facts as they are, or as they
// would be if everything that is known of had been posted.
type naiveFacts struct {
	linked   []naiveLinked
	unlinked []naiveUnlinked
}

// naiveLinked is a fact that says which purchase it reverses.
type naiveLinked struct {
	on     *naiveTransaction
	id     string
	time   reward.Instant
	amount int64
	named  bool // its amount is its own, and may exceed the purchase
	items  reward.Items
}

// naiveUnlinked is a refund that does not say.
type naiveUnlinked struct {
	refund   *naiveRefund
	time     reward.Instant
	amount   int64
	merchant string
	kind     string
	firm     bool
	places   []naivePlace
}

// naiveClaim is money that reverses some purchase, but it is not known which:
// an unlinked refund, or the excess of what is linked to one purchase.
type naiveClaim struct {
	refund   *naiveRefund      // nil for an excess
	excessOf *naiveTransaction // nil for an unlinked refund
	spreadOf *naiveTransaction // of what its facts do not say of items; nil for others

	time     reward.Instant // of the refund; of the latest fact of an excess
	earliest reward.Instant // the same, of the earliest
	id       string
	merchant string
	kind     string
	needs    int64
}

// facts are those that count now.
func (b *naiveBook) facts() naiveFacts {
	var f naiveFacts
	for _, r := range b.refunds {
		switch {
		case r.active() && b.home(r) != nil:
			f.linked = append(f.linked, naiveLinked{b.home(r), r.id, r.posting.Time, b.takes(r), true, r.posting.Items})
		case b.isUnlinked(r):
			f.unlinked = append(f.unlinked, b.asUnlinked(r))
		}
	}
	for _, c := range b.chargebacks {
		if !c.active() || !b.isPosted(c.posting.Transaction) {
			continue
		}
		t := b.transaction(c.posting.Transaction)
		amount := t.settlement.Amount
		if c.posting.HasAmount {
			amount = c.posting.Amount
		}
		f.linked = append(f.linked, naiveLinked{t, c.id, c.posting.Time, amount, c.posting.HasAmount, ""})
	}
	for _, t := range b.posted {
		if b.isWithdrawn(t.id) {
			f.linked = append(f.linked, naiveLinked{on: t, amount: t.settlement.Amount})
		}
	}
	f.order()
	return f
}

// isAbroad says whether the purchase that a refund is linked to, and the refund, are both
// known in the merchant's currency.
func isAbroad(t *naiveTransaction, r *naiveRefund) bool {
	bought, back := t.settlement, r.posting
	return bought.MerchantCurrency != "" && bought.MerchantCurrency == back.MerchantCurrency && back.Items == ""
}

// takes is what a linked refund adds to what those before it take of its purchase. In the
// merchant's currency all together take their share of it, rounded up.
func (b *naiveBook) takes(r *naiveRefund) int64 {
	t := b.home(r)
	if !isAbroad(t, r) {
		return r.posting.Amount
	}
	upTo := func(last *naiveRefund) int64 {
		share, billed := new(big.Rat), int64(0)
		for _, o := range b.refunds {
			if o.active() && b.home(o) == t && isAbroad(t, o) {
				share.Add(share, big.NewRat(o.posting.MerchantAmount, t.settlement.MerchantAmount))
				billed += o.posting.Amount
			}
			if o == last {
				break
			}
		}
		share.Mul(share, big.NewRat(t.settlement.Amount, 1))
		most := big.NewRat(max(t.settlement.Amount, billed), 1)
		if share.Cmp(most) > 0 {
			share = most
		}
		up := new(big.Int).Add(share.Num(), new(big.Int).Sub(share.Denom(), big.NewInt(1)))
		return up.Quo(up, share.Denom()).Int64()
	}
	before := int64(0)
	for i, o := range b.refunds {
		if o == r && i > 0 {
			before = upTo(b.refunds[i-1])
		}
	}
	return upTo(r) - before
}

func (b *naiveBook) asUnlinked(r *naiveRefund) naiveUnlinked {
	return naiveUnlinked{
		refund: r, time: r.posting.Time, amount: r.posting.Amount,
		merchant: r.posting.Merchant, kind: naiveKind(r.posting, b.terms()),
		firm: r.firm, places: r.places,
	}
}

// order sorts the unlinked refunds by event time and id.
func (f *naiveFacts) order() {
	sort.Slice(f.unlinked, func(i, j int) bool {
		u, v := f.unlinked[i], f.unlinked[j]
		if u.time != v.time {
			return u.time < v.time
		}
		return u.refund.id < v.refund.id
	})
}

// onto is the sum of the facts linked to a purchase.
func (f *naiveFacts) onto(t *naiveTransaction) int64 {
	var sum int64
	for _, l := range f.linked {
		if l.on == t {
			sum += l.amount
		}
	}
	return sum
}

// linkedTo is the sum of the active facts linked to a posted purchase.
func (b *naiveBook) linkedTo(t *naiveTransaction) int64 {
	f := b.facts()
	return f.onto(t)
}

// excess is what the facts that name their amount exceed their purchase by, nil
// if they do not.
func (f *naiveFacts) excess(t *naiveTransaction) *naiveClaim {
	named, c := f.namedOn(t)
	if c == nil {
		return nil
	}
	if c.needs = min(named, f.onto(t)-t.settlement.Amount); c.needs <= 0 {
		return nil
	}
	return c
}

// namedOn is the sum of the facts linked to a purchase that name their amount, and a
// claim of their times; nil if there are none.
func (f *naiveFacts) namedOn(t *naiveTransaction) (int64, *naiveClaim) {
	var named int64
	var c *naiveClaim
	for _, l := range f.linked {
		if l.on != t || !l.named {
			continue
		}
		named += l.amount
		if c == nil {
			c = &naiveClaim{excessOf: t, time: l.time, earliest: l.time, id: l.id, merchant: t.merchant, kind: t.kind}
		}
		if l.time > c.time || l.time == c.time && l.id > c.id {
			c.time, c.id = l.time, l.id
		}
		c.earliest = min(c.earliest, l.time)
	}
	return named, c
}

func (c *naiveClaim) before(d *naiveClaim) bool {
	switch {
	case c.time != d.time:
		return c.time < d.time
	case c.id != d.id:
		return c.id < d.id
	case c.spreadOf != nil && d.spreadOf != nil:
		return c.spreadOf.id < d.spreadOf.id
	case c.spreadOf != nil || d.spreadOf != nil:
		return c.spreadOf != nil
	case c.excessOf != nil && d.excessOf != nil:
		return c.excessOf.id < d.excessOf.id
	}
	return c.excessOf != nil && d.excessOf == nil
}

// claims are what home and firm places leave to be placed, in their order.
func (b *naiveBook) claims(f *naiveFacts, a *naiveAllocation) []*naiveClaim {
	var excesses []*naiveClaim
	for _, t := range b.posted {
		if c := f.excess(t); c != nil {
			excesses = append(excesses, c)
		}
	}
	sort.Slice(excesses, func(i, j int) bool { return excesses[i].before(excesses[j]) })
	claims := excesses[max(0, len(excesses)-b.terms().Refunds.Movable):]
	claims = append(slices.Clone(claims), b.spreads(f)...)
	for _, u := range f.unlinked {
		needs := u.amount
		if u.firm { // of which only what had a place may look for another
			needs = 0
			for _, p := range u.places {
				needs += p.amount
			}
			for _, p := range a.placed[u.refund] {
				needs -= p.amount
			}
		}
		if needs > 0 {
			claims = append(claims, &naiveClaim{
				refund: u.refund, time: u.time, earliest: u.time, id: u.refund.id,
				merchant: u.merchant, kind: u.kind, needs: needs,
			})
		}
	}
	sort.Slice(claims, func(i, j int) bool { return claims[i].before(claims[j]) })
	return claims
}

// suits says whether a purchase is what a claim may be of, by a pass.
func (c *naiveClaim) suits(t *naiveTransaction, pass int) bool {
	if pass == 0 || c.spreadOf != nil {
		return pass == 0 && c.spreadOf != nil && t.itemOf == c.spreadOf
	}
	excess := c.excessOf != nil
	merchant := t.merchant == c.merchant && (excess || c.merchant != "")
	kind := t.kind == c.kind && (excess || c.kind != "")
	switch pass {
	case 1:
		return merchant && kind
	case 2:
		return merchant
	case 3:
		return !excess && kind
	}
	return !excess
}

// inWindow says whether a purchase settled when the claim may look for it.
func (c *naiveClaim) inWindow(t *naiveTransaction, terms reward.RefundTerms) bool {
	settled := t.settlement.Time
	if c.spreadOf != nil {
		return true
	}
	return settled >= c.earliest-naiveDays(terms.WindowDays) && settled < c.time+naiveDays(terms.MatchDays)
}
