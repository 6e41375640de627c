package present

import (
	"fmt"
	"strings"

	"recoup/internal/audit"
	"recoup/internal/flaw"
	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
	"recoup/program"
)

// verdict says in a few sentences what was found: the class and the flaws, what
// leaked, and what is still out.
func (r report) verdict() []string {
	sentences := []string{r.class() + r.flaws()}
	f := &r.Figures
	switch {
	case r.LeastLeakage() < f.Leakage:
		on := "on which purchase a refund is of that names none"
		if r.LeakageByTerms > 0 {
			on = "on how far the program grants by the terms given, and " + on
		}
		sentences = append(sentences, fmt.Sprintf("From %s, between %s and %s more in rewards was kept or redeemed than the published terms promise on net spend, depending %s, by up to %s of %s: at most %s of the %s that was granted in all, or %s a year. By these terms, %s of it is there even if such refunds need take nothing.",
			r.span(), r.money(r.LeastLeakage()), r.money(f.Leakage), on, program.FormatCount(r.Accounts.Above), count(r.Accounts.All, "account"), basisPoints(r.LeakageRate), r.money(f.Granted), r.money(r.LeakagePerYear), r.money(f.LeakageNamed)))
	case f.Leakage > 0:
		sentences = append(sentences, fmt.Sprintf("From %s, %s more in rewards was kept or redeemed than the published terms promise on net spend, by %s of %s: %s of the %s that was granted in all, or %s a year.",
			r.span(), r.money(f.Leakage), program.FormatCount(r.Accounts.Above), count(r.Accounts.All, "account"), basisPoints(r.LeakageRate), r.money(f.Granted), r.money(r.LeakagePerYear)))
	default:
		sentences = append(sentences, fmt.Sprintf("From %s, none of %s has more in rewards than the published terms promise on its net spend; %s was granted in all.",
			r.span(), count(r.Accounts.All, "account"), r.money(f.Granted)))
	}
	if text := r.setApart(); text != "" {
		sentences = append(sentences, text)
	}
	if f.ShortPaid > 0 {
		sentences = append(sentences, fmt.Sprintf("%s short of what was promised: %s together.", isAre(r.Accounts.Below, "account"), r.money(f.ShortPaid)))
	}
	if r.NotJudged != "" {
		sentences = append(sentences, fmt.Sprintf("Not judged: the terms go by %s, of which exports say nothing. What these pay looks like leakage here.", tabular.Visible(r.NotJudged)))
	}
	if open := f.Debt + f.RedeemedOpen; open > 0 {
		sentences = append(sentences, fmt.Sprintf("%s is exposed at the end of the exports: %s owed by negative balances and %s redeemed on purchases that can still be returned.",
			r.money(open), r.money(f.Debt), r.money(f.RedeemedOpen)))
	}
	return sentences
}

func isAre(n int64, noun string) string {
	if n == 1 {
		return count(n, noun) + " is"
	}
	return count(n, noun) + " are"
}

// class names the class and says what it follows from.
func (r report) class() string {
	summary := sentence(tabular.Visible(r.Verdict.Summary))
	switch r.Verdict.Class {
	case "":
		return summary
	case flaw.Robust:
		if !r.Verdict.Found && r.Figures.InQuestion > 0 {
			return "Robust: Reward Integrity and Refund Reward Consistency hold on this data if refunds that name no purchase are read as the program may read them. " + summary
		}
		if !r.Verdict.Found {
			return "Robust: Reward Integrity and Refund Reward Consistency hold on this data. " + summary
		}
		fallthrough
	case flaw.Other:
		return fmt.Sprintf("No class of the paper, but it leaks: %s a year. %s", r.money(r.LeakagePerYear), summary)
	}
	return fmt.Sprintf("Class %s. %s", r.Verdict.Class, summary)
}

// flaws names what was found beside the class.
func (r report) flaws() (text string) {
	for _, s := range []struct {
		standing audit.Standing
		prefix   string
	}{{audit.Found, " Found besides: "}, {audit.Occasional, " Seen now and then: "}} {
		var words []string
		for _, f := range r.with(s.standing) {
			if f.Code != flaw.CodeOf(r.Verdict.Class) {
				words = append(words, fmt.Sprintf("%s (%s)", f.Title, f.Code))
			}
		}
		if len(words) > 0 {
			text += s.prefix + strings.Join(words, "; ") + "."
		}
	}
	return text
}

// behaviour is the paper's table "Comparative issuer behavior" for this program.
func (r report) behaviour() page.Sheet {
	v := &r.Verdict
	cells := func(name, value string) page.Row {
		if value == "" {
			value = notTold
		}
		return page.Row{Cells: []page.Cell{page.Text(name), page.Text(tabular.Visible(value))}}
	}
	class := string(v.Class)
	if class == "" {
		class = string(audit.TooFew)
	}
	return page.Sheet{
		Columns: page.Columns("Property", "This program"),
		Rows: []page.Row{
			cells("Class", class),
			cells("Reward timing", v.RewardTiming),
			cells("Refund adjustment", v.RefundAdjustment),
			cells("Negative balance", v.NegativeBalance),
			{Cells: []page.Cell{page.Text("Reward Integrity"), verdictCell(v.RewardIntegrity)}},
			{Cells: []page.Cell{page.Text("Refund Reward Consistency"), verdictCell(v.RefundRewardConsistency)}},
			cells("CWE, OWASP BLA, STRIDE", called(v.Mapping)),
		},
	}
}

const notTold = "—"

// verdictCell is a verdict in the paper's sign and in words.
func verdictCell(v flaw.Verdict) page.Cell {
	if v == "" {
		return page.Text(string(audit.TooFew))
	}
	classes := map[flaw.Verdict]string{flaw.Satisfied: "good", flaw.Partial: "part", flaw.Violated: "bad"}
	return page.Cell{Text: v.Symbol() + " " + string(v), Class: classes[v]}
}

// called is what standards call a flaw.
func called(m flaw.Mapping) string {
	cwe, owasp, stride := standards(m)
	if cwe == notTold && owasp == notTold && stride == notTold {
		return notTold
	}
	return fmt.Sprintf("%s; %s; %s", cwe, owasp, stride)
}

// standards are the names in columns; of STRIDE, T is tampering and R repudiation.
func standards(m flaw.Mapping) (cwe, owasp, stride string) {
	cwe, owasp, stride = notTold, notTold, notTold
	if m.CWE != "" {
		cwe = m.CWE
	}
	if m.OWASP > 0 {
		owasp = fmt.Sprintf("class %d", m.OWASP)
	}
	switch {
	case m.Tampering == "" && m.Repudiation == "":
	case m.Tampering == m.Repudiation:
		stride = "T and R " + m.Tampering
	case m.Repudiation == "":
		stride = "T " + m.Tampering
	case m.Tampering == "":
		stride = "R " + m.Repudiation
	default:
		stride = fmt.Sprintf("T %s, R %s", m.Tampering, m.Repudiation)
	}
	return cwe, owasp, stride
}

// outcomes are what may become of the reward of a refunded purchase.
var outcomes = []struct {
	name string
	of   func(h *audit.Handling) int64
}{
	{"left out of the grant", func(h *audit.Handling) int64 { return h.Netted }},
	{"taken at once", func(h *audit.Handling) int64 { return h.AtOnce }},
	{"taken within the cycle", func(h *audit.Handling) int64 { return h.WithinCycle }},
	{"taken at the close", func(h *audit.Handling) int64 { return h.AtClose }},
	{"taken later", func(h *audit.Handling) int64 { return h.Late }},
	{"taken in part", func(h *audit.Handling) int64 { return h.Partly }},
	{"never taken", func(h *audit.Handling) int64 { return h.Never }},
	{"too early to say", func(h *audit.Handling) int64 { return h.TooEarly }},
}

// handling is what became of the reward, by where the refund fell.
func (r report) handling() page.Sheet {
	s := page.Sheet{Columns: page.Columns("The refund's share of the reward was", ">Same cycle", ">Later cycle")}
	for _, o := range outcomes {
		same, later := o.of(&r.Verdict.SameCycle), o.of(&r.Verdict.LaterCycle)
		s.Rows = append(s.Rows, page.Row{Cells: []page.Cell{page.Text(o.name), page.Number(program.FormatCount(same)), page.Number(program.FormatCount(later))}})
	}
	h, l := &r.Verdict.SameCycle, &r.Verdict.LaterCycle
	s.Rows = append(s.Rows,
		page.Row{Cells: []page.Cell{page.Text("reward at stake"), page.Number(r.money(h.Stake)), page.Number(r.money(l.Stake))}},
		page.Row{Cells: []page.Cell{page.Text("of it not taken"), r.cost(h.Untaken), r.cost(l.Untaken)}})
	return s
}

// handled counts the refunds with something at stake.
func handled(h *audit.Handling) (n int64) {
	for _, o := range outcomes {
		n += o.of(h)
	}
	return n
}
