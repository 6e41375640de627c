package present

import (
	"fmt"
	"strconv"
	"strings"

	"recoup/internal/audit"
	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
	"recoup/program"
)

// accounts are those to look into, each with what speaks against it, never a bare score.
func (r report) accounts() []page.Block {
	about := "No account's history looks like buying, redeeming, returning and keeping the reward."
	if len(r.Suspects) > 0 {
		about = audit.Count(r.Accounts.Suspected, "account", "accounts") + " bought, redeemed, returned and kept reward: in two rounds or more, or in one that was worth about a cap. This is a reason to look, not a proof of intent. The clearest come first."
	}
	blocks := []page.Block{r.list("Histories that look like the attack", about, r.Suspects, r.Accounts.Suspected)}
	if len(r.Worst) > 0 {
		blocks = append(blocks, r.list("The most leakage", "Accounts that have the most above their entitlement, whatever brought it about.", r.Worst, r.Accounts.Above))
	}
	return blocks
}

// list is the first of so many accounts, with the history of each folded away.
func (r report) list(heading, about string, list []audit.Suspect, all int64) page.Block {
	const shown = 10
	b := page.Block{Heading: heading, Paragraphs: []string{about}}
	b.Table = page.NewSheet("Account", ">Rounds", ">Returned", ">Redeemed", ">Leakage", ">Debt", "What speaks against it")
	for i := range list[:min(shown, len(list))] {
		a := &list[i]
		f := &a.Figures
		b.Table.Add(id(a.Account), strconv.FormatInt(a.RoundsInAll, 10), percent(a.ReturnedPermille), r.money(f.Redeemed), r.money(f.Leakage), r.money(f.Debt), strings.Join(a.Evidence, " "))
		b.Details = append(b.Details, page.Detail{
			Summary: fmt.Sprintf("%s: %s above entitlement, %s", tabular.Visible(a.Account), r.money(f.Leakage), audit.Count(a.RoundsInAll, "round", "rounds")),
			Blocks:  []page.Block{{Table: r.steps(a.Timeline)}},
		})
	}
	if n := int64(len(b.Details)); n < all {
		b.Note = fmt.Sprintf("These are %d of %s.", n, program.FormatCount(all))
	}
	return b
}
