package judge

import (
	"math/big"
	"slices"

	"recoup/reward"
)

// Rounding is how a program makes whole minor units of what its terms come to, which the terms
// themselves do not say; the zero value is that nobody has said.
type Rounding struct {
	Mode string `json:"mode,omitempty"` // one of RoundingModes
	// Statement: what a cycle comes to is rounded once, rather than each purchase.
	Statement bool `json:"per_statement,omitzero"`
}

// String says it in words; empty for what is not stated.
func (r Rounding) String() string {
	switch {
	case r.Mode == "":
		return ""
	case r.Statement:
		return r.Mode + ", once for each statement"
	}
	return r.Mode + ", each purchase"
}

// RoundingModes are the modes, with whether a rest r of one, above zero, becomes a whole: odd
// says that what it is above is odd.
var RoundingModes = map[string]func(r *big.Rat, odd bool) bool{
	"down":      func(*big.Rat, bool) bool { return false },
	"half-up":   func(r *big.Rat, _ bool) bool { return r.Cmp(half) >= 0 },
	"half-even": func(r *big.Rat, odd bool) bool { return r.Cmp(half) > 0 || odd && r.Cmp(half) == 0 },
	"up":        func(*big.Rat, bool) bool { return true },
}

var half = big.NewRat(1, 2)

// rests are what the terms promise beyond the whole units of each purchase, which the core
// rounds down, and how that is rounded.
type rests struct {
	Rounding
	rises func(*big.Rat, bool) bool // nil: not stated
	parts map[string][]*part        // by transaction
	rooms map[roomOf]*room
	sums  map[reward.Cycle]*remainder
	extra int64 // Σ of sums, rounded
	adds  int64 // in the end, to what the terms come to
}

// remainder is a rest, and the whole units below it.
type remainder struct {
	rest  big.Rat
	whole int64
}

// part is what a purchase earns by a rule.
type part struct {
	remainder
	layer, rule string
	rate        *big.Rat
	in          *room
}

// room is what purchases of a cycle earn by a rule. Of a cap that is of several cycles or rules
// each room has what is left: where it is all but reached, that may be some units too many.
type room struct {
	remainder
	counted remainder // as far as a cap leaves room for it
	left    *big.Rat  // of a cap; nil without one
	in      *remainder
}

type roomOf struct {
	layer, rule string
	cycle       reward.Cycle
}

func (s *rests) begin() {
	if s.rises != nil {
		s.parts, s.rooms, s.sums, s.extra = map[string][]*part{}, map[roomOf]*room{}, map[reward.Cycle]*remainder{}, 0
	}
}

// post takes in what the terms came to for a purchase of a cycle.
func (s *rests) post(p *reward.Posting, cycle reward.Cycle) {
	if s.rises == nil {
		return
	}
	f, key := &p.Formula, roomOf{p.Layer, p.Rule, cycle}
	if s.rooms[key] == nil {
		if s.sums[cycle] == nil {
			s.sums[cycle] = new(remainder)
		}
		s.rooms[key] = &room{in: s.sums[cycle]}
	}
	if f.Cap != reward.NoCap {
		s.rooms[key].left = new(big.Rat).SetInt64(f.Cap - f.Used)
	}
	parts := s.parts[p.Transaction]
	at := slices.IndexFunc(parts, func(x *part) bool { return x.layer == p.Layer && x.rule == p.Rule })
	if at < 0 {
		rate := big.NewRat(int64(f.Rate), int64(reward.MaxRate))
		if f.Exact.Den != 0 {
			rate.SetFrac64(f.Exact.Num, f.Exact.Den)
		}
		at, parts = len(parts), append(parts, &part{layer: p.Layer, rule: p.Rule, rate: rate, in: s.rooms[key]})
		s.parts[p.Transaction] = parts
	}
	s.set(parts[at], f.After, f.Purchase-f.Reversed)
}

// look finds out what is left of a purchase: what comes back may change no whole unit, and then
// nothing is posted.
func (s *rests) look(a *reward.Account, transaction string) {
	if parts := s.parts[transaction]; len(parts) > 0 {
		d, _ := a.Detail(transaction)
		for _, x := range parts {
			s.set(x, x.whole, d.Amount-d.Reversed)
		}
	}
}

// set says what a part comes to with so much left of its purchase. Where a step, a unit or a cap is
// between its rate and its reward there is no rest.
func (s *rests) set(x *part, whole, left int64) {
	was := x.remainder
	x.remainder = remainder{whole: whole}
	exact := new(big.Rat).SetInt64(left)
	rest := exact.Sub(exact.Mul(exact, x.rate), new(big.Rat).SetInt64(whole))
	if most := big.NewRat(2, 1); rest.Sign() >= 0 && rest.Cmp(most) < 0 {
		x.rest.Set(rest)
	}
	if !s.Statement {
		x.rest.SetInt64(s.round(&x.remainder))
	}
	in := x.in
	in.replace(&was, &x.remainder)
	before := in.counted
	in.counted = remainder{whole: in.whole}
	in.counted.rest.Set(&in.rest)
	if in.left != nil && in.left.Cmp(&in.rest) < 0 {
		in.counted.rest.Set(in.left)
	}
	s.extra -= s.round(in.in)
	in.in.replace(&before, &in.counted)
	s.extra += s.round(in.in)
}

// replace puts one in the place of another in a sum.
func (r *remainder) replace(was, now *remainder) {
	r.whole += now.whole - was.whole
	r.rest.Add(&r.rest, &now.rest)
	r.rest.Sub(&r.rest, &was.rest)
}

// round is what a rest comes to.
func (s *rests) round(r *remainder) int64 {
	q, m := new(big.Int).QuoRem(r.rest.Num(), r.rest.Denom(), new(big.Int))
	whole := q.Int64()
	if m.Sign() > 0 && s.rises(new(big.Rat).SetFrac(m, r.rest.Denom()), (r.whole+whole)%2 != 0) {
		whole++
	}
	return whole
}

// promises is what the terms come to so far: with the program's rounding where that is stated,
// else rounded down once.
func (j *Judge) promises() int64 {
	s := j.promise.account.Summary()
	return s.Entitlement + j.rounded(&s)
}

// rounded is what the program's rounding adds to what the terms come to so far.
func (j *Judge) rounded(s *reward.State) int64 {
	if j.rests.rises == nil {
		return 0
	}
	return j.entitled + j.rests.extra - s.Entitlement
}

// unsaid is by how much rounding that is not stated may be off, for so many purchases.
func (j *Judge) unsaid(purchases int64) int64 {
	if j.rests.rises == nil {
		return purchases
	}
	return 0
}
