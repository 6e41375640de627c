package books

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/kit/files"
	"recoup/internal/service/security"
	"recoup/internal/service/verify"
	"recoup/internal/service/verify/keep"
	"recoup/internal/store/durable"
	"recoup/internal/store/open"
)

// checkpointing is what `recoup checkpoint` was asked for.
type checkpointing struct {
	db             *open.Database
	keyFile        string
	output, leaves string
	keeper         keep.Keeper
}

func checkpoint() *cobra.Command {
	var c checkpointing
	cmd := &cobra.Command{
		Use:   "checkpoint --db URL --key-file KEY {--to FILE|DIR|URL | -o FILE}",
		Short: "Seal the log of a database and sign what it has, for verify to check later",
		Long: "Checkpoint prints a signed note with the root of a Merkle tree over the event logs of\n" +
			"all accounts, and writes what it covers of each account to a file of leaves beside\n" +
			"it. Keep both where those who can write to the database cannot reach them; only\n" +
			"then do they show what was changed since. With --to both are in one: a file, a file\n" +
			"more in a folder, or the body of a POST to an address, signed like a webhook.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd) },
	}
	flags := cmd.Flags()
	c.db = cli.Database(cmd)
	flags.StringVar(&c.keyFile, "key-file", "", "the signing key, from checkpoint keygen")
	flags.StringVarP(&c.output, "out", "o", "", "write the note to this file instead of standard output")
	flags.StringVar(&c.leaves, "leaves", "", "write the leaves to this file (default the name of the note with "+keep.LeavesSuffix+")")
	flags.StringVar(&c.keeper.To, "to", "", "keep note and leaves together in this file, this folder, or at this https address")
	flags.StringVar(&c.keeper.SecretFile, "secret-file", "", "the secret (whsec_…) that signs what is posted to an address")
	flags.BoolVar(&c.keeper.AllowPrivate, "allow-private", false, "allow a private address, and http")
	cli.Require(cmd, "key-file")
	cmd.MarkFlagsMutuallyExclusive("to", "out")
	cmd.MarkFlagsMutuallyExclusive("to", "leaves")
	cmd.AddCommand(keygen())
	return cmd
}

func (c *checkpointing) run(cmd *cobra.Command) error {
	if c.keeper.To != "" {
		if err := c.keeper.Open(c.keyFile); err != nil {
			return fmt.Errorf("--to %s: %w", c.keeper.Place(), err)
		}
		return cli.With(cmd.Context(), c.db, func(db *durable.Database) error {
			if err := c.keeper.Take(cmd.Context(), db); err != nil {
				return err
			}
			return security.NoteLocal(cmd.Context(), db, security.CheckpointTaken, c.keeper.Place())
		})
	}
	if c.leaves == "" {
		if c.output == "" {
			return errors.New("expected -o FILE, or --leaves FILE where the note is to be printed: without its leaves a checkpoint cannot be checked")
		}
		c.leaves = c.output + keep.LeavesSuffix
	}
	key, err := keep.ReadKey(c.keyFile)
	if err != nil {
		return err
	}
	return cli.With(cmd.Context(), c.db, func(db *durable.Database) error { return c.write(cmd, db, key) })
}

// write takes a checkpoint to files of its own.
func (c *checkpointing) write(cmd *cobra.Command, db *durable.Database, key string) error {
	out := &files.Outputs{Inputs: []string{c.keyFile}}
	defer out.Discard()
	leaves, err := out.Create(c.leaves)
	if err != nil {
		return err
	}
	note, err := out.CreateOr(c.output, cmd.OutOrStdout())
	if err != nil {
		return err
	}
	taken, signed, err := keep.Take(cmd.Context(), db, key, leaves)
	if err != nil {
		return err
	}
	if _, err := note.Write(signed); err != nil {
		return err
	}
	if err := out.Keep(); err != nil {
		return err
	}
	if err := security.NoteLocal(cmd.Context(), db, security.CheckpointTaken, c.output); err != nil {
		return err
	}
	return verify.RecordCheckpoint(cmd.Context(), db, taken, signed)
}

func keygen() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "keygen --key-file KEY NAME",
		Short: "Make a signing key, and print the key that checks its signatures",
		Long: "Keygen writes a new signing key to a file that only you can read, and prints the\n" +
			"verifier's key for verify --key. NAME says whose checkpoints they are, such as\n" +
			"rewards.example.com; it has neither spaces nor plus signs.",
		Args: cli.OneArgument("the name of the key"),
		RunE: func(cmd *cobra.Command, args []string) error {
			public, err := keep.NewKey(file, args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), public)
			return err
		},
	}
	cmd.Flags().StringVar(&file, "key-file", "", "write the signing key to this new file")
	cli.Require(cmd, "key-file")
	return cmd
}
