package foreign

import (
	"testing"

	"recoup/internal/issuer"
)

// The evidence that the word of who wrote these designs does not hold of refunds that name
// no purchase. Of two equal purchases the first is returned without a name, which is put to
// the newer one, and then the second by its name: that takes nothing, since nothing is left
// of it. All is returned, and the reward of one purchase stays.
func TestLaterGuessIsNeverMadeGood(t *testing.T) {
	for _, d := range []Design{laterDesignCapped, laterDesignReserve, laterDesignEarmark, laterDesignWholeDollar, laterDesignAnniversary} {
		t.Run(d.Name, func(t *testing.T) {
			kept := func(named string) int64 {
				p := laterStart(t, d, "2026-01-10")
				p.buy("first", 4000_00, "TRAVEL")
				p.buy("second", 4000_00, "TRAVEL")
				if named == "" {
					p.unnamed(4000_00, "m-TRAVEL", "TRAVEL")
				} else {
					p.back(named, 4000_00)
				}
				p.back("second", 4000_00)
				for _, day := range []string{"2026-02-22", "2026-05-10", "2027-02-10"} {
					p.on(day)
				}
				b, err := p.e.Balance("a")
				p.ok(err)
				paid, err := issuer.PaidOut(p.e, "a")
				p.ok(err)
				return b.Balance + paid
			}
			if told := kept("first"); told != 0 {
				t.Errorf("%d is kept of what was returned by name, want nothing", told)
			}
			if untold := kept(""); untold <= 0 {
				t.Errorf("%d is kept where the first return named nothing: the declaration holds", untold)
			}
		})
	}
}
