package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"recoup/internal/audit"
	"recoup/internal/audit/judge"
	"recoup/internal/audit/spill"
	"recoup/internal/intake"
	"recoup/internal/kit/files"
	"recoup/internal/kit/progress"
	"recoup/internal/kit/units"
	"recoup/program"
)

// auditing is what `recoup audit` was asked for.
type auditing struct {
	program, mapping, inspect                   string
	transactions, refunds, rewards, redemptions []string
	badRows                                     units.Permille
	returnDays                                  int
	adjustments                                 string
	rounding                                    judge.Rounding
	pseudonymise                                bool
	keyFile                                     string
	shard                                       units.Part
	part, accounts                              string
	memory                                      units.Bytes
	tempDir                                     string
	outcome                                     auditOutcome
}

func auditCommand() *cobra.Command {
	a := auditing{badRows: 10, memory: spill.DefaultMemory}
	cmd := &cobra.Command{
		Use:   "audit --program P --transactions T.csv --refunds F.csv --rewards W.csv",
		Short: "Find out from another program's exports which refunds left their reward in place, and what it cost",
		Long: "Audit reads the exports of a reward program (CSV with a header, also as .gz, .xz or .zst,\n" +
			"Parquet and xlsx), holds every account against the published terms, and says which flaw the\n" +
			"program has, with examples, what it costs, and which accounts used it. Columns, dates and\n" +
			"signs of other layouts are told in a mapping; --inspect guesses one. It ends with exit\n" +
			"code 1 if it finds a flaw. Nothing about accounts goes anywhere but into what it writes.",
		Example: "  recoup audit --program program.yaml --transactions T.csv --refunds F.csv --rewards W.csv --redemptions D.csv --html report.html\n" +
			"  recoup audit --inspect core-banking-2026-01.csv > map.yaml",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unexpected argument %q: several files of a table are a flag each, or a glob in quotes", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return a.run(cmd) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&a.program, "program", "p", "", "the published terms: a program file (YAML)")
	flags.StringArrayVar(&a.transactions, "transactions", nil, "exports of settled purchases; like the other tables, a file or a glob in quotes, given as often as there are")
	flags.StringArrayVar(&a.refunds, "refunds", nil, "exports of refunds and chargebacks")
	flags.StringArrayVar(&a.rewards, "rewards", nil, "exports of rewards: granted above zero, taken back below")
	flags.StringArrayVar(&a.redemptions, "redemptions", nil, "exports of redemptions")
	flags.StringVar(&a.mapping, "mapping", "", "how the exports are laid out (YAML); without it they have the columns of docs/audit-your-program.md")
	flags.StringVar(&a.inspect, "inspect", "", "guess the mapping of this file, print it and do no more")
	a.outcome.flags(cmd)
	flags.IntVar(&a.returnDays, "return-days", audit.DefaultReturnDays, "for how many days merchants take purchases back")
	flags.StringVar(&a.adjustments, "adjustments", "", "what adjustments are: by-hand, clawbacks (those that take something, and those that give it back), rewards (all), after-refunds (clawbacks within a day of a refund) or after-unnamed (those after a refund without its purchase's name); clawbacks-and-gifts or after-unnamed-and-gifts where none gives anything back; without it, accounts that returned nothing tell")
	flags.StringVar(&a.rounding.Mode, "rounding", "", "how the program makes whole minor units: down, half-up, half-even or up; without it, it may be off by a unit for each purchase")
	flags.BoolVar(&a.rounding.Statement, "round-statements", false, "it rounds the sum of each statement cycle once, rather than each purchase")
	flags.Var(&a.badRows, "bad-rows", "stop above this share of bad rows")
	flags.BoolVar(&a.pseudonymise, "pseudonymise", false, "replace the ids of accounts, transactions and refunds by keyed hashes")
	flags.StringVar(&a.keyFile, "pseudonym-key-file", "", "the key, of 16 bytes or more; without it, one is drawn and forgotten")
	flags.Var(&a.shard, "shard", "audit this part of the accounts only, such as 1/4; merge the parts afterwards")
	flags.StringVar(&a.part, "part", "", "the file of the part")
	flags.StringVar(&a.accounts, "accounts", "", "write the figures of every account to this file, as CSV in no order")
	flags.StringVar(&a.tempDir, "temp-dir", "", "where to keep rows that do not fit into memory (default the system's folder)")
	flags.Var(&a.memory, "memory", "how much memory rows may take")
	cmd.MarkFlagsOneRequired("program", "inspect")
	cmd.MarkFlagsMutuallyExclusive("program", "inspect")
	cmd.MarkFlagsRequiredTogether("program", "transactions", "refunds", "rewards")
	cmd.MarkFlagsRequiredTogether("shard", "part")
	for _, whole := range []string{"html", "output", "simulate"} {
		cmd.MarkFlagsMutuallyExclusive("part", whole)
	}
	cmd.AddCommand(auditMerge())
	return cmd
}

func (a *auditing) run(cmd *cobra.Command) error {
	if err := a.outcome.check(); err != nil {
		return err
	}
	if a.inspect != "" {
		return inspect(cmd, a.inspect)
	}
	options, err := a.options()
	if err != nil {
		return err
	}
	out := &files.Outputs{Inputs: a.inputs()}
	defer out.Discard()
	if options.Accounts, err = out.Create(a.accounts); err != nil {
		return err
	}
	if a.part != "" {
		return a.writePart(cmd.Context(), out, options)
	}
	html, err := out.Create(a.outcome.html)
	if err != nil {
		return err
	}
	done := a.progress(&options)
	report, err := audit.Run(cmd.Context(), options)
	done()
	if err != nil {
		return err
	}
	if err := a.outcome.write(cmd.OutOrStdout(), html, report); err != nil {
		return err
	}
	if err := out.Keep(); err != nil {
		return err
	}
	return found(report)
}

// writePart audits one shard, and keeps what the others are merged with.
func (a *auditing) writePart(ctx context.Context, out *files.Outputs, options audit.Options) error {
	w, err := out.Create(a.part)
	if err != nil {
		return err
	}
	done := a.progress(&options)
	part, err := audit.RunPart(ctx, options)
	done()
	if err != nil {
		return err
	}
	if err := part.Write(w); err != nil {
		return err
	}
	return out.Keep()
}

// inputs are all files that are read, none of which may be written over.
func (a *auditing) inputs() []string {
	return slices.Concat([]string{a.program, a.mapping, a.keyFile}, a.exports())
}

// exports are the files of the exports. What is wrong with a pattern, the audit
// says.
func (a *auditing) exports() (files []string) {
	for _, pattern := range slices.Concat(a.transactions, a.refunds, a.rewards, a.redemptions) {
		matches, _ := filepath.Glob(pattern)
		files = append(append(files, pattern), matches...)
	}
	return files
}

// progress shows how much of the exports is read, then how many accounts are
// judged, and returns the function that ends it.
func (a *auditing) progress(o *audit.Options) (done func()) {
	exports := intake.Options{Transactions: a.transactions, Refunds: a.refunds, Rewards: a.rewards, Redemptions: a.redemptions}
	size, _ := exports.Size() // what is wrong with the files, the audit says
	var read, judged atomic.Int64
	var judging sync.Once
	end := progress.Show("exports read", progress.Bytes, size, read.Load)
	o.Progress = func(p audit.Progress) {
		if p.Accounts == 0 {
			read.Store(p.Bytes)
			return
		}
		judging.Do(func() {
			end()
			end = progress.Show("accounts judged", progress.Units, progress.Unknown, judged.Load)
		})
		judged.Store(p.Accounts)
	}
	return func() { end() }
}

// options reads what the audit needs.
func (a *auditing) options() (o audit.Options, err error) {
	o = audit.Options{
		Transactions: a.transactions, Refunds: a.refunds, Rewards: a.rewards, Redemptions: a.redemptions,
		BadLimit: a.badRows.Limit(), ReturnDays: a.returnDays, Adjustments: a.adjustments, Rounding: a.rounding, Shard: a.shard.Part, Of: a.shard.Of,
		Simulate: a.outcome.simulate, Pseudonymise: a.pseudonymise, TempDir: a.tempDir, Memory: int64(a.memory),
	}
	if a.returnDays < 1 {
		return o, fmt.Errorf("--return-days %d: expected a number above zero", a.returnDays)
	}
	if a.tempDir != "" {
		if info, err := os.Stat(a.tempDir); err != nil || !info.IsDir() {
			return o, fmt.Errorf("--temp-dir %s: expected a folder that is there", a.tempDir)
		}
	}
	if o.Program, err = program.Load(a.program); err != nil {
		return o, err
	}
	if a.mapping != "" {
		if o.Mapping, err = intake.LoadMapping(a.mapping); err != nil {
			return o, err
		}
	}
	if a.keyFile != "" {
		if !a.pseudonymise {
			return o, fmt.Errorf("--pseudonym-key-file %s: is of use with --pseudonymise only", a.keyFile)
		}
		if o.Key, err = os.ReadFile(a.keyFile); err != nil {
			return o, fmt.Errorf("reading the key: %w", err)
		}
		o.Key = bytes.TrimRight(o.Key, "\r\n")
		if len(o.Key) == 0 {
			return o, fmt.Errorf("--pseudonym-key-file %s: is empty, expected a key of 16 bytes or more", a.keyFile)
		}
	}
	return o, nil
}
