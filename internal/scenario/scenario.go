package scenario

import (
	"embed"
	"fmt"
	"io/fs"
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

//go:embed files/*.txt terms/*.txt
var files embed.FS

// The shelves of the catalogue.
const (
	everybodys = "files" // of plain programs, which any issuer can play
	ofTerms    = "terms" // of programs that few issuers can say
)

// Catalogue returns every scenario of a plain program that comes with Recoup, by name.
// Each call reads them afresh, so that the caller may do as it likes with them.
func Catalogue() []*Scenario { return shelf(everybodys) }

// Terms returns those of programs with other terms: steps, bonuses, tiers, items of a
// receipt, rewards that expire. An issuer whose design cannot say a program's terms opens
// no account, with issuer.ErrUnsupported.
func Terms() []*Scenario { return shelf(ofTerms) }

func shelf(folder string) []*Scenario {
	entries, err := files.ReadDir(folder)
	if err != nil {
		panic("scenario: " + err.Error())
	}
	all := make([]*Scenario, 0, len(entries))
	for _, entry := range entries {
		all = append(all, embedded(path.Join(folder, entry.Name())))
	}
	return all
}

// Find returns the scenario of the catalogue with that name.
func Find(name string) (*Scenario, error) {
	if !isWord(name) {
		return nil, fmt.Errorf("scenario %q: expected the name of one, such as case-1-double-dip", name)
	}
	for _, folder := range []string{everybodys, ofTerms} {
		if file := path.Join(folder, name+".txt"); fs.ValidPath(file) {
			if _, err := files.Open(file); err == nil {
				return embedded(file), nil
			}
		}
	}
	return nil, fmt.Errorf("scenario %q: there is none of that name in the catalogue", name)
}

// embedded reads a file of the catalogue. That they all parse is part of the
// build: one that does not is a defect of this package.
func embedded(file string) *Scenario {
	text, err := files.ReadFile(file)
	if err != nil {
		panic("scenario: " + err.Error())
	}
	s, err := Parse(path.Base(file), text)
	if err != nil {
		panic("scenario: " + err.Error())
	}
	return s
}
