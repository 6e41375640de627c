package foreign

import (
	"fmt"
	"sort"
	"time"
)

var opalHelvetiaDesign = Design{
	Name:   "opal-helvetia",
	Source: "after Swiss cashback cards (Swisscard Cashback, Cumulus) which credit twice a year, from memory of their public rules",
	Published: "2% on GROCERY up to CHF 60 of cashback in a calendar year, 0.5% on everything else without a limit. Cashback is reckoned when the statement closes, on the 21st (Zurich time), " +
		"and what stands on the account is paid to the card with the statements of January and July if it is CHF 5 or more; it cannot be asked for. What is returned counts as not bought, in the year " +
		"of the purchase, and is set off on the next statement; what is owed is set off against later cashback, for as long as it takes. A refund above the price counts as one of the price.",
	How: "Nothing happens between closes. A close restates everything since the account was opened, from what is left of each purchase, and writes one row for each year and group that is worth something " +
		"else than at the close before; one row can hold many purchases and refunds, and names none. Payouts follow in the same instant, after all refunds known are set off. Loose refunds cost the best " +
		"rate of what is left at their merchant, in a row of their own.",
	Class:    "robust",
	Currency: "CHF",
	New:      opalNew(func() opalScheme { return &opalHelvetia{rows: map[opalHelvetiaRow]int64{}} }),
}

var opalZurich = opalZone("Europe/Zurich")

// opalHelvetiaRow is what is restated: a year's groceries, or its other purchases.
type opalHelvetiaRow struct {
	year    int
	grocery bool
}

type opalHelvetia struct {
	rows  map[opalHelvetiaRow]int64
	taken int64
}

const (
	opalHelvetiaDay   = 21
	opalHelvetiaCap   = 6000
	opalHelvetiaLeast = 500
)

// rate is in thousandths.
func (s *opalHelvetia) rate(b *opalBuy) int64 {
	if b.category == "GROCERY" {
		return 20
	}
	return 5
}

func (s *opalHelvetia) changed(*opalAccount, time.Time, *opalBuy, *opalBack) {}

func (s *opalHelvetia) due(_ *opalAccount, after time.Time) time.Time {
	return opalNextClose(after, opalHelvetiaDay, opalZurich)
}

// tick closes a statement: it restates, and twice a year pays.
func (s *opalHelvetia) tick(a *opalAccount, at time.Time) {
	worth, earned := map[opalHelvetiaRow]int64{}, make([]int64, len(a.buys))
	for row := range s.rows {
		worth[row] = 0
	}
	for i, b := range a.buys {
		row := opalHelvetiaRow{opalYear(b.at, opalZurich), b.category == "GROCERY"}
		earned[i] = b.net() * s.rate(b) / 1000
		if row.grocery {
			earned[i] = min(earned[i], opalHelvetiaCap-worth[row])
		}
		worth[row] += earned[i]
	}
	s.restate(a, at, worth)
	a.level(at, &s.taken, a.deduct(at, earned, s.rate, 20, opalShare(1000)), "refunds without a purchase")
	month := at.In(opalZurich).Month()
	if pay := a.balance(); (month == time.January || month == time.July) && pay >= opalHelvetiaLeast {
		a.post(Posting{At: at, Kind: Paid, Amount: -pay, Note: "cashback credited to your card"})
	}
}

// restate writes the rows that differ, the oldest year first, groceries before the rest.
func (s *opalHelvetia) restate(a *opalAccount, at time.Time, worth map[opalHelvetiaRow]int64) {
	rows := make([]opalHelvetiaRow, 0, len(worth))
	for row := range worth {
		rows = append(rows, row)
	}
	sort.Slice(rows, func(i, j int) bool {
		if rows[i].year != rows[j].year {
			return rows[i].year < rows[j].year
		}
		return rows[i].grocery && !rows[j].grocery
	})
	for _, row := range rows {
		kind, note := Earned, fmt.Sprintf("cashback %d", row.year)
		if worth[row] < s.rows[row] {
			kind = Reversed
		}
		if row.grocery {
			note = fmt.Sprintf("grocery cashback %d", row.year)
		}
		a.post(Posting{At: at, Kind: kind, Amount: worth[row] - s.rows[row], Note: note})
		s.rows[row] = worth[row]
	}
}

// redeemable is nothing: cashback is paid, not asked for.
func (s *opalHelvetia) redeemable(*opalAccount, time.Time) int64 { return 0 }
