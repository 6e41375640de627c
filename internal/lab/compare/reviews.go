package compare

import (
	"maps"
	"slices"

	"recoup/internal/lab/design"
	"recoup/reward"
)

// Resolution is Recoup once more, not told the links, with somebody who looks into
// reviews when all has been delivered and links refunds to the purchases on the
// receipts.
type Resolution struct {
	// Which refunds: the doubtful ones, of which the engine itself says that it
	// guesses, or all that came without a link.
	Which string `json:"which"`
	// Reviews is how many refunds were linked, and NoReceipt how many could not be,
	// since the truth does not name their purchase either.
	Reviews   int64 `json:"reviews"`
	NoReceipt int64 `json:"no_receipt"`
	// GivenBack is by how much that lowered the shortfall, in minor units.
	GivenBack int64   `json:"given_back"`
	Figures   Figures `json:"figures"`
}

// The resolutions.
const (
	doubtful = "doubtful"
	every    = "all"
)

// resolving is a Recoup whose reviews are resolved before its last closes.
type resolving struct {
	Resolution
	side  *engineSide
	field *field
}

func newResolving(p *reward.Program, which string) *resolving {
	side := newEngineSide(p)
	return &resolving{Resolution{Which: which}, side, newField(side, p, Figures{Design: design.RecoupName, Title: "reviews resolved: " + which})}
}

// resolve links refunds by the truth and then runs the closes.
func (r *resolving) resolve(truth *entitled) error {
	for _, account := range slices.Sorted(maps.Keys(r.field.customers)) {
		a := r.side.store.Account(account)
		if a == nil {
			continue
		}
		receipts := map[string]returnedTo{}
		if known := truth.accounts[account]; known != nil {
			receipts = known.refunds
		}
		for _, refund := range r.open(a) {
			receipt := receipts[refund]
			if receipt.transaction == "" || receipt.undone {
				r.NoReceipt++
				continue
			}
			r.Reviews++
			if err := r.side.link(account, refund, receipt.transaction); err != nil {
				return err
			}
		}
	}
	return r.field.finish()
}

// open lists the refunds of an account that came without a link and that somebody
// looks into.
func (r *resolving) open(a *reward.Account) []string {
	var refunds []string
	for _, v := range a.Reviews() {
		switch v.Kind {
		case reward.MatchedWithoutLink, reward.DoubtedLink, reward.FoundNoSpend:
		case reward.CertainWithoutLink:
			if r.Which != every {
				continue
			}
		default:
			continue
		}
		refunds = append(refunds, v.Fact)
	}
	slices.Sort(refunds)
	return slices.Compact(refunds)
}
