package audit

import (
	"maps"
	"math/big"
	"slices"

	"recoup/internal/audit/judge"
	"recoup/reward"
)

// arrivals are when refunds come: counts and values by the days from the
// purchase, of refunds that name their purchase and of those that were matched.
type arrivals struct {
	Linked  arrivalDays `json:"linked"`
	Matched arrivalDays `json:"matched"`
	// Unrecovered is the reward that refunds did not bring back, by those days.
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
	s.mergeArrivalDays(d, &arrivalDays{map[int]arrival{since: {1, c.Amount}}, map[int]int64{late: c.Amount}})
}

// addAt adds to one of several sums.
func (s *sums) addAt(to map[int]int64, days int, amount int64) {
	sum := to[days]
	s.add(&sum, amount)
	to[days] = sum
}

func (s *sums) mergeArrivals(o *arrivals) {
	s.mergeArrivalDays(&s.Arrivals.Linked, &o.Linked)
	s.mergeArrivalDays(&s.Arrivals.Matched, &o.Matched)
	for days, amount := range o.Unrecovered {
		s.addAt(s.Arrivals.Unrecovered, days, amount)
	}
}

func (s *sums) mergeArrivalDays(d, o *arrivalDays) {
	for days, part := range o.Since {
		sum := d.Since[days]
		sum.Refunds += part.Refunds
		s.add(&sum.Value, part.Value)
		d.Since[days] = sum
	}
	for days, value := range o.AfterClose {
		s.addAt(d.AfterClose, days, value)
	}
}

// bucketStarts are the first days of the buckets in which arrival is shown.
var bucketStarts = [...]int{0, 1, 4, 8, 15, 31, 61, 91, 181, 366}

// coverages are the shares of the refunded value, in per mille, that waits are
// worked out for.
var coverages = [...]int64{900, 950, 990}

// mostGraceDays is the longest grace period that a program may have (docs/semantics.md,
// section 7): the next close is 28 days after one at the earliest.
const mostGraceDays = 27

// arrival works out the arrival of refunds. It is that of the refunds that name
// their purchase; where there are too few of them, that of those that were
// matched to one too.
func (s *sums) arrival() Arrival {
	all := newSums()
	days := &all.Arrivals.Linked
	all.mergeArrivalDays(days, &s.Arrivals.Linked)
	total, values := totalOf(days.Since)
	if total.Refunds < leastCould {
		all.mergeArrivalDays(days, &s.Arrivals.Matched)
		total, values = totalOf(days.Since)
	}
	a := Arrival{Buckets: buckets(days.Since), Refunds: total.Refunds, Value: total.Value}
	for _, permille := range coverages {
		if total.Value != 0 {
			a.Coverage = append(a.Coverage, s.coverage(permille, total.Value, values, days.AfterClose))
		}
	}
	return a
}

// totalOf adds refunds up, and returns their values by days besides.
func totalOf(since map[int]arrival) (total arrival, values map[int]int64) {
	values = make(map[int]int64, len(since))
	for days, part := range since {
		total.Refunds += part.Refunds
		total.Value += part.Value
		values[days] = part.Value
	}
	return total, values
}

func buckets(since map[int]arrival) []ArrivalBucket {
	list := make([]ArrivalBucket, len(bucketStarts))
	for i, from := range bucketStarts {
		list[i] = ArrivalBucket{From: from}
		if i+1 < len(bucketStarts) {
			list[i].To = bucketStarts[i+1] - 1
		}
	}
	for days, part := range since {
		i, exact := slices.BinarySearch(bucketStarts[:], days)
		if !exact {
			i--
		}
		list[i].Refunds += part.Refunds
		list[i].Value += part.Value
	}
	return list
}

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
func (s *sums) coverage(permille, total int64, since, afterClose map[int]int64) Coverage {
	c := Coverage{Permille: permille, Days: quantile(since, total, permille)}
	c.MaturityDays = c.Days + 1
	grace := quantile(afterClose, total, permille)
	c.GraceDays, c.GraceEnough = min(grace, mostGraceDays), grace <= mostGraceDays
	for days, amount := range s.Arrivals.Unrecovered {
		if days <= c.Days {
			c.Saved += amount
		}
	}
	c.HonestWait = meanWait(s.Waits, c.MaturityDays)
	return c
}

// quantile returns the smallest key up to which the values add up to the share of
// the total.
func quantile(values map[int]int64, total, permille int64) int {
	enough := times(total, permille)
	sum := int64(0)
	keys := slices.Sorted(maps.Keys(values))
	for _, key := range keys {
		sum += values[key]
		if times(sum, 1000).Cmp(enough) >= 0 {
			return key
		}
	}
	return 0
}

// meanWait is how much longer rewards would have waited on the average, in
// hundredths of a day, rounded down.
func meanWait(waits map[int]int64, maturity int) int64 {
	longer, amounts := new(big.Int), new(big.Int)
	for days, amount := range waits {
		amounts.Add(amounts, big.NewInt(amount))
		if more := maturity - days; more > 0 {
			longer.Add(longer, times(amount, int64(more)*100))
		}
	}
	if amounts.Sign() <= 0 {
		return 0
	}
	return longer.Div(longer, amounts).Int64()
}
