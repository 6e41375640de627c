package present

import (
	"io"

	"recoup/internal/audit"
	"recoup/internal/flaw"
	"recoup/internal/kit/sarif"
)

// WriteSARIF writes what was found as a log of SARIF, for tools that gather findings.
// Each flaw is a rule; the verdict is the first result, unless nothing was found.
func WriteSARIF(w io.Writer, of *audit.Report) error {
	r := report{of}
	rules := []sarif.Rule{{
		ID: "verdict", Title: "the reward program leaks",
		About: "Rewards are kept that the published terms do not promise on what customers kept.", Remedy: "See the findings.",
	}}
	var results []sarif.Result
	add := func(rule string, level sarif.Level, text string, minor int64) {
		results = append(results, sarif.Result{Rule: rule, Level: level, Text: text, Where: r.Program, Minor: minor})
	}
	if r.Verdict.Found {
		add("verdict", sarif.Error, r.verdict()[0], r.Figures.Leakage)
	}
	for _, f := range r.shown() {
		if f.Code == flaw.CodeOf(flaw.Other) {
			continue // the verdict
		}
		rules = append(rules, sarif.Rule{ID: string(f.Code), Title: f.Title, About: f.Shows, Remedy: f.Remedy})
		level := sarif.Warning
		if f.Standing == audit.Found && r.weight(f.Amount) == "bad" {
			level = sarif.Error
		}
		add(string(f.Code), level, sentence(f.Title)+" "+evidence(f)+" It came to "+r.money(f.Amount)+".", f.Amount)
	}
	return sarif.Write(w, "recoup audit", rules, results)
}
