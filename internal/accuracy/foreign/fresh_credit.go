package foreign

import "time"

// freshCredit is a marketplace's card: one line of cashback on each statement.
type freshCredit struct {
	freshDesk[freshCreditBook]
}

// freshCreditBook is the cycle that runs, and what each purchase has been rated at.
type freshCreditBook struct {
	month    time.Time // the beginning of the cycle
	cashback int64     // of the cycle's purchases, net of what came back in it
	reversal int64     // for purchases of cycles before
	rated    map[string]freshCreditRated
}

// freshCreditRated is the cashback of a purchase, and in which cycle it was.
type freshCreditRated struct {
	month    time.Time
	cashback int64
}

var freshCreditDesign = Design{
	Name: "fresh-credit",
	Source: "Axis Bank's terms for the Flipkart, Freecharge and Airtel cards, as on scribd.com (5% at the house's own shop, less at partners, 1% elsewhere, none on fuel; worked out on a statement's purchases less returns of the same statement and credited with the next; " +
		"what is returned after that is a negative cashback to be made good); paper, section 4.3 (V3(a))",
	Published: "5% cashback in the category ONLINE, 3% in DINING and TRAVEL, none on FUEL, 1% on everything else; of each purchase, rounded down to the full rupee, and at most ₹500 a purchase. " +
		"The cashback of a calendar month (UTC, by the day on which a purchase clears) is credited against your card bill by itself when the month is over; there is nothing to redeem. " +
		"Purchases returned or charged back, wholly or in part and whenever, earn on what you keep, counted as one purchase of that price. What comes off is taken off the cashback of the month in which the return posts. " +
		"If that is more than the month's cashback, nothing is credited and the rest is carried over to the next months until it is made good. " +
		freshGuessExact,
	How: "Two sums per cycle, cashback and reversals. At the close the statement's line is max(0, cashback − reversals), credited at once, and both sums begin at nought. The rest is not carried over. " +
		"The carry was designed as a column of the statement record. The print bureau's file has one credit field, unsigned, and rejected the first negative lines on the eve of launch; the line was clipped in the statement record itself, " +
		"and the job that should have filled the next cycle's opening reversal reads that record. Since most months' returns are fewer than most months' purchases nobody saw it. The ledger shows the clipped part as \"statement rounding to nil\".",
	Class: "V3(a)",
	Leak: "Buy online for ₹10,000 in May (₹500 credited with May's bill), return it in June, and buy nothing else in June: the reversal of ₹500 meets a cashback of nothing, the line is nil, and in July it is forgotten. " +
		"The handler has fired and the debt was there; it is floored at nought at each close.",
	Currency: "INR",
	New: func() Engine {
		e := &freshCredit{}
		e.house, e.exact = e, true
		return e
	},
}

func (e *freshCredit) opened(f *freshFile[freshCreditBook]) {
	f.own = freshCreditBook{month: freshMonth(f.opened), rated: map[string]freshCreditRated{}}
}

// freshCreditRate is the cashback for what is kept of a purchase.
func freshCreditRate(p *freshPurchase) int64 {
	percent := int64(1)
	switch p.category {
	case "ONLINE":
		percent = 5
	case "DINING", "TRAVEL":
		percent = 3
	case "FUEL":
		percent = 0
	}
	return min(500_00, p.kept()*percent/100/100*100)
}

func (e *freshCredit) moved(f *freshFile[freshCreditBook], cleared *freshPurchase, others []*freshPurchase, _ *freshReturn) {
	if cleared != nil {
		f.own.rated[cleared.id] = freshCreditRated{month: f.own.month}
		e.rate(f, cleared)
	}
	for _, p := range others {
		e.rate(f, p)
	}
}

// rate brings a difference into one of the cycle's sums.
func (e *freshCredit) rate(f *freshFile[freshCreditBook], p *freshPurchase) {
	rated := f.own.rated[p.id]
	difference := freshCreditRate(p) - rated.cashback
	if rated.month.Equal(f.own.month) {
		f.own.cashback += difference
	} else {
		f.own.reversal -= difference
	}
	rated.cashback += difference
	f.own.rated[p.id] = rated
}

// run closes the cycles that are over.
func (e *freshCredit) run(f *freshFile[freshCreditBook]) {
	for end := f.own.month.AddDate(0, 1, 0); !e.now.Before(end); end = f.own.month.AddDate(0, 1, 0) {
		of := f.own.month.Format("January 2006")
		f.change(end, f.own.cashback, "", nil, "cashback of "+of)
		f.change(end, -f.own.reversal, "", nil, "returns in "+of)
		if line := f.balance; line < 0 {
			f.post(Posting{At: end, Kind: Adjusted, Amount: -line, Note: "statement rounding to nil"})
		} else {
			f.post(Posting{At: end, Kind: Paid, Amount: -line, Note: "credited against the bill of " + of})
		}
		f.own.month, f.own.cashback, f.own.reversal = end, 0, 0
	}
}

// spendable: it is credited by itself.
func (e *freshCredit) spendable(*freshFile[freshCreditBook]) int64 { return 0 }
