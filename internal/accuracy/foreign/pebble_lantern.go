package foreign

import "time"

// pebbleLantern shows a first light at once, the rest when the month is over, and pays out
// by itself.
var pebbleLantern = Design{
	Name:   "pebble-lantern",
	Source: "after US cards and wallets with automatic statement credits (Venmo, Apple Card, Citi), from memory",
	Published: "1% on the first USD 1,000 of a calendar month (New York time), 2% on what is beyond. 1% is shown when a purchase clears, " +
		"the rest when the month is over. Rewards of months that are over are paid out by themselves on the 20th from USD 25, or on request. " +
		"Returns are taken off at once, whenever they come, also below zero; one that names no purchase that has cleared at 2%, until it does.",
	How: "A provisional row of 1% a purchase, which names it; on the 1st a row that names nothing trues the month up to what its net spend earns. " +
		"A return has one row with its name: of an open month at 1%, of a closed one by what the whole month earns less. The payout " +
		"looks at closed months alone, less all that was paid and all returns without a name, and a debt stands for ever.",
	Class: "robust", Currency: "USD",
	New: func() Engine { return pebbleNew(&pebbleLanterns{pebbleZone("America/New_York")}) },
}

const (
	pebbleLanternStep  = 100000 // of spend in a month, from which it is 2%
	pebbleLanternLeast = 2500   // of a payout
)

type pebbleLanterns struct{ loc *time.Location }

// value is what there is: closed is what the months that are over earn, open what is provisional, and doubt what
// returns without a name may have taken.
func (l *pebbleLanterns) value(a *pebbleAccount, now time.Time) (closed, open, doubt int64) {
	this := now.In(l.loc).Format("2006-01")
	spent, month := int64(0), ""
	over := func() {
		closed += (spent + max(0, spent-pebbleLanternStep)) / 100
		spent = 0
	}
	for _, p := range a.buys { // by time, so a month is in one piece
		m := p.at.In(l.loc).Format("2006-01")
		if m == this {
			open += p.left() / 100
			continue
		}
		if m != month {
			over()
			month = m
		}
		spent += p.left()
	}
	over()
	for _, c := range a.loose() {
		doubt += pebbleUp(c.amount*2, 100)
	}
	return closed, open, doubt
}

// level brings the ledger to what is due, in one row for the cause.
func (l *pebbleLanterns) level(a *pebbleAccount, now time.Time, why pebbleCause, note string) {
	closed, open, doubt := l.value(a, now)
	more := closed + open - doubt - a.posted - a.paid // a.posted has the payouts off
	kind := Earned
	if more < 0 {
		kind = Reversed
	}
	a.post(Posting{At: now, Kind: kind, Amount: more, Transaction: why.transaction, Refund: why.refund, Note: note})
}

func (l *pebbleLanterns) booked(a *pebbleAccount, now time.Time, why pebbleCause) {
	note := "Daily cash, provisional"
	if why.refund != "" {
		note = "Return"
	}
	l.level(a, now, why, note)
}

func (l *pebbleLanterns) next(after time.Time) time.Time {
	first, pay := pebbleMonthly(after, l.loc, 1, 0), pebbleMonthly(after, l.loc, 20, 6)
	if pay.Before(first) {
		return pay
	}
	return first
}

func (l *pebbleLanterns) run(a *pebbleAccount, at time.Time) {
	if at.In(l.loc).Day() == 1 {
		l.level(a, at, pebbleCause{}, "Rewards of the month, final")
		return
	}
	if out := min(a.posted-a.redeemed, l.sure(a, at)); out >= pebbleLanternLeast {
		a.post(Posting{At: at, Kind: Paid, Amount: -out, Note: "Statement credit"})
		a.paid += out
	}
}

// sure leaves the open month out.
func (l *pebbleLanterns) sure(a *pebbleAccount, now time.Time) int64 {
	closed, _, doubt := l.value(a, now)
	return closed - doubt - a.paid - a.redeemed
}
