package reward_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"recoup/internal/kit/casebook"
	"recoup/reward"
)

// compareEnd holds a state against what a case says of it.
func compareEnd(t testing.TB, who string, s naiveState, end []string) {
	t.Helper()
	figures := map[string]int64{"reward": s.NetReward, "held": s.Held, "available": s.Available}
	for _, l := range s.Transactions {
		figures["kept "+l.ID] = l.Retained
	}
	var tiers, want []string
	for _, x := range s.Tiers {
		level := "-"
		if x.Level != nil {
			level = *x.Level
		}
		tiers = append(tiers, fmt.Sprintf("tier %s %s %d %s", x.Tier, x.Period, x.Spend, level))
	}
	for _, line := range end {
		if strings.HasPrefix(line, "tier ") {
			want = append(want, line)
			continue
		}
		name, text, _ := strings.Cut(line, " ")
		if name == "kept" {
			var id string
			id, text, _ = strings.Cut(text, " ")
			name += " " + id
		}
		figure, known := figures[name]
		if number, err := strconv.ParseInt(text, 10, 64); err != nil || !known || figure != number {
			t.Errorf("%s: %s is %d, expected %s", who, name, figure, text)
		}
	}
	for _, line := range want {
		if !strings.Contains(strings.Join(tiers, "\n")+"\n", line+"\n") {
			t.Errorf("%s: no %q in %q", who, line, tiers)
		}
	}
}

// TestTierCases plays them through the engine, the model, and an account that is put away
// after each event.
func TestTierCases(t *testing.T) {
	files, err := filepath.Glob("../testdata/cases-tiers/*.txt")
	noError(t, err)
	if len(files) != 34 {
		t.Fatalf("%d cases of tiers, expected 34", len(files))
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			c := casebook.ReadText(t, path)
			model, subject := newNaive(c.Program), newReal(c.Program)
			shelf := &cupboard{parts: make(map[place]reward.Part)}
			for n, line := range c.Trace {
				e, denied := c.Event(t, n)
				if got := model.apply(&e); (got.Outcome == reward.Rejected) != denied {
					t.Fatalf("the model: %s: %v %v", line, got.Outcome, got.Code)
				}
				if got := subject.apply(t, e); (got.Outcome == reward.Rejected) != denied {
					t.Fatalf("the engine: %s: %v %v", line, got.Outcome, got.Code)
				}
				a := shelf.open(t, "a", c.Program)
				a.Apply(&e, nil)
				shelf.put(a)
				if got, want := shelf.open(t, "a", c.Program).Holds(), subject.store.Account("a").Holds(); !slices.Equal(got, want) {
					t.Errorf("%s: from the shelf is held %+v, at hand %+v", line, got, want)
				}
			}
			subject.check(t)
			for _, v := range shelf.open(t, "a", c.Program).Check() {
				t.Errorf("from the shelf: %v", v)
			}
			compareEnd(t, "the model", model.state()[0], c.End)
			compareEnd(t, "the engine", subject.state()[0], c.End)
		})
	}
}
