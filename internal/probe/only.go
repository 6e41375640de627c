package probe

import (
	"context"
	"fmt"

	"recoup/internal/lab/design"
	"recoup/internal/scenario"
)

// Comparison is one scenario played exactly as its file has it, with what Recoup
// does under the file's program beside it.
type Comparison struct {
	Target   string      `json:"target"`
	Scenario string      `json:"scenario"`
	Title    string      `json:"title"`
	Currency string      `json:"currency"`
	Trace    []TraceStep `json:"trace"`
	// Mismatches are what the file expects of a correct program and the target does
	// not do.
	Mismatches []string `json:"mismatches,omitempty"`
	// Clockless: the target has no clock, so that whatever it does after some time
	// did not happen.
	Clockless bool  `json:"clockless,omitzero"`
	Calls     Calls `json:"calls"`
}

// Only plays one scenario, exactly as it is. Its expectations hold for a target
// with the program of the file.
func Only(ctx context.Context, t Target, s *scenario.Scenario, plan Plan) (*Comparison, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	if s.Program.Currency != t.Can.Currency {
		return nil, fmt.Errorf("%s: the scenario is in %s, and the target in %s", s.File, s.Program.Currency, t.Can.Currency)
	}
	r := &run{ctx: ctx, target: &t, plan: plan, stage: &stage{target: &t, most: mostRunCalls}, result: &Result{}}
	does := "plays the scenario " + s.Name
	if t.Reset != nil {
		does += ", and resets the sandbox before; every account that is there is forgotten"
	}
	r.warn(does, 4*len(s.Steps)+3)
	if err := r.ready(); err != nil {
		return nil, err
	}
	var got, want *scenario.Transcript
	_, err := again(func() error {
		years, err := r.stage.fresh(s.Steps[0].At)
		if err != nil {
			return err
		}
		moved := later(s, years)
		if want, err = scenario.Play(moved, design.NewRecoup(moved.Program)); err != nil {
			return err
		}
		got, err = scenario.Play(moved, r.stage)
		return err
	})
	if err != nil {
		return nil, err
	}
	c := &Comparison{Target: plan.Name, Scenario: s.Name, Title: s.Title, Currency: t.Can.Currency, Trace: traceOf(got, want), Clockless: !r.stage.hasClock()}
	for _, m := range scenario.Check(got, scenario.Recoup) {
		m.Design = "the target"
		c.Mismatches = append(c.Mismatches, m.String())
	}
	c.Calls = callsOf(&t)
	return c, nil
}
