package foreign

import (
	"sort"
	"time"
)

// parkEnds is the first instant after the given one at which a refund stops waiting.
func (a *opalAccount) parkEnds(after time.Time) (end time.Time) {
	for _, b := range a.backs {
		if b.buy == nil && b.transaction != "" {
			end = opalFirst(end, b.seen.Add(opalPark), after)
		}
	}
	return end
}

// loose are the refunds that belong to no purchase, by their time.
func (a *opalAccount) loose(now time.Time) (out []*opalBack) {
	for _, b := range a.backs {
		if b.buy == nil && (b.transaction == "" || !now.Before(b.seen.Add(opalPark))) {
			out = append(out, b)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].at.Before(out[j].at) })
	return out
}

// deduct is what loose refunds cost. Nobody knows what they are of, so each costs the most
// that it can be of: its amount at the best rate that a purchase left at its merchant
// has, at the program's best if these do not suffice; but all together no more than what
// was earned until then. earned is by purchase, cost says what an amount earns at most at
// a rate.
func (a *opalAccount) deduct(now time.Time, earned []int64, rate func(*opalBuy) int64, top int64, cost func(amount, rate int64) int64) int64 {
	var sum int64
	claimed, loose := map[string]int64{}, a.loose(now)
	if len(loose) == 0 {
		return 0
	}
	rates := make([]int64, len(a.buys))
	for i, b := range a.buys {
		rates[i] = rate(b)
	}
	for _, r := range loose {
		best, left, until := int64(0), int64(0), int64(0)
		cut := r.at.Add(opalAhead)
		for i, b := range a.buys {
			if b.at.After(cut) {
				continue
			}
			until += earned[i]
			if b.merchant == r.merchant && b.net() > 0 {
				left += b.net()
				best = max(best, rates[i])
			}
		}
		claimed[r.merchant] += r.amount
		if r.merchant == "" || left < claimed[r.merchant] {
			best = top
		}
		sum = max(sum, min(sum+cost(r.amount, best), until))
	}
	return sum
}

// level books the change of what loose refunds cost.
func (a *opalAccount) level(at time.Time, taken *int64, want int64, note string) {
	switch {
	case want > *taken:
		a.post(Posting{At: at, Kind: Reversed, Amount: *taken - want, Note: note})
	case want < *taken:
		a.post(Posting{At: at, Kind: Adjusted, Amount: *taken - want, Note: note})
	}
	*taken = want
}
