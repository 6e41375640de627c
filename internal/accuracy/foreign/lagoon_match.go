package foreign

import (
	"sort"
	"time"
)

// lagoonPart is a piece of a nameless return, and the purchase it is set off against.
type lagoonPart struct {
	purchase *lagoonPurchase
	refund   *lagoonReturn
	amount   int64
}

// lagoonMatch is how a design sets nameless returns off.
type lagoonMatch struct {
	rank    func(*lagoonPurchase) int64               // those of the highest go first
	use     func(*lagoonReturn) bool                  // nil: all returns
	fits    func(*lagoonPurchase, *lagoonReturn) bool // nil: all; never those much later than the return
	prudent bool                                      // returns that wait are nameless already
}

// net is what named returns leave of each purchase, never below zero, and where nameless
// ones go: to the purchases that are worth most. It looks at all facts anew, so the order
// in which they came makes no difference to what is left.
func (a *lagoonAccount) net(now time.Time, m lagoonMatch) (left []int64, parts []lagoonPart) {
	left = make([]int64, len(a.purchases))
	for i, p := range a.purchases {
		left[i] = p.amount
	}
	var loose []*lagoonReturn
	for _, r := range a.returns {
		if m.use != nil && !m.use(r) {
			continue
		}
		if p := a.byID[r.purchase]; p != nil && r.purchase != "" {
			left[p.index] -= min(left[p.index], r.amount)
		} else if r.amount != lagoonAll && (m.prudent || !a.waiting(r, now)) {
			loose = append(loose, r)
		}
	}
	if len(loose) == 0 {
		return left, nil
	}
	order := append([]*lagoonPurchase(nil), a.purchases...)
	sort.SliceStable(order, func(i, j int) bool { return m.rank(order[i]) > m.rank(order[j]) })
	sort.SliceStable(loose, func(i, j int) bool { return loose[i].at.Before(loose[j].at) })
	rest := append([]int64(nil), left...)
	for _, r := range loose {
		open := r.amount
		for _, p := range order {
			if open == 0 {
				break
			}
			x := min(open, rest[p.index])
			if x == 0 || p.at.After(r.at.Add(lagoonPatience)) || m.fits != nil && !m.fits(p, r) {
				continue
			}
			rest[p.index] -= x
			open -= x
			parts = append(parts, lagoonPart{p, r, x})
		}
	}
	return left, parts
}

// lagoonKept is what is left of each purchase after named and nameless returns.
func (a *lagoonAccount) kept(now time.Time, m lagoonMatch) []int64 {
	left, parts := a.net(now, m)
	for _, p := range parts {
		left[p.purchase.index] -= p.amount
	}
	return left
}
