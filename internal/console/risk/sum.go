package risk

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"
	"time"

	"recoup/reward"
)

// ages are the first days of the ages of debts, horizons the days that the curve of
// recovery is told for.
var (
	ages     = [...]int{0, 31, 61, 91, 181}
	horizons = [...]int{7, 14, 30, 60, 90, 180, 365}
)

// Sum adds up all books.
func (r *Reader) Sum(at time.Time) *Figures {
	f := &Figures{AsOf: at, Options: r.options}
	now := reward.At(at)
	by := make(map[string]*sums)
	for id, b := range r.books {
		if b.failed != nil {
			f.Unread++
			continue
		}
		f.Accounts++
		s := by[b.currency]
		if s == nil {
			s = newSums(b.currency, now, r.options.ReturnDays)
			by[b.currency] = s
		}
		s.add(id, b)
	}
	for _, code := range slices.Sorted(maps.Keys(by)) {
		f.Currencies = append(f.Currencies, by[code].close())
	}
	return f
}

// sums adds up the books of a currency.
type sums struct {
	Currency
	now    reward.Instant
	first  reward.Instant // the first day of exposure
	from   reward.Instant // the moment from which on purchases can come back
	rules  map[[2]string]*RuleExposure
	months map[reward.Cycle]*Month
}

func newSums(code string, now reward.Instant, returnDays int) *sums {
	s := &sums{Currency: Currency{Currency: code}, now: now, from: now - reward.Instant(returnDays)*reward.Day, rules: make(map[[2]string]*RuleExposure), months: make(map[reward.Cycle]*Month)}
	s.first = dayOf(s.from)
	for day := s.first; day <= now; day += reward.Day {
		s.Days = append(s.Days, DayExposure{Day: day})
	}
	for i, from := range ages {
		age := DebtAge{From: from}
		if i+1 < len(ages) {
			age.To = ages[i+1] - 1
		}
		s.Ages = append(s.Ages, age)
	}
	for _, days := range horizons {
		s.Recovery = append(s.Recovery, Recovered{Days: days})
	}
	for month := reward.CycleAt(now) - shownMonths + 1; month <= reward.CycleAt(now); month++ {
		s.Months = append(s.Months, Month{Month: month})
	}
	for i := range s.Months {
		s.months[s.Months[i].Month] = &s.Months[i]
	}
	return s
}

// dayOf is the beginning of a day of UTC.
func dayOf(at reward.Instant) reward.Instant {
	return reward.At(at.Time().Truncate(24 * time.Hour))
}

func (s *sums) add(id string, b *Book) {
	s.Accounts++
	s.exposes(b)
	s.owes(b)
	s.stood(b)
	for _, d := range b.debts {
		s.arose(d)
	}
	for i := range b.dips {
		s.Dips++
		Increase(&s.Taken, b.dips[i].Taken)
		if m := s.months[reward.CycleAt(b.dips[i].Sent)]; m != nil {
			m.Dips++
			Increase(&m.Taken, b.dips[i].Taken)
		}
	}
	if len(b.dips) > 1 {
		s.Dippers = append(s.Dippers, dipperOf(id, b))
	}
}

func (s *sums) exposes(b *Book) {
	any := false
	for _, x := range b.exposed {
		if x.settled < s.from {
			break // it and those after it cannot come back any more
		}
		any = true
		Increase(&s.Exposed, x.amount)
		if day := int((x.settled - s.first) / reward.Day); day < len(s.Days) {
			Increase(&s.Days[day].Amount, x.amount)
		} else {
			Increase(&s.Days[len(s.Days)-1].Amount, x.amount) // dated ahead
		}
		name := [2]string{b.program, x.rule}
		if s.rules[name] == nil {
			s.rules[name] = &RuleExposure{Program: b.program, Rule: x.rule}
		}
		s.rules[name].Rewards++
		Increase(&s.rules[name].Amount, x.amount)
	}
	if any {
		s.Exposing++
	}
}

func (s *sums) owes(b *Book) {
	if b.balance >= 0 {
		return
	}
	age := &s.Closed
	if b.closed == 0 {
		days := int(max(0, s.now-b.since) / reward.Day)
		i := len(s.Ages) - 1
		for s.Ages[i].From > days {
			i--
		}
		age = &s.Ages[i]
	}
	age.Accounts++
	Increase(&age.Debt, -b.balance)
}

// stood carries where an account stood at the end of each month on to the next.
func (s *sums) stood(b *Book) {
	var at level
	next := 0
	for i := range s.Months {
		m := &s.Months[i]
		for next < len(b.levels) && b.levels[next].month <= m.Month {
			at = b.levels[next]
			next++
		}
		Increase(&m.Owed, max(0, at.balance))
		Increase(&m.Debt, max(0, -at.balance))
		Increase(&m.Lost, at.lost)
	}
	for _, d := range b.debts {
		for _, r := range d.repaid {
			if r.gift {
				Increase(&s.Forgiven, r.amount)
			}
		}
	}
	if b.closed != 0 {
		Increase(&s.Stranded, max(0, -b.balance))
	}
}

func (s *sums) arose(d *Debt) {
	if m := s.months[reward.CycleAt(d.Since)]; m != nil {
		Increase(&m.Arisen, d.Amount)
	}
	for _, r := range d.repaid {
		if m := s.months[reward.CycleAt(r.at)]; m != nil && r.gift {
			Increase(&m.Forgiven, r.amount)
		} else if m != nil {
			Increase(&m.Repaid, r.amount)
		}
	}
	for i := range s.Recovery {
		c := &s.Recovery[i]
		within := reward.Instant(c.Days) * reward.Day
		if s.now-d.Since < within {
			break
		}
		c.Debts++
		Increase(&c.Arisen, d.Amount)
		earlier := reward.Instant(0)
		if i > 0 {
			earlier = reward.Instant(horizons[i-1]) * reward.Day
		}
		for _, r := range d.repaid {
			if r.gift || r.at-d.Since > within {
				continue
			}
			if Increase(&c.Repaid, r.amount); i > 0 && r.at-d.Since <= earlier {
				Increase(&c.before, r.amount)
			}
		}
	}
}

func dipperOf(id string, b *Book) Dipper {
	d := Dipper{Account: id, Program: b.program, Owes: max(0, -b.balance), Dips: slices.Clone(b.dips)}
	slices.Reverse(d.Dips)
	d.sum()
	return d
}

// sum works out what follows from the dips.
func (d *Dipper) sum() {
	d.Times, d.Latest, d.Paid, d.Taken = len(d.Dips), 0, 0, 0
	var bought, returned []int
	paid := make(map[string]bool)
	for _, x := range d.Dips {
		if d.Latest = max(d.Latest, x.Sent); !paid[x.redemption] {
			paid[x.redemption] = true
			Increase(&d.Paid, x.Paid)
		}
		Increase(&d.Taken, x.Taken)
		bought = append(bought, int((x.PaidOut-x.Bought)/reward.Day))
		returned = append(returned, int((x.Sent-x.PaidOut)/reward.Day))
	}
	if d.Times > 0 {
		slices.Sort(bought)
		slices.Sort(returned)
		d.Bought, d.Returned = bought[(len(bought)-1)/2], returned[(len(returned)-1)/2]
	}
}

// Between returns the dipper with the dips of a time alone, the first moment included.
func (d Dipper) Between(from, to reward.Instant) Dipper {
	d.Dips = slices.DeleteFunc(slices.Clone(d.Dips), func(x Dip) bool { return x.Sent < from || x.Sent >= to })
	d.sum()
	return d
}

func (s *sums) close() Currency {
	for _, r := range s.rules {
		s.Rules = append(s.Rules, *r)
	}
	slices.SortFunc(s.Rules, func(x, y RuleExposure) int {
		return cmp.Or(cmp.Compare(y.Amount, x.Amount), cmp.Compare(x.Program, y.Program), cmp.Compare(x.Rule, y.Rule))
	})
	slices.SortFunc(s.Dippers, func(x, y Dipper) int {
		return cmp.Or(cmp.Compare(y.Taken, x.Taken), cmp.Compare(y.Times, x.Times), cmp.Compare(x.Account, y.Account))
	})
	s.Repeaters = int64(len(s.Dippers))
	s.Dippers = slices.Clip(s.Dippers[:min(len(s.Dippers), MostDippers)])
	s.provide()
	return s.Currency
}

// curve works out how much of a debt is repaid by each step: of what was owed at the step
// before, the part that the debts of this step say.
func (s *sums) curve() {
	owed := int64(wholeDebt)
	for i := range s.Recovery {
		c := &s.Recovery[i]
		if left := c.Arisen - c.before; left > 0 {
			owed = scaled(owed, c.Arisen-c.Repaid, left)
		}
		c.owed, c.Share = owed, (wholeDebt-owed)/(wholeDebt/1000)
	}
}

// provide works out what of the debts will be lost: of those of an age, as much as of
// what is owed at that age is owed at the end of the curve. Of closed accounts, all of it.
func (s *sums) provide() {
	s.curve()
	last := s.Recovery[len(s.Recovery)-1].owed
	for i := range s.Ages {
		a := &s.Ages[i]
		owed := int64(wholeDebt)
		for _, r := range s.Recovery {
			if r.Days <= a.From {
				owed = r.owed
			}
		}
		if a.Permille = 1000; owed > 0 {
			a.Permille = min(1000, scaled(1000, last, owed))
		}
		a.Provision = scaled(a.Debt, a.Permille, 1000)
	}
	s.Closed.Permille, s.Closed.Provision = 1000, s.Closed.Debt
}

// scaled is an amount times a part of a whole, rounded up; a part is at most its whole.
func scaled(amount, part, whole int64) int64 {
	hi, lo := bits.Mul64(uint64(amount), uint64(part))
	lo, carry := bits.Add64(lo, uint64(whole)-1, 0)
	q, _ := bits.Div64(hi+carry, lo, uint64(whole))
	return int64(q)
}

// permille is what part is of the whole in thousandths, rounded down.
func permille(part, whole int64) int64 {
	if whole <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(max(0, min(part, whole))), 1000)
	q, _ := bits.Div64(hi, lo, uint64(whole))
	return int64(q)
}

// Increase adds an amount to a sum, which stops at the largest number, or the smallest.
func Increase(sum *int64, more int64) {
	switch total := *sum + more; {
	case more > 0 && total < *sum:
		*sum = math.MaxInt64
	case more < 0 && total > *sum:
		*sum = math.MinInt64
	default:
		*sum = total
	}
}
