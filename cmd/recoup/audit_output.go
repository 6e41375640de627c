package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"recoup/internal/audit"
	"recoup/internal/audit/judge"
	"recoup/internal/audit/present"
	"recoup/internal/cli"
	"recoup/internal/kit/files"
)

// auditOutcome is how the report of an audit is shown.
type auditOutcome struct {
	output   string
	html     string
	simulate bool
}

func (o *auditOutcome) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.output, "output", "table", "table, json or sarif")
	flags.StringVar(&o.html, "html", "", "write the report as a page, for people, to this file")
	flags.BoolVar(&o.simulate, "simulate", false, "also tell what the same history would have come to under Recoup")
}

// write shows the report on standard output and, if one is asked for, as a page.
func (o *auditOutcome) write(stdout, html io.Writer, r *audit.Report) error {
	if !o.simulate {
		r.Simulation = judge.Simulation{}
	}
	if html != nil {
		out := bufio.NewWriterSize(html, 1<<16)
		if err := present.WriteHTML(out, r); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	out := bufio.NewWriterSize(stdout, 1<<16)
	if err := auditOutputs[o.output](out, r); err != nil {
		return err
	}
	return out.Flush()
}

// auditOutputs are the forms of the report on standard output.
var auditOutputs = map[string]func(io.Writer, *audit.Report) error{
	"table": present.WriteTable, "json": present.WriteJSON, "sarif": present.WriteSARIF,
}

// check refuses a form that there is not.
func (o *auditOutcome) check() error {
	if auditOutputs[o.output] == nil {
		return fmt.Errorf("--output %q: expected table, json or sarif", o.output)
	}
	return nil
}

// found is the error that ends an audit that found something, or that could not tell.
func found(r *audit.Report) error {
	switch r.Verdict.Exit {
	case 0:
		return nil
	case cli.BadInput:
		return errors.New("no verdict: " + strings.TrimSuffix(r.Verdict.Summary, "."))
	}
	return cli.Failed("the program has flaws: %s", strings.Join(r.Flaws(), ", "))
}

func auditMerge() *cobra.Command {
	var o auditOutcome
	cmd := &cobra.Command{
		Use:   "merge PART.json...",
		Short: "Put the parts of an audit in shards together, and report on the whole",
		Long: "Merge reads what audit --shard wrote, of all shards, in any order, and reports as one\n" +
			"audit of all accounts would have, to the penny. It refuses parts of different programs,\n" +
			"options or exports.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("expected the parts of all shards, found none")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			out := &files.Outputs{Inputs: args}
			defer out.Discard()
			html, err := out.Create(o.html)
			if err != nil {
				return err
			}
			report, err := audit.MergeFiles(args)
			if err != nil {
				return err
			}
			if err := o.write(cmd.OutOrStdout(), html, report); err != nil {
				return err
			}
			if err := out.Keep(); err != nil {
				return err
			}
			return found(report)
		},
	}
	o.flags(cmd)
	return cmd
}
