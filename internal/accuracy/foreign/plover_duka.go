package foreign

import "time"

// ploverDuka leaks as V3(a): the wallet refuses to go below zero, and nobody keeps the rest.
var ploverDuka = Design{
	Name: "plover-duka",
	Source: "After the points of Kenyan supermarkets and mobile wallets (points per KES 100, " +
		"held a week); from memory.",
	Published: "1 point for every full KES 100 of a purchase, 3 for electronics (ELECTRONICS); " +
		"a point is worth a shilling. Points can be used 7 days after the purchase. If you " +
		"return goods, the points that they earned are deducted.",
	How: "Points are booked with the purchase, and counted as usable once it is 7 days old. " +
		"A return reckons what the purchase has earned too much and debits the wallet, which " +
		"cannot be overdrawn: the service debits what is there and marks the return as done. " +
		"Returns that name no purchase cost 3 points for every KES 100 begun, in the same " +
		"way. Debits name the return alone. Balances are in points." + ploverUnknown,
	Class: "V3(a)",
	Leak: "A debt is dropped where the points are used up. A television for KES 80,000 earns " +
		"2,400 points; they are used on day 8, the television is returned on day 9 and 0 points are " +
		"deducted. The next purchase of KES 10,000 at one point per 100 can be used in full: 100 points.",
	Currency: "KES",
	New: func() Engine {
		return ploverNew(func(a *ploverAccount) ploverPlan { return &ploverWallet{a: a} })
	},
}

const (
	ploverHundredBob = 10000
	ploverWeek       = 7 * 24 * time.Hour
)

type ploverWallet struct{ a *ploverAccount }

// rate is the points per full hundred shillings.
func (p *ploverWallet) rate(b *ploverBuy) int64 {
	if b.category == "ELECTRONICS" {
		return 3
	}
	return 1
}

func (p *ploverWallet) points(b *ploverBuy) int64 { return p.rate(b) * b.units(ploverHundredBob) }

// debit takes points out of the wallet, no more than there are: the flaw.
func (p *ploverWallet) debit(points int64, refund string) int64 {
	points = min(points, p.a.balance())
	p.a.post(Reversed, -points, "", refund, "Points deducted for a return")
	return points
}

func (p *ploverWallet) bought(b *ploverBuy) {
	p.a.post(Earned, p.points(b), b.id, "", "Points earned")
}

func (p *ploverWallet) back(b *ploverBuy, part ploverPart) {
	before := p.rate(b) * ((b.left() + part.amount) / ploverHundredBob)
	p.debit(before-p.points(b), part.id)
}

func (p *ploverWallet) loose(part ploverPart) int64 {
	return p.debit(3*part.begun(ploverHundredBob), part.id)
}

// lift gives back what was really taken.
func (p *ploverWallet) lift(part ploverPart, charged int64) {
	p.a.post(Adjusted, charged, "", part.id, "Points given back: receipt found")
}

// next is never: points come of age by being looked at.
func (p *ploverWallet) next(time.Time) time.Time { return time.Time{} }

func (p *ploverWallet) run() {}

func (p *ploverWallet) free() int64 {
	free := p.a.balance()
	for _, b := range p.a.buys {
		if p.a.now.Before(b.at.Add(ploverWeek)) {
			free -= p.points(b)
		}
	}
	return free
}
