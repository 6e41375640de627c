package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/kit/tabular"
	"recoup/internal/service/verify"
	"recoup/internal/store/durable"
	"recoup/internal/store/record"
	"recoup/internal/store/shards"
)

// shardsCommand looks after a ledger that is kept in many PostgreSQL schemas.
func shardsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "shards",
		Short: "Make, look at, move and split the shards of a ledger that is kept in many PostgreSQL schemas",
	}
	cmd.AddCommand(shardsInit(), shardsStatus(), shardsMove(), shardsSplit(), shardsDrop())
	return cmd
}

func fileFlag(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "file", "", "file of shards, such as shards.yaml")
	cmd.MarkFlagRequired("file")
}

func shardsInit() *cobra.Command {
	var file, prefix string
	var urls []string
	var count int
	cmd := &cobra.Command{
		Use:   "init --file FILE --shards N --url URL",
		Short: "Make the schemas of a new ledger, and write its file",
		Long: "Makes a schema for what is of no account, in the first database, and one for each\n" +
			"shard, in as many databases as are named, and writes the file that --db takes. If it\n" +
			"is broken off, run it again.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan, err := shards.Plan(urls, count, prefix)
			if err != nil {
				return err
			}
			if err := shards.Create(cmd.Context(), file, plan, isPooled(cmd.Context())); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%d shards are made; start with recoup serve --db %s\n", count, file)
			return nil
		},
	}
	fileFlag(cmd, &file)
	cmd.Flags().IntVar(&count, "shards", 32, "how many shards")
	cmd.Flags().StringArrayVar(&urls, "url", nil, "database, postgres://USER:PASSWORD@HOST/NAME; may be repeated")
	cmd.Flags().StringVar(&prefix, "schema", "recoup", "what schemas are called; those of shards get a number")
	cmd.MarkFlagRequired("url")
	return cmd
}

// shardRow is a shard as it is listed.
type shardRow struct {
	Shard    int64  `json:"shard"`
	Place    string `json:"place"`
	Epoch    int64  `json:"epoch"`
	Buckets  string `json:"buckets"`
	Accounts int64  `json:"accounts"` // as the server estimates
	Events   int64  `json:"events"`   // as the server estimates
	State    string `json:"state"`
}

func shardsStatus() *cobra.Command {
	var file, output string
	cmd := &cobra.Command{
		Use:   "status --file FILE",
		Short: "List the shards: where they are, what they have, whether they work; change nothing",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			list, err := shards.ReadStatus(cmd.Context(), file, isPooled(cmd.Context()))
			if err != nil {
				return err
			}
			rows := make([]shardRow, len(list))
			bad := 0
			for i, s := range list {
				rows[i] = shardRow{s.Number, s.Place.String(), s.Epoch, s.Buckets.String(), s.Accounts, s.Events, s.State}
				if !strings.HasPrefix(s.State, shards.Working) {
					bad++
				}
			}
			asJSON := func(w io.Writer) error { return tabular.WriteJSON(w, map[string]any{"shards": rows}) }
			asTable := func(w io.Writer) error {
				table := tabular.New(w, ">shard", "place", ">epoch", "buckets", ">accounts", ">events", "state")
				for _, r := range rows {
					table.AppendRow(tabular.Row{r.Shard, r.Place, r.Epoch, r.Buckets, r.Accounts, r.Events, r.State})
				}
				table.Render()
				return nil
			}
			if err := write(cmd.OutOrStdout(), output, asJSON, asTable); err != nil || bad == 0 {
				return err
			}
			return &exit{exitFailedCheck, fmt.Errorf("%d of %d shards are not open", bad, len(list))}
		},
	}
	fileFlag(cmd, &file)
	cmd.Flags().StringVar(&output, "output", "table", "table or json")
	return cmd
}

func shardsMove() *cobra.Command {
	var file string
	var to shards.Place
	cmd := &cobra.Command{
		Use:   "move SHARD --to URL --file FILE",
		Short: "Move a shard to another database, or another schema, while it works",
		Long: "Copies the shard while it works, follows what changes meanwhile, proves the copy, stops\n" +
			"the shard for a moment and switches. Services that run go on with it by themselves. If\n" +
			"it is broken off, the shard works where it is; run it again. What is left at the old\n" +
			"place is removed by recoup shards drop.",
		Args: oneArgument("the number of the shard"),
		RunE: func(cmd *cobra.Command, args []string) error {
			number, err := shardNumber(args[0])
			if err != nil {
				return err
			}
			if to.Schema, err = schemaOf(file, number, to); err != nil {
				return err
			}
			return moved(cmd, file, func(m *shards.Mover) (shards.Moved, error) { return m.Move(cmd.Context(), number, to) })
		},
	}
	fileFlag(cmd, &file)
	cmd.Flags().StringVar(&to.URL, "to", "", "database to move it to, postgres://USER:PASSWORD@HOST/NAME")
	cmd.Flags().StringVar(&to.Schema, "schema", "", "schema to make there; the name that it has now unless given")
	cmd.MarkFlagRequired("to")
	return cmd
}

func shardsSplit() *cobra.Command {
	var file string
	var to, rest shards.Place
	var into int64
	cmd := &cobra.Command{
		Use:   "split SHARD --into NUMBER --to URL --file FILE",
		Short: "Move half of a shard to a new shard, while it works",
		Long: "Copies one half of the shard's buckets to a new shard and the other half to a new schema\n" +
			"beside the old one, like recoup shards move, and switches both at once.",
		Args: oneArgument("the number of the shard"),
		RunE: func(cmd *cobra.Command, args []string) error {
			number, err := shardNumber(args[0])
			if err != nil {
				return err
			}
			f, err := shards.ReadFile(file)
			if err != nil {
				return err
			}
			if to.Schema == "" {
				to.Schema = fmt.Sprintf("%s_%d", f.Home.Schema, into)
			}
			for _, s := range f.Shards {
				if s.Number == number {
					if rest.URL = s.URL; rest.Schema == "" {
						rest.Schema = fmt.Sprintf("%s_%d_%d", f.Home.Schema, number, s.Epoch+1)
					}
				}
			}
			return moved(cmd, file, func(m *shards.Mover) (shards.Moved, error) {
				return m.Split(cmd.Context(), number, into, to, rest)
			})
		},
	}
	fileFlag(cmd, &file)
	cmd.Flags().Int64Var(&into, "into", 0, "number of the new shard")
	cmd.Flags().StringVar(&to.URL, "to", "", "database for the new shard, postgres://USER:PASSWORD@HOST/NAME")
	cmd.Flags().StringVar(&to.Schema, "schema", "", "schema to make there")
	cmd.Flags().StringVar(&rest.Schema, "rest", "", "schema to make for the other half, where the shard is now")
	cmd.MarkFlagRequired("into")
	cmd.MarkFlagRequired("to")
	return cmd
}

func shardsDrop() *cobra.Command {
	var file string
	var old bool
	cmd := &cobra.Command{
		Use:   "drop SHARD --old --file FILE",
		Short: "Remove what a shard that has moved has left behind",
		Args:  oneArgument("the number of the shard"),
		RunE: func(cmd *cobra.Command, args []string) error {
			number, err := shardNumber(args[0])
			if err != nil {
				return err
			}
			if !old {
				return errors.New("expected --old: a shard is never removed from where it is")
			}
			return shards.DropOld(cmd.Context(), file, number, isPooled(cmd.Context()))
		},
	}
	fileFlag(cmd, &file)
	cmd.Flags().BoolVar(&old, "old", false, "the places where the shard was before")
	return cmd
}

func shardNumber(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n >= shards.Stride {
		return 0, fmt.Errorf("expected the number of a shard from 0 to %d, found %q", shards.Stride-1, text)
	}
	return n, nil
}

// schemaOf is the schema that a shard is to have elsewhere: the same unless one is named.
func schemaOf(file string, number int64, to shards.Place) (string, error) {
	if to.Schema != "" {
		return to.Schema, nil
	}
	f, err := shards.ReadFile(file)
	if err != nil {
		return "", err
	}
	for _, s := range f.Shards {
		if s.Number == number {
			return s.Schema, nil
		}
	}
	return "", fmt.Errorf("%s: there is no shard %d", file, number)
}

// moved runs a move and says what it came to.
func moved(cmd *cobra.Command, file string, do func(*shards.Mover) (shards.Moved, error)) error {
	m := &shards.Mover{File: file, Prove: proveCopy, Pooler: isPooled(cmd.Context()), Tell: func(what string) { fmt.Fprintln(cmd.ErrOrStderr(), what) }}
	result, err := do(m)
	switch {
	case errors.As(err, new(*exit)):
		return err
	case err != nil:
		return &exit{exitFailedCheck, err}
	case result.Already:
		fmt.Fprintln(cmd.ErrOrStderr(), "it is there already")
	default:
		fmt.Fprintf(cmd.ErrOrStderr(), "moved %d accounts with %d events, and what %d rounds of following have brought; the shard was stopped for %v\n",
			result.Accounts, result.Events, result.Rounds, result.Stopped.Round(time.Millisecond))
	}
	return nil
}

// proveCopy applies the events of accounts in a copy again, all for nil.
func proveCopy(ctx context.Context, home record.Store, at durable.Driver, accounts []string) error {
	programs, err := durable.OpenPrograms(ctx, home, parseStored, time.Now)
	if err != nil {
		return err
	}
	if accounts == nil {
		accounts = []string{""}
	}
	for _, account := range accounts {
		report, err := verify.Run(ctx, at, verify.Options{Programs: programs, Account: account})
		if err != nil {
			return err
		}
		if report.Count > 0 {
			_ = report.WriteTable(os.Stderr)
			return fmt.Errorf("it is not what its log adds up to; differences: %d", report.Count)
		}
	}
	return nil
}
