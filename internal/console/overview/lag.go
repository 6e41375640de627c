package overview

import (
	"maps"
	"math/bits"
	"slices"
	"time"

	"recoup/internal/console/risk"
	"recoup/reward"
)

// RefundLag is how long the refunds of one program took, from the settlement of
// the purchase that they are linked to. Both are event times. Days are whole days
// that had passed, zero for a refund before its purchase. Amounts are minor units
// of the currency, and a refund's value is all of its amount.
type RefundLag struct {
	Program, Currency string
	// Version is in force, and has these periods.
	Version                 int32
	GraceDays, MaturityDays int
	// Linked are the refunds that the rest is about: linked to a purchase that
	// settled. Waiting are linked to one that did not yet, Unlinked to none.
	Linked, Waiting, Unlinked Sum
	// Grace sums up the refunds that came before the close of the purchase's cycle
	// or within GraceDays of it, Maturity those that came within MaturityDays of
	// the purchase.
	Grace, Maturity Share
	// Coverage is what it takes to have seen 90, 95 and 99 % of the refunded value.
	Coverage []Coverage
	// Curve adds up the refunds that came within so many days, for each number of
	// days that one took, rising.
	Curve   []LagPoint
	Buckets []LagBucket
}

// Sum is a number of refunds and their value.
type Sum struct{ Refunds, Value int64 }

// Share is a part of the linked refunds.
type Share struct {
	Sum
	Permille int64 // of the refunded value, rounded down
	Enough   bool  // it is 99 % of the refunded value, or more
}

// Coverage is the waits within which a share of the refunded value came.
type Coverage struct {
	Permille int64 // of the refunded value
	// Days is the smallest number of days within which that share came, and
	// MaturityDays, which is one more, the maturity that covers it.
	Days, MaturityDays int
	// GraceDays is the grace after the close of the purchase's cycle that covers
	// it. GraceEnough is false where that is more than a program may have.
	GraceDays   int
	GraceEnough bool
}

// LagPoint adds up the refunds that took at most so many days.
type LagPoint struct {
	Days int
	Sum
}

// LagBucket has the refunds that took from so many to so many days.
type LagBucket struct {
	From, To int // both included; To is zero for the last, without an end
	Sum
	// Latest are the latest of them, at most MostSamples.
	Latest []RefundSample
}

// MostSamples is how many refunds behind a bucket are named.
const MostSamples = 20

// RefundSample is one refund behind a number.
type RefundSample struct {
	Account, Transaction, Refund string
	At                           time.Time
	Days                         int
	Amount                       int64
}

// lagBuckets are the first days of the buckets, as `recoup audit` has them.
var lagBuckets = [...]int{0, 1, 4, 8, 15, 31, 61, 91, 181, 366}

// coverages are the shares of the refunded value, in per mille, that waits are
// worked out for.
var coverages = [...]int64{900, 950, 990}

// mostGraceDays is the longest grace that a program may have.
const mostGraceDays = 27

// lags works out the lag of the refunds, the latest first, by program.
func (r *refundReader) lags(list []refund, programs []Program) []RefundLag {
	lags := make([]RefundLag, len(programs))
	at := make(map[string]*lagSums, len(programs))
	for i := range programs {
		p := programs[i].InForce.Terms
		lags[i] = RefundLag{
			Program: p.ID, Currency: p.Currency, Version: p.Version, GraceDays: p.Redemption.GraceDays, MaturityDays: p.MaturityDays,
			Buckets: make([]LagBucket, len(lagBuckets)),
		}
		for b, from := range lagBuckets {
			lags[i].Buckets[b].From = from
			if b+1 < len(lagBuckets) {
				lags[i].Buckets[b].To = lagBuckets[b+1] - 1
			}
		}
		at[p.ID] = &lagSums{&lags[i], p, make(map[int]Sum), make(map[int]Sum)}
	}
	for i := range list {
		x := &list[i]
		o := r.owners[x.account]
		sums := at[o.program]
		switch {
		case sums == nil: // of a program that came after all programs were listed
		case x.transaction == "":
			sums.Unlinked.add(x.amount)
		case o.settled[x.transaction] == 0:
			sums.Waiting.add(x.amount)
		default:
			sums.add(x, o.settled[x.transaction])
		}
	}
	for _, sums := range at {
		sums.finish()
	}
	return lags
}

// sameTerms reports whether lags are against what is in force.
func sameTerms(lags []RefundLag, programs []Program) bool {
	return slices.EqualFunc(lags, programs, func(l RefundLag, p Program) bool {
		return l.Program == p.ID && l.Version == p.InForce.Terms.Version
	})
}

// lagSums adds up refunds by days.
type lagSums struct {
	*RefundLag
	terms *reward.Program // by whose zone and statement day cycles close
	since map[int]Sum     // whole days since the purchase
	late  map[int]Sum     // days begun since the close of its cycle; zero: before it
}

func (s *Sum) add(amount int64) {
	s.Refunds++
	risk.Increase(&s.Value, amount)
}

func (s *Sum) plus(o Sum) {
	s.Refunds += o.Refunds
	risk.Increase(&s.Value, o.Value)
}

func addTo(sums map[int]Sum, days int, amount int64) {
	sum := sums[days]
	sum.add(amount)
	sums[days] = sum
}

func (l *lagSums) add(x *refund, settled reward.Instant) {
	days, late := int(max(0, x.at-settled)/reward.Day), 0
	if closed := l.terms.CycleEnd(l.terms.CycleAt(settled)); x.at >= closed {
		late = int((x.at-closed)/reward.Day) + 1
	}
	addTo(l.since, days, x.amount)
	addTo(l.late, late, x.amount)
	l.Linked.add(x.amount)
	b := len(l.Buckets) - 1
	for l.Buckets[b].From > days {
		b--
	}
	bucket := &l.Buckets[b]
	bucket.add(x.amount)
	if len(bucket.Latest) < MostSamples {
		bucket.Latest = append(bucket.Latest, RefundSample{x.account, x.transaction, x.id, x.at.Time(), days, x.amount})
	}
}

// finish works out what follows from the sums.
func (l *lagSums) finish() {
	l.Grace = l.share(l.late, l.GraceDays)
	l.Maturity = l.share(l.since, l.MaturityDays-1)
	var sum Sum
	for _, days := range slices.Sorted(maps.Keys(l.since)) {
		sum.plus(l.since[days])
		l.Curve = append(l.Curve, LagPoint{days, sum})
	}
	if l.Linked.Value == 0 {
		return
	}
	for _, permille := range coverages {
		days, grace := l.within(l.since, permille), l.within(l.late, permille)
		l.Coverage = append(l.Coverage, Coverage{permille, days, days + 1, min(grace, mostGraceDays), grace <= mostGraceDays})
	}
}

// share adds up what came within so many days.
func (l *lagSums) share(sums map[int]Sum, days int) (s Share) {
	for d, sum := range sums {
		if d <= days {
			s.plus(sum)
		}
	}
	if l.Linked.Value > 0 {
		hi, lo := bits.Mul64(uint64(s.Value), 1000)
		permille, _ := bits.Div64(hi, lo, uint64(l.Linked.Value))
		s.Permille = int64(permille)
		s.Enough = reaches(s.Value, l.Linked.Value, 990)
	}
	return s
}

// within returns the smallest number of days within which a share of the value
// came.
func (l *lagSums) within(sums map[int]Sum, permille int64) int {
	var sum Sum
	for _, days := range slices.Sorted(maps.Keys(sums)) {
		if sum.plus(sums[days]); reaches(sum.Value, l.Linked.Value, permille) {
			return days
		}
	}
	return 0
}

// reaches reports whether part is at least so many per mille of the whole.
func reaches(part, whole, permille int64) bool {
	a, b := bits.Mul64(uint64(part), 1000)
	c, d := bits.Mul64(uint64(whole), uint64(permille))
	return a > c || a == c && b >= d
}
