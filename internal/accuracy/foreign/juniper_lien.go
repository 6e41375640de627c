package foreign

import "time"

var juniperLienDesign = Design{
	Name:   "juniper-lien",
	Source: "after British account cashback that is paid out in parts, from memory",
	Published: "3% on ONLINE and TRAVEL, 1% on all else. The reward comes in three equal parts on the first of the three months after the purchase and can be used from then on. " +
		"If you return something, the parts still to come are lower, and what you had too much is held until it is collected. " +
		"Twice a year we may thank you for your patience with works on our app with GBP 1.50.",
	How: "On the first of a month each purchase gets a row that brings it to one, two or three thirds of what is left of it. " +
		"A return books nothing: what a purchase has been given above its thirds is a lien at once and cannot be redeemed. " +
		"Liens that are 45 days old are collected on the next first of a month, all in one row, adjusted, that names nothing, as the goodwill credits are. " +
		"A return of no known purchase is a lien at 3%; if it finds its purchase later, the next first gives back what was collected.",
	Class:    "robust",
	Currency: "GBP",
	New:      func() Engine { return juniperNew(&juniperLien{loc: juniperZone("Europe/London")}) },
}

// juniperLien grants in parts and holds instead of clawing back.
type juniperLien struct{ loc *time.Location }

const (
	juniperLienParts = 3
	juniperLienAge   = 45 * 24 * time.Hour
)

func (s *juniperLien) jobs() []juniperJob {
	return []juniperJob{
		{next: juniperMonthly(s.loc, 1, 5), run: s.first},
		{next: juniperMonthly(s.loc, 15, 10, time.February, time.September), run: func(a *juniperAccount, at time.Time) {
			if at.Sub(a.opened) > 30*24*time.Hour {
				a.give(at, Adjusted, 150, "With thanks for your patience")
			}
		}},
	}
}

// earns is the whole reward of what is left of a purchase.
func (s *juniperLien) earns(p *juniperPurchase) int64 {
	if p.category == "ONLINE" || p.category == "TRAVEL" {
		return p.net * 3 / 100
	}
	return p.net / 100
}

// first gives the parts that are due and collects old liens.
func (s *juniperLien) first(a *juniperAccount, at time.Time) {
	var collect, worth int64
	for _, p := range a.purchases {
		p.parts = min(juniperLienParts, p.parts+1)
		worth += s.earns(p)
		more := s.earns(p)*p.parts/juniperLienParts - p.posted
		switch {
		case more > 0:
			a.post(at, Earned, more, p.id, "", "Part of your reward")
		case more < 0 && at.Sub(p.since) < juniperLienAge:
			continue
		default:
			collect -= more
		}
		p.posted += more
		p.since = time.Time{}
	}
	a.post(at, Adjusted, -collect, "", "", "Liens collected")
	// Of returns without a purchase only what is old is collected; what has found its
	// purchase is given back.
	limit := min(worth, a.worst(300))
	var old int64
	for _, r := range a.nameless() {
		if at.Sub(r.came) >= juniperLienAge {
			old += juniperUp(r.amount*300, 10000) + r.pieces - 1
		}
	}
	taken := min(limit, old)
	a.post(at, Adjusted, a.taken-taken, "", "", "Returns without a purchase")
	a.taken = taken
}

// changed notes since when a purchase has a lien.
func (s *juniperLien) changed(a *juniperAccount, at time.Time, _ *juniperReturn) {
	for _, p := range a.purchases {
		if p.since.IsZero() && s.lien(p) > 0 {
			p.since = at
		}
	}
}

// lien is what a purchase has been given above what its parts are worth now.
func (s *juniperLien) lien(p *juniperPurchase) int64 {
	return max(0, p.posted-s.earns(p)*p.parts/juniperLienParts)
}

// sure leaves out all liens, whether they are old or not.
func (s *juniperLien) sure(a *juniperAccount, _ time.Time) int64 {
	left := a.balance
	var worth int64
	for _, p := range a.purchases {
		left -= s.lien(p)
		worth += s.earns(p)
	}
	return left - max(0, min(worth, a.worst(300))-a.taken)
}
