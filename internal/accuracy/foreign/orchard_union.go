package foreign

import (
	"fmt"
	"time"
)

// orchardUnion is a spreadsheet: one sheet a quarter, which nobody opens again.
var orchardUnion = Design{
	Name:   "orchard-creditunion",
	Source: "After the patronage refunds that savings co-operatives pay on card use, from memory; none in particular.",
	Published: "Members who buy for KES 20,000 or more in a calendar quarter get 1.5% of all purchases of it, from KES 100,000 on 2.5% of all. Worked out " +
		"when the quarter is over and paid into the member's account by itself ten days later. Returned purchases do not count, whenever " +
		"they are returned; what was paid on them is set off.",
	How: "At the end of a quarter the sheet takes all purchases that are not in one yet, less the returns known by then, and one row is posted " +
		"for each quarter that they are of. Ten days later the balance is paid out. A return is looked up in the open sheet only: of a purchase " +
		"in a closed sheet nothing is found, and the line is left out.",
	Class: "V2",
	Leak: "Buy for KES 100,000 on 28 March; KES 2,500 are worked out on 1 April and paid on the 11th; return all on 15 April: nothing is taken back, " +
		"KES 2,500 stay for nothing bought.",
	Currency: "KES",
	New: func() Engine {
		return orchardUnionEngine{orchardOpen(&orchardSheets{orchardZone("Africa/Nairobi")})}
	},
}

// orchardUnionEngine also pays by itself.
type orchardUnionEngine struct{ *orchardTill }

// PaidOut is the sum of the payouts that nobody asked for.
func (e orchardUnionEngine) PaidOut(account string) (int64, error) {
	b, err := e.book(account)
	if err != nil {
		return 0, err
	}
	return b.last["paid"], nil
}

type orchardSheets struct{ zone *time.Location }

func (o *orchardSheets) settled(*orchardBook, *orchardPurchase) {}
func (o *orchardSheets) returned(*orchardBook, *orchardReturn)  {}
func (o *orchardSheets) redeemable(b *orchardBook) int64        { return b.balance() }

// next is the start of a quarter or its eleventh day, whichever comes first.
func (o *orchardSheets) next(t time.Time) time.Time {
	l := t.In(o.zone)
	first := (l.Month()-1)/3*3 + 1
	for _, at := range []time.Time{
		orchardMidnight(o.zone, l.Year(), first, 11),
		orchardMidnight(o.zone, l.Year(), first+3, 1),
	} {
		if at.After(t) {
			return at
		}
	}
	return orchardMidnight(o.zone, l.Year(), first+3, 11) // not reached: the next quarter is after t
}

func (o *orchardSheets) run(b *orchardBook) {
	if b.now.In(o.zone).Day() == 11 {
		if due := b.balance(); due > 0 {
			b.post(Paid, -due, "", "", "paid into the account")
			b.last["paid"] += due
		}
		return
	}
	o.close(b)
}

// close makes the sheet: what is left of its purchases now is what they count for ever.
func (o *orchardSheets) close(b *orchardBook) {
	loose := b.tally(func(r *orchardReturn) bool { return !r.done })
	var sheet []*orchardPurchase
	for _, p := range b.purchases {
		if !p.granted {
			sheet = append(sheet, p)
		}
	}
	for _, r := range loose { // those that name nothing known: off the newest lines
		if r.purchase != "" {
			continue // waits for its purchase
		}
		rest := r.amount
		for i := len(sheet) - 1; i >= 0; i-- {
			part := min(rest, sheet[i].left)
			sheet[i].left -= part
			rest -= part
		}
		r.done = true
	}
	for _, p := range sheet {
		p.granted = true
		for _, r := range p.claims {
			r.done = true
		}
		b.last["net "+p.id] = p.left
	}
	o.post(b)
}

// post works out each quarter by what its lines say.
func (o *orchardSheets) post(b *orchardBook) {
	for i := 0; i < len(b.purchases); {
		quarter, from, spend := o.quarter(b.purchases[i]), i, int64(0)
		for ; i < len(b.purchases) && o.quarter(b.purchases[i]) == quarter; i++ {
			spend += b.last["net "+b.purchases[i].id]
		}
		rate := int64(0)
		switch {
		case spend >= 10000000:
			rate = 25
		case spend >= 2000000:
			rate = 15
		}
		var sum int64
		for _, p := range b.purchases[from:i] {
			sum += b.last["net "+p.id] * rate / 1000
		}
		b.level(quarter, sum, "", "", "patronage refund "+quarter)
	}
}

func (o *orchardSheets) quarter(p *orchardPurchase) string {
	l := p.at.In(o.zone)
	return fmt.Sprintf("%d Q%d", l.Year(), (l.Month()-1)/3+1)
}
