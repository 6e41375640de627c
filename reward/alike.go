package reward

import "slices"

// Purchases of one merchant are few among those of a window. What is written down of a
// purchase says its merchant first, so of the others no more is read.

// onePiece is of how many purchases an account looks at a window in one piece.
const onePiece = 1000

// glimpse is what settled in a span of time, of which no more was looked at than the merchant.
type glimpse struct {
	from, to Instant
	parts    []Part
}

// another reports whether a claim may be of another purchase of its merchant and kind than
// one, by the facts of that. What was looked at before is first, then the latest: where there
// are others, they are seldom far.
func (a *Account) another(c *claim, than *transaction) bool {
	is := func(t *transaction) bool {
		return t != than && t.is(posted) && !t.is(split) && t.merchant == c.merchant && t.settledAt >= c.from && t.settledAt < c.to &&
			t.amount > t.atHome() && a.kindOf(t) == c.kind
	}
	for t := range a.transactions.all() {
		if is(t) {
			return true
		}
	}
	if a.kept == nil {
		return false
	}
	among := func(g glimpse) bool {
		return slices.ContainsFunc(g.parts, func(p Part) bool {
			return p.Settled >= c.from && p.Settled < c.to && a.merchantIn(p) == c.merchant && is(a.read(p))
		})
	}
	if slices.ContainsFunc(a.kept.glimpses, among) {
		return true
	}
	for days, to := 4, c.to; c.from < to; days *= 2 {
		from := c.from
		if a.posted > onePiece {
			from = max(from, to.plusDays(-days))
		}
		if low, high := a.kept.unseen(from, to); low < high {
			g := glimpse{low, high, a.kept.shelf.Settled(low, high)}
			a.kept.glimpses = append(a.kept.glimpses, g)
			if among(g) {
				return true
			}
		}
		to = from
	}
	return false
}

// unseen is a span of time without what was looked at before at either end of it.
func (k *kept) unseen(from, to Instant) (low, high Instant) {
	for _, g := range k.glimpses {
		if g.from <= from && g.to > from {
			from = g.to
		}
		if g.to >= to && g.from < to {
			to = g.from
		}
	}
	return from, to
}

// merchantIn is the merchant of a transaction by its part.
func (a *Account) merchantIn(p Part) string {
	r := a.reader(TransactionPart, p.ID, p.Data)
	r.int() // what is marked
	return r.text()
}
