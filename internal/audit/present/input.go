package present

import (
	"fmt"
	"strings"

	"recoup/internal/audit/intake"
	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
	"recoup/program"
)

// input is what was read, and what was left out of it.
func (r report) input() []page.Block {
	in := &r.Input
	files := page.NewSheet("File", "Table", ">Rows", ">Bad rows", ">Left out by the mapping", ">In another currency")
	names := map[string]bool{} // a ledger that is given for several tables is one file
	for i := range in.Files {
		f := &in.Files[i]
		names[f.Name] = true
		bad := page.Number(program.FormatCount(f.Bad))
		if f.Bad > 0 {
			bad.Class = "n part"
		}
		files.Add(id(f.Name), tabular.Visible(f.Table), program.FormatCount(f.Rows), bad, program.FormatCount(f.Skipped), program.FormatCount(f.OtherCurrency))
	}
	read := fmt.Sprintf("%s from %s were read; none was bad.", count(in.Rows, "row"), count(int64(len(names)), "file"))
	if in.Bad > 0 {
		of := percent(max(1, share(1000, in.Bad, in.Bad+in.Rows)))
		if 1000*in.Bad < in.Bad+in.Rows {
			of = "less than " + of
		}
		read = strings.Replace(read, "none was bad", countBe(in.Bad, "row", "was", "were")+" left out as bad, "+of+" of all", 1)
	}
	if f, n := &r.Figures, program.FormatCount; f.RewardsAstray+f.RefundsAstray+r.Accounts.Strange > 0 {
		read += fmt.Sprintf(" Purchases that are named and not there: by %s of %s reward rows and %s of %s refunds that name one. Accounts without a purchase: %s of %s.",
			n(f.RewardsAstray), n(f.RewardsNaming), n(f.RefundsAstray), n(f.RefundsNaming), n(r.Accounts.Strange), n(r.Accounts.All))
	}
	blocks := []page.Block{{Paragraphs: []string{read}}}
	if r.page {
		blocks[0].Table = files
	}
	if len(in.ByWhy) > 0 {
		blocks = append(blocks, page.Block{Heading: "Bad rows", Paragraphs: []string{"What is missing here is missing in all figures: a refund that was left out looks like none, and a clawback that was left out looks like leakage."}, Table: reasons(in.ByWhy)})
	}
	if len(in.LeftByWhy) > 0 {
		left := countBe(in.Left, "row", "was", "were") + " left out by the mapping, or for another currency than the program's; a file that is given for several tables counts for each."
		blocks = append(blocks, page.Block{Heading: "Rows that were not wanted", Paragraphs: []string{left}, Table: reasons(in.LeftByWhy)})
	}
	return blocks
}

// reasons are why rows were left out, with where the first of each are.
func reasons(list []intake.BadReason) *page.Sheet {
	s := page.NewSheet("Reason", ">Rows", "The first of them")
	s.Caption = "Places are the file and the line."
	for _, b := range list {
		places := ""
		for i, place := range b.First {
			switch {
			case i > 0 && i == len(b.First)-1:
				places += " and "
			case i > 0:
				places += ", "
			}
			places += tabular.Visible(place)
		}
		s.Add(tabular.Visible(b.Reason), program.FormatCount(b.Rows), places)
	}
	return s
}

// method says on a page in plain words how figures come about, and what exports cannot show.
func (r report) method() []page.Block {
	if !r.page {
		return nil
	}
	terms := page.NewSheet("Word", "What it means here")
	for _, m := range meanings {
		terms.Add(m[0], m[1])
	}
	return []page.Block{{Table: terms}, {Heading: "What exports cannot show", Paragraphs: cannotShow}}
}

var meanings = [][2]string{
	{"Entitlement", "What the published terms (rules, rates, caps) promise on what was bought and kept. It is computed account by account, per rule and billing cycle, with exact arithmetic, and rounded down."},
	{"Net reward", "Rewards granted less rewards taken back. Adjustments by hand are no part of it."},
	{"Leakage", "Net reward above the entitlement, added up over the accounts that have it. What other accounts lack is not set off against it."},
	{"Short-payment", "Entitlement above the net reward, of what is due: what is granted only at a close after the end of the exports is left out."},
	{"Exposure", "Debts of negative balances, which are lost if the customer stays away, and rewards redeemed on purchases whose return window is open at the end of the exports."},
	{"Float", "Each refund's share of the reward times the days until it was taken back (or until the end of the exports, if it never was), added up and spread over the time of the exports."},
	{"At stake", "A refund has something at stake if its purchase had earned a reward, or would have. Refunds that name no purchase are held against the purchase that they most likely belong to."},
	{"Netted", "The refund came before the grant, and the grant left its part out."},
	{"Cases that show it", "Of the refunds and other cases in which a flaw could show. A flaw is found where at least three do and, at 95% confidence (E. B. Wilson, 1927), more than one in five does; occasional where more than one in fifty does."},
	{"Round", "One course of the four phases: buy, redeem the reward, return the purchase, keep the reward."},
	{"Unexplained", "Leakage that neither refunds that took too little nor rewards for no purchase account for, beyond a unit of rounding for each purchase and refund."},
}

var cannotShow = []string{
	"What is not in the files: refunds paid in cash or on another card, rewards given outside the reward ledger, rows that were left out as bad.",
	"Intent. An account that buys and returns much may be a household that changes its mind. Histories that look like the attack are a reason to look.",
	"What happened after the end of the exports. A clawback that is still to come counts as missing only when it is later than the close that should have brought it.",
	"What nobody has done yet. A flaw without a case in these exports shows as not enough to tell. Whether it is there, only a test against the program's sandbox can show.",
	"Published terms other than those in the program file. Where an offer or a changed rate is missing in it, what it paid looks like leakage.",
}
