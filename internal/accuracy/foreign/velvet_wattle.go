package foreign

import "time"

var velvetWattle = Design{
	Name: "velvet-wattle",
	Source: "after Australian and US cashback cards with a supermarket and fuel rate up to a quarterly spend and a welcome " +
		"bonus (Coles, American Express Cashback, Blue Cash), as their public rules say, from memory",
	Published: "4 % cash back at GROCERY and FUEL on the first A$3,000 of a calendar quarter (Sydney), 1 % beyond and on " +
		"everything else, rounded down once a quarter. A$75 once A$1,500 have been spent in the 90 days after opening. Cash back " +
		"of what has cleared in a day is there the next midnight and can be paid out at once. Returns take back at once what the " +
		"purchase earned in its quarter, and the welcome bonus if the spend is not reached without it; what was paid out already " +
		"is owed. Returns that name no purchase are charged at the highest rate that they can have earned.",
	How: "Clearings of a day become one row at the next midnight, naming nothing; the bonus has a row of its own. A return is " +
		"booked when it comes, as the difference that it makes to all quarters and the bonus, and its row names the refund " +
		"alone. All is reckoned anew from what is left of the purchases.",
	Class:    "robust",
	Currency: "AUD",
	New:      velvetNew(func(a *velvetAccount) velvetProgram { return &velvetWattleBooks{a: a} }),
}

var velvetSydney = velvetZone("Australia/Sydney")

const (
	velvetWattleStep     = 300_000 // of spend a quarter
	velvetWattleBonus    = 7_500
	velvetWattleBonusMin = 150_000
)

// velvetWattleBooks levels an account to one sum: rows say when it changed, not for what.
type velvetWattleBooks struct {
	velvetOnRequest
	a       *velvetAccount
	fresh   bool // something has cleared since midnight
	rewards int64
	bonus   int64
}

func (w *velvetWattleBooks) bought(p *velvetPurchase) {
	p.begin, p.end = velvetQuarter(p.at, velvetSydney)
	w.fresh = true
}

func (w *velvetWattleBooks) returned(r *velvetReturn) {
	w.a.count(r)
	w.level(r.id, "return")
}

func (w *velvetWattleBooks) next(after time.Time) time.Time {
	y, m, d := after.In(velvetSydney).Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, velvetSydney)
}

func (w *velvetWattleBooks) run(at time.Time) {
	if !w.fresh {
		return
	}
	w.fresh = false
	for _, p := range w.a.purchases {
		p.granted = true
	}
	w.level("", "cash back of "+at.Add(-time.Hour).In(velvetSydney).Format("2 January"))
}

func velvetWattleFast(p *velvetPurchase) bool { return p.category == "GROCERY" || p.category == "FUEL" }

// welcomes says whether a purchase counts for the welcome bonus.
func (w *velvetWattleBooks) welcomes(p *velvetPurchase) bool {
	return p.granted && !p.at.Before(w.a.opened) && p.at.Before(w.a.opened.Add(90*24*time.Hour))
}

// level books the difference between what is promised for the purchases that have been
// granted, as they are now, and what is on the books.
func (w *velvetWattleBooks) level(refund, note string) {
	type totals struct{ fast, other int64 }
	quarters := map[time.Time]totals{}
	var welcome int64
	for _, p := range w.a.purchases {
		if !p.granted {
			continue
		}
		t := quarters[p.begin]
		if velvetWattleFast(p) {
			t.fast += p.left()
		} else {
			t.other += p.left()
		}
		quarters[p.begin] = t
		if w.welcomes(p) {
			welcome += p.left()
		}
	}
	var rewards int64
	for _, t := range quarters {
		fast := min(t.fast, velvetWattleStep)
		rewards += (fast*40_000 + (t.fast-fast+t.other)*10_000) / velvetMillion
	}
	w.a.bookChange(rewards-w.rewards, "", refund, note)
	w.rewards = rewards

	// Any unnamed return may be of what the bonus was for.
	var bonus int64
	if welcome-w.a.unnamedIn(w.welcomes) >= velvetWattleBonusMin {
		bonus = velvetWattleBonus
	}
	w.a.bookChange(bonus-w.bonus, "", refund, "welcome bonus")
	w.bonus = bonus

	w.a.chargeUnnamed(velvetSuspicion{
		may: func(_ *velvetReturn, p *velvetPurchase) bool { return p.granted },
		cost: func(_ *velvetReturn, p *velvetPurchase, part int64) int64 {
			if velvetWattleFast(p) {
				return velvetShareUp(part, 40_000)
			}
			return velvetShareUp(part, 10_000)
		},
	}, rewards)
}
