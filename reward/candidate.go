package reward

import (
	"cmp"
	"slices"
)

// Candidate is a posted purchase that a refund may be of: what a person looks at
// before linking the two. Amounts are minor units.
type Candidate struct {
	Transaction string
	Item        string // of the transaction, "" for one without items
	Amount      int64
	// Left is what nothing else reverses of it. What this refund reverses there
	// counts as left.
	Left     int64
	Settled  Instant // event time of the settlement
	Merchant string
	Category string // as the settlement sent it
	// SpendKind is its category, or what stands for it; "" for none.
	SpendKind string
	Rule      string // "" for none
	Retained  int64  // of its reward, still granted
	Placed    int64  // of this refund, money that lies on it now

	SameMerchant bool // as the refund names
	SameKind     bool // as the refund says
	Exact        bool // Left is the refund's amount
	Covers       bool // Left is at least that
	InWindow     bool // settled when allocation would look for it
}

// Candidates lists up to limit posted purchases that a posted refund may be of,
// those first that a person would want to look at first. It has none for a refund
// that is not known, has not posted, or was undone.
//
// They come as allocation looks for them (docs/semantics.md, section 5): purchases in
// the refund's window; among them those of its merchant and kind, of its merchant,
// of its kind, then all others; then an exact fit, what covers it, and the latest
// settled. Worth has no say: it is there so that nobody gains by a guess, and who
// looks at receipts does not guess. A purchase is listed if its own facts leave
// something of it, for other unlinked money on it gives way to a link.
//
// Where the window has fewer than limit, purchases follow that settled before or
// after it, by up to as much again. The cost is that of reading what settled in
// those times.
func (a *Account) Candidates(refund string, limit int) []Candidate {
	r := a.lookupRefund(refund)
	if r == nil || !r.active() || limit <= 0 {
		return nil
	}
	terms := a.program.Refunds
	from, to := r.at.plusDays(-terms.WindowDays), r.at.plusDays(terms.MatchDays)
	best := likeliest{limit: limit}
	a.candidatesWithin(r, from, to, true, &best)
	if best.cut(); len(best.list) < limit {
		a.candidatesWithin(r, from.plusDays(-terms.WindowDays), from, false, &best)
		a.candidatesWithin(r, to, to.plusDays(terms.MatchDays), false, &best)
		best.cut()
	}
	return best.list
}

// likeliest are the first of many candidates.
type likeliest struct {
	limit int
	list  []Candidate
	last  Candidate // the last of them when they were last cut
	full  bool      // then there were as many as may be
}

// add adds a candidate, unless enough come before it.
func (b *likeliest) add(c Candidate) {
	if b.full && byLikelihood(b.last, c) < 0 {
		return
	}
	if b.list = append(b.list, c); len(b.list) >= 4*b.limit {
		b.cut()
	}
}

// cut leaves those that come first, in order.
func (b *likeliest) cut() {
	slices.SortFunc(b.list, byLikelihood)
	b.list = b.list[:min(len(b.list), b.limit)]
	if b.full = len(b.list) == b.limit; b.full {
		b.last = b.list[b.limit-1]
	}
}

// byLikelihood orders candidates as a person would look at them.
func byLikelihood(x, y Candidate) int {
	return cmp.Or(
		first(x.InWindow, y.InWindow),
		cmp.Compare(x.pass(), y.pass()),
		first(x.Exact, y.Exact),
		first(x.Covers, y.Covers),
		cmp.Compare(y.Settled, x.Settled),
		cmp.Compare(y.Transaction, x.Transaction),
		cmp.Compare(y.Item, x.Item),
	)
}

// pass is the pass in which allocation would look at the candidate.
func (c *Candidate) pass() pass {
	switch {
	case c.SameMerchant && c.SameKind:
		return sameBoth
	case c.SameMerchant:
		return sameMerchant
	case c.SameKind:
		return sameKind
	}
	return anywhere
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

// candidatesWithin adds those of a span of settlement times, which is in the refund's window
// or not. Of most that are not at hand it reads no more than it shows.
func (a *Account) candidatesWithin(r *refund, from, to Instant, inWindow bool, best *likeliest) {
	add := func(t *transaction) {
		if c, is := a.candidateOf(r, t); is {
			c.InWindow = inWindow
			best.add(c)
		}
	}
	var parts []Part
	if a.kept != nil && from < to {
		parts = a.kept.shelf.Settled(from, to)
	}
	for _, p := range parts {
		if a.reader(TransactionPart, p.ID, p.Data).layered { // it has items, or is one, or has rewards elsewhere
			a.read(p)
		}
	}
	for t := range a.transactions.all() {
		if t.is(posted) && t.settledAt >= from && t.settledAt < to {
			add(t)
		}
	}
	skimmed := new(transaction)
	for _, p := range parts {
		if t, _ := a.transactions.find(p.ID); t == nil {
			*skimmed = transaction{id: p.ID}
			skimmed.readFigures(a.reader(TransactionPart, p.ID, p.Data))
			add(skimmed)
		}
	}
}

// candidateOf is a posted purchase as a candidate for a refund; is: something is left of it.
func (a *Account) candidateOf(r *refund, t *transaction) (c Candidate, is bool) {
	if t.is(split) {
		return c, false
	}
	home := t.home
	if r.atHome() && r.transaction == t {
		home = max(0, home-t.share(r))
	}
	room := t.amount - min(t.amount, home)
	if room == 0 {
		return c, false
	}
	placed := r.placedOn(t)
	others := t.placed
	if r.unlinked {
		others -= placed
	}
	id, item := t.name()
	c = Candidate{
		Transaction: id, Item: item, Amount: t.amount, Left: room - others, Settled: t.settledAt,
		Merchant: t.merchant, Category: t.sent().Category, SpendKind: a.kindOf(t), Rule: a.ruleOf(t), Retained: t.kept(), Placed: placed,
		SameMerchant: r.merchant != "" && r.merchant == t.merchant,
	}
	c.SameKind = c.SpendKind != "" && c.SpendKind == a.kindOfRefund(r)
	c.Exact, c.Covers = c.Left == r.amount, c.Left >= r.amount
	return c, true
}

// ruleOf is the id of the rule that a posted transaction is under, "" for none.
func (a *Account) ruleOf(t *transaction) string {
	if t.layered() {
		return t.ruleNames()
	}
	if t.rule == NoRule {
		return ""
	}
	return a.under(t).Rules[t.rule].ID
}

// LiesOn returns the purchases that a refund reverses something of now, the one with most of
// it first: the one that it names or was linked to, or those where allocation put it. It is
// empty for a refund that is not known, has not posted, was undone, or found nothing.
func (a *Account) LiesOn(refund string) (transactions []string) {
	r := a.lookupRefund(refund)
	if r == nil || !r.active() {
		return nil
	}
	amounts := make(map[string]int64)
	on := func(t *transaction) {
		id, _ := t.name()
		if _, known := amounts[id]; !known {
			transactions = append(transactions, id)
		}
		amounts[id] += r.placedOn(t)
	}
	if r.atHome() && r.transaction != nil {
		on(r.transaction)
	}
	var seen []*transaction
	for _, p := range append(slices.Clone(r.places), r.firmPlaces...) {
		if !slices.Contains(seen, p.on) {
			seen = append(seen, p.on)
			on(p.on)
		}
	}
	transactions = slices.DeleteFunc(transactions, func(id string) bool { return amounts[id] == 0 })
	slices.SortFunc(transactions, func(x, y string) int {
		return cmp.Or(cmp.Compare(amounts[y], amounts[x]), cmp.Compare(x, y))
	})
	return transactions
}

// placedOn is what of the refund lies on a transaction.
func (r *refund) placedOn(t *transaction) (amount int64) {
	if r.atHome() && r.transaction == t {
		return t.share(r)
	}
	for _, p := range r.places {
		if p.on == t {
			amount += p.amount
		}
	}
	if t.links != nil {
		for _, f := range t.links.firm {
			if f.of == r {
				amount += f.placed
			}
		}
	}
	return amount
}
