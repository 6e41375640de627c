package audit

import (
	"cmp"
	"slices"

	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
)

// unseen are flaws that no export shows: G7 is a wrong state, which moves no
// money before it becomes G9; and exports have no items.
var unseen = map[flaw.Code]bool{flaw.G7: true, flaw.ItemsIgnored: true}

// harmless are the flaws that cost the program nothing in the end: reward is out before it
// is taken back, and owed; or the cardholder has less than was promised.
var harmless = map[flaw.Code]bool{
	"V3(b)": true, flaw.G10: true, flaw.G13: true, flaw.LateClawback: true,
	flaw.G5: true, flaw.G11: true, flaw.OverClawed: true, flaw.ExpiredTaken: true,
}

// ofClasses are the flaws that are classes, or signs of one: the class says whether they are there.
var ofClasses = map[flaw.Code]bool{"V1": true, "V2": true, "V3(a)": true, flaw.G6: true, either.Code: true}

// plainly are the flaws by which plain refunds leave reward on nothing bought: in a
// way that none of the paper's classes describes, but a class of its own.
var plainly = []flaw.Code{flaw.G1, flaw.Compounding, flaw.CurrentRate, flaw.BonusKept, flaw.PartsIgnored}

// besides are the flaws that leave reward on nothing bought through what is not plain:
// chargebacks, refunds above the price, before the purchase or without its name, and
// deliveries that repeat; and bonuses that are of no single purchase.
var besides = []flaw.Code{flaw.G2, flaw.G3, flaw.G4, flaw.G9, flaw.UnlinkedIgnored, flaw.SpendBonusKept, flaw.LevelKept}

// either is what refunds in one place show, where the other has too few.
var either = flaw.Flaw{
	Code: "V1 or V2", Title: "refunds take nothing back, and too few fall in the other place to tell V1 from V2",
	Shows: "The reward of a returned purchase is kept.", Mapping: flaw.V1.Mapping(), Tier: 1,
	Remedy: "Keep the reward of each purchase and take it back with every refund (Algorithms 1 and 2).",
}

// flawOf is the flaw by which a kind of refund takes nothing where plain ones take
// something; none for the plain ones.
func flawOf(k refundKind) flaw.Code {
	switch {
	case k.is(linked) && k.place() == judge.Early:
		return flaw.G3
	case !k.is(linked):
		return flaw.UnlinkedIgnored
	case k.is(chargeback):
		return flaw.G9
	case k.is(over):
		return flaw.G2
	case !k.is(whole):
		return flaw.PartsIgnored
	}
	return ""
}

// byKind returns what was seen of each flaw: the signs of single refunds, and what all
// refunds of a kind come to where plain ones of the same place are adjusted.
func (j *judgement) byKind() seenFlaws {
	flaws := seenFlaws{}
	merge(new(sums), &flaws, &j.Flaws)
	plainParts := j.Refunds.of(func(k refundKind) bool {
		return k&(linked|whole|over|chargeback) == linked && k.place() != judge.Early && j.adjusted(k.place())
	})
	noParts := plainParts.Handling.treatment() == ignores
	for i := range j.Refunds.Kinds {
		k, sum := refundKind(i), &j.Refunds.Kinds[i]
		told := sum.told()
		if told == 0 || noParts && !k.is(whole) && flawOf(k) != flaw.PartsIgnored {
			continue // a part says nothing of another flaw
		}
		if k&(covered|linked) == linked && k.place() != judge.Early {
			if j.floored {
				flaws.add(flaw.CodeOf(flaw.V3a), flawSums{Shown: sum.Floored, Could: told, Amount: sum.Untaken, Examples: sum.Examples})
				continue
			}
			flaws.add(flaw.CodeOf(flaw.V3a), flawSums{Could: told})
		}
		code, shown := flawOf(k), flawSums{Shown: sum.Never, Could: told, Amount: sum.NeverTaken, Examples: sum.Examples}
		if code != "" && j.adjusted(k.place()) {
			flaws.add(code, shown)
		}
		if (code == "" || code == flaw.PartsIgnored) && k.place() != judge.Early {
			j.ofClass(flaws, k.place(), code, shown)
		}
	}
	return flaws
}

// adjusted reports whether refunds in a place take the reward back, as far as is known: those
// before their purchase are of either cycle.
func (e *evidence) adjusted(place judge.Place) bool {
	return e.same == adjusts && place != judge.LaterCycle || e.later == adjusts && place != judge.SameCycle
}

// ofClass adds what plain refunds of a place show of V1 and V2, and of G6.
func (j *judgement) ofClass(flaws seenFlaws, place judge.Place, code flaw.Code, shown flawSums) {
	silent := flawSums{Could: shown.Could}
	here := [...]treatment{j.same, j.later}[place]
	both := j.same != untold && j.later != untold
	switch {
	case !both && here == ignores:
		flaws.add(either.Code, shown)
	case both && min(j.same, j.later) != ignores && (here == ignores || j.cutOff):
		flaws.add(flaw.CodeOf(flaw.V1), silent)
		flaws.add(flaw.CodeOf(flaw.V2), shown)
	case code == flaw.PartsIgnored && here == adjusts: // these are of that flaw
	default:
		flaws.add(flaw.CodeOf(flaw.V1), shown)
		flaws.add(flaw.CodeOf(flaw.V2), silent)
	}
	if place == judge.SameCycle && j.later == adjusts {
		if j.same != ignores {
			shown = silent
		}
		flaws.add(flaw.G6, shown)
	}
}

// findings lists all flaws that exports can show: those that were found, the
// occasional, then the others; in each group the costly first. The class is found
// whatever the share of refunds that show it: those of the other place do not.
func (j *judgement) findings(flaws seenFlaws) []Finding {
	all := flaw.Catalogue()
	if flaws[either.Code] != nil {
		all = append(all, either)
	}
	var list []Finding
	for _, f := range all {
		if unseen[f.Code] {
			continue
		}
		seen := flaws.of(f.Code)
		is, shown, could := seen.standing(f.Code)
		sure := wilson(shown, could)
		if is == NotFound { // as of the share that does not show it
			sure = wilson(could-shown, could)
		}
		if f.Code == flaw.CodeOf(j.Class) {
			is = Found
		} else if is == Found && j.Class != "" && (f.Code == "V1" || f.Code == "V2") {
			is = Occasional // by definition: the class says whether refunds never do
		} else if is == Found && !harmless[f.Code] && seen.Shorts == 0 && j.owed > 0 && !atLeast(j.Figures.Leakage, leastLeft, j.owed) {
			is = Occasional // next to nothing is left of it in the end
		}
		list = append(list, Finding{Flaw: f, Standing: is, Shown: shown, Could: could, Confidence: sure, Amount: seen.Amount, Examples: seen.Examples})
	}
	rank := func(f *Finding) int { return max(clearness[f.Standing], clearness[NotFound]) }
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(rank(&b), rank(&a)), cmp.Compare(b.Amount, a.Amount))
	})
	return list
}

// leaks tells whether a flaw costs the program, as its signs stand.
func (f *flawSums) leaks(code flaw.Code) Standing {
	shown, could, _ := f.leaking()
	return standingOf(code, shown, could)
}

// standingOf is what so many signs of a flaw mean. A refund that names no purchase may be of
// another than it is taken for, of which nothing was at stake: that many took nothing says
// little where these are not clearly most of them.
func standingOf(code flaw.Code, shown, could int64) Standing {
	is := standing(shown, could)
	if is == Found && code == flaw.UnlinkedIgnored && wilson(shown, could) <= mostAbove {
		return Occasional
	}
	return is
}

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

// seenFlaws are the signs of each flaw.
type seenFlaws map[flaw.Code]*flawSums

func (f seenFlaws) of(code flaw.Code) *flawSums { return cmp.Or(f[code], &flawSums{}) }

func (f seenFlaws) add(code flaw.Code, seen flawSums) { merge(new(sums), at(f, code), &seen) }

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
