package scenario

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"recoup/reward"
)

// Scenario is one course of events with what must come of it.
type Scenario struct {
	// File is what errors call the file; Name is its base name without ".txt".
	File, Name string
	Title      string
	// Shows lists the flaws, assumptions or sections at stake, such as "V1",
	// "G4", "M12" or "A5".
	Shows []string
	// About is the file's opening comment, with its line breaks.
	About string
	// Program is what Recoup is played with. Other designs take its rules and
	// its currency only, which is what an issuer publishes.
	Program *reward.Program
	Steps   []Step
}

// Step is one move and what is expected after it.
type Step struct {
	Line   int       // in the file, from one
	At     time.Time // when it reaches the issuer, UTC
	Text   string    // the move as the file has it
	Move   Move
	Expect []Expectation
}

// Designs returns the designs that the scenario has expectations of, Recoup
// first if it is among them, the others sorted.
func (s *Scenario) Designs() []string {
	var names []string
	for _, step := range s.Steps {
		for _, e := range step.Expect {
			if !slices.Contains(names, e.Design) {
				names = append(names, e.Design)
			}
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if (a == Recoup) != (b == Recoup) {
			if a == Recoup {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return names
}

//go:embed files/*.txt
var files embed.FS

// Catalogue returns every scenario that comes with Recoup, by name. Each call
// reads them afresh, so that the caller may do as it likes with them.
func Catalogue() []*Scenario {
	entries, err := files.ReadDir("files")
	if err != nil {
		panic("scenario: " + err.Error())
	}
	all := make([]*Scenario, 0, len(entries))
	for _, entry := range entries {
		all = append(all, embedded(entry.Name()))
	}
	return all
}

// Find returns the scenario of the catalogue with that name.
func Find(name string) (*Scenario, error) {
	if !isWord(name) {
		return nil, fmt.Errorf("scenario %q: expected the name of one, such as case-1-double-dip", name)
	}
	if _, err := files.ReadFile("files/" + name + ".txt"); err != nil {
		return nil, fmt.Errorf("scenario %q: there is none of that name in the catalogue", name)
	}
	return embedded(name + ".txt"), nil
}

// embedded reads a file of the catalogue. That they all parse is part of the
// build: one that does not is a defect of this package.
func embedded(base string) *Scenario {
	text, err := files.ReadFile(path.Join("files", base))
	if err != nil {
		panic("scenario: " + err.Error())
	}
	s, err := Parse(base, text)
	if err != nil {
		panic("scenario: " + err.Error())
	}
	return s
}
