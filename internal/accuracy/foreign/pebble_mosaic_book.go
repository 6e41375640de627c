package foreign

import "time"

// booked takes at once what a fact has cost. What it frees waits for Monday.
func (m *pebbleMosaics) booked(a *pebbleAccount, now time.Time, why pebbleCause) {
	a.post(Posting{At: now, Kind: Reversed, Amount: min(0, m.due(a, now)-a.posted),
		Transaction: why.transaction, Refund: why.refund, Note: "Points of a return"})
}

func (m *pebbleMosaics) next(after time.Time) time.Time { return pebbleDaily(after, m.loc, 4) }

func (m *pebbleMosaics) run(a *pebbleAccount, at time.Time) {
	local := at.In(m.loc)
	if local.Day() == 1 {
		a.post(Posting{At: at, Kind: Adjusted, Amount: min(0, m.due(a, at)-a.posted), Note: "Lapsed points"})
	}
	if m.desk(a, at) {
		a.post(Posting{At: at, Kind: Adjusted, Amount: max(0, m.due(a, at)-a.posted), Note: "Return looked into"})
	}
	if local.Weekday() != time.Monday {
		return
	}
	for _, p := range a.buys {
		if p.listed.IsZero() {
			p.listed = at
		}
	}
	more := m.due(a, at) - a.posted
	kind := Earned
	if more < 0 {
		kind = Reversed
	}
	a.post(Posting{At: at, Kind: kind, Amount: more, Note: "Points of the week"})
}

// desk says whether a return without a name has waited out its days since yesterday.
func (m *pebbleMosaics) desk(a *pebbleAccount, at time.Time) bool {
	for _, c := range a.loose() {
		over := c.came.Add(pebbleMosaicDesk)
		if !over.After(at) && over.After(at.Add(-25*time.Hour)) {
			return true
		}
	}
	return false
}

// sure is never above the ledger, since that goes down at once.
func (m *pebbleMosaics) sure(a *pebbleAccount, now time.Time) int64 {
	return m.due(a, now) - a.redeemed
}
