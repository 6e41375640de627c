package foreign

import "time"

var juniperHarvestDesign = Design{
	Name:   "juniper-harvest",
	Source: "after Spanish supermarket points cards, from memory",
	Published: "4 points for each full euro of a GROCERY purchase, up to 1,000 points a quarter, 1 point for each full euro elsewhere. Points are booked on Mondays and can be used from then on. " +
		"They expire at the end of the 18th month after that of the purchase. A return takes its points back; room that it frees under the limit goes to your other purchases after the quarter.",
	How: "On Mondays each new purchase gets its points. A return is booked when it comes, as an adjustment that names the return alone, at 4 points for each euro begun, whatever was bought; " +
		"on Monday it is matched and what was too much is given back in a row that names the purchase alone. If the purchase is not known, the points stay with us until it is. " +
		"On the 5th after a quarter the room under its limit that returns have freed goes to purchases that it had cut, one row a quarter that names nothing. " +
		"Expiry is reckoned anew on Mondays and firsts: points that had expired and turn out never to have been earned come back as they are taken.",
	Class:    "robust",
	Currency: "EUR",
	New:      func() Engine { return juniperNew(&juniperHarvest{loc: juniperZone("Europe/Madrid")}) },
}

// juniperHarvest takes too much at once and gives back on Monday.
type juniperHarvest struct{ loc *time.Location }

const (
	juniperHarvestCap    = 1000
	juniperHarvestTop    = 4
	juniperHarvestMonths = 18
)

func (s *juniperHarvest) jobs() []juniperJob {
	return []juniperJob{
		{next: juniperDaily(s.loc, 3, 7), run: s.monday},
		{next: juniperMonthly(s.loc, 5, 4, time.January, time.April, time.July, time.October), run: s.harvest},
		{next: juniperMonthly(s.loc, 1, 1), run: s.expire},
	}
}

func (s *juniperHarvest) earns(p *juniperPurchase) int64 {
	if p.category == "GROCERY" {
		return p.net / 100 * juniperHarvestTop
	}
	return p.net / 100
}

// fair is what each purchase is worth under the limit, in the order in which they came.
// Nobody who came later has room that somebody before them could still use.
func (s *juniperHarvest) fair(a *juniperAccount) []int64 {
	out := make([]int64, len(a.purchases))
	used := map[int]int64{}
	for i, p := range a.purchases {
		out[i] = s.earns(p)
		if p.category == "GROCERY" {
			q := juniperMonth(p.at, s.loc, 1) / 3
			out[i] = min(out[i], juniperHarvestCap-used[q])
			used[q] += out[i]
		}
	}
	return out
}

// changed takes the points of a return at once, at the highest rate there is.
func (s *juniperHarvest) changed(a *juniperAccount, at time.Time, r *juniperReturn) {
	if r == nil || r.standing > 0 || r.came != at {
		return
	}
	back := r.amount
	if p := a.known[r.purchase]; p != nil && r.whole {
		back = p.amount
	}
	r.standing = juniperUp(back, 100) * juniperHarvestTop
	a.post(at, Adjusted, -r.standing, "", r.id, "Return, to be matched")
}

// monday matches what was returned and grants what was bought.
func (s *juniperHarvest) monday(a *juniperAccount, at time.Time) {
	back := map[string]int64{}
	for _, r := range a.returns {
		if a.known[r.purchase] != nil {
			back[r.purchase] += r.standing
			r.standing = 0
		}
	}
	fair := s.fair(a)
	for i, p := range a.purchases {
		if lost := p.posted - fair[i]; lost > 0 {
			back[p.id] -= lost
			p.posted -= lost
		}
		a.post(at, Adjusted, back[p.id], p.id, "", "Return matched")
		if !p.granted {
			p.granted = true
			p.posted = fair[i]
			a.post(at, Earned, p.posted, p.id, "", "Points")
		}
	}
	s.expire(a, at)
}

// harvest gives freed room to those that the limit had cut, the earliest first.
func (s *juniperHarvest) harvest(a *juniperAccount, at time.Time) {
	var given int64
	fair := s.fair(a)
	for i, p := range a.purchases {
		if more := fair[i] - p.posted; p.granted && more > 0 {
			p.posted += more
			given += more
		}
	}
	a.post(at, Earned, given, "", "", "Room under the limit")
	s.expire(a, at)
}
