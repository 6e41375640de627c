package reward

import (
	"fmt"
	"slices"
	"strings"
)

// Terms are what a program promises, as a pure function E from an account's net
// purchases to rewards (docs/terms.md). What a purchase earned is not a memory but
// a value of E: allocation says how much of each purchase is left, E what that
// earns, and levelling posts the difference. So no element of the terms takes
// anything back itself, and none can be added that does.
//
// E goes by baskets: the purchases that one promise counts together, of one rule
// without a limit, of one limit, or of one bonus, in one period. What a purchase is
// to a basket is an entry, and what an element is to a basket is in the table of
// element.go.

// Earning is what a rule or a bonus of a program says of how it counts.
type Earning struct {
	// Except is what must not hold of a purchase, none of its members.
	Except Match
	// Minimum is the least that must be left of a purchase for it to count; zero
	// is none.
	Minimum int64
	// Unit is what of a purchase counts in whole numbers; zero is one minor unit.
	Unit int64
	// AtMost bounds the reward of one purchase; zero is no bound.
	AtMost int64
	// Exact is the rate as a fraction, N minor units of reward for M of spend; zero
	// where Rule.Rate is the rate.
	Exact Fraction
	// Per is the period that Cap, Places and Steps are of, or a bonus.
	Per Period
	// Shared is the name of the limit that several rules count in together, "" for
	// one of the rule's own.
	Shared string
	// Places are how many purchases of a period earn; zero is any number.
	Places int64
	// Steps are rates by the spend of a period, in place of a rate.
	Steps []Step
	// Whole has all spend of the period earn the rate of the highest step reached.
	Whole bool
}

// Step is the rate of what is spent beyond From in a period.
type Step struct {
	From  int64
	Rate  Rate
	Exact Fraction // as Earning.Exact
}

// Bonus is a reward of a period. One of Spend, Purchases and Every says for what.
type Bonus struct {
	ID    string
	Match Match
	Earning
	// Spend and Purchases have the reward of a period by how much was spent or how
	// many purchases were made in it: that of the highest step reached.
	Spend, Purchases []Goal
	// Every pays again and again; its Reward is zero where the bonus has steps.
	Every Every
}

// Goal is the whole reward of a period in which From was reached.
type Goal struct{ From, Reward int64 }

// Every is Reward for each Spend of a period, or for each so many Purchases where
// Spend is zero, at most AtMost times; zero is any number of times.
type Every struct{ Spend, Purchases, Reward, AtMost int64 }

// Fraction is an exact rate: Num minor units of reward for Den of spend.
type Fraction struct{ Num, Den int64 }

// of is ⌊rate · amount⌋.
func (f Fraction) of(amount int64) int64 { return mulDiv(amount, f.Num, f.Den) }

// fraction is a rate as a fraction.
func fraction(r Rate, exact Fraction) Fraction {
	if exact.Den != 0 {
		return exact
	}
	return Fraction{int64(r), rateScale}
}

// counted is q: what of a purchase counts, of which so much is left.
func (e *Earning) counted(left int64) int64 {
	switch {
	case left < e.Minimum:
		return 0
	case e.Unit > 1:
		return left - left%e.Unit
	}
	return left
}

// Bends reports whether the reward of a purchase by itself is no fixed share of what
// is left of it.
func (e *Earning) Bends() bool { return e.Minimum > 0 || e.Unit > 1 || e.AtMost > 0 }

// fraction is the rate of a rule without steps.
func (r *Rule) fraction() Fraction { return fraction(r.Rate, r.Exact) }

// limited reports whether what a purchase earns depends on others.
func (r *Rule) limited() bool { return r.Cap != NoCap || r.Places > 0 || len(r.Steps) > 0 }

// alone is ⌊ψ⌋: what a counted amount earns by itself.
func (r *Rule) alone(q int64) int64 {
	if len(r.Steps) > 0 {
		return 0
	}
	full := r.fraction().of(q)
	if r.AtMost > 0 {
		return min(r.AtMost, full)
	}
	return full
}

// Alone is what a purchase earns under the rule by itself, in minor units of reward, if so
// much of it is left: ⌊ψ⌋ of docs/terms.md, before any limit, and zero under steps.
func (r *Rule) Alone(left int64) int64 { return r.alone(r.counted(left)) }

// sameEarning reports whether two versions of a rule count alike, so that what was
// bought under one counts on under the other.
func (r *Rule) sameEarning(o *Rule) bool {
	return r.Cap == o.Cap && r.fraction() == o.fraction() && r.Earning.same(&o.Earning)
}

// same compares all but what is matched.
func (e *Earning) same(o *Earning) bool {
	return e.Minimum == o.Minimum && max(e.Unit, 1) == max(o.Unit, 1) && e.AtMost == o.AtMost && e.Per == o.Per && e.Shared == o.Shared &&
		e.Places == o.Places && e.Whole == o.Whole && slices.Equal(e.Steps, o.Steps)
}

// sameEarning is the same of two versions of a bonus.
func (b *Bonus) sameEarning(o *Bonus) bool {
	return b.Every == o.Every && slices.Equal(b.Spend, o.Spend) && slices.Equal(b.Purchases, o.Purchases) && b.Earning.same(&o.Earning)
}

// MostPerUnit is the most minor units of reward that a rate may give for one of
// spend.
const MostPerUnit = 1000

// maxTerm bounds both numbers of a fraction.
const maxTerm = 1_000_000_000

// ParseFraction reads a rate such as "3 per 100": so many minor units of reward for
// so many of spend.
func ParseFraction(s string) (f Fraction, ok bool) {
	num, den, ok := strings.Cut(s, " per ")
	if !ok {
		return Fraction{}, false
	}
	if f.Num, ok = digits(num); !ok {
		return Fraction{}, false
	}
	if f.Den, ok = digits(den); !ok || f.Den == 0 || f.Num > MostPerUnit*f.Den {
		return Fraction{}, false
	}
	return f, true
}

func digits(s string) (n int64, ok bool) {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		if n = n*10 + int64(c-'0'); n > maxTerm {
			return 0, false
		}
	}
	return n, s != "" && (s[0] != '0' || len(s) == 1)
}

// String renders the fraction as programs write it.
func (f Fraction) String() string { return fmt.Sprintf("%d per %d", f.Num, f.Den) }

// Above reports whether a step's rate is above another's.
func (s Step) Above(o Step) bool {
	x, y := fraction(s.Rate, s.Exact), fraction(o.Rate, o.Exact)
	return mul64(x.Num, y.Den).cmp(mul64(y.Num, x.Den)) > 0
}

// IsUnit reports whether a text can stand for what rewards are in: it goes where
// currencies go, so it is three capital letters.
func IsUnit(s string) bool {
	for _, c := range []byte(s) {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return len(s) == 3
}

// weight is the most that an amount can add to any total of an account that is spent in
// so many purchases, its rewards included; MaxVolume stands for all that is more.
func (p *Program) weight(amount int64, purchases int) int64 {
	perUnit, once := int64(1), int64(0)
	for i := range p.Layers {
		var most int64 // of the layer's rules, rounded up
		for j := range p.Layers[i].Rules {
			r := &p.Layers[i].Rules[j]
			most = max(most, r.fraction().up())
			for _, s := range r.Steps {
				most = max(most, fraction(s.Rate, s.Exact).up())
			}
		}
		perUnit += most
	}
	for i := range p.Bonuses {
		b := &p.Bonuses[i]
		if b.Every.Spend > 0 {
			perUnit += Fraction{b.Every.Reward, b.Every.Spend}.up()
		}
		once += b.Every.Reward
		for _, goals := range [...][]Goal{b.Spend, b.Purchases} {
			if n := len(goals); n > 0 {
				once += goals[n-1].Reward
			}
		}
	}
	if once > MaxVolume/int64(purchases) {
		return MaxVolume
	}
	once *= int64(purchases)
	if amount > (MaxVolume-once)/perUnit {
		return MaxVolume
	}
	return amount*perUnit + once
}

// up is the fraction rounded up.
func (f Fraction) up() int64 { return (f.Num + f.Den - 1) / f.Den }
