package overview_test

import (
	"context"
	"testing"
	"time"

	"recoup/reward"
)

// club closes its statements with the end of the 14th, in Tokyo.
const club = "id: club\ncurrency: USD\nreward: {unit: PTS, decimals: 0}\nzone: Asia/Tokyo\ncycle: {day: 15}\nredemption: {grace_days: 5}\nrules: [{id: base, rate: 1 per 10}]\n"

func (h *house) publishes(id, document string) {
	h.Helper()
	if _, _, err := h.programs.Put(context.Background(), id, []byte(document), 0, "test"); err != nil {
		h.Fatal(err)
	}
}

// Cycles and what is open go by the program's own zone and statement day.
func TestCyclesAreThoseOfThePrograms(t *testing.T) {
	h := onPebble(t)
	h.publishes("club", club)
	h.opens("c", "club", day(2026, 1, 1))
	// 14 January, 15:00 UTC is 15 January in Tokyo: the first moment of a statement.
	start := time.Date(2026, 1, 14, 15, 0, 0, 0, time.UTC)
	h.buys("c", "t1", start.Add(-time.Minute), 1_000)
	h.buys("c", "t2", start, 2_000)
	c := h.currency(h.figures(day(2026, 2, 14)), "PTS")
	if last := c.Cycles[len(c.Cycles)-1]; len(c.Cycles) != 13 || last.Cycle != reward.CycleAt(reward.At(day(2026, 1, 1))) || last.Granted != 200 {
		t.Errorf("%d cycles are shown, and the open one is %+v", len(c.Cycles), last)
	}
	if s := cycle(t, c, 2025, time.December); s.Granted != 100 {
		t.Errorf("the statement before has %+v", s)
	}
	if c.Calendar == nil || c.Calendar.ID != "club" {
		t.Errorf("the calendar is of %+v", c.Calendar)
	}
	// A program of the same currency with other days leaves them without one calendar.
	h.publishes("plain", "id: plain\ncurrency: USD\nreward: {unit: PTS, decimals: 0}\nrules: [{id: base, rate: 1 per 10}]\n")
	h.opens("p", "plain", day(2026, 1, 1))
	if c = h.currency(h.figures(day(2026, 2, 14)), "PTS"); c.Calendar != nil {
		t.Errorf("the calendar is of %+v", c.Calendar)
	}
	if last := c.Cycles[len(c.Cycles)-1].Cycle; last != reward.CycleAt(reward.At(day(2026, 2, 1))) {
		t.Errorf("the last cycle is %v, and February of the other is open", last)
	}
}

// Grace is counted from the close of the program's statement.
func TestTheLagGoesByTheProgramsOwnClose(t *testing.T) {
	closes := time.Date(2026, 2, 14, 15, 0, 0, 0, time.UTC)
	for at, covered := range map[time.Time]bool{
		closes.AddDate(0, 0, 5).Add(-time.Nanosecond): true,
		closes.AddDate(0, 0, 5):                       false,
	} {
		h := onPebble(t)
		h.publishes("club", club)
		h.opens("c", "club", day(2026, 1, 1))
		h.buys("c", "t1", day(2026, 2, 3), 1_000)
		h.returns("c", "t1", "r1", at, 1_000)
		if got := h.lag(day(2026, 6, 1), "club").Grace; (got.Refunds == 1) != covered {
			t.Errorf("a refund at %v: covered by grace are %+v", at, got)
		}
	}
}
