package overview

import (
	"context"
	"slices"
	"time"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// How many open reviews are counted at most, the oldest first, and how many at a
// time. Each costs reading its account, so where there are more than some, they
// are counted less often than the rest is read.
const (
	mostReviews  = 100_000
	reviewPage   = 500
	fewReviews   = 10_000
	reviewsEvery = 5 * time.Minute
)

// Reviews counts what is open for review.
type Reviews struct {
	AsOf  time.Time
	Kinds []ReviewKind // every kind, in order
	Open  int64
	// Cut: there are more. What was counted are the oldest.
	Cut bool
}

// ReviewKind counts what is open for one reason.
type ReviewKind struct {
	Kind   reward.ReviewKind
	Open   int64
	Oldest reward.Instant // since when the oldest is open; zero where none is
}

// Of returns the count of a kind.
func (r *Reviews) Of(kind reward.ReviewKind) ReviewKind {
	for _, k := range r.Kinds {
		if k.Kind == kind {
			return k
		}
	}
	return ReviewKind{Kind: kind}
}

// reviewCounter remembers the count, which no time but only events can change.
type reviewCounter struct {
	last   Reviews
	events int64 // that were logged when it was made
}

// read counts what is open for review, unless that would give the same or there
// is much of it and it was done a moment ago.
func (c *reviewCounter) read(ctx context.Context, s Store, f *Figures) (Reviews, error) {
	counted := !c.last.AsOf.IsZero()
	if counted && c.last.Open > fewReviews && fresh(c.last.AsOf, f.AsOf, reviewsEvery) {
		return c.last, nil
	}
	if !counted || c.events != f.Events {
		r, err := countReviews(ctx, s)
		if err != nil {
			return r, err
		}
		c.last, c.events = r, f.Events
	}
	c.last.AsOf = f.AsOf
	return c.last, nil
}

// fresh reports whether what was read then need not be read again yet.
func fresh(then, now time.Time, keeps time.Duration) bool {
	return !now.Before(then) && now.Before(then.Add(keeps))
}

func countReviews(ctx context.Context, s Store) (r Reviews, err error) {
	for kind := reward.WaitsForTransaction; kind <= reward.LastReview; kind++ {
		r.Kinds = append(r.Kinds, ReviewKind{Kind: kind})
	}
	var place durable.ReviewPlace
	for r.Cut = true; r.Cut && r.Open < mostReviews; {
		var list []durable.ReviewView
		if list, place, r.Cut, err = s.Reviews(ctx, durable.ReviewFilter{}, place, reviewPage); err != nil {
			return r, err
		}
		for i := range list {
			k := &r.Kinds[list[i].Kind-reward.WaitsForTransaction]
			k.Open++
			if k.Oldest == 0 || list[i].Since < k.Oldest {
				k.Oldest = list[i].Since
			}
		}
		r.Open += int64(len(list))
	}
	// What was matched with certainty is listed apart: nobody has to look at it.
	r.Kinds = slices.DeleteFunc(r.Kinds, func(k ReviewKind) bool { return k.Kind == reward.CertainWithoutLink })
	return r, nil
}
