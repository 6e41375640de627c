package foreign

import "time"

// blindMaple is a card that pays each month's cashback by itself, by lines of net purchases.
var blindMaple = Design{
	Name: "blind-maple",
	Source: "Tangerine Money-Back Credit Card (tangerine.ca/en/products/spending/creditcard/money-back): 2% in chosen categories, 0.5% on all else, on net purchases, paid each month into the savings account. " +
		"Mine: the categories, that each has a line on the statement, rounding; section 4.3, V3(a)",
	Currency: "CAD",
	Class:    "V3(a)",
	Published: "GROCERY, DINING and ONLINE 2%, FUEL, TRAVEL and all other purchases 0.5%, on the net purchases (purchases less returns) of each of these categories in a calendar month (Toronto), down to the cent. " +
		"Granted and paid into your savings account on the first of the next month. Returns lower the net purchases of their category.",
	How: "A return is set off against its category's purchases of the month in which it is told of. A line of a statement cannot be below zero: " +
		"where more came back in a category than was bought in the month, it says 0, and the rest is not carried to the next month.",
	Leak: "Book a trip for C$1,600.00 in March: C$8.00 are paid on 1 April. Cancel it in April, and book no other that month: April's line for TRAVEL says 0, and nothing is ever set off against the C$8.00.",
	New: func() Engine {
		return newBlindDesk(blindRules{
			wake: func(b *blindBook) time.Time { return blindNext(b.now, 1, blindToronto) },
			tick: blindMapleClose,
			free: func(*blindBook) int64 { return 0 },
		})
	},
}

var blindToronto = blindZone("America/Toronto")

// blindMapleLine is the line on which a category is.
func blindMapleLine(category string) string {
	switch category {
	case "GROCERY", "DINING", "ONLINE", "FUEL", "TRAVEL":
		return category
	}
	return "OTHER"
}

// blindMapleClose draws up the month that ends now.
func blindMapleClose(b *blindBook) {
	var lines blindTally
	now := func(told time.Time) bool { return blindNext(told, 1, blindToronto).Equal(b.now) }
	left := make(map[string]*blindBuy)
	for _, p := range b.buys {
		left[p.id] = &blindBuy{category: p.category, amount: p.amount, told: p.told}
		if now(p.told) {
			lines.add(blindMapleLine(p.category), p.amount)
		}
	}
	for _, r := range b.backs {
		category, amount, told := r.category, r.amount, r.told
		if r.of != "" {
			p := left[r.of]
			if p == nil {
				continue // until its purchase clears
			}
			if amount == 0 || amount > p.amount {
				amount = p.amount
			}
			p.amount -= amount
			category = p.category
			if told.Before(p.told) {
				told = p.told
			}
		}
		if now(told) {
			lines.add(blindMapleLine(category), -amount)
		}
	}
	month := b.now.In(blindToronto).AddDate(0, -1, 0).Format("January 2006")
	for _, line := range lines.names {
		per := int64(200)
		if line == "GROCERY" || line == "DINING" || line == "ONLINE" {
			per = 50
		}
		b.row(max(0, lines.sums[line])/per, "", "", line+", "+month)
	}
	b.enter(Posting{Kind: Paid, Amount: -b.balance, Note: "to your savings account"})
}
