package foreign

import "time"

// tundraFjord takes back by the rate of the wrong day.
var tundraFjord = Design{
	Name:   "tundra-fjord",
	Source: "after Nordic cards with weekend campaigns (Lunar, Norwegian), from memory",
	Published: "5 % on what you buy online or eat out on a Saturday or Sunday, 1 % on everything else, on your account at once and paid out when you ask for it. " +
		"If you return something the cashback that you got for it is deducted.",
	How: "The rate of a purchase is looked up by its category and local day. So is that of a return: by the purchase's category and the day of the return, though never more than the purchase still has. " +
		"Chargebacks are another department's and take the share that they should. A row a purchase names it; a row a return names the return only.",
	Class: "other",
	Leak: "What was bought at the weekend rate and comes back on a working day is taken back at 1 %. 10,000 kr online on a Saturday are 500 kr; " +
		"all of it returned on Tuesday takes 100 kr: 400 kr stay for nothing bought.",
	Currency: "DKK",
	New:      func() Engine { return newTundraDesk(tundraFjordZone, tundraFjordProgram{}) },
}

var tundraFjordZone = newTundraCalendar("Europe/Copenhagen")

// tundraFjordProgram goes by the rate of the day.
type tundraFjordProgram struct{ tundraPlain }

func (tundraFjordProgram) rate(category string, at time.Time) int64 {
	weekday := at.In(tundraFjordZone.zone).Weekday()
	if (category == "ONLINE" || category == "DINING") && (weekday == time.Saturday || weekday == time.Sunday) {
		return 500
	}
	return 100
}

func (g tundraFjordProgram) settled(a *tundraAccount, p *tundraPurchase) {
	p.kept = p.amount * g.rate(p.category, p.at) / tundraParts
	a.post(Posting{At: a.desk.clock, Kind: Earned, Amount: p.kept, Transaction: p.id, Note: "Cashback"})
}

// returned is where it leaks: a return has the rate of its own day.
func (g tundraFjordProgram) returned(a *tundraAccount, p *tundraPurchase, r *tundraReturn, x int64) {
	taken := min(p.kept, (x*g.rate(p.category, r.at)+tundraParts-1)/tundraParts)
	if r.chargeback {
		taken = p.kept - p.kept*p.left()/(p.left()+x)
	}
	p.kept -= taken
	a.post(Posting{At: a.desk.clock, Kind: Reversed, Amount: -taken, Refund: r.id, Note: "Returneret"})
}
