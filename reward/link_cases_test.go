package reward_test

import (
	"os"
	"testing"
)

// linksFolder has the cases of docs/semantics.md, section 12, each worked by hand.
const linksFolder = "../testdata/cases-links"

func linksCases(t testing.TB) []conformanceCase {
	t.Helper()
	entries, err := os.ReadDir(linksFolder)
	noError(t, err)
	var cases []conformanceCase
	for _, entry := range entries {
		cases = append(cases, readCaseOfTerms(t, linksFolder, entry.Name()))
	}
	if len(cases) != 17 {
		t.Fatalf("%d cases in %s, want 17", len(cases), linksFolder)
	}
	return cases
}

// TestNaiveModelMeetsTheCasesOfLinks holds the model to the cases of guessed links and of
// money abroad.
func TestNaiveModelMeetsTheCasesOfLinks(t *testing.T) {
	for _, c := range linksCases(t) {
		t.Run(c.Name, func(t *testing.T) { modelMeets(t, c) })
	}
}

// TestEngineMeetsTheCasesOfLinks plays them through the engine.
func TestEngineMeetsTheCasesOfLinks(t *testing.T) {
	for _, c := range linksCases(t) {
		t.Run(c.Name, func(t *testing.T) { engineMeets(t, c) })
	}
}
