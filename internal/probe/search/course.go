package search

import (
	"fmt"
	"slices"

	"recoup/internal/scenario"
)

// course is a sequence of moves in terms of what they are in relation to each
// other, so that it can be changed and still makes sense: a refund of half stays
// one when its purchase gets another price. Waits for statements are not among
// the moves.
type course struct {
	start int // months after the first that there is
	moves []move
}

// move is one move. Two of the same kind and fact are a fact that is delivered
// twice.
type move struct {
	kind scenario.Kind // Settle, Refund, Chargeback or Redeem
	fact int           // numbers facts of the kind
	gap  gap

	// Of a purchase:
	amount int64 // minor units
	place  int   // index
	shop   int   // 0 or 1

	// Of a refund or chargeback:
	of       int // the fact that is the purchase
	share    share
	unlinked bool // a refund that does not say of what
	silent   bool // and neither where

	ask ask // of a redemption
}

// gap is how long a move comes after the one before. The zero gap is soon, in the
// same month.
type gap struct {
	months int // to the fifth of so many months later
	last   bool
	days   int
}

// share is how much of a purchase a reversal is of: a fraction, or what earlier
// ones left of it.
type share struct{ of, parts int64 }

var (
	whole = share{1, 1}
	rest  = share{}
)

// ask is how much a redemption asks for.
type ask struct {
	what   asked
	amount int64 // if exactly
}

type asked uint8

const (
	askAll     asked = iota // of what purchases have earned, returned or not
	askKept                 // of what those have earned that were not returned
	askHalf                 // of all
	askUnit                 // the smallest amount there is
	askMinus                // a negative amount
	askExactly              // as much as it says
)

func (c *course) key() string { return fmt.Sprint(*c) }

func (c *course) clone() *course { return &course{c.start, slices.Clone(c.moves)} }

// purchase returns the purchase of that number, nil if there is none.
func (c *course) purchase(fact int) *move {
	for i := range c.moves {
		if m := &c.moves[i]; m.kind == scenario.Settle && m.fact == fact {
			return m
		}
	}
	return nil
}

// without is the course without some moves, and without reversals of purchases
// that are not there any more. What came after a wait comes after it still.
func (c *course) without(drop ...int) *course {
	d := &course{start: c.start}
	var waited gap
	for i := range c.moves {
		m := c.moves[i]
		orphan := m.reverses() && !c.keepsPurchase(m.of, drop)
		if slices.Contains(drop, i) || orphan {
			waited = waited.and(m.gap)
			continue
		}
		m.gap = waited.and(m.gap)
		waited = gap{}
		d.moves = append(d.moves, m)
	}
	if len(d.moves) > 0 {
		d.moves[0].gap = gap{}
	}
	return d
}

func (c *course) keepsPurchase(fact int, dropped []int) bool {
	for i := range c.moves {
		if m := &c.moves[i]; m.kind == scenario.Settle && m.fact == fact && !slices.Contains(dropped, i) {
			return true
		}
	}
	return false
}

func (m *move) reverses() bool { return m.kind == scenario.Refund || m.kind == scenario.Chargeback }

// and is one gap after another, about.
func (g gap) and(next gap) gap {
	switch {
	case next.months > 0 || g.months > 0:
		return gap{months: g.months + next.months, last: next.last, days: next.days}
	case next.last || g.last:
		return gap{last: true}
	}
	return gap{days: g.days + next.days}
}

// each changes all deliveries of the fact that a move is of.
func (c *course) each(i int, change func(*move)) *course {
	d := c.clone()
	for k := range d.moves {
		if d.moves[k].kind == c.moves[i].kind && d.moves[k].fact == c.moves[i].fact {
			change(&d.moves[k])
		}
	}
	return d
}
