package foreign

import "time"

// blindMerlion is a card of points by the category of a statement.
var blindMerlion = Design{
	Name: "blind-merlion",
	Source: "UOB and OCBC rewards cards of Singapore (uob.com.sg/personal/cards, ocbc.com/personal-banking/cards): points for every S$5, more of them for dining and online up to a limit a month, shown by category on the statement. " +
		"Mine: the S$5 are those of a category's sum, the statement day, the worth of a point, how returns are netted",
	Currency: "SGD",
	Class:    "robust",
	Published: "Points, worth a cent each, for every full S$5 of a category's net purchases of a statement: DINING 20, ONLINE 15 (each on at most S$1,000 of a statement), GROCERY 10, FUEL, TRAVEL and all other purchases 5. " +
		"Statements close at 00:00 of the 12th (Singapore); each lists one sum per category, granted and redeemable then. " +
		"A return counts in the statement of its purchase, at any time: what it takes is in its category's sum of the next statement, which may be below zero, and cannot be redeemed from the moment we hear of it. Points that were used are owed. " +
		"A return that names no purchase is of the dearest one of that merchant, else category, else of all.",
	How: "At a close, works out what each category has earned on all statements so far from what is kept, and books the difference to what was booked for the category: new points and those of returns in one row, which names nothing. " +
		"What the next close would take is held back from redemption already.",
	New: func() Engine {
		return newBlindDesk(blindRules{
			rather: func(_ int64, p, q *blindBuy) bool { return p.kept > q.kept },
			wake:   func(b *blindBook) time.Time { return blindNext(b.now, 12, blindSingapore) },
			tick: func(b *blindBook) {
				now := blindMerlionEarned(b)
				for _, category := range now.names {
					b.is(category, now.sums[category], "", "", category+", statement of "+b.now.In(blindSingapore).Format("2 January 2006"))
				}
			},
			free: func(b *blindBook) int64 {
				coming := int64(0)
				now := blindMerlionEarned(b)
				for _, category := range now.names {
					coming += now.sums[category] - b.sums[category]
				}
				return b.balance + min(0, coming)
			},
		})
	},
}

var blindSingapore = blindZone("Asia/Singapore")

var blindMerlionPoints = map[string]struct{ points, most int64 }{
	"DINING": {20, 200}, "ONLINE": {15, 200}, "GROCERY": {10, 0}, "FUEL": {5, 0}, "TRAVEL": {5, 0}, "OTHER": {5, 0},
}

// blindMerlionEarned is what each category has earned on the statements that are closed.
func blindMerlionEarned(b *blindBook) *blindTally {
	type statement struct {
		category string
		close    time.Time
	}
	var order []statement
	spent := make(map[statement]int64)
	for _, p := range b.buys {
		s := statement{p.category, blindNext(p.made, 12, blindSingapore)}
		if _, listed := blindMerlionPoints[s.category]; !listed {
			s.category = "OTHER"
		}
		if _, there := spent[s]; !there && !s.close.After(b.now) {
			order = append(order, s)
		}
		spent[s] += p.kept
	}
	var earned blindTally
	for _, s := range order {
		terms, fives := blindMerlionPoints[s.category], spent[s]/500
		if terms.most > 0 {
			fives = min(fives, terms.most)
		}
		earned.add(s.category, fives*terms.points)
	}
	return &earned
}
