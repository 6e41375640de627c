package accuracy

import (
	"cmp"
	"fmt"
	"slices"

	"recoup/internal/flaw"
)

// Report is how often the tools were right.
type Report struct {
	Seeds   int          `json:"seeds"`
	Designs int          `json:"designs"`
	Tools   []ToolReport `json:"tools"`
}

// ToolReport is about one tool. All figures are counts of trials.
type ToolReport struct {
	Tool   Tool  `json:"tool"`
	Trials int64 `json:"trials"`
	// Right classes, and those that were not enough to tell; all others are wrong.
	Right  int64       `json:"class_right"`
	Untold int64       `json:"class_not_enough_to_tell"`
	Matrix []MatrixRow `json:"confusion_matrix"`
	Flaws  []FlawCount `json:"flaws"`
	// Misses are in the order of the designs and seeds.
	Misses []Miss `json:"misses,omitempty"`
}

// classes in the order of the matrix.
var classes = []flaw.Class{flaw.V1, flaw.V2, flaw.V3a, flaw.V3b, flaw.Other, flaw.Robust}

// MatrixRow is what was said of all designs of one class.
type MatrixRow struct {
	Truth  flaw.Class           `json:"truth"`
	Found  map[flaw.Class]int64 `json:"found"`
	Untold int64                `json:"not_enough_to_tell"`
}

// FlawCount is about one flaw: a class as a finding, a gap, or another.
type FlawCount struct {
	Code  flaw.Code `json:"code"`
	Title string    `json:"title"`
	// Present counts the trials of designs that have the flaw, where the tool can see
	// it; the next four are what was said of it in them.
	Present    int64 `json:"present"`
	Hits       int64 `json:"found"`
	Occasional int64 `json:"occasional"`
	Missed     int64 `json:"not_found"`
	Untold     int64 `json:"not_enough_to_tell"`
	// Absent counts the trials of the other designs, FalseAlarms those in which it was
	// found all the same, and FalseOccasional those in which it was occasional.
	Absent          int64 `json:"absent"`
	FalseAlarms     int64 `json:"false_alarms"`
	FalseOccasional int64 `json:"false_occasional"`
}

// Miss is a wrong class, a class that could not be told, a flaw that was not found or
// found only occasionally, or one that was found and is not there. That a flaw had too
// few occasions to show is counted, and no miss.
type Miss struct {
	Design  string `json:"design"`
	Seed    uint64 `json:"seed"`
	Setting string `json:"setting"`
	// What is "class" or the code of a flaw.
	What  string `json:"what"`
	Truth string `json:"truth"`
	Found string `json:"found"`
	// By is what the finding rests on.
	By string `json:"by,omitempty"`
}

const (
	present = "present"
	absent  = "absent"
)

func newToolReport(tool Tool, trials []*Trial) *ToolReport {
	r := &ToolReport{Tool: tool, Trials: int64(len(trials))}
	for _, c := range classes {
		r.Matrix = append(r.Matrix, MatrixRow{Truth: c, Found: make(map[flaw.Class]int64)})
	}
	for _, f := range flaw.Catalogue() {
		r.Flaws = append(r.Flaws, FlawCount{Code: f.Code, Title: f.Title})
	}
	for _, t := range trials {
		r.addClass(t)
		for i := range r.Flaws {
			r.addFlaw(&r.Flaws[i], t)
		}
	}
	r.Matrix = slices.DeleteFunc(r.Matrix, func(m MatrixRow) bool { return len(m.Found) == 0 && m.Untold == 0 })
	r.Flaws = slices.DeleteFunc(r.Flaws, func(f FlawCount) bool { return f.Present == 0 && f.FalseAlarms == 0 && f.FalseOccasional == 0 })
	return r
}

func (r *ToolReport) addClass(t *Trial) {
	row := &r.Matrix[slices.Index(classes, t.Truth.Class)]
	switch t.Class {
	case "":
		row.Untold++
		r.Untold++
	default:
		row.Found[t.Class]++
	}
	if t.Class == t.Truth.Class {
		r.Right++
		return
	}
	r.miss(t, "class", string(t.Truth.Class), string(cmp.Or(t.Class, flaw.Class(CannotTell))), t.failure)
}

func (r *ToolReport) addFlaw(f *FlawCount, t *Trial) {
	if slices.Contains(t.open, f.Code) {
		return
	}
	said := t.of(f.Code)
	if !t.has(f.Code) {
		f.Absent++
		switch said.answer {
		case Yes:
			f.FalseAlarms++
			r.miss(t, string(f.Code), absent, string(Yes), said.by)
		case Sometimes:
			f.FalseOccasional++
		}
		return
	}
	f.Present++
	switch said.answer {
	case Yes:
		f.Hits++
		return
	case CannotTell:
		f.Untold++
		return
	case Sometimes:
		f.Occasional++
	case No:
		f.Missed++
	}
	r.miss(t, string(f.Code), present, string(said.answer), said.by)
}

func (r *ToolReport) miss(t *Trial, what, truth, found, by string) {
	r.Misses = append(r.Misses, Miss{Design: t.Design, Seed: t.Seed, Setting: t.Setting, What: what, Truth: truth, Found: found, By: by})
}

// recall is how many of the flaws that are there were found, and precision how many of
// those that were found are there; in words, since they are counts.
func (f *FlawCount) recall() string    { return fmt.Sprintf("%d of %d", f.Hits, f.Present) }
func (f *FlawCount) precision() string { return fmt.Sprintf("%d of %d", f.Hits, f.Hits+f.FalseAlarms) }
