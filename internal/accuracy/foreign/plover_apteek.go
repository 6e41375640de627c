package foreign

import "time"

// ploverApteek is sound: every return reverses the whole grant and grants what is kept anew;
// vouchers are paid by themselves, and a debt comes off the next ones.
var ploverApteek = Design{
	Name: "plover-apteek",
	Source: "After the club cards of South African pharmacy chains (points per R5, vouchers " +
		"every second month; Clicks ClubCard and the like); from memory.",
	Published: "1 point for every full R5 of a purchase, 2 in the pharmacy (PHARMACY). 1,000 " +
		"points once for new members who spend R3,000 within 60 days of joining, returns " +
		"deducted. On the first of every second month (January, March, ...) full hundreds of " +
		"points are paid out as a voucher of 10c a point; there is no other way to use them. " +
		"Returns take the points back; what was paid out already comes off later vouchers.",
	How: "A purchase is granted at once. A return books back the purchase's grant, all of it, " +
		"and grants what is kept anew; rows name both. The new member's bonus is booked, " +
		"taken back and booked again as the spend of the first 60 days says. A return that " +
		"names no purchase takes 2 points for every R5 begun and counts in full against the " +
		"bonus's spend, whatever it was of. The balance may be below zero for ever. Balances " +
		"are in points." + ploverUnknown,
	Class:    "robust",
	Currency: "ZAR",
	New: func() Engine {
		return ploverNew(func(a *ploverAccount) ploverPlan {
			zone := ploverZone("Africa/Johannesburg")
			return &ploverVouchers{a: a, pairs: ploverCalendar{zone, 1, 2}, granted: map[string]int64{}}
		})
	},
}

const (
	ploverFiveRand     = 500
	ploverWelcome      = 1000
	ploverWelcomeSpend = 300000
	ploverWelcomeTime  = 60 * 24 * time.Hour
)

type ploverVouchers struct {
	a       *ploverAccount
	pairs   ploverCalendar // of months
	granted map[string]int64
	loosed  int64 // what came back without naming its purchase
	welcome int64 // what the bonus has paid and not taken back
}

func (p *ploverVouchers) points(b *ploverBuy) int64 {
	if b.category == "PHARMACY" {
		return 2 * b.units(ploverFiveRand)
	}
	return b.units(ploverFiveRand)
}

func (p *ploverVouchers) grant(b *ploverBuy, refund, note string) {
	p.granted[b.id] = p.points(b)
	p.a.post(Earned, p.granted[b.id], b.id, refund, note)
	p.levelWelcome()
}

func (p *ploverVouchers) bought(b *ploverBuy) { p.grant(b, "", "Points") }

func (p *ploverVouchers) back(b *ploverBuy, part ploverPart) {
	p.a.post(Reversed, -p.granted[b.id], b.id, part.id, "Return: points reversed")
	p.grant(b, part.id, "Points on goods kept")
}

func (p *ploverVouchers) loose(part ploverPart) int64 {
	charged := 2 * part.begun(ploverFiveRand)
	p.loosed += part.amount
	p.a.post(Reversed, -charged, "", part.id, "Return without till slip")
	p.levelWelcome()
	return charged
}

func (p *ploverVouchers) lift(part ploverPart, charged int64) {
	p.loosed -= part.amount
	p.a.post(Adjusted, charged, "", part.id, "Return: till slip found")
	p.levelWelcome()
}

// levelWelcome books what the bonus is worth more or less than it has paid. What came back
// without a name may have been bought in the first 60 days, so all of it counts as if.
func (p *ploverVouchers) levelWelcome() {
	spend := -p.loosed
	for _, b := range p.a.buys {
		if !b.at.Before(p.a.opened) && b.at.Before(p.a.opened.Add(ploverWelcomeTime)) {
			spend += b.left()
		}
	}
	var worth int64
	if spend >= ploverWelcomeSpend {
		worth = ploverWelcome
	}
	kind, note := Earned, "Welcome bonus"
	if worth < p.welcome {
		kind, note = Reversed, "Welcome bonus: spend returned"
	}
	p.a.post(kind, worth-p.welcome, "", "", note)
	p.welcome = worth
}

func (p *ploverVouchers) next(t time.Time) time.Time { return p.pairs.after(t) }

// run pays the voucher that is due.
func (p *ploverVouchers) run() {
	if hundreds := p.a.balance() / 100; hundreds > 0 {
		p.a.post(Paid, -100*hundreds, "", "", "Cashback voucher")
	}
}

// free is nothing: points are paid out by themselves alone.
func (p *ploverVouchers) free() int64 { return 0 }
