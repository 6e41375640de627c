package probe

import (
	"fmt"
	"slices"
	"time"

	"recoup/internal/scenario"
)

func (h *history) copy(suffix string) *history {
	return &history{name: h.name + suffix, steps: slices.Clone(h.steps), opened: h.opened}
}

// rounds is the same several times, a month after each other; it is looked at when all
// are over.
func (h *history) rounds(n int) *history {
	moves := h.steps[:len(h.steps)-waits(h)]
	var steps []scenario.Step
	for round := range n {
		for _, s := range moves {
			s.At = monthsLater(s.At, round)
			m := &s.Move
			m.Happened = monthsLater(m.Happened, round)
			for _, id := range []*string{&m.ID, &m.Of} {
				if *id != "" {
					*id = fmt.Sprintf("%s-%d", *id, round+1)
				}
			}
			m.Really = slices.Clone(m.Really)
			for i := range m.Really {
				m.Really[i].Purchase = fmt.Sprintf("%s-%d", m.Really[i].Purchase, round+1)
			}
			steps = append(steps, s)
		}
	}
	slices.SortStableFunc(steps, func(a, b scenario.Step) int { return a.At.Compare(b.At) })
	t := &history{name: h.name + "-rounds"}
	for _, s := range steps {
		t.add(s.At, s.Move)
	}
	if waits(h) > 1 {
		t.watch(readings[:]...)
	} else {
		t.add(t.steps[len(t.steps)-1].At.Add(time.Minute), scenario.Move{Kind: scenario.Wait})
	}
	return t
}
