package foreign

// finalBrackets is a debit card whose rate rises with what was spent in the month.
var finalBrackets = Design{
	Name:     "final-brackets",
	Source:   "debit and charge cards whose cashback rate rises in brackets of the month's spending, each part of it at its own rate",
	Currency: "EUR",
	Class:    "robust",
	Published: "Of what is spent in a calendar month (Berlin): up to €500 0.4%, from there to €1,500 0.8%, above 1.2%; a purchase that crosses a mark is split. " +
		"FUEL earns nothing and does not count. Half up to the cent per purchase. In the balance on clearing, redeemable 30 days later. " +
		"Returns count as if the purchase had been smaller, at once and at any time; the month's purchases after it move down the brackets.",
	How: "Goes through a month's purchases in the order in which they were made and gives each the rates of where it lies, by what is kept of those before it.",
	New: func() Engine {
		return newFinalDesk(&finalRecalc{grants: bracketGrants, locked: bracketLocked})
	},
}

var berlin = finalZone("Europe/Berlin")

const bracketHold = 30 * finalDay

var brackets = []struct{ from, rate int64 }{{0, 40}, {50_000, 80}, {150_000, 120}}

func bracketGrants(b *finalBook) (list []finalGrant) {
	spent := make(map[string]int64)
	for _, p := range b.inOrderMade() {
		if p.category == "FUEL" {
			continue
		}
		month := p.made.In(berlin).Format("2006-01")
		from := spent[month]
		spent[month] += p.kept
		list = append(list, p.reward(finalHalfUp(bracketParts(spent[month])-bracketParts(from)), "cashback "+month))
	}
	return list
}

// bracketParts is what a month's spending up to here earns, in ten-thousandths.
func bracketParts(spent int64) (parts int64) {
	for i, step := range brackets {
		to := spent
		if i+1 < len(brackets) {
			to = min(to, brackets[i+1].from)
		}
		parts += max(0, to-step.from) * step.rate
	}
	return parts
}

// bracketLocked is what stands in the balance for purchases of the last thirty days.
func bracketLocked(b *finalBook) (sum int64) {
	for _, p := range b.buys {
		if p.cleared.Add(bracketHold).After(b.now) {
			sum += b.booked["purchase "+p.id]
		}
	}
	return sum
}
