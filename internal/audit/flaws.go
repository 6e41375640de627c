package audit

import "recoup/internal/flaw"

// Flaws are the codes of what was found: of the class, and of the findings.
func (r *Report) Flaws() []string {
	if !r.Verdict.Found {
		return nil
	}
	var codes []string
	if r.Verdict.Class != "" && r.Verdict.Class != flaw.Robust {
		codes = append(codes, string(r.Verdict.Class))
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Standing == Found && string(f.Code) != string(r.Verdict.Class) {
			codes = append(codes, string(f.Code))
		}
	}
	return codes
}
