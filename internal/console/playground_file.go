package console

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"recoup/internal/console/locale"
	"recoup/internal/console/play"
	"recoup/internal/scenario"
)

// maxScenario is how large a scenario file may be that somebody pastes, in bytes. The
// longest run takes a tenth of it.
const maxScenario = 64 << 10

// scenarioName is what a scenario that was pasted is called in messages.
const scenarioName = "scenario"

// downloadScenario answers with the run in the address as a scenario file.
func (c *Console) downloadScenario(v *visit) error {
	r, err := play.Parse(playgroundQuery(v.r))
	if err != nil {
		return v.brokenRun(err)
	}
	file, err := scenarioFile(v.ctx(), v.locale, r)
	if err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="playground.txt"`)
	_, err = v.w.Write(file)
	if err != nil {
		c.log.DebugContext(v.ctx(), "a scenario was not read to its end", "error", err)
	}
	return nil
}

// scenarioFile writes all of a run as a scenario, which expects at its end what both
// designs made of it. So whoever plays the file elsewhere finds the same, or learns
// that it is not.
func scenarioFile(ctx context.Context, l *locale.Locale, r play.Run) ([]byte, error) {
	r.At = len(r.Moves)
	s, err := r.Scenario(ctx)
	if err != nil {
		return nil, err
	}
	t, err := play.Play(ctx, r, l)
	if err != nil {
		return nil, err
	}
	end := &t.Rows[len(t.Rows)-1]
	last := &s.Steps[len(s.Steps)-1]
	for _, side := range []struct {
		design string
		cell   *play.Cell
	}{{r.Left, &end.Left}, {r.Right, &end.Right}} {
		for _, e := range []scenario.Expectation{
			{Quantity: scenario.Balance, Amount: side.cell.Balance},
			{Quantity: scenario.Redeemed, Amount: side.cell.Redeemed},
		} {
			e.Design = side.design
			last.Expect = append(last.Expect, e)
		}
		if r.Left == r.Right {
			break
		}
	}
	return scenario.Format(s), nil
}

// loadScenario leads to the run that a scenario file is, or shows the file again
// with what is wrong with it, beside the run that was there.
func (c *Console) loadScenario(v *visit) error {
	text := v.r.PostForm.Get("scenario")
	problem := &playgroundProblem{Pasted: text}
	r, err := readScenario(text)
	if err == nil {
		http.Redirect(v.w, v.r, runPath(r)+"#stage", http.StatusSeeOther)
		return nil
	}
	problem.Scenario = err.Error()
	if len(text) > maxScenario {
		problem.Pasted = ""
	}
	return v.showPlayground(http.StatusUnprocessableEntity, runBefore(v.r.PostForm.Get("run")), problem)
}

func readScenario(text string) (play.Run, error) {
	if len(text) > maxScenario {
		return play.Run{}, fmt.Errorf("the file has %d bytes: expected at most %d", len(text), maxScenario)
	}
	s, err := scenario.Parse(scenarioName, []byte(text))
	if err != nil {
		return play.Run{}, err
	}
	return play.FromScenario(s)
}

// runBefore is the run that somebody was at, where the form says so.
func runBefore(query string) play.Run {
	if values, err := url.ParseQuery(query); err == nil && len(values) > 0 {
		if r, err := play.Parse(values); err == nil {
			return r
		}
	}
	return opening()
}
