package search

import (
	"fmt"
	"slices"
	"strings"

	"recoup/internal/lab/gaps"
	"recoup/internal/probe"
	"recoup/internal/scenario"
	"recoup/program"
)

// known is how many of the finds so far are explained by what is known.
func (h *hunter) known() (n int) {
	for _, f := range h.finds {
		if explained(h.like(f), h.options.Known) {
			n++
		}
	}
	return n
}

// say logs a find as it comes.
func (h *hunter) say(f *found) {
	if h.options.Log != nil {
		fmt.Fprintf(h.options.Log, "Found after %d sequences and %d calls: %s\n", h.result.Sequences+1, h.result.Calls, f.signature)
	}
}

// tell writes the finds out.
func (h *hunter) tell() {
	for i, f := range h.finds {
		like := h.like(f)
		if explained(like, h.options.Known) {
			h.result.Known = append(h.result.Known, Known{f.signature, like, f.verdict.kind, f.verdict.amount, f.sequences})
			continue
		}
		h.result.Finds = append(h.result.Finds, h.findOf(i+1, f, like))
	}
}

// defects are sentences about an amount.
var defects = map[gaps.DefectKind]string{
	gaps.Leaks:     "%s too much is kept",
	gaps.ShortPays: "%s too little is kept",
	gaps.PaysOut:   "%s is paid out that nothing backs",
}

func (h *hunter) findOf(number int, f *found, like []string) Find {
	v := f.verdict
	amount := program.FormatAmount(v.amount, h.result.Currency)
	find := Find{
		Title:  capitalised(strings.Join(f.words, ", ")) + ": " + fmt.Sprintf(defects[v.kind], amount),
		Defect: v.kind, Amount: v.amount, Signature: f.signature, Like: like, Sequences: f.sequences, Unshrunk: !f.whole,
	}
	file := h.file(number, &find, f)
	for k := range v.until {
		got, want := &v.got.Lines[k], &v.want.Lines[k]
		correct := shown(want)
		find.Trace = append(find.Trace, probe.TraceStep{
			At: file.Steps[k].At, Done: file.Steps[k].Text, Shown: shown(got), Correct: &correct, Entitlement: got.Entitlement,
		})
	}
	find.Scenario = string(scenario.Format(file))
	find.Curl = curl(file, &find, &h.target.Can)
	return find
}

func shown(l *scenario.Line) probe.Shown {
	return probe.Shown{Balance: l.Balance, Redeemable: l.Redeemable, PaidOut: l.Redeemed, Answer: l.Answer.String()}
}

func capitalised(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// file is the find as a scenario, with what Recoup does as its expectations and
// what the target does in its comment.
//
// Where nothing is ever forgotten, the play had other names and later dates.
func (h *hunter) file(number int, find *Find, f *found) *scenario.Scenario {
	v, s := f.verdict, h.world.build(f.course, fmt.Sprintf("found-%d", number), "", scenario.FirstOfMonth(h.options.From, 0))
	s.Title = find.Title
	s.Steps = s.Steps[:v.until]
	currency := h.result.Currency
	about := []string{"Found by a search, and shrunk. Below is what a correct program shows; the target showed:"}
	for k := range s.Steps {
		got, want := &v.got.Lines[k], &v.want.Lines[k]
		about = append(about, fmt.Sprintf("  %s: balance %s, redeemable %s, paid out %s%s", s.Steps[k].Text, program.FormatAmount(got.Balance, currency),
			program.FormatAmount(got.Redeemable, currency), program.FormatAmount(got.Redeemed, currency), answered(got)))
		expect := []scenario.Expectation{{Quantity: scenario.Balance, Amount: want.Balance}, {Quantity: scenario.Redeemed, Amount: want.Redeemed}}
		if want.Answer != scenario.NoAnswer {
			expect = slices.Insert(expect, 0, scenario.Expectation{Answer: want.Answer})
		}
		if k == len(s.Steps)-1 {
			expect = append(expect, scenario.Expectation{Quantity: scenario.Entitlement, Amount: want.Entitlement}, scenario.Expectation{Quantity: scenario.Leak, Amount: want.Leak()})
		}
		for i := range expect {
			expect[i].Design = scenario.Recoup
		}
		s.Steps[k].Expect = expect
	}
	s.About = strings.Join(about, "\n")
	return s
}

func answered(l *scenario.Line) string {
	if l.Answer == scenario.NoAnswer {
		return ""
	}
	return ", " + l.Answer.String()
}
