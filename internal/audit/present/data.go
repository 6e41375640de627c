package present

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recoup/internal/audit"
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
	var out strings.Builder
	for _, r := range string(text) {
		if r == '\n' || !tabular.Hidden(r) { // outside of strings JSON has line feeds alone
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	_, err = io.WriteString(w, out.String()+"\n")
	return err
}

// WriteSARIF writes what was found as a log of SARIF, for tools that gather findings. Each
// flaw is a rule; the verdict is the first result, unless nothing was found. Where nobody can
// tell, the run says so itself: it is no pass.
func WriteSARIF(w io.Writer, of *audit.Report) error {
	r := report{of}
	rules := []sarif.Rule{{
		ID: "verdict", Title: "the reward program leaks",
		About: "Rewards are kept that the published terms do not promise on what customers kept.", Remedy: "See the findings.",
	}}
	var results []sarif.Result
	if r.Verdict.Found {
		results = append(results, sarif.Result{Rule: "verdict", Level: sarif.Error, Text: r.verdict()[0], Where: r.Program, Minor: r.Figures.Leakage})
	}
	for _, f := range r.shown() {
		rules = append(rules, sarif.Rule{ID: string(f.Code), Title: f.Title, About: f.Shows, Remedy: f.Remedy})
		level := sarif.Warning
		if f.Standing == audit.Found && r.weight(f.Amount) == "bad" {
			level = sarif.Error
		}
		results = append(results, sarif.Result{Rule: string(f.Code), Level: level, Text: f.Title + ". " + r.evidence(f), Where: r.Program, Minor: f.Amount})
	}
	unsure := "" // why there is no verdict
	if r.Verdict.Exit == 2 {
		unsure = r.verdict()[0]
	}
	return sarif.Write(w, "recoup audit", rules, results, unsure)
}
