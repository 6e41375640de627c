package people

import "time"

// furnishesAHome moves in every few months, with much furniture and a housewarming of which
// crates are left over; then there is a piece now and then. Some go back, and of others a
// chair does. Clothes are ordered in several sizes, what does not fit is sent back, and
// what can be redeemed is, on the next day.
func furnishesAHome(p *person) {
	for day := p.opened + p.between(0, 30); day < p.days-150; day += p.between(140, 190) {
		for range p.between(4, 8) {
			p.buyForHome(day+p.between(0, 20), 120_000, 600_000)
		}
		for range p.between(1, 3) {
			crates := p.buy(day+p.between(30, 45), grocery, int64(p.between(20_000, 90_000)))
			if p.chance(60) {
				p.sendBack(crates, p.between(10, 50), crates.Amount*int64(p.between(3, 10))/10, linked)
			}
		}
	}
	for day := p.opened + 15; day < p.days; day += p.between(8, 25) {
		p.buyForHome(day, 6_000, 150_000)
	}
	for day := p.opened + 5; day < p.days; day += p.between(20, 45) {
		back := p.between(3, 8)
		for range p.between(3, 6) {
			clothes := p.buy(day, fashion, p.price(fashion))
			if p.chance(75) {
				p.sendBack(clothes, back, clothes.Amount, p.withReceipt())
			}
		}
		p.redeem(day+back+1, 100)
	}
}

// buyForHome buys a piece, of which all may come back, or a little.
func (p *person) buyForHome(day, low, high int) {
	shop := []int{home, electronics}[p.IntN(2)]
	b := p.buy(day, shop, int64(p.between(low, high)))
	switch {
	case p.chance(30):
		p.sendBack(b, p.between(2, 80), b.Amount, p.withReceipt())
	case p.chance(45):
		p.sendBack(b, p.between(3, 60), b.Amount*int64(p.between(2, 20))/100, linked)
	}
}

// fillsUpAndBuysOn spends in one kind of shop what any cap could be on at the end of a
// quarter, and as much in the next one; only then returns what is of the old quarter, and buys
// on. Of the last thing, for which no cap has room, a trifle comes back. All is so far from the
// turns of months that it is the same where a bill closes in their first ten days.
func fillsUpAndBuysOn(p *person) {
	kinds := []int{grocery, fuel, online, restaurant, dining}
	opened := p.at(p.opened+40, 0)
	turn := time.Date(opened.Year(), opened.Month()-(opened.Month()-1)%3+3, 1, 0, 0, 0, 0, time.UTC)
	for round := p.nth; turn.Before(p.at(p.days-60, 0)); round, turn = round+1, turn.AddDate(0, 3, 0) {
		shop, first := kinds[round%len(kinds)], int(turn.Sub(start).Hours()/24)
		var old []*purchase
		for range p.between(2, 3) {
			old = append(old, p.buy(first-p.between(12, 19), shop, int64(p.between(60_000, 130_000))))
		}
		for range 3 {
			p.buy(first+p.between(11, 15), shop, int64(p.between(70_000, 120_000)))
		}
		for _, b := range old {
			p.sendBack(b, first+p.between(16, 18)-b.day, b.Amount, p.withReceipt())
		}
		var last *purchase
		for i := range p.between(2, 3) {
			last = p.buy(first+19+3*i, shop, int64(p.between(60_000, 120_000)))
		}
		p.sendBack(last, p.between(1, 30), int64(p.between(50, 900)), linked)
	}
	p.redeemEvery(p.between(20, 60))
}

// goesBackOnSaturdays shops in the week and takes something of it back on Saturday: a trifle
// of the groceries, or of each parcel all but the one thing that fits. Some shops hand their
// refunds in days later, when a month may be over.
func goesBackOnSaturdays(p *person) {
	shop, visits := grocery, 3
	if p.nth%2 == 1 {
		shop, visits = online, 2
	}
	saturday := p.opened + 7
	for p.at(saturday, 0).Weekday() != time.Saturday {
		saturday++
	}
	for ; saturday < p.days; saturday += 7 {
		for range p.between(1, visits) {
			b := p.buy(saturday-p.between(2, 5), shop, int64(p.between(9_000, 40_000)))
			if p.chance(15) {
				continue
			}
			back := int64(p.between(100, 2_000))
			if shop == online {
				back = b.Amount - int64(p.between(300, 1_900))
			}
			m := p.sendBack(b, saturday-b.day, back, linked)
			if p.chance(35) {
				m.Happened = m.Delivered
				m.Delivered = m.Delivered.AddDate(0, 0, p.between(1, 9))
			}
		}
	}
	p.redeemEvery(p.between(25, 60))
}
