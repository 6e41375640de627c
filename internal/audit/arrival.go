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
	Linked      arrivalDays   `json:"linked"`
	Matched     arrivalDays   `json:"matched"`
	Unrecovered map[int]int64 `json:"unrecovered"` // reward, by the whole days from the purchase
}

// arrivalDays has refunds by the whole days since their purchase, and their value by the days
// that had begun since the close of the purchase's cycle, zero for those before it.
type arrivalDays struct {
	Since      map[int]arrival `json:"since_purchase"`
	AfterClose map[int]int64   `json:"after_close"`
}

type arrival struct {
	Refunds int64 `json:"refunds"`
	Value   int64 `json:"value"`
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
	d := &s.Arrivals.Matched
	if c.Linked {
		d = &s.Arrivals.Linked
	}
	sum := d.Since[since]
	sum.Refunds++
	s.add(&sum.Value, c.Amount)
	d.Since[since] = sum
	s.addAt(d.AfterClose, late, c.Amount)
	if c.Unrecovered != 0 {
		s.addAt(s.Arrivals.Unrecovered, since, c.Unrecovered)
	}
}

// arrival is that of the refunds that name their purchase; where there are too few of them,
// that of those that were matched to one too. It has what waiting for so many per mille of
// their value takes.
func (s *sums) arrival() Arrival {
	var days arrivalDays
	merge(new(sums), &days, &s.Arrivals.Linked)
	a := days.inBuckets()
	if a.Refunds < leastCould {
		merge(new(sums), &days, &s.Arrivals.Matched)
		a = days.inBuckets()
	}
	for _, permille := range [...]int64{900, 950, 990} {
		if a.Value != 0 {
			a.Coverage = append(a.Coverage, s.coverage(permille, a.Value, &days))
		}
	}
	return a
}

// bucketStarts are the first days of the buckets in which arrival is shown.
var bucketStarts = [...]int{0, 1, 4, 8, 15, 31, 61, 91, 181, 366}

func (d *arrivalDays) inBuckets() (a Arrival) {
	for i, from := range bucketStarts {
		a.Buckets = append(a.Buckets, ArrivalBucket{From: from})
		if i > 0 {
			a.Buckets[i-1].To = from - 1
		}
	}
	for days, came := range d.Since {
		next, _ := slices.BinarySearch(bucketStarts[:], days+1)
		b := &a.Buckets[max(next-1, 0)]
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

func (s *sums) coverage(permille, total int64, came *arrivalDays) Coverage {
	values := map[int]int64{}
	for days, part := range came.Since {
		values[days] = part.Value
	}
	days, grace := quantile(values, total, permille), quantile(came.AfterClose, total, permille)
	c := Coverage{Permille: permille, Days: days, MaturityDays: days + 1, GraceDays: min(grace, mostGraceDays), GraceEnough: grace <= mostGraceDays}
	for since, amount := range s.Arrivals.Unrecovered {
		if since <= days {
			c.Saved += amount
		}
	}
	longer, all := new(big.Int), new(big.Int)
	for waited, amount := range s.Waits {
		all.Add(all, big.NewInt(amount))
		longer.Add(longer, times(amount, 100*int64(max(0, c.MaturityDays-waited))))
	}
	if all.Sign() > 0 {
		c.HonestWait = longer.Div(longer, all).Int64()
	}
	return c
}

// quantile returns the smallest key up to which the values add up to the share of the total.
func quantile(values map[int]int64, total, permille int64) int {
	sum := int64(0)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if sum += values[key]; atLeast(sum, 10*permille, total) {
			return key
		}
	}
	return 0
}
