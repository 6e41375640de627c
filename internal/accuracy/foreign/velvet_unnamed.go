package foreign

import "sort"

// velvetSuspicion is how a program charges returns that name no purchase.
type velvetSuspicion struct {
	may  func(*velvetReturn, *velvetPurchase) bool         // nil: it may be of any
	cost func(*velvetReturn, *velvetPurchase, int64) int64 // the most that a part can have earned
}

// ofShop says whether a return names a shop and a purchase may have been made there.
func (r *velvetReturn) ofShop(p *velvetPurchase) bool {
	return r.merchant != "" && (p.merchant == r.merchant || p.merchant == "")
}

// unnamedCosts says for each unnamed return the most that its purchase can have earned.
// Nobody knows the purchase, so the dearest units are taken, of the named shop first,
// each unit once; all together cost no more than limit, which is what there is to take.
// It goes by what was bought and not by what is left, so that a named return of the same
// purchase cannot give anything back.
func (a *velvetAccount) unnamedCosts(s velvetSuspicion, limit int64) []int64 {
	costs := make([]int64, len(a.unnamed))
	if len(costs) == 0 {
		return costs
	}
	dearest := append([]*velvetPurchase(nil), a.purchases...)
	for _, p := range dearest {
		p.room = p.amount
		p.rank = s.cost(a.unnamed[0], p, velvetMillion)
	}
	sort.SliceStable(dearest, func(i, j int) bool { return dearest[i].rank > dearest[j].rank })
	for i, r := range a.unnamed {
		open, last := r.amount, r.at.Add(velvetLag)
		for _, anywhere := range []bool{false, true} {
			for _, p := range dearest {
				if open == 0 {
					break
				}
				if p.room == 0 || p.at.After(last) || !anywhere && !r.ofShop(p) ||
					s.may != nil && !s.may(r, p) {
					continue
				}
				part := min(open, p.room)
				open -= part
				p.room -= part
				costs[i] += s.cost(r, p, part)
			}
		}
		costs[i] = min(costs[i], limit)
		limit -= costs[i]
	}
	return costs
}

// unnamedIn is how much of some purchases unnamed returns can be of, at most: of a return
// that names a shop no more than was bought of them there, where that shop's purchases are
// enough for all returns that name it.
func (a *velvetAccount) unnamedIn(among func(*velvetPurchase) bool) int64 {
	if len(a.unnamed) == 0 {
		return 0
	}
	sold, claimed := map[string]int64{}, map[string]int64{}
	var some []*velvetPurchase
	var all, sum int64
	for _, p := range a.purchases {
		sold[p.merchant] += p.amount
		if among(p) {
			some = append(some, p)
			all += p.amount
		}
	}
	for _, r := range a.unnamed {
		claimed[r.merchant] += r.amount
	}
	for _, r := range a.unnamed {
		anywhere := sold[r.merchant] < claimed[r.merchant]
		last := r.at.Add(velvetLag)
		var here int64
		for _, p := range some {
			if (anywhere || r.merchant == "" || r.ofShop(p)) && !p.at.After(last) {
				here += p.amount
			}
		}
		sum += min(r.amount, here)
	}
	return min(sum, all)
}

// chargeUnnamed books what unnamed returns cost now and have not been charged yet, each
// under its name. What one turns out to cost less is given back the same way.
func (a *velvetAccount) chargeUnnamed(s velvetSuspicion, limit int64) {
	for i, cost := range a.unnamedCosts(s, limit) {
		r := a.unnamed[i]
		if change := r.booked - cost; change != 0 {
			r.booked = cost
			a.bookChange(change, "", r.id, "return without a purchase")
		}
	}
}
