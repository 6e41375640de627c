package reward_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"testing"

	"recoup/internal/kit/casebook"
	"recoup/reward"
)

// termsFolder has the conformance cases of docs/terms.md.
const termsFolder = "../testdata/cases-terms"

// termsCases reads all of them.
func termsCases(t testing.TB) []conformanceCase {
	t.Helper()
	entries, err := os.ReadDir(termsFolder)
	noError(t, err)
	var cases []conformanceCase
	for _, entry := range entries {
		if entry.IsDir() {
			cases = append(cases, readCaseOfTerms(t, termsFolder, entry.Name()))
		}
	}
	if len(cases) != 120 {
		t.Fatalf("%d conformance cases in %s, want 120", len(cases), termsFolder)
	}
	sort.Slice(cases, func(i, j int) bool { return caseNumber(cases[i].Name) < caseNumber(cases[j].Name) })
	return cases
}

// readCourse reads the program of a case, what happens and what is answered.
func readCourse(t testing.TB, folder string) (p *reward.Program, events []reward.Event, outcomes []reward.Result) {
	t.Helper()
	t.Helper()
	c := casebook.ReadFolder(t, folder)
	readLines(t, filepath.Join(folder, "outcomes.jsonl"), func(line []byte) {
		outcomes = append(outcomes, readResult(t, line))
	})
	return c.Program, c.Events, outcomes
}

func readCaseOfTerms(t testing.TB, of, name string) conformanceCase {
	t.Helper()
	c := conformanceCase{Name: name}
	folder := filepath.Join(of, name)
	c.Program, c.Events, c.Outcomes = readCourse(t, folder)
	if len(c.Events) != len(c.Outcomes) {
		t.Fatalf("case %s: %d events but %d outcomes", name, len(c.Events), len(c.Outcomes))
	}
	text, err := os.ReadFile(filepath.Join(folder, "expected.json"))
	noError(t, err)
	var final struct{ Accounts []naiveState }
	noError(t, json.Unmarshal(text, &final))
	c.Final = final.Accounts
	for i := range c.Final {
		c.Final[i].Reservations = "[]" // none of the cases has any
	}
	return c
}

// TestNaiveModelMeetsTheCasesOfTerms holds the model to the cases of docs/terms.md.
func TestNaiveModelMeetsTheCasesOfTerms(t *testing.T) {
	for _, c := range termsCases(t) {
		t.Run(c.Name, func(t *testing.T) { modelMeets(t, c) })
	}
}

func modelMeets(t *testing.T, c conformanceCase) {
	model := newNaive(c.Program)
	for i := range c.Events {
		if got, want := model.apply(&c.Events[i]), c.Outcomes[i]; got != want {
			t.Errorf("event %s (%s): %v %v, want %v %v", c.Events[i].ID, c.Events[i].Type, got.Outcome, got.Code, want.Outcome, want.Code)
		}
	}
	model.advance(casesEnd)
	compareStates(t, model.state(), c.Final)
}

// TestEngineMeetsTheCasesOfTerms plays them through the engine.
func TestEngineMeetsTheCasesOfTerms(t *testing.T) {
	for _, c := range termsCases(t) {
		t.Run(c.Name, func(t *testing.T) { engineMeets(t, c) })
	}
}

func engineMeets(t *testing.T, c conformanceCase) {
	subject := newReal(c.Program)
	for i := range c.Events {
		if got := subject.apply(t, c.Events[i]); got != c.Outcomes[i] {
			t.Fatalf("event %d %+v: %v, expected %v", i, c.Events[i], got, c.Outcomes[i])
		}
	}
	subject.advance(t, casesEnd)
	compareStates(t, subject.state(), c.Final)
	subject.check(t)
}
