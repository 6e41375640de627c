package foreign

import "sort"

var millPantryDesign = Design{
	Name:   "mill-pantry",
	Source: "after the member bonus of Finnish co-operative grocers (S-Group's Bonus), from memory; the ladder is read as bands",
	Published: "For every full euro of a receipt: 1 % of what a calendar month's receipts come to up to EUR 300, " +
		"3 % of what is above, 5 % of what is above EUR 800. Nothing for category LOTTERY. The month's bonus is " +
		"booked when the month is over, and paid out on the 10th of the month if it has not been drawn before. " +
		"Returns lower the month of their purchase, however late. A return without its receipt lowers the months where it costs most.",
	How: "One row a month and no names: 'Bonus 2026-03'. Whatever changes a booked month strikes its row out whole " +
		"and books the month anew, so the rows are never of a purchase or a return. All returns without a receipt are laid " +
		"anew at each event, euro by euro, on the month whose uppermost band is then the dearest. What can be drawn or is paid " +
		"is also bounded by what booked months would be worth if all of these were returns of theirs.",
	Class:    "robust",
	Currency: "EUR",
	New:      func() Engine { return millNew(millPantry{}) },
}

// millPantry pays a ladder of bands on each month's receipts.
type millPantry struct{}

var millHelsinki = millZone("Europe/Helsinki")

// millPantryBands ascend; rates are of a hundred.
var millPantryBands = []struct{ from, rate int64 }{{0, 1}, {30000, 3}, {80000, 5}}

// millPantryMonth is one month's receipts, in full euros that are left of them.
type millPantryMonth struct {
	number   int
	receipts []*millPurchase
	euros    []int64 // of each receipt
	sum      int64
}

func (m *millPantryMonth) worth() int64 {
	var w int64
	for i, b := range millPantryBands {
		top := m.sum
		if i+1 < len(millPantryBands) {
			top = min(top, millPantryBands[i+1].from)
		}
		w += b.rate * max(0, top-b.from) / 100
	}
	return w
}

// band is the index of the band that the month's last euro is in.
func (m *millPantryMonth) band() int {
	i := len(millPantryBands) - 1
	for i > 0 && m.sum <= millPantryBands[i].from {
		i--
	}
	return i
}

// lay takes from the month what one return may be of, no further than its band reaches;
// zero if none of them may be of any receipt left.
func (m *millPantryMonth) lay(loose []*millReturn, money []int64) int64 {
	reach := m.sum - millPantryBands[m.band()].from
	first := m.receipts[len(m.receipts)-1].at // they are youngest first
	for i, r := range loose {
		reaches := r.at.Add(millGrace)
		if money[i] == 0 || first.After(reaches) {
			continue
		}
		for j, p := range m.receipts {
			if m.euros[j] == 0 || p.at.After(reaches) {
				continue
			}
			take := min(money[i], m.euros[j], reach)
			money[i] -= take
			m.euros[j] -= take
			m.sum -= take
			return take
		}
	}
	return 0
}

// months are those up to last, with all returns off them. Bands ascend, so each euro that
// is laid costs no more than the one before it in its month: to take the dearest first is
// to take the most.
func (millPantry) months(a *millAccount, last int) []*millPantryMonth {
	by := map[int]*millPantryMonth{}
	var all []*millPantryMonth
	for _, p := range a.bought {
		n := p.period
		if n > last || p.category == "LOTTERY" {
			continue
		}
		m := by[n]
		if m == nil {
			m = &millPantryMonth{number: n}
			by[n] = m
			all = append(all, m)
		}
		m.receipts = append(m.receipts, p)
		m.euros = append(m.euros, millDown(p.left(), 100))
		m.sum += millDown(p.left(), 100)
	}
	for _, m := range all {
		sort.Stable(m)
	}
	money := make([]int64, len(a.loose))
	for i, r := range a.loose {
		money[i] = millUp(r.amount, 100)
	}
	done := map[int]bool{}
	for len(a.loose) > 0 {
		var best *millPantryMonth
		for _, m := range all {
			if !done[m.number] && m.sum > 0 && (best == nil || m.band() > best.band()) {
				best = m
			}
		}
		if best == nil {
			break
		}
		done[best.number] = best.lay(a.loose, money) == 0
	}
	sort.Slice(all, func(i, j int) bool { return all[i].number < all[j].number })
	return all
}

// Len, Less and Swap bring a month's receipts, with what is left of them, into the order
// youngest first: old returns are laid first and should leave old receipts for others.
func (m *millPantryMonth) Len() int           { return len(m.receipts) }
func (m *millPantryMonth) Less(i, j int) bool { return m.receipts[i].at.After(m.receipts[j].at) }
func (m *millPantryMonth) Swap(i, j int) {
	m.receipts[i], m.receipts[j] = m.receipts[j], m.receipts[i]
	m.euros[i], m.euros[j] = m.euros[j], m.euros[i]
}
