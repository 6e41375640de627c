package security

import (
	"context"
	"fmt"

	"recoup/internal/store/record"
)

// ring is entries that have a bound, and a chain of hashes, of their own: where there are
// too many the oldest of them go, and no other's. Numbers are given across all rings.
type ring struct {
	entries record.Table[Entry] // by number
	name    string              // what the keys of its bounds begin with
	most    int64               // how many there are at most
}

// The rings. Whoever is refused as often as they like pushes out other refusals alone, and
// who has no key only those of others who have none.
var (
	kept      = ring{"security_log", "", MaxEntries}
	refusals  = ring{"security_log_refused", "refused ", MaxRefused}
	anonymous = ring{"security_log_anonymous", "anonymous ", MaxAnonymous}

	rings = [...]*ring{&kept, &refusals, &anonymous}
)

// ringOf is where an entry belongs.
func ringOf(e *Entry) *ring {
	switch {
	case !e.refusal():
		return &kept
	case e.Principal == "":
		return &anonymous
	}
	return &refusals
}

// bounds are where the rings begin and end.
const bounds record.Table[bound] = "security_log_bounds"

// bound is the entry that is before the first of a ring, or its last.
type bound struct {
	Number int64  `json:"number"`
	Hash   string `json:"hash"`
	// Count, of the last, is how many entries there are; 0: those of all numbers between
	// the bounds, as where there was one ring.
	Count int64 `json:"count,omitzero"`
}

func (g *ring) beforeFirst() string { return g.name + "first" }
func (g *ring) last() string        { return g.name + "last" }

// between reads the bounds of a ring. The end has its count.
func (g *ring) between(ctx context.Context, r record.Reader) (begin, end bound, err error) {
	if begin, _, err = bounds.Get(ctx, r, g.beforeFirst()); err != nil {
		return begin, end, err
	}
	if end, _, err = bounds.Get(ctx, r, g.last()); err == nil && end.Count == 0 {
		end.Count = end.Number - begin.Number
	}
	return begin, end, err
}

// next is the number that is given next.
func next(ctx context.Context, r record.Reader) (number int64, err error) {
	for _, g := range rings {
		end, _, err := bounds.Get(ctx, r, g.last())
		if err != nil {
			return 0, err
		}
		number = max(number, end.Number)
	}
	return number + 1, nil
}

// add appends an entry to a ring, and takes out the oldest if there are too many.
func (g *ring) add(ctx context.Context, tx record.Tx, e Entry) error {
	begin, end, err := g.between(ctx, tx)
	if err != nil {
		return err
	}
	if e.Number, err = next(ctx, tx); err != nil {
		return err
	}
	if e.Hash, err = e.over(end.Hash); err != nil {
		return err
	}
	if err := g.entries.Put(tx, record.Key(e.Number), &e); err != nil {
		return err
	}
	end = bound{e.Number, e.Hash, end.Count + 1}
	if end.Count > g.most {
		oldest, err := g.entries.List(ctx, tx, record.Span{}.After(record.Key(begin.Number)), 1)
		if err != nil {
			return err
		}
		if len(oldest) > 0 {
			g.entries.Delete(tx, record.Key(oldest[0].Number))
			end.Count--
			if err := bounds.Put(tx, g.beforeFirst(), &bound{Number: oldest[0].Number, Hash: oldest[0].Hash}); err != nil {
				return err
			}
		}
	}
	return bounds.Put(tx, g.last(), &end)
}

// check follows the hashes of a ring, and says what is wrong with them first.
func (g *ring) check(ctx context.Context, r record.Reader) (wrong string, err error) {
	before, end, err := g.between(ctx, r)
	if err != nil {
		return "", err
	}
	before.Count = 0
	err = g.entries.Each(ctx, r, record.Span{}, func(_ string, e *Entry) (bool, error) {
		hash, err := e.over(before.Hash)
		switch {
		case err != nil:
			return false, err
		case e.Number <= before.Number:
			wrong = fmt.Sprintf("expected an entry after %d, found %d", before.Number, e.Number)
		case hash != e.Hash:
			wrong = fmt.Sprintf("entry %d is not as it was written, or one before it was changed or taken out", e.Number)
		}
		before = bound{e.Number, e.Hash, before.Count + 1}
		return wrong == "", nil
	})
	if err == nil && wrong == "" && before != end {
		wrong = fmt.Sprintf("expected %d entries of which the last is %d, found %d up to %d", end.Count, end.Number, before.Count, before.Number)
	}
	return wrong, err
}
