package scenario_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"recoup/internal/scenario"
)

// whole is both shelves of the catalogue.
func whole() []*scenario.Scenario { return append(scenario.Catalogue(), scenario.Terms()...) }

func TestEveryFileOfTheCatalogueExplainsItself(t *testing.T) {
	for _, s := range whole() {
		t.Run(s.Name, func(t *testing.T) {
			if s.About == "" {
				t.Error("no comment at the top")
			}
			if s.Title == "" {
				t.Error("no title")
			}
			if len(s.Shows) == 0 {
				t.Error("shows nothing")
			}
			for _, label := range s.Shows {
				if !slices.Contains(labels(), label) {
					t.Errorf("shows %q: expected a class, row, assumption, invariant, algorithm or lemma", label)
				}
			}
		})
	}
}

// labels are what a scenario of the catalogue can show.
func labels() []string {
	all := []string{"V1", "V2", "V3", "V3(a)", "V3(b)", "RI", "RRC"}
	for prefix, last := range map[string]int{"G": 13, "M": 23, "T": len(scenario.Terms()), "A": 5, "Algorithm ": 4, "Lemma ": 3} {
		for i := range last {
			all = append(all, fmt.Sprint(prefix, i+1))
		}
	}
	return all
}

func TestTheCatalogueCoversEveryRow(t *testing.T) {
	shown := map[string]bool{}
	for _, s := range whole() {
		for _, label := range s.Shows {
			shown[label] = true
		}
	}
	for _, label := range labels() {
		if strings.Contains("VGMT", label[:1]) && !shown[label] {
			t.Errorf("no scenario shows %s", label)
		}
	}
}

// A scenario may go through a moment in which a correct program has more out
// than it should, because news is on its way; it must not end in one.
func TestEveryScenarioEndsWithoutALeak(t *testing.T) {
	for _, s := range whole() {
		last := s.Steps[len(s.Steps)-1]
		if !slices.ContainsFunc(last.Expect, func(e scenario.Expectation) bool {
			return e.Design == scenario.Recoup && e.Quantity == scenario.Leak && e.Amount == 0
		}) {
			t.Errorf("%s:%d: the last step does not expect a leak of 0", s.File, last.Line)
		}
	}
}

func TestTitlesTellScenariosApart(t *testing.T) {
	byTitle := map[string]string{}
	for _, s := range whole() {
		if other, taken := byTitle[s.Title]; taken {
			t.Errorf("%s and %s have the title %q", other, s.Name, s.Title)
		}
		byTitle[s.Title] = s.Name
	}
}

func TestFind(t *testing.T) {
	s, err := scenario.Find("walkthrough")
	if err != nil || s.Name != "walkthrough" {
		t.Errorf("Find(walkthrough) = %v, %v", s, err)
	}
	for name, want := range map[string]string{
		"no-such":   `scenario "no-such": there is none of that name in the catalogue`,
		"../secret": `scenario "../secret": there is none of that name in the catalogue`,
		"":          `scenario "": expected the name of one, such as case-1-double-dip`,
	} {
		if _, err := scenario.Find(name); err == nil || err.Error() != want {
			t.Errorf("Find(%q): %v, expected %s", name, err, want)
		}
	}
}
