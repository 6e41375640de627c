package main

import (
	"errors"
	"fmt"
	"iter"

	"github.com/spf13/cobra"

	"recoup/event"
	"recoup/internal/ingest"
	"recoup/internal/intake"
	"recoup/internal/kit/files"
	"recoup/internal/kit/units"
	"recoup/program"
	"recoup/reward"
)

func importCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Turn other people's files into events",
	}
	cmd.AddCommand(newImportCSV())
	return cmd
}

// importing is what `recoup import csv` was asked for.
type importing struct {
	mapping, inspect, link, currency, source, out string
	badRows                                       units.Permille
}

func newImportCSV() *cobra.Command {
	var i importing
	cmd := &cobra.Command{
		Use:   "csv --mapping map.yaml FILE...",
		Short: "Import purchases and refunds from any file that a mapping describes",
		Long: "The files (CSV with a header, also as .gz, .xz or .zst, Parquet or xlsx; or globs) are read\n" +
			"by the transactions and refunds of a mapping, as 'recoup audit' has them. Events go to\n" +
			"standard output; what was read, left out and matched goes to standard error.",
		Example: "  recoup import csv --inspect sales.xlsx > map.yaml\n" +
			"  recoup import csv --mapping map.yaml -o events.jsonl sales.xlsx",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case i.inspect == "" && len(args) == 0:
				return errors.New("expected files to import, or --inspect FILE")
			case i.inspect != "" && len(args) > 0:
				return fmt.Errorf("unexpected argument %q: --inspect looks at one file and does no more", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return i.run(cmd, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&i.mapping, "mapping", "", "how the files are laid out (YAML): docs/audit-your-program.md")
	flags.StringVar(&i.inspect, "inspect", "", "guess the mapping of this file, print it and do no more")
	flags.StringVar(&i.link, "link", "matched", "matched: refunds name the purchases that they match; none: they name what the file says and nothing else")
	flags.StringVar(&i.currency, "currency", "", "the currency of the events; rows in another are left out (default the mapping's)")
	flags.StringVar(&i.source, "source", "import", "the source of the events, which with their ids names them")
	flags.Var(&i.badRows, "bad-rows", "stop above this share of bad rows")
	flags.StringVarP(&i.out, "out", "o", "", "write the events to this file instead of standard output")
	cmd.MarkFlagsOneRequired("mapping", "inspect")
	cmd.MarkFlagsMutuallyExclusive("mapping", "inspect")
	return cmd
}

func (i *importing) run(cmd *cobra.Command, paths []string) error {
	if i.inspect != "" {
		return inspect(cmd, i.inspect)
	}
	link, err := ingest.ParseLink(i.link)
	if err != nil {
		return err
	}
	mapping, err := intake.LoadMapping(i.mapping)
	if err != nil {
		return err
	}
	if i.currency == "" {
		i.currency = mapping.Currency()
	}
	if _, known := program.MinorUnits(i.currency); !known {
		return fmt.Errorf("--currency %q: expected a code of ISO 4217 in use; add --currency USD, say, for the rows in that, or, where no column says it, a constant to the mapping", i.currency)
	}
	imported, err := ingest.Import(cmd.Context(), ingest.Options{
		Mapping: mapping, Files: paths, Currency: i.currency, Source: i.source, Link: link, BadLimit: i.badRows.Limit(),
	})
	if err != nil {
		return err
	}
	if err := writeEvents(cmd, i.out, imported.Events(), append(paths, i.mapping)...); err != nil {
		return err
	}
	return imported.Report().Print(cmd.ErrOrStderr())
}

// inspect prints the mapping that is guessed for a file.
func inspect(cmd *cobra.Command, path string) error {
	guess, err := intake.Inspect(path)
	if err != nil {
		return err
	}
	_, err = cmd.OutOrStdout().Write(guess)
	return err
}

// writeEvents writes events as lines to a file, which may be none of the inputs,
// or to standard output without a name.
func writeEvents(cmd *cobra.Command, name string, events iter.Seq[reward.Event], inputs ...string) error {
	out := &files.Outputs{Inputs: inputs}
	defer out.Discard()
	w, err := out.CreateOr(name, cmd.OutOrStdout())
	if err != nil {
		return err
	}
	if err := event.Write(cmd.Context(), w, events); err != nil {
		return err
	}
	return out.Keep()
}
