package overview_test

import (
	"slices"
	"testing"
	"time"

	"recoup/internal/console/overview"
	"recoup/reward"
)

// cycle returns the sums of one cycle.
func cycle(t *testing.T, c overview.Currency, year int, month time.Month) overview.Cycle {
	t.Helper()
	want := reward.CycleAt(reward.At(time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)))
	i := slices.IndexFunc(c.Cycles, func(s overview.Cycle) bool { return s.Cycle == want })
	if i < 0 {
		t.Fatalf("cycle %v is not shown: %+v", want, c.Cycles)
	}
	return c.Cycles[i]
}

func TestThirteenCyclesAreShownAndNoneIsLeftOut(t *testing.T) {
	h := onPebble(t)
	h.buys("a", "t1", day(2025, 6, 30), 1_000) // one too early
	h.buys("a", "t2", day(2025, 7, 1), 2_000)
	h.buys("a", "t3", day(2026, 7, 2), 3_000)
	h.buys("idle", "t1", day(2025, 6, 30), 5_000)
	h.buys("idle since", "t1", day(2025, 7, 1), 10)
	c := h.currency(h.figures(day(2026, 7, 5)), "USD")
	if len(c.Cycles) != 13 || c.Cycles[0].Granted != 201 || c.Cycles[12].Granted != 300 {
		t.Errorf("the cycles are %+v", c.Cycles)
	}
	for i, s := range c.Cycles {
		if s.Cycle != c.Cycles[0].Cycle+reward.Cycle(i) || i > 0 && i < 12 && s != (overview.Cycle{Cycle: s.Cycle}) {
			t.Errorf("cycle %d is %+v", i, s)
		}
	}
	// What is dated ahead, into the next cycle, is not left out either.
	h.buys("b", "t1", time.Date(2026, 8, 1, 0, 5, 0, 0, time.UTC), 4_000)
	c = h.currency(h.figures(time.Date(2026, 7, 31, 23, 55, 0, 0, time.UTC)), "USD")
	if len(c.Cycles) != 14 || cycle(t, c, 2026, time.August).Granted != 400 {
		t.Errorf("the cycles are %+v", c.Cycles)
	}
}

// Of an account that posts again after long, the statement of its last cycle is
// only then stored. It is neither missed nor counted twice meanwhile.
func TestSumsOfEarlyCyclesHoldAsAccountsComeBack(t *testing.T) {
	h := onPebble(t)
	h.buys("a", "t1", day(2026, 1, 5), 1_000)
	h.buys("b", "t1", day(2026, 1, 6), 2_000)
	at := day(2026, 7, 5)
	january := func(when string, accounts, granted int64) {
		t.Helper()
		c := h.currency(h.figures(at), "USD")
		if s := cycle(t, c, 2026, time.January); s.Accounts != accounts || s.Granted != granted {
			t.Errorf("%s: January has %+v, want %d in %d accounts", when, s, granted, accounts)
		}
	}
	january("at first", 2, 300)
	h.buys("a", "t2", at, 4_000)
	at = at.Add(time.Minute)
	january("after a came back", 2, 300)
	if s := cycle(t, h.currency(h.Latest(), "USD"), 2026, time.July); s.Granted != 400 {
		t.Errorf("July has %+v", s)
	}
	// An account that is late for January shows within the hour.
	h.buys("c", "t1", day(2026, 1, 7), 8_000)
	at = at.Add(58 * time.Minute)
	january("after 59 minutes", 2, 300)
	at = at.Add(time.Minute)
	january("after an hour", 3, 1_100)

	// Each is one earlier than is shown, for programs that are in the cycle before.
	warm, all := reward.CycleAt(reward.At(day(2026, 4, 1))), reward.CycleAt(reward.At(day(2025, 6, 1)))
	if want := []reward.Cycle{all, warm, warm, all}; !slices.Equal(h.counting.from, want) {
		t.Errorf("stored statements were added up from %v on, want %v", h.counting.from, want)
	}
	// With a new cycle another one is an early one.
	at = time.Date(2026, 7, 31, 23, 59, 30, 0, time.UTC)
	january("before August", 3, 1_100)
	at = at.Add(time.Minute)
	january("in August", 3, 1_100)
	at = at.Add(time.Minute)
	january("a minute later", 3, 1_100)
	if s := cycle(t, h.currency(h.Latest(), "USD"), 2026, time.July); s.Granted != 400 {
		t.Errorf("in August July has %+v", s)
	}
	if want := []reward.Cycle{all, all + 1, warm + 1}; !slices.Equal(h.counting.from[4:], want) {
		t.Errorf("in August statements were added up from %v on, want %v", h.counting.from[4:], want)
	}
}

// Every kind of posting has its column.
func TestWhatACycleAddsUp(t *testing.T) {
	h := onPebble(t)
	h.buys("a", "t1", day(2026, 1, 5), 10_000)
	h.redeems("a", "d1", day(2026, 1, 6), 300)
	h.does("a", day(2026, 1, 7), reward.RedemptionReversed, reward.Applied, reward.Event{Fact: "d1"})
	h.redeems("a", "d2", day(2026, 1, 8), 200)
	h.returns("a", "t1", "r1", day(2026, 1, 9), 5_000)
	h.adjusts("a", day(2026, 1, 10), -70)
	h.buys("b", "t1", day(2026, 1, 11), 100)
	want := overview.Cycle{Cycle: reward.CycleAt(reward.At(day(2026, 1, 1))), Accounts: 2, Granted: 1_010, ClawedBack: 500, Redeemed: 200, Adjusted: -70}
	if got := cycle(t, h.currency(h.figures(day(2026, 1, 20)), "USD"), 2026, time.January); got != want {
		t.Errorf("January has %+v, want %+v", got, want)
	}
}
