package foreign

import (
	"sort"
	"time"
)

// A program of points that runs on a queue of jobs: approvals, a look at the welcome offer,
// and deductions, which are made in three parts. A point is worth a cent.

const (
	latestDPointsApproval   = 14 * 24 * time.Hour
	latestDPointsWindow     = 90 * 24 * time.Hour  // the welcome offer counts purchases of these days
	latestDPointsWelcomeDay = 120 * 24 * time.Hour // and is decided on this one
	latestDPointsWelcomeMin = 150_000
	latestDPointsWelcome    = 15_000
	latestDPointsParts      = 3
	latestDPointsPartEvery  = 30 * 24 * time.Hour
)

// latestDPointsJob is something to be done at its time. Jobs hold no amounts that could
// have changed by then, except parts of a deduction, which do not change.
type latestDPointsJob struct {
	due     time.Time
	approve *latestDSale
	welcome bool
	part    int64 // of a deduction
	of, ref string
}

type latestDPointsAccount struct {
	latestDFile
	jobs    []latestDPointsJob // by time, of the same time in the order they came
	granted map[*latestDSale]int64
	held    int64 // deductions that are still to be made
	offered bool  // the welcome offer has its job
	decided bool
	welcome int64
}

func (a *latestDPointsAccount) queue(j latestDPointsJob) {
	at := sort.Search(len(a.jobs), func(i int) bool { return a.jobs[i].due.After(j.due) })
	a.jobs = append(a.jobs, latestDPointsJob{})
	copy(a.jobs[at+1:], a.jobs[at:])
	a.jobs[at] = j
}

// points are for whole dollars of what is left of a purchase.
func (a *latestDPointsAccount) points(s *latestDSale) int64 {
	n := s.net() / 100
	if s.mcc == "5411" {
		n *= 3
	}
	if s.at.Weekday() == time.Tuesday {
		n *= 2
	}
	return n
}

func (a *latestDPointsAccount) due(now time.Time) {
	if !a.offered && !a.opened.IsZero() {
		a.offered = true
		a.queue(latestDPointsJob{due: a.opened.Add(latestDPointsWelcomeDay), welcome: true})
	}
	for len(a.jobs) > 0 && !a.jobs[0].due.After(now) {
		j := a.jobs[0]
		a.jobs = a.jobs[1:]
		switch {
		case j.approve != nil:
			n := a.points(j.approve)
			a.granted[j.approve] = n
			a.post(Posting{At: j.due, Kind: Earned, Amount: n, Transaction: j.approve.id})
		case j.welcome:
			a.decided = true
			a.lookAtWelcome(j.due, "")
		default:
			a.held -= j.part
			a.post(Posting{At: j.due, Kind: Reversed, Amount: -j.part, Transaction: j.of, Refund: j.ref, Note: "part of a deduction"})
		}
	}
}

// lookAtWelcome gives or takes the welcome points by the net purchases of the first days.
func (a *latestDPointsAccount) lookAtWelcome(now time.Time, ref string) {
	if !a.decided {
		return
	}
	var net int64
	for _, s := range a.order {
		if !s.at.Before(a.opened) && s.at.Before(a.opened.Add(latestDPointsWindow)) {
			net += s.net()
		}
	}
	switch reached := net >= latestDPointsWelcomeMin; {
	case reached && a.welcome == 0:
		a.welcome = latestDPointsWelcome
		a.post(Posting{At: now, Kind: Earned, Amount: a.welcome, Note: "welcome"})
	case !reached && a.welcome > 0:
		a.deduct(now, a.welcome, "", ref)
		a.welcome = 0
	}
}

// deduct holds all of it at once and takes it from the balance in three parts, a month
// between them.
func (a *latestDPointsAccount) deduct(now time.Time, n int64, of, ref string) {
	a.held += n
	for k := int64(1); k <= latestDPointsParts; k++ {
		part := n / (latestDPointsParts + 1 - k)
		n -= part
		if part > 0 {
			a.queue(latestDPointsJob{due: now.Add(time.Duration(k) * latestDPointsPartEvery), part: part, of: of, ref: ref})
		}
	}
}

func (a *latestDPointsAccount) booked(now time.Time, s *latestDSale) {
	at := s.at.Add(latestDPointsApproval)
	if at.Before(now) {
		at = now
	}
	a.queue(latestDPointsJob{due: at, approve: s})
	a.due(now)
	a.lookAtWelcome(now, "")
}

func (a *latestDPointsAccount) taken(now time.Time, s *latestDSale, _ int64, ref string, dispute bool) {
	if had, ok := a.granted[s]; ok {
		n := a.points(s)
		a.granted[s] = n
		if dispute {
			a.post(Posting{At: now, Kind: Reversed, Amount: n - had, Transaction: s.id, Refund: ref, Note: "disputed"})
		} else {
			a.deduct(now, had-n, s.id, ref)
		}
	}
	a.lookAtWelcome(now, ref)
}

func (a *latestDPointsAccount) redeemable(time.Time) int64 { return a.balance() - a.held }

func latestDPointsDesign() Design {
	return Design{
		Name: "latest-tuesday-points",
		Source: "Brooks Brothers rewards help (points of returns deducted, negative points do not expire, brooksbrothers.zendesk.com), Feed Me Fight Me help (points available some weeks after the purchase); " +
			"bonus weekdays and a welcome offer on net purchases as department store and bank cards have them; the deduction in three parts is own, after issuers that ask for up to three billing cycles",
		Published: "You get 1 point for every whole dollar of a purchase, 3 at grocery stores (MCC 5411), and twice as many for purchases made on a Tuesday (UTC). A point is worth 1 cent. " +
			"Cents beyond whole dollars of a purchase earn nothing. Points are credited 14 days after the purchase and can be redeemed from then on. Welcome offer: 15,000 points if your net purchases of the first 90 days after opening " +
			"reach 1,500.00, credited 120 days after opening; if later returns of these purchases bring them below 1,500.00 they are deducted again. A purchase that is returned in part earns for what you kept, by whole dollars of that. " +
			"Points that were credited already are deducted in three equal parts 30, 60 and 90 days after the return; your balance shows each when it is made, but what is still to come cannot be redeemed. For a dispute that you win points are deducted " +
			"at once. Your balance may go below zero; new points make up for that first. A refund that names no purchase counts against your latest purchases at that merchant, otherwise in the same kind of shop, otherwise your latest.",
		How: "Jobs wait in one queue by time. An approval reads what is left of its purchase when it runs. A return after it works out the points of what is left, puts the difference on hold at once and queues three deductions. " +
			"The welcome offer is looked at again with each purchase and return after it was decided. Nothing on hold can be redeemed, so the late deductions leave no gap.",
		Class:    "robust",
		Currency: "USD",
		New: func() Engine {
			return latestDNewDesk(func(f latestDFile) latestDAccount {
				return &latestDPointsAccount{latestDFile: f, granted: map[*latestDSale]int64{}}
			})
		},
	}
}
