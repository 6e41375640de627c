package reward

import (
	"cmp"
	"slices"
)

// matching is what an account keeps while there is unlinked money to place: the
// money that may move, and an index of the purchases that it may be of. Accounts
// whose refunds all name their purchases, or are firm, have none.
type matching struct {
	claims []*refund      // unlinked and not firm, or firm with a shortfall; by time, then id
	over   []*transaction // with more refunds than amount
	soft   []*transaction // that movable money lies on, in posting order
	until  Instant        // what settled from here on is no candidate of any claim
	stale  bool           // something changed since the last allocation that can matter to it

	// Every posted transaction, by settlement time, then id; but those that
	// posted since the last allocation are still to be put in their places.
	fresh      []*transaction
	all        []*transaction
	byMerchant map[string][]*transaction
	byRule     map[int32][]*transaction
}

// matcher returns the account's matching and makes one if there is none.
func (a *Account) matcher() *matching {
	if a.match != nil {
		return a.match
	}
	a.match = &matching{byMerchant: make(map[string][]*transaction), byRule: make(map[int32][]*transaction)}
	for _, t := range a.transactions.list {
		if t.is(posted) {
			a.match.fresh = append(a.match.fresh, t)
		}
	}
	return a.match
}

// index puts the fresh transactions in their places.
func (m *matching) index() {
	slices.SortFunc(m.fresh, bySettled)
	for _, t := range m.fresh {
		m.all = inOrder(m.all, t)
		m.byRule[t.rule] = inOrder(m.byRule[t.rule], t)
		if t.merchant != "" {
			m.byMerchant[t.merchant] = inOrder(m.byMerchant[t.merchant], t)
		}
	}
	m.fresh = nil
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
