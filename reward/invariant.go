package reward

import (
	"fmt"
	"math/big"
	"slices"
)

// Violation is an invariant that does not hold: a defect of this package, never
// of the input.
type Violation struct {
	Account   string
	Invariant string
	Figures   string
}

// String names account, invariant and figures.
func (v Violation) String() string {
	return fmt.Sprintf("account %s: %s violated: %s", v.Account, v.Invariant, v.Figures)
}

// The invariants of docs/semantics.md, section 10 that one account can be checked for.
const (
	RewardIntegrity   = "Reward Integrity"
	Fairness          = "Fairness"
	RefundConsistency = "Refund Reward Consistency"
	TransactionBound  = "Per-transaction bound"
	CapBound          = "Cap"
	Conservation      = "Conservation"
	// Monotonicity: as long as refunds are linked and below their purchases, a
	// reversal never raises net reward.
	Monotonicity = "Monotonicity"
	// ProportionalClawback is the paper's Lemma 2, Enforcement its Lemma 3.
	ProportionalClawback = "Proportional Clawback"
	Enforcement          = "Negative Balance and Grace Period Enforcement"
	// Promise: what is reserved is set aside until it is captured or let go.
	Promise = "Promise"
	// Allocation: where unlinked money lies is what the pure function says.
	Allocation = "Allocation"
)

// Check recomputes the account from its facts and returns every invariant that
// does not hold. It costs as much as the account is long.
func (a *Account) Check() []Violation {
	a.readAll()
	a.recall()
	c := check{Account: a}
	n := 0
	for b := range a.buckets() {
		b.place = n
		n++
	}
	c.sums = make([]sums, n)
	for t := range a.transactions.all() {
		c.transaction(t)
	}
	for _, b := range c.baskets {
		if b.bonus != nil {
			c.retained += b.used
		}
	}
	c.allocation()
	c.purely()
	c.bucketTotals()
	c.conservation()
	c.expiry()
	c.promises()
	c.consistency()
	c.integrity()
	return append(c.found, a.broken...)
}

// check is one run over an account.
type check struct {
	*Account
	found []Violation

	retained, risk, held, spend, rest int64 // recomputed

	sums []sums // by place of the bucket
}

// sums are a bucket's, recomputed; due is what it would retain without the cap.
type sums struct{ net, used, soft, ungranted, young, due int64 }

// expect notes a violation unless the condition holds.
func (c *check) expect(holds bool, invariant, format string, figures ...any) {
	if !holds {
		c.found = append(c.found, Violation{c.id, invariant, fmt.Sprintf(format, figures...)})
	}
}

// deferred reports whether clawbacks wait for the next close.
func (a *Account) deferred() bool { return len(a.dirty) > 0 }

func (c *check) transaction(t *transaction) {
	if !t.is(posted) {
		c.expect(t.reversed() == 0 && t.retained == 0 && !t.is(granted), TransactionBound, "%s is not posted, yet reversed %d, retained %d", t.id, t.reversed(), t.retained)
		return
	}
	if t.is(split) {
		c.items(t)
	}
	if !t.isItem() { // see check.items
		facts, named := c.facts(t)
		c.expect(t.home == facts, Conservation, "%s: linked facts are %d, their sum is %d", t.id, t.home, facts)
		c.expect(t.namedSum() == named, Conservation, "%s: linked facts of an amount are %d, recomputed %d", t.id, t.namedSum(), named)
	}
	c.expect(t.placed >= 0 && t.soft() >= 0 && t.net() >= 0, TransactionBound, "%s: amount %d, at home %d, placed %d", t.id, t.amount, t.atHome(), t.placed)
	c.spend += t.net()
	c.retained += t.kept()
	if t.layered() {
		c.layers(t)
		return
	}
	b := t.bucket
	if b == nil {
		c.expect(t.retained == 0 && t.original == 0, TransactionBound, "%s earns nothing, yet retained %d", t.id, t.retained)
		return
	}
	sum := &c.sums[b.place]
	sum.net += t.net()
	sum.used += t.retained
	sum.soft += t.soft()
	if t.is(immature) {
		sum.young += t.retained
	}
	if !t.is(granted) {
		sum.ungranted += t.room()
		c.expect(t.retained == 0, TransactionBound, "%s is not granted, yet retained %d", t.id, t.retained)
		return
	}
	sum.due += b.rule.Rate.Of(t.net())
	c.expect(t.retained >= 0, TransactionBound, "%s: retained %d is negative", t.id, t.retained)
	// Lemma 1 (Per Transaction Bound): what was granted is within rate and cap.
	c.expect(t.original <= b.rule.Rate.Of(t.base) && (!b.capped() || t.original <= b.rule.Cap), TransactionBound, "%s: %d was granted on %d", t.id, t.original, t.base)
	if b.program.Method == Proportional && !c.deferred() {
		// Lemma 2 (Proportional Clawback): what is left is the share of what was granted
		// that was not reversed, or as much of it as there is room for under the cap.
		f := t.proportional(t.reversed())
		c.expect(t.retained == f || t.is(short) && t.retained < f, ProportionalClawback, "%s: %d of %d is reversed, %d of %d retained", t.id, t.reversed(), t.amount, t.retained, t.original)
	}
	if !c.deferred() {
		most := b.rule.Rate.Of(t.net())
		c.expect(t.retained <= most, TransactionBound, "%s: retained %d, above %s of the %d kept, which is %d", t.id, t.retained, b.rule.Rate, t.net(), most)
	}
	if b.pooled() {
		return
	}
	risk := max(0, t.retained-c.keeps(t, c.ahead(t)))
	held := risk
	if c.now < c.ripe(t) {
		held = t.retained
	}
	c.risk += risk
	c.held += held
}

// allocation checks that every unlinked unit of money lies in one place.
func (c *check) allocation() {
	var lies map[*transaction]int64
	if len(c.refunds) > 0 {
		lies = make(map[*transaction]int64)
	}
	for _, r := range c.refunds {
		if !r.active() || !r.unlinked {
			c.expect(r.rest == 0 && len(r.places) == 0 && len(r.firmPlaces) == 0, Conservation, "refund %s is not unlinked, yet placed", r.id)
			continue
		}
		total := r.rest
		for _, p := range r.places {
			total += p.amount
			lies[p.on] += p.amount
		}
		for _, p := range r.firmPlaces {
			for _, f := range p.on.links.firm {
				if f.of == r {
					total += f.placed
					lies[p.on] += f.placed
				}
			}
		}
		c.expect(total == r.amount, Conservation, "refund %s of %d: placed and resting are %d", r.id, r.amount, total)
		c.rest += r.rest
	}
	for _, t := range c.spreads {
		for _, p := range t.more.parcel.places {
			if lies == nil {
				lies = make(map[*transaction]int64)
			}
			lies[p.on] += p.amount
		}
	}
	for t := range c.transactions.all() {
		if len(c.over) > 0 {
			// Excess is placed besides refunds and has no parts of its own.
			c.expect(lies[t] <= t.placed, Conservation, "%s: placed %d, refunds placed %d", t.id, t.placed, lies[t])
		} else {
			c.expect(lies[t] == t.placed, Conservation, "%s: placed %d, refunds placed %d", t.id, t.placed, lies[t])
		}
	}
}

// purely allocates anew, on a field made from the transactions alone, and compares
// where money lies: the field that is kept, and whatever of the work is skipped,
// must not show.
func (c *check) purely() {
	if !c.moving() {
		return
	}
	fresh := newField()
	for t := range c.transactions.all() {
		if t.is(posted) {
			fresh.add(c.Account, t)
		}
	}
	claims := c.claims()
	byTerms := c.byTerms(claims)
	place := func() [][]placement { return allocate(fresh, claims, nil) }
	if byTerms {
		place = func() [][]placement { return c.placeByTerms(claims, nil) }
	}
	soft := make(map[*transaction]int64)
	for i, list := range place() {
		for _, p := range list {
			soft[p.on] += p.amount
		}
		if t := claims[i].within; t != nil {
			c.expect(slices.Equal(list, t.more.parcel.places), Allocation, "what of %s is not said of items lies on %v, a fresh allocation puts it on %v", t.id, named(t.more.parcel.places), named(list))
		}
		if r := claims[i].refund; r != nil {
			c.expect(slices.Equal(list, r.places), Allocation, "refund %s lies on %v, a fresh allocation puts it on %v", r.id, named(r.places), named(list))
		}
	}
	for t := range c.transactions.all() {
		c.expect(t.soft() == soft[t], Allocation, "%s: %d lies on it that may move, a fresh allocation puts %d there", t.id, t.soft(), soft[t])
	}
}

// named renders placements with the ids of their transactions.
func named(list []placement) (text []string) {
	for _, p := range list {
		text = append(text, fmt.Sprintf("%s: %d", p.on.id, p.amount))
	}
	return text
}

func (c *check) bucketTotals() {
	for b := range c.buckets() {
		name := fmt.Sprintf("rule %s, cycle %s", b.rule.ID, b.cycle)
		sum := &c.sums[b.place]
		kept := sums{b.net, b.used, b.soft, b.ungranted, b.young, sum.due}
		c.expect(kept == *sum, Conservation, "%s: kept %+v, recomputed %+v", name, kept, *sum)
		c.expect(!b.capped() || sum.used <= b.rule.Cap, CapBound, "%s: %d is retained, the cap is %d", name, sum.used, b.rule.Cap)
		if b.program.Method == Rerate && !c.deferred() {
			promised := sum.due
			if b.capped() {
				promised = min(promised, b.rule.Cap)
			}
			c.expect(sum.used == promised, Fairness, "%s: %d is retained, %d was promised", name, sum.used, promised)
		}
	}
}

func (c *check) conservation() {
	var redeemed, adjustments int64
	for _, r := range c.redemptions {
		if !r.returned {
			redeemed += r.amount
		}
	}
	for _, x := range c.corrections {
		adjustments += x.amount
	}
	c.expect(c.balance == c.retained+adjustments-redeemed-c.expiredSoFar(), Conservation, "balance %d, retained %d, adjustments %d, redeemed %d, expired %d", c.balance, c.retained, adjustments, redeemed, c.expiredSoFar())
	c.expect(c.redeemed == redeemed && c.adjustments == adjustments, Conservation, "redeemed %d, adjustments %d; recomputed %d, %d", c.redeemed, c.adjustments, redeemed, adjustments)
	c.expect(c.Account.spend == c.spend && c.Account.rest == c.rest, Conservation, "spend %d, unmatched %d; recomputed %d, %d", c.Account.spend, c.Account.rest, c.spend, c.rest)
}

// promises checks that what is reserved is what was authorised and is open, that nothing
// was paid out of it or stands longer than it was promised, and that a capture has not
// paid more.
func (c *check) promises() {
	var reserved int64
	open := 0
	for _, r := range c.redemptions {
		if r.open() {
			reserved += r.authorised
			open++
			c.expect(r.authorised > 0 && r.amount == 0 && r.expires > c.now, Promise, "redemption %s: %d is reserved until %v and %d paid, at %v", r.id, r.authorised, r.expires, r.amount, c.now)
		}
		c.expect(r.phase == atOnce || r.amount <= r.authorised && (r.amount > 0) == (r.phase == captured), Promise, "redemption %s: %d was authorised, %d paid", r.id, r.authorised, r.amount)
	}
	c.expect(c.reserved == reserved && len(c.reservations) == open && open <= MaxReservations, Promise, "%d is reserved by %d; recomputed %d by %d", c.reserved, len(c.reservations), reserved, open)
}

// consistency checks that no delivered refund waits, or that what waits for the
// next close is held.
func (c *check) consistency() {
	c.expect(!c.deferred() || c.program.Timing.Clawback == ClawbackAtStatement, RefundConsistency, "%d transactions wait to be levelled", len(c.dirty))
	for b := range c.buckets() {
		if b.pooled() {
			risk, held := c.holdOf(b)
			c.risk += risk
			c.held += held
		}
	}
	for _, b := range c.baskets {
		c.basket(b)
	}
	c.expect(c.Account.risk == c.risk && c.Account.held == c.held, RefundConsistency, "at risk %d, held %d; recomputed %d, %d", c.Account.risk, c.Account.held, c.risk, c.held)
}

// integrity is the paper's Theorem (Reward Integrity), with exact rationals. Its
// proof adds up Lemmas 1 and 2; this adds up the account.
func (c *check) integrity() {
	if c.deferred() {
		return
	}
	var plain uint128
	for b := range c.buckets() {
		plain = plain.add(b.bound(c.sums[b.place].net))
	}
	reward := c.netReward()
	if c.newest.everLayered() {
		entitled := c.promisedByTerms()
		entitled.Add(entitled, new(big.Rat).SetFrac(plain.big(), big.NewInt(rateScale)))
		c.expect(reward >= 0 && new(big.Rat).SetInt64(reward).Cmp(entitled) <= 0, RewardIntegrity, "net reward %d, entitlement %s", reward, entitled.FloatString(2))
		return
	}
	c.expect(reward >= 0 && mul64(max(reward, 0), rateScale).cmp(plain) <= 0, RewardIntegrity,
		"net reward %d, entitlement %d", reward, plain.quo(rateScale))
}
