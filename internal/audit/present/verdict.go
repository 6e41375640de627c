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
	case f.Leakage > 0:
		sentences = append(sentences, fmt.Sprintf("From %s, %s more in rewards was kept or redeemed than the published terms promise on net spend, by %s of %s; %s was granted in all.",
			r.span(), r.money(f.Leakage), program.FormatCount(r.Accounts.Above), count(r.Accounts.All, "account"), r.money(f.Granted)))
	default:
		sentences = append(sentences, fmt.Sprintf("From %s, none of %s has more in rewards than the published terms promise on its net spend; %s was granted in all.",
			r.span(), count(r.Accounts.All, "account"), r.money(f.Granted)))
	}
	if f.ShortPaid > 0 {
		sentences = append(sentences, fmt.Sprintf("%s short of what was promised: %s together.", isAre(r.Accounts.Below, "account"), r.money(f.ShortPaid)))
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
		return "Robust. " + summary
	case flaw.Other:
		return "In none of the paper's classes, but flawed. " + summary
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

// outcomes are what may become of the reward of a refunded purchase, each with the
// index of the part of a chart that it belongs to.
var outcomes = []struct {
	name string
	part int
	of   func(h *audit.Handling) int64
}{
	{"left out of the grant", 0, func(h *audit.Handling) int64 { return h.Netted }},
	{"taken at once", 0, func(h *audit.Handling) int64 { return h.AtOnce }},
	{"taken within the cycle", 0, func(h *audit.Handling) int64 { return h.WithinCycle }},
	{"taken at the close", 0, func(h *audit.Handling) int64 { return h.AtClose }},
	{"taken later", 1, func(h *audit.Handling) int64 { return h.Late }},
	{"taken in part", 1, func(h *audit.Handling) int64 { return h.Partly }},
	{"never taken", 1, func(h *audit.Handling) int64 { return h.Never }},
	{"too early to say", 2, func(h *audit.Handling) int64 { return h.TooEarly }},
}

// outcomeParts are the parts of a chart of outcomes.
var outcomeParts = []page.BarPart{{Name: "taken in time", Class: "green"}, {Name: "late, in part or never", Class: "red"}, {Name: "too early to say", Class: "grey"}}

// handling is what became of the reward, by where the refund fell.
func (r report) handling() page.Sheet {
	s := page.Sheet{Columns: page.Columns("The refund's share of the reward was", ">Same cycle", ">Later cycle")}
	for _, o := range outcomes {
		same, later := o.of(&r.Verdict.SameCycle), o.of(&r.Verdict.LaterCycle)
		s.Rows = append(s.Rows, page.Row{Cells: []page.Cell{page.Text(o.name), page.Number(program.FormatCount(same)), page.Number(program.FormatCount(later))}})
	}
	return s
}

// handled counts the refunds with something at stake.
func handled(h *audit.Handling) (n int64) {
	for _, o := range outcomes {
		n += o.of(h)
	}
	return n
}
