package budget_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"recoup/internal/service/budget"
)

// all takes one after the other as long as it can.
func all(s *budget.Share, holders ...string) map[string]int64 {
	held := make(map[string]int64)
	for more := true; more; {
		more = false
		for _, h := range holders {
			if s.Take(h, 1) {
				held[h]++
				more = true
			}
		}
	}
	return held
}

func TestNobodyHasMoreThanIsLeftToOthers(t *testing.T) {
	for n := int64(1); n <= 9; n++ {
		var holders []string
		for i := range n {
			holders = append(holders, fmt.Sprint("holder ", i))
		}
		s := budget.NewShare(840)
		held := all(s, holders...)
		for _, h := range holders {
			if want := 840 / (n + 1); held[h] < want-n || held[h] > want+n {
				t.Errorf("one of %d who take all that they can has %d, want %d or so", n, held[h], want)
			}
		}
		if !s.Take("late", 20) {
			t.Errorf("beside %d who take all that they can, nothing is left for another", n)
		}
	}
}

func TestWhatIsGivenBackIsThereAgain(t *testing.T) {
	s := budget.NewShare(10)
	if !s.Take("a", 5) || s.Take("a", 1) || !s.Take("b", 5) || s.Take("c", 1) {
		t.Fatal("of ten, two have five each and a third nothing")
	}
	s.Give("a", 5)
	if s.Used() != 5 || !s.Take("c", 4) {
		t.Error("what one gives back, another may have")
	}
}

func TestWhoHoldsNothingIsServedFirst(t *testing.T) {
	s := budget.NewShare(10)
	if !s.TakeFirst("a", 50) || s.TakeFirst("a", 1) || s.Take("b", 1) || !s.TakeFirst("b", 50) {
		t.Error("who holds nothing has what it needs, and who holds something does not")
	}
}

// A share is never used beyond its size, and what is used is what is held.
func TestASharesSizeHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(1, 50).Draw(t, "size")
		s := budget.NewShare(size)
		held, used := make(map[string]int64), int64(0)
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				h, n := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "holder"), rapid.Int64Range(1, 20).Draw(t, "n")
				if s.Take(h, n) {
					held[h] += n
					used += n
				} else if held[h]+n <= size-used {
					t.Fatalf("%s has %d of %d, of which %d are used, and was refused %d", h, held[h], size, used, n)
				}
			},
			"give": func(t *rapid.T) {
				h := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "holder")
				if held[h] == 0 {
					return
				}
				n := rapid.Int64Range(1, held[h]).Draw(t, "n")
				s.Give(h, n)
				held[h] -= n
				used -= n
			},
			"": func(t *rapid.T) {
				if s.Used() != used || used > size {
					t.Fatalf("%d of %d are used, the share says %d", used, size, s.Used())
				}
			},
		})
	})
}
