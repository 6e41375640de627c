package audit

import (
	"maps"
	"math/big"
	"slices"

	"recoup/internal/audit/judge"
	"recoup/reward"
)

// arrivals are when refunds come: those that name their purchase, and those that were
// matched to one.
type arrivals struct {
	Linked  arrivalDays `json:"linked"`
	Matched arrivalDays `json:"matched"`
	// Unrecovered is the reward that refunds did not bring back, by the whole days
	// from their purchase.
	Unrecovered map[int]int64 `json:"unrecovered"`
}

type arrivalDays struct {
	// Since holds refunds by the whole days since their purchase, AfterClose their
	// value by the days that had begun since the close of the purchase's cycle, zero
	// for those before it.
	Since      map[int]arrival `json:"since_purchase"`
	AfterClose map[int]int64   `json:"after_close"`
}

type arrival struct {
	Refunds int64 `json:"refunds"`
	Value   int64 `json:"value"`
}

func newArrivals() arrivals {
	days := func() arrivalDays { return arrivalDays{map[int]arrival{}, map[int]int64{}} }
	return arrivals{days(), days(), map[int]int64{}}
}

// addArrival counts when a refund came, if its purchase is known. One that came
// before its purchase came on day zero.
func (s *sums) addArrival(c *judge.RefundCase) {
	if c.Purchase == "" {
		return
	}
	since, late := int(max(c.RefundedAt-c.PurchasedAt, 0)/reward.Day), 0
	if closed := reward.CycleAt(c.PurchasedAt).End(); c.RefundedAt >= closed {
		late = int((c.RefundedAt-closed)/reward.Day) + 1
	}
	if c.Unrecovered != 0 {
		s.addAt(s.Arrivals.Unrecovered, since, c.Unrecovered)
	}
	d := &s.Arrivals.Matched
	if c.Linked {
		d = &s.Arrivals.Linked
	}
	sum := d.Since[since]
	sum.Refunds++
	s.add(&sum.Value, c.Amount)
	d.Since[since] = sum
	s.addAt(d.AfterClose, late, c.Amount)
}

// arrival works out the arrival of refunds. It is that of the refunds that name
// their purchase; where there are too few of them, that of those that were
// matched to one too.
func (s *sums) arrival() Arrival {
	days := s.Arrivals.Linked
	a := days.inBuckets()
	if a.Refunds < leastCould {
		days = arrivalDays{}
		merge(new(sums), &days, &s.Arrivals.Linked)
		merge(new(sums), &days, &s.Arrivals.Matched)
		a = days.inBuckets()
	}
	for _, permille := range coverages {
		if a.Value != 0 {
			a.Coverage = append(a.Coverage, s.coverage(permille, a.Value, &days))
		}
	}
	return a
}

// bucketStarts are the first days of the buckets in which arrival is shown, and coverages
// the shares of the refunded value, in per mille, that waits are worked out for.
var (
	bucketStarts = [...]int{0, 1, 4, 8, 15, 31, 61, 91, 181, 366}
	coverages    = [...]int64{900, 950, 990}
)

func (d *arrivalDays) inBuckets() (a Arrival) {
	for i, from := range bucketStarts {
		a.Buckets = append(a.Buckets, ArrivalBucket{From: from})
		if i > 0 {
			a.Buckets[i-1].To = from - 1
		}
	}
	for days, came := range d.Since {
		i, _ := slices.BinarySearch(bucketStarts[:], days+1) // the first that begins later
		b := &a.Buckets[max(i-1, 0)]
		b.Refunds += came.Refunds
		b.Value += came.Value
		a.Refunds += came.Refunds
		a.Value += came.Value
	}
	return a
}

// mostGraceDays is the longest grace period that a program may have (docs/semantics.md,
// section 7): the next close is 28 days after one at the earliest.
const mostGraceDays = 27

// coverage works out what it takes to have seen a share of the refunded value
// before the reward can be redeemed.
//
//   - Days is the smallest d such that refunds of at most d whole days after their
//     purchase have at least that share of all refunded value.
//   - MaturityDays is d + 1, the first full day at which all of them have come.
//   - GraceDays is the same from the close of the purchase's cycle on: the smallest
//     g such that refunds that came before that close plus g days have that share.
//   - Saved is Σ unrecovered reward of refunds of at most d days.
//   - HonestWait is ⌊100 · Σ amount · max(0, MaturityDays − days) / Σ amount⌋ over the
//     rewards of kept purchases, redeemed so many days after the purchase.
func (s *sums) coverage(permille, total int64, came *arrivalDays) Coverage {
	values := make(map[int]int64, len(came.Since))
	for days, part := range came.Since {
		values[days] = part.Value
	}
	c := Coverage{Permille: permille, Days: quantile(values, total, permille)}
	c.MaturityDays = c.Days + 1
	grace := quantile(came.AfterClose, total, permille)
	c.GraceDays, c.GraceEnough = min(grace, mostGraceDays), grace <= mostGraceDays
	for days, amount := range s.Arrivals.Unrecovered {
		if days <= c.Days {
			c.Saved += amount
		}
	}
	longer, amounts := new(big.Int), new(big.Int)
	for days, amount := range s.Waits {
		amounts.Add(amounts, big.NewInt(amount))
		longer.Add(longer, times(amount, 100*int64(max(0, c.MaturityDays-days))))
	}
	if amounts.Sign() > 0 {
		c.HonestWait = longer.Div(longer, amounts).Int64()
	}
	return c
}

// quantile returns the smallest key up to which the values add up to the share of
// the total.
func quantile(values map[int]int64, total, permille int64) int {
	enough := times(total, permille)
	sum := int64(0)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		sum += values[key]
		if times(sum, 1000).Cmp(enough) >= 0 {
			return key
		}
	}
	return 0
}
