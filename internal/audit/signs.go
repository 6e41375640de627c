package audit

import (
	"cmp"
	"slices"
	"strings"

	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
)

// flawSums are the signs of one flaw.
type flawSums struct {
	Shown  int64 `json:"shown"`
	Could  int64 `json:"could"`
	Amount int64 `json:"amount"`
	// Shorts of CouldShort, and ShortAmount, are those that cost the cardholder, of a
	// flaw that can cost either.
	Shorts      int64           `json:"shorts,omitzero"`
	CouldShort  int64           `json:"could_short,omitzero"`
	ShortAmount int64           `json:"short_amount,omitzero"`
	Examples    []judge.Example `json:"examples,omitempty"`
}

// merge adds other signs of the flaw.
func (f *flawSums) merge(o *flawSums) { merge(new(sums), f, o) }

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
		switch s := standing(half[0], half[1]); {
		case slices.Index(clearness, s) > slices.Index(clearness, is):
			is, shown, could = s, half[0], half[1]
		case s == TooFew && is == NotFound:
			is = TooFew // of the other half nobody knows
		}
	}
	return is, shown, could
}

var clearness = []Standing{TooFew, NotFound, Occasional, Found}

// addSign counts an opportunity for a flaw to show.
func (s *sums) addSign(sign *judge.Sign) {
	f := at(s.Flaws, sign.Flaw)
	f.Could++
	f.CouldShort += oneIf(sign.Shorts)
	if !sign.Shown {
		return
	}
	f.Shown++
	s.add(&f.Amount, sign.Amount)
	if sign.Shorts {
		f.Shorts++
		s.add(&f.ShortAmount, sign.Amount)
	}
	keepExample(&f.Examples, sign.Example)
}

// examples are the largest of a flaw.
var examples = top[judge.Example]{5, func(a, b *judge.Example) int {
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
	if e != nil && examples.enters(*list, e) {
		*list = examples.add(*list, cloneExample(e))
	}
}

// cloneExample copies an example with its texts, which may lie in memory that is
// used again for the next account.
func cloneExample(e *judge.Example) judge.Example {
	c := *e
	for _, text := range [...]*string{&c.Account, &c.Purchase, &c.Expected, &c.Found} {
		*text = strings.Clone(*text)
	}
	c.Steps = slices.Clone(e.Steps)
	for i := range c.Steps {
		c.Steps[i].What = strings.Clone(c.Steps[i].What)
	}
	return c
}
