package present

import (
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recoup/internal/audit"
	"recoup/internal/flaw"
	"recoup/internal/kit/sarif"
	"recoup/internal/kit/tabular"
	"recoup/reward"
)

// WriteJSON writes the report as indented JSON for other programs. Times are RFC 3339 in UTC.
// Identifiers are as they are; what a terminal might obey in them is written as an escape,
// which means the same to every reader of JSON.
func WriteJSON(w io.Writer, of *audit.Report) error {
	text, err := json.Marshal(of, json.Deterministic(true), jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true),
		json.WithMarshalers(json.MarshalFunc(func(i reward.Instant) ([]byte, error) { return []byte(`"` + i.String() + `"`), nil })))
	if err != nil {
		return err
	}
	out := make([]byte, 0, len(text)+1)
	for _, r := range string(text) {
		switch {
		case r == '\n' || !tabular.Hidden(r): // outside of strings JSON has line feeds alone
			out = utf8.AppendRune(out, r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	_, err = w.Write(append(out, '\n'))
	return err
}

// WriteSARIF writes what was found as a log of SARIF, for tools that gather findings. Each
// flaw is a rule; the verdict is the first result, unless nothing was found.
func WriteSARIF(w io.Writer, of *audit.Report) error {
	r := report{of, false}
	rules := []sarif.Rule{{
		ID: "verdict", Title: "the reward program leaks",
		About: "Rewards are kept that the published terms do not promise on what customers kept.", Remedy: "See the findings.",
	}}
	var results []sarif.Result
	if r.Verdict.Found {
		results = append(results, sarif.Result{Rule: "verdict", Level: sarif.Error, Text: r.class() + r.flaws(), Where: r.Program, Minor: r.Figures.Leakage})
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
		results = append(results, sarif.Result{Rule: string(f.Code), Level: level, Text: sentence(f.Title) + " " + r.evidence(f), Where: r.Program, Minor: f.Amount})
	}
	return sarif.Write(w, "recoup audit", rules, results)
}
