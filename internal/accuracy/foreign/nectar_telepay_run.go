package foreign

import (
	"fmt"
	"time"
)

// guess is the most that open refunds may take, of instalments and of bonuses.
func (s nectarTelepay) guess(v nectarView, at time.Time) int64 {
	var parts []nectarPart
	all := int64(0)
	for _, p := range v.purchases {
		parts = append(parts, nectarPart{p.left(), s.rate(p)})
		all += s.due(p, at)
	}
	loss := v.worst(parts, 1)
	worst := s.quarters(v, at, v.unnamed)
	for q, w := range s.quarters(v, at, 0) {
		all += w
		loss += w - worst[q]
	}
	return min(all, loss)
}

// sure is what is both granted and still due, less what open refunds may take.
func (s nectarTelepay) sure(a *nectarAccount, at time.Time) int64 {
	v := a.view(at)
	sum := int64(0)
	for _, p := range v.purchases {
		sum += min(a.book["buy "+p.id], s.due(p, at))
	}
	for q, w := range s.quarters(v, at, 0) {
		sum += min(a.book[s.quarter(q)], w)
	}
	return max(0, sum-s.guess(v, at))
}

func (nectarTelepay) quarter(q int) string { return fmt.Sprintf("Quarter bonus %d-Q%d", q/4, q%4+1) }

// moved: nothing is booked by day; what is not due any more is held.
func (nectarTelepay) moved(*nectarAccount, time.Time, string, string) {}

// batch grants what is due and takes what was too much at the run before, too.
func (s nectarTelepay) batch(a *nectarAccount, at time.Time) {
	v := a.view(at)
	taken := int64(0)
	level := func(key string, target int64, transaction, note string) {
		d := target - a.book[key]
		if d >= 0 {
			delete(a.since, key)
			a.post(at, Earned, a.gap(key, target), transaction, "", note)
			return
		}
		if since, ok := a.since[key]; !ok || !since.Before(at) {
			a.since[key] = at
			return
		}
		delete(a.since, key)
		taken += a.gap(key, target)
	}
	for _, p := range v.purchases {
		level("buy "+p.id, s.due(p, at), p.id, "Instalment")
	}
	quarters := s.quarters(v, at, 0)
	for _, q := range nectarKeys(quarters) {
		level(s.quarter(q), quarters[q], "", s.quarter(q))
	}
	level("unnamed", -s.guess(v, at), "", "Hold released")
	a.post(at, Reversed, taken, "", "", "Held points collected")
	a.summary(at, fmt.Sprintf("Points at %s: %d", at.Format("2006-01-02"), a.balance()))
}
