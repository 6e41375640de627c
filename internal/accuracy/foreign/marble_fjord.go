package foreign

import "time"

var marbleFjordDesign = Design{
	Name:   "marble-fjord",
	Source: "in the style of Swedish retail member cards with bonus cheques (ICA, Coop), from memory",
	Published: "5 kr bonus for every full 100 kr of a purchase, fuel half: 5 kr for every full 200 kr. No limits. Bonus is there when the purchase clears and can " +
		"be used at once; on the 25th of each month we pay out what is there in cheques of 50 kr. Returned goods give no bonus: it is taken " +
		"back on the day of the return, your bonus account can be in minus and stays so until new bonus has covered it. A return that " +
		"we cannot tie to a purchase is taken as one of a purchase with full bonus, if it is not fuel.",
	How: "A member's card in the ledger has earnings and returns. A purchase is credited by its price; each return is debited by the same table, looked up " +
		"with the returned amount, not above what the purchase still has. Cheques are Paid entries. Debts stay.",
	Class: "other",
	Leak: "The table is for whole hundreds, and a return is looked up alone: parts that are not whole hundreds take back too little and nobody adds them up. " +
		"Buy for 3,000.00 kr, get 150.00 kr; return it in 31 parts of less than 100.00 kr and nothing is taken; in 20 parts of 150.00 kr, 50.00 kr stay.",
	Currency: "SEK",
	New: func() Engine {
		j := &marbleFjord{zone: marbleZone("Europe/Stockholm")}
		j.marbleDesk = marbleNewDesk[marbleFjordBook](j)
		return j
	},
}

const (
	marbleFjordBonus  = 500
	marbleFjordCheque = 5000
	marbleFjordDay    = 25
)

type marbleFjord struct {
	*marbleDesk[marbleFjordBook]
	zone *time.Location
}

type marbleFjordBook struct {
	has     map[string]int64 // bonus that purchases still have
	cheques time.Time
}

func marbleFjordTable(category string, amount int64) int64 {
	unit := int64(10000)
	if category == "FUEL" {
		unit = 20000
	}
	return amount / unit * marbleFjordBonus
}

func (j *marbleFjord) opened(f *marbleFile[marbleFjordBook]) {
	f.own = marbleFjordBook{has: map[string]int64{},
		cheques: marbleLater(marbleCycle(f.since, marbleFjordDay, j.zone), 1, j.zone)}
}

func (j *marbleFjord) bought(f *marbleFile[marbleFjordBook], b *marbleBuy) {
	n := marbleFjordTable(b.category, b.amount)
	f.own.has[b.id] = n
	f.post(j.now, Earned, n, b.id, "", "bonus")
}

func (j *marbleFjord) returned(f *marbleFile[marbleFjordBook], r marbleReturn, b *marbleBuy, x int64) {
	if b == nil {
		n := marbleDearest(r, func(category string) int64 { return marbleFjordTable(category, x) })
		f.post(j.now, Reversed, -n, "", r.id, "retur utan köp")
		return
	}
	n := min(f.own.has[b.id], marbleFjordTable(b.category, x))
	f.own.has[b.id] -= n
	f.post(j.now, Reversed, -n, b.id, r.id, "retur")
}

func (j *marbleFjord) redeemed(*marbleFile[marbleFjordBook], int64) {}

func (j *marbleFjord) redeemable(f *marbleFile[marbleFjordBook]) int64 { return f.balance() }

func (j *marbleFjord) due(f *marbleFile[marbleFjordBook], now time.Time) {
	for ; !f.own.cheques.After(now); f.own.cheques = marbleLater(f.own.cheques, 1, j.zone) {
		if n := f.balance() / marbleFjordCheque; n > 0 {
			f.post(f.own.cheques, Paid, -n*marbleFjordCheque, "", "", "bonuscheck")
		}
	}
}

// PaidOut is what went out as cheques.
func (j *marbleFjord) PaidOut(account string) (int64, error) { return j.file(account).paid, nil }
