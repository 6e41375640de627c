package foreign

import (
	"strconv"
	"time"
)

// batch restates what changed: of months that are over, of gifts, of what expired, and of
// returns that name no purchase.
func (s nectarSkyway) batch(a *nectarAccount, at time.Time) {
	m := s.miles(a.view(at))
	gone, expired := s.expired(a, m.months, at)
	all := int64(0)
	for _, c := range nectarKeys(m.months) {
		all += m.months[c]
		if c < nectarMonth(at, nectarSkywayZone) {
			s.restate(a, at, "month "+nectarMonthName(c), m.months[c], "Activity "+nectarMonthName(c))
		}
	}
	// A gift that is lost is not among the gifts any more, and is restated to nothing.
	m.gifts[0] += 0
	for _, p := range a.purchases {
		m.gifts[nectarMonth(p.at, nectarSkywayZone)/12] += 0
	}
	for _, y := range nectarKeys(m.gifts) {
		all += m.gifts[y]
		note := "Gold gift " + strconv.Itoa(y)
		if y == 0 {
			note = "Welcome aboard"
		}
		s.restate(a, at, note, m.gifts[y], note)
	}
	for _, c := range nectarKeys(gone) {
		note := "Miles of " + nectarMonthName(c) + " expired"
		a.post(at, Adjusted, a.gap(note, -gone[c]), "", "", note)
	}
	// No more is taken for unnamed returns than has not expired.
	unnamed := max(0, m.least-expired) - (all - expired)
	a.post(at, Adjusted, a.gap("unnamed", unnamed), "", "", "Partner returns without reference")
}

// restate reverses what stands under a key and grants it anew.
func (nectarSkyway) restate(a *nectarAccount, at time.Time, key string, target int64, note string) {
	old := a.book[key]
	if a.gap(key, target) == 0 {
		return
	}
	a.post(at, Reversed, -old, "", "", note+" (restated)")
	a.post(at, Earned, target, "", "", note)
}
