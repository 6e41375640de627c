package foreign

import "time"

var velvetDhow = Design{
	Name: "velvet-dhow",
	Source: "after Gulf cashback cards with a yearly maximum (NBK, Mashreq, Emirates NBD) and the paper's Issuer F, as their public " +
		"rules say, from memory",
	Published: "2.5 % cashback at ONLINE and TRAVEL up to KWD 100 a calendar year (Kuwait), 0.75 % on everything else, " +
		"rounded down a purchase, in fils. Cashback can be used when the purchase clears. Cashback of returned purchases is deducted; " +
		"a balance below zero is made up by later cashback.",
	How: "Each purchase has a row at once. Refunds and chargebacks are put on a list; the statement, on the 25th, takes them " +
		"all in and books one row for what they change together, which names neither purchases nor refunds. The " +
		"balance may fall below zero then, and stays there until it is earned back.",
	Class: "V3(b)",
	Leak: "ONLINE for KWD 400 on the 26th earns KWD 10, redeemable at once. Returned on the 28th, and the balance is still KWD 10 and " +
		"can be redeemed until the 25th of the next month; only then does it become −10, which a customer who buys no more never repays.",
	Currency: "KWD",
	New:      velvetNew(func(a *velvetAccount) velvetProgram { return &velvetDhowBooks{a: a} }),
}

var velvetKuwait = velvetZone("Asia/Kuwait")

const velvetDhowLimit = 100_000 // fils a year

// velvetDhowBooks has one sum on its books and a list of returns for the statement.
type velvetDhowBooks struct {
	velvetOnRequest
	a      *velvetAccount
	list   []*velvetReturn
	booked int64
}

func (d *velvetDhowBooks) bought(p *velvetPurchase) { d.level(p.id, "cashback") }

// returned is the flaw: what has been granted can be redeemed until the statement.
func (d *velvetDhowBooks) returned(r *velvetReturn) { d.list = append(d.list, r) }

func (d *velvetDhowBooks) next(after time.Time) time.Time {
	_, end := velvetStatement(after, velvetKuwait, 25)
	return end
}

func (d *velvetDhowBooks) run(time.Time) {
	for _, r := range d.list {
		d.a.count(r)
	}
	d.list = nil
	d.level("", "returns of this statement")
}

func velvetDhowFast(p *velvetPurchase) bool { return p.category == "ONLINE" || p.category == "TRAVEL" }

// level books the difference to what all purchases earn by the returns taken in so far.
func (d *velvetDhowBooks) level(purchase, note string) {
	used := map[int]int64{}
	var sum int64
	for _, p := range d.a.purchases {
		if !velvetDhowFast(p) {
			sum += velvetShare(p.left(), 7_500)
			continue
		}
		year := p.at.In(velvetKuwait).Year()
		cash := min(velvetShare(p.left(), 25_000), velvetDhowLimit-used[year])
		used[year] += cash
		sum += cash
	}
	for _, cost := range d.a.unnamedCosts(velvetSuspicion{cost: velvetDhowCost}, sum) {
		sum -= cost
	}
	d.a.bookChange(sum-d.booked, purchase, "", note)
	d.booked = sum
}

// velvetDhowCost is what a part of a purchase has earned, if it was within the limit.
func velvetDhowCost(_ *velvetReturn, p *velvetPurchase, part int64) int64 {
	if velvetDhowFast(p) {
		return velvetShareUp(part, 25_000)
	}
	return velvetShareUp(part, 7_500)
}
