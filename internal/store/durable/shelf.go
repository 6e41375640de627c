package durable

import (
	"context"
	"errors"
	"fmt"

	"recoup/internal/store"
	"recoup/reward"
)

// finder reads further parts of accounts: a transaction, or a snapshot.
type finder interface {
	Find(ctx context.Context, q Query) ([]Part, error)
}

// shelf is where an account that is at hand finds the rest of itself: among what
// was read for the whole batch, or else in the database. It belongs to the
// account and is bound to one unit of work after the other.
type shelf struct {
	account string
	ctx     context.Context
	from    finder
	read    map[PartKey][]byte // what was asked for; nil: there is no such part
}

var _ reward.Shelf = (*shelf)(nil)

// bind has the shelf read from a transaction or snapshot from now on.
func (s *shelf) bind(ctx context.Context, from finder, read map[PartKey][]byte) {
	s.ctx, s.from, s.read = ctx, from, read
}

// release lets go of a unit of work that has ended.
func (s *shelf) release() { s.ctx, s.from, s.read = nil, nil, nil }

func (s *shelf) Find(kind reward.PartKind, id string) []byte {
	if data, asked := s.read[PartKey{s.account, kind, id}]; asked {
		return data
	}
	if id == "" {
		return nil
	}
	for _, p := range s.find(Query{Kind: kind, IDs: []string{id}}) {
		return p.Data
	}
	return nil
}

func (s *shelf) Ranking(bucket int64) []reward.Part {
	return s.find(Query{Kind: reward.TransactionPart, Bucket: bucket})
}

func (s *shelf) Settled(from, to reward.Instant) []reward.Part {
	return s.find(Query{Kind: reward.TransactionPart, Settled: true, From: from, To: to})
}

func (s *shelf) All() []reward.Part {
	const page = 1000
	var all []reward.Part
	for kind := reward.TransactionPart; kind <= reward.LastPart; kind++ {
		q := Query{Kind: kind, Page: true, Limit: page}
		for {
			list := s.find(q)
			for _, p := range list {
				s.read[PartKey{s.account, kind, p.ID}] = p.Data // for Find
			}
			all = append(all, list...)
			if len(list) < page {
				break
			}
			q.After = list[len(list)-1].ID
		}
	}
	return all
}

func (s *shelf) find(q Query) []reward.Part {
	q.Account = s.account
	parts, err := s.from.Find(s.ctx, q)
	if err != nil {
		panic(unreadable{fmt.Errorf("reading account %s: %w", s.account, err)})
	}
	list := make([]reward.Part, len(parts))
	for i := range parts {
		list[i] = parts[i].Part
	}
	return list
}

// nowhere is where an account that is not in the database finds its parts. If it
// is made by somebody else meanwhile, writing it is a conflict.
type nowhere struct{}

func (nowhere) Find(context.Context, Query) ([]Part, error) { return nil, nil }

// unreadable is what a shelf panics with; see reward.Shelf.
type unreadable struct{ error }

// recoverUnreadable turns what a shelf or damaged data made panic into an error, and has
// an error about the data of one account say that it reaches no further.
func recoverUnreadable(err *error) {
	defer func() {
		if damage := (*reward.CorruptError)(nil); errors.As(*err, &damage) && store.ReachOf(*err) == store.Unknown {
			*err = &store.Failure{Reach: store.OneAccount, Account: damage.Account, Err: *err}
		}
	}()
	switch p := recover().(type) {
	case nil:
	case unreadable:
		*err = p.error
	case *reward.CorruptError:
		*err = p
	default:
		panic(p)
	}
}
