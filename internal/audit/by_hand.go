package audit

import (
	"context"
	"errors"
	"slices"

	"recoup/internal/audit/judge"
	"recoup/internal/audit/spill"
	"recoup/internal/intake/history"
	"recoup/reward"
)

// byHand counts what tells what adjustments are. What expires, or is corrected, comes as often to
// accounts of the same age that have returned nothing, or nothing without the name of its purchase,
// and hardly ever just after a refund; there the terms come to the rewards, unless adjustments are
// what rewards are settled by.
type byHand struct {
	accounts, closer int64   // that returned nothing and have adjustments; with these far closer to the terms
	off, with        []int64 // by how much these are above the terms, and with adjustments
	rounding         int64   // of these
	judged           int64   // that returned something
	above, level     int64   // of these, of which each refund names its purchase, and that have too much; with adjustments, nearly what is due
	any, unnamed     ages    // those that take something, by whether something was returned, and without a name
	given            ages    // those that give something, by whether something was returned
	took, soon, gave int64
	refunds, days    int64
}

// ages are those of accounts in months of thirty days. Who returned something just then is not
// counted.
type ages [240]struct{ had, hadNot returned }

// returned counts accounts of an age that had returned something, or had not, and their
// adjustments in that month.
type returned struct{ accounts, rows int64 }

const (
	month = 30 * reward.Day
	// lookedAt is how many accounts, at most, tell what the adjustments are.
	lookedAt = 10_000
	// judgedFor is how many of those that returned something are held against the terms.
	judgedFor = 1000
)

// adjustments looks at some accounts, what the adjustments are: one of judge.AdjustmentsNamed.
func (o *Options) adjustments(ctx context.Context, store *spill.Store, end reward.Instant) (string, error) {
	seen, enough, n := byHand{}, errors.New("enough"), 0
	j := judge.New(o.Program, judge.Options{ReturnDays: o.ReturnDays, End: end, Rounding: o.Rounding})
	err := store.Each(ctx, 1, func(_ int, h *history.History) error {
		if n++; n > lookedAt {
			return enough
		}
		seen.look(h.Rows, end)
		if returned := slices.ContainsFunc(h.Rows, returns); returned && seen.judged < judgedFor || !returned && slices.ContainsFunc(h.Rows, byHandRow) {
			if a, err := j.Account(h); err == nil { // whose sums are too large is refused later
				seen.weigh(&a.Figures)
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, enough) {
		return "", err
	}
	return seen.are(), nil
}

// weigh holds an account against the terms, with its adjustments and without.
func (b *byHand) weigh(f *judge.Figures) {
	off := f.NetReward - f.Entitlement - f.Beyond
	with := off + f.Adjustments
	if f.Refunds == 0 {
		b.accounts++
		b.closer += oneIf(off != 0 && 4*magnitude(with) <= magnitude(off))
		b.off, b.with, b.rounding = append(b.off, off), append(b.with, with), b.rounding+f.Rounding
		return
	}
	b.judged++
	if off > f.Rounding && f.RefundsNaming == f.Refunds {
		b.above++
		b.level += oneIf(with <= f.Rounding && 10*-with <= off)
	}
}

// spread is by how much amounts are apart from the one in the middle, together.
func spread(amounts []int64) (sum int64) {
	slices.Sort(amounts)
	for _, n := range amounts {
		sum += magnitude(n - amounts[len(amounts)/2])
	}
	return sum
}

// settles reports whether what accounts that returned nothing have is what the terms come to once
// adjustments are counted, and as much more to each, such as a gift on an anniversary.
func (b *byHand) settles() bool {
	off := spread(b.off)
	return 5*b.closer >= 4*b.accounts || off > b.rounding && 4*spread(b.with) <= off
}

func returns(r history.Row) bool { return r.Kind.Returns() }

func byHandRow(r history.Row) bool { return r.Kind == history.Adjustment }

func magnitude(n int64) int64 { return max(n, -n) }

// look counts an account. Its rows are in order of time.
func (b *byHand) look(rows []history.Row, end reward.Instant) {
	if len(rows) == 0 {
		return
	}
	b.any.look(rows, end, returns, judge.TakesByHand)
	b.unnamed.look(rows, end, func(r history.Row) bool { return returns(r) && r.Transaction == "" }, judge.TakesByHand)
	b.given.look(rows, end, returns, func(r *history.Row) bool { return byHandRow(*r) && r.Amount > 0 })
	b.days += int64((end - rows[0].At) / reward.Day)
	latest := reward.Instant(0)
	for i := range rows {
		switch r := &rows[i]; {
		case r.Kind.Returns():
			b.refunds++
			latest = r.At
		case judge.TakesByHand(r):
			b.took++
			if latest != 0 && r.At <= latest+judge.SoonAfter {
				b.soon++
			}
		case byHandRow(*r):
			b.gave++
		}
	}
}

// look counts an account by whether such a row had come, and the adjustments that count.
func (a *ages) look(rows []history.Row, end reward.Instant, is func(history.Row) bool, counts func(*history.Row) bool) {
	start, first := rows[0].At, reward.LatestInstant
	if i := slices.IndexFunc(rows, is); i >= 0 {
		first = rows[i].At
	}
	of := func(m reward.Instant) *returned {
		switch at := start + m*month; {
		case m >= reward.Instant(len(a)) || at <= first && first < at+month:
			return new(returned)
		case first < at:
			return &a[m].had
		default:
			return &a[m].hadNot
		}
	}
	for m := reward.Instant(0); start+m*month < end; m++ {
		of(m).accounts++
	}
	for i := range rows {
		if r := &rows[i]; counts(r) {
			of((r.At-start)/month).rows++
		}
	}
}

// rare reports whether those who had returned nothing have a part at most, one in so many, of the
// adjustments that would be as many as others of their age have.
func (a *ages) rare(oneIn int64) bool {
	var without, expected int64 // in thousandths
	for i := range a {
		if had, hadNot := a[i].had, a[i].hadNot; had.accounts > 0 {
			without += 1000 * hadNot.rows
			expected += ratio(hadNot.accounts, 1000*had.rows, had.accounts)
		}
	}
	return expected >= 1000*leastShown && oneIn*without <= expected
}

// are tells what the adjustments are. All are rewards if with them four of five accounts that
// returned nothing are four times as close to the terms, or all together but for what each has more;
// clawbacks, if such accounts have a fifth at most of those that would be as many as others of their
// age have, or if they take just what three of four accounts have too much; those soon after a refund are, if a fifth or
// more of them come then, three times as many as by chance; and those after a refund without a
// name, if a third at most comes to others. What is given beside clawbacks gives them back, if
// accounts that returned nothing have a fifth of it at most.
func (b *byHand) are() string {
	gifts := ""
	if b.gave > 0 && !b.given.rare(5) {
		gifts = "-and-gifts"
	}
	switch {
	case b.accounts >= leastShown && b.settles():
		return "rewards"
	case b.any.rare(5), b.above >= leastShown && 4*b.level >= 3*b.above:
		return "clawbacks" + gifts
	case b.soon >= leastShown && 5*b.soon >= b.took && times(b.soon, b.days).Cmp(times(3*b.took, b.refunds)) >= 0:
		return "after-refunds"
	case b.unnamed.rare(3):
		return "after-unnamed" + gifts
	}
	return "by-hand"
}
