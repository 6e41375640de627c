package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/mod/sumdb/note"

	"recoup/internal/service/security"
	"recoup/internal/service/verify"
)

// checkpointing is what `recoup checkpoint` was asked for.
type checkpointing struct {
	url, keyFile   string
	output, leaves string
	keeper         safekeeper
}

func checkpointCommand() *cobra.Command {
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
	flags.StringVar(&c.url, "db", "", databaseUsage)
	flags.StringVar(&c.keyFile, "key-file", "", "the signing key, from checkpoint keygen")
	flags.StringVarP(&c.output, "out", "o", "", "write the note to this file instead of standard output")
	flags.StringVar(&c.leaves, "leaves", "", "write the leaves to this file (default the name of the note with "+leavesSuffix+")")
	flags.StringVar(&c.keeper.to, "to", "", "keep note and leaves together in this file, this folder, or at this https address")
	flags.StringVar(&c.keeper.secretFile, "secret-file", "", "the secret (whsec_…) that signs what is posted to an address")
	flags.BoolVar(&c.keeper.allowPrivate, "allow-private", false, "allow a private address, and http")
	cmd.MarkFlagRequired("db")
	cmd.MarkFlagRequired("key-file")
	cmd.MarkFlagsMutuallyExclusive("to", "out")
	cmd.MarkFlagsMutuallyExclusive("to", "leaves")
	cmd.AddCommand(newKeygen())
	return cmd
}

func (c *checkpointing) run(cmd *cobra.Command) error {
	if c.keeper.to != "" {
		return c.runTo(cmd.Context())
	}
	if c.leaves == "" {
		if c.output == "" {
			return errors.New("expected -o FILE, or --leaves FILE where the note is to be printed: without its leaves a checkpoint cannot be checked")
		}
		c.leaves = c.output + leavesSuffix
	}
	key, err := os.ReadFile(c.keyFile)
	if err != nil {
		return err
	}
	if err := verify.CheckSigningKey(string(key)); err != nil {
		return fmt.Errorf("%s: %w", c.keyFile, err)
	}
	db, err := openDatabase(cmd.Context(), c.url)
	if err != nil {
		return err
	}
	defer db.Close()

	files := &outputFiles{inputs: []string{c.keyFile}}
	defer files.discard()
	leaves, err := files.create(c.leaves)
	if err != nil {
		return err
	}
	out, err := files.create(c.output)
	if err != nil {
		return err
	}
	w := verify.NewLeafWriter(leaves)
	taken, err := verify.TakeCheckpoint(cmd.Context(), db, w.Write)
	if err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	signed, err := taken.Sign(string(key))
	if err != nil {
		return err
	}
	if out == nil {
		out = cmd.OutOrStdout()
	}
	if _, err := out.Write(signed); err != nil {
		return err
	}
	if err := files.keep(); err != nil {
		return err
	}
	if err := noteAt(cmd.Context(), db, security.CheckpointTaken, c.output); err != nil {
		return err
	}
	return verify.RecordCheckpoint(cmd.Context(), db, taken, signed)
}

// runTo takes a checkpoint and has it kept.
func (c *checkpointing) runTo(ctx context.Context) error {
	if err := c.keeper.open(c.keyFile); err != nil {
		return fmt.Errorf("--to %s: %w", c.keeper.place(), err)
	}
	db, err := openDatabase(ctx, c.url)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := c.keeper.take(ctx, db); err != nil {
		return err
	}
	return noteAt(ctx, db, security.CheckpointTaken, c.keeper.place())
}

func newKeygen() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "keygen --key-file KEY NAME",
		Short: "Make a signing key, and print the key that checks its signatures",
		Long: "Keygen writes a new signing key to a file that only you can read, and prints the\n" +
			"verifier's key for verify --key. NAME says whose checkpoints they are, such as\n" +
			"rewards.example.com; it has neither spaces nor plus signs.",
		Args: oneArgument("the name of the key"),
		RunE: func(cmd *cobra.Command, args []string) error {
			private, public, err := note.GenerateKey(rand.Reader, args[0])
			if err != nil {
				return err
			}
			if _, err := note.NewVerifier(public); err != nil {
				return fmt.Errorf("name %q: expected one without spaces and plus signs", args[0])
			}
			if err := writeNewKey(file, private); err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), public)
			return err
		},
	}
	cmd.Flags().StringVar(&file, "key-file", "", "write the signing key to this new file")
	cmd.MarkFlagRequired("key-file")
	return cmd
}

// writeNewKey writes a secret to a file that is not there yet, for its owner
// alone.
func writeNewKey(name, key string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s: exists; a key that signs checkpoints is never written over", name)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, key+"\n")
	return errors.Join(err, f.Sync(), f.Close())
}
