package foreign

import "time"

// ploverBencina is sound: the ledger has one row a night, but the gate of redemptions looks
// at the day that is not booked yet.
var ploverBencina = Design{
	Name: "plover-bencina",
	Source: "After the fuel discounts and the pesos of Chilean department store cards and " +
		"banks (CMR, Cencosud and the like); from memory.",
	Published: "10 pesos for every full 1,000 of a purchase, and 40 more at filling stations " +
		"(FUEL), these up to 15,000 pesos a calendar quarter. Pesos are credited in the night " +
		"and can be used the next day. Returns are deducted from the purchase and its " +
		"quarter; returns that we cannot match cost 50 pesos for every 1,000 begun.",
	How: "A batch at local midnight books one row: what everything kept is worth, less what " +
		"is booked. It names nothing. During the day nothing is booked, and the balance " +
		"shows last night's; but a redemption is checked against the lesser of that and of " +
		"what the batch would make of it now. The balance may be below zero for ever." + ploverUnknown,
	Class:    "robust",
	Currency: "CLP",
	New: func() Engine {
		return ploverNew(func(a *ploverAccount) ploverPlan {
			return &ploverNightly{a: a, quarters: ploverCalendar{ploverZone("America/Santiago"), 1, 3}}
		})
	},
}

const (
	ploverThousand = 1000
	ploverFuelCap  = 15000
)

type ploverNightly struct {
	a        *ploverAccount
	quarters ploverCalendar
	loosed   int64 // pesos that returns without a name have cost
	dirty    bool  // something has happened since the last batch
}

// worth is what the account is worth in all: what is kept, less unnamed returns.
func (p *ploverNightly) worth() int64 {
	sum := -p.loosed
	fuel := map[int]int64{}
	for _, b := range p.a.buys {
		sum += 10 * b.units(ploverThousand)
		if b.category == "FUEL" {
			fuel[p.quarters.index(b.at)] += 40 * b.units(ploverThousand)
		}
	}
	for _, pesos := range fuel {
		sum += min(pesos, ploverFuelCap)
	}
	return sum
}

func (p *ploverNightly) bought(*ploverBuy) { p.dirty = true }

func (p *ploverNightly) back(*ploverBuy, ploverPart) { p.dirty = true }

func (p *ploverNightly) loose(part ploverPart) int64 {
	charged := 50 * part.begun(ploverThousand)
	p.loosed += charged
	p.dirty = true
	return charged
}

func (p *ploverNightly) lift(_ ploverPart, charged int64) {
	p.loosed -= charged
	p.dirty = true
}

func (p *ploverNightly) next(t time.Time) time.Time {
	y, m, d := t.In(p.quarters.zone).Date()
	return ploverMidnight(y, int(m), d+1, p.quarters.zone)
}

// run is the batch.
func (p *ploverNightly) run() {
	if !p.dirty {
		return
	}
	p.dirty = false
	delta := p.worth() - p.a.booked
	kind, note := Earned, "Abono del día"
	if delta < 0 {
		kind, note = Reversed, "Cargo del día"
	}
	p.a.post(kind, delta, "", "", note)
}

func (p *ploverNightly) free() int64 {
	return min(p.a.booked, p.worth()) - p.a.redeemed
}
