package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/kit/files"
	"recoup/internal/kit/progress"
	"recoup/internal/kit/tabular"
	"recoup/internal/probe"
	"recoup/internal/probe/present"
	"recoup/internal/scenario"
	"recoup/program"
)

// probing is what `recoup probe` was asked for.
type probing struct {
	target, program string
	output          string
	html, only      string
	openAPI, search bool
	quick           bool
	seed            uint64
	client          probe.Options
}

func probeCommand() *cobra.Command {
	p := probing{client: probe.Options{Rate: probe.DefaultRate}}
	cmd := &cobra.Command{
		Use:   "probe --target URL",
		Short: "Find out from a sandbox which flaws somebody else's reward program has, and what they cost",
		Long: "Probe buys, returns and redeems in the sandbox of a reward program, whose team has put a\n" +
			"small adapter in front of it (--openapi prints what it answers; examples/adapter is one),\n" +
			"and looks at balances and answers alone. It says which class of the paper the program is,\n" +
			"plays the scenarios of every gap under its terms, and shows what fails step by step.\n" +
			"Without --program, the terms are found out by purchases first. It ends with exit code 1 if\n" +
			"it finds something.\n\n" +
			"It moves test money and resets the sandbox, so it refuses hosts that are not loopback\n" +
			"unless --allow-host names them. A token is taken from " + probe.TokenVariable + ".",
		Example: "  recoup lab serve --issuer F --listen 127.0.0.1:9000 &\n  recoup probe --target http://127.0.0.1:9000 --html report.html",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&p.target, "target", "", "address of the adapter, such as http://127.0.0.1:9000")
	f.StringVarP(&p.program, "program", "p", "", "the published terms: a program file (YAML); without it they are found out")
	f.StringVar(&p.output, "output", "table", "table, json or sarif")
	f.StringVar(&p.html, "html", "", "write the result as a page, for people, to this file")
	f.StringVar(&p.only, "only", "", "play one scenario, of the catalogue or of a file, exactly as it is, beside Recoup")
	f.BoolVar(&p.quick, "quick", false, "the class and what leaks, without the catalogue's scenarios: about half of the calls")
	f.BoolVar(&p.search, "search", false, "also look for histories, by chance, that leave reward on what was returned")
	f.Uint64Var(&p.seed, "seed", 1, "seed of the search, above zero")
	f.IntVar(&p.client.Rate, "rate", p.client.Rate, "requests a second, at most")
	f.StringArrayVar(&p.client.AllowHosts, "allow-host", nil, "a host that may be probed although it is not loopback; may be given several times")
	f.DurationVar(&p.client.Timeout, "timeout", 10*time.Second, "how long one request may take")
	f.DurationVar(&p.client.Settle.Bound, "settle-bound", 5*time.Second, "how long a balance may take to come to rest")
	f.BoolVar(&p.openAPI, "openapi", false, "print what an adapter answers, as OpenAPI, and do no more")
	cmd.MarkFlagsOneRequired("target", "openapi")
	cmd.MarkFlagsMutuallyExclusive("target", "openapi")
	cmd.MarkFlagsMutuallyExclusive("only", "html")
	cmd.MarkFlagsMutuallyExclusive("only", "program")
	cmd.MarkFlagsMutuallyExclusive("only", "search")
	cmd.MarkFlagsMutuallyExclusive("only", "quick")
	return cmd
}

func (p *probing) run(cmd *cobra.Command) error {
	if p.openAPI {
		_, err := cmd.OutOrStdout().Write(probe.OpenAPI)
		return err
	}
	if err := p.check(); err != nil {
		return err
	}
	plan := probe.Plan{Name: p.target, Rate: p.client.Rate, Quick: p.quick, Log: cmd.ErrOrStderr()}
	if p.search {
		plan.Search = p.seed
	}
	var only *scenario.Scenario
	var err error
	if p.only != "" {
		if only, err = scenario.Load(p.only); err != nil {
			return err
		}
	}
	if p.program != "" {
		if plan.Program, err = program.Load(p.program); err != nil {
			return err
		}
	}
	out := &files.Outputs{Inputs: []string{p.program, p.only}}
	defer out.Discard()
	page, err := out.Create(p.html)
	if err != nil {
		return err
	}
	client, err := probe.Connect(cmd.Context(), p.target, p.client)
	if err != nil {
		return shown(err)
	}
	if only != nil {
		return p.compare(cmd, client, only, plan)
	}
	done := progress.Show("calls", progress.Units, plan.Calls(client.Capabilities()), func() int64 {
		s := client.Stats()
		return int64(s.Requests - s.Polls) // where balances show late, each takes many readings more
	})
	result, err := probe.Run(cmd.Context(), client.Target(), plan)
	done()
	if err != nil {
		return shown(err)
	}
	if page != nil {
		out := bufio.NewWriter(page)
		if err := errors.Join(present.WriteHTML(out, result), out.Flush()); err != nil {
			return err
		}
	}
	if err := p.print(cmd.OutOrStdout(), result); err != nil {
		return err
	}
	if err := out.Keep(); err != nil {
		return err
	}
	return foundGaps(result)
}

// print shows the result on standard output.
func (p *probing) print(stdout io.Writer, result *probe.Result) error {
	if p.output == "sarif" {
		return present.WriteSARIF(stdout, result)
	}
	return tabular.Format(p.output).Write(stdout,
		func(w io.Writer) error { return tabular.WriteJSON(w, result) },
		func(w io.Writer) error { return present.WriteTable(w, result) })
}

// check refuses what makes no sense, before anything is sent.
func (p *probing) check() error {
	switch {
	case p.output != "table" && p.output != "json" && (p.output != "sarif" || p.only != ""):
		return fmt.Errorf("--output %q: expected table, json or, without --only, sarif", p.output)
	case p.search && p.seed == 0:
		return errors.New("--seed 0: expected a seed above zero")
	case p.client.Rate < 1:
		return fmt.Errorf("--rate %d: expected at least one request a second", p.client.Rate)
	case p.client.Timeout <= 0:
		return fmt.Errorf("--timeout %v: expected a time above zero", p.client.Timeout)
	case p.client.Settle.Bound <= 0:
		return fmt.Errorf("--settle-bound %v: expected a time above zero", p.client.Settle.Bound)
	}
	p.client.Settle.Quiet = min(200*time.Millisecond, p.client.Settle.Bound/5)
	p.client.Token = os.Getenv(probe.TokenVariable)
	return nil
}

// compare plays one scenario.
func (p *probing) compare(cmd *cobra.Command, client *probe.Client, s *scenario.Scenario, plan probe.Plan) error {
	c, err := probe.Only(cmd.Context(), client.Target(), s, plan)
	if err != nil {
		return shown(err)
	}
	if err := tabular.Format(p.output).Write(cmd.OutOrStdout(),
		func(w io.Writer) error { return tabular.WriteJSON(w, c) },
		func(w io.Writer) error { return present.WriteComparison(w, c) }); err != nil {
		return err
	}
	if c.Mismatches != nil {
		return cli.Failed("the target does otherwise than a correct program in %d places", len(c.Mismatches))
	}
	return nil
}

// shown is an error as a terminal may show it: a target may have had a hand in it.
func shown(err error) error { return errors.New(tabular.VisibleLines(err.Error())) }

// foundGaps is the error that ends a probe that found something.
func foundGaps(r *probe.Result) error {
	if !r.Found() {
		return nil
	}
	return &cli.Exit{Code: cli.FailedCheck, Err: errors.New("something was found: " + strings.TrimSuffix(r.Verdict(), "."))}
}
