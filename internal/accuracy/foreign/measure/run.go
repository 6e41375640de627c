// Package measure finds out how often the auditor and the prober are right about reward
// engines that nobody here wrote. Each design is played on the histories of package
// people, and again on the same histories without what was returned: the difference is
// what it really leaks, in money, whatever any tool or our own engine thinks of it. Both
// tools are then asked, by exports and over HTTP.
package measure

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"recoup/internal/accuracy/foreign"
	"recoup/internal/accuracy/foreign/people"
	"recoup/reward"
)

// Options say what is measured.
type Options struct {
	// Designs are what is tried; none: all of package foreign.
	Designs []foreign.Design
	// Tools are what is measured; none: both.
	Tools []Tool
	// People are the histories; the zero value: DefaultPeople.
	People people.Options
	// Progress, if not nil, is told how many designs are done, from several goroutines.
	Progress func(done int64)
}

// DefaultPeople are the histories of the tables: two years of buying.
var DefaultPeople = people.Options{Each: 12, Seed: 1, Days: 730}

// Quick are histories that tests can afford: fewer people, and a shorter time.
var Quick = people.Options{Each: 3, Seed: 1, Days: 500}

// WithDefaults fills in what is left out.
func (o Options) WithDefaults() Options {
	if len(o.Designs) == 0 {
		o.Designs = foreign.All()
	}
	if len(o.Tools) == 0 {
		o.Tools = []Tool{Audit, Probe}
	}
	if o.People == (people.Options{}) {
		o.People = DefaultPeople
	}
	return o
}

// Run measures.
func Run(ctx context.Context, o Options) (*Report, error) {
	o = o.WithDefaults()
	report := &Report{People: o.People, Tools: o.Tools, Rows: make([]Row, len(o.Designs))}
	history := people.Make(o.People)
	report.count(history)
	var done atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	processors := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range o.Designs {
		group.Go(func() error {
			row, err := measured(ctx, &o, &o.Designs[i], history, processors)
			if err != nil {
				return err
			}
			report.Rows[i] = *row
			if n := done.Add(1); o.Progress != nil {
				o.Progress(n)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return report, nil
}

// atOnce is how many designs are measured at the same time. A prober waits most of the
// time, for balances to rest; what works takes a processor.
const atOnce = 24

// measured is everything about one design.
func measured(ctx context.Context, o *Options, d *foreign.Design, h *people.History, processors chan struct{}) (*Row, error) {
	row := &Row{Design: d.Name, Class: d.Class, Currency: d.Currency}
	p, err := Published(d)
	if err != nil {
		return nil, err
	}
	processors <- struct{}{}
	err = row.play(ctx, o, d, p, h)
	<-processors
	if err != nil || !slices.Contains(o.Tools, Probe) {
		return row, err
	}
	asked := []*reward.Program{nil}
	if p != nil {
		asked = append(asked, p)
	}
	for _, given := range asked {
		said, err := probed(ctx, d, given)
		if err != nil {
			return nil, fmt.Errorf("%s: probe: %w", d.Name, err)
		}
		row.Said = append(row.Said, *said)
	}
	return row, nil
}

// play plays the history, works the truth out, and has the exports audited.
func (r *Row) play(ctx context.Context, o *Options, d *foreign.Design, p *reward.Program, h *people.History) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	real, err := play(d, h)
	if err != nil {
		return err
	}
	truth, err := truthOf(d, real)
	if err != nil {
		return fmt.Errorf("%s: %w", d.Name, err)
	}
	r.Truth, r.Refused, r.FirstRefused = *truth, real.refused, real.first
	if p == nil {
		return nil
	}
	if r.Terms, err = termsOf(p, h, truth); err != nil {
		return fmt.Errorf("%s: %w", d.Name, err)
	}
	if !slices.Contains(o.Tools, Audit) {
		return nil
	}
	said, err := audited(ctx, d, p, real, truth)
	if err != nil {
		return fmt.Errorf("%s: audit: %w", d.Name, err)
	}
	r.Said = append(r.Said, *said)
	return nil
}

// Terms say how well a design's terms can be stated as a program: of so many accounts
// that return nothing, on how many the reward engine grants what the design does.
type Terms struct {
	Same int `json:"same"`
	Of   int `json:"of"`
	// Apart is Σ |design − engine|.
	Apart int64 `json:"apart"`
}

// Exact says whether the program is what the design promises.
func (t *Terms) Exact() bool { return t.Of > 0 && t.Same == t.Of }

func termsOf(p *reward.Program, h *people.History, truth *Truth) (*Terms, error) {
	t := &Terms{}
	for _, alone := range h.Kept().Apart() {
		engine, err := entitled(p, alone)
		if err != nil {
			return nil, fmt.Errorf("second opinion on %s: %w", alone.Accounts[0], err)
		}
		t.Of++
		if apart := engine - truth.promised[alone.Accounts[0]]; apart == 0 {
			t.Same++
		} else {
			t.Apart += max(apart, -apart)
		}
	}
	return t, nil
}
