package foreign

import "time"

// ploverFatura leaks otherwise: a return makes room under the cap of the cycle in which it
// posts, where the purchase had used that of another.
var ploverFatura = Design{
	Name: "plover-fatura",
	Source: "After the cash back of Brazilian digital banks (a high rate at restaurants up to " +
		"a limit per bill, 1 % elsewhere); from memory.",
	Published: "5 % at restaurants (RESTAURANT), up to R$100 a bill; 1 % elsewhere; of full reais. " +
		"Bills close on the 10th. Cash back can be used as soon as a purchase posts. Returned " +
		"purchases lose theirs and free the limit that they had used.",
	How: "A purchase earns at once, at restaurants as far as its bill's limit leaves room. " +
		"A return takes back what the purchase's bill is worth less and books that out of the " +
		"limit's counter: of the bill in which the return posts. Rows name purchase and " +
		"return; what room brings to purchases that the limit had cut is a row of its own. " +
		"Returns without a purchase cost 5 % of every real begun, and no counter changes. " +
		"The balance may be below zero for ever." + ploverUnknown,
	Class: "other",
	Leak: "A return in a later bill takes its reward back but adds as much to that bill's limit. R$2,000 " +
		"at a restaurant in May earn R$100; cancelled in June, they are taken back, and the June bill " +
		"then earns up to R$200: of R$4,000 at restaurants R$200, where R$100 is promised.",
	Currency: "BRL",
	New: func() Engine {
		return ploverNew(func(a *ploverAccount) ploverPlan {
			return &ploverLimit{a: a, bills: ploverCalendar{ploverZone("America/Sao_Paulo"), 10, 1},
				extra: map[int]int64{}, paid: map[int]int64{}}
		})
	},
}

const (
	ploverReal      = 100
	ploverLimitBill = 10000
)

type ploverLimit struct {
	a     *ploverAccount
	bills ploverCalendar
	extra map[int]int64 // how far a bill's counter was set back by returns of other bills
	paid  map[int]int64 // what restaurants have earned in a bill
}

// worth is what restaurants earn in a bill, its counter being what it is.
func (p *ploverLimit) worth(bill int) int64 {
	var sum int64
	for _, b := range p.a.buys {
		if b.category == "RESTAURANT" && p.bills.index(b.at) == bill {
			sum += 5 * b.units(ploverReal)
		}
	}
	return min(sum, ploverLimitBill+p.extra[bill])
}

// level brings a bill to its worth and says by how much that was.
func (p *ploverLimit) level(bill int) int64 {
	delta := p.worth(bill) - p.paid[bill]
	p.paid[bill] += delta
	return delta
}

func (p *ploverLimit) bought(b *ploverBuy) {
	reward := b.units(ploverReal)
	if b.category == "RESTAURANT" {
		reward = p.level(p.bills.index(b.at))
	}
	p.a.post(Earned, reward, b.id, "", "Cashback")
}

func (p *ploverLimit) back(b *ploverBuy, part ploverPart) {
	if b.category != "RESTAURANT" {
		before := (b.left() + part.amount) / ploverReal
		p.a.post(Reversed, b.units(ploverReal)-before, b.id, part.id, "Estorno de cashback")
		return
	}
	bill, now := p.bills.index(b.at), p.bills.index(p.a.now)
	taken := p.level(bill)
	p.a.post(Reversed, taken, b.id, part.id, "Estorno de cashback")
	if bill != now { // the counter of today's bill, and not of the purchase's: the flaw
		p.extra[now] -= taken
		p.a.post(Earned, p.level(now), "", "", "Cashback: limite liberado")
	}
}

func (p *ploverLimit) loose(part ploverPart) int64 {
	charged := 5 * part.begun(ploverReal)
	p.a.post(Reversed, -charged, "", part.id, "Estorno sem compra")
	return charged
}

func (p *ploverLimit) lift(part ploverPart, charged int64) {
	p.a.post(Adjusted, charged, "", part.id, "Estorno: compra localizada")
}

// next is never: bills only name the counters.
func (p *ploverLimit) next(time.Time) time.Time { return time.Time{} }

func (p *ploverLimit) run() {}

func (p *ploverLimit) free() int64 { return p.a.balance() }
