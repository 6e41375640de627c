package measure

import (
	"context"
	"net/http/httptest"
	"time"

	"recoup/internal/accuracy/foreign"
	"recoup/internal/issuer"
	"recoup/internal/probe"
	"recoup/internal/probe/adapter"
	"recoup/reward"
)

// mostProbe is how long a probe of one design may take, which is a few seconds where nothing else
// is at work.
const mostProbe = 20 * time.Minute

// probed has the prober examine a design that answers over HTTP, with its terms given or,
// where there is no program, to be found out.
func probed(ctx context.Context, d *foreign.Design, p *reward.Program) (*Said, error) {
	sandbox := adapter.Handler(func() issuer.Issuer { return newNightly(d.New()) }, adapter.Of(d.New(), d.Currency))
	server := httptest.NewServer(sandbox)
	defer server.Close()
	bounded, cancel := context.WithTimeout(ctx, mostProbe)
	defer cancel()
	said := &Said{Tool: Probe, Given: p != nil}
	err := guarded(func() error {
		client, err := probe.Connect(bounded, server.URL, probe.Options{
			Rate: 1_000_000, Backoff: time.Millisecond, Retries: 20, Replays: 50,
			// Balances here are never late; the machine may be.
			Settle: probe.Settle{Bound: 3 * time.Second, Quiet: time.Millisecond},
		})
		if err != nil {
			return err
		}
		r, err := probe.Run(bounded, client.Target(), probe.Plan{Program: p})
		if err != nil {
			return err
		}
		said.Class, said.Words = r.Class, r.Verdict()
		if r.Found() {
			said.Exit = 1
		}
		for _, g := range r.Own() {
			said.Findings = append(said.Findings, g.Row)
		}
		for i := range r.Losses {
			l := &r.Losses[i]
			if l.Exposure {
				said.Exposed = max(said.Exposed, l.Round)
			} else {
				said.Leak = max(said.Leak, l.Round)
			}
		}
		return nil
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		said.Exit, said.Words = exitOf(err), err.Error()
	}
	return said, nil
}
