package present_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"recoup/internal/audit"
	"recoup/internal/audit/present"
)

// sarif reads a log as any consumer would, and returns its one run.
func sarif(t *testing.T, r *audit.Report) map[string]any {
	t.Helper()
	var b bytes.Buffer
	if err := present.WriteSARIF(&b, r); err != nil {
		t.Fatal(err)
	}
	var log map[string]any
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log["version"] != "2.1.0" || !strings.Contains(log["$schema"].(string), "sarif-2.1.0") {
		t.Errorf("version %v, schema %v", log["version"], log["$schema"])
	}
	runs := log["runs"].([]any)
	if len(runs) != 1 {
		t.Fatalf("%d runs, want 1", len(runs))
	}
	return runs[0].(map[string]any)
}

// What SARIF 2.1.0 requires is there: a driver with a name, rules with an id each once,
// results with a message, a level that there is, and a rule that there is.
func TestSARIF(t *testing.T) {
	run := sarif(t, leaky())
	driver := run["tool"].(map[string]any)["driver"].(map[string]any)
	if driver["name"] != "recoup audit" {
		t.Errorf("the driver is %v", driver["name"])
	}
	var rules []string
	for _, rule := range driver["rules"].([]any) {
		id := rule.(map[string]any)["id"].(string)
		if slices.Contains(rules, id) || id == "" {
			t.Errorf("rule %q is there twice, or has no name", id)
		}
		rules = append(rules, id)
		for _, text := range []string{"shortDescription", "fullDescription", "help"} {
			if rule.(map[string]any)[text].(map[string]any)["text"] == "" {
				t.Errorf("rule %s has no %s", id, text)
			}
		}
	}
	results := run["results"].([]any)
	if len(results) < 2 {
		t.Fatalf("%d results, want the verdict and the findings", len(results))
	}
	for _, result := range results {
		x := result.(map[string]any)
		if !slices.Contains(rules, x["ruleId"].(string)) {
			t.Errorf("no rule %v", x["ruleId"])
		}
		if !slices.Contains([]string{"none", "note", "warning", "error"}, x["level"].(string)) {
			t.Errorf("level %v", x["level"])
		}
		if x["message"].(map[string]any)["text"] == "" {
			t.Error("a result without a message")
		}
		for _, l := range x["locations"].([]any) {
			if logical := l.(map[string]any)["logicalLocations"].([]any); logical[0].(map[string]any)["name"] == "" {
				t.Error("a location without a name")
			}
		}
	}
}

func TestSARIFOfNothingFound(t *testing.T) {
	r := leaky()
	r.Verdict.Found = false
	for i := range r.Findings {
		r.Findings[i].Standing = audit.NotFound
	}
	if results := sarif(t, r)["results"].([]any); len(results) != 0 {
		t.Errorf("%d results, want none: %v", len(results), results)
	}
}

// Whoever takes a log without results for a pass is told in it where nobody could tell.
func TestSARIFOfWhatCannotBeTold(t *testing.T) {
	for exit := range 3 {
		r := leaky()
		r.Verdict.Exit, r.Verdict.Found, r.Verdict.Class, r.Verdict.Summary = exit, exit == 1, "", "Not enough refunds to tell."
		ran := sarif(t, r)["invocations"].([]any)[0].(map[string]any)
		if told := ran["executionSuccessful"]; told != (exit < 2) {
			t.Errorf("exit code %d: successful %v", exit, told)
		}
		notes, _ := ran["toolExecutionNotifications"].([]any)
		if exit < 2 && notes == nil {
			continue
		}
		note, _ := notes[0].(map[string]any)
		if text := note["message"].(map[string]any)["text"].(string); exit < 2 || len(notes) != 1 || note["level"] != "error" || !strings.HasPrefix(text, r.Verdict.Summary) {
			t.Errorf("exit code %d: %v", exit, notes)
		}
	}
}
