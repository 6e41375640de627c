package present

import (
	"fmt"

	"recoup/internal/audit/intake"
	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
	"recoup/program"
)

// files are the files that were read.
func (r report) files() *page.Sheet {
	s := page.NewSheet("File", "Table", ">Rows", ">Bad rows", ">Left out by the mapping", ">In another currency")
	for _, f := range r.Input.Files {
		bad := page.Number(program.FormatCount(f.Bad))
		if f.Bad > 0 {
			bad.Class = "n part"
		}
		s.Add(id(f.Name), tabular.Visible(f.Table), program.FormatCount(f.Rows), bad, program.FormatCount(f.Skipped), program.FormatCount(f.OtherCurrency))
	}
	return s
}

// reasons are why rows were left out, with where the first of each are.
func reasons(list []intake.BadReason) *page.Sheet {
	s := page.NewSheet("Reason", ">Rows", "The first of them")
	s.Caption = "Places are the file and the line."
	for _, b := range list {
		places := make([]string, len(b.First))
		for i, place := range b.First {
			places[i] = tabular.Visible(place)
		}
		s.Add(tabular.Visible(b.Reason), program.FormatCount(b.Rows), listed(places))
	}
	return s
}

// read says how much was read. A ledger that is given for several tables is read
// for each, and is one file.
func (r report) read() string {
	in := &r.Input
	names := map[string]bool{}
	for i := range in.Files {
		names[in.Files[i].Name] = true
	}
	text := fmt.Sprintf("%s from %s were read", count(in.Rows, "row"), count(int64(len(names)), "file"))
	astray := ""
	if f := &r.Figures; f.RewardsAstray+f.RefundsAstray+r.Accounts.Strange > 0 {
		n := program.FormatCount
		astray = fmt.Sprintf(" Purchases that are named and not there: by %s of %s reward rows and %s of %s refunds that name one. Accounts without a purchase: %s of %s.",
			n(f.RewardsAstray), n(f.RewardsNaming), n(f.RefundsAstray), n(f.RefundsNaming), n(r.Accounts.Strange), n(r.Accounts.All))
	}
	if in.Bad == 0 {
		return text + "; none was bad." + astray
	}
	of := percent(share(in.Bad, in.Bad+in.Rows))
	if of == percent(0) {
		of = "less than " + percent(1)
	}
	return fmt.Sprintf("%s; %s left out as bad, %s of all.%s", text, countBe(in.Bad, "row", "was", "were"), of, astray)
}

// leftOut says how many rows were not wanted.
func (r report) leftOut() string {
	return fmt.Sprintf("%s left out by the mapping, or for another currency than the program's; a file that is given for several tables counts for each.", countBe(r.Input.Left, "row", "was", "were"))
}

// inputSection is what was read, and what was left out of it.
func (r report) inputSection() page.Section {
	s := page.Section{ID: "input", Title: "What was read", Blocks: []page.Block{{Paragraphs: []string{r.read()}, Table: r.files()}}}
	if len(r.Input.ByWhy) > 0 {
		s.Blocks = append(s.Blocks, page.Block{Heading: "Bad rows", Paragraphs: []string{"What is missing here is missing in all figures: a refund that was left out looks like none, and a clawback that was left out looks like leakage."}, Table: reasons(r.Input.ByWhy)})
	}
	if len(r.Input.LeftByWhy) > 0 {
		s.Blocks = append(s.Blocks, page.Block{Heading: "Rows that were not wanted", Paragraphs: []string{r.leftOut()}, Table: reasons(r.Input.LeftByWhy)})
	}
	return s
}

// methodSection says in plain words how each figure comes about, and what exports
// cannot show.
func methodSection() page.Section {
	terms := page.NewSheet("Word", "What it means here")
	for _, m := range meanings {
		terms.Add(m[0], m[1])
	}
	return page.Section{ID: "method", Title: "How to read this", Blocks: []page.Block{
		{Table: terms},
		{Heading: "What exports cannot show", Paragraphs: cannotShow},
	}}
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
