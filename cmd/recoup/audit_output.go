package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"recoup/internal/audit"
	"recoup/internal/audit/judge"
	"recoup/internal/audit/present"
	"recoup/internal/flaw"
)

// auditOutcome is how the report of an audit is shown.
type auditOutcome struct {
	output, html string
	simulate     bool
}

func (o *auditOutcome) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.output, "output", "table", "table or json")
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
	return write(stdout, o.output,
		func(w io.Writer) error { return present.WriteJSON(w, r) },
		func(w io.Writer) error { return present.WriteTable(w, r) })
}

// foundFlaws is the error that ends an audit that found something.
func foundFlaws(r *audit.Report) error {
	if !r.Verdict.Found {
		return nil
	}
	var codes []string
	if r.Verdict.Class != "" && r.Verdict.Class != flaw.Robust {
		codes = append(codes, string(r.Verdict.Class))
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Standing == audit.Found && string(f.Code) != string(r.Verdict.Class) {
			codes = append(codes, string(f.Code))
		}
	}
	return &exit{exitFailedCheck, fmt.Errorf("the program has flaws: %s", strings.Join(codes, ", "))}
}
