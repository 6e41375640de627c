package examine

import (
	"fmt"
	"strings"

	"recoup/internal/flaw"
	"recoup/internal/issuer"
	"recoup/internal/lab/design"
	"recoup/program"
	"recoup/reward"
)

// Taxonomy is the paper's tables "Vulnerability taxonomy" (section 4.3) and
// "Algorithm to invariant and vulnerability class mapping" (section 6), each beside
// what the lab finds out by examination, and the places at which the paper says two
// things.
type Taxonomy struct {
	Classes        []TaxonomyClass     `json:"classes"`
	Algorithms     []TaxonomyAlgorithm `json:"algorithms"`
	Contradictions []Contradiction     `json:"contradictions"`
}

// TaxonomyClass is a class of flaws.
type TaxonomyClass struct {
	Class flaw.Class `json:"class"`
	Name  string     `json:"name"`
	// Violates is the paper's column "Invariant".
	Violates []flaw.Invariant `json:"violates"`
	// SeenAt is the design that the lab examined, with its verdicts.
	SeenAt                  string       `json:"seen_at"`
	RewardIntegrity         flaw.Verdict `json:"reward_integrity"`
	RefundRewardConsistency flaw.Verdict `json:"refund_reward_consistency"`
	flaw.Mapping            `json:",inline"`
	CWEName                 string `json:"cwe_name"`
	OWASPName               string `json:"owasp_name"`
	Case                    string `json:"case"` // of the paper
}

// TaxonomyAlgorithm is one of the paper's four algorithms.
type TaxonomyAlgorithm struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
	// Secures and Mitigates are the paper's columns.
	Secures   string `json:"secures"`
	Mitigates string `json:"mitigates"`
	// Without is what the lab takes out of the literal algorithms, "" where nothing
	// can be, and the rest what its examination then says.
	Without                 string       `json:"without,omitempty"`
	Class                   flaw.Class   `json:"class,omitempty"`
	RewardIntegrity         flaw.Verdict `json:"reward_integrity,omitempty"`
	RefundRewardConsistency flaw.Verdict `json:"refund_reward_consistency,omitempty"`
	// Leaves are the gaps that it leaves if it is taken literally (docs/semantics.md,
	// section 9).
	Leaves []flaw.Code `json:"leaves"`
}

// Contradiction is a place at which the paper says two things.
type Contradiction struct {
	Says    string `json:"says"`
	AndAlso string `json:"and_also"`
	// Finds is what comes of it in the lab, "" where there is nothing to try.
	Finds string `json:"finds,omitempty"`
}

// NewTaxonomy examines designs for what the tables say of them.
func NewTaxonomy() (*Taxonomy, error) {
	found := make(map[string]*Behaviour)
	for _, d := range append(design.Others(), withoutTiers()...) {
		b, err := Issuer(d.New(program.Everyday()), Sample{Amount: 100_00, Merchant: "m1", Category: "GROCERY"}, examinedFrom)
		if err != nil {
			return nil, fmt.Errorf("design %s: %w", d.Name, err)
		}
		found[d.Name] = b
	}
	return &Taxonomy{classesIn(found), algorithmsIn(found), contradictionsIn(found)}, nil
}

// What is taken out of the literal algorithms.
const (
	noRefunds  = "all clawbacks"
	noRecovery = "balances below zero"
	noClose    = "the reconciliation at the close"
)

// withoutTiers are the literal algorithms without something.
func withoutTiers() []design.Design {
	without := func(what string, o design.LiteralOptions) design.Design {
		return design.Design{Name: what, New: func(p *reward.Program) issuer.Issuer { return design.NewLiteral(p, o) }}
	}
	return []design.Design{
		without(noRefunds, design.LiteralOptions{WithoutPrevention: true}),
		without(noRecovery, design.LiteralOptions{WithoutRecovery: true}),
		without(noClose, design.LiteralOptions{Architecture: design.BatchCycle, WithoutTemporal: true}),
	}
}

func classesIn(found map[string]*Behaviour) []TaxonomyClass {
	classes := []TaxonomyClass{
		{Class: flaw.V1, Name: "refund insensitive", SeenAt: "A", Case: "I"},
		{Class: flaw.V2, Name: "temporally scoped", SeenAt: "B", Case: "II"},
		{Class: flaw.V3a, Name: "negative balance, forgiven", SeenAt: "V3(a)", Case: "none"},
		{Class: flaw.V3b, Name: "negative balance, too late", SeenAt: "F", Case: "III-B"},
	}
	for i := range classes {
		c := &classes[i]
		seen := found[c.SeenAt]
		c.RewardIntegrity, c.RefundRewardConsistency = seen.RewardIntegrity, seen.RefundRewardConsistency
		c.Violates, c.Mapping = c.Class.Violates(), c.Class.Mapping()
		c.CWEName, c.OWASPName = flaw.CWEName(c.CWE), flaw.OWASPName(c.OWASP)
	}
	return classes
}

func algorithmsIn(found map[string]*Behaviour) []TaxonomyAlgorithm {
	algorithms := []TaxonomyAlgorithm{
		{Number: 1, Name: "RewardOnSettlement", Secures: "RI (caps)", Mitigates: "per transaction bound", Leaves: []flaw.Code{flaw.G4, flaw.G12}},
		{Number: 2, Name: "RewardOnRefund", Secures: "RI, RRC", Mitigates: "V1, V2", Without: noRefunds, Leaves: []flaw.Code{flaw.G2, flaw.G3, flaw.G5, flaw.G9, flaw.G11}},
		{Number: 3, Name: "CanRedeem", Secures: "RI, RRC", Mitigates: "V3 (partial)", Without: noRecovery, Leaves: []flaw.Code{flaw.G8, flaw.G10, flaw.G13}},
		{Number: 4, Name: "StatementCycleReconcile", Secures: "RI, RRC", Mitigates: "V1, V2", Without: noClose, Leaves: []flaw.Code{flaw.G1, flaw.G6, flaw.G7}},
	}
	for i := range algorithms {
		a := &algorithms[i]
		if b := found[a.Without]; b != nil {
			a.Class, a.RewardIntegrity, a.RefundRewardConsistency = b.Class, b.RewardIntegrity, b.RefundRewardConsistency
		}
	}
	return algorithms
}

func contradictionsIn(found map[string]*Behaviour) []Contradiction {
	verdicts := func(design string) string {
		return fmt.Sprintf("%s: RI %s, RRC %s", design, found[design].RewardIntegrity.Symbol(), found[design].RefundRewardConsistency.Symbol())
	}
	money := func(minor int64) string { return program.FormatAmount(minor, program.Everyday().Currency) }
	float := func(design string) string { return design + ": " + found[design].FloatInWords(money) }
	return []Contradiction{
		{
			"Table 2 (section 4.3): V2 violates RRC.",
			"Table 3 (section 5.3): issuer B, which is V2, violates both RI and RRC; Case II's takeaway (section 5.2) calls it a violation of reward integrity.",
			verdicts("B"),
		},
		{
			"Table 2 (section 4.3): V3 violates RI.",
			"Table 3 (section 5.3): issuer F, which is V3(b), satisfies both in part.",
			verdicts("F") + "; " + verdicts("V3(a)"),
		},
		{
			"Section 5.3.1: what D and E do is identical to C as far as security goes; section 7.3: they are invulnerable whenever refunds arrive.",
			"Section 6, on consistency: a batch cycle has a residual window in which a reward can be redeemed although its refund is known, which event driven systems do not have; the takeaway of section 5.3.2 names C alone.",
			"of a refunded purchase can be redeemed, at " + float("C") + "; " + float("D") + "; " + float("E"),
		},
		{
			"Section 1: issuer F has a bounded recovery window; section 7.1: it bounds the enforcement of negative balances.",
			"Table 3 and section 5.3.2: its negative balance stays without end, and the customer can put recovery off for ever.",
			"F: negative balance " + found["F"].NegativeBalance,
		},
		{
			"Section 4.1: RRC holds when a purchase of which anything was refunded is REFUNDED or CHARGEBACK in time.",
			"Algorithm 2 leaves it PART_REF after a partial refund, so by the letter no partial refund is ever consistent.",
			"",
		},
		{
			"Table 5 (section 6): Algorithm 1 mitigates the per transaction bound, Algorithm 3 mitigates V3 in part.",
			"Section 4.2: the bound is an invariant and no flaw; figure \"Algorithm interaction paths\" (section 7.3): Algorithm 3 closes V3.",
			"",
		},
	}
}

// joined lists invariants or codes.
func joined[T ~string](list []T) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = string(v)
	}
	return strings.Join(words, ", ")
}
