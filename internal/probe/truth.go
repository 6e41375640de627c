package probe

import (
	"slices"
	"strings"

	"recoup/internal/flaw"
	"recoup/internal/lab/design"
)

// Named returns the flaws that the result names besides the class: the rows that
// fail for a reason of their own, without those of matching (M), in the order of
// package flaw's catalogue.
func (r *Result) Named() []flaw.Code {
	var codes []flaw.Code
	own := r.Own()
	for _, f := range flaw.Catalogue() {
		if slices.ContainsFunc(own, func(g Gap) bool { return g.Row == string(f.Code) }) {
			codes = append(codes, f.Code)
		}
	}
	return codes
}

// Visible returns what of the truth about a design of the lab a probe can see, its flaws
// in the same order. States are not shown and undoing a refund or a dispute is no
// call of the protocol: so G7 never shows, and G9 only where chargebacks are
// missed. Where the bonus is kept, so much is left of every refund that cap room
// which is not given back (G11) cannot be told from it.
//
// A design of no class of the paper that leaves reward on what was returned by one of its
// flaws leaks all the same: its class is Other to whoever goes by the money.
func Visible(design string, t design.Truth) design.Truth {
	missesChargebacks := strings.HasPrefix(design, "Literal") || design == "Chargebacks ignored"
	t.Flaws = slices.DeleteFunc(slices.Clone(t.Flaws), func(c flaw.Code) bool {
		return c == flaw.G7 || c == flaw.G9 && !missesChargebacks || c == flaw.G11 && design == "Bonus kept"
	})
	if t.Class == flaw.Robust && slices.ContainsFunc(t.Flaws, func(c flaw.Code) bool { return slices.Contains(leave, c) }) {
		t.Class = flaw.Other
	}
	return t
}

// leave are the flaws by which reward is left on what was returned.
var leave = []flaw.Code{
	flaw.G1, flaw.G2, flaw.G3, flaw.G4, flaw.G6, flaw.G8, flaw.G9,
	flaw.Compounding, flaw.CurrentRate, flaw.BonusKept, flaw.PartsIgnored, flaw.UnlinkedIgnored,
}
