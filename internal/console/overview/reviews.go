package overview

import (
	"context"
	"slices"
	"time"

	"recoup/internal/console/weigh"
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

// How many of them are listed besides, and how many stakes are worked out at a reading:
// each costs a few trials.
const (
	mostListed = 50_000
	mostStakes = 2_000
)

// Reviews counts what is open for review.
type Reviews struct {
	AsOf  time.Time
	Kinds []ReviewKind // every kind, in order
	Open  int64
	// Cut: there are more. What was counted are the oldest.
	Cut bool
	// List is what is open, the oldest first: what was counted, and what was matched with
	// certainty. Listed says whether it has all of that.
	List   []OpenReview
	Listed bool
}

// OpenReview is something that is open, and what is at stake.
type OpenReview struct {
	durable.ReviewView
	Stake  int64 // see weigh.Stake; in minor units of Unit
	Unit   string
	Staked bool // Stake is known
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
		r.stakesOf(c.last.List)
		c.last, c.events = r, f.Events
	}
	if err := c.stake(ctx, s, reward.At(f.AsOf)); err != nil {
		return c.last, err
	}
	c.last.AsOf = f.AsOf
	return c.last, nil
}

// openKey is one open review at one state of its account.
type openKey struct {
	part    durable.PartKey
	kind    reward.ReviewKind
	version int64
}

func (o *OpenReview) key() openKey { return openKey{o.Part, o.Kind, o.Version} }

// stakesOf takes over the stakes of an earlier list, of accounts to which nothing has
// happened since.
func (r *Reviews) stakesOf(earlier []OpenReview) {
	known := make(map[openKey]*OpenReview, len(earlier))
	for i := range earlier {
		if earlier[i].Staked {
			known[earlier[i].key()] = &earlier[i]
		}
	}
	for i := range r.List {
		o := &r.List[i]
		if was := known[o.key()]; was != nil {
			o.Stake, o.Unit, o.Staked = was.Stake, was.Unit, true
		}
	}
}

// stake works out what is at stake where it is not known, of so many at a time: in a new
// list, for the last one is being read.
func (c *reviewCounter) stake(ctx context.Context, s Store, at reward.Instant) error {
	missing := slices.IndexFunc(c.last.List, func(o OpenReview) bool { return !o.Staked })
	if missing < 0 {
		return nil
	}
	list := slices.Clone(c.last.List)
	for n := 0; missing < len(list) && n < mostStakes; missing++ {
		o := &list[missing]
		if o.Staked {
			continue
		}
		n++
		var err error
		if o.Stake, o.Unit, err = weigh.Stake(ctx, s, &o.ReviewView, at); err != nil {
			return err
		}
		o.Staked = true
	}
	c.last.List = list
	return nil
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
	read := 0
	for r.Cut = true; r.Cut && r.Open < mostReviews && read < 2*mostReviews; {
		var list []durable.ReviewView
		if list, place, r.Cut, err = s.Reviews(ctx, durable.ReviewFilter{Certain: true}, place, reviewPage); err != nil {
			return r, err
		}
		read += len(list)
		for i := range list {
			k := &r.Kinds[list[i].Kind-reward.WaitsForTransaction]
			k.Open++
			if k.Oldest == 0 || list[i].Since < k.Oldest {
				k.Oldest = list[i].Since
			}
			// What was matched with certainty is listed apart: nobody has to look at it.
			if list[i].Kind != reward.CertainWithoutLink {
				r.Open++
			}
			if len(r.List) < mostListed {
				r.List = append(r.List, OpenReview{ReviewView: list[i]})
			}
		}
	}
	r.Listed = !r.Cut && len(r.List) == read
	r.Kinds = slices.DeleteFunc(r.Kinds, func(k ReviewKind) bool { return k.Kind == reward.CertainWithoutLink })
	return r, nil
}
