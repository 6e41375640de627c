package flaw

// Verdict says whether a property holds.
type Verdict string

// The verdicts, as the paper writes them ✓, ~ and ×.
const (
	Satisfied Verdict = "satisfied"
	// Partial: it depends on the cardholder, who may stop using the card.
	Partial  Verdict = "partial"
	Violated Verdict = "violated"
)

// Symbol returns the paper's sign for the verdict.
func (v Verdict) Symbol() string {
	switch v {
	case Satisfied:
		return "✓"
	case Partial:
		return "~"
	}
	return "×"
}
