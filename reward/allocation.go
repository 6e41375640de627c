package reward

import (
	"cmp"
	"slices"
)

// Allocation says how much of each purchase is reversed. Facts that name a
// purchase sit at home. Unlinked money is placed around them: the parts of firm
// refunds first, then, in three passes, everything that may still move.

// part is unlinked money of a refund that lies on a transaction.
type part struct {
	on     *transaction
	amount int64
}

// firmPart is money of a firm refund that belongs on a transaction; placed is
// what of it the transaction's own facts leave room for.
type firmPart struct {
	of             *refund
	amount, placed int64
}

// rehome adds to the facts at home on a posted transaction, of which the given
// part are refunds, and lets firm parts and soft money give way to them.
func (a *Account) rehome(t *transaction, facts, refunds int64) {
	l := t.link()
	l.refunded += refunds
	home := t.home + facts
	room := t.amount - min(t.amount, home)
	var firm int64
	for i := range l.firm {
		p := &l.firm[i]
		fits := min(p.amount, room-firm)
		if fits != p.placed {
			p.of.shortfall += p.placed - fits
			p.placed = fits
			a.reclaim(p.of)
		}
		firm += fits
	}
	a.reverse(t, home, firm, min(t.soft(), room-firm))
	a.noteExcess(t)
	a.disturb(t)
}

// excess is what the refunds linked to a transaction exceed it by. It is money
// that came back for something else of the same merchant.
func (t *transaction) excess() int64 {
	if t.links == nil || t.merchant == "" {
		return 0
	}
	return max(0, min(t.links.refunded, t.home-t.amount))
}

func (a *Account) noteExcess(t *transaction) {
	if t.excess() > 0 {
		m := a.matcher()
		m.disturb(always)
		if !slices.Contains(m.over, t) {
			m.over = append(m.over, t)
		}
	} else if m := a.match; m != nil && slices.Contains(m.over, t) {
		m.disturb(always)
		m.over = without(m.over, t)
	}
}

// claim puts an unlinked refund on the list of those that look for spend.
func (a *Account) claim(r *refund) {
	a.noteRefund(r)
	m := a.matcher()
	m.disturb(r.at)
	at, found := slices.BinarySearchFunc(m.claims, r, byTime)
	if !found {
		m.claims = slices.Insert(m.claims, at, r)
	}
	a.setRest(r, r.amount)
}

// unclaim takes an unlinked refund off that list, and its firm parts off the
// transactions that they lie on.
func (a *Account) unclaim(r *refund) {
	a.noteRefund(r)
	if m := a.match; m != nil {
		m.disturb(r.at)
		m.claims = without(m.claims, r)
	}
	for _, p := range r.firmParts {
		l := p.on.links
		i := slices.IndexFunc(l.firm, func(f firmPart) bool { return f.of == r })
		l.firm = slices.Delete(l.firm, i, i+1)
		a.rehome(p.on, 0, 0)
	}
	r.parts, r.firmParts, r.shortfall, r.firmRest = nil, nil, 0, 0
	a.setRest(r, 0)
}

// makeFirm fixes where an unlinked refund lies now. Only linked facts move it
// from there, and only for as long as they must.
func (a *Account) makeFirm(r *refund) {
	a.match.disturb(always)
	a.noteRefund(r)
	r.firm, r.firmRest = true, r.rest
	r.firmParts, r.parts = r.parts, nil
	for _, p := range r.firmParts {
		l := p.on.link()
		f := firmPart{of: r, amount: p.amount, placed: p.amount}
		at, _ := slices.BinarySearchFunc(l.firm, f, func(x, y firmPart) int { return byTime(x.of, y.of) })
		l.firm = slices.Insert(l.firm, at, f)
		a.reverse(p.on, p.on.home, l.firmPlaced+p.amount, p.on.soft()-p.amount)
	}
}

// reclaim keeps a firm refund on the list of claims while some of it has had to
// give way.
func (a *Account) reclaim(r *refund) {
	a.noteRefund(r)
	m := a.matcher()
	m.disturb(always)
	at, found := slices.BinarySearchFunc(m.claims, r, byTime)
	switch {
	case r.shortfall > 0 && !found:
		m.claims = slices.Insert(m.claims, at, r)
	case r.shortfall == 0 && found:
		m.claims = slices.Delete(m.claims, at, at+1)
		r.parts = nil
	}
	a.setRest(r, r.firmRest+r.shortfall)
}

func (a *Account) setRest(r *refund, rest int64) {
	a.rest += rest - r.rest
	r.rest = rest
}

// byTime orders refunds by event time, then id.
func byTime(r, o *refund) int {
	return cmp.Or(cmp.Compare(r.at, o.at), cmp.Compare(r.id, o.id))
}

// without removes one element, keeping the order of the rest.
func without[T comparable](list []T, gone T) []T {
	return slices.DeleteFunc(list, func(x T) bool { return x == gone })
}

// claim is unlinked money, or a transaction's excess, that looks for spend.
type claim struct {
	refund   *refund      // nil: an excess
	over     *transaction // the excess is of this one
	merchant string
	rule     string
	need     int64
	from, to Instant // settled at or after from, before to
	key      *refund // the refund that places it in order
}

// claims lists what looks for spend, in the order in which it chooses.
func (a *Account) claims() []claim {
	m, terms := a.match, a.program.Refunds
	list := make([]claim, 0, len(m.claims)+len(m.over))
	for _, r := range m.claims {
		need := r.amount
		if r.firm {
			need = r.shortfall
		}
		list = append(list, claim{
			refund: r, merchant: r.merchant, rule: r.rule, need: need, key: r,
			from: r.at.plusDays(-terms.WindowDays), to: r.at.plusDays(terms.MatchDays),
		})
	}
	for _, t := range m.over {
		var first, last *refund
		for _, r := range t.links.refunds {
			if !r.atHome() {
				continue
			}
			if first == nil || byTime(r, first) < 0 {
				first = r
			}
			if last == nil || byTime(r, last) > 0 {
				last = r
			}
		}
		list = append(list, claim{
			over: t, merchant: t.merchant, need: t.excess(), key: last,
			from: first.at.plusDays(-terms.WindowDays), to: last.at.plusDays(terms.MatchDays),
		})
	}
	slices.SortFunc(list, func(x, y claim) int {
		if c := byTime(x.key, y.key); c != 0 {
			return c
		}
		switch {
		case x.over == nil && y.over == nil:
			return 0
		case x.over == nil:
			return 1
		case y.over == nil:
			return -1
		}
		return cmp.Compare(x.over.id, y.over.id)
	})
	return list
}

// matching reports whether there is money that allocation may move.
func (a *Account) matching() bool {
	return a.match != nil && a.match.busy()
}

// disturb has claims choose afresh at the next allocation if what changed about
// a posted transaction can matter to them. That takes a transaction which a claim
// may choose: one within its time and, unless a refund had to look further than
// its own merchant, at that merchant. Or one which shares a cap, and so the worth
// of what lies under it, with others.
func (a *Account) disturb(t *transaction) {
	m := a.match
	if m == nil || m.stale == always {
		return
	}
	shares := t.bucket != nil && t.bucket.capped() && (t.bucket.program.Method == Rerate || t.bucket.program.Timing.Grant == GrantAtStatement)
	switch {
	case shares && t.bucket.earliest < m.until:
		m.disturb(always)
	case t.settledAt < m.until && (m.beyond || m.seeks(t.merchant)):
		// Earlier refunds are too old for it.
		m.disturb(t.settledAt.plusDays(-a.program.Refunds.MatchDays))
	}
}

// allocate places the unlinked money that may move afresh, as far as something
// changed that can matter. It costs what is within the windows of the claims.
func (a *Account) allocate() {
	m := a.match
	if m == nil || m.stale == never {
		return
	}
	list := a.claims()
	m.until = 0
	for i := range list {
		m.until = max(m.until, list[i].to)
		a.gather(list[i].from)
	}
	placed := make(map[*transaction]int64)
	list = list[a.settled(list, placed):]
	m.stale = never
	for i := range list {
		if r := list[i].refund; r != nil {
			a.noteRefund(r)
			r.parts = nil
		}
	}
	for pass := sameMerchant; pass <= anywhere; pass++ {
		for i := range list {
			a.place(&list[i], pass, placed)
		}
		if pass == sameMerchant {
			m.beyond = slices.ContainsFunc(list, func(c claim) bool { return c.refund != nil && c.need > 0 })
		}
	}
	for i := range list {
		if r := list[i].refund; r != nil {
			a.setRest(r, r.firmRest+list[i].need)
		}
	}
	for _, t := range m.soft {
		if _, still := placed[t]; !still {
			a.reverse(t, t.home, t.firmPlaced(), 0)
		}
	}
	m.soft = m.soft[:0]
	for t, amount := range placed {
		a.reverse(t, t.home, t.firmPlaced(), amount)
		m.soft = append(m.soft, t)
	}
	slices.SortFunc(m.soft, byOrder)
}

// settled returns how many of the first claims choose as they did before, and
// enters what they chose. As long as every refund found all it needed at its own
// merchant, claims choose one after the other, and none looks at a later one.
func (a *Account) settled(list []claim, placed map[*transaction]int64) int {
	m := a.match
	if m.beyond || len(m.over) > 0 {
		return 0
	}
	n := 0
	for n < len(list) && list[n].key.at < m.stale {
		for _, p := range list[n].refund.parts {
			placed[p.on] += p.amount
		}
		n++
	}
	return n
}

// pass is one of the three rounds in which claims choose.
type pass int

const (
	sameMerchant pass = iota
	sameRule
	anywhere
)

// candidate is a transaction that a claim may be placed on.
type candidate struct {
	on    *transaction
	left  int64
	worth ratio
}

// place lets one claim choose in one pass: dearest first, then an exact fit to
// what it still needs, then what covers it, then the latest settled.
func (a *Account) place(c *claim, p pass, placed map[*transaction]int64) {
	if c.need == 0 {
		return
	}
	var list []*transaction
	switch m := a.match; {
	case p == sameMerchant && c.merchant != "":
		list = m.byMerchant.list(m, func(t *transaction) string { return t.merchant }, c.merchant)
	case p == sameRule && c.refund != nil:
		list = m.byRule.list(m, a.ruleOf, c.rule)
	case p == anywhere && c.refund != nil:
		list = m.all.list(m, func(*transaction) struct{} { return struct{}{} }, struct{}{})
	}
	candidates := a.match.scratch[:0]
	defer func() { a.match.scratch = candidates[:0] }()
	for _, t := range within(list, c.from, c.to) {
		if left := t.open() - placed[t]; left > 0 {
			candidates = append(candidates, candidate{t, left, a.worth(t)})
		}
	}
	need := c.need
	order := func(x, y candidate) int {
		if d := y.worth.cmp(x.worth); d != 0 {
			return d
		}
		return cmp.Or(
			first(x.left == need, y.left == need),
			first(x.left >= need, y.left >= need),
			bySettled(y.on, x.on),
		)
	}
	take := func(x candidate) {
		amount := min(c.need, x.left)
		c.need -= amount
		placed[x.on] += amount
		if c.refund != nil {
			c.refund.parts = append(c.refund.parts, part{x.on, amount})
		}
	}
	if len(candidates) == 0 {
		return
	}
	// The best one alone mostly does, and it is found without sorting.
	if best := slices.MinFunc(candidates, order); best.left >= need {
		take(best)
		return
	}
	slices.SortFunc(candidates, order)
	for _, x := range candidates {
		if c.need == 0 {
			return
		}
		take(x)
	}
}

// ruleOf is the id of the rule that a posted transaction is under, "" for none.
func (a *Account) ruleOf(t *transaction) string {
	if t.rule == NoRule {
		return ""
	}
	return a.under(t).Rules[t.rule].ID
}

// first orders what holds before what does not.
func first(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return -1
	}
	return 1
}

// worth is the reward per unit of spend that a reversal of the transaction
// takes, after home and firm parts.
func (a *Account) worth(t *transaction) ratio {
	b := t.bucket
	switch {
	case b == nil:
		return ratio{uint128{}, uint128{lo: 1}}
	case t.is(granted) && b.program.Method == Proportional && t.original != b.rule.Rate.Of(t.base):
		return ratio{mul64(t.original, 1), mul64(t.base, 1)}
	case t.is(granted) && b.program.Method == Proportional, !b.capped():
		return ratio{mul64(int64(b.rule.Rate), 1), uint128{lo: rateScale}}
	}
	left, all := t.open(), b.net+b.soft
	return ratio{b.bound(all).sub(b.bound(all - left)), mul64(left, rateScale)}
}
