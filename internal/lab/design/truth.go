package design

import (
	"recoup/internal/flaw"
	"recoup/reward"
)

// Truth is what is the matter with a design: what whoever examines it from
// outside should say.
type Truth struct {
	Class flaw.Class `json:"class"`
	// Flaws are those that exports or probes can show besides the class, in the
	// order of the catalogue of package flaw. What the class alone brings with it is
	// not among them: who never takes a reward back does not do so after a
	// chargeback or an early refund either.
	Flaws []flaw.Code `json:"flaws,omitempty"`
}

// TruthOf returns the truth about the design of that name, spelled as in
// Design.Name, under a program: Recoup's own configurations take their method
// from it where their name does not say. It is false for a name that no design
// of All, Variants and Vendors has.
func TruthOf(design string, p *reward.Program) (Truth, bool) {
	for _, v := range Variants() {
		if v.Name == design {
			return v.Truth, true
		}
	}
	for _, v := range Vendors() {
		if v.Name == design {
			return vendorTruth(&v, p), true
		}
	}
	rerated := p.Method == reward.Rerate
	mature := p.MaturityDays > 0
	switch design {
	case "A":
		return Truth{Class: flaw.V1}, true
	case "B":
		return truth(flaw.V2, []flaw.Code{flaw.G9}), true
	case "C":
		return truth(flaw.Robust, bankFlaws), true
	case "D", "E":
		return truth(flaw.Robust, bankFlaws, []flaw.Code{flaw.G10}), true
	case "F":
		return truth(flaw.V3b, bankFlaws, []flaw.Code{flaw.G10}), true
	case "V3(a)":
		return truth(flaw.V3a, bankFlaws), true
	case "Literal (instant)":
		return truth(flaw.Robust, literalFlaws, []flaw.Code{flaw.G3, flaw.G4}), true
	case "Literal (statement)":
		return truth(flaw.Other, literalFlaws, []flaw.Code{flaw.G1, flaw.G7, flaw.G10}), true
	case "Literal (hybrid)":
		return truth(flaw.V2, literalFlaws, []flaw.Code{flaw.G3, flaw.G4, flaw.G6, flaw.G10}), true
	case "Recoup":
		return ownTruth(rerated, mature), true
	case "Recoup (rerate)":
		return ownTruth(true, false), true
	case "Recoup (mature)":
		return ownTruth(false, true), true
	case "Recoup (instant)", "Recoup (statement)":
		return ownTruth(false, false), true
	}
	return Truth{}, false
}

// bankFlaws are what all banks have in common. A bank grants once and for all, so
// a purchase that the cap had cut stays cut (G11). It has no way back from a
// refund or dispute that is undone (the second half of G9). And whoever redeems,
// returns and leaves keeps one cycle's reward (G13).
var bankFlaws = []flaw.Code{flaw.G9, flaw.G11, flaw.G13}

// literalFlaws are those of the paper's algorithms in every architecture.
var literalFlaws = []flaw.Code{flaw.G2, flaw.G5, flaw.G8, flaw.G9, flaw.G11, flaw.G13, flaw.UnlinkedIgnored}

// ownTruth is about Recoup: under the published clawback what was not granted is
// not made up for (G11), and without maturity one cycle's reward is lost to whoever
// never comes back (G13).
func ownTruth(rerated, mature bool) Truth {
	var flaws []flaw.Code
	if !rerated {
		flaws = append(flaws, flaw.G11)
	}
	if !mature {
		flaws = append(flaws, flaw.G13)
	}
	return truth(flaw.Robust, flaws)
}

// truth puts flaws into the order of the catalogue.
func truth(class flaw.Class, lists ...[]flaw.Code) Truth {
	has := make(map[flaw.Code]bool)
	for _, list := range lists {
		for _, code := range list {
			has[code] = true
		}
	}
	t := Truth{Class: class}
	for _, f := range flaw.Catalogue() {
		if has[f.Code] {
			t.Flaws = append(t.Flaws, f.Code)
		}
	}
	return t
}
