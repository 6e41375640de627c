package present

import "recoup/internal/kit/page"

// inputSection is what was read, and what was left out of it.
func (r report) inputSection() page.Section {
	files := r.files()
	s := page.Section{ID: "input", Title: "What was read", Blocks: []page.Block{{Paragraphs: []string{r.read()}, Table: &files}}}
	if len(r.Input.ByWhy) > 0 {
		bad := reasons(r.Input.ByWhy)
		bad.Caption = "Places are the file and the line."
		s.Blocks = append(s.Blocks, page.Block{Heading: "Bad rows", Paragraphs: []string{"What is missing here is missing in all figures: a refund that was left out looks like none, and a clawback that was left out looks like leakage."}, Table: &bad})
	}
	if len(r.Input.LeftByWhy) > 0 {
		left := reasons(r.Input.LeftByWhy)
		s.Blocks = append(s.Blocks, page.Block{Heading: "Rows that were not wanted", Paragraphs: []string{r.leftOut()}, Table: &left})
	}
	return s
}

// methodSection says in plain words how each figure comes about, and what exports
// cannot show.
func methodSection() page.Section {
	terms := page.Sheet{Columns: page.Columns("Word", "What it means here"), Rows: methodRows}
	return page.Section{ID: "method", Title: "How to read this", Blocks: []page.Block{
		{Table: &terms},
		{Heading: "What exports cannot show", Paragraphs: cannotShow},
	}}
}

func term(word, meaning string) page.Row {
	return page.Row{Cells: []page.Cell{page.Text(word), page.Text(meaning)}}
}

var methodRows = []page.Row{
	term("Entitlement", "What the published terms (rules, rates, caps) promise on what was bought and kept. It is computed account by account, per rule and billing cycle, with exact arithmetic, and rounded down."),
	term("Net reward", "Rewards granted less rewards taken back. Adjustments by hand are no part of it."),
	term("Leakage", "Net reward above the entitlement, added up over the accounts that have it. What other accounts lack is not set off against it."),
	term("Short-payment", "Entitlement above the net reward, of what is due: what is granted only at a close after the end of the exports is left out."),
	term("Exposure", "Debts of negative balances, which are lost if the customer stays away, and rewards redeemed on purchases whose return window is open at the end of the exports."),
	term("Float", "Each refund's share of the reward times the days until it was taken back (or until the end of the exports, if it never was), added up and spread over the time of the exports."),
	term("At stake", "A refund has something at stake if its purchase had earned a reward, or would have. Refunds that name no purchase are held against the purchase that they most likely belong to."),
	term("Netted", "The refund came before the grant, and the grant left its part out."),
	term("Cases that show it", "Of the refunds and other cases in which a flaw could show. A flaw is found where at least three do and, at 95% confidence (E. B. Wilson, 1927), more than one in five does; occasional where more than one in fifty does."),
	term("Round", "One course of the four phases: buy, redeem the reward, return the purchase, keep the reward."),
	term("Unexplained", "Leakage that neither refunds that took too little nor rewards for no purchase account for, beyond a unit of rounding for each purchase and refund."),
}

var cannotShow = []string{
	"What is not in the files: refunds paid in cash or on another card, rewards given outside the reward ledger, rows that were left out as bad.",
	"Intent. An account that buys and returns much may be a household that changes its mind. Histories that look like the attack are a reason to look.",
	"What happened after the end of the exports. A clawback that is still to come counts as missing only when it is later than the close that should have brought it.",
	"What nobody has done yet. A flaw without a case in these exports shows as not enough to tell. Whether it is there, only a test against the program's sandbox can show.",
	"Published terms other than those in the program file. Where an offer or a changed rate is missing in it, what it paid looks like leakage.",
}
