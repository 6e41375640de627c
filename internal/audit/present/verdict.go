package present

import (
	"cmp"
	"fmt"
	"strings"

	"recoup/internal/audit"
	"recoup/internal/flaw"
	"recoup/internal/kit/page"
	"recoup/program"
)

// verdict says in a few sentences what was found: the class and the flaws, what leaked, and
// what is still out.
func (r report) verdict() []string {
	f := &r.Figures
	lead := []string{r.class() + r.Verdict.Summary + r.besides(), r.leakage()}
	add := func(format string, args ...any) { lead = append(lead, fmt.Sprintf(format, args...)) }
	if s := r.Separation; s != nil && len(s.Rules) > 0 {
		first := &s.Rules[0]
		add("What sets the refunds apart that took too little: of those %s, %s took nothing or too little, %s in all.",
			first.Words, audit.OfAll(first.Untaken, first.Refunds), r.money(first.Amount))
	}
	switch {
	case f.ShortPaid == 0, r.NotJudged != "":
	case r.Accounts.ShortBeyond > 0:
		add("%s short of what was promised by more than rounding can be; with what rounding may be of others, it is %s together.",
			audit.Count(r.Accounts.ShortBeyond, "account is", "accounts are"), r.money(f.ShortPaid))
	default:
		add("Nobody is short-paid: what %s below the terms, %s together, is on each no more than rounding can be, a minor unit for %s.",
			audit.Count(r.Accounts.Below, "account has", "accounts have"), r.money(f.ShortPaid), r.eachRounded())
	}
	if r.NotJudged != "" {
		add("Not judged: the terms go by %s, of which exports say nothing. What these pay more than other terms looks like leakage here, and what they pay less like rewards that are missing.", r.NotJudged)
	}
	if open := f.Debt + f.RedeemedOpen; open > 0 {
		add("%s is exposed at the end of the exports: %s owed by negative balances and %s redeemed on purchases that can still be returned.",
			r.money(open), r.money(f.Debt), r.money(f.RedeemedOpen))
	}
	return lead
}

// class names the class, as far as there is one, to go before its reasons.
func (r report) class() string {
	v := &r.Verdict
	switch robust := v.Class == flaw.Robust && !v.Found; {
	case v.Class == "":
		return ""
	case v.Class != flaw.Robust && v.Class != flaw.Other:
		return fmt.Sprintf("Class %s. ", v.Class)
	case robust && r.Figures.InQuestion > 0:
		return "Robust: Reward Integrity and Refund Reward Consistency hold on this data if refunds that name no purchase are read as the program may read them. "
	case robust:
		return "Robust: Reward Integrity and Refund Reward Consistency hold on this data. "
	case r.Figures.Leakage == 0:
		return "No class of the paper, and nothing above the terms is left, but there is a flaw. "
	case r.LeastLeakage() < r.Figures.Leakage:
		return fmt.Sprintf("No class of the paper, but it leaks: up to %s a year. ", r.money(r.LeakagePerYear))
	}
	return fmt.Sprintf("No class of the paper, but it leaks: %s a year. ", r.money(r.LeakagePerYear))
}

// besides names what was found that neither the class nor its reasons name.
func (r report) besides() (text string) {
	for _, f := range r.shown() {
		if f.Code != flaw.CodeOf(r.Verdict.Class) && !strings.Contains(r.Verdict.Summary, f.Title) {
			text += fmt.Sprintf(" Also: %s (%s, %s).", f.Title, f.Code, f.Standing)
		}
	}
	return text
}

// leakage is what leaked as money, rate and year; a range where some of it rests on a guess.
func (r report) leakage() string {
	const day = "2 January 2006"
	f, span := &r.Figures, r.From.UTC().Format(day)+" to "+r.To.UTC().Format(day)
	accounts, least, most, more := audit.Count(r.Accounts.All, "account", "accounts"), r.LeastLeakage(), "", ""
	switch {
	case f.Leakage <= 0 && least >= f.Leakage:
		return fmt.Sprintf("From %s, none of %s has more in rewards than the published terms promise on its net spend; %s was granted in all.", span, accounts, r.money(f.Granted))
	case least < f.Leakage:
		most, more = "up to ", " It is between "+r.money(least)+" and that, depending on which purchase a refund is of that names none"
		if r.LeakageByTerms > 0 {
			more += ", and on how far the program grants by the terms given"
		}
		more += fmt.Sprintf("; by these terms, %s of it is there even if such refunds need take nothing.", r.money(f.LeakageNamed))
	case r.Verdict.Class == flaw.Robust && !r.Verdict.Found && f.Unexplained == 0 && f.Leakage <= f.Rounding:
		more = " It is no more than a minor unit for " + r.eachRounded() + ", which rounding can be."
	}
	return fmt.Sprintf("From %s, %s%s more in rewards was kept or redeemed than the published terms promise on net spend, by %s of %s: %s of the %s that was granted in all, or %s a year.%s",
		span, most, r.money(f.Leakage), program.FormatCount(r.Accounts.Above), accounts, r.rate(), r.money(f.Granted), r.money(r.LeakagePerYear), more)
}

// eachRounded is what rounding may leave a unit of.
func (r report) eachRounded() string {
	if r.Rounding != "" {
		return "each refund"
	}
	return "each purchase and refund"
}

// rate is the leakage as a part of what was granted.
func (r report) rate() string {
	return fmt.Sprintf("%s.%02d%%", program.FormatCount(r.LeakageRate/100), r.LeakageRate%100)
}

// tiles are the figures to take home, in the colours of their weights.
func (r report) tiles() []page.Tile {
	f := &r.Figures
	tile := func(amount int64, text string) page.Tile {
		return page.Tile{Figure: r.short(amount), Text: text, Class: r.weight(amount)}
	}
	leakage := tile(f.Leakage, fmt.Sprintf("leakage: more in rewards than the published terms promise on what customers kept; %s of what was granted, %s a year", r.rate(), r.short(r.LeakagePerYear)))
	if least := r.LeastLeakage(); least < f.Leakage {
		leakage.Figure, leakage.Class = r.short(least)+" to "+leakage.Figure, r.weight(least)
	}
	return []page.Tile{
		leakage,
		tile(f.ShortPaid, "short-payment: less than customers were promised"),
		tile(f.Debt+f.RedeemedOpen, "exposure: owed by negative balances, and redeemed on purchases that can still be returned"),
		tile(r.averageFloat(), "float: out on the average between refunds and their clawbacks"),
	}
}

const notTold = "—"

// behaviour is the paper's table "Comparative issuer behavior" for this program, and what
// refunds did.
func (r report) behaviour() []page.Block {
	v := &r.Verdict
	s := page.NewSheet("Property", "This program")
	s.Caption = "The rows of the paper's comparison of issuers. ✓ holds; ~ holds only if the customer goes on using the card; × is violated. Reward Integrity: nobody has more reward than the net spend entitles to. Refund Reward Consistency: that is so again within a billing cycle of every refund."
	s.Add("Class", cmp.Or(string(v.Class), string(audit.TooFew)))
	s.Add("Reward timing", cmp.Or(v.RewardTiming, notTold))
	s.Add("Refund adjustment", cmp.Or(v.RefundAdjustment, notTold))
	s.Add("Negative balance", cmp.Or(v.NegativeBalance, notTold))
	s.Add("Reward Integrity", held(v.RewardIntegrity))
	s.Add("Refund Reward Consistency", held(v.RefundRewardConsistency))
	s.Add("CWE, OWASP, STRIDE", cmp.Or(v.Mapping.Words(), notTold))
	return []page.Block{{Table: s}, r.handling(&v.SameCycle, &v.LaterCycle)}
}

// held is a verdict in the paper's sign and in words.
func held(v flaw.Verdict) page.Cell {
	if v == "" {
		return page.Text(string(audit.TooFew))
	}
	classes := map[flaw.Verdict]string{flaw.Satisfied: "good", flaw.Partial: "part", flaw.Violated: "bad"}
	return page.Cell{Text: v.Symbol() + " " + string(v), Class: classes[v]}
}

// handling is what became of the reward, by where the refund fell.
func (r report) handling(same, later *audit.Handling) page.Block {
	s := page.NewSheet("The refund's share of the reward was", ">Same cycle", ">Later cycle")
	add := func(became string, same, later int64) {
		s.Add(became, program.FormatCount(same), program.FormatCount(later))
	}
	add("left out of the grant", same.Netted, later.Netted)
	add("taken at once", same.AtOnce, later.AtOnce)
	add("taken within the cycle", same.WithinCycle, later.WithinCycle)
	add("taken at the close", same.AtClose, later.AtClose)
	add("taken later", same.Late, later.Late)
	add("taken in part", same.Partly, later.Partly)
	add("never taken", same.Never, later.Never)
	add("too early to say", same.TooEarly, later.TooEarly)
	s.Add("reward at stake", r.money(same.Stake), r.money(later.Stake))
	s.Add("of it not taken", r.weighed(same.Untaken), r.weighed(later.Untaken))
	return page.Block{
		Heading:    "What refunds did",
		Paragraphs: []string{"Every refund and chargeback of a purchase that had earned something, by whether it came in the billing cycle of its purchase or in a later one, and by what became of its share of the reward."},
		Table:      s,
	}
}
