package overview_test

import (
	"slices"
	"testing"
	"time"

	"recoup/internal/console/overview"
	"recoup/reward"
)

// What is held is written down once a day, and is there after the service was started
// again.
func TestWhatWasHeldIsKeptByMonth(t *testing.T) {
	onEveryDatabase(t, func(t *testing.T, h *house) {
		month := func(m time.Month, held int64) overview.HeldMonth {
			return overview.HeldMonth{Month: reward.CycleAt(reward.At(day(2026, int(m), 1))), Held: held}
		}
		h.opens("gold-1", "gold", day(2026, 1, 1))
		h.buys("gold-1", "t1", day(2026, 1, 5), 1_000)
		held := func(at time.Time, want ...overview.HeldMonth) {
			t.Helper()
			if c := h.currency(h.figures(at), "EUR"); !slices.Equal(c.HeldMonths, want) {
				t.Errorf("on %v there is %+v, want %+v; held are %d", at, c.HeldMonths, want, c.Held)
			}
		}
		held(day(2026, 1, 6), month(time.January, 100))
		h.buys("gold-1", "t2", day(2026, 1, 6), 1_000)
		held(day(2026, 1, 6).Add(time.Hour), month(time.January, 100)) // that day is written down
		held(day(2026, 1, 20), month(time.January, 200))
		h.Overview = overview.New(h.options())
		h.buys("gold-1", "t3", day(2026, 2, 10), 500)
		held(day(2026, 2, 10), month(time.January, 200), month(time.February, 50))
		// Later than that is kept, the first months are gone.
		h.Overview = overview.New(h.options())
		if c := h.currency(h.figures(day(2027, 4, 10)), "EUR"); len(c.HeldMonths) != 2 || c.HeldMonths[0] != month(time.February, 50) || c.HeldMonths[1].Held != 50 {
			t.Errorf("a year later there is %+v", c.HeldMonths)
		}
	})
}
