package reward_test

import (
	"cmp"
	"math/big"
	"sort"

	"recoup/reward"
)

// naiveAllocation says how much of each posted purchase is reversed, and where
// the unlinked refunds went.
type naiveAllocation struct {
	reversed map[*naiveTransaction]int64
	placed   map[*naiveRefund][]naivePlace
}

// left is what of a posted purchase is not reversed.
func (a *naiveAllocation) left(t *naiveTransaction) int64 {
	return t.settlement.Amount - a.reversed[t]
}

// rest is what of an unlinked refund found no purchase.
func (a *naiveAllocation) rest(r *naiveRefund) int64 {
	rest := r.posting.Amount
	for _, p := range a.placed[r] {
		rest -= p.amount
	}
	return rest
}

// linkedTo is the sum of the active facts linked to a posted purchase.
func (b *naiveBook) linkedTo(t *naiveTransaction) int64 {
	sum := b.refundsLinkedTo(t)
	for _, c := range b.chargebacks {
		if c.posting == nil || c.reversed || c.posting.Transaction != t.id {
			continue
		}
		if c.posting.HasAmount {
			sum += c.posting.Amount
		} else {
			sum += t.settlement.Amount
		}
	}
	if b.isWithdrawn(t.id) {
		sum += t.settlement.Amount
	}
	return sum
}

func (b *naiveBook) refundsLinkedTo(t *naiveTransaction) int64 {
	var sum int64
	for _, r := range b.refunds {
		if r.active() && b.home(r) == t {
			sum += r.posting.Amount
		}
	}
	return sum
}

// naiveClaim is money that reverses some purchase, but it is not known which:
// an unlinked refund, or the excess of the refunds linked to one purchase.
type naiveClaim struct {
	refund   *naiveRefund      // nil for an excess
	excessOf *naiveTransaction // nil for an unlinked refund

	time     reward.Instant // of the refund; of the latest one for an excess
	earliest reward.Instant // the same, of the earliest one
	id       string
	merchant string
	rule     *reward.Rule
	needs    int64
}

// allocate places all active facts of the account.
func (b *naiveBook) allocate() *naiveAllocation {
	a := &naiveAllocation{reversed: map[*naiveTransaction]int64{}, placed: map[*naiveRefund][]naivePlace{}}
	for _, t := range b.posted {
		a.reversed[t] = min(t.settlement.Amount, b.linkedTo(t))
	}
	unlinked := b.unlinkedRefunds()
	for _, r := range unlinked {
		for _, p := range r.places {
			a.place(r, p.on, min(p.amount, a.left(p.on)))
		}
	}
	claims := b.claims(a, unlinked)
	worth := map[*naiveTransaction]*big.Rat{}
	for _, t := range b.posted {
		if a.left(t) > 0 {
			worth[t] = b.worth(t, a)
		}
	}
	sameMerchant := func(c *naiveClaim, t *naiveTransaction) bool { return c.merchant != "" && t.merchant == c.merchant }
	sameRule := func(c *naiveClaim, t *naiveTransaction) bool { return c.refund != nil && t.rule == c.rule }
	anywhere := func(c *naiveClaim, t *naiveTransaction) bool { return c.refund != nil }
	for _, suits := range []func(*naiveClaim, *naiveTransaction) bool{sameMerchant, sameRule, anywhere} {
		for _, c := range claims {
			for _, t := range b.candidates(c, suits, a, worth) {
				part := min(c.needs, a.left(t))
				a.place(c.refund, t, part)
				c.needs -= part
			}
		}
	}
	return a
}

// place reverses part of a purchase; refund is nil where an excess does so.
func (a *naiveAllocation) place(refund *naiveRefund, on *naiveTransaction, part int64) {
	if part == 0 {
		return
	}
	a.reversed[on] += part
	if refund != nil {
		a.placed[refund] = append(a.placed[refund], naivePlace{on, part})
	}
}

// unlinkedRefunds are the active ones, by event time and id.
func (b *naiveBook) unlinkedRefunds() []*naiveRefund {
	var list []*naiveRefund
	for _, r := range b.refunds {
		if b.isClaim(r) {
			list = append(list, r)
		}
	}
	sort.Slice(list, func(i, j int) bool { return naiveLater(list[j], list[i]) })
	return list
}

func naiveLater(r, s *naiveRefund) bool {
	if r.posting.Time != s.posting.Time {
		return r.posting.Time > s.posting.Time
	}
	return r.id > s.id
}

// claims are what home and firm places leave to be placed, in their order.
func (b *naiveBook) claims(a *naiveAllocation, unlinked []*naiveRefund) []*naiveClaim {
	var claims []*naiveClaim
	for _, r := range unlinked {
		needs := r.posting.Amount
		if r.firm {
			needs = 0
			for _, p := range r.places {
				needs += p.amount
			}
			for _, p := range a.placed[r] {
				needs -= p.amount
			}
		}
		if needs > 0 {
			claims = append(claims, &naiveClaim{
				refund: r, time: r.posting.Time, earliest: r.posting.Time, id: r.id,
				merchant: r.posting.Merchant, rule: b.ruleFor(r.posting), needs: needs,
			})
		}
	}
	for _, t := range b.posted {
		if c := b.excess(t); c != nil {
			claims = append(claims, c)
		}
	}
	sort.Slice(claims, func(i, j int) bool { return claims[i].before(claims[j]) })
	return claims
}

func (c *naiveClaim) before(d *naiveClaim) bool {
	switch {
	case c.time != d.time:
		return c.time < d.time
	case c.id != d.id:
		return c.id < d.id
	case c.excessOf != nil && d.excessOf != nil:
		return c.excessOf.id < d.excessOf.id
	}
	return c.excessOf != nil
}

// excess is what the refunds linked to a purchase return beyond its amount.
func (b *naiveBook) excess(t *naiveTransaction) *naiveClaim {
	if t.merchant == "" {
		return nil
	}
	needs := min(b.refundsLinkedTo(t), b.linkedTo(t)-t.settlement.Amount)
	if needs <= 0 {
		return nil
	}
	var earliest, latest *naiveRefund
	for _, r := range b.refunds {
		if !r.active() || b.home(r) != t {
			continue
		}
		if earliest == nil || naiveLater(earliest, r) {
			earliest = r
		}
		if latest == nil || naiveLater(r, latest) {
			latest = r
		}
	}
	return &naiveClaim{
		excessOf: t, time: latest.posting.Time, earliest: earliest.posting.Time, id: latest.id,
		merchant: t.merchant, needs: needs,
	}
}

// candidates are the purchases that a claim may reverse in a pass, best first.
func (b *naiveBook) candidates(c *naiveClaim, suits func(*naiveClaim, *naiveTransaction) bool, a *naiveAllocation, worth map[*naiveTransaction]*big.Rat) []*naiveTransaction {
	if c.needs == 0 {
		return nil
	}
	var list []*naiveTransaction
	for _, t := range b.posted {
		settled := t.settlement.Time
		if suits(c, t) && a.left(t) > 0 &&
			settled >= c.earliest-naiveDays(b.program.Refunds.WindowDays) &&
			settled < c.time+naiveDays(b.program.Refunds.MatchDays) {
			list = append(list, t)
		}
	}
	fit := func(t *naiveTransaction) int {
		switch left := a.left(t); {
		case left == c.needs:
			return 2
		case left > c.needs:
			return 1
		}
		return 0
	}
	sort.Slice(list, func(i, j int) bool {
		t, u := list[i], list[j]
		return cmp.Or(
			worth[t].Cmp(worth[u]),
			cmp.Compare(fit(t), fit(u)),
			cmp.Compare(t.settlement.Time, u.settlement.Time),
			cmp.Compare(t.id, u.id),
		) > 0
	})
	return list
}

// worth is the reward that a reversal takes for each unit of a purchase's spend.
func (b *naiveBook) worth(t *naiveTransaction, a *naiveAllocation) *big.Rat {
	if !t.earns {
		return new(big.Rat)
	}
	rate := naiveRate(t.rule)
	if t.granted && b.program.Method == reward.Proportional {
		if t.cutByCap() {
			return big.NewRat(t.original, t.base)
		}
		return rate
	}
	if t.rule.Cap == reward.NoCap {
		return rate
	}
	all := b.earnings(t.rule, t.cycle, a)
	without := new(big.Rat).Sub(all, naiveTimes(rate, a.left(t)))
	taken := new(big.Rat).Sub(naiveAtMost(t.rule.Cap, all), naiveAtMost(t.rule.Cap, without))
	return taken.Quo(taken, big.NewRat(a.left(t), 1))
}

// earnings is what the bucket's terms promise on its net spend before the cap.
func (b *naiveBook) earnings(rule *reward.Rule, cycle reward.Cycle, a *naiveAllocation) *big.Rat {
	sum := new(big.Rat)
	for _, t := range b.posted {
		if t.earns && t.rule == rule && t.cycle == cycle {
			sum.Add(sum, naiveTimes(naiveRate(rule), a.left(t)))
		}
	}
	return sum
}

func naiveRate(rule *reward.Rule) *big.Rat {
	return big.NewRat(int64(rule.Rate), int64(reward.MaxRate))
}

func naiveTimes(rate *big.Rat, amount int64) *big.Rat {
	return new(big.Rat).Mul(rate, big.NewRat(amount, 1))
}

func naiveAtMost(limit int64, x *big.Rat) *big.Rat {
	if l := big.NewRat(limit, 1); l.Cmp(x) < 0 {
		return l
	}
	return x
}

func naiveFloor(x *big.Rat) int64 {
	return new(big.Int).Div(x.Num(), x.Denom()).Int64()
}
