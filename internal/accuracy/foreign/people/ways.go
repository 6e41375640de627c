package people

import "time"

// ways are the ways of life: what somebody does with a card.
var ways = []struct {
	name string
	live func(*person)
}{
	{"keeper", keeps},
	{"household", household},
	{"shopper", shopsAndReturns},
	{"late", returnsLate},
	{"parts", returnsInParts},
	{"pennies", returnsPennies},
	{"over", getsTooMuchBack},
	{"dipper", redeemsThenReturns},
	{"resident", redeemsThenReturnsAndStays},
	{"filler", fillsUpThenReturns},
	{"newcomer", spendsALotAtFirst},
	{"climber", spendsALotInAYear},
	{"coffee", buysSmallThings},
	{"hasty", returnsBeforeItClears},
	{"yearly", returnsAtTheTurnOfTheYear},
	{"driver", paysAtThePump},
	{"season", fillsUpQuarters},
	{"mover", furnishesAHome},
	{"capped", fillsUpAndBuysOn},
	{"saturday", goesBackOnSaturdays},
}

// everyday is what people buy besides what their way is about: something every so many days.
func (p *person) everyday(from, until, every int, then func(*purchase)) {
	for day := from; day < until; day += p.between(1, 2*every-1) {
		bought := p.anything(day)
		if p.chance(2) {
			p.tellAgain(bought.Move, p.between(0, 3))
		}
		if then != nil {
			then(bought)
		}
	}
}

// keeps buys and returns nothing, and redeems now and then, or never.
func keeps(p *person) {
	p.everyday(p.opened, p.days, 3+p.nth%9, nil)
	if p.nth%3 != 0 {
		p.redeemEvery(30 * (p.nth%3*2 - 1))
	}
}

// household returns one purchase in ten, within two months, whole or in part.
func household(p *person) {
	p.everyday(p.opened, p.days, 3, func(b *purchase) {
		if !p.chance(10) {
			return
		}
		amount := b.Amount
		if p.chance(40) {
			amount = b.Amount * int64(p.between(5, 95)) / 100
		}
		if m := p.sendBack(b, p.between(0, 60), amount, p.somehow()); m != nil && p.chance(10) {
			p.tellAgain(*m, p.between(0, 20))
		}
	})
	p.redeemEvery(p.between(25, 120))
}

// shopsAndReturns orders much online and sends a third of it back.
func shopsAndReturns(p *person) {
	for day := p.opened; day < p.days; day += p.between(1, 8) {
		b := p.buy(day, 3, p.price(3))
		if p.chance(33) {
			p.sendBack(b, p.between(2, 35), b.Amount, p.somehow())
		} else if p.chance(15) {
			p.sendBack(b, p.between(2, 90), b.Amount/int64(p.between(2, 4)), linked)
		}
	}
	p.redeemEvery(p.between(30, 50))
}

// returnsLate returns few things, and late: a month to more than a year after.
func returnsLate(p *person) {
	ages := []int{29, 30, 31, 45, 59, 61, 75, 89, 90, 91, 100, 119, 121, 150, 179, 181, 240, 300, 364, 366, 400}
	next := p.nth
	p.everyday(p.opened, p.days-60, 5, func(b *purchase) {
		if p.chance(18) {
			p.sendBack(b, ages[next%len(ages)], b.Amount, linked)
			next++
		}
	})
	if p.chance(70) {
		p.redeemEvery(p.between(28, 70))
	}
}

// returnsInParts returns some purchases in two to fifty parts, over up to four months.
func returnsInParts(p *person) {
	counts := []int{2, 3, 5, 10, 20, 50, 2, 7, 4, 30}
	next := p.nth
	p.everyday(p.opened, p.days-120, 9, func(b *purchase) {
		if b.Amount < 5000 || !p.chance(60) {
			return
		}
		parts := counts[next%len(counts)]
		next++
		all := b.Amount
		if p.chance(30) {
			all = all * 9 / 10 // something is kept
		}
		after, spread := p.between(0, 12), p.between(0, 3)
		for i := range parts {
			part := all / int64(parts)
			if i == parts-1 {
				part = all - part*int64(parts-1)
			}
			p.sendBack(b, after+i*spread, part, linked)
		}
	})
	p.redeemEvery(p.between(30, 60))
}

// returnsPennies gets next to nothing back, again and again: deposits, price
// differences, a cent.
func returnsPennies(p *person) {
	p.everyday(p.opened, p.days-40, 4, func(b *purchase) {
		for range p.between(0, 5) {
			amount := []int64{1, 1, 5, 25, 49, 50, 99, 100, 250, 499, 999, 1999}[p.IntN(12)]
			if amount < b.left {
				p.sendBack(b, p.between(0, 40), amount, linked)
			}
		}
	})
	p.redeemEvery(45)
}

// getsTooMuchBack gets more back than was paid: fares and shipping, a refund that is
// paid twice under two numbers, rounding in another currency.
func getsTooMuchBack(p *person) {
	p.everyday(p.opened, p.days, 5, func(b *purchase) {
		if !p.chance(20) {
			return
		}
		switch after := p.between(0, 50); p.IntN(3) {
		case 0:
			p.sendBack(b, after, b.Amount+int64(p.between(1, 3000)), linked)
		case 1:
			p.sendBack(b, after, b.Amount, linked)
			p.sendBack(b, after+p.between(0, 30), b.Amount, linked)
		default:
			p.sendBack(b, after, b.Amount/2, linked)
			p.sendBack(b, after+p.between(1, 9), b.Amount*3/4, linked)
		}
	})
	p.redeemEvery(p.between(30, 90))
}

// redeemsThenReturns buys something dear, redeems as soon as it can be redeemed, sends
// all of it back, and does so some times; at last the card lies in a drawer.
func redeemsThenReturns(p *person) {
	day := p.opened
	for range p.between(1, 4) {
		var dear []*purchase
		for range p.between(1, 4) {
			shop := p.anyShop()
			dear = append(dear, p.buy(day, shop, int64(p.between(30_000, 250_000))))
			day += p.between(0, 3)
		}
		wait := p.between(1, 75)
		for at := day; at <= day+wait+2; at += 1 + wait/12 {
			p.redeem(at, 100)
		}
		for _, b := range dear {
			p.sendBack(b, day-b.day+wait+p.between(0, 6), b.Amount, linked)
		}
		// What comes back today is still shown today: ask once more, and tomorrow.
		for at := day + wait; at < day+wait+9; at += 2 {
			p.redeem(at, 100)
		}
		day += wait + p.between(15, 80)
		if day > p.days-120 {
			break
		}
	}
}

// redeemsThenReturnsAndStays does so beside an ordinary life, out of which debts are repaid.
func redeemsThenReturnsAndStays(p *person) {
	p.everyday(p.opened, p.days, 6, func(b *purchase) {
		if !p.chance(12) {
			return
		}
		dear := p.buy(b.day, p.anyShop(), int64(p.between(20_000, 180_000)))
		after := p.between(3, 65)
		p.redeem(b.day+after-1, 100)
		p.sendBack(dear, after, dear.Amount, p.somehow())
		p.redeem(b.day+after, 100)
		p.redeem(b.day+after+3, 50)
	})
	p.redeemEvery(31)
}

// fillsUpThenReturns spends in one kind of shop as much as any cap could be on, in one
// month or quarter, returns the most of it, and buys again.
func fillsUpThenReturns(p *person) {
	for day := p.opened; day < p.days-150; day += p.between(40, 110) {
		shop := p.anyShop()
		var bought []*purchase
		for i := range p.between(3, 7) {
			bought = append(bought, p.buy(day+i*p.between(1, 3), shop, int64(p.between(15_000, 140_000))))
		}
		for _, b := range bought[:p.between(1, len(bought))] {
			amount := b.Amount
			if p.chance(25) {
				amount = b.Amount * int64(p.between(20, 90)) / 100
			}
			p.sendBack(b, p.between(1, 55), amount, p.somehow())
		}
		for i := range p.between(0, 3) {
			p.buy(day+25+i, shop, int64(p.between(10_000, 60_000)))
		}
	}
	p.redeemEvery(p.between(20, 95))
}

// spendsALotAtFirst spends what a welcome could ask for, and sends much of it back soon
// or late; from then on there is little.
func spendsALotAtFirst(p *person) {
	var bought []*purchase
	for range p.between(4, 12) {
		shop := p.anyShop()
		bought = append(bought, p.buy(p.opened+p.between(0, 80), shop, int64(p.between(20_000, 160_000))))
	}
	window := []int{20, 60, 95, 130, 200}[p.nth%5]
	for _, b := range bought {
		if p.chance(75) {
			p.sendBack(b, max(0, p.opened+window-b.day)+p.between(0, 12), b.Amount, p.somehow())
		}
	}
	p.everyday(p.opened+90, p.days, 15, nil)
	p.redeemEvery([]int{15, 40, 85, 100}[p.nth%4])
}

// spendsALotInAYear travels and buys dear things all year, and returns the dearest.
func spendsALotInAYear(p *person) {
	for day := p.opened; day < p.days; day += p.between(3, 14) {
		shop := []int{5, 5, 3, 4, 0}[p.IntN(5)]
		b := p.buy(day, shop, int64(p.between(5_000, 220_000)))
		if b.Amount > 100_000 && p.chance(55) {
			p.sendBack(b, p.between(5, 160), b.Amount, p.somehow())
		}
	}
	p.redeemEvery(p.between(30, 180))
}

// buysSmallThings buys coffee on most days, and gets some of it back at the counter.
func buysSmallThings(p *person) {
	for day := p.opened; day < p.days; day += p.between(1, 3) {
		b := p.buy(day, 1, int64(p.between(90, 1500)))
		switch {
		case p.chance(14):
			p.sendBack(b, p.between(0, 2), b.Amount, p.somehow())
		case p.chance(4):
			p.sendBack(b, p.between(0, 45), b.Amount/2, linked)
		}
	}
	p.redeemEvery(60)
}

// returnsBeforeItClears buys where clearings take days: some are returned before the
// program hears of the purchase, some facts come twice, and refunds are told of late.
func returnsBeforeItClears(p *person) {
	for day := p.opened; day < p.days; day += p.between(4, 16) {
		shop := p.shop()
		b := p.buyLate(day, shop, p.price(shop), p.between(0, 6))
		if p.chance(25) {
			p.tellAgain(b.Move, p.between(0, 9))
		}
		if !p.chance(40) {
			continue
		}
		m := p.sendBack(b, p.between(1, 9), b.Amount, linked)
		if m != nil && p.chance(40) {
			m.Happened = m.Delivered
			m.Delivered = m.Delivered.AddDate(0, 0, p.between(1, 20))
		}
		if m != nil && p.chance(25) {
			p.tellAgain(*m, p.between(0, 40))
		}
	}
	p.redeemEvery(p.between(30, 60))
}

// returnsAtTheTurnOfTheYear buys presents in November and December and returns many in
// January, as every year.
func returnsAtTheTurnOfTheYear(p *person) {
	for day := p.opened; day < p.days; day += p.between(2, 9) {
		b := p.anything(day)
		if month := b.When().Month(); month < 11 && month > 1 {
			continue
		}
		present := p.buy(day, p.anyShop(), int64(p.between(2_000, 60_000)))
		if p.chance(45) {
			p.sendBack(present, p.between(8, 70), present.Amount, p.somehow())
		}
	}
	p.redeemEvery([]int{28, 91, 365}[p.nth%3])
}

// paysAtThePump buys fuel and stays at hotels, which are authorised for more than clears in
// the end, or for something that never does; little of it is returned.
func paysAtThePump(p *person) {
	for day := p.opened + 3; day < p.days; day += p.between(2, 9) {
		b := p.buy(day, fuel, p.price(fuel))
		p.authorized(b, p.between(1, 40), []int64{10_000, 15_000, 17_500}[p.IntN(3)])
		switch {
		case p.chance(6):
			p.sendBack(b, p.between(0, 40), b.Amount, linked)
		case p.chance(8):
			p.cancelled(day+1, fuel, 15_000)
		case p.chance(9):
			stay := p.buy(day+1, travel, p.price(travel))
			p.authorized(stay, p.between(12, 60), stay.Amount*int64(p.between(100, 150))/100)
			if p.chance(30) {
				p.sendBack(stay, p.between(1, 60), stay.Amount, linked)
			}
		}
	}
	p.redeemEvery(p.between(30, 60))
}

// fillsUpQuarters buys in one kind of shop what a cap of a quarter may be on, returns it when
// the quarter is over and then buys more than before; and of what it bought last, above the
// cap, it takes some back to the shop and buys other things for as much.
func fillsUpQuarters(p *person) {
	for round, day := p.nth, p.opened; day < p.days-100; round, day = round+1, day+150 {
		shop := []int{3, 2, 0, 1, 4, 5}[round%usual]
		turn := p.at(day, 0).AddDate(0, 3, 0)
		turn = time.Date(turn.Year(), turn.Month()-(turn.Month()-1)%3, 1, 0, 0, 0, 0, time.UTC)
		quarter := int(turn.Sub(start).Hours() / 24)
		for range p.between(2, 4) {
			b := p.buy(max(p.opened, quarter-p.between(1, 20)), shop, int64(p.between(30_000, 60_000)))
			if p.chance(80) {
				p.sendBack(b, quarter-b.day+p.between(1, 9), b.Amount, linked)
			}
		}
		var last *purchase
		for i := range 5 {
			last = p.buy(quarter+12+3*i, shop, int64(p.between(40_000, 90_000)))
		}
		p.sendBack(last, p.between(1, 4), last.Amount, linked)
		p.buy(quarter+30, shop, last.Amount)
	}
	p.redeemEvery(p.between(20, 60))
}
