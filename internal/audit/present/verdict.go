package present

import (
	"cmp"
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
		if r.Verdict.Class == flaw.Robust && !r.Verdict.Found && f.Unexplained == 0 && f.Leakage <= f.Purchases+f.Refunds {
			sentences[1] += " It is no more than a minor unit for each purchase and refund, which rounding can be."
		}
	default:
		sentences = append(sentences, fmt.Sprintf("From %s, none of %s has more in rewards than the published terms promise on its net spend; %s was granted in all.",
			r.span(), count(r.Accounts.All, "account"), r.money(f.Granted)))
	}
	if text := r.setApart(); text != "" {
		sentences = append(sentences, text)
	}
	switch {
	case f.ShortPaid > 0 && r.Accounts.ShortBeyond == 0:
		sentences = append(sentences, fmt.Sprintf("Nobody is short-paid: what %s below the terms, %s together, is on each no more than rounding can be, a minor unit for each purchase and refund.", countBe(r.Accounts.Below, "account", "has", "have"), r.money(f.ShortPaid)))
	case f.ShortPaid > 0 && r.Accounts.ShortBeyond < r.Accounts.Below:
		sentences = append(sentences, fmt.Sprintf("%s short of what was promised by more than rounding can be; with what rounding may be of others, it is %s together.", countBe(r.Accounts.ShortBeyond, "account", "is", "are"), r.money(f.ShortPaid)))
	case f.ShortPaid > 0:
		sentences = append(sentences, fmt.Sprintf("%s short of what was promised: %s together.", countBe(r.Accounts.Below, "account", "is", "are"), r.money(f.ShortPaid)))
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
		leak := "it leaks: "
		switch {
		case r.Figures.Leakage == 0:
			return "No class of the paper, and nothing above the terms is left, but there is a flaw. " + summary
		case r.LeastLeakage() < r.Figures.Leakage:
			leak += "up to "
		}
		return fmt.Sprintf("No class of the paper, but %s%s a year. %s", leak, r.money(r.LeakagePerYear), summary)
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
			if f.Code != flaw.CodeOf(r.Verdict.Class) && !strings.Contains(r.Verdict.Summary, "("+string(f.Code)+", ") && !strings.Contains(r.Verdict.Summary, "("+string(f.Code)+")") {
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
func (r report) behaviour() *page.Sheet {
	v := &r.Verdict
	s := page.NewSheet("Property", "This program")
	s.Caption = "The rows of the paper's comparison of issuers. ✓ holds; ~ holds only if the customer goes on using the card; × is violated. Reward Integrity: nobody has more reward than the net spend entitles to. Refund Reward Consistency: that is so again within a billing cycle of every refund."
	add := func(name, value string) { s.Add(name, cmp.Or(tabular.Visible(value), notTold)) }
	add("Class", cmp.Or(string(v.Class), string(audit.TooFew)))
	add("Reward timing", v.RewardTiming)
	add("Refund adjustment", v.RefundAdjustment)
	add("Negative balance", v.NegativeBalance)
	s.Add("Reward Integrity", verdictCell(v.RewardIntegrity))
	s.Add("Refund Reward Consistency", verdictCell(v.RefundRewardConsistency))
	cwe, owasp, stride := standards(v.Mapping)
	called := cwe + "; " + owasp + "; " + stride
	if v.Mapping == (flaw.Mapping{}) {
		called = ""
	}
	add("CWE, OWASP BLA, STRIDE", called)
	return s
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

// standards are the names in columns; of STRIDE, T is tampering and R repudiation.
func standards(m flaw.Mapping) (cwe, owasp, stride string) {
	cwe, owasp, stride = cmp.Or(m.CWE, notTold), notTold, notTold
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
func (r report) handling() *page.Sheet {
	s := page.NewSheet("The refund's share of the reward was", ">Same cycle", ">Later cycle")
	same, later := &r.Verdict.SameCycle, &r.Verdict.LaterCycle
	for _, o := range outcomes {
		s.Add(o.name, program.FormatCount(o.of(same)), program.FormatCount(o.of(later)))
	}
	s.Add("reward at stake", r.money(same.Stake), r.money(later.Stake))
	s.Add("of it not taken", r.cost(same.Untaken), r.cost(later.Untaken))
	return s
}

// handled counts the refunds with something at stake.
func handled(h *audit.Handling) (n int64) {
	for _, o := range outcomes {
		n += o.of(h)
	}
	return n
}
