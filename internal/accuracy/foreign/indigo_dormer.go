package foreign

import "time"

var indigoDormer = Design{
	Name:   "indigo-dormer",
	Source: "Singapore cashback cards with a monthly category cap (OCBC 365, Citi Cash Back and the like), from memory",
	Published: "5 % on DINING up to S$20.00 of cashback in a calendar month (Singapore), 0.5 % on everything else without a cap. Credited when a purchase clears, " +
		"redeemable at once. Refunds take cashback back, below zero if need be.",
	How: "A refund takes its cashback back exactly, also from earlier months. But what a refund with its purchase's name takes back is also taken off the counter of the month in which it comes, not of the month " +
		"in which the purchase was: returns of last month's dining give this month a higher cap.",
	Class: "other", Currency: "SGD",
	Leak: "Dining vouchers for S$400.00 in March: S$20.00. In April dining for S$800.00: S$20.00, the cap. Return the vouchers in April: S$20.00 is taken back, and April's cap " +
		"is S$40.00, so S$20.00 more is credited: S$40.00 on S$800.00 in April, where S$20.00 is promised. It can be repeated each month.",
	New: func() Engine { return indigoNew(&indigoDormerBook{zone: indigoZone("Asia/Singapore")}) },
}

type indigoDormerBook struct {
	indigoPlain
	zone *time.Location
}

const indigoDormerCap = 2000

func (k *indigoDormerBook) slot(at time.Time) string { return indigoMonth(at, k.zone) }

// counts has the totals be the cashback of dining without the cap.
func (indigoDormerBook) counts(b *indigoBuy) int64 {
	if b.category == "DINING" {
		return 500
	}
	return 0
}

func (k *indigoDormerBook) loss(a *indigoAccount, b *indigoBuy, r int64) int64 {
	if b.category != "DINING" {
		return r * 50
	}
	limit, sum := (indigoDormerCap+a.room[b.slot])*10000, a.totals[b.slot]
	return min(limit, sum) - min(limit, sum-r*500)
}

// lines gives each month's room to its purchases in the order in which they cleared.
func (k *indigoDormerBook) lines(a *indigoAccount) []indigoLine {
	used := map[string]int64{}
	lines := make([]indigoLine, 0, len(a.buys))
	for _, b := range a.buys {
		want := indigoRate(b.left(), 50)
		if b.category == "DINING" {
			want = max(0, min(indigoRate(b.left(), 500), indigoDormerCap+a.room[b.slot]-used[b.slot]))
			used[b.slot] += want
		}
		lines = append(lines, indigoLine{key: b.id, txn: b.id, want: want})
	}
	return lines
}

func (k *indigoDormerBook) heard(a *indigoAccount, back *indigoBack) {
	lines := k.lines(a)
	if back != nil && !back.charge {
		if b := a.byID[back.txn]; b != nil && b.category == "DINING" {
			k.free(a, b, lines)
			lines = k.lines(a)
		}
	}
	a.level(lines, true, func(l indigoLine, have int64) {
		if l.want < have {
			a.post(Reversed, l.want-have, l.txn, a.cause, "Cashback reversed")
			return
		}
		a.post(Earned, l.want-have, l.txn, "", "Cashback")
	})
}

// free lowers the month's counter by what a refund takes back. Within a month the counter is
// that of the lines already; the month asked is today's.
func (k *indigoDormerBook) free(a *indigoAccount, b *indigoBuy, lines []indigoLine) {
	today := k.slot(a.now)
	if b.slot == today {
		return
	}
	var taken int64
	for _, l := range lines {
		if p := a.byID[l.txn]; p.category == "DINING" && p.slot == b.slot {
			taken += a.booked[l.key] - l.want
		}
	}
	a.room[today] += max(0, taken)
}
