package probe

import (
	"fmt"
	"slices"
	"strings"

	"recoup/internal/scenario"
)

// shrink makes a history that leaks as small as it can: all that are smaller by one thing
// are played side by side, and the first that leaks is gone on with, until none does.
func (r *run) shrink(list []turn, c *sweepCase) ([]turn, *sweepCase, error) {
	for {
		smaller := smallerThan(list)
		next := -1
		for from := 0; from < len(smaller) && next < 0; from += searchBatch {
			batch := smaller[from:min(len(smaller), from+searchBatch)]
			cases, err := r.judgeTurns(batch)
			if err != nil {
				return nil, nil, err
			}
			if i := slices.IndexFunc(cases, func(c *sweepCase) bool { return c.leak > 0 }); i >= 0 {
				next, c = from+i, cases[i]
			}
		}
		if next < 0 {
			return list, c, nil
		}
		list = smaller[next]
	}
}

// smallerThan are the histories that lack one thing, what lacks most first.
func smallerThan(list []turn) (smaller [][]turn) {
	for i := range list {
		if less := without(list, i); len(less) > 0 {
			smaller = append(smaller, less)
		}
	}
	change := func(i int, by func(*turn)) {
		c := slices.Clone(list)
		if by(&c[i]); c[i] != list[i] {
			smaller = append(smaller, c)
		}
	}
	for i := range list {
		t := &list[i]
		if t.kind == scenario.Chargeback {
			change(i, func(t *turn) { t.kind = scenario.Refund })
		}
		change(i, func(t *turn) { t.unlinked = false })
		change(i, func(t *turn) { t.place = 0 })
		if t.kind == scenario.Settle && t.times > 1 {
			change(i, func(t *turn) { t.times = 1 })
		}
		if t.share > 0 && t.share != whole {
			change(i, func(t *turn) { t.share = whole })
		}
		// A wait is left out, or halved, for all that comes after it.
		before := 0
		if i > 0 {
			before = list[i-1].day
		}
		if wait := t.day - before; wait > 0 {
			for _, off := range []int{wait, (wait + 1) / 2, 1} {
				c := slices.Clone(list)
				for k := i; k < len(c); k++ {
					c[k].day -= off
				}
				smaller = append(smaller, c)
				if off == 1 {
					break
				}
			}
		}
	}
	return smaller
}

// without leaves out a move, and with a purchase what there is about it.
func without(list []turn, i int) (less []turn) {
	gone := list[i]
	for k, t := range list {
		about := gone.kind == scenario.Settle && !gone.again && t.kind != scenario.Redeem && t.id == gone.id
		repeated := !gone.again && t.again && t.kind == gone.kind && t.id == gone.id && k > i
		if k != i && !about && !repeated {
			less = append(less, t)
		}
	}
	return less
}

// words says what a history is, in a way that is the same of two that differ in nothing
// but names and prices.
func (r *run) words(list []turn) string {
	names := map[int]string{}
	var text []string
	day := 0
	for _, t := range list {
		if names[t.id] == "" && t.kind != scenario.Redeem {
			names[t.id] = fmt.Sprintf("t%d", len(names)+1)
		}
		if wait := t.day - day; wait > 0 {
			text = append(text, fmt.Sprintf("wait %d days", wait))
		}
		day = t.day
		word := map[scenario.Kind]string{scenario.Settle: "buy", scenario.Refund: "refund", scenario.Chargeback: "charge back", scenario.Redeem: "redeem all"}[t.kind]
		if t.kind != scenario.Redeem {
			word += " " + names[t.id]
		}
		switch {
		case t.again:
			word += " again"
		case t.share > 0 && t.share != whole:
			word += fmt.Sprintf(" by %g %%", float64(t.share)/(whole/100))
		case t.times > 1:
			word += fmt.Sprintf(" for %d times the price", t.times)
		}
		if t.place > 0 {
			word += " at " + spotAt(r.offered()[t.place]).String()
		}
		if t.unlinked {
			word += " without naming it"
		}
		text = append(text, word)
	}
	return strings.Join(text, ", ")
}
