package foreign

import (
	"slices"
	"time"
)

var cedarLots = Design{
	Name:   "cedar-lots",
	Source: "After Japanese card points, which lapse after a year, and stores that mark what is gone (from memory)",
	Published: "1 point for each full 100 yen of a purchase, 2 for dining, 3 for travel. Points are credited five days after a " +
		"purchase is known, and lapse twelve months after the end of its month (Tokyo), oldest first; what was used before " +
		"does not lapse. A return takes its points. A credit that names no purchase takes 3 points for each 100 yen begun at once; " +
		"ten days later what none of your purchases can have earned is given back.",
	How: "A lot a purchase, which is never changed: a return puts a tombstone on it and, if something is kept, a new lot " +
		"beside it. What has lapsed follows from lots and uses, so that a late return neither takes lapsed points again nor " +
		"forgets used ones. Unnamed credits are a debt beside the lots, of their highest price first and of a fair one later.",
	Class:    "robust",
	Currency: "JPY",
	New: cedarNew(func(a *cedarAccount) cedarPlan {
		return &cedarStore{a: a, lot: map[string]int64{}, lapsed: map[int]int64{}}
	}),
}

var (
	cedarTokyo   = cedarZone("Asia/Tokyo")
	cedarLotsPay = &cedarTariff{of: 100, whole: true, rest: 1, per: map[string]int64{"DINING": 2, "TRAVEL": 3}}
)

const (
	cedarLotsTop   = 3
	cedarLotsMonth = 12
	cedarGrantWait = 5 * 24 * time.Hour
	cedarMatchWait = 10 * 24 * time.Hour
)

// cedarStore keeps the lots, and what has lapsed of each month's.
type cedarStore struct {
	a      *cedarAccount
	lot    map[string]int64 // by purchase
	lapsed map[int]int64    // by month of purchase
	debt   int64            // for credits that name no purchase
}

// next is a lot that is to be written, a match to be tried, or the turn of a month.
func (s *cedarStore) next(after time.Time) time.Time {
	next := cedarMonthly(after, cedarTokyo, 1, 0)
	sooner := func(at time.Time) {
		if at.After(after) && at.Before(next) {
			next = at
		}
	}
	for _, p := range s.a.purchases {
		sooner(p.arrived.Add(cedarGrantWait))
	}
	for _, r := range s.a.loose() {
		sooner(r.arrived.Add(cedarMatchWait))
	}
	return next
}

func (s *cedarStore) run(at time.Time) { s.heard(at, nil) }

// heard writes and buries lots, lets points lapse, and reckons the debt.
func (s *cedarStore) heard(at time.Time, cause *cedarReturn) {
	var refund string
	if cause != nil {
		refund = cause.id
	}
	lots := map[int]int64{}
	for _, p := range s.a.purchases {
		if p.arrived.Add(cedarGrantWait).After(at) {
			continue
		}
		old, lot := s.lot[p.id], cedarLotsPay.earns(p.category, s.a.left(p))
		if lot != old {
			s.a.write(Posting{At: at, Kind: Reversed, Amount: -old, Transaction: p.id, Refund: refund, Note: "tombstone"})
			s.a.write(Posting{At: at, Kind: Earned, Amount: lot, Transaction: p.id, Note: "lot"})
			s.lot[p.id] = lot
		}
		lots[cedarMonth(p.at, cedarTokyo)] += lot
	}
	alive := s.lapse(at, lots)
	debt := min(alive, s.worst(at))
	post := Posting{At: at, Kind: Adjusted, Amount: s.debt - debt, Refund: refund, Note: "credit matched"}
	if post.Amount < 0 {
		post.Kind, post.Note = Reversed, "credit without a purchase"
	}
	s.a.write(post)
	s.debt = debt
}

// lapse posts what has lapsed of each month's lots and says what has not, used points
// included. A use takes the oldest lots that were alive then, of which those that come
// later repay what it lacked.
func (s *cedarStore) lapse(at time.Time, lots map[int]int64) (alive int64) {
	now, owed, used := cedarMonth(at, cedarTokyo), int64(0), 0
	var months []int
	for month := range lots {
		months = append(months, month)
	}
	slices.Sort(months)
	for _, month := range months {
		last := month + cedarLotsMonth
		for used < len(s.a.uses) && cedarMonth(s.a.uses[used].at, cedarTokyo) <= last {
			owed += s.a.uses[used].amount
			used++
		}
		var lapsed int64
		if last < now {
			lapsed = max(0, lots[month]-owed)
		}
		owed = max(0, owed-lots[month])
		note := "lapsed"
		if lapsed < s.lapsed[month] {
			note = "lapse taken back"
		}
		s.a.write(Posting{At: at, Kind: Adjusted, Amount: s.lapsed[month] - lapsed, Note: note})
		s.lapsed[month] = lapsed
		alive += lots[month] - lapsed
	}
	return alive
}

// worst is what unnamed credits may have cost by what is known, and for the first ten days
// no less than the highest rate there is.
func (s *cedarStore) worst(at time.Time) int64 {
	var matched []*cedarReturn
	var top int64
	for _, r := range s.a.loose() {
		if r.arrived.Add(cedarMatchWait).After(at) {
			top += (r.amount + cedarLotsPay.of - 1) / cedarLotsPay.of * cedarLotsTop
		} else {
			matched = append(matched, r)
		}
	}
	return max(top+cedarLotsPay.worst(s.a, matched), cedarLotsPay.worst(s.a, s.a.loose()))
}

// sure is all that stands: nothing waits.
func (s *cedarStore) sure() int64 { return s.a.posted }
