package examine

import (
	"fmt"
	"io"

	"recoup/internal/flaw"
	"recoup/internal/kit/tabular"
)

// WriteTable writes the tables for people.
func (t *Taxonomy) WriteTable(w io.Writer) error {
	fmt.Fprintln(w, "Classes, the invariants that the paper's Table 2 has them violate, and what examination finds at a design of the class:")
	classes := tabular.New(w, "class", "flaw", "invariant", "seen at", "RI", "RRC", "CWE", "OWASP Business Logic Abuse", "tampering", "repudiation", "case")
	for i := range t.Classes {
		c := &t.Classes[i]
		classes.AppendRow(tabular.Row{
			c.Class, c.Name, joined(c.Violates), c.SeenAt, c.RewardIntegrity.Symbol(), c.RefundRewardConsistency.Symbol(),
			c.CWE, owasp(c.OWASP), c.Tampering, c.Repudiation, c.Case,
		})
	}
	classes.Render()
	fmt.Fprintf(w, "RI Reward Integrity, RRC Refund Reward Consistency. %s: %s. Of STRIDE, S, I, D and E are outside the adversary model.\n", t.Classes[0].CWE, t.Classes[0].CWEName)

	fmt.Fprintln(w, "\nAlgorithms, the invariants that the paper's Table 5 has them secure, what examination finds without, and the gaps they leave if taken literally:")
	algorithms := tabular.New(w, "no.", "algorithm", "secures", "mitigates", "without", "class", "RI", "RRC", "leaves")
	for i := range t.Algorithms {
		a := &t.Algorithms[i]
		without, class, ri, rrc := "–", "–", "–", "–"
		if a.Without != "" {
			without, class, ri, rrc = a.Without, string(a.Class), a.RewardIntegrity.Symbol(), a.RefundRewardConsistency.Symbol()
		}
		algorithms.AppendRow(tabular.Row{a.Number, a.Name, a.Secures, a.Mitigates, without, class, ri, rrc, joined(a.Leaves)})
	}
	algorithms.Render()

	fmt.Fprintln(w, "\nWhere the paper says two things:")
	for i := range t.Contradictions {
		c := &t.Contradictions[i]
		fmt.Fprintf(w, "%d. %s\n   %s\n", i+1, c.Says, c.AndAlso)
		if c.Finds != "" {
			fmt.Fprintf(w, "   Found: %s.\n", c.Finds)
		}
	}
	return nil
}

// owasp is a class of OWASP's with its name.
func owasp(class int) string {
	if class == 0 {
		return "–"
	}
	return fmt.Sprintf("%d %s", class, flaw.OWASPName(class))
}
