package foreign

import (
	"maps"
	"slices"
	"time"
)

// want is what should be kept for returns whose purchase nobody knows, and kept what is.
// What has expired was lost whatever was returned, and is not taken again: without
// redemptions nobody owes anything, however little was bought.
func (s *juniperHarvest) want(a *juniperAccount) int64 {
	var want, worth int64
	for _, r := range a.nameless() {
		want += (juniperUp(r.amount, 100) + r.pieces - 1) * juniperHarvestTop
	}
	for _, p := range a.purchases {
		worth += p.posted
	}
	return min(want, max(0, worth-a.expired))
}

func (s *juniperHarvest) kept(a *juniperAccount) int64 {
	kept := a.taken
	for _, r := range a.nameless() {
		kept += r.standing
	}
	return kept
}

// sure leaves out what Monday will keep; all else has been taken already.
func (s *juniperHarvest) sure(a *juniperAccount, _ time.Time) int64 {
	return a.balance - max(0, s.want(a)-s.kept(a))
}

// expire levels what has expired. Points lie in a lot for each month of purchase;
// redemptions take from the oldest lot that had not expired at their time, and what no lot
// has is owed by the next. So a return finds the lots as if it had never been bought. What
// is kept is levelled with it.
func (s *juniperHarvest) expire(a *juniperAccount, at time.Time) {
	lots := map[int]int64{}
	for _, p := range a.purchases {
		lots[juniperMonth(p.at, s.loc, 1)] += p.posted
	}
	now := juniperMonth(at, s.loc, 1)
	var over, debt int64
	uses := a.uses
	for _, m := range slices.Sorted(maps.Keys(lots)) {
		end := m + juniperHarvestMonths
		for len(uses) > 0 && juniperMonth(uses[0].at, s.loc, 1) <= end {
			debt += uses[0].amount
			uses = uses[1:]
		}
		if end < now {
			over += max(0, lots[m]-debt)
		}
		debt = max(0, debt-lots[m])
	}
	note := "Points expired"
	if over < a.expired {
		note = "Expiry taken back"
	}
	a.post(at, Adjusted, a.expired-over, "", "", note)
	a.expired = over
	row := s.kept(a) - s.want(a)
	a.taken -= row
	a.post(at, Adjusted, row, "", "", "Returns without a purchase")
}
