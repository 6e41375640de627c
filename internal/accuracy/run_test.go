package accuracy_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"recoup/internal/accuracy"
	"recoup/internal/flaw"
	"recoup/internal/kit/tabular"
	"recoup/internal/lab/design"
	"recoup/internal/lab/export"
)

func designs(t *testing.T, names ...string) (list []design.Design) {
	t.Helper()
	for _, name := range names {
		d, err := design.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, d)
	}
	return list
}

// Both tools tell designs of three classes, on exports without noise and over HTTP,
// and say so again the second time.
func TestRun(t *testing.T) {
	t.Parallel()
	var most atomic.Int64
	o := accuracy.Options{Seeds: 1, Designs: designs(t, "A", "F", "Parts ignored"), Progress: func(done int64) { most.Store(max(most.Load(), done)) }}
	r, err := accuracy.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Tools) != 2 || r.Tools[0].Tool != accuracy.Audit || r.Tools[1].Tool != accuracy.Probe {
		t.Fatalf("tools %+v", r.Tools)
	}
	for _, tool := range r.Tools {
		if tool.Trials != 3 || tool.Right != 3 || tool.Untold != 0 {
			t.Errorf("%s: %d of %d right, %d not told; misses %+v", tool.Tool, tool.Right, tool.Trials, tool.Untold, tool.Misses)
		}
		for _, row := range tool.Matrix {
			if row.Found[row.Truth] != 1 || len(row.Found) != 1 {
				t.Errorf("%s: %s was found as %v", tool.Tool, row.Truth, row.Found)
			}
		}
		for _, f := range tool.Flaws {
			if f.Present != f.Hits+f.Occasional+f.Missed+f.Untold || f.Present+f.Absent > 3 || f.FalseAlarms > f.Absent {
				t.Errorf("%s: the counts of %s do not add up: %+v", tool.Tool, f.Code, f)
			}
			if f.Code == flaw.PartsIgnored && (f.Present != 1 || f.Hits != 1 || f.Absent != 2 || f.FalseAlarms != 0) {
				t.Errorf("%s: %+v", tool.Tool, f)
			}
		}
	}
	if most.Load() != o.Trials() || o.Trials() != 6 {
		t.Errorf("told of %d trials, of %d", most.Load(), o.Trials())
	}
	again, err := accuracy.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := text(t, again), text(t, r); got != want {
		t.Errorf("the second time:\n%s\nthe first time:\n%s", got, want)
	}
}

func text(t *testing.T, r *accuracy.Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := errors.Join(r.WriteTable(&out), tabular.WriteJSON(&out, r)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestRunRefuses(t *testing.T) {
	for _, seeds := range []int{-1, accuracy.MaxSeeds + 1} {
		if _, err := accuracy.Run(t.Context(), accuracy.Options{Seeds: seeds}); err == nil || !strings.Contains(err.Error(), "expected 1 to 1000") {
			t.Errorf("%d seeds: error %v", seeds, err)
		}
	}
}

// The settings differ in what matters, as often as they say.
func TestSettings(t *testing.T) {
	programs := map[string]int{}
	var noise, unnamedRefunds, unnamedRewards, given, faults int
	for seed := range uint64(20) {
		s := accuracy.NewSetting(seed + 1)
		if err := errors.Join(s.Traffic.Validate(), s.Export.Validate()); err != nil {
			t.Errorf("seed %d: %v", seed+1, err)
		}
		if s.Traffic.Accounts != 300 || s.Traffic.Events < 20_000 || s.Traffic.Events > 40_000 {
			t.Errorf("seed %d: %d accounts, %d events", seed+1, s.Traffic.Accounts, s.Traffic.Events)
		}
		programs[s.Program.ID]++
		for _, c := range []struct {
			count *int
			is    bool
		}{
			{&noise, s.Export.Noise != export.Noise{}}, {&unnamedRefunds, !s.Export.RefundLinks}, {&unnamedRewards, !s.Export.RewardLinks},
			{&given, s.Given}, {&faults, s.Faults.Failures == 20 && s.Faults.Latency > 0},
		} {
			if c.is {
				*c.count++
			}
		}
	}
	if got, want := fmt.Sprint(programs, noise, unnamedRefunds, unnamedRewards, given, faults), "map[everyday:4 flat:4 mature:4 rotating:4 travel:4] 10 3 5 10 10"; got != want {
		t.Errorf("settings %s, want %s", got, want)
	}
}

func report() *accuracy.Report {
	return &accuracy.Report{Seeds: 2, Designs: 1, Tools: []accuracy.ToolReport{{
		Tool: accuracy.Audit, Trials: 2, Right: 1,
		Matrix: []accuracy.MatrixRow{{Truth: flaw.V2, Found: map[flaw.Class]int64{flaw.V2: 1, flaw.V1: 1}}},
		Flaws:  []accuracy.FlawCount{{Code: flaw.G9, Title: "chargebacks are missed", Present: 2, Hits: 1, Untold: 1, Absent: 0}},
		Misses: []accuracy.Miss{
			{Design: "B", Seed: 1, Setting: "noise", What: "class", Truth: "V2", Found: "V1"},
			{Design: "B", Seed: 2, Setting: "noise", What: "class", Truth: "V2", Found: "V1", By: "3 of 9"},
		},
	}}}
}

// Figures go between the lines that mark them, and nothing else of a document changes.
func TestDocument(t *testing.T) {
	const (
		begin    = "<!-- figures of audit: written by recoup lab accuracy -->"
		end      = "<!-- end of the figures of audit -->"
		probe    = "<!-- figures of probe: written by recoup lab accuracy -->\nfigures of another run\n<!-- end of the figures of probe -->"
		settings = "<!-- figures of settings: written by recoup lab accuracy -->\nold settings\n<!-- end of the figures of settings -->"
	)
	first, err := report().Document([]byte("# Accuracy\n\n" + begin + "\nold figures\n" + end + "\n\nBy hand.\n" + probe + "\n\n" + settings + "\nThe end.\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := string(first)
	if !strings.HasPrefix(got, "# Accuracy\n\n"+begin+"\n") || !strings.Contains(got, "\n"+end+"\n\nBy hand.\n"+probe+"\n") ||
		!strings.HasSuffix(got, "\nThe end.\n") || strings.Contains(got, "old") {
		t.Errorf("the document is\n%s", got)
	}
	for _, want := range []string{
		"1 designs × 2 seeds: 1 of 2 classes right, 0 not enough to tell, 1 wrong.",
		"| V2 | 1 | 1 |  |  |  |  |  |", "| B | class | V2 | V1 | 1, 2 (3 of 9) |", "| 2 | 1 |  |  | 1 | 0 |  |  | 1 of 2 | 1 of 1 |", "| 1 | program flat",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if again, err := report().Document(first); err != nil || string(again) != got {
		t.Errorf("written again it is\n%s (%v)", again, err)
	}
	if fresh, err := report().Document(nil); err != nil || !strings.HasPrefix(string(fresh), begin) || !strings.Contains(string(fresh), end+"\n\n<!-- figures of settings") {
		t.Errorf("without a document it is\n%s (%v)", fresh, err)
	}
	auditor := accuracy.Options{Tools: []accuracy.Tool{accuracy.Audit}}
	for _, without := range []string{"no place" + settings, begin + " and no end" + settings, end + begin + settings} {
		if _, err := report().Document([]byte(without)); err == nil || !strings.Contains(err.Error(), "figures of audit") {
			t.Errorf("%q: error %v", without, err)
		}
		if err := auditor.CheckDocument([]byte(without)); err == nil || !strings.Contains(err.Error(), "figures of audit") {
			t.Errorf("%q: error %v", without, err)
		}
	}
	if err := auditor.CheckDocument(first); err != nil {
		t.Error(err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestAFullDiskIsAnError(t *testing.T) {
	if err := report().WriteTable(full{}); err == nil {
		t.Error("no error")
	}
}
