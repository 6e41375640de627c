package main

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// The cases of docs/terms.md pass through the command line as they do in the library.
func TestReplayMeetsTheCasesOfTerms(t *testing.T) {
	folders, err := filepath.Glob("../../testdata/cases-terms/*")
	if err != nil || len(folders) != 120 {
		t.Fatalf("%d cases, want 120: %v", len(folders), err)
	}
	for _, folder := range folders {
		folder, err := filepath.Abs(folder)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(folder), func(t *testing.T) {
			workspace(t)
			state := succeed(t, "replay", "-p", filepath.Join(folder, "program.yaml"), "--until", "2027-06-01T00:00:00Z",
				"--outcomes", "outcomes.jsonl", "--output", "json", filepath.Join(folder, "events.jsonl"))
			if want := readFile(t, filepath.Join(folder, "expected.json")); !reflect.DeepEqual(decoded(t, state), decoded(t, want)) {
				t.Errorf("the state is\n%s, want\n%s", oneLine(state), oneLine(want))
			}
			got, want := strings.Split(readFile(t, "outcomes.jsonl"), "\n"), strings.Split(readFile(t, filepath.Join(folder, "outcomes.jsonl")), "\n")
			for i := range max(len(got), len(want)) {
				if i >= len(got) || i >= len(want) || got[i]+want[i] != "" && !reflect.DeepEqual(decoded(t, got[i]), decoded(t, want[i])) {
					t.Fatalf("of %d outcomes number %d is not as it is among the %d expected", len(got), i+1, len(want))
				}
			}
		})
	}
}

// decoded is JSON without its form.
func decoded(t *testing.T, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}
