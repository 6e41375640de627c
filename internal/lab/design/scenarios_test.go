package design_test

import (
	"testing"

	"recoup/internal/lab/design"
	"recoup/internal/scenario"
)

// whole is both shelves of the catalogue.
func whole() []*scenario.Scenario { return append(scenario.Catalogue(), scenario.Terms()...) }

// Recoup, playing each scenario's program as it stands, does all that the file
// says of a correct program, and ends with nobody above their entitlement.
func TestRecoupPassesTheWholeCatalogue(t *testing.T) {
	for _, s := range whole() {
		t.Run(s.Name, func(t *testing.T) {
			recoup := design.NewRecoup(s.Program)
			transcript, err := scenario.Play(s, recoup)
			if err != nil {
				t.Fatal(err)
			}
			for _, violation := range design.Violations(recoup) {
				t.Error(violation)
			}
			for _, mismatch := range scenario.Check(transcript, scenario.Recoup) {
				t.Error(mismatch)
			}
			if leak := transcript.Last().Leak(); leak != 0 {
				t.Errorf("%s ends with a leak of %d", s.File, leak)
			}
			for _, line := range transcript.Lines {
				if line.NoSuchPath {
					t.Errorf("%s:%d: Recoup has no path for %s", s.File, line.Step.Line, line.Step.Text)
				}
			}
		})
	}
}

// What the files say of other designs comes true of the models behind the port.
func TestDesignsDoWhatTheCatalogueSays(t *testing.T) {
	for _, s := range whole() {
		for _, name := range s.Designs() {
			t.Run(s.Name+"/"+name, func(t *testing.T) {
				design, err := design.Find(name)
				if err != nil {
					t.Fatalf("%s: %v", s.File, err)
				}
				transcript, err := scenario.Play(s, design.New(s.Program))
				if err != nil {
					t.Fatal(err)
				}
				for _, mismatch := range scenario.Check(transcript, name) {
					t.Error(mismatch)
				}
			})
		}
	}
}

// However Recoup is configured, the facts of a scenario leave nobody above their
// entitlement once everything that was deferred is posted.
func TestEveryConfigurationOfRecoupEndsWithoutALeak(t *testing.T) {
	for _, design := range design.All()[len(design.Others()):] {
		for _, s := range scenario.Catalogue() {
			t.Run(design.Name+"/"+s.Name, func(t *testing.T) {
				last := s.Steps[len(s.Steps)-1].At
				twoClosesLater := *s
				for months := range 2 {
					at := last.AddDate(0, months+1, -last.Day()+1)
					twoClosesLater.Steps = append(twoClosesLater.Steps, scenario.Step{At: at, Move: scenario.Move{Kind: scenario.CloseStatement}})
				}
				transcript, err := scenario.Play(&twoClosesLater, design.New(s.Program))
				if err != nil {
					t.Fatal(err)
				}
				if end := transcript.Last(); end.Leak() != 0 {
					t.Errorf("net reward %d, entitlement %d", end.NetReward(), end.Entitlement)
				}
			})
		}
	}
}
