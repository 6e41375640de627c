package foreign

import "time"

// orchardNightbatch is a core-banking system: everything is booked by the nightly run,
// but what it will take is held from the moment it is known.
var orchardNightbatch = Design{
	Name:   "orchard-nightbatch",
	Source: "After the moneyback offers of Polish current accounts, from memory; none in particular.",
	Published: "1% on card purchases, 2% on those of a Wednesday, together up to PLN 100 for the purchases of a calendar month. Booked each " +
		"night at 22:00 for what has cleared by then; redeemable once booked. Returned purchases count as not made; what has been paid out " +
		"on them is owed. From the moment a return is known, what it will take cannot be redeemed. A return without a purchase's name is " +
		"counted against Wednesday purchases first.",
	How: "The run values each day of purchases anew. A day whose amount has changed gets a full reversal of its old row and a new row, both " +
		"at the time of the run; no row names a purchase. Between runs, redeemable is the lower of what is booked and of what the booked " +
		"purchases are worth with all known returns.",
	Class:    "robust",
	Currency: "PLN",
	New:      func() Engine { return orchardOpen(&orchardNight{orchardZone("Europe/Warsaw")}) },
}

type orchardNight struct{ zone *time.Location }

// orchardMonthCap is in grosz, for a month.
const orchardMonthCap = 10000

func (o *orchardNight) settled(b *orchardBook, _ *orchardPurchase) { b.last["work"] = 1 }
func (o *orchardNight) returned(b *orchardBook, _ *orchardReturn)  { b.last["work"] = 1 }

// next is the next 22:00, local time.
func (o *orchardNight) next(t time.Time) time.Time {
	l := t.In(o.zone)
	at := time.Date(l.Year(), l.Month(), l.Day(), 22, 0, 0, 0, o.zone)
	if !at.After(t) {
		at = time.Date(l.Year(), l.Month(), l.Day()+1, 22, 0, 0, 0, o.zone)
	}
	return at
}

func (o *orchardNight) wednesday(p *orchardPurchase) bool {
	return p.at.In(o.zone).Weekday() == time.Wednesday
}

// value says what each booked purchase is worth, and what loose returns take of all.
func (o *orchardNight) value(b *orchardBook) (total, debit int64) {
	loose := b.tally(nil)
	month, room := time.Month(0), int64(0)
	year := 0
	wednesdays := make([]int64, len(b.purchases)+1) // net spend of Wednesdays up to each purchase
	for i, p := range b.purchases {
		l := p.at.In(o.zone)
		if l.Month() != month || l.Year() != year {
			month, year, room = l.Month(), l.Year(), orchardMonthCap
		}
		wednesdays[i+1] = wednesdays[i]
		if !p.granted {
			continue
		}
		rate := int64(1)
		if o.wednesday(p) {
			rate = 2
			wednesdays[i+1] += p.left
		}
		p.worth = min(p.left*rate/100, room)
		room -= p.worth
		total += p.worth
	}
	var placed int64 // on Wednesdays, by the returns before
	debit = b.debit(loose, func(r *orchardReturn, seen []*orchardPurchase) int64 {
		dear := min(r.amount, max(0, wednesdays[len(seen)]-placed))
		placed += dear
		return orchardUp(2*dear+(r.amount-dear), 100)
	})
	return total, debit
}

// run books the night, if there is something to book.
func (o *orchardNight) run(b *orchardBook) {
	if b.last["work"] == 0 {
		return
	}
	b.last["work"] = 0
	for _, p := range b.purchases {
		p.granted = true
	}
	_, debit := o.value(b)
	for i := 0; i < len(b.purchases); {
		day, sum := b.purchases[i].at.In(o.zone).Format("2006-01-02"), int64(0)
		for ; i < len(b.purchases) && b.purchases[i].at.In(o.zone).Format("2006-01-02") == day; i++ {
			sum += b.purchases[i].worth
		}
		if old := b.last[day]; old != sum {
			b.post(Reversed, -old, "", "", "storno "+day)
			b.post(Earned, sum, "", "", "moneyback "+day)
			b.last[day] = sum
		}
	}
	if old := b.last[orchardUnmatched]; old != debit {
		b.post(Adjusted, old, "", "", "storno returns without a purchase")
		b.post(Reversed, -debit, "", "", "returns without a purchase")
		b.last[orchardUnmatched] = debit
	}
}

func (o *orchardNight) redeemable(b *orchardBook) int64 {
	total, debit := o.value(b)
	return min(b.sum, total-debit) - b.redeemed
}
