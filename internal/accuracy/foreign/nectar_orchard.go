package foreign

import "time"

// nectarOrchard is a grocer's club: one row a night, a cheque a quarter.
type nectarOrchard struct{}

var nectarOrchardZone = nectarZone("Europe/London")

var nectarOrchardDesign = Design{
	Name:   "nectar-orchard",
	Source: "After the public rules of British supermarket clubs that send vouchers each quarter (Clubcard, Sparks, Nectar); from memory.",
	Published: "One point for each full £1 of a purchase, two on GROCERY. 150 points more for each £200 spent in a calendar month, three times at most. " +
		"100 points as a welcome with your first purchase of £1 or more. Points appear after the night's run (none on Saturday night). On 10 February, May, August and November points from purchases " +
		"older than 28 days are sent as a cheque, in steps of 150; points cannot be redeemed otherwise. What is returned earns nothing. Customer services may credit or correct points by hand.",
	How: "Every night the account's points are worked out from what is left of all purchases, and one row that names nothing books the difference, of either sign. " +
		"A cheque pays no more than stands on the account and than purchases older than 28 days are sure to earn; what is returned after a cheque is owed and the next points repay it. " +
		"Returns without a receipt are laid on what earns most, and on every monthly bonus that they could reach.",
	Class:    "robust",
	Currency: "GBP",
	New:      nectarNew(nectarOrchard{}),
}

func (nectarOrchard) mailed() {}

// gestures: some get goodwill points, some a kiosk error and its correction.
func (nectarOrchard) gestures(n uint32) []nectarGesture {
	switch n % 4 {
	case 0:
		return []nectarGesture{{41, 250, "Customer services: sorry about your delivery"}, {230, 75, "Customer services"}}
	case 1:
		return []nectarGesture{{66, 120, "Kiosk adjustment"}, {97, -120, "Kiosk adjustment"}, {301, -40, "Household merge correction"}}
	}
	return nil
}

// next: at three at night, but not on Saturday night.
func (nectarOrchard) next(after time.Time) time.Time {
	t := after.In(nectarOrchardZone)
	for d := 0; ; d++ {
		n := time.Date(t.Year(), t.Month(), t.Day()+d, 3, 0, 0, 0, nectarOrchardZone)
		if n.After(after) && n.Weekday() != time.Sunday {
			return n
		}
	}
}

// worth is what a view earns at the least.
func (nectarOrchard) worth(v nectarView) int64 {
	var points, counted, toVoid int64
	months := map[int]int64{}
	var parts []nectarPart
	for _, p := range v.purchases {
		per := int64(1)
		if p.category == "GROCERY" {
			per = 2
		}
		q := p.left() / 100
		points += per * q
		months[nectarMonth(p.at, nectarOrchardZone)] += p.left()
		parts = append(parts, nectarPart{p.left(), per * 100})
		if q > 0 {
			counted++
			toVoid += p.left() - 99 // so much back, and it counts no more
		}
	}
	for _, spend := range months {
		points += 150 * min(3, max(0, spend-v.unnamed)/20000)
	}
	if counted > 0 && v.unnamed < toVoid {
		points += 100
	}
	return max(0, points-v.worst(parts, 2))
}

func (s nectarOrchard) sure(a *nectarAccount, at time.Time) int64 {
	return s.worth(a.view(at.AddDate(0, 0, -28)))
}

// moved: nothing is booked by day.
func (nectarOrchard) moved(*nectarAccount, time.Time, string, string) {}

func (s nectarOrchard) batch(a *nectarAccount, at time.Time) {
	d := a.gap("points", s.worth(a.view(at)))
	if d > 0 {
		a.post(at, Earned, d, "", "", "Points to "+at.AddDate(0, 0, -1).Format("2 Jan 2006"))
	} else {
		a.post(at, Reversed, d, "", "", "Points to "+at.AddDate(0, 0, -1).Format("2 Jan 2006"))
	}
	// The run of the 10th, or of the 11th where the 10th is a Sunday, sends cheques.
	due := at.Day() == 10 || at.Day() == 11 && at.Weekday() == time.Monday
	if !due || at.Month()%3 != 2 {
		return
	}
	if pay := a.free(s, at) / 150 * 150; pay > 0 {
		a.paid += pay
		a.post(at, Paid, -pay, "", "", "Cheque sent")
	}
}
