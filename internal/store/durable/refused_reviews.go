package durable

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"recoup/internal/store/record"
	"recoup/reward"
)

// openRefused returns up to limit refused facts that a filter may let through, after a
// place in the review list.
func (s *Store) openRefused(ctx context.Context, f ReviewFilter, after ReviewPlace, limit int) (list []Refused, err error) {
	if f.Kind != 0 && !isRefusal(f.Kind) {
		return nil, nil
	}
	table, of := refusedOpen, []any(nil)
	span := record.Span{}
	if f.Account != "" {
		table, of = refusedOpenOf, []any{f.Account}
		span = record.Under(of...)
	}
	key := func(parts ...any) string { return record.Key(append(of, parts...)...) }
	switch {
	case after == (ReviewPlace{}):
	case after.Kind == RefusedFact:
		number, err := strconv.ParseInt(after.ID, 10, 64)
		if err != nil {
			return nil, nil
		}
		span = span.After(key(int64(after.Since), number))
	default:
		span.From = key(int64(after.Since) + 1)
	}
	if f.Before != 0 {
		span = span.Until(key(int64(f.Before)))
	}
	lanes := s.db.Records()
	if f.Account != "" {
		lanes = []record.Store{s.db.Lane(f.Account)}
	}
	for _, lane := range lanes {
		more, err := refusedIn(ctx, lane, table, span, limit)
		if err != nil {
			return nil, fmt.Errorf("reading refused facts: %w", err)
		}
		list = append(list, more...)
	}
	slices.SortFunc(list, func(a, b Refused) int { return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.Number, b.Number)) })
	return list[:min(len(list), limit)], nil
}

// refusedIn returns up to limit refused facts of a lane that a table has in a span.
func refusedIn(ctx context.Context, lane record.Store, table record.Table[int64], span record.Span, limit int) (list []Refused, err error) {
	err = lane.Read(ctx, func(r record.Reader) error {
		list = nil
		numbers, err := table.List(ctx, r, span, limit)
		if err != nil {
			return err
		}
		for _, number := range numbers {
			kept, there, err := refusedFacts.Get(ctx, r, record.Key(number))
			if err == nil && !there {
				err = fmt.Errorf("refused fact %d is on the review list, but not there: the database is damaged; restore it from a backup", number)
			}
			if err != nil {
				return err
			}
			fact, err := kept.fact()
			if err != nil {
				return err
			}
			list = append(list, fact)
		}
		return nil
	})
	return list, err
}

// isRefusal reports whether reviews of a kind are of refused facts.
func isRefusal(k reward.ReviewKind) bool {
	return k == reward.ForeignCurrency || k == reward.HasCardNumber
}

// reviewOfRefused returns the review of a refused fact, unless the same event has come
// and was taken since, or the filter leaves it out.
func (s *Store) reviewOfRefused(ctx context.Context, f ReviewFilter, r *Refused) (v ReviewView, is bool, err error) {
	if v = r.review(); v.Amount < f.MinAmount || f.Kind != 0 && f.Kind != v.Kind {
		return v, false, nil
	}
	_, logged, err := s.Logged(ctx, r.Event.Account, r.Event.Source, r.Event.ID)
	return v, !logged, err
}

// Reviews returns up to limit things that are open for review, after a place in
// their order, the oldest first, as far as the filter lets them through; next is
// the place to go on after, and more whether there may be more. It may return fewer,
// or none, although there is more. Refunds that were placed with certainty are listed
// only if their kind is asked for.
func (s *Store) Reviews(ctx context.Context, f ReviewFilter, after ReviewPlace, limit int) (list []ReviewView, next ReviewPlace, more bool, err error) {
	refused, err := s.openRefused(ctx, f, after, limit+1)
	if err != nil {
		return nil, after, false, err
	}
	next = after
	cut := len(refused) > limit // there may be more of them
	for {
		if len(list) >= limit {
			return list, next, true, nil
		}
		until := f
		if len(refused) > 0 {
			until.Before = refused[0].Since
		}
		if !isRefusal(f.Kind) {
			var part []ReviewView
			part, next, more, err = s.accountReviews(ctx, until, next, limit-len(list))
			if list = append(list, part...); err != nil || more || len(refused) == 0 {
				return list, next, more, err
			}
		}
		if len(refused) == 0 {
			return list, next, false, nil
		}
		if len(list) >= limit {
			return list, next, true, nil
		}
		v, is, err := s.reviewOfRefused(ctx, f, &refused[0])
		if err != nil {
			return list, next, false, err
		}
		if is {
			list = append(list, v)
		}
		next, refused = refused[0].place(), refused[1:]
		if cut && len(refused) == 0 {
			return list, next, true, nil
		}
	}
}
