package foreign

// blindEscalator is a card whose rate for a whole month rises with the month's spending.
var blindEscalator = Design{
	Name: "blind-escalator",
	Source: "FNB eBucks and other South African and Singaporean cards (ebucks.com): who spends enough in a month is on a higher level, and it counts for all of the month. " +
		"Mine: two levels only, their rates, that the rise is paid at once",
	Currency: "ZAR",
	Class:    "other",
	Published: "1% on all purchases; 2.5% on all purchases of a calendar month (Johannesburg) if they come to R600.00 or more, down to the cent per purchase. Granted on clearing, with the purchase that reaches R600.00 also the difference for those before it; redeemable at once. " +
		"Returns count in the month of their purchase, at once and at any time, as if the purchase had been smaller, and for the level too; what was used is owed. " +
		"A return that names no purchase is of the latest one of that merchant, else category, else of all.",
	How: "Keeps each month's net spending, and the level by it. When a purchase lifts it to R600.00, the 1.5% for what is there already is paid in a row of its own, which names no purchase. " +
		"A return is taken off the month, then taken back at the rate of the level on which the month is now. The row for the rise is nobody's to take back, and is paid again when the month rises again.",
	Leak: "Spend R400.00 and R300.00 in a month: R4.00, R7.50 and R6.00 for the rise. Return the R300.00: the month is below R600.00, so R3.00 is taken, and R14.50 is left where R4.00 is due. Spend R300.00 again: R7.50 and another R6.00.",
	New: func() Engine {
		return newBlindDesk(blindRules{
			sale: func(b *blindBook, p *blindBuy) {
				month := blindEscalatorMonth(p)
				from := b.sums[month]
				b.sums[month] += p.amount
				if from < blindEscalatorLevel && b.sums[month] >= blindEscalatorLevel {
					b.row(from*15/1000, "", "", "higher level in "+month)
				}
				b.row(p.amount*blindEscalatorRate(b.sums[month])/1000, p.id, "", "cashback")
			},
			moved: func(b *blindBook, p *blindBuy, before int64, refund string) {
				month := blindEscalatorMonth(p)
				b.sums[month] += p.kept - before
				rate := blindEscalatorRate(b.sums[month])
				b.row(p.kept*rate/1000-before*rate/1000, p.id, refund, "return")
			},
		})
	},
}

var blindJohannesburg = blindZone("Africa/Johannesburg")

const blindEscalatorLevel = 60_000

func blindEscalatorMonth(p *blindBuy) string {
	return p.made.In(blindJohannesburg).Format("January 2006")
}

// blindEscalatorRate is the rate of a month in which so much was spent, in thousandths.
func blindEscalatorRate(spent int64) int64 {
	if spent >= blindEscalatorLevel {
		return 25
	}
	return 10
}
