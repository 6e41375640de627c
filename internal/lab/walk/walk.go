// Package walk goes through sequences of a customer's moves at an issuer, in search of
// the ones that show something best in the fewest moves. A Walk goes through all there
// are, where the issuer can be copied at every place; a Descent goes from one sequence
// down to a shortest, where it can only be played. Neither looks at the same twice.
//
// What the moves are, and what they come to, is the business of who walks: the lab's
// search for attacks (section 3.4 of the paper: documented moves and nothing else) and
// the prober's search for sequences that its catalogue does not have.
package walk

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Weight orders what a walk comes to; less is better. Each of its members is as good as
// nothing beside those before it.
type Weight [8]int64

// Less reports whether a weight is better than another.
func (w Weight) Less(than Weight) bool { return slices.Compare(w[:], than[:]) < 0 }

func (w Weight) plus(o Weight) Weight {
	for i := range w {
		w[i] += o[i]
	}
	return w
}

// Space is what is walked: places of which each leads on to others, and never back.
type Space[P any] interface {
	// Key is the same for places that go on alike; false: nobody can tell.
	Key(P) (key string, ok bool)
	// Steps takes each step from a place there is, and uses the place up.
	Steps(p P, take func(next P, s Step) error) error
}

// Step is one way on from a place.
type Step struct {
	// Weights are what it adds to those of whatever follows, by aim.
	Weights []Weight
	// Ends says that nothing follows, and for which aims that is an end to reach; nil
	// where something does.
	Ends []bool
}

// Walk goes depth first through a space, for several aims at once. It is exhaustive:
// nothing is left out because it does not look promising.
type Walk[P any] struct {
	Space Space[P]
	Aims  int
	// Most places are looked at, or the walk fails: a bound on memory and time.
	Most int
	// Looked is how many were.
	Looked int
	seen   map[string]*Node
}

// Node is a place of which all that can follow is known.
type Node struct {
	best []best // by aim
	// Ways is how many there are on from here to an end.
	Ways uint64
}

// best is the rest of the best way for an aim.
type best struct {
	reachable bool
	weight    Weight
	step      int
	next      *Node
}

// From walks from a place on.
func (w *Walk[P]) From(ctx context.Context, p P) (*Node, error) {
	key, mergeable := w.Space.Key(p)
	if n := w.seen[key]; mergeable && n != nil {
		return n, nil
	}
	if w.Looked++; w.Looked > w.Most {
		return nil, fmt.Errorf("lab: more than %d positions: expected narrower bounds", w.Most)
	}
	if w.Looked%1024 == 0 && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	n := &Node{best: make([]best, w.Aims)}
	number := 0
	err := w.Space.Steps(p, func(next P, s Step) (err error) {
		on := s.end()
		if on == nil {
			if on, err = w.From(ctx, next); err != nil {
				return err
			}
		}
		n.consider(number, s, on)
		number++
		return nil
	})
	if err != nil {
		return nil, err
	}
	if mergeable {
		if w.seen == nil {
			w.seen = make(map[string]*Node)
		}
		w.seen[key] = n
	}
	return n, nil
}

// end is the node behind a step after which nothing follows, nil of others.
func (s *Step) end() *Node {
	if s.Ends == nil {
		return nil
	}
	n := &Node{best: make([]best, len(s.Ends)), Ways: 1}
	for aim, reached := range s.Ends {
		n.best[aim].reachable = reached
	}
	return n
}

// consider takes a step into account that leads on to another node. Of ways of equal
// weight the first stays.
func (n *Node) consider(number int, s Step, next *Node) {
	n.Ways = addUpTo(n.Ways, next.Ways)
	for aim := range n.best {
		if !next.best[aim].reachable {
			continue
		}
		weight := next.best[aim].weight.plus(s.Weights[aim])
		if !n.best[aim].reachable || weight.Less(n.best[aim].weight) {
			n.best[aim] = best{true, weight, number, next}
		}
	}
}

// addUpTo adds, and stays at the largest number rather than wrap.
func addUpTo(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

// Best is the least weight of all ways on, and the numbers of the steps that it takes;
// false if no way reaches the aim.
func (n *Node) Best(aim int) (w Weight, steps []int, ok bool) {
	w, ok = n.best[aim].weight, n.best[aim].reachable
	for ; n.best[aim].next != nil; n = n.best[aim].next {
		steps = append(steps, n.best[aim].step)
	}
	return w, steps, ok
}
