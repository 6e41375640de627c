package reward

import (
	"cmp"
	"slices"
)

// claim is money that came back for some purchase, it is not known which: that of
// an unlinked refund, of a firm one what had to give way, a purchase's excess, or its
// spread.
type claim struct {
	refund *refund      // nil: an excess
	over   *transaction // the excess is of this one
	within *transaction // the spread is of this one, and may only lie on its items
	at     Instant      // with id, its place in the order; of an excess its latest fact's
	id     string

	merchant, kind string
	need           int64
	from, to       Instant // its candidates settled at or after from, before to
}

// excess reports whether the claim is what facts exceed a purchase by.
func (c *claim) excess() bool { return c.over != nil }

// byClaim is the order in which claims choose.
func byClaim(x, y *claim) int {
	if o := cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.id, y.id)); o != 0 {
		return o
	}
	switch {
	case x.within != nil && y.within != nil:
		return cmp.Compare(x.within.id, y.within.id)
	case x.within != nil:
		return -1
	case y.within != nil:
		return 1
	case x.excess() && y.excess():
		return cmp.Compare(x.over.id, y.over.id)
	case x.excess():
		return -1
	case y.excess():
		return 1
	}
	return 0
}

// claimOf is an unlinked refund as it looks for spend.
func (a *Account) claimOf(r *refund, need int64) *claim {
	terms := a.program.Refunds
	return &claim{
		refund: r, at: r.at, id: r.id, merchant: r.merchant, kind: a.kindOfRefund(r), need: need,
		from: r.at.plusDays(-terms.WindowDays), to: r.at.plusDays(terms.MatchDays),
	}
}

// excessOf is a purchase's excess as it looks for spend. It looks back from the
// earliest of the facts that may be of something else, and ahead from the latest.
func (a *Account) excessOf(t *transaction, need int64, span span) *claim {
	terms := a.program.Refunds
	return &claim{
		over: t, at: span.last, id: span.lastID, merchant: t.merchant, kind: a.kindOf(t), need: need,
		from: span.first.plusDays(-terms.WindowDays), to: span.last.plusDays(terms.MatchDays),
	}
}

// span is the time of the earliest of some facts, and that of the latest with its
// id.
type span struct {
	first, last Instant
	lastID      string
}

// include widens a span by one more fact.
func (s span) include(at Instant, id string) span {
	if s.lastID == "" {
		return span{at, at, id}
	}
	s.first = min(s.first, at)
	if cmp.Or(cmp.Compare(at, s.last), cmp.Compare(id, s.lastID)) > 0 {
		s.last, s.lastID = at, id
	}
	return s
}

// claims lists what looks for spend as things stand, in the order in which it
// chooses.
func (a *Account) claims() []*claim {
	var list []*claim
	for _, r := range a.loose {
		need := r.amount
		if r.firm {
			need = r.shortfall
		}
		list = append(list, a.claimOf(r, need))
	}
	var over []*claim
	for _, t := range a.over {
		over = append(over, a.excessOf(t, t.excess(), a.named(t)))
	}
	for _, t := range a.spreads {
		list = append(list, a.spreadOf(t, t.spread(), a.named(t)))
	}
	return inTurn(append(list, a.lastOf(over)...))
}

// lastOf keeps the last claims, as many as may move.
func (a *Account) lastOf(list []*claim) []*claim {
	inTurn(list)
	return list[max(0, len(list)-a.program.Refunds.movable()):]
}

func inTurn(list []*claim) []*claim {
	slices.SortFunc(list, byClaim)
	return list
}

// kindOf is what a purchase was of: its category, else the category of its code,
// else the code.
func (a *Account) kindOf(t *transaction) string { return a.under(t).kind(t.mcc, t.category) }

// kindOfRefund is the same of a refund, by what it says itself.
func (a *Account) kindOfRefund(r *refund) string {
	return a.newest.In(a.newest.CycleAt(r.at)).kind(r.mcc, r.category)
}
