package present

import (
	"fmt"
	"slices"
	"strings"

	"recoup/internal/audit"
	"recoup/internal/intake"
	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
	"recoup/program"
)

// input is what was read, what was left out of it, and what none of it can show.
func (r report) input() []page.Block {
	in, f, n := &r.Input, &r.Figures, program.FormatCount
	files := page.NewSheet("File", "Table", ">Rows", ">Bad rows", ">Left out by the mapping", ">In another currency")
	names := map[string]bool{} // a ledger that is given for several tables is one file
	for i := range in.Files {
		file := &in.Files[i]
		names[file.Name] = true
		files.Add(id(file.Name), file.Table, n(file.Rows), n(file.Bad), n(file.Skipped), n(file.OtherCurrency))
	}
	bad := "none was bad"
	if in.Bad > 0 {
		bad = audit.Count(in.Bad, "row was", "rows were") + " left out as bad, less than " + percent(1000*in.Bad/(in.Bad+in.Rows)+1) + " of all"
	}
	read := fmt.Sprintf("%s from %s were read; %s.", audit.Count(in.Rows, "row", "rows"), audit.Count(int64(len(names)), "file", "files"), bad)
	if f.RewardsAstray+f.RefundsAstray+r.Accounts.Strange > 0 {
		read += fmt.Sprintf(" Purchases that are named and not there: by %s of %s reward rows and %s of %s refunds that name one. Accounts without a purchase: %s of %s.",
			n(f.RewardsAstray), n(f.RewardsNaming), n(f.RefundsAstray), n(f.RefundsNaming), n(r.Accounts.Strange), n(r.Accounts.All))
	}
	const missing = "What is missing here is missing in all figures: a refund that was left out looks like none, and a clawback that was left out looks like leakage."
	const unseen = "What is not in the files, such as refunds in cash or on another card; what happened after their end; and intent: who buys and returns much may be a household that changes its mind. A flaw that nobody has met yet shows as not enough to tell, and only a test against the program's sandbox can show it. Where an offer or a changed rate is missing in the program file, what it paid looks like leakage."
	left := audit.Count(in.Left, "row was", "rows were") + " left out by the mapping, or for another currency than the program's; a file that is given for several tables counts for each."
	return slices.Concat([]page.Block{{
		Paragraphs: []string{read},
		Details: []page.Detail{
			{Summary: "File by file", Blocks: []page.Block{{Table: files}}},
			{Summary: "What exports cannot show", Blocks: []page.Block{{Paragraphs: []string{unseen}}}},
		},
	}}, reasons("Bad rows", missing, in.ByWhy), reasons("Rows that were not wanted", left, in.LeftByWhy))
}

// reasons are why rows were left out, if any were, with the file and line of the first of each.
func reasons(heading, about string, list []intake.BadReason) []page.Block {
	if len(list) == 0 {
		return nil
	}
	s := page.NewSheet("Reason", ">Rows", "The first of them")
	for _, b := range list {
		s.Add(tabular.Visible(b.Reason), program.FormatCount(b.Rows), tabular.Visible(strings.Join(b.First, ", ")))
	}
	return []page.Block{{Heading: heading, Paragraphs: []string{about}, Table: s}}
}
