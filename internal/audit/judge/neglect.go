package judge

import (
	"slices"

	"recoup/internal/intake/history"
	"recoup/reward"
)

// Neglect is a way to leave refunds out of what is granted and taken back.
type Neglect int

// The neglects, that of all refunds first.
const (
	NeglectAll         Neglect = iota
	NeglectSame                // those in the cycle of their purchase
	NeglectLater               // those in a later one
	NeglectAfterNext           // those after the cycle that follows their purchase's
	NeglectMonthPosted         // those after the first reward that came when the cycle was over
	NeglectQuarterPosted
	NeglectYearPosted
	neglects
)

// Neglects hold, of the accounts that leak and whose rows do not tell by which refunds, what
// the leakage would be of. They rest on the accounts' sums alone.
type Neglects struct {
	Accounts int64 `json:"accounts"`
	Of       int64 `json:"of"` // what leaks
	// Left is what of it remains, or is too much, if that neglect is why, and Refunds counts
	// those that are neglected then.
	Left    [neglects]int64 `json:"left"`
	Refunds [neglects]int64 `json:"refunds"`
}

// neglect plays the account without the refunds of each neglect, where most of what leaks is
// in rows that nothing explains.
func (j *Judge) neglect() {
	f, n := &j.account.Figures, &j.account.Neglects
	if f.Leakage <= f.Rounding || 2*(f.Unearned+f.Unexplained) < f.Leakage {
		return
	}
	n.Accounts, n.Of = 1, f.Leakage
	var granted []reward.Instant
	for i := range j.rows {
		if r := &j.rows[i]; r.Kind == history.Reward && r.Amount > 0 {
			granted = append(granted, r.At)
		}
	}
	for way := range neglects {
		left := f.NetReward + f.Forgiven - f.Beyond - j.entitledWithout(way, granted, &n.Refunds[way])
		n.Left[way] = max(left, -left)
	}
}

// entitledWithout is what the terms promise where refunds are left out, which it counts. Rewards
// were granted at these instants, in order of time.
func (j *Judge) entitledWithout(way Neglect, granted []reward.Instant, count *int64) int64 {
	t := j.promise
	t.begin(j.account.ID)
	for i := range j.rows {
		t.turn(j.rows[i].At)
		if rf := j.of[i].refund; rf != nil && j.neglects(way, rf, granted) {
			if rf.row == int32(i) {
				*count++
			}
			continue
		}
		t.row(&j.rows[i])
		t.journal = t.journal[:0]
	}
	t.turn(j.end())
	t.closeUntil(reward.LatestInstant)
	return t.account.Summary().Entitlement
}

func (j *Judge) neglects(way Neglect, rf *refund, granted []reward.Instant) bool {
	if rf.of == nil || rf.Place == Early {
		return false
	}
	switch way {
	case NeglectSame:
		return rf.Place == SameCycle
	case NeglectLater:
		return rf.Place == LaterCycle
	case NeglectAfterNext:
		return rf.cycle > rf.of.cycle+1
	case NeglectMonthPosted, NeglectQuarterPosted, NeglectYearPosted:
		months := periods[way-NeglectMonthPosted]
		over := j.program.CycleEnd(rf.of.cycle - rf.of.cycle%months + months - 1)
		first, _ := slices.BinarySearch(granted, over)
		return first < len(granted) && rf.RefundedAt > granted[first]
	}
	return true
}
