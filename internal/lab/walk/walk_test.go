package walk_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"recoup/internal/lab/walk"

	"pgregory.net/rapid"
)

// table is a space of numbered places. Its first aim is to pay least on the way to an
// end, its second the same by way of ends that count for it.
type table struct {
	on     map[int][]toll
	looked int
	merged bool
}

type toll struct {
	to   int
	pays int64
	ends []bool
}

func (s *table) Key(place int) (string, bool) { return fmt.Sprint(place), s.merged }

func (s *table) Steps(place int, take func(int, walk.Step) error) error {
	s.looked++
	for _, t := range s.on[place] {
		if err := take(t.to, walk.Step{Weights: []walk.Weight{{t.pays, 1}, {t.pays, 1}}, Ends: t.ends}); err != nil {
			return err
		}
	}
	return nil
}

// least tries every way, one after the other.
func (s *table) least(place, aim int) (least walk.Weight, ways uint64, reached bool) {
	for _, t := range s.on[place] {
		var rest walk.Weight
		ok := t.ends != nil && t.ends[aim]
		if t.ends == nil {
			var n uint64
			rest, n, ok = s.least(t.to, aim)
			ways += n
		} else {
			ways++
		}
		rest[0], rest[1] = rest[0]+t.pays, rest[1]+1
		if ok && (!reached || rest.Less(least)) {
			least, reached = rest, true
		}
	}
	return least, ways, reached
}

func TestWalkFindsTheBestOfAllWays(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := &table{on: map[int][]toll{}, merged: rapid.Bool().Draw(rt, "merged")}
		const places = 8
		for place := range places {
			for range rapid.IntRange(1, 3).Draw(rt, "steps") {
				step := toll{to: place + 1 + rapid.IntRange(0, 2).Draw(rt, "on"), pays: rapid.Int64Range(-3, 3).Draw(rt, "pays")}
				if step.to >= places {
					step.ends = []bool{true, rapid.Bool().Draw(rt, "counts")}
				}
				s.on[place] = append(s.on[place], step)
			}
		}
		w := walk.Walk[int]{Space: s, Aims: 2, Most: 100_000}
		root, err := w.From(context.Background(), 0)
		if err != nil {
			rt.Fatal(err)
		}
		if w.Looked != s.looked || s.merged && w.Looked > places {
			rt.Fatalf("looked at %d places, says %d", s.looked, w.Looked)
		}
		for aim := range 2 {
			want, ways, reached := s.least(0, aim)
			got, steps, ok := root.Best(aim)
			if ok != reached || ok && got != want || root.Ways != ways {
				rt.Fatalf("aim %d: %v, %t, of %d ways; want %v, %t, of %d", aim, got, ok, root.Ways, want, reached, ways)
			}
			if !ok {
				continue
			}
			place, paid := 0, int64(0)
			for i, number := range steps {
				step := s.on[place][number]
				place, paid = step.to, paid+step.pays
				if last := i == len(steps)-1; last != (step.ends != nil) {
					rt.Fatalf("aim %d: the way %v does not lead to an end", aim, steps)
				}
			}
			if paid != want[0] {
				rt.Fatalf("aim %d: the way %v pays %d, want %d", aim, steps, paid, want[0])
			}
		}
	})
}

func TestWalkEndsWhereItMust(t *testing.T) {
	s := &table{on: map[int][]toll{0: {{to: 1}}, 1: {{to: 2}}, 2: {{ends: []bool{true, true}}}}}
	w := walk.Walk[int]{Space: s, Aims: 2, Most: 2}
	if _, err := w.From(context.Background(), 0); err == nil || !strings.Contains(err.Error(), "more than 2 positions") {
		t.Errorf("error %v, want one that says how many positions are too many", err)
	}
}

// without are the texts with one letter less.
func without(s string) (list []string) {
	for i := range s {
		list = append(list, s[:i]+s[i+1:])
	}
	return list
}

func TestDescentLeavesOutWhatDoesNotMatter(t *testing.T) {
	var played []string
	d := walk.Descent[string]{
		Key:   func(s string) string { return s },
		Weigh: func(s string) walk.Weight { return walk.Weight{int64(len(s))} },
		Shows: func(s string) (bool, error) {
			if slices.Contains(played, s) {
				t.Errorf("%q is played twice", s)
			}
			played = append(played, s)
			return strings.Contains(s, "b") && strings.Contains(s, "r"), nil
		},
		Spent: func() bool { return false },
	}
	least, whole, err := d.Down("abracadabra", without)
	if least != "br" || !whole || err != nil {
		t.Errorf("%q, %t, %v; want br and the whole way down", least, whole, err)
	}
	d.Spent = func() bool { return len(played) >= 3 }
	played = nil
	if least, whole, err := d.Down("abracadabracadabra", without); whole || err != nil || len(least) < 10 {
		t.Errorf("%q, %t, %v after three plays; want it not wholly shrunk", least, whole, err)
	}
	d.Spent = func() bool { return false }
	if _, whole, _ := d.Down("br", func(string) []string { return []string{"br", "brr"} }); !whole {
		t.Error("what is no lighter counts as a way down")
	}
}
