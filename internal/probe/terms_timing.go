package probe

import (
	"fmt"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/scenario"
	"recoup/reward"
)

// mostWait is how many days are waited for a reward that can be redeemed.
const mostWait = 90

// findTiming finds out when rewards are granted and when they can be redeemed.
// When refunds take them back the examination says.
func (f *finder) findTiming(offers []offer) error {
	p := f.terms.Program
	if !f.meter.atSettlement && f.meter.atStatement {
		p.Timing.Grant = reward.GrantAtStatement
		f.terms.saw("grant", "at the statement close", "no balance changed before the close of the purchase's month")
	} else {
		f.terms.saw("grant", "at settlement", "the balance changes with the purchase")
		if f.meter.atStatement {
			f.terms.untold("a program for rewards of which some come at settlement and some at the statement close")
		}
	}
	if !f.stage.canWait() {
		f.terms.untold("when rewards can be redeemed: no statement can be waited for")
		return nil
	}
	// A purchase on the last day of a month shows a maturity best where rewards come
	// at the close; others tell it from a grace period.
	var w *waiting
	for _, before := range []int{1, 21, 11} {
		w = &waiting{meter: f.meter}
		if err := w.watch(bestOffer(offers).at, f.vast, before); err != nil {
			return err
		}
		if !w.ambiguous() {
			break
		}
	}
	if w.since.IsZero() {
		f.terms.untold(fmt.Sprintf("when rewards can be redeemed: not within %d days", mostWait))
		return nil
	}
	if w.seen.paid > 0 {
		f.terms.saw("redemption", "the program pays out of its own accord", fmt.Sprintf("on %s", w.since.Format(time.DateOnly)))
		return nil
	}
	if f.terms.Program.Timing.Grant == reward.GrantAtStatement && w.grace == 0 {
		if closes, err := f.closesOn(w, bestOffer(offers).at); err != nil || closes {
			return err
		}
	}
	f.maturity(w)
	return f.minimum(w)
}

// closesOn finds out whether what comes with the statement comes on a day of the month
// other than the first: of a purchase of the eleventh, too, and before its month is over.
func (f *finder) closesOn(w *waiting, at Spot) (bool, error) {
	day := w.since.Day()
	if day == 1 {
		return false, nil
	}
	early := &waiting{meter: f.meter}
	if err := early.watch(at, f.vast, 21); err != nil || early.since.IsZero() || !early.since.Before(scenario.FirstOfMonth(early.bought, 1)) {
		return false, err
	}
	how := fmt.Sprintf("bought on %s, redeemable on %s, and bought on %s on %s", w.bought.Format(time.DateOnly), w.since.Format(time.DateOnly),
		early.bought.Format(time.DateOnly), early.since.Format(time.DateOnly))
	if early.since.Day() != day {
		return false, strange("rewards come at no day of the month and after no number of days: %s", how)
	}
	f.statementDay, f.terms.Program.StatementDay = day, day
	f.terms.saw("statement", fmt.Sprintf("on day %d of the calendar month, in UTC", day), how)
	return true, nil
}

// stays waits after a purchase: a reward of which more comes when its month is over and has
// been closed, or some goes again, is of no terms that are looked for.
func (f *finder) stays(at Spot) error {
	m := f.meter
	if err := m.open("terms-stays-" + f.label(at)); err != nil {
		return err
	}
	earned, err := m.one(at, modest)
	if err != nil {
		return err
	}
	for range readings[0] {
		later, err := m.close()
		if err != nil {
			return err
		}
		if later != 0 {
			return strange("%s at %s earned %s by the close of its month, and %s by the first of %s",
				f.money(modest), at, f.money(earned), f.money(earned+later), m.month.Month())
		}
	}
	return nil
}

// maturity says what the waiting says of holds.
func (f *finder) maturity(w *waiting) {
	p := f.terms.Program
	p.Redemption.GraceDays = w.grace
	how := fmt.Sprintf("bought on %s, redeemable on %s", w.bought.Format(time.DateOnly), w.since.Format(time.DateOnly))
	if w.grace > 0 {
		f.terms.saw("grace", fmt.Sprintf("%d days after each statement close", w.grace), "nothing was redeemable from a close on until then")
	}
	waited := w.since.Sub(w.bought)
	switch {
	case w.since.Equal(w.bought):
	case w.ambiguous():
		f.terms.untold(fmt.Sprintf("whether rewards also mature within %d days: the grace period would hide it", int(waited/(24*time.Hour))))
	case waited >= 24*time.Hour:
		p.MaturityDays = int(waited / (24 * time.Hour))
		f.terms.saw("maturity", fmt.Sprintf("%d days", p.MaturityDays), how)
		return
	}
	f.terms.saw("maturity", "none", how)
}

// minimum finds out what must be left of a balance.
func (f *finder) minimum(w *waiting) error {
	shown := w.seen
	left := shown.balance - shown.redeemable
	id := 0
	redeem := func(amount int64) (bool, error) {
		id++
		return f.stage.Redeem(issuer.Redemption{Account: w.meter.account, Redemption: fmt.Sprintf("%s-d%d", w.meter.account, id), Amount: amount})
	}
	above, err := redeem(shown.redeemable + 1)
	if err != nil {
		return err
	}
	if above {
		f.terms.untold(fmt.Sprintf("how much can be redeemed: %s was paid although only %s was shown as redeemable", f.money(shown.redeemable+1), f.money(shown.redeemable)))
		return nil
	}
	all, err := redeem(shown.redeemable)
	if err != nil {
		return err
	}
	if !all {
		f.terms.untold(fmt.Sprintf("how much can be redeemed: %s was shown as redeemable, and denied", f.money(shown.redeemable)))
		return nil
	}
	f.terms.Program.Redemption.MinimumBalance = max(0, left)
	f.terms.saw("minimum balance", f.money(max(0, left)), fmt.Sprintf("of a balance of %s, %s could be redeemed, and one unit more was denied", f.money(shown.balance), f.money(shown.redeemable)))
	return nil
}

// sight is what an account shows.
type sight struct{ balance, redeemable, paid int64 }

func (s sight) canBeHad() bool { return s.redeemable > 0 || s.paid > 0 }

// waiting is a purchase on the last day of a month, and what is seen of its reward
// day by day.
type waiting struct {
	meter  *meter
	now    time.Time
	bought time.Time
	since  time.Time // when the reward could first be had; zero: never
	seen   sight     // then, or after the grace period
	grace  int       // days from a statement close on in which nothing could
}

// ambiguous reports whether the reward came with the end of a grace period: then a
// maturity may have ended before.
func (w *waiting) ambiguous() bool {
	released := scenario.FirstOfMonth(w.since, 0).AddDate(0, 0, w.grace)
	return w.grace > 0 && !w.since.Before(released) && w.since.Sub(released) < 24*time.Hour
}

// watch buys so many days before the first of the second month.
func (w *waiting) watch(at Spot, amount int64, before int) error {
	m := w.meter
	if err := m.open("terms-waiting"); err != nil {
		return err
	}
	w.now = m.month
	w.bought = m.month.AddDate(0, 1, -before).Add(10 * time.Hour)
	if err := w.until(w.bought); err != nil {
		return err
	}
	if err := m.buy(at, amount); err != nil {
		return err
	}
	if err := w.look(); err != nil {
		return err
	}
	if err := w.days(mostWait); err != nil || !w.seen.canBeHad() {
		return err
	}
	w.since = w.now
	if w.seen.paid > 0 {
		return nil
	}
	// A hold after each close shows at the next one.
	first := w.seen
	close := scenario.FirstOfMonth(w.now, 1)
	if err := w.until(close); err != nil {
		return err
	}
	if w.seen.canBeHad() {
		w.seen = first
		return nil
	}
	err := w.days(40)
	w.grace = int(w.now.Sub(close) / (24 * time.Hour))
	return err
}

// days lets days pass until the reward can be had.
func (w *waiting) days(most int) error {
	began := w.now
	for day := 1; day <= most && !w.seen.canBeHad(); day++ {
		if err := w.until(began.AddDate(0, 0, day)); err != nil {
			return err
		}
	}
	return nil
}

// until lets time pass, and closes the statements that are over; it stops at a
// close after which the reward can be had.
func (w *waiting) until(then time.Time) error {
	for w.now.Before(then) {
		next := then
		due := scenario.FirstOfMonth(w.now, 1)
		closes := !due.After(then)
		if closes {
			next = due
		}
		if err := w.meter.stage.SetClock(next); err != nil {
			return err
		}
		w.now = next
		if closes {
			if err := w.meter.stage.CloseStatement(w.meter.account); err != nil {
				return err
			}
		}
		had := w.seen.canBeHad()
		if err := w.look(); err != nil {
			return err
		}
		if !had && w.seen.canBeHad() {
			return nil
		}
	}
	return nil
}

func (w *waiting) look() error {
	m := w.meter
	shown, err := m.stage.Balance(m.account)
	if err != nil {
		return err
	}
	paid, err := m.stage.PaidOut(m.account)
	w.seen = sight{shown.Balance, shown.Redeemable, paid}
	return err
}
