package reward_test

import (
	"os"
	"testing"
)

// itemsFolder has the cases of docs/semantics.md, section 11, each worked by hand.
const itemsFolder = "../testdata/cases-items"

func itemsCases(t testing.TB) []conformanceCase {
	t.Helper()
	entries, err := os.ReadDir(itemsFolder)
	noError(t, err)
	var cases []conformanceCase
	for _, entry := range entries {
		cases = append(cases, readCaseOfTerms(t, itemsFolder, entry.Name()))
	}
	if len(cases) != 31 {
		t.Fatalf("%d cases in %s, want 31", len(cases), itemsFolder)
	}
	return cases
}

// TestNaiveModelMeetsTheCasesOfItems holds the model to the cases of line items.
func TestNaiveModelMeetsTheCasesOfItems(t *testing.T) {
	for _, c := range itemsCases(t) {
		t.Run(c.Name, func(t *testing.T) { modelMeets(t, c) })
	}
}

// TestEngineMeetsTheCasesOfItems plays them through the engine.
func TestEngineMeetsTheCasesOfItems(t *testing.T) {
	for _, c := range itemsCases(t) {
		t.Run(c.Name, func(t *testing.T) { engineMeets(t, c) })
	}
}
