package reward_test

import (
	"cmp"
	"slices"

	"recoup/reward"
)

// naiveItems is what a transaction has of line items, and what an item is to its
// transaction (docs/semantics.md, section 11).
type naiveItems struct {
	told   reward.Event  // its settlement, with what it takes from authorisations
	parked *reward.Event // items that wait for it to post
	said   *reward.Event // items that count
	items  []*naiveTransaction

	itemOf *naiveTransaction
	item   reward.Item
	kept   int64 // of a spread that became firm, what stays on the item
}

// naiveItemLine is what a replay prints of an item.
type naiveItemLine struct {
	Item     string           `json:"item"`
	Amount   int64            `json:"amount"`
	Reversed int64            `json:"reversed"`
	Original int64            `json:"original"`
	Retained int64            `json:"retained"`
	Rewards  []naiveLayerLine `json:"rewards,omitempty"`
}

func naiveTotal(items reward.Items) (sum int64) {
	for x := range items.All() {
		sum += x.Amount
	}
	return sum
}

// naiveBadItems says whether an event has items that cannot be.
func naiveBadItems(e *reward.Event) bool {
	if e.Items == "" && e.Type != reward.TransactionItemized {
		return false
	}
	names := map[string]int{}
	for x := range e.Items.All() {
		if x.Amount <= 0 {
			return true
		}
		names[x.ID]++
	}
	for _, times := range names {
		if times > 1 {
			return true
		}
	}
	return len(names) < 1 || len(names) > 200 || e.Type != reward.TransactionItemized && naiveTotal(e.Items) != e.Amount
}

// onlyHeardOf says whether nothing is known of a transaction but items.
func (t *naiveTransaction) onlyHeardOf() bool {
	return t.settlement == nil && t.authorisation == nil && !t.canceled
}

// itemise brings the items of a purchase.
func (b *naiveBook) itemise(e *reward.Event) (reward.Result, bool) {
	t := b.transactionOrNew(e.Transaction)
	refused := *e
	refused.Amount = naiveTotal(e.Items)
	known := t.said
	if t.settlement == nil {
		known = t.parked
	}
	switch {
	case known != nil && known.Items == e.Items:
		return naiveDuplicate, false
	case known != nil, t.settlement != nil && t.settlement.Amount != refused.Amount:
		return t.refuse(&refused, naiveRejected(reward.ItemsConflict)), false
	case t.settlement == nil:
		t.parked = e
		delete(b.dismissed, naiveMatter{reward.TransactionPart, t.id})
		return naiveParked(reward.TransactionUnknown), false
	case t.granted && t.method() == reward.Proportional:
		return naiveFinal, false
	}
	t.said = e
	for _, r := range b.refunds {
		if slices.ContainsFunc(r.places, func(p naivePlace) bool { return p.on == t }) {
			r.firm, r.places = false, nil
		}
	}
	for _, s := range t.shares {
		s.retained = 0
	}
	b.splitUp(t, e.Items)
	if !t.granted {
		return naiveApplied, false
	}
	for _, x := range t.items {
		base := x.settlement.Amount
		if t.terms.Timing.Grant == reward.GrantAtStatement {
			base = b.allocate().left(x)
		}
		b.grant(x, base)
	}
	return naiveApplied, true
}

// itemsToPost are those with which a transaction posts, if it has any.
func (b *naiveBook) itemsToPost(t *naiveTransaction) reward.Items {
	s, p := t.settlement, t.parked
	t.parked = nil
	if p != nil && (s.Items == "" && naiveTotal(p.Items) != s.Amount || s.Items != "" && s.Items != p.Items) {
		refused := *p
		refused.Amount = naiveTotal(p.Items)
		t.refuse(&refused, naiveRejected(reward.ItemsConflict))
		p = nil
	}
	if s.Items != "" {
		p = s
	}
	if p == nil {
		return ""
	}
	t.said = p
	return p.Items
}

// splitUp posts the items of a transaction in its place.
func (b *naiveBook) splitUp(t *naiveTransaction, items reward.Items) {
	for i := range items.All() {
		x := &naiveTransaction{id: t.id + "\x1f" + i.ID}
		x.itemOf, x.item = t, i
		x.told = t.told
		x.told.Amount = i.Amount
		if i.Category != "" || i.MCC != 0 {
			x.told.Category, x.told.MCC = i.Category, i.MCC
		}
		if i.Labels != "" {
			x.told.Labels = i.Labels
		}
		x.settlement = &x.told
		x.postedAt, x.cycle, x.terms, x.counts, x.pastClose = t.postedAt, t.cycle, t.terms, t.counts, t.pastClose
		x.merchant, x.kind = x.told.Merchant, naiveKind(&x.told, t.terms)
		x.sortOutAs(b, &x.told, t.bought(t.settlement))
		t.items = append(t.items, x)
	}
	b.posted = slices.Insert(b.posted, slices.Index(b.posted, t)+1, t.items...)
}

// saidOf is what linked refunds say of an item.
func (f *naiveFacts) saidOf(x *naiveTransaction) (sum int64) {
	for _, l := range f.linked {
		if l.on != x.itemOf {
			continue
		}
		for i := range l.items.All() {
			if i.ID == x.item.ID {
				sum += i.Amount
			}
		}
	}
	return sum
}

// ofEverything says whether a fact reverses a transaction wholly.
func (f *naiveFacts) ofEverything(t *naiveTransaction) bool {
	return slices.ContainsFunc(f.linked, func(l naiveLinked) bool { return l.on == t && !l.named })
}

// ontoItem is home of an item.
func (f *naiveFacts) ontoItem(x *naiveTransaction) int64 {
	if f.ofEverything(x.itemOf) {
		return x.settlement.Amount
	}
	return min(x.settlement.Amount, f.saidOf(x)+x.kept)
}

// spreads are what transactions with items have of facts that do not say of which.
func (b *naiveBook) spreads(f *naiveFacts) (claims []*naiveClaim) {
	for _, t := range b.posted {
		named, c := f.namedOn(t)
		if len(t.items) == 0 || c == nil || f.ofEverything(t) {
			continue
		}
		c.excessOf, c.spreadOf = nil, t
		c.needs = min(named, t.settlement.Amount)
		for _, x := range t.items {
			c.needs -= f.ontoItem(x)
		}
		if c.needs > 0 {
			claims = append(claims, c)
		}
	}
	slices.SortFunc(claims, func(c, d *naiveClaim) int {
		return cmp.Or(cmp.Compare(c.time, d.time), cmp.Compare(c.id, d.id), cmp.Compare(c.spreadOf.id, d.spreadOf.id))
	})
	return claims
}

// giveWay cuts what is kept on items to what the facts leave for it.
func (b *naiveBook) giveWay() {
	f := b.facts()
	for _, t := range b.posted {
		named, _ := f.namedOn(t)
		var home int64
		for _, x := range t.items {
			x.kept = min(x.kept, max(0, x.settlement.Amount-f.saidOf(x)))
			home += min(x.settlement.Amount, f.saidOf(x)) + x.kept
		}
		for _, x := range slices.Backward(t.items) {
			less := min(x.kept, max(0, home-named))
			x.kept -= less
			home -= less
		}
	}
}

// roomBeside is what a transaction has left for firm parts on its items.
func (a *naiveAllocation) roomBeside(t *naiveTransaction, f *naiveFacts) int64 {
	room := t.settlement.Amount - min(t.settlement.Amount, f.onto(t))
	for _, places := range a.placed {
		for _, p := range places {
			if p.on.itemOf == t {
				room -= p.amount
			}
		}
	}
	return room
}

// inPlaces are the indices of places, those on items of one transaction in their order.
func inPlaces(places []naivePlace) []int {
	order := make([]int, len(places))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		x, y := places[i].on, places[j].on
		if x.itemOf == nil || x.itemOf != y.itemOf {
			return cmp.Compare(x.whole().id, y.whole().id)
		}
		return cmp.Compare(slices.Index(x.itemOf.items, x), slices.Index(x.itemOf.items, y))
	})
	return order
}

func (t *naiveTransaction) whole() *naiveTransaction {
	if t.itemOf != nil {
		return t.itemOf
	}
	return t
}

func (a *naiveAllocation) putSpread(c *naiveClaim, on *naiveTransaction, part int64) {
	if c.spreadOf != nil {
		a.spread[on] += part
	}
}

// keep has a transaction's spread stay where it lies.
func (a *naiveAllocation) keep(t *naiveTransaction) {
	for _, x := range t.items {
		x.kept += a.spread[x]
	}
}

// keepFewSpreads keeps the first spreads while too many may move.
func (b *naiveBook) keepFewSpreads() {
	for {
		f := b.facts()
		list := b.spreads(&f)
		if len(list) <= b.terms().Refunds.Movable {
			return
		}
		b.allocate().keep(list[0].spreadOf)
	}
}

// keepOldSpreads ends the wandering of spreads that are old enough.
func (b *naiveBook) keepOldSpreads(a *naiveAllocation) {
	f := b.facts()
	for _, c := range b.spreads(&f) {
		if b.now-c.time >= naiveDays(b.terms().Refunds.FirmDays) && !slices.ContainsFunc(c.spreadOf.items, b.countsOn) {
			a.keep(c.spreadOf)
		}
	}
}

// takenBack is what of a transaction is reversed, items and all.
func (a *naiveAllocation) takenBack(t *naiveTransaction) (sum int64) {
	if len(t.items) == 0 {
		return a.reversed[t]
	}
	for _, x := range t.items {
		sum += a.reversed[x]
	}
	return sum
}

// itemLines has the items of a transaction on its line, and their sums.
func (b *naiveBook) itemLines(t *naiveTransaction, line *naiveLine, a *naiveAllocation) {
	if len(t.items) == 0 {
		return
	}
	line.Reversed, line.Original, line.Rewards = a.takenBack(t), 0, nil
	for _, x := range t.items {
		line.Original += x.original()
		line.Retained += x.retained()
		line.Items = append(line.Items, naiveItemLine{x.item.ID, x.settlement.Amount, a.reversed[x], x.original(), x.retained(), b.layerLines(x, a)})
	}
}

// atHomeOn is what facts that say so reverse of a purchase.
func (b *naiveBook) atHomeOn(t *naiveTransaction) int64 {
	f := b.facts()
	switch {
	case len(t.items) > 0:
		return t.settlement.Amount
	case t.itemOf != nil:
		return f.ontoItem(t)
	}
	return f.onto(t)
}
