package present

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"recoup/internal/audit"
	"recoup/internal/flaw"
	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
	"recoup/program"
)

// verdict says in a few sentences what was found: the class and the flaws, what leaked, and
// what is still out.
func (r report) verdict() []string {
	f := &r.Figures
	lead := []string{r.class() + r.flaws(), r.leakage()}
	add := func(format string, args ...any) { lead = append(lead, fmt.Sprintf(format, args...)) }
	if s := r.Separation; s != nil && len(s.Rules) > 0 {
		first := &s.Rules[0]
		add("What sets the refunds apart that took too little: of those %s, %s took nothing or too little, %s in all.",
			tabular.Visible(first.Words), ofAll(first.Untaken, first.Refunds), r.money(first.Amount))
	}
	switch beyond := countBe(r.Accounts.ShortBeyond, "account", "is", "are"); {
	case f.ShortPaid <= 0:
	case r.Accounts.ShortBeyond == 0:
		add("Nobody is short-paid: what %s below the terms, %s together, is on each no more than rounding can be, a minor unit for each purchase and refund.",
			countBe(r.Accounts.Below, "account", "has", "have"), r.money(f.ShortPaid))
	case r.Accounts.ShortBeyond < r.Accounts.Below:
		add("%s short of what was promised by more than rounding can be; with what rounding may be of others, it is %s together.", beyond, r.money(f.ShortPaid))
	default:
		add("%s short of what was promised: %s together.", beyond, r.money(f.ShortPaid))
	}
	if r.NotJudged != "" {
		add("Not judged: the terms go by %s, of which exports say nothing. What these pay looks like leakage here.", tabular.Visible(r.NotJudged))
	}
	if open := f.Debt + f.RedeemedOpen; open > 0 {
		add("%s is exposed at the end of the exports: %s owed by negative balances and %s redeemed on purchases that can still be returned.",
			r.money(open), r.money(f.Debt), r.money(f.RedeemedOpen))
	}
	return lead
}

// leakage is what leaked as money, rate and year; a range where some of it rests on a guess.
func (r report) leakage() string {
	f, span := &r.Figures, "no time at all"
	if !r.From.IsZero() && !r.To.IsZero() {
		const day = "2 January 2006"
		span = r.From.UTC().Format(day) + " to " + r.To.UTC().Format(day)
	}
	accounts, least := count(r.Accounts.All, "account"), r.LeastLeakage()
	if f.Leakage <= 0 && least >= f.Leakage {
		return fmt.Sprintf("From %s, none of %s has more in rewards than the published terms promise on its net spend; %s was granted in all.", span, accounts, r.money(f.Granted))
	}
	amount, depending, by, rate, certain := r.money(f.Leakage), "", "by ", r.rate(), ""
	if least < f.Leakage {
		amount, by, rate = "between "+r.money(least)+" and "+amount, "by up to ", "at most "+rate
		depending = " depending on which purchase a refund is of that names none,"
		if r.LeakageByTerms > 0 {
			depending = " depending on how far the program grants by the terms given, and on which purchase a refund is of that names none,"
		}
		certain = fmt.Sprintf(" By these terms, %s of it is there even if such refunds need take nothing.", r.money(f.LeakageNamed))
	} else if r.Verdict.Class == flaw.Robust && !r.Verdict.Found && f.Unexplained == 0 && f.Leakage <= f.Purchases+f.Refunds {
		certain = " It is no more than a minor unit for each purchase and refund, which rounding can be."
	}
	return fmt.Sprintf("From %s, %s more in rewards was kept or redeemed than the published terms promise on net spend,%s %s%s of %s: %s of the %s that was granted in all, or %s a year.%s",
		span, amount, depending, by, program.FormatCount(r.Accounts.Above), accounts, rate, r.money(f.Granted), r.money(r.LeakagePerYear), certain)
}

// rate is the leakage as a part of what was granted.
func (r report) rate() string {
	return fmt.Sprintf("%s.%02d%%", program.FormatCount(r.LeakageRate/100), r.LeakageRate%100)
}

// class names the class and says what it follows from.
func (r report) class() string {
	summary := sentence(r.Verdict.Summary)
	switch class := r.Verdict.Class; {
	case class == "":
		return summary
	case class == flaw.Robust && !r.Verdict.Found:
		read := ""
		if r.Figures.InQuestion > 0 {
			read = " if refunds that name no purchase are read as the program may read them"
		}
		return "Robust: Reward Integrity and Refund Reward Consistency hold on this data" + read + ". " + summary
	case class != flaw.Robust && class != flaw.Other:
		return fmt.Sprintf("Class %s. %s", class, summary)
	case r.Figures.Leakage == 0:
		return "No class of the paper, and nothing above the terms is left, but there is a flaw. " + summary
	case r.LeastLeakage() < r.Figures.Leakage:
		return fmt.Sprintf("No class of the paper, but it leaks: up to %s a year. %s", r.money(r.LeakagePerYear), summary)
	default:
		return fmt.Sprintf("No class of the paper, but it leaks: %s a year. %s", r.money(r.LeakagePerYear), summary)
	}
}

// flaws names what was found beside the class.
func (r report) flaws() (text string) {
	named := func(prefix string, list []*audit.Finding) {
		var words []string
		for _, f := range list {
			if in := r.Verdict.Summary; f.Code != flaw.CodeOf(r.Verdict.Class) && !strings.Contains(in, "("+string(f.Code)+", ") && !strings.Contains(in, "("+string(f.Code)+")") {
				words = append(words, fmt.Sprintf("%s (%s)", f.Title, f.Code))
			}
		}
		if words != nil {
			text += prefix + strings.Join(words, "; ") + "."
		}
	}
	named(" Found besides: ", r.with(audit.Found))
	named(" Seen now and then: ", r.with(audit.Occasional))
	return text
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

// averageFloat is what was out on the average, over the time of the exports, of rewards whose
// purchase had been refunded.
func (r report) averageFloat() int64 {
	return r.Figures.FloatDays / max(int64(r.To.Sub(r.From)/(24*time.Hour)), 1)
}

const notTold = "—"

// behaviour is the paper's table "Comparative issuer behavior" for this program, and what
// refunds did.
func (r report) behaviour() []page.Block {
	v := &r.Verdict
	s := page.NewSheet("Property", "This program")
	s.Caption = "The rows of the paper's comparison of issuers. ✓ holds; ~ holds only if the customer goes on using the card; × is violated. Reward Integrity: nobody has more reward than the net spend entitles to. Refund Reward Consistency: that is so again within a billing cycle of every refund."
	s.Add("Class", cmp.Or(string(v.Class), string(audit.TooFew)))
	s.Add("Reward timing", tabular.Visible(cmp.Or(v.RewardTiming, notTold)))
	s.Add("Refund adjustment", tabular.Visible(cmp.Or(v.RefundAdjustment, notTold)))
	s.Add("Negative balance", tabular.Visible(cmp.Or(v.NegativeBalance, notTold)))
	s.Add("Reward Integrity", held(v.RewardIntegrity))
	s.Add("Refund Reward Consistency", held(v.RefundRewardConsistency))
	s.Add("CWE, OWASP BLA, STRIDE", strings.Join(slices.Compact(standards(v.Mapping)), "; "))
	same, later := &v.SameCycle, &v.LaterCycle
	handled, refunds := r.handling(same, later)
	if refunds == 0 {
		return []page.Block{{Table: s}, {Paragraphs: []string{"There is no refund in the exports with a reward at stake, so there is nothing to see of what refunds do."}}}
	}
	chart := page.BarChart{
		Title: "What became of the reward of refunded purchases, by money", Format: r.money,
		Parts: []page.BarPart{{Name: "taken back, or left out of the grant", Class: "green"}, {Name: "not taken", Class: "red"}},
		Rows: []page.BarRow{
			{Label: "same cycle", Values: []int64{max(0, same.Stake-same.Untaken), same.Untaken}},
			{Label: "later cycle", Values: []int64{max(0, later.Stake-later.Untaken), later.Untaken}},
		},
	}
	return []page.Block{{Table: s}, {
		Heading:    "What refunds did",
		Paragraphs: []string{"Every refund and chargeback of a purchase that had earned something, by whether it came in the billing cycle of its purchase or in a later one, and by what became of its share of the reward. In time is at the next close at the latest."},
		Figures:    []page.Figure{{Chart: chart.SVG(), Caption: "Where the two bars differ in kind, the statement close matters, which is what V2 exploits."}},
		Table:      handled,
	}}
}

// held is a verdict in the paper's sign and in words.
func held(v flaw.Verdict) page.Cell {
	if v == "" {
		return page.Text(string(audit.TooFew))
	}
	classes := map[flaw.Verdict]string{flaw.Satisfied: "good", flaw.Partial: "part", flaw.Violated: "bad"}
	return page.Cell{Text: v.Symbol() + " " + string(v), Class: classes[v]}
}

// standards are what CWE, OWASP and STRIDE call it; of the last, T is tampering and R
// repudiation.
func standards(m flaw.Mapping) []string {
	owasp, stride := notTold, notTold
	if m.OWASP > 0 {
		owasp = fmt.Sprintf("class %d", m.OWASP)
	}
	if m.Tampering == m.Repudiation && m.Tampering != "" {
		stride = "T and R " + m.Tampering
	} else if m.Tampering != m.Repudiation {
		stride = fmt.Sprintf("T %s, R %s", cmp.Or(m.Tampering, "none"), cmp.Or(m.Repudiation, "none"))
	}
	return []string{cmp.Or(m.CWE, notTold), owasp, stride}
}

// handling is what became of the reward, by where the refund fell, and of how many refunds.
func (r report) handling(same, later *audit.Handling) (s *page.Sheet, refunds int64) {
	s = page.NewSheet("The refund's share of the reward was", ">Same cycle", ">Later cycle")
	add := func(became string, same, later int64) {
		s.Add(became, program.FormatCount(same), program.FormatCount(later))
		refunds += same + later
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
	return s, refunds
}
