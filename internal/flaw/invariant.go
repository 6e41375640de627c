package flaw

// Invariant is a property that the paper asks of reward programs (section 4.1).
type Invariant string

// The invariants, as the paper's tables shorten them.
const (
	RewardIntegrity         Invariant = "RI"
	RefundRewardConsistency Invariant = "RRC"
)

// Violates returns the invariants that the paper's table "Vulnerability taxonomy"
// (section 4.3) has a class violate. It has one line for both forms of V3, and says
// of V2 less than the table of issuers does: see the laboratory's taxonomy.
func (c Class) Violates() []Invariant {
	switch c {
	case V1:
		return []Invariant{RewardIntegrity, RefundRewardConsistency}
	case V2:
		return []Invariant{RefundRewardConsistency}
	case V3a, V3b:
		return []Invariant{RewardIntegrity}
	}
	return nil
}

// OWASPName returns what OWASP's Business Logic Abuse Top 10 calls a class that the
// paper maps flaws to, "" for others.
func OWASPName(class int) string {
	switch class {
	case 1:
		return "Lifecycle & Orphaned Transition Flaws"
	case 4:
		return "Sequential State Bypass"
	case 7:
		return "Transition Validation Flaws"
	}
	return ""
}

// CWEName returns what the Common Weakness Enumeration calls a weakness that flaws
// of the catalogue are instances of, "" for others.
func CWEName(id string) string {
	switch id {
	case cweWorkflow:
		return "Improper Enforcement of Behavioral Workflow"
	case cweOnce:
		return "Improper Enforcement of a Single, Unique Action"
	case cweQuantity:
		return "Improper Validation of Specified Quantity in Input"
	case cweSum:
		return "Incorrect Calculation"
	}
	return ""
}
