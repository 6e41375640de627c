package present

import (
	"fmt"
	"io"

	"recoup/internal/flaw"
	"recoup/internal/kit/sarif"
	"recoup/internal/probe"
)

// WriteSARIF writes what was found as SARIF 2.1.0: the verdict, if there is anything, and
// what one account can take by each flaw. What is exposure alone is a warning.
func WriteSARIF(w io.Writer, r *probe.Result) error {
	rules := []sarif.Rule{{
		ID: "verdict", Title: "the reward program leaks",
		About:  "Reward is left on what was returned, or the customer has too little.",
		Remedy: "See the other results.",
	}}
	var results []sarif.Result
	if r.Found() {
		year := int64(0)
		if l := r.Leak(); l != nil {
			year = l.Year
		}
		results = append(results, sarif.Result{Rule: "verdict", Level: sarif.Error, Text: r.Verdict(), Where: r.Target, Minor: year})
	}
	for i := range r.Losses {
		l := &r.Losses[i]
		rule := sarif.Rule{ID: "leak-" + l.Flaw, Title: l.Title, About: l.Title, Remedy: probe.MatchingRemedy}
		if f, ok := flaw.Find(flaw.Code(l.Flaw)); ok {
			rule.ID, rule.About, rule.Remedy = l.Flaw, f.Shows, f.Remedy
		}
		rules = append(rules, rule)
		level, often := sarif.Error, "in a year"
		if l.Exposure {
			level = sarif.Warning
		}
		if l.Once {
			often = "at least once"
		}
		results = append(results, sarif.Result{
			Rule: rule.ID, Level: level, Where: r.Target, Minor: l.Year,
			Text: fmt.Sprintf("%s: one account can take %s %s.", l.Title, r.Money(l.Year), often),
		})
	}
	return sarif.Write(w, "recoup probe", rules, results, "")
}
