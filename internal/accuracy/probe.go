package accuracy

import (
	"context"
	"fmt"
	"net/http/httptest"
	"time"

	"recoup/internal/flaw"
	"recoup/internal/issuer"
	"recoup/internal/lab/design"
	"recoup/internal/probe"
	"recoup/internal/probe/adapter"
)

// probed has the prober examine a design that answers over HTTP. A prober that gives up
// could not tell.
func probed(ctx context.Context, d design.Design, s *Setting) (*Trial, error) {
	t := newTrial(Probe, d, s)
	r, err := run(ctx, d, s)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		t.failure = err.Error()
	default:
		t.read(r)
	}
	return t, nil
}

// run runs the prober.
func run(ctx context.Context, d design.Design, s *Setting) (*probe.Result, error) {
	fresh := func() issuer.Issuer { return d.New(s.Program) }
	sandbox := adapter.Handler(fresh, adapter.Of(fresh(), s.Program.Currency))
	server := httptest.NewServer(s.Faults.Wrap(sandbox))
	defer server.Close()
	client, err := probe.Connect(ctx, server.URL, probe.Options{
		Rate: 1_000_000, Backoff: time.Millisecond, Retries: 20, Replays: 50,
		Settle: probe.Settle{Bound: 30 * time.Second, Quiet: 50 * time.Millisecond},
	})
	if err != nil {
		return nil, err
	}
	var plan probe.Plan
	if s.Given {
		plan.Program = s.published(d.Name)
	}
	return probe.Run(ctx, client.Target(), plan)
}

// read takes the prober's answers in.
func (t *Trial) read(r *probe.Result) {
	t.Class = r.Class
	if t.Class != "" {
		for _, c := range []flaw.Class{flaw.V1, flaw.V2, flaw.V3a, flaw.V3b} {
			a := No
			if c == r.Class {
				a = Yes
			}
			t.answer(flaw.CodeOf(c), a, "")
		}
	}
	for i := range r.Gaps {
		if g := &r.Gaps[i]; g.Row[0] != 'M' {
			t.answer(flaw.Code(g.Row), gapAnswer(g), gapWords(g))
		}
	}
}

// gapAnswer is what a row says. One that another flaw explains says nothing.
func gapAnswer(g *probe.Gap) Answer {
	switch {
	case g.Outcome == probe.Pass:
		return No
	case g.Outcome == probe.Fail && g.ExplainedBy == "":
		return Yes
	}
	return CannotTell
}

func gapWords(g *probe.Gap) string {
	switch {
	case g.ExplainedBy != "":
		return fmt.Sprintf("explained by %s", g.ExplainedBy)
	case g.Reason != "":
		return g.Reason
	}
	return string(g.Outcome)
}
