package present

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recoup/internal/audit"
	"recoup/internal/flaw"
	"recoup/internal/kit/tabular"
)

// The parts of SARIF 2.1.0 (OASIS, 2020) that a report has.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string       `json:"id"`
		Short sarifMessage `json:"shortDescription"`
		Full  sarifMessage `json:"fullDescription"`
		Help  sarifMessage `json:"help"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID     string          `json:"ruleId"`
		Level      string          `json:"level"`
		Message    sarifMessage    `json:"message"`
		Locations  []sarifLocation `json:"locations"`
		Properties sarifProperties `json:"properties"`
	}
	sarifLocation struct {
		Logical []sarifLogical `json:"logicalLocations"`
	}
	sarifLogical struct {
		Name string `json:"name"`
		Kind string `json:"kind"`
	}
	sarifProperties struct {
		Shown  int64 `json:"shown"`
		Could  int64 `json:"could"`
		Amount int64 `json:"amountMinorUnits"`
	}
)

// WriteSARIF writes what was found as a log of SARIF 2.1.0, for tools that gather
// findings. Each flaw is a rule; the verdict is the first result, unless nothing was
// found. What exports show is in no file of source, so locations are logical: the program.
func WriteSARIF(w io.Writer, of *audit.Report) error {
	r := report{of}
	where := []sarifLocation{{[]sarifLogical{{tabular.Visible(r.Program), "module"}}}}
	driver := sarifDriver{Name: "recoup audit", Rules: []sarifRule{{
		ID: "verdict", Short: sarifMessage{"the reward program leaks"},
		Full: sarifMessage{"Rewards are kept that the published terms do not promise on what customers kept."}, Help: sarifMessage{"See the findings."},
	}}}
	results := []sarifResult{}
	if r.Verdict.Found {
		results = append(results, sarifResult{"verdict", "error", sarifMessage{r.verdict()[0]}, where, sarifProperties{Amount: r.Figures.Leakage}})
	}
	for _, f := range r.shown() {
		if f.Code == flaw.CodeOf(flaw.Other) {
			continue // the verdict
		}
		driver.Rules = append(driver.Rules, sarifRule{string(f.Code), sarifMessage{f.Title}, sarifMessage{f.Shows}, sarifMessage{f.Remedy}})
		level := "warning"
		if f.Standing == audit.Found && r.weight(f.Amount) == "bad" {
			level = "error"
		}
		text := sentence(f.Title) + " " + evidence(f) + " It came to " + r.money(f.Amount) + "."
		results = append(results, sarifResult{string(f.Code), level, sarifMessage{text}, where, sarifProperties{f.Shown, f.Could, f.Amount}})
	}
	text, err := json.Marshal(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{{sarifTool{driver}, results}}},
		json.Deterministic(true), jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	_, err = w.Write(append(escaped(text), '\n'))
	return err
}
