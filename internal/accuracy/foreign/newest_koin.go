package foreign

import (
	"slices"
	"time"

	"recoup/internal/issuer"
)

// newestBKoin is a marketplace's coins: a ledger of lots, each with the day on which it
// lapses. A lot can be below zero, and the job that sweeps lapsed lots does not look.
var newestBKoin = Design{
	Name: "newest-koin",
	Source: "Shopee Coins (help.shopee.ph, articles 80992 and 81133): cashback in coins, credited when an order is completed, that expire at the end of the " +
		"third month, the month of earning being the first. That debts are lots like any others, and swept like them, is ours: an expiry job that " +
		"zeroes what is left of a lot, written for coins",
	Published: "Koin Rewards, in ringgit; a coin is worth one sen and amounts here are sen. A purchase gives 2% of its price in coins, each purchase rounded to the nearest coin, a half " +
		"up. Its coins are credited when the order is completed, 7 days after the purchase, and can be spent from then on; the oldest are spent first. Coins that are not spent expire " +
		"at the end (UTC) of the third month, the month in which they were credited being the first. What is refunded or charged back within " +
		"the 7 days gives no coins. If it is refunded or charged back later, in whole or in part, the coins that it gave are taken back, unless they have expired by " +
		"then; if you have spent them your balance goes below zero and the next coins that you earn pay it off. What is refunded beyond the price does not count. A refund that does not " +
		"say what it is for is taken off your latest purchases at that merchant, then off your latest others, then off your next ones.",
	How: "Coins are lots, and so are debts: one below zero, with an expiry of its own at the end of the third month, the month of the refund being the first. " +
		"New coins fill debts before they become a lot. The sweep at the end of a month sets every lot that lapses to zero, from below as from above.",
	Class: "other",
	Leak: "Buy for RM 1,000.00 on 5 January, have 2,000 coins on the 12th, spend them, return everything on the 20th: the balance is RM -20.00. Buy nothing until April: on 1 April the " +
		"debt has expired and the balance is 0. RM 20.00 is kept on a net spending of nothing, and coins earned from then on can be spent.",
	Currency: "MYR",
	New: func() Engine {
		return newestBOpenHouse(func(time.Time) newestBHolder {
			return &newestBKoinPurse{orders: map[string]*newestBKoinOrder{}}
		})
	},
}

const newestBKoinComplete = 7 * newestBDay

type newestBKoinPurse struct {
	newestBBook
	file   newestBFile
	orders map[string]*newestBKoinOrder
	line   []*newestBKoinOrder // not completed yet
	lots   []newestBKoinLot    // by expiry; all above zero or all below
}

type newestBKoinOrder struct {
	sale      *newestBSale
	completed bool
	coins     int64 // that it has given, less what was taken back
	lapsed    int64 // of these, that expired in the purse
}

type newestBKoinLot struct {
	expires time.Time
	order   *newestBKoinOrder // nil of a debt
	left    int64             // below zero: a debt
}

func newestBKoinExpiry(at time.Time) time.Time { return newestBMonth(at).AddDate(0, 3, 0) }

func (p *newestBKoinPurse) tidy() {
	p.lots = slices.DeleteFunc(p.lots, func(l newestBKoinLot) bool { return l.left == 0 })
	slices.SortStableFunc(p.lots, func(a, b newestBKoinLot) int { return a.expires.Compare(b.expires) })
}

// draw takes coins from the lots, the oldest first, and answers what it did not find.
func (p *newestBKoinPurse) draw(amount int64, of *newestBKoinOrder) int64 {
	for i := range p.lots {
		l := &p.lots[i]
		if l.left > 0 && (of == nil || l.order == of) {
			t := min(l.left, amount)
			l.left -= t
			amount -= t
		}
	}
	return amount
}

func (p *newestBKoinPurse) took(amount int64) {
	p.draw(amount, nil)
	p.tidy()
}

// price brings a completed order to the coins that it should have given.
func (p *newestBKoinPurse) price(at time.Time, o *newestBKoinOrder, refund string) {
	if !o.completed {
		return
	}
	by := newestBHalfUp(o.sale.kept, 2, 100) - o.coins
	o.coins += by
	switch {
	case by > 0:
		p.move(at, by, o.sale.id, refund, "coins")
		for i := range p.lots {
			if l := &p.lots[i]; l.left < 0 {
				t := min(-l.left, by)
				l.left += t
				by -= t
			}
		}
		p.lots = append(p.lots, newestBKoinLot{newestBKoinExpiry(at), o, by})
	case by < 0:
		due := -by
		gone := min(due, o.lapsed)
		o.lapsed -= gone
		due -= gone
		p.move(at, -due, o.sale.id, refund, "coins taken back")
		// Its own coins, if they are still there, then anybody's, then a debt.
		due = p.draw(p.draw(due, o), nil)
		p.lots = append(p.lots, newestBKoinLot{newestBKoinExpiry(at), nil, -due})
	}
	p.tidy()
}

// sweep lets the first lot lapse.
func (p *newestBKoinPurse) sweep() {
	l := p.lots[0]
	p.lots = p.lots[1:]
	if l.order != nil {
		l.order.lapsed += l.left
	}
	p.post(Posting{At: l.expires, Kind: Adjusted, Amount: -l.left, Note: "expired"})
}

// tick completes orders and sweeps lots in the order in which they fall due, lots first.
func (p *newestBKoinPurse) tick(now time.Time) {
	for {
		next := -1
		for i, o := range p.line {
			if next < 0 || o.sale.at.Before(p.line[next].sale.at) {
				next = i
			}
		}
		var done time.Time
		if next >= 0 {
			done = p.line[next].sale.at.Add(newestBKoinComplete)
		}
		switch {
		case len(p.lots) > 0 && !p.lots[0].expires.After(now) && (next < 0 || !p.lots[0].expires.After(done)):
			p.sweep()
		case next >= 0 && !done.After(now):
			o := p.line[next]
			p.line = slices.Delete(p.line, next, next+1)
			o.completed = true
			p.price(done, o, "")
		default:
			return
		}
	}
}

func (p *newestBKoinPurse) settle(s issuer.Settlement, now time.Time) {
	changed := p.file.buy(s)
	o := &newestBKoinOrder{sale: p.file.sales[len(p.file.sales)-1]}
	p.orders[s.Transaction] = o
	if s.At.Add(newestBKoinComplete).After(now) {
		p.line = append(p.line, o)
	} else {
		// It reached us after it was completed, so its coins are of today.
		o.completed = true
	}
	p.reprice(changed, now, "")
}

func (p *newestBKoinPurse) back(b newestBBack, now time.Time) {
	p.reprice(p.file.dig(b), now, b.id)
}

func (p *newestBKoinPurse) reprice(changed []*newestBSale, now time.Time, refund string) {
	for _, s := range changed {
		p.price(now, p.orders[s.id], refund)
	}
}

func (p *newestBKoinPurse) free(time.Time) int64 { return p.balance() }
