// Package gaps plays the scenarios that show where the algorithms of the paper's
// section 6, taken literally, fall short, at these and at Recoup. How two transcripts
// of a scenario are compared for a defect, others use too.
package gaps

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recoup/internal/lab/design"
	"recoup/internal/scenario"
	"recoup/reward"
)

// Table plays the scenarios that show where the paper's algorithms, taken
// literally, fall short (the rows G of docs/semantics.md, section 9) and attacks on
// delivery and matching that the paper does not consider (the rows M), against
// the literal algorithms and against Recoup. Amounts are in minor units.
type Table struct {
	Rows []Row `json:"rows"`
}

// Row is one row, with the scenarios of the catalogue that show it.
type Row struct {
	ID    string `json:"row"`
	Cases []Case `json:"cases"`
}

// Case is one scenario, at the moment at which the two are furthest apart or,
// if they still differ then, at the end.
type Case struct {
	Scenario string `json:"scenario"`
	Title    string `json:"title"`
	Currency string `json:"currency"`
	// Step is the move before that moment, as the scenario has it, and AtEnd
	// whether it is the last.
	Step  string `json:"step"`
	AtEnd bool   `json:"at_end"`
	// NetSpend is what was bought and kept by then, Entitlement what the published
	// terms promise on it.
	NetSpend    int64 `json:"net_spend"`
	Entitlement int64 `json:"entitlement"`
	// Literal is the design of the paper's algorithms with the program's timing.
	Literal string   `json:"literal"`
	Defect  Defect   `json:"defect"`
	Ends    Standing `json:"literal_standing"`
	Recoup  Standing `json:"recoup_standing"`
	// Mismatches are the things that Recoup, playing the program as it stands, did
	// otherwise than the scenario says. There should be none.
	Mismatches []string `json:"mismatches,omitempty"`
}

// Standing is an account at one issuer, at the moment of the case.
type Standing struct {
	NetReward int64 `json:"net_reward"`
	Balance   int64 `json:"balance"`
	PaidOut   int64 `json:"paid_out"`
	// States are those of the purchases (paper, figure "Transaction reward state
	// machine").
	States map[string]string `json:"states"`
}

// Defect is what is wrong at the literal algorithms. The zero Defect is none.
type Defect struct {
	Kind   DefectKind `json:"kind,omitempty"`
	Amount int64      `json:"amount,omitzero"`
	// NoPath lists the scenario's moves, up to then, that the algorithms have no
	// way to be told of.
	NoPath []string `json:"no_path,omitempty"`
}

// DefectKind says what a Defect's amount is.
type DefectKind string

// The kinds of defects, the worst first.
const (
	// Leaks: net reward above the entitlement.
	Leaks DefectKind = "leaks"
	// ShortPays: net reward that is due and that a correct program has granted.
	ShortPays DefectKind = "short-pays"
	// PaysOut: paid out although a correct program would not have. By the books
	// nothing is above the entitlement: it is owed now, or taken from what is left.
	PaysOut DefectKind = "pays out"
)

// Rows returns the rows of docs/semantics.md, section 9, in its order.
func Rows() []string { return slices.Clone(rows) }

var rows = []string{
	"G1", "G2", "G3", "G4", "G5", "G6", "G7", "G8", "G9", "G10", "G11", "G12", "G13",
	"M1", "M2", "M3", "M4", "M5", "M6", "M7", "M8", "M9", "M10", "M11", "M12", "M13", "M14",
	"M15", "M16", "M17", "M18", "M19", "M20", "M21", "M22", "M23",
}

// Play plays the catalogue's scenarios of all rows. A scenario that shows
// several rows is a case of the first that its file names. In each row come first
// those with a defect that are named after it, such as g03-refund-before-settlement.
func Play() (*Table, error) {
	gaps := &Table{}
	catalogue := scenario.Catalogue()
	for _, row := range rows {
		gap := Row{ID: row}
		for _, s := range catalogue {
			if RowOf(s) != row {
				continue
			}
			c, err := play(s)
			if err != nil {
				return nil, err
			}
			gap.Cases = append(gap.Cases, *c)
		}
		slices.SortStableFunc(gap.Cases, func(x, y Case) int { return cmp.Compare(x.rank(row), y.rank(row)) })
		gaps.Rows = append(gaps.Rows, gap)
	}
	return gaps, nil
}

// RowOf returns the first row that the scenario shows, "" for none.
func RowOf(s *scenario.Scenario) string {
	for _, shown := range s.Shows {
		if slices.Contains(rows, shown) {
			return shown
		}
	}
	return ""
}

// rank orders the cases of a row.
func (c *Case) rank(row string) int {
	number, _ := strconv.Atoi(row[1:])
	switch named := strings.HasPrefix(c.Scenario, fmt.Sprintf("%s%02d-", strings.ToLower(row[:1]), number)); {
	case named && c.Defect.Kind != "":
		return 0
	case named:
		return 1
	}
	return 2
}

// literalFor returns the name of the literal design that grants and claws back
// when the program does. A system that grants at the close takes refunds in then.
func literalFor(t reward.Timing) string {
	switch {
	case t.Grant == reward.GrantAtStatement:
		return "Literal (statement)"
	case t.Clawback == reward.ClawbackAtStatement:
		return "Literal (hybrid)"
	}
	return "Literal (instant)"
}

func play(s *scenario.Scenario) (*Case, error) {
	subject, err := design.Find(literalFor(s.Program.Timing))
	if err != nil {
		return nil, err
	}
	literal, err := scenario.Play(s, subject.New(s.Program))
	if err != nil {
		return nil, fmt.Errorf("design %s: %w", subject.Name, err)
	}
	ours, err := scenario.Play(s, design.NewRecoup(s.Program))
	if err != nil {
		return nil, fmt.Errorf("design Recoup: %w", err)
	}
	defect, at := FindDefect(literal, ours, func(_ DefectKind, _ int, amount int64) bool { return amount > 0 })
	step := &s.Steps[at]
	c := &Case{
		Scenario: s.Name, Title: s.Title, Currency: s.Program.Currency,
		Step: step.Text, AtEnd: at == len(s.Steps)-1, Entitlement: ours.Lines[at].Entitlement,
		Literal: subject.Name, Defect: defect,
	}
	for _, mismatch := range scenario.Check(ours, scenario.Recoup) {
		c.Mismatches = append(c.Mismatches, mismatch.String())
	}
	until := *s
	until.Steps = s.Steps[:at+1]
	if c.Ends, err = standing(subject.New(s.Program).(design.Recorder), &until); err != nil {
		return nil, fmt.Errorf("design %s: %w", subject.Name, err)
	}
	books := design.NewRecoup(s.Program).(*design.Recoup)
	if c.Recoup, err = standing(books, &until); err != nil {
		return nil, fmt.Errorf("design Recoup: %w", err)
	}
	c.NetSpend = books.NetSpend(s.Name)
	return c, nil
}

// standing plays a scenario and looks into the books at its end.
func standing(i design.Recorder, s *scenario.Scenario) (Standing, error) {
	transcript, err := scenario.Play(s, i)
	if err != nil {
		return Standing{}, err
	}
	last := transcript.Last()
	end := Standing{NetReward: last.NetReward(), Balance: last.Balance, PaidOut: last.Redeemed, States: map[string]string{}}
	for k := range s.Steps {
		if m := &s.Steps[k].Move; m.Kind == scenario.Settle {
			record, err := i.Record(s.Name, m.ID)
			if err != nil {
				return Standing{}, err
			}
			end.States[m.ID] = record.Status
		}
	}
	return end, nil
}

// FindDefect compares what a program made of a scenario with what Recoup did, and
// returns the step at which to tell it: the last one if the worst kind of defect
// still stands there, else the one at which it is largest. Only what Recoup does
// not do at the same step is a defect: where the program defers work to a close,
// so does Recoup. A difference at a step, in minor units, is taken for a defect
// if it counts.
func FindDefect(subject, recoup *scenario.Transcript, counts func(kind DefectKind, step int, amount int64) bool) (d Defect, at int) {
	measures := []struct {
		kind DefectKind
		of   func(l, r *scenario.Line) int64
	}{
		{Leaks, func(l, r *scenario.Line) int64 { return l.Leak() - r.Leak() }},
		{ShortPays, func(l, r *scenario.Line) int64 { return min(r.NetReward(), r.Entitlement) - l.NetReward() }},
		{PaysOut, func(l, r *scenario.Line) int64 { return l.Redeemed - r.Redeemed }},
	}
	last := len(subject.Lines) - 1
	at = last
	for i := 0; d.Kind == "" && i < len(measures); i++ {
		amount := func(k int) int64 { return measures[i].of(&subject.Lines[k], &recoup.Lines[k]) }
		if n := amount(last); counts(measures[i].kind, last, n) {
			d.Kind, d.Amount = measures[i].kind, n
			break
		}
		for k := range last {
			if n := amount(k); n > d.Amount && counts(measures[i].kind, k, n) {
				d.Kind, d.Amount, at = measures[i].kind, n, k
			}
		}
	}
	for k := range subject.Lines[:at+1] {
		if line := &subject.Lines[k]; line.NoSuchPath && !slices.Contains(d.NoPath, line.Step.Text) {
			d.NoPath = append(d.NoPath, line.Step.Text)
		}
	}
	return d, at
}
