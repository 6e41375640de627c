package audit

import (
	"cmp"
	"slices"

	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
)

// flawSums are the signs of one flaw. Shorts of CouldShort, and ShortAmount, are those that
// cost the cardholder, of a flaw that can cost either.
type flawSums struct {
	Shown       int64           `json:"shown"`
	Could       int64           `json:"could"`
	Amount      int64           `json:"amount"`
	Shorts      int64           `json:"shorts,omitzero"`
	CouldShort  int64           `json:"could_short,omitzero"`
	ShortAmount int64           `json:"short_amount,omitzero"`
	Examples    []judge.Example `json:"examples,omitempty"`
}

// leaking counts the signs that cost the program, of how many, and what.
func (f *flawSums) leaking() (shown, could, amount int64) {
	return f.Shown - f.Shorts, f.Could - f.CouldShort, f.Amount - f.ShortAmount
}

// standing is what to make of the signs of a flaw, which showed so often of so many
// opportunities. G9 is two flaws, of which one costs the program and one the
// cardholder, and stands as the clearer of them does: who never gives back after a
// lost dispute has it, however many chargebacks were taken right.
func (f *flawSums) standing(code flaw.Code) (is Standing, shown, could int64) {
	is, shown, could = standingOf(code, f.Shown, f.Could), f.Shown, f.Could
	if code != flaw.G9 {
		return is, shown, could
	}
	leaked, couldLeak, _ := f.leaking()
	for _, half := range [...][2]int64{{leaked, couldLeak}, {f.Shorts, f.CouldShort}} {
		s := standing(half[0], half[1])
		if clearness[s] > clearness[is] {
			is, shown, could = s, half[0], half[1]
		} else if s == TooFew && is == NotFound {
			is = TooFew // of the other half nobody knows
		}
	}
	return is, shown, could
}

var clearness = map[Standing]int{TooFew: 0, NotFound: 1, Occasional: 2, Found: 3}

// addSign counts an opportunity for a flaw to show.
func (s *sums) addSign(sign *judge.Sign) {
	f, shown, shorts := at(s.Flaws, sign.Flaw), oneIf(sign.Shown), oneIf(sign.Shorts)
	f.Could++
	f.CouldShort += shorts
	f.Shown += shown
	f.Shorts += shown * shorts
	s.add(&f.Amount, shown*sign.Amount)
	s.add(&f.ShortAmount, shown*shorts*sign.Amount)
	keepExample(&f.Examples, sign.Example)
}

// examples are the largest of a flaw.
var examples = top[judge.Example]{5, func(a, b judge.Example) int {
	return cmp.Or(
		cmp.Compare(b.Amount, a.Amount), cmp.Compare(a.Account, b.Account), cmp.Compare(a.Purchase, b.Purchase),
		cmp.Compare(a.Found, b.Found), cmp.Compare(a.Expected, b.Expected),
		slices.CompareFunc(a.Steps, b.Steps, func(a, b judge.Step) int {
			return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.What, b.What), cmp.Compare(a.Amount, b.Amount))
		}),
	)
}}

// keepExample keeps an example, if there is one, that is among the largest.
func keepExample(list *[]judge.Example, e *judge.Example) {
	if e != nil {
		examples.keep(list, *e, func(e *judge.Example) { e.Steps = slices.Clone(e.Steps) })
	}
}
