// Package sarif writes findings as logs of SARIF 2.1.0 (OASIS, 2020), for tools that gather
// them from many scanners.
package sarif

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recoup/internal/kit/tabular"
)

// Level is how much a result weighs.
type Level string

// The levels that are used here.
const (
	Error   Level = "error"
	Warning Level = "warning"
)

// Rule is what can be found: a flaw.
type Rule struct {
	ID, Title, About, Remedy string
}

// Result is one finding, of the rule of that ID. What was examined is in no file of
// source, so Where is a logical place: the program, or the address of a sandbox.
type Result struct {
	Rule  string
	Level Level
	Text  string
	Where string
	// Minor is the money that it is about, in minor units.
	Minor int64
}

type (
	message struct {
		Text string `json:"text"`
	}
	rule struct {
		ID    string  `json:"id"`
		Short message `json:"shortDescription"`
		Full  message `json:"fullDescription"`
		Help  message `json:"help"`
	}
	driver struct {
		Name  string `json:"name"`
		Rules []rule `json:"rules"`
	}
	tool struct {
		Driver driver `json:"driver"`
	}
	logical struct {
		Name string `json:"name"`
		Kind string `json:"kind"`
	}
	location struct {
		Logical []logical `json:"logicalLocations"`
	}
	properties struct {
		Minor int64 `json:"amountMinorUnits"`
	}
	result struct {
		Rule       string     `json:"ruleId"`
		Level      Level      `json:"level"`
		Message    message    `json:"message"`
		Locations  []location `json:"locations"`
		Properties properties `json:"properties"`
	}
	notification struct {
		Level   Level   `json:"level"`
		Message message `json:"message"`
	}
	invocation struct {
		Successful    bool           `json:"executionSuccessful"`
		Notifications []notification `json:"toolExecutionNotifications,omitempty"`
	}
	run struct {
		Tool        tool         `json:"tool"`
		Invocations []invocation `json:"invocations"`
		Results     []result     `json:"results"`
	}
	log struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []run  `json:"runs"`
	}
)

// Write writes a log with one run of a tool. Every result's rule must be among the rules.
// Failure says why the run tells nothing, so that no results are no pass; "" where it tells.
func Write(w io.Writer, name string, rules []Rule, results []Result, failure string) error {
	d, found := driver{Name: name, Rules: []rule{}}, []result{}
	for _, r := range rules {
		d.Rules = append(d.Rules, rule{r.ID, message{r.Title}, message{r.About}, message{r.Remedy}})
	}
	for _, r := range results {
		found = append(found, result{
			r.Rule, r.Level, message{tabular.Visible(r.Text)}, []location{{[]logical{{tabular.Visible(r.Where), "module"}}}}, properties{r.Minor},
		})
	}
	ran := invocation{Successful: failure == ""}
	if failure != "" {
		ran.Notifications = []notification{{Error, message{tabular.Visible(failure)}}}
	}
	text, err := json.Marshal(log{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []run{{tool{d}, []invocation{ran}, found}}}, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
