// Package flaw names what can be wrong with a reward program: the classes of the
// paper's taxonomy (section 4.3), the gaps of its algorithms taken literally
// (docs/semantics.md, section 9), and flaws of neither that data and probes bring up. It
// says what standards call each and what ends it; how one is found is told where
// it is looked for.
package flaw

import (
	"cmp"
	"fmt"
)

// Class is a class of reward logic flaws (paper, section 4.3).
type Class string

// The classes, and what is none of them.
const (
	V1  Class = "V1"
	V2  Class = "V2"
	V3a Class = "V3(a)"
	V3b Class = "V3(b)"
	// Robust: nothing was found.
	Robust Class = "robust"
	// Other: reward was kept on nothing bought, by a flaw that none of the
	// paper's classes describes.
	Other Class = "other"
)

// Mapping is what standards call a class (paper, tables "Vulnerability taxonomy"
// and "STRIDE mapping"). Of STRIDE, what is not here is outside the paper's
// adversary model.
type Mapping struct {
	CWE string `json:"cwe,omitempty"`
	// OWASP is the class of the OWASP Business Logic Abuse Top 10; zero for none.
	OWASP int `json:"owasp_bla,omitzero"`
	// The dimensions are impacted, partial or mitigates; empty for none of them.
	Tampering   string `json:"stride_tampering,omitempty"`
	Repudiation string `json:"stride_repudiation,omitempty"`
}

// Words are the names of a flaw in one sentence; empty where CWE has none.
func (m Mapping) Words() string {
	if m.CWE == "" {
		return ""
	}
	owasp := ""
	if m.OWASP > 0 {
		owasp = fmt.Sprintf(", class %d of OWASP's Business Logic Abuse Top 10", m.OWASP)
	}
	return fmt.Sprintf("%s%s; STRIDE: tampering %s, repudiation %s.", m.CWE, owasp, cmp.Or(m.Tampering, "none"), cmp.Or(m.Repudiation, "none"))
}

// The weaknesses of the Common Weakness Enumeration that flaws are instances of.
const (
	cweWorkflow = "CWE-841"  // Improper Enforcement of Behavioral Workflow
	cweOnce     = "CWE-837"  // Improper Enforcement of a Single, Unique Action
	cweQuantity = "CWE-1284" // Improper Validation of Specified Quantity in Input
	cweSum      = "CWE-682"  // Incorrect Calculation
)

// What the STRIDE dimensions of a Mapping say.
const (
	Impacted       = "impacted"
	PartlyImpacted = "partial"
	Mitigates      = "mitigates"
)

// Mapping returns what standards call the class. The taxonomy's table has one
// line for both forms of V3. In the STRIDE table V3(a), which the paper met
// nowhere, has none: it gets V1's, since what can be observed after a redemption
// is the same (section 4.3). For Other there is the general CWE and no class of
// OWASP's.
func (c Class) Mapping() Mapping {
	switch c {
	case V1:
		return Mapping{cweWorkflow, 1, Impacted, Impacted}
	case V2:
		return Mapping{cweWorkflow, 7, Impacted, Impacted}
	case V3a:
		return Mapping{cweWorkflow, 4, Impacted, Impacted}
	case V3b:
		return Mapping{cweWorkflow, 4, PartlyImpacted, PartlyImpacted}
	case Robust:
		return Mapping{Tampering: Mitigates}
	}
	return Mapping{CWE: cweWorkflow, Tampering: Impacted, Repudiation: Impacted}
}
