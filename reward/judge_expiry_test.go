package reward_test

import (
	"maps"
	"math"
	"slices"
	"time"

	"pgregory.net/rapid"

	"recoup/reward"
)

// What expires, by docs/terms.md: lots by cycle, and the uses that find a place on them, one unit
// of money after the other as far as it makes a difference. Cycles are counted in months.

type judgeUse struct {
	cycle  int
	amount int64
	open   bool // an authorisation that was not captured
}

// judgeUses is what an account's rewards were used for, and what was added by hand.
type judgeUses struct {
	made      map[string]judgeUse
	awaited   map[string]reward.Event // captures that came before their authorisation
	added     map[int]int64
	taken     []judgeUse
	lifetimes map[string][]judgeUse // by bonus or basket, what was paid in which cycle, the latest last
	blurred   bool                  // whether it is not known in which cycle something of a lifetime was paid
	turned    bool                  // whether a cycle closed since it was last looked at, or it could not be then
	seen      reward.Instant
}

func newJudgeUses() *judgeUses {
	return &judgeUses{made: map[string]judgeUse{}, awaited: map[string]reward.Event{}, added: map[int]int64{}, lifetimes: map[string][]judgeUse{}}
}

// used takes in an event that was applied in a cycle.
func (u *judgeUses) used(e *reward.Event, cycle int) {
	switch e.Type {
	case reward.RedemptionRequested:
		u.made[e.Fact] = judgeUse{cycle, e.Amount, false}
	case reward.RedemptionAuthorized:
		u.made[e.Fact] = judgeUse{cycle, e.Amount, true}
		if capture, there := u.awaited[e.Fact]; there {
			u.capture(&capture)
			delete(u.awaited, e.Fact)
		}
	case reward.RedemptionCaptured:
		u.capture(e)
	case reward.RedemptionReversed, reward.RedemptionReleased:
		delete(u.made, e.Fact)
	case reward.AdjustmentPosted:
		if e.Amount > 0 {
			u.added[cycle] += e.Amount
		} else {
			u.taken = append(u.taken, judgeUse{cycle, -e.Amount, false})
		}
	}
}

func (u *judgeUses) capture(e *reward.Event) {
	x := u.made[e.Fact]
	x.open = false
	if e.HasAmount {
		x.amount = e.Amount
	}
	u.made[e.Fact] = x
}

// uses are those that stand, by cycle: of authorisations those that the account says are open.
func (u *judgeUses) uses(s *reward.State) []judgeUse {
	list := slices.Clone(u.taken)
	for id, x := range u.made {
		if !x.open || slices.ContainsFunc(s.Reservations, func(r reward.ReservationState) bool { return r.Redemption == id }) {
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(x, y judgeUse) int { return x.cycle - y.cycle })
	return list
}

const judgeNever = math.MaxInt

// judgeLots is what was earned, by cycle, and what of it was used.
type judgeLots struct {
	stood  int64 // at the beginning, and never expires
	byIn   map[int]int64
	uses   []judgeUse
	begins int
	months func(cycle int) int // that its rewards live, 0 for ever
}

// last is the last cycle in which a lot can be used: none goes before an older one.
func (l *judgeLots) last(cycle int) (last int) {
	if l.months(cycle) == 0 {
		return judgeNever
	}
	for before := max(l.begins, cycle-120); before <= cycle; before++ {
		last = max(last, before+l.months(before))
	}
	return last
}

// expires reports whether a version of the program says so.
func (a *judgeAccount) expires() bool {
	for p := a.program; p != nil; p = p.Earlier {
		if p.ExpiryMonths > 0 {
			return true
		}
	}
	return false
}

// lastCycle is the cycle that holds the last instant of a period: judgeNever of a lifetime.
func (a *judgeAccount) lastCycle(per reward.Period, day time.Time) int {
	if per == reward.PerLifetime {
		return judgeNever
	}
	first := day
	switch per {
	case reward.PerYear:
		day = time.Date(day.Year(), 12, 31, 0, 0, 0, 0, time.UTC)
	case reward.PerQuarter, reward.PerMonth: // their last day is in the last days of a month
		day = time.Date(day.Year(), day.Month(), 28, 0, 0, 0, 0, time.UTC)
		for per == reward.PerQuarter && day.Month()%3 != 0 {
			day = day.AddDate(0, 1, 0)
		}
		day = slices.MaxFunc([]time.Time{day, first}, time.Time.Compare)
	}
	name := periodOfDay(a.program.StatementDay, per, day)
	for periodOfDay(a.program.StatementDay, per, day.AddDate(0, 0, 1)) == name {
		day = day.AddDate(0, 0, 1)
	}
	return judgeMonth(periodOfDay(a.program.StatementDay, reward.PerCycle, day))
}

// lots are an account's, or nil where no version says that anything expires, or the cycle of a lifetime's
// rewards cannot be told from outside.
func (j *judged) lots(s *reward.State, lines map[string]judgeLine, due *judgeWorth) *judgeLots {
	if !j.expires() {
		return nil
	}
	l := &judgeLots{byIn: maps.Clone(j.added), uses: j.uses(s)}
	paid := map[string]int64{}
	for name, b := range due.baskets {
		for _, e := range b.entries {
			switch v := lines[e.of.id].paid(e); {
			case !b.rule.Whole:
				l.byIn[j.cycle(e.of.settled)] += v
			case b.rule.Per == reward.PerLifetime:
				paid[name] += v
			default:
				l.byIn[j.lastCycle(b.rule.Per, b.day)] += v
			}
		}
	}
	for _, b := range s.Bonuses {
		goal := due.goals[[2]string{b.Bonus, b.Period}]
		if goal.Per == reward.PerLifetime {
			paid[b.Bonus] += b.Reward
			continue
		}
		l.byIn[j.lastCycle(goal.Per, goal.day)] += b.Reward
	}
	j.dateLifetimes(paid, l)
	if j.blurred {
		return nil
	}
	j.beginning(l)
	return l
}

// dateLifetimes notes in which cycle rewards of a lifetime were paid, which
// are taken back from the latest first.
func (j *judged) dateLifetimes(paid map[string]int64, l *judgeLots) {
	now := j.account().Now()
	cycle := j.cycle(now)
	turned := j.turned || j.seen != 0 && j.cycle(j.seen) != cycle
	j.seen, j.turned = now, false
	for name := range j.lifetimes {
		paid[name] += 0
	}
	for name, total := range paid {
		list := j.lifetimes[name]
		var before int64
		for _, x := range list {
			before += x.amount
		}
		j.blurred = j.blurred || turned && (before != 0 || total != 0)
		if total > before {
			list = append(list, judgeUse{cycle, total - before, false})
		}
		for more := before - total; more > 0; {
			last := &list[len(list)-1]
			part := min(more, last.amount)
			last.amount -= part
			more -= part
			if last.amount == 0 {
				list = list[:len(list)-1]
			}
		}
		j.lifetimes[name] = list
		for _, x := range list {
			l.byIn[x.cycle] += x.amount
		}
	}
}

// beginning finds what stood before the first cycle whose rewards expire, and for how long the others live.
func (j *judged) beginning(l *judgeLots) {
	l.months = func(cycle int) int {
		terms := j.program
		for terms.Earlier != nil && int(terms.From) > cycle {
			terms = terms.Earlier
		}
		return terms.ExpiryMonths
	}
	for p := j.program; p != nil; p = p.Earlier {
		if p.ExpiryMonths > 0 {
			l.begins = int(p.From)
			if p.Earlier == nil {
				l.begins = 0
			}
		}
	}
	for c, v := range l.byIn {
		if c < l.begins {
			l.stood += v
			delete(l.byIn, c)
		}
	}
	var uses []judgeUse
	for _, u := range l.uses {
		if u.cycle < l.begins {
			l.stood -= u.amount
		} else {
			uses = append(uses, u)
		}
	}
	l.uses = uses
}

// unused is what is left of each lot, by first in, first out.
func (l *judgeLots) unused() map[int]int64 {
	left, stood, uses := maps.Clone(l.byIn), l.stood, slices.Clone(l.uses)
	if stood < 0 {
		uses, stood = slices.Insert(uses, 0, judgeUse{l.begins, -stood, false}), 0
	}
	order := slices.Sorted(maps.Keys(left))
	for _, u := range uses {
		part := min(stood, u.amount)
		stood -= part
		u.amount -= part
		for _, c := range order {
			if u.cycle <= l.last(c) {
				part := min(left[c], u.amount)
				left[c] -= part
				u.amount -= part
			}
		}
	}
	return left
}

// over reports whether a lot's last cycle has closed.
func (l *judgeLots) over(cycle, open int) bool { return l.last(cycle) < open }

func (l *judgeLots) expired(open int) (sum int64) {
	for c, left := range l.unused() {
		if l.over(c, open) {
			sum += left
		}
	}
	return sum
}

// compareExpiry: what has expired, and what will when.
func (j *judged) compareExpiry(t rapid.TB, s *reward.State, l *judgeLots, now reward.Instant) {
	t.Helper()
	open := j.cycle(now)
	if want := l.expired(open); s.Expired != want {
		t.Errorf("%d have expired, the judge says %d", s.Expired, want)
	}
	if open < l.begins {
		return
	}
	want := l.unused()
	maps.DeleteFunc(want, func(c int, left int64) bool {
		return left == 0 || l.over(c, open) || l.last(c) == judgeNever
	})
	for _, x := range s.Expiring {
		c := int(x.Cycle)
		if want[c] != x.Amount || j.cycle(x.At) != l.last(c)+1 || j.cycle(x.At-1) != l.last(c) {
			t.Errorf("%d of cycle %s expire at %s, the judge says %d after cycle %s", x.Amount, x.Cycle, x.At.Time(), want[c], reward.Cycle(l.last(c)))
		}
		delete(want, c)
	}
	if len(want) > 0 {
		t.Errorf("nothing is said of what expires of %v", want)
	}
}

// falls is what the balance would fall by if what is held were taken back: of a lot
// that is over it had expired all the same.
func (j *judged) falls(l *judgeLots, holds map[int]int64, now reward.Instant) (sum int64) {
	for _, h := range holds {
		sum += h
	}
	if l == nil {
		return sum
	}
	open := j.cycle(now)
	taken := *l
	taken.byIn = maps.Clone(l.byIn)
	var rest int64
	for c := open; c >= l.begins && c >= open-240; c-- {
		if l.over(c, open) {
			rest += holds[c]
			part := min(rest, taken.byIn[c])
			taken.byIn[c] -= part
			rest -= part
		}
	}
	for c, h := range holds {
		if c < l.begins {
			rest += h
		}
	}
	taken.stood -= rest
	return sum - (l.expired(open) - taken.expired(open))
}

// lost is what purchases under a limit have above what they would have: of each cycle, the latest before, and no
// more than all of them together. Of lots that are over it is how far this comes above what it came to for the
// later ones of these, so that only those make up for a loss which are no older.
func (j *judged) lost(b, ripe *judgeBasket, lines map[string]judgeLine, l *judgeLots, now reward.Instant) map[int]int64 {
	by := map[int]int64{}
	for _, e := range b.entries {
		by[j.cycle(e.of.settled)] += lines[e.of.id].paid(e)
	}
	if ripe != nil {
		for _, e := range ripe.entries {
			by[j.cycle(e.of.settled)] -= e.f
		}
	}
	latestFirst := slices.Sorted(maps.Keys(by))
	slices.Reverse(latestFirst)
	var total, over, most int64
	for _, c := range latestFirst {
		if c >= l.begins && l.over(c, j.cycle(now)) {
			before := most
			over += by[c]
			most = max(most, over)
			by[c] = most - before
		}
		total += by[c]
	}
	for _, c := range latestFirst {
		by[c] = max(0, min(total, by[c]))
		total -= by[c]
	}
	return by
}
