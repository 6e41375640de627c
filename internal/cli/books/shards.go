package books

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/kit/tabular"
	"recoup/internal/service/verify"
	"recoup/internal/store/open"
	"recoup/internal/store/shards"
)

// shardsCommand looks after a ledger that is kept in many PostgreSQL schemas.
func shardsCommand() *cobra.Command {
	return cli.Group("shards", "Make, look at, move and split the shards of a ledger that is kept in many PostgreSQL schemas", "",
		shardsInit(), shardsStatus(), shardsMove(), shardsSplit(), shardsDrop())
}

// shardsFile are the flags of a file of shards, and of how to reach what it names.
func shardsFile(cmd *cobra.Command) *open.Database {
	db := cli.Named(cmd, "")
	cmd.Flags().StringVar(&db.Name, "file", "", "file of shards, such as shards.yaml")
	cli.Require(cmd, "file")
	return db
}

func shardsInit() *cobra.Command {
	var db *open.Database
	var prefix string
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
			if err := shards.Create(cmd.Context(), db.Name, plan, db.Pooler); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%d shards are made; start with recoup serve --db %s\n", count, db.Name)
			return nil
		},
	}
	db = shardsFile(cmd)
	cmd.Flags().IntVar(&count, "shards", 32, "how many shards")
	cmd.Flags().StringArrayVar(&urls, "url", nil, "database, postgres://USER:PASSWORD@HOST/NAME; may be repeated")
	cmd.Flags().StringVar(&prefix, "schema", "recoup", "what schemas are called; those of shards get a number")
	cli.Require(cmd, "url")
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

var shardListing = tabular.Listing[shardRow]{
	Name: "shards", Columns: []string{">shard", "place", ">epoch", "buckets", ">accounts", ">events", "state"},
	Cells: func(r *shardRow) tabular.Row {
		return tabular.Row{r.Shard, r.Place, r.Epoch, r.Buckets, r.Accounts, r.Events, r.State}
	},
}

func shardsStatus() *cobra.Command {
	var db *open.Database
	var format *tabular.Format
	cmd := &cobra.Command{
		Use:   "status --file FILE",
		Short: "List the shards: where they are, what they have, whether they work; change nothing",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := shards.ReadStatus(cmd.Context(), db.Name, db.Pooler)
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
			if err := shardListing.Write(cmd.OutOrStdout(), *format, rows); err != nil || bad == 0 {
				return err
			}
			return cli.Failed("%d of %d shards are not open", bad, len(list))
		},
	}
	db, format = shardsFile(cmd), cli.Output(cmd)
	return cmd
}

func shardsMove() *cobra.Command {
	var db *open.Database
	var to shards.Place
	cmd := &cobra.Command{
		Use:   "move SHARD --to URL --file FILE",
		Short: "Move a shard to another database, or another schema, while it works",
		Long: "Copies the shard while it works, follows what changes meanwhile, proves the copy, stops\n" +
			"the shard for a moment and switches. Services that run go on with it by themselves. If\n" +
			"it is broken off, the shard works where it is; run it again. What is left at the old\n" +
			"place is removed by recoup shards drop.",
		Args: cli.OneArgument("the number of the shard"),
		RunE: func(cmd *cobra.Command, args []string) error {
			number, err := shards.ParseNumber(args[0])
			if err != nil {
				return err
			}
			f, err := shards.ReadFile(db.Name)
			if err != nil {
				return err
			}
			to, err := f.Target(number, to)
			if err != nil {
				return fmt.Errorf("%s: %w", db.Name, err)
			}
			return moved(cmd, db, func(m *shards.Mover) (shards.Moved, error) { return m.Move(cmd.Context(), number, to) })
		},
	}
	db = shardsFile(cmd)
	cmd.Flags().StringVar(&to.URL, "to", "", "database to move it to, postgres://USER:PASSWORD@HOST/NAME")
	cmd.Flags().StringVar(&to.Schema, "schema", "", "schema to make there; the name that it has now unless given")
	cli.Require(cmd, "to")
	return cmd
}

func shardsSplit() *cobra.Command {
	var db *open.Database
	var to, rest shards.Place
	var into int64
	cmd := &cobra.Command{
		Use:   "split SHARD --into NUMBER --to URL --file FILE",
		Short: "Move half of a shard to a new shard, while it works",
		Long: "Copies one half of the shard's buckets to a new shard and the other half to a new schema\n" +
			"beside the old one, like recoup shards move, and switches both at once.",
		Args: cli.OneArgument("the number of the shard"),
		RunE: func(cmd *cobra.Command, args []string) error {
			number, err := shards.ParseNumber(args[0])
			if err != nil {
				return err
			}
			f, err := shards.ReadFile(db.Name)
			if err != nil {
				return err
			}
			to, rest := f.SplitTargets(number, into, to, rest)
			return moved(cmd, db, func(m *shards.Mover) (shards.Moved, error) {
				return m.Split(cmd.Context(), number, into, to, rest)
			})
		},
	}
	db = shardsFile(cmd)
	cmd.Flags().Int64Var(&into, "into", 0, "number of the new shard")
	cmd.Flags().StringVar(&to.URL, "to", "", "database for the new shard, postgres://USER:PASSWORD@HOST/NAME")
	cmd.Flags().StringVar(&to.Schema, "schema", "", "schema to make there")
	cmd.Flags().StringVar(&rest.Schema, "rest", "", "schema to make for the other half, where the shard is now")
	cli.Require(cmd, "into", "to")
	return cmd
}

func shardsDrop() *cobra.Command {
	var db *open.Database
	var old bool
	cmd := &cobra.Command{
		Use:   "drop SHARD --old --file FILE",
		Short: "Remove what a shard that has moved has left behind",
		Args:  cli.OneArgument("the number of the shard"),
		RunE: func(cmd *cobra.Command, args []string) error {
			number, err := shards.ParseNumber(args[0])
			if err != nil {
				return err
			}
			if !old {
				return errors.New("expected --old: a shard is never removed from where it is")
			}
			return shards.DropOld(cmd.Context(), db.Name, number, db.Pooler)
		},
	}
	db = shardsFile(cmd)
	cmd.Flags().BoolVar(&old, "old", false, "the places where the shard was before")
	return cmd
}

// moved runs a move and says what it came to.
func moved(cmd *cobra.Command, db *open.Database, do func(*shards.Mover) (shards.Moved, error)) error {
	m := &shards.Mover{File: db.Name, Prove: verify.Copy, Pooler: db.Pooler, Tell: func(what string) { fmt.Fprintln(cmd.ErrOrStderr(), what) }}
	result, err := do(m)
	switch {
	case err != nil:
		return &cli.Exit{Code: cli.FailedCheck, Err: err}
	case result.Already:
		fmt.Fprintln(cmd.ErrOrStderr(), "it is there already")
	default:
		fmt.Fprintf(cmd.ErrOrStderr(), "moved %d accounts with %d events, and what %d rounds of following have brought; the shard was stopped for %v\n",
			result.Accounts, result.Events, result.Rounds, result.Stopped.Round(time.Millisecond))
	}
	return nil
}
