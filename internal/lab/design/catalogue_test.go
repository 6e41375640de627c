package design_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"recoup/internal/kit/labtest"
	"recoup/internal/lab/design"
	"recoup/reward"
)

func TestFindDesign(t *testing.T) {
	for given, want := range map[string]string{
		"A": "A", "f": "F", "V3(a)": "V3(a)", "V3a": "V3(a)", "v3a": "V3(a)",
		"literal (STATEMENT)": "Literal (statement)", "literal-hybrid": "Literal (hybrid)",
		"recoup": "Recoup", "Recoup(mature)": "Recoup (mature)", "recoup rerate": "Recoup (rerate)",
	} {
		if d, err := design.Find(given); err != nil || d.Name != want {
			t.Errorf("Find(%q) is %q, %v, want %q", given, d.Name, err, want)
		}
	}
	for _, given := range []string{"", "G", "V3(b)", "Recoup (fast)"} {
		_, err := design.Find(given)
		if err == nil || !strings.Contains(err.Error(), "A, B, C") || !strings.Contains(err.Error(), "Recoup (mature)") {
			t.Errorf("Find(%q): %v, expected the names that there are", given, err)
		}
	}
}

func TestAllDesignsCanBeFoundByTheirNames(t *testing.T) {
	for _, d := range design.All() {
		found, err := design.Find(d.Name)
		if err != nil || found.Name != d.Name {
			t.Errorf("Find(%q) is %q, %v", d.Name, found.Name, err)
		}
		if d.Title == "" || d.Source == "" {
			t.Errorf("%s: title %q, source %q: expected both", d.Name, d.Title, d.Source)
		}
	}
}

// The configurations are what their names say, whatever the program says; only
// "Recoup" is the program. That which they do not set stays the program's.
// Whoever writes "expect at …" in a scenario finds the names where its language is.
func TestTheLanguageOfScenariosNamesTheDesigns(t *testing.T) {
	source, err := os.ReadFile("../../scenario/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(strings.ReplaceAll(string(source), "//", "")), " ")
	for _, d := range design.All() {
		said := d.Name
		switch {
		case len(said) == 1 && "A" <= said && said <= "F":
			said = "the issuers A to F"
		case strings.Contains(said, " "):
			said = strconv.Quote(said)
		}
		if !strings.Contains(text, said) {
			t.Errorf("internal/scenario/doc.go does not name the design %s", d.Name)
		}
	}
}

func TestConfigurationsOfRecoup(t *testing.T) {
	program := labtest.Everyday()
	program.Timing = reward.Timing{Grant: reward.GrantAtStatement, Clawback: reward.ClawbackAtRefund}
	program.MaturityDays = 5
	program.Redemption.MinimumBalance = 1_00
	given := *program
	given.Rules = slices.Clone(program.Rules)

	bought := []step{open("2026-01-05"), grocery("t1", 1000_00), grocery("t2", 1000_00)}
	for name, after := range map[string][]step{
		"Recoup (instant)": {shows(50_00, 49_00), refund("r1", 1000_00, "t1"), shows(0, 0)},
		"Recoup (statement)": {shows(0, 0), on("2026-02-01"), shows(50_00, 49_00),
			refund("r1", 1000_00, "t1"), shows(50_00, 0), on("2026-03-01"), shows(0, 0)},
		"Recoup (rerate)": {shows(50_00, 49_00), refund("r1", 1000_00, "t1"), shows(50_00, 49_00)},
		"Recoup (mature)": {shows(50_00, 0), on("2026-02-03"), shows(50_00, 0), on("2026-02-04"), shows(50_00, 49_00),
			refund("r1", 1000_00, "t1"), shows(0, 0)},
		"Recoup": {shows(0, 0), on("2026-02-01"), shows(50_00, 49_00), refund("r1", 1000_00, "t1"), shows(0, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := design.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			trace(t, d.New(program), slices.Concat(bought, after)...)
		})
	}
	if program.Timing != given.Timing || program.MaturityDays != given.MaturityDays || program.Method != given.Method {
		t.Errorf("the program itself was changed to %+v", program)
	}
}
