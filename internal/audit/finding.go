package audit

import (
	"cmp"
	"maps"
	"slices"

	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
)

// effect is what a flaw does to net reward.
type effect uint8

const (
	// leaks: net reward above the entitlement.
	leaks effect = iota
	// repeats: a leak too, but of refunds that another flaw counts already.
	repeats
	// pays: more goes out than the account has.
	pays
	// exposes: reward is out before it is taken back; it is owed, not lost.
	exposes
	// shorts: the cardholder has less than was promised.
	shorts
)

// effects of the flaws that are no plain leaks.
var effects = map[flaw.Code]effect{
	flaw.G6: repeats, // V2 seen from the close
	flaw.G8: pays,
	"V3(b)": exposes, flaw.G10: exposes, flaw.G13: exposes, flaw.LateClawback: exposes,
	flaw.G5: shorts, flaw.G11: shorts, flaw.OverClawed: shorts,
}

// unseen are flaws that no export shows: G7 is a wrong state, which moves no
// money before it becomes G9.
var unseen = map[flaw.Code]bool{flaw.G7: true}

// otherwise are the flaws by which plain refunds leave reward on nothing bought: in a
// way that none of the paper's classes describes, but a class of its own.
var otherwise = []flaw.Code{flaw.G1, flaw.G12, flaw.Compounding, flaw.CurrentRate, flaw.BonusKept, flaw.PartsIgnored}

// beside are the flaws that leave reward on nothing bought through what is not plain:
// chargebacks, refunds above the price, before the purchase or without its name, and
// deliveries that repeat. A program of any class may have them; how much they leave
// depends on how often that happens.
var beside = []flaw.Code{flaw.G2, flaw.G3, flaw.G4, flaw.G9, flaw.UnlinkedIgnored}

// either is what an account shows that has refunds in one place only.
var either = flaw.Flaw{
	Code: judge.Undecided, Title: "refunds take nothing back, and too few fall in the other place to tell V1 from V2",
	Shows: "The reward of a returned purchase is kept.", Mapping: flaw.V1.Mapping(), Tier: 1,
	Remedy: "Keep the reward of each purchase and take it back with every refund (Algorithms 1 and 2).",
}

// owner is the flaw that signs of V1 or V2 belong to, by the class of the
// program: those that show it, and those that do not. Where debts are not kept,
// refunds that took nothing are V3(a)'s as far as the account has no other
// explanation; where the class cannot be told, they are a finding of their own.
func owner(c flaw.Class) (shown, others flaw.Code) {
	switch c {
	case "":
		return judge.Undecided, judge.Undecided
	case flaw.V2:
		return flaw.CodeOf(flaw.V2), flaw.CodeOf(flaw.V2)
	case flaw.V3a:
		return flaw.CodeOf(flaw.V3a), flaw.CodeOf(flaw.V1)
	}
	return flaw.CodeOf(flaw.V1), flaw.CodeOf(flaw.V1)
}

// decided returns the signs by flaw with those of V1 or V2 where they belong.
func (s *sums) decided(c flaw.Class) map[flaw.Code]*flawSums {
	open := s.Flaws[judge.Undecided]
	shown, others := owner(c)
	if open == nil || shown == judge.Undecided {
		return s.Flaws
	}
	flaws := maps.Clone(s.Flaws)
	delete(flaws, judge.Undecided)
	add := func(code flaw.Code, part flawSums) {
		if whole := flaws[code]; whole != nil {
			part.Shown += whole.Shown
			part.Could += whole.Could
			part.Amount += whole.Amount
			part.Examples = examples.merge(slices.Clone(whole.Examples), part.Examples)
		}
		flaws[code] = &part
	}
	add(shown, flawSums{Shown: open.Shown, Could: open.Shown, Amount: open.Amount, Examples: open.Examples})
	add(others, flawSums{Could: open.Could - open.Shown})
	return flaws
}

// findings lists all flaws that exports can show: those that were found, the
// occasional, then the others; in each group the costly first. The class is found
// whatever the share of refunds that show it: those of the other place do not.
func (s *sums) findings(c flaw.Class) []Finding {
	flaws := s.decided(c)
	all := flaw.Catalogue()
	if flaws[judge.Undecided] != nil {
		all = append(all, either)
	}
	var list []Finding
	for _, f := range all {
		if unseen[f.Code] {
			continue
		}
		is := finding(f, flaws[f.Code])
		if f.Code == flaw.CodeOf(c) {
			is.Standing = Found
		}
		list = append(list, is)
	}
	rank := map[Standing]int{Found: 0, Occasional: 1, NotFound: 2, TooFew: 2}
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(rank[a.Standing], rank[b.Standing]), cmp.Compare(b.Amount, a.Amount))
	})
	return list
}

// finding is what was seen of one flaw; nil for no opportunity.
func finding(f flaw.Flaw, seen *flawSums) Finding {
	if seen == nil {
		seen = &flawSums{}
	}
	is, shown, could := seen.standing(f.Code)
	return Finding{
		Flaw: f, Standing: is, Shown: shown, Could: could, Confidence: confidence(is, shown, could),
		Amount: seen.Amount, Examples: seen.Examples,
	}
}

// leaks tells whether a flaw costs the program, as its signs stand.
func (s *sums) leaks(code flaw.Code) Standing {
	if f := s.Flaws[code]; f != nil {
		shown, could, _ := f.leaking()
		return standing(shown, could)
	}
	return TooFew
}

// unexplained is the leakage that no sign accounts for.
func (s *sums) unexplained() int64 {
	rest := s.Figures.Leakage
	for code, f := range s.Flaws {
		if effects[code] == leaks {
			_, _, amount := f.leaking()
			rest -= amount
		}
	}
	return rest
}

// months are the sums by calendar month, in order.
func (s *sums) months(c flaw.Class) (list []Month) {
	shown, _ := owner(c)
	for _, cycle := range slices.Sorted(maps.Keys(s.Months)) {
		m := *s.Months[cycle]
		if open := m.ByFlaw[judge.Undecided]; open != 0 && shown != judge.Undecided {
			m.ByFlaw = maps.Clone(m.ByFlaw)
			delete(m.ByFlaw, judge.Undecided)
			m.ByFlaw[shown] += open
		}
		list = append(list, m)
	}
	return list
}
