package reward_test

import (
	"testing"

	"recoup/reward"
)

// Edges that random histories hardly ever meet.

// TestWithinEndsAtAnInstant: what is bought less than so many times 24 hours after an attribute's
// beginning is within, and what is bought just then is not.
func TestWithinEndsAtAnInstant(t *testing.T) {
	for _, c := range []struct {
		name   string
		before reward.Instant // the end of the tenth day
		want   int64
	}{
		{"a nanosecond before", 1, 500},
		{"at it", 0, 0},
		{"a nanosecond after", -1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tellingOf(t, "rules: [{id: new, match: {within: {days: 10, of: opened}}, rate: 5%}]\n")
			s.opened("2026-01-05T08:30")
			s.buys("2026-02-01", "t1", 10_000, reward.Event{Purchased: on("2026-01-15T08:30") - c.before})
			s.ends(c.want)
		})
	}
}

// TestADayThatAZoneHasTwice: in St. John's, on 7 November 2010, clocks went back from one minute past
// midnight to 23:01. A period begins with the first instant of its date, so the second end of
// the 6th is of the 7th.
func TestADayThatAZoneHasTwice(t *testing.T) {
	const terms = "zone: America/St_Johns\nrules: [{id: day, rate: 5%, cap: {reward: 500, per: day}}]\n"
	for _, c := range []struct {
		name, first, second string
		want                int64
	}{
		{"the last of the 6th, the first of the 7th", "2010-11-07T02:29", "2010-11-07T02:30", 1_000},
		{"the first of the 7th, the 6th again", "2010-11-07T02:30", "2010-11-07T03:00", 500},
		{"the 6th, the 6th again", "2010-11-07T02:00", "2010-11-07T03:00", 1_000},
		{"the 6th again, the 7th", "2010-11-07T03:00", "2010-11-07T12:00", 500},
		{"the 7th, the 8th", "2010-11-08T03:29", "2010-11-08T03:30", 1_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tellingOf(t, terms)
			s.buys(c.first, "t1", 10_000)
			s.buys(c.second, "t2", 10_000)
			s.ends(c.want)
		})
	}
}

// TestWhatAPlacementTakesIsOfEverybody: money that says only that it is grocery lies, of the groceries that a
// count of purchases has places for, where it takes most in all: of two that keep another
// purchase gold the later, not of three that earn alike the latest.
func TestWhatAPlacementTakesIsOfEverybody(t *testing.T) {
	s := tellingOf(t, `
tiers: [{id: status, per: year, match: {merchant: [m1]}, spend: [{from: 15000, tier: gold}], keeps: this}]
rules:
  - {id: first, match: {category: [GROCERY]}, rate: 5%, cap: {purchases: 3, per: month}}
  - {id: gold, match: {tier: {status: [gold]}}, rate: 3%}
  - {id: all, rate: 1%}
`)
	grocery := func(merchant string) reward.Event { return reward.Event{Merchant: merchant, Category: "GROCERY"} }
	s.buys("2026-01-05", "a", 10_000, grocery("m1"))
	s.buys("2026-01-06", "b", 10_000, grocery("m1"))
	s.buys("2026-01-07", "c", 10_000, grocery("m2"))
	s.buys("2026-01-08", "at gold", 10_000, reward.Event{Merchant: "m3", Category: "OTHER"})
	s.buys("2026-01-09", "without a place", 10_000, grocery("m2"))
	s.tell("2026-01-10", reward.Event{Type: reward.RefundPosted, Fact: "r", Amount: 6_000, Category: "GROCERY"})
	want := map[string]int64{"a": 500, "b": 200, "c": 500, "at gold": 100, "without a place": 0}
	for _, l := range s.account.State().Transactions {
		if l.Retained != want[l.ID] {
			t.Errorf("%s keeps %d, want %d", l.ID, l.Retained, want[l.ID])
		}
	}
}
