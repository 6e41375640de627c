package reward

import (
	"slices"
)

// Line items. Each item of a purchase is a transaction of its own for all that follows
// from net purchases: it has a rule, a grant, a bucket or stakes, and firm places. What
// names the purchase stays with the purchase, and is shared out over its items.

// parcel is what a transaction with items has of them.
type parcel struct {
	sent    Items // as they came
	settled bool  // the settlement said them itself
	arrived Instant
	items   []*transaction // in their order; none until the transaction posts
	kept    []int64        // by item, what a spread that became firm has there
	spread  int64          // what its facts do not say of items
	places  []placement    // where that lies
}

// itemID is the id under which an item is kept. No id that is delivered has the
// character between the two.
func itemID(transaction, item string) string { return transaction + itemOfMark + item }

const itemOfMark = "\x1f"

// isItem reports whether it is an item of another transaction.
func (t *transaction) isItem() bool { return t.item != 0 }

// whole is the transaction itself, or that which it is an item of.
func (t *transaction) whole() *transaction {
	if t.isItem() {
		return t.more.of
	}
	return t
}

// name is the id of the transaction that the world knows, and the item's within it.
func (t *transaction) name() (transaction, item string) {
	if w := t.whole(); w != t {
		return w.id, t.id[len(w.id)+len(itemOfMark):]
	}
	return t.id, ""
}

// items are those of a transaction that has posted with any.
func (t *transaction) items() []*transaction {
	if !t.is(split) {
		return nil
	}
	return t.more.parcel.items
}

// awaitsPosting reports whether items wait for the transaction to post.
func (t *transaction) awaitsPosting() bool {
	return !t.is(posted) && t.more != nil && t.more.parcel != nil
}

// takenBack is what of the transaction is reversed, items and all.
func (t *transaction) takenBack() (sum int64) {
	if !t.is(split) {
		return t.reversed()
	}
	for _, x := range t.items() {
		sum += x.reversed()
	}
	return sum
}

// spread is what the facts of a transaction with items do not say of any.
func (t *transaction) spread() int64 {
	if !t.is(split) {
		return 0
	}
	return t.more.parcel.spread
}

// sentItems are those that the settlement itself said.
func (t *transaction) sentItems() Items {
	if t.more == nil || t.more.parcel == nil || !t.more.parcel.settled {
		return ""
	}
	return t.more.parcel.sent
}

// itemise brings the items of a purchase (docs/semantics.md, section 11).
func (s *step) itemise() Result {
	e := s.event
	t := s.know(e.Transaction)
	m := t.particular()
	switch {
	case m.parcel != nil && m.parcel.sent == e.Items:
		return Result{Outcome: Duplicate}
	case m.parcel != nil || t.is(posted) && t.amount != e.Items.total():
		s.contestItems(t, e.Items)
		return Result{Rejected, ItemsConflict}
	case !t.is(posted):
		t.clear(dismissed)
		m.parcel = &parcel{sent: e.Items, arrived: s.now}
		return Result{Parked, TransactionUnknown}
	case t.is(granted) && s.under(t).Method == Proportional:
		return Result{Ignored, AlreadyFinal}
	}
	m.parcel = &parcel{sent: e.Items, arrived: s.now}
	s.unpost(t)
	s.postItems(t, m.boughtAt(t))
	s.takePart(t)
	if t.is(granted) {
		s.grantItems(t)
	} else {
		s.await(t.items())
	}
	s.reconcile(t.is(granted))
	return Result{Outcome: Applied}
}

// contestItems puts items that do not count on the review list.
func (s *step) contestItems(t *transaction, items Items) {
	t.clear(dismissed)
	l := t.link()
	l.contests = append(l.contests, contest{amount: items.total(), at: s.now})
}

// itemsOf are those with which a transaction is to post, "" for none: the settlement's,
// or those that wait for it.
func (s *step) itemsOf(t *transaction) Items {
	e := s.event
	waiting := t.more != nil && t.more.parcel != nil
	if waiting && (e.Items == "" && t.more.parcel.sent.total() != e.Amount || e.Items != "" && e.Items != t.more.parcel.sent) {
		s.contestItems(t, t.more.parcel.sent)
		t.more.parcel = nil
		waiting = false
	}
	if e.Items != "" {
		t.particular().parcel = &parcel{sent: e.Items, settled: true, arrived: s.now}
		waiting = true
	}
	if !waiting {
		return ""
	}
	return t.more.parcel.sent
}

// unpost leaves nothing of a posted purchase itself, for its items take its place.
func (s *step) unpost(t *transaction) {
	if t.links != nil {
		for _, p := range slices.Clone(t.links.firm) {
			s.loosenFirm(p.of)
		}
	}
	s.reverse(t, t.home, 0, 0)
	s.soft = without(s.soft, t)
	was, room := t.reversed(), t.room()
	t.set(split)
	s.altered(t, was, 0, room)
	switch {
	case !t.is(granted):
	case t.layered():
		for _, k := range t.more.stakes {
			if k.earns && !k.rule.Whole { // of which kept follows from the basket
				s.retainStake(k, 0, Reallocation)
			}
		}
	case t.bucket != nil:
		s.retain(t, 0, Reallocation)
	}
}

// loosenFirm has a firm refund look for its place again, or come home to the purchase that
// it gave up waiting for, if that has posted since.
func (s *step) loosenFirm(r *refund) {
	s.unclaim(r)
	r.firm = false
	if t := r.transaction; t != nil && t.is(posted) && !r.doubted {
		r.unlinked = false
		s.recount(t, r.amount)
		return
	}
	s.claim(r)
}

// postItems posts the items of a transaction in its place.
func (s *step) postItems(t *transaction, bought Instant) {
	t.set(split)
	p := t.more.parcel
	p.kept = make([]int64, p.sent.count())
	for x := range p.sent.All() {
		i := &transaction{
			id: itemID(t.id, x.ID), amount: x.Amount, settledAt: t.settledAt, postedAt: t.postedAt, order: t.order, cycle: t.cycle,
			item: uint16(len(p.items) + 1), rule: NoRule, flags: t.flags & (posted | barren), more: &particulars{of: t},
		}
		i.describe(x)
		_, hash := s.transactions.find(i.id)
		s.transactions.add(i, hash)
		s.hand(i)
		p.items = append(p.items, i)
		s.enterTerms(i, Terms{i.merchant, i.mcc, i.category}, bought)
		s.ripen(i)
	}
}

// describe has an item take from its transaction what it does not say itself.
func (t *transaction) describe(x Item) {
	w := t.more.of
	t.merchant, t.mcc, t.category, t.more.labels = w.merchant, x.MCC, x.Category, x.Labels
	if x.MCC == 0 && x.Category == "" {
		t.mcc, t.category = w.mcc, w.category
	}
	if x.Labels == "" {
		t.more.labels = w.more.effective()
	}
}

// grantItems grants the items of a transaction, one after the other.
func (s *step) grantItems(t *transaction) {
	for _, x := range t.items() {
		s.placeAll() // what others have left of a limit decides what is granted
		s.grant(x)
	}
}

// await has purchases that have just posted granted at the close of their cycle, or as
// soon as anything is left of them where that is over.
func (s *step) await(list []*transaction) {
	for _, t := range list {
		if t.postedAt >= s.cycleStart {
			s.waiting = append(s.waiting, t)
		} else {
			s.touch(t)
		}
	}
}

// takePart shares out what is known of a transaction that has just got items.
func (s *step) takePart(t *transaction) {
	s.unsure, s.doubtful = true, true
	if t.links != nil {
		s.rehome(t, 0, 0)
	}
}

// shareOut brings home what the facts of a transaction say of its items, and lets firm
// places and movable money give way.
func (a *Account) shareOut(t *transaction) {
	a.hand(t)
	p := t.more.parcel
	homes, spread := a.homes(t, t.home, t.links.named)
	fits := a.fitItems(t, homes, t.home)
	for i, x := range p.items {
		var firm int64
		for j, fit := range fits[i] {
			if f := &x.links.firm[j]; fit != f.placed {
				f.of.shortfall += f.placed - fit
				f.placed = fit
				a.hand(x)
				a.reclaim(f.of)
			}
			firm += fit
		}
		a.reverse(x, homes[i], firm, min(x.soft(), x.amount-homes[i]-firm))
	}
	p.spread = spread
	a.spreads = without(a.spreads, t)
	if spread > 0 {
		at, _ := slices.BinarySearchFunc(a.spreads, t, a.byNamed)
		a.spreads = slices.Insert(a.spreads, at, t)
	} else {
		p.places = nil
	}
}

// said is what active refunds at home say of each item.
func (a *Account) said(t *transaction) []int64 {
	said := make([]int64, len(t.items()))
	if t.links == nil {
		return said
	}
	for _, r := range a.refundsOf(t) {
		if r.items == "" || !r.atHome() {
			continue
		}
		for x := range r.items.All() {
			i := slices.IndexFunc(t.items(), func(o *transaction) bool { return o.id == itemID(t.id, x.ID) })
			if i >= 0 {
				said[i] += x.Amount
			}
		}
	}
	return said
}

// homes are what lies at home on each item, and the spread, where facts come to so much
// of which so much names an amount. What is kept on items gives way to what is said.
func (a *Account) homes(t *transaction, facts, named int64) (homes []int64, spread int64) {
	p := t.more.parcel
	homes = a.said(t)
	var sum int64
	for i, x := range p.items {
		homes[i] = min(homes[i], x.amount)
		p.kept[i] = min(p.kept[i], x.amount-homes[i])
		homes[i] += p.kept[i]
		sum += homes[i]
	}
	for i := len(homes) - 1; sum > named; i-- {
		less := min(p.kept[i], sum-named)
		p.kept[i] -= less
		homes[i] -= less
		sum -= less
	}
	if facts > named { // some of them are of everything
		for i, x := range p.items {
			homes[i] = x.amount
		}
		return homes, 0
	}
	return homes, min(named, t.amount) - sum
}

// fitItems is what each firm place on the items has room for, by item: beside so much at
// home on it, and on the transaction.
func (a *Account) fitItems(t *transaction, homes []int64, facts int64) [][]int64 {
	type at struct{ item, place int }
	var order []at
	fits := make([][]int64, len(homes))
	for i, x := range t.items() {
		if x.links == nil {
			continue
		}
		fits[i] = make([]int64, len(x.links.firm))
		for j := range x.links.firm {
			order = append(order, at{i, j})
		}
	}
	slices.SortStableFunc(order, func(m, n at) int {
		return byTime(t.items()[m.item].links.firm[m.place].of, t.items()[n.item].links.firm[n.place].of)
	})
	all := t.amount - min(t.amount, facts)
	rooms := make([]int64, len(homes))
	for i, x := range t.items() {
		rooms[i] = x.amount - homes[i]
	}
	for _, o := range order {
		fit := min(t.items()[o.item].links.firm[o.place].amount, rooms[o.item], all)
		fits[o.item][o.place] = fit
		rooms[o.item] -= fit
		all -= fit
	}
	return fits
}

// spreadOf is a transaction's spread as it looks for its items.
func (a *Account) spreadOf(t *transaction, need int64, span span) *claim {
	return &claim{within: t, at: span.last, id: span.lastID, need: need, from: t.settledAt, to: t.settledAt + 1}
}

// keep has what lies of a transaction's spread on its items stay there.
func (a *Account) keep(t *transaction) {
	p := t.more.parcel
	for _, x := range p.places {
		p.kept[x.on.item-1] += x.amount
		a.reverse(x.on, x.on.home+x.amount, x.on.firmPlaced(), x.on.soft()-x.amount)
	}
	p.places = nil
	a.rehome(t, 0, 0)
}

// settles reports whether the last of the facts that a spread is of is old enough for
// it to stay where it is, and nothing is open that its items count in.
func (s *step) settles(t *transaction) bool {
	return s.named(t).last.plusDays(s.program.Refunds.FirmDays) <= s.at && !slices.ContainsFunc(t.items(), func(x *transaction) bool { return x.countsAfter(s.at) })
}

// bearsFirm reports whether a firm part lies on the transaction or an item of it.
func (t *transaction) bearsFirm() bool {
	return t.firmPlaced() > 0 || slices.ContainsFunc(t.items(), (*transaction).bearsFirm)
}
