package foreign

import (
	"fmt"
	"sort"
	"time"
)

var juniperTabulaDesign = Design{
	Name:   "juniper-tabula",
	Source: "after US bank cards with category cash back and a monthly spend bonus, from memory",
	Published: "4% on GROCERY and FUEL, together up to USD 30 a calendar month, 2% on DINING, 1% on all else. USD 10 for every month with purchases of USD 1,000 or more, returns deducted. " +
		"Rewards can be used as soon as a purchase has posted; a return takes them back at once.",
	How: "The books keep a sheet for each month. Whatever changes a month withdraws its sheet in one row and writes it anew, a row for each purchase and one for the bonus, " +
		"so that a purchase may have been granted a dozen times and no row takes it back by name. " +
		"Returns of no known purchase are one deduction at 4% and of each bonus that they could have broken, withdrawn and made anew likewise.",
	Class:    "robust",
	Currency: "USD",
	New:      func() Engine { return juniperNew(&juniperTabula{loc: juniperZone("America/New_York")}) },
}

// juniperTabula writes a month's sheet anew when it changes.
type juniperTabula struct{ loc *time.Location }

const (
	juniperTabulaCap   = 3000
	juniperTabulaGoal  = 100000
	juniperTabulaBonus = 1000
)

// juniperLine is a line of a sheet; that of the bonus names no purchase.
type juniperLine struct {
	purchase string
	amount   int64
}

func (s *juniperTabula) jobs() []juniperJob { return nil }

// write makes the sheets from the facts, and says what each month's purchases come to.
func (s *juniperTabula) write(a *juniperAccount) (sheets map[int][]juniperLine, spend map[int]int64) {
	sheets, spend = map[int][]juniperLine{}, map[int]int64{}
	used := map[int]int64{}
	for _, p := range a.purchases {
		m := juniperMonth(p.at, s.loc, 1)
		spend[m] += p.net
		var f int64
		switch p.category {
		case "GROCERY", "FUEL":
			f = min(p.net*4/100, juniperTabulaCap-used[m])
			used[m] += f
		case "DINING":
			f = p.net * 2 / 100
		default:
			f = p.net / 100
		}
		if f > 0 {
			sheets[m] = append(sheets[m], juniperLine{p.id, f})
		}
	}
	for m, n := range spend {
		if n >= juniperTabulaGoal {
			sheets[m] = append(sheets[m], juniperLine{"", juniperTabulaBonus})
		}
	}
	return sheets, spend
}

// deduction is the most that returns of no known purchase can have cost, bonuses included:
// they break those first that little is needed for.
func (s *juniperTabula) deduction(a *juniperAccount, spend map[int]int64) int64 {
	sum := a.worst(400)
	var left int64
	for _, r := range a.nameless() {
		left += r.amount
	}
	var breaks []int64
	for _, n := range spend {
		if n >= juniperTabulaGoal {
			breaks = append(breaks, n-juniperTabulaGoal+1)
		}
	}
	sort.Slice(breaks, func(i, j int) bool { return breaks[i] < breaks[j] })
	for _, n := range breaks {
		if left -= n; left < 0 {
			break
		}
		sum += juniperTabulaBonus
	}
	return sum
}

func (s *juniperTabula) changed(a *juniperAccount, at time.Time, r *juniperReturn) {
	sheets, spend := s.write(a)
	months := make([]int, 0, len(spend))
	var worth int64
	for m := range spend {
		months = append(months, m)
		worth += juniperTotal(sheets[m])
	}
	sort.Ints(months)
	var cause string
	if r != nil && !r.chargeback {
		cause = r.id
	}
	for _, m := range months {
		if juniperSame(a.sheets[m], sheets[m]) {
			continue
		}
		name := fmt.Sprintf("%04d-%02d", m/12, m%12+1)
		a.post(at, Reversed, -juniperTotal(a.sheets[m]), "", cause, "Sheet "+name+" withdrawn")
		for _, l := range sheets[m] {
			a.post(at, Earned, l.amount, l.purchase, "", "Sheet "+name)
		}
		a.sheets[m] = sheets[m]
	}
	if d := min(worth, s.deduction(a, spend)); d != a.taken {
		a.post(at, Adjusted, a.taken, "", "", "Deduction withdrawn")
		a.post(at, Adjusted, -d, "", "", "Returns without a purchase")
		a.taken = d
	}
}

// sure is the balance: the books are always up to date.
func (s *juniperTabula) sure(a *juniperAccount, _ time.Time) int64 { return a.balance }

func juniperTotal(lines []juniperLine) (sum int64) {
	for _, l := range lines {
		sum += l.amount
	}
	return sum
}

func juniperSame(x, y []juniperLine) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}
