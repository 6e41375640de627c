package foreign

import (
	"slices"
	"time"
)

// outsideLitres is a fuel station's card.
var outsideLitres = Design{
	Name: "outside-litres",
	Source: "station cards of central Europe that pay cents a litre by the litres of the month and points in the shop (in the manner of OMV VIVA, Shell ClubSmart and Routex), from memory. " +
		"The litre at a list price, the steps and the block until the next statement are mine.",
	Currency: "EUR",
	Class:    "robust",
	Published: "FUEL counts in litres: one for each full €1.50 of a purchase. Fewer than 60 litres in a calendar month (Vienna) earn 1 cent each, 60 or more 2 cents each, 120 or more 4 cents each, on all of the month's litres. " +
		"GROCERY and DINING at the station earn 1 cent for each full €2.00 of a purchase, all else nothing. A month is credited on the 3rd of the next at 00:00, in one line for fuel and one for the shop. Redeemable from €5.00. " +
		"Returns count in the month of their purchase, whenever they come. What they change of a month that was credited is a correction on the next 3rd, and until then as much is blocked. " +
		"A return that names no purchase is put to an earlier one at the merchant, or else of the category: to the newest of that price, or else to the newest.",
	How: "On each 3rd all months that are over are drawn up from what is kept, and each line's difference to what it has had is posted. Until then the difference is held back from what can be redeemed; debts stay.",
	New: func() Engine { return newOutsideDesk(litres{}, 0) },
}

type litres struct{}

var vienna = outsideZone("Europe/Vienna")

const litresLeast = 500

// lines are those of the months that are over.
func (litres) lines(a *outsideAccount) (list []outsideLine) {
	type month struct {
		first        time.Time
		litres, shop int64
	}
	var months []*month
	for _, s := range a.sales {
		first := outsideMonth(s.made, vienna, 0, 1)
		i := slices.IndexFunc(months, func(m *month) bool { return m.first.Equal(first) })
		if i < 0 {
			i = len(months)
			months = append(months, &month{first: first})
		}
		switch s.category {
		case "FUEL":
			months[i].litres += s.kept / 150
		case "GROCERY", "DINING":
			months[i].shop += s.kept / 200
		}
	}
	slices.SortFunc(months, func(a, b *month) int { return a.first.Compare(b.first) })
	for _, m := range months {
		if outsideMonth(m.first, vienna, 1, 3).After(a.now) {
			continue
		}
		cents := int64(1)
		if m.litres >= 120 {
			cents = 4
		} else if m.litres >= 60 {
			cents = 2
		}
		name := m.first.Format("January 2006")
		list = append(list,
			outsideLine{key: "fuel " + name, note: "fuel, " + name, amount: cents * m.litres},
			outsideLine{key: "shop " + name, note: "shop, " + name, amount: m.shop})
	}
	return list
}

func (litres) sold(a *outsideAccount, s *outsideSale) {
	a.wake(outsideMonth(a.now, vienna, 0, 3), outsideMonth(a.now, vienna, 1, 3))
}

func (litres) came(a *outsideAccount, r *outsideReturn) {
	a.wake(outsideMonth(a.now, vienna, 0, 3), outsideMonth(a.now, vienna, 1, 3))
}

func (l litres) due(a *outsideAccount) { a.level(l.lines(a), "") }

// open is the balance less what the next statement will correct.
func (l litres) open(a *outsideAccount) int64 {
	after := a.balance
	for _, line := range l.lines(a) {
		after += min(0, line.amount-a.stands[line.key])
	}
	if after < litresLeast {
		return 0
	}
	return after
}
