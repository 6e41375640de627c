package foreign

import (
	"sort"
	"time"
)

var indigoLantern = Design{
	Name:   "indigo-lantern",
	Source: "Japanese shop and telephone cards that credit points by the day (WAON, d Point and the like), from memory",
	Published: "0.5 % of each purchase in points of one yen, 1.5 % at convenience stores. Points of a day (Tokyo) are credited at midnight and can be used " +
		"at once. Returns take points back, below zero if need be.",
	How: "The ledger has a row a day, which names neither purchase nor refund. A row is a function of what is left of the day's purchases; a day that a return lowers is cancelled at once " +
		"and written anew. Nameless returns, and those whose purchase has not cleared in 30 days, are placed where they take most.",
	Class: "robust", Currency: "JPY",
	New: func() Engine { return indigoNew(&indigoLanternBook{zone: indigoZone("Asia/Tokyo")}) },
}

type indigoLanternBook struct {
	indigoPlain
	zone *time.Location
}

// rate is what a purchase earns, in per ten thousand.
func (indigoLanternBook) rate(b *indigoBuy) int64 {
	if b.category == "CONVENIENCE" {
		return 150
	}
	return 50
}

func (k *indigoLanternBook) loss(_ *indigoAccount, b *indigoBuy, r int64) int64 { return r * k.rate(b) }

func (k *indigoLanternBook) slot(at time.Time) string { return at.In(k.zone).Format("2006-01-02") }

// lines are the days, by date.
func (k *indigoLanternBook) lines(a *indigoAccount) (lines []indigoLine) {
	days := map[string]int64{}
	for _, b := range a.buys {
		days[b.slot] += indigoRate(b.left(), k.rate(b))
	}
	for day, n := range days {
		lines = append(lines, indigoLine{key: day, want: n, note: "Points of " + day})
	}
	sort.Slice(lines, func(i, j int) bool { return lines[i].key < lines[j].key })
	return lines
}

func (k *indigoLanternBook) write(a *indigoAccount, raise bool) {
	a.level(k.lines(a), raise, func(l indigoLine, have int64) {
		a.post(Reversed, -have, "", "", l.note+" (cancelled)")
		a.post(Earned, l.want, "", "", l.note)
	})
}

func (k *indigoLanternBook) heard(a *indigoAccount, _ *indigoBack) { k.write(a, false) }

// next is midnight, if there is something to credit.
func (k *indigoLanternBook) next(a *indigoAccount) time.Time {
	if !a.dirty {
		return time.Time{}
	}
	y, m, d := a.now.In(k.zone).Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, k.zone)
}

func (k *indigoLanternBook) wake(a *indigoAccount) {
	k.write(a, true)
	a.dirty = false
}
