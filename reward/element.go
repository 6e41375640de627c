package reward

// element is a way of earning: what the purchases of a basket are worth together,
// and what each of them gets. All of it is a function of what is left of them.
//
// A new element is a file with this interface and a line in the table below.
type element interface {
	// share is f of an entry: what it gets beside those before it in posting order,
	// all being the sum over the basket.
	share(before tally, own entry, all tally) int64
	// asLast is what an entry would get as the last of its basket: what its grant
	// says at first. Used is what is posted of the basket.
	asLast(own entry, all tally, used int64) int64
	// worth is the reward of a basket that is none of any purchase: a bonus's.
	worth(all tally) int64
	// promised is E of a basket, nothing rounded.
	promised(all *exactly) uint128
	// binds reports whether what an entry takes with it, a unit, depends on what
	// else is reversed.
	binds(all *exactly) bool
	// edges are where shares change, for elements under which they depend on posting
	// order.
	edges() []boundary
	// rates are those of all entries together, and which of them applies to a sum, for
	// elements under which there is one for all.
	rates(all tally) (list []Fraction, at int)
	// prefers orders candidates of a placement before the order of semantics.md.
	prefers() preference
}

// elements are all there are, each with the rules or bonuses that say it. The first
// applies.
var elements = [...]struct {
	rule  func(*Rule) element
	bonus func(*Bonus) element
}{
	{rule: places},
	{rule: wholeSteps},
	{rule: steps},
	{rule: rewardCap},
	{rule: alone},
	{bonus: every},
	{bonus: everyPurchases},
	{bonus: goalsOfSpend},
	{bonus: goalsOfPurchases},
}

// elementOf returns what a rule counts by.
func elementOf(r *Rule) element {
	for _, x := range elements {
		if x.rule != nil {
			if e := x.rule(r); e != nil {
				return e
			}
		}
	}
	panic("reward: rule " + r.ID + " earns in no way")
}

// elementOfBonus returns what a bonus counts by.
func elementOfBonus(b *Bonus) element {
	for _, x := range elements {
		if x.bonus != nil {
			if e := x.bonus(b); e != nil {
				return e
			}
		}
	}
	panic("reward: bonus " + b.ID + " earns in no way")
}

// entry is what a purchase is to a basket: q, what of it counts, and ⌊ψ⌋, what that
// earns by itself.
type entry struct{ q, floor int64 }

// tally is entries added up; count is of those with q above zero.
type tally struct{ count, spend, floors int64 }

func (s tally) plus(e entry) tally {
	if e.q > 0 {
		s.count++
	}
	return tally{s.count, s.spend + e.q, s.floors + e.floor}
}

func (s tally) minus(e entry) tally {
	if e.q > 0 {
		s.count--
	}
	return tally{s.count, s.spend - e.q, s.floors - e.floor}
}

// exact is an entry with ψ, which is not rounded: it is in units of one to a scale,
// as all of E is, of which every denominator of a rate is a divisor.
type exact struct {
	q   int64
	psi uint128
}

// preference is what a placement looks at first.
type preference uint8

const (
	asSettled   preference = iota // nothing: semantics.md's order stands
	mostTaken                     // what takes most with it, a unit
	leastSpend                    // that of which least is left
	firstPosted                   // what posted first
)

// notABonus is the part of an element that only bonuses have.
type notABonus struct{}

func (notABonus) worth(tally) int64   { return 0 }
func (notABonus) prefers() preference { return asSettled }
func (notABonus) edges() []boundary   { return nil }

func (notABonus) rates(tally) ([]Fraction, int) { return nil, 0 }

// onlyABonus is the part of an element that only rules have.
type onlyABonus struct{}

func (onlyABonus) share(tally, entry, tally) int64  { return 0 }
func (onlyABonus) asLast(entry, tally, int64) int64 { return 0 }
func (onlyABonus) edges() []boundary                { return nil }

func (onlyABonus) rates(tally) ([]Fraction, int) { return nil, 0 }

// exactly is entries added up with ψ, which is not rounded.
type exactly struct {
	tally
	psi   uint128 // Σψ
	scale int64
	// entries are in posting order; where it is of what is not alone, others are among them.
	entries  *[]member
	notAlone bool
}

// first is Σψ of the first so many of which something counts.
func (e *exactly) first(most int64) (sum uint128) {
	for i := range *e.entries {
		m := &(*e.entries)[i]
		if most == 0 {
			break
		}
		if m.q > 0 && !(e.notAlone && m.alone) {
			most--
			sum = sum.add(m.psi)
		}
	}
	return sum
}

// whole is a sum of minor units in units of a scale.
func whole(n, scale int64) uint128 { return mul64(n, scale) }

// times is a rate of an amount in units of a scale.
func (f Fraction) times(amount, scale int64) uint128 { return mul64(amount, f.Num*(scale/f.Den)) }

// psi is ψ of a counted amount under a rule.
func (r *Rule) psi(q, scale int64) uint128 {
	if len(r.Steps) > 0 {
		return uint128{}
	}
	full := r.fraction().times(q, scale)
	if r.AtMost > 0 {
		return full.min(whole(r.AtMost, scale))
	}
	return full
}

// scale is the least common multiple of the denominators of all rates so far.
func (p *Program) scale() int64 {
	scale := int64(rateScale)
	for ; p != nil; p = p.Earlier {
		scale = p.scaled(scale)
	}
	return scale
}

// scaled is the least common multiple of a scale and of the denominators of the
// program's rates; 0 if it is above MaxScale.
func (p *Program) scaled(scale int64) int64 {
	with := func(f Fraction) {
		if f.Den == 0 || scale == 0 {
			return
		}
		a, b := scale, f.Den
		for b != 0 {
			a, b = b, a%b
		}
		if f.Den/a > MaxScale/scale {
			scale = 0
			return
		}
		scale *= f.Den / a
	}
	for i := range p.Layers {
		for j := range p.Layers[i].Rules {
			r := &p.Layers[i].Rules[j]
			with(r.Exact)
			for _, s := range r.Steps {
				with(s.Exact)
			}
		}
	}
	return scale
}

// MaxScale bounds the least common multiple of the denominators of a program's rates,
// a percentage having 10^8, so that no product of exact rewards can overflow.
const MaxScale = 10_000_000_000_000

// Commensurable reports whether the rates of the program, and of the versions before
// it, have a common denominator up to MaxScale.
func (p *Program) Commensurable(earlier *Program) bool {
	scale := int64(rateScale)
	if earlier != nil {
		scale = earlier.scale()
	}
	return p.scaled(scale) != 0
}
