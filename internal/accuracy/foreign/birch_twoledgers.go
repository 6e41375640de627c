package foreign

import "time"

var birchTwoLedgers = Design{
	Name:   "birch-twoledgers",
	Source: "after co-brand cards whose bank books the base reward and whose partner books the bonus (from memory of US co-brands)",
	Published: "1 % on everything; 4 % more at restaurants and 2 % more at groceries, both together up to USD 50.00 a calendar quarter; each part rounded down to the cent for each purchase. " +
		"Bonuses show the day after. Returns are corrected by our reconciliation every four weeks; until then rewards of what was returned cannot be redeemed.",
	How: "The bank books the base at once, rounded up, under the purchase's name. The partner books one row a night for the whole day, under the name of the day's last purchase: " +
		"all that the day's purchases earn, rounded down, less what the bank booked, which may be below zero. A refund books nothing, but one whose purchase is not known " +
		"is charged 5 % at once. The reconciliation, every fourth Sunday, brings each ledger to its due in a row without a name, for or against the customer, and a third row gives back what 5 % was too much. " +
		"What refunds pay beyond the price counts as a refund of something unknown.",
	Class:    "robust",
	Currency: "USD",
	New:      birchNew(birchTwoLedgersBooks{}),
}

var birchTwoLedgersTerms = birchTerms{zone: birchZone("America/Chicago"), day: 1, layers: [][]birchRule{
	{{num: 1, den: 100, unit: 1}},
	{
		{categories: []string{"DINING"}, num: 4, den: 100, unit: 1, limit: 5000, per: "quarter", pool: "partner"},
		{categories: []string{"GROCERY"}, num: 2, den: 100, unit: 1, limit: 5000, per: "quarter", pool: "partner"},
	},
}}

// birchTwoLedgersRuns is a Sunday; from it on every fourth is one of reconciliation.
var birchTwoLedgersRuns = time.Date(2018, 1, 7, 0, 0, 0, 0, time.UTC)

// birchTwoLedgersBooks books at once, by night and every four weeks.
type birchTwoLedgersBooks struct{}

// next is the next midnight.
func (birchTwoLedgersBooks) next(t time.Time) time.Time {
	y, m, d := t.In(birchTwoLedgersTerms.zone).Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, birchTwoLedgersTerms.zone)
}

// base is what the bank books.
func (birchTwoLedgersBooks) base(p *birchPurchase) int64 { return (p.left + 99) / 100 }

func (b birchTwoLedgersBooks) heard(a *birchAccount, now time.Time, f birchFact) {
	b.sure(a)
	if p := f.purchase; p != nil {
		p.booked = b.base(p)
		a.open = p
		a.post(Posting{At: now, Kind: Earned, Amount: p.booked, Transaction: p.id, Note: "base"})
		return
	}
	if r := f.back; a.byID[r.transaction] == nil && !r.whole {
		top := (r.amount + 19) / 20
		a.nameless += top
		a.post(Posting{At: now, Kind: Reversed, Amount: -top, Refund: r.id, Note: "unmatched return at the top rate"})
	}
}

func (b birchTwoLedgersBooks) run(a *birchAccount, at time.Time) {
	if a.open != nil {
		b.night(a, at)
	}
	y, m, d := at.In(birchTwoLedgersTerms.zone).Date()
	if days := int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Sub(birchTwoLedgersRuns).Hours()) / 24; days%28 == 0 {
		b.reconcile(a, at)
	}
}

// night books the partner's row of the day.
func (b birchTwoLedgersBooks) night(a *birchAccount, at time.Time) {
	b.sure(a)
	var sum int64
	for _, p := range a.purchases {
		if !p.nightly {
			p.nightly = true
			p.bonus = p.share - b.base(p)
			sum += p.bonus
		}
	}
	a.post(Posting{At: at, Kind: Earned, Amount: sum, Transaction: a.open.id, Note: "partner bonus"})
	a.open = nil
}

// reconcile brings both ledgers, and the charge for unknown returns, to what is due.
func (b birchTwoLedgersBooks) reconcile(a *birchAccount, at time.Time) {
	sure := b.sure(a)
	var base, bonus, worth int64
	for _, p := range a.purchases {
		base += b.base(p) - p.booked
		bonus += p.share - b.base(p) - p.bonus
		worth += p.share
		p.booked, p.bonus = b.base(p), p.share-b.base(p)
	}
	a.post(Posting{At: at, Kind: Adjusted, Amount: base, Note: "reconciliation: bank"})
	a.post(Posting{At: at, Kind: Adjusted, Amount: bonus, Note: "reconciliation: partner"})
	a.post(Posting{At: at, Kind: Adjusted, Amount: a.nameless - (worth - sure), Note: "reconciliation: unmatched returns"})
	a.nameless = worth - sure
}

func (birchTwoLedgersBooks) sure(a *birchAccount) int64 {
	loose := a.count(time.Time{}, true)
	worth := birchTwoLedgersTerms.level(a.purchases)
	return worth - birchTwoLedgersTerms.loss(a.purchases, loose, worth)
}
