package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"recoup/internal/audit"
)

func newAuditMerge() *cobra.Command {
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
			if err := checkOutput(o.output); err != nil {
				return err
			}
			files := &outputFiles{inputs: args}
			defer files.discard()
			html, err := files.create(o.html)
			if err != nil {
				return err
			}
			report, err := mergeParts(args)
			if err != nil {
				return err
			}
			if err := o.write(cmd.OutOrStdout(), html, report); err != nil {
				return err
			}
			if err := files.keep(); err != nil {
				return err
			}
			return foundFlaws(report)
		},
	}
	o.flags(cmd)
	return cmd
}

func mergeParts(names []string) (*audit.Report, error) {
	parts := make([]*audit.Part, len(names))
	for i, name := range names {
		part, err := readPart(name)
		if err != nil {
			return nil, err
		}
		parts[i] = part
	}
	return audit.Merge(parts...)
}

func readPart(name string) (*audit.Part, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return audit.ReadPart(name, f)
}
