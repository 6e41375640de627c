package reward

// LinkedBy is who says which purchase a refund is of.
type LinkedBy uint8

// Who may say it. Unsaid is a sender that does not tell: its links are facts.
const (
	LinkUnsaid LinkedBy = iota
	// LinkedByProcessor: a processor's message, which may name an unrelated purchase.
	LinkedByProcessor
	// LinkedByInference: somebody's matching, which goes by what looks alike.
	LinkedByInference
	// LinkedByPerson: somebody looked into it.
	LinkedByPerson
)

var linkedByNames = [...]string{LinkedByProcessor: "processor", LinkedByInference: "inferred", LinkedByPerson: "person"}

// String returns the name on the wire, "" for who does not tell.
func (l LinkedBy) String() string {
	if l == LinkUnsaid {
		return ""
	}
	return nameOf(linkedByNames[:], int(l))
}

// ParseLinkedBy returns who has that name on the wire.
func ParseLinkedBy(name string) (LinkedBy, bool) {
	for l, n := range linkedByNames {
		if n == name && n != "" {
			return LinkedBy(l), true
		}
	}
	return 0, false
}

// guesses reports whether a link may be wrong, so that it counts only if it fits.
func (l LinkedBy) guesses() bool { return l == LinkedByProcessor || l == LinkedByInference }

// doubt decides whether the link of a refund to a posted purchase is a fact. A guess that
// the purchase cannot bear out is none: it was at another merchant, cost less, or
// did not settle when an unlinked refund would look for it. It is decided once, by
// what was known then of terms, when both are known.
func (a *Account) doubt(r *refund) {
	r.doubted = r.linkedBy.guesses() && !a.fits(r, r.transaction)
}

func (a *Account) fits(r *refund, t *transaction) bool {
	c := a.claimOf(r, r.amount)
	elsewhere := r.merchant != "" && t.merchant != "" && r.merchant != t.merchant
	back, paid := r.amount, t.amount
	if t.foreign(r) {
		back, paid = r.abroad.amount, t.abroad.amount
	}
	return !elsewhere && back <= paid && c.from <= t.settledAt && t.settledAt < c.to
}
