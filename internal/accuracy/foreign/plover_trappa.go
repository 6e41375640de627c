package foreign

import "time"

// ploverTrappa is sound: a month is one row, and a change to a month books that row back
// and the month anew.
var ploverTrappa = Design{
	Name: "plover-trappa",
	Source: "After the money bonus of Norwegian grocery groups (Trumf and the like), with " +
		"the staircase of Nordic co-operatives; from memory.",
	Published: "For every whole krone of a purchase: 1 % of the first 3,000 kr in a calendar " +
		"month, 2 % of what is beyond up to 6,000 kr, 3 % beyond that. The month's bonus is " +
		"credited on the 1st of the next month and can be taken out at any time. Returns " +
		"lower the month of the purchase, whenever they are made. Returns without a receipt " +
		"cost 3 øre for every krone begun.",
	How: "The bonus of a month is a function of what is kept of its purchases. It is booked " +
		"as one row when the month is over; what changes a closed month later books that row " +
		"back and the month anew. Rows name neither purchase nor refund, but those of " +
		"returns without a receipt, which are booked at the highest rate at once. The " +
		"balance may be below zero for ever." + ploverUnknown,
	Class:    "robust",
	Currency: "NOK",
	New: func() Engine {
		return ploverNew(func(a *ploverAccount) ploverPlan {
			return &ploverStairs{a: a, months: ploverCalendar{ploverZone("Europe/Oslo"), 1, 1},
				booked: map[int]int64{}}
		})
	},
}

const (
	ploverKrone     = 100
	ploverStairsLow = 3000 // kroner a month
	ploverStairsTop = 6000
)

type ploverStairs struct {
	a      *ploverAccount
	months ploverCalendar
	booked map[int]int64 // what the row of a month that is over says
}

// worth is the bonus of a month in øre: each krone earns one, two or three.
func (p *ploverStairs) worth(month int) int64 {
	var kroner int64
	for _, b := range p.a.buys {
		if p.months.index(b.at) == month {
			kroner += b.units(ploverKrone)
		}
	}
	return kroner + max(0, kroner-ploverStairsLow) + max(0, kroner-ploverStairsTop)
}

// level books a month that is over as it should be now.
func (p *ploverStairs) level(month int) {
	if month >= p.months.index(p.a.now) {
		return
	}
	worth, was := p.worth(month), p.booked[month]
	if worth == was {
		return
	}
	p.booked[month] = worth
	name := p.months.start(month).Format("01/2006")
	p.a.post(Reversed, -was, "", "", "Bonus "+name+" tilbakeført")
	p.a.post(Earned, worth, "", "", "Bonus "+name)
}

func (p *ploverStairs) bought(b *ploverBuy) { p.level(p.months.index(b.at)) }

func (p *ploverStairs) back(b *ploverBuy, _ ploverPart) { p.level(p.months.index(b.at)) }

// loose takes the highest rate, for every krone begun: no purchase can have earned more by
// what came back, wherever on the stairs it stood.
func (p *ploverStairs) loose(part ploverPart) int64 {
	charged := 3 * part.begun(ploverKrone)
	p.a.post(Reversed, -charged, "", part.id, "Retur uten kvittering")
	return charged
}

func (p *ploverStairs) lift(part ploverPart, charged int64) {
	p.a.post(Adjusted, charged, "", part.id, "Retur: kjøp funnet")
}

func (p *ploverStairs) next(t time.Time) time.Time { return p.months.after(t) }

func (p *ploverStairs) run() { p.level(p.months.index(p.a.now) - 1) }

func (p *ploverStairs) free() int64 { return p.a.balance() }
