package foreign

import "time"

// ploverSukli leaks as V3(b): it pays at once and takes back with the statement.
var ploverSukli = Design{
	Name: "plover-sukli",
	Source: "After the cash back of Philippine credit cards (a high rate in supermarkets up to " +
		"a cap per statement, little elsewhere); from memory.",
	Published: "₱5 for every full ₱100 of a supermarket purchase (SUPERMARKET), up to ₱1,500 a " +
		"statement month; ₱0.50 for every full ₱100 elsewhere. Statements are cut on the 25th. " +
		"Cash back is credited when a purchase posts and can be converted at any time. Cash " +
		"back of returned purchases will be reversed.",
	How: "A purchase is granted at once, in a supermarket as far as the cycle's counter " +
		"leaves room. Refunds and chargebacks are noted; when the statement is cut, one row, " +
		"which names nothing, brings the ledger to what everything kept is worth (unnamed " +
		"refunds at ₱5 per ₱100 begun). Until then a redemption is checked against the ledger " +
		"alone. The balance may be below zero for ever." + ploverUnknown,
	Class: "V3(b)",
	Leak: "Between a return and the statement its reward can be redeemed. ₱20,000 of groceries on " +
		"1 June earn ₱1,000; they are returned on 3 June, ₱1,000 is redeemed on 4 June, and on " +
		"25 June the balance is -₱1,000, which nobody who stops using the card ever makes good.",
	Currency: "PHP",
	New: func() Engine {
		return ploverNew(func(a *ploverAccount) ploverPlan {
			return &ploverStatement{a: a, cycles: ploverCalendar{ploverZone("Asia/Manila"), 25, 1},
				used: map[int]int64{}}
		})
	},
}

const (
	ploverHundredPeso = 10000
	ploverMarketCap   = 150000
)

type ploverStatement struct {
	a      *ploverAccount
	cycles ploverCalendar
	used   map[int]int64 // the counter of the cap, by cycle
	loosed int64         // what unnamed refunds cost
}

func (p *ploverStatement) bought(b *ploverBuy) {
	reward := 50 * b.units(ploverHundredPeso)
	if b.category == "SUPERMARKET" {
		cycle := p.cycles.index(b.at)
		reward = min(500*b.units(ploverHundredPeso), ploverMarketCap-p.used[cycle])
		p.used[cycle] += reward
	}
	p.a.post(Earned, reward, b.id, "", "Cash back")
}

// back waits for the statement, and the gate of redemptions does not look here: the flaw.
func (p *ploverStatement) back(*ploverBuy, ploverPart) {}

func (p *ploverStatement) loose(part ploverPart) int64 {
	charged := 500 * part.begun(ploverHundredPeso)
	p.loosed += charged
	return charged
}

func (p *ploverStatement) lift(_ ploverPart, charged int64) { p.loosed -= charged }

func (p *ploverStatement) next(t time.Time) time.Time { return p.cycles.after(t) }

// run cuts the statement: the ledger comes to what is kept, and so do the counters.
func (p *ploverStatement) run() {
	worth := -p.loosed
	market := map[int]int64{}
	for _, b := range p.a.buys {
		if b.category == "SUPERMARKET" {
			market[p.cycles.index(b.at)] += 500 * b.units(ploverHundredPeso)
		} else {
			worth += 50 * b.units(ploverHundredPeso)
		}
	}
	for cycle, reward := range market {
		p.used[cycle] = min(reward, ploverMarketCap)
		worth += p.used[cycle]
	}
	kind, note := Adjusted, "Cash back on purchases that the cap had cut"
	if worth < p.a.booked {
		kind, note = Reversed, "Reversal for returns of this statement"
	}
	p.a.post(kind, worth-p.a.booked, "", "", note)
}

func (p *ploverStatement) free() int64 { return p.a.balance() }
