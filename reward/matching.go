package reward

import (
	"cmp"
	"math"
	"slices"
)

// matching is what an account keeps while there is unlinked money to place: the
// money that may move, and indexes of the purchases that it may be of. Accounts
// whose refunds all name their purchases, or are firm, have none.
type matching struct {
	claims []*refund      // unlinked and not firm, or firm with a shortfall; by time, then id
	over   []*transaction // with more refunds than amount
	soft   []*transaction // that movable money lies on, in posting order

	stale  Instant // claims from here on have to choose afresh; never where none has
	until  Instant // what settled from here on is no candidate of any claim
	beyond bool    // some refund found too little at its own merchant

	scratch []candidate // reused by every claim that chooses

	posted     []*transaction // every posted transaction settled at or after since
	since      Instant
	all        tier[struct{}]
	byMerchant tier[string]
	byRule     tier[string]
}

// always and never are before and after every event.
const (
	always Instant = math.MinInt64
	never  Instant = math.MaxInt64
)

// disturb has claims from a moment on choose afresh at the next allocation.
func (m *matching) disturb(from Instant) { m.stale = min(m.stale, from) }

// matcher returns the account's matching and makes one if there is none.
func (a *Account) matcher() *matching {
	if a.match == nil {
		a.match = &matching{stale: never, since: never}
	}
	return a.match
}

// busy reports whether there is money that may move.
func (m *matching) busy() bool { return len(m.claims)+len(m.over)+len(m.soft) > 0 }

// gather has every posted transaction settled at or after a moment listed.
func (a *Account) gather(from Instant) {
	m := a.match
	if from >= m.since {
		return
	}
	if a.kept == nil {
		from = always
	}
	at := len(m.posted)
	for t := range a.settledBetween(from, m.since) {
		m.list(t)
	}
	slices.SortFunc(m.posted[at:], bySettled) // so that tiers mostly append
	m.since = from
}

// list makes a posted transaction one that claims may choose.
func (m *matching) list(t *transaction) {
	if !t.is(listed) {
		t.set(listed)
		m.posted = append(m.posted, t)
	}
}

// seeks reports whether a claim looks for purchases at the merchant.
func (m *matching) seeks(merchant string) bool {
	return slices.ContainsFunc(m.claims, func(r *refund) bool { return r.merchant == merchant }) ||
		slices.ContainsFunc(m.over, func(t *transaction) bool { return t.merchant == merchant })
}

// tier is an index of posted transactions by a key, each list by settlement
// time, then id. It catches up when it is asked, since most never are.
type tier[K comparable] struct {
	lists map[K][]*transaction
	seen  int // how many of the posted ones are in it
}

// list returns the transactions of a key.
func (x *tier[K]) list(m *matching, key func(*transaction) K, of K) []*transaction {
	if x.lists == nil {
		x.lists = make(map[K][]*transaction)
	}
	for _, t := range m.posted[x.seen:] {
		k := key(t)
		x.lists[k] = inOrder(x.lists[k], t)
	}
	x.seen = len(m.posted)
	return x.lists[of]
}

// unlist lets go of all that is listed.
func (m *matching) unlist() {
	for _, t := range m.posted {
		t.clear(listed)
	}
}

// bySettled orders transactions by settlement time, then id.
func bySettled(s, t *transaction) int {
	return cmp.Or(cmp.Compare(s.settledAt, t.settledAt), cmp.Compare(s.id, t.id))
}

// inOrder inserts a transaction; the latest, as a rule, goes at the end.
func inOrder(list []*transaction, t *transaction) []*transaction {
	if n := len(list); n == 0 || bySettled(list[n-1], t) < 0 {
		return append(list, t)
	}
	at, _ := slices.BinarySearchFunc(list, t, bySettled)
	return slices.Insert(list, at, t)
}

// within returns the transactions of an ordered list that settled at or after
// from and before to.
func within(list []*transaction, from, to Instant) []*transaction {
	at := func(i Instant) int {
		n, _ := slices.BinarySearchFunc(list, i, func(t *transaction, i Instant) int { return cmp.Compare(t.settledAt, i) })
		return n
	}
	low, high := at(from), at(to)
	if high < low {
		return nil
	}
	return list[low:high]
}
