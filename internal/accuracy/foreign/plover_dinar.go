package foreign

import "time"

// ploverDinar leaks as V2: its job knows returns only while the month is open.
var ploverDinar = Design{
	Name: "plover-dinar",
	Source: "After the loyalty cards of Tunisian supermarkets (dinars on the card, credited " +
		"after the month); from memory.",
	Published: "20 millimes for every full dinar of a purchase, 60 for fresh produce (FRESH). " +
		"A month's purchases are credited on the 6th of the next month, net of returns, and " +
		"can be used from then on. Returned goods earn nothing.",
	How: "On the 6th a job goes through the purchases of the months that are still open, " +
		"credits each by what is kept of it in a row of its own, and closes these months. A " +
		"return lowers its purchase in the job's table at any time; but the job takes up " +
		"only what is not credited yet, so a return after the 6th changes nothing. A return that " +
		"names no purchase costs 60 millimes for every dinar begun at once; the balance may be below zero." + ploverUnknown,
	Class: "V2",
	Leak: "A purchase returned after its month is credited keeps its reward. A refrigerator " +
		"for 2,000 dinars, bought on 20 March, is credited with 40.000 on 6 April; it is returned " +
		"on 10 April and nothing is taken back: 40 dinars for no purchase.",
	Currency: "TND",
	New: func() Engine {
		return ploverNew(func(a *ploverAccount) ploverPlan {
			// Work months that begin on the 6th have the job at their beginnings.
			zone := ploverZone("Africa/Tunis")
			return &ploverMonthJob{a: a, months: ploverCalendar{zone, 1, 1}, jobs: ploverCalendar{zone, 6, 1}}
		})
	},
}

const ploverOneDinar = 1000

type ploverMonthJob struct {
	a            *ploverAccount
	months, jobs ploverCalendar
	open         []*ploverBuy // of months that the job has not closed
}

func (p *ploverMonthJob) bought(b *ploverBuy) { p.open = append(p.open, b) }

// back leaves the purchase lowered for the job: which is the flaw, where the job has been.
func (p *ploverMonthJob) back(*ploverBuy, ploverPart) {}

func (p *ploverMonthJob) loose(part ploverPart) int64 {
	charged := 60 * part.begun(ploverOneDinar)
	p.a.post(Reversed, -charged, "", part.id, "Retour sans ticket")
	return charged
}

func (p *ploverMonthJob) lift(part ploverPart, charged int64) {
	p.a.post(Adjusted, charged, "", part.id, "Retour : ticket retrouvé")
}

func (p *ploverMonthJob) next(t time.Time) time.Time { return p.jobs.after(t) }

// run credits the purchases of the months that are over. One that clears late, for a month
// that is closed, is credited with the next.
func (p *ploverMonthJob) run() {
	var later []*ploverBuy
	for _, b := range p.open {
		if p.months.index(b.at) >= p.months.index(p.a.now) {
			later = append(later, b)
			continue
		}
		millimes := int64(20)
		if b.category == "FRESH" {
			millimes = 60
		}
		p.a.post(Earned, millimes*b.units(ploverOneDinar), b.id, "", "Cagnotte")
	}
	p.open = later
}

func (p *ploverMonthJob) free() int64 { return p.a.balance() }
