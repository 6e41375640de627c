package measure_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"recoup/internal/accuracy/foreign"
	"recoup/internal/accuracy/foreign/measure"
)

var update = flag.Bool("update", false, "write rows/audit.txt and rows/probe.txt anew, with RECOUP_LONG=1")

// What the auditor got right about the designs of others on few customers it gets right
// still; of every eighth design, where there is no time for all.
func TestAuditRows(t *testing.T) { keepRows(t, measure.Audit, some(8, 2)) }

// So does the prober; of every sixteenth, and none that the auditor is asked about.
func TestProbeRows(t *testing.T) { keepRows(t, measure.Probe, some(16, 1)) }

// some is one of so many designs, from one of them on, or all where there is time.
func some(of, from int) (list []foreign.Design) {
	for i, d := range foreign.All() {
		if i%of == from || os.Getenv("RECOUP_LONG") != "" {
			list = append(list, d)
		}
	}
	return list
}

// keepRows holds what a tool says of designs against the kept list.
func keepRows(t *testing.T, tool measure.Tool, list []foreign.Design) {
	if testing.Short() {
		t.Skip("plays the designs of others and asks a tool about each")
	}
	r := asked(t, tool, list)
	file := fmt.Sprintf("rows/%s.txt", tool)
	now := rowsOf(r)
	if *update {
		if os.Getenv("RECOUP_LONG") == "" {
			t.Fatal("the kept list has all designs: write it anew with RECOUP_LONG=1")
		}
		if err := os.WriteFile(file, []byte(strings.Join(now, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	was := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, what, _ := strings.Cut(strings.TrimSpace(line), ": ")
		was[name] = what
	}
	for _, line := range now {
		name, what, _ := strings.Cut(line, ": ")
		before, known := was[name]
		switch {
		case !known:
			t.Errorf("%s has no row %q: go test ./internal/accuracy/foreign/measure -update, with RECOUP_LONG=1", file, name)
		case strings.HasPrefix(before, "right") && !strings.HasPrefix(what, "right"):
			t.Errorf("%s: %s; the kept list has it %s", name, what, before)
		case before != what:
			t.Logf("%s: %s; the kept list has it %s, and may be written anew", name, what, before)
		}
	}
}

// asked is the report of a tool about designs on few customers; of the auditor the same
// for all tests.
func asked(t *testing.T, tool measure.Tool, list []foreign.Design) *measure.Report {
	t.Helper()
	if tool == measure.Audit && auditsReport != nil {
		return auditsReport
	}
	r, err := measure.Run(t.Context(), measure.Options{Designs: list, Tools: []measure.Tool{tool}, People: measure.Quick})
	if err != nil {
		t.Fatal(err)
	}
	if tool == measure.Audit {
		auditsReport = r
	}
	return r
}

var auditsReport *measure.Report

// rowsOf are the rows of a report as the kept lists have them.
func rowsOf(r *measure.Report) (lines []string) {
	for i := range r.Rows {
		row := &r.Rows[i]
		for k := range row.Said {
			s := &row.Said[k]
			terms, right := "found out", "wrong"
			if s.Given {
				terms = "given"
			}
			if s.Right(row.Class) {
				right = "right"
			}
			lines = append(lines, fmt.Sprintf("%s, terms %s: %s, %s is said to be %q, exit code %d", row.Design, terms, right, row.Class, s.Class, s.Exit))
		}
	}
	return lines
}

// contradicted are the designs of which the money says otherwise than who wrote them.
// Five that are said to be sound give away the reward of a return that names no purchase, once the purchase that it
// was put to is returned by its name; the sixth never takes a grant back but refuses to pay
// it out, and what is kept is reckoned by grants. Three of the newest, and five of the
// latest, give away what is returned without a name likewise, and one keeps its debts outside of its ledger, so that
// they are not reckoned. So do the two blind and the three canal ones. garnet-evergreen is flawed, and what it
// gives is time: points that returns keep from expiring. The money reckons what is granted, expired or not, and of that
// nobody can keep too much there.
// docs/accuracy.md has more of it.
var contradicted = []string{
	"later-capped-month", "later-high-water", "later-return-reserve", "later-earmark", "later-whole-dollar", "later-anniversary",
	"newest-anniversary-divi", "newest-stamp-sheet", "newest-kaede", "newest-market",
	"latest-year-certificate", "latest-tuesday-points", "latest-minimum-month", "latest-six-drips", "latest-top-category",
	"blind-quay", "blind-merlion", "canal-alp-punkte", "canal-fjord-coop", "canal-taimatsu-depato", "garnet-evergreen",
}

// unsaid are those whose terms the language cannot say.
var unsaid = []string{"newest-top-category-month"}

// The money and the word of who wrote a design agree but for those, and the terms of a third
// can be stated to the unit, and of most but for rounding: what the design grants who returns nothing is what the program
// says.
func TestDesigns(t *testing.T) {
	if testing.Short() {
		t.Skip("plays the designs of others")
	}
	r := asked(t, measure.Audit, some(8, 2))
	exact := 0
	for i := range r.Rows {
		row := &r.Rows[i]
		if known := slices.Contains(contradicted, row.Design); row.Agrees() == known {
			t.Errorf("%s is said to be %s, known to be contradicted by the money: %t, and is not so: %+v", row.Design, row.Class, known, row.Truth)
		}
		switch {
		case (row.Terms == nil) != slices.Contains(unsaid, row.Design):
			t.Errorf("%s has a program file: %t", row.Design, row.Terms != nil)
		case row.Terms == nil:
		case row.Terms.Exact():
			exact++
		}
	}
	if exact*3 < len(r.Rows) {
		t.Errorf("the terms of %d of %d designs can be stated to the unit: expected a third or more", exact, len(r.Rows))
	}
}
