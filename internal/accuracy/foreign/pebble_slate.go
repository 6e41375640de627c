package foreign

import (
	"slices"
	"time"
)

// pebbleSlate wipes the slate of a month at every change and writes it anew.
var pebbleSlate = Design{
	Name:   "pebble-slate",
	Source: "after the app cashback of European neobanks (Vivid, bunq, Revolut plans), from memory",
	Published: "5% back on GROCERY, at most EUR 10 of it in a calendar month (Vilnius time), and 1% on everything else. " +
		"Cashback is there when the purchase clears and can be redeemed at once. What you return earns nothing; " +
		"a return that names no purchase that has cleared costs 5% of it, until that clears.",
	How: "At every fact the months whose grants change are withdrawn in one row that names nothing, and all their purchases " +
		"are granted anew in rows that name them, in the order of purchase, so that freed room of the cap goes to others. " +
		"A return without a known purchase has a row of its own that names it, and an adjustment when its purchase clears.",
	Class: "robust", Currency: "EUR",
	New: func() Engine {
		return pebbleNew(&pebbleSlates{loc: pebbleZone("Europe/Vilnius"), books: map[*pebbleAccount]*pebbleSlateBook{}})
	},
}

const (
	pebbleSlateTop = 5    // percent, on groceries
	pebbleSlateCap = 1000 // of the reward on groceries in a month
)

type pebbleSlates struct {
	loc   *time.Location
	books map[*pebbleAccount]*pebbleSlateBook
}

// A pebbleSlateBook is what the ledger says now.
type pebbleSlateBook struct {
	lines map[string][]pebbleSlateLine
	loose []*pebbleClaim // the returns without a known purchase, as they are in the ledger
}

type pebbleSlateLine struct {
	transaction string
	amount      int64
}

// earned is what the purchases that are kept earn, by month.
func (s *pebbleSlates) earned(a *pebbleAccount) (months []string, lines map[string][]pebbleSlateLine) {
	lines = map[string][]pebbleSlateLine{}
	used := map[string]int64{}
	for _, p := range a.buys {
		month := p.at.In(s.loc).Format("2006-01")
		if _, ok := lines[month]; !ok {
			months = append(months, month)
			lines[month] = nil
		}
		worth := p.left() / 100
		if p.category == "GROCERY" {
			worth = min(p.left()*pebbleSlateTop/100, pebbleSlateCap-used[month])
			used[month] += worth
		}
		if worth > 0 {
			lines[month] = append(lines[month], pebbleSlateLine{p.id, worth})
		}
	}
	return months, lines
}

func (s *pebbleSlates) booked(a *pebbleAccount, now time.Time, _ pebbleCause) {
	book := s.books[a]
	if book == nil {
		book = &pebbleSlateBook{lines: map[string][]pebbleSlateLine{}}
		s.books[a] = book
	}
	months, lines := s.earned(a)
	for _, month := range months {
		if old := book.lines[month]; !slices.Equal(old, lines[month]) {
			s.rewrite(a, now, month, old, lines[month])
		}
	}
	book.lines = lines
	loose := a.loose()
	for _, c := range book.loose {
		if !slices.Contains(loose, c) {
			a.post(Posting{At: now, Kind: Adjusted, Amount: pebbleSlateDoubt(c), Refund: c.id, Note: "Return matched"})
		}
	}
	for _, c := range loose {
		if !slices.Contains(book.loose, c) {
			a.post(Posting{At: now, Kind: Reversed, Amount: -pebbleSlateDoubt(c), Refund: c.id, Note: "Return without a purchase"})
		}
	}
	book.loose = loose
}

func pebbleSlateDoubt(c *pebbleClaim) int64 { return pebbleUp(c.amount*pebbleSlateTop, 100) }

func (s *pebbleSlates) rewrite(a *pebbleAccount, now time.Time, month string, old, lines []pebbleSlateLine) {
	var sum int64
	for _, l := range old {
		sum += l.amount
	}
	a.post(Posting{At: now, Kind: Reversed, Amount: -sum, Note: "Cashback " + month + " recalculated"})
	for _, l := range lines {
		a.post(Posting{At: now, Kind: Earned, Amount: l.amount, Transaction: l.transaction, Note: "Cashback " + month})
	}
}

// next is far away: nothing waits here.
func (s *pebbleSlates) next(after time.Time) time.Time { return after.AddDate(1000, 0, 0) }

func (s *pebbleSlates) run(*pebbleAccount, time.Time) {}

func (s *pebbleSlates) sure(a *pebbleAccount, _ time.Time) int64 { return a.posted - a.redeemed }
