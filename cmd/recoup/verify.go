package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"github.com/spf13/cobra"

	"recoup/internal/service/verify"
	"recoup/internal/store/durable"
	"recoup/program"
	"recoup/reward"
)

// leavesSuffix is what the name of a file of leaves adds to its checkpoint's.
const leavesSuffix = ".leaves"

// verification is what `recoup verify` was asked for.
type verification struct {
	url, account, output    string
	checkpoint, leaves, key string
	workers, list           int
	readOnly                bool
}

func verifyCommand() *cobra.Command {
	var v verification
	cmd := &cobra.Command{
		Use:   "verify --db URL",
		Short: "Recompute every account of a database from its log and name each difference",
		Long: "Verify replays the log of events of every account and compares what comes out with\n" +
			"all that the database has: outcomes, journal, balances, statements, seals. It ends\n" +
			"with exit code 1 if there is a difference. With --checkpoint it also checks that\n" +
			"what was signed then is still there, unchanged. The service may be running.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return v.run(cmd) },
	}
	flags := cmd.Flags()
	flags.StringVar(&v.url, "db", "", databaseUsage)
	flags.StringVar(&v.account, "account", "", "check this account only")
	flags.StringVar(&v.checkpoint, "checkpoint", "", "check against this signed checkpoint, of a folder the newest")
	flags.StringVar(&v.leaves, "leaves", "", "what the checkpoint covers, by account (default the checkpoint's name with "+leavesSuffix+")")
	flags.StringVar(&v.key, "key", "", "the verifier's key of the checkpoint, as checkpoint keygen printed it")
	flags.IntVar(&v.workers, "workers", 0, "how many accounts to check at a time (default one a processor)")
	flags.IntVar(&v.list, "list", 100, "how many differences to list; all are counted")
	flags.BoolVar(&v.readOnly, "read-only", false, "do not record the result in the database")
	flags.StringVar(&v.output, "output", "table", "table or json")
	cmd.MarkFlagRequired("db")
	cmd.MarkFlagsRequiredTogether("checkpoint", "key")
	return cmd
}

func (v *verification) run(cmd *cobra.Command) error {
	if err := checkOutput(v.output); err != nil {
		return err
	}
	if v.workers < 0 || v.list < 1 {
		return fmt.Errorf("--workers %d, --list %d: expected numbers above zero", v.workers, v.list)
	}
	ctx := cmd.Context()
	options := verify.Options{Account: v.account, Workers: v.workers, Most: v.list}
	leaves, err := v.openCheckpoint(&options)
	if err != nil {
		return err
	}
	if leaves != nil {
		defer leaves.Close()
	}
	db, err := openDatabase(ctx, v.url)
	if err != nil {
		return err
	}
	defer db.Close()
	options.Programs, err = durable.OpenPrograms(ctx, db, parseStored, time.Now)
	if err != nil {
		return err
	}
	report, err := v.check(ctx, db, options)
	if err != nil {
		return err
	}
	if v.account != "" && report.Accounts == 0 && report.Count == 0 {
		return fmt.Errorf("--account %q: there is no such account", v.account)
	}
	if err := write(cmd.OutOrStdout(), v.output, report.WriteJSON, report.WriteTable); err != nil {
		return err
	}
	if !v.readOnly && v.account == "" {
		if err := report.Record(ctx, db); err != nil {
			return fmt.Errorf("%w (with --read-only it is not recorded)", err)
		}
	}
	if report.Count > 0 {
		return &exit{exitFailedCheck, fmt.Errorf("the database is not what its log adds up to; differences: %d", report.Count)}
	}
	return nil
}

// openCheckpoint checks the signature of the checkpoint, if there is one, and
// opens its leaves.
func (v *verification) openCheckpoint(o *verify.Options) (leaves io.Closer, err error) {
	if v.checkpoint == "" {
		if v.leaves != "" {
			return nil, fmt.Errorf("--leaves %s: is of use with --checkpoint only", v.leaves)
		}
		return nil, nil
	}
	signed, from, sealed, err := openSealed(v.checkpoint)
	if err != nil {
		return nil, err
	}
	name := v.checkpoint
	switch {
	case sealed && v.leaves != "":
		err = fmt.Errorf("--leaves %s: %s has its leaves itself", v.leaves, v.checkpoint)
	case !sealed:
		if name = v.leaves; name == "" {
			name = v.checkpoint + leavesSuffix
		}
	}
	if err == nil {
		if o.Checkpoint, err = verify.OpenCheckpoint(signed, v.key); err != nil {
			err = fmt.Errorf("%s: %w", v.checkpoint, err)
			if errors.Is(err, verify.ErrNotSigned) {
				err = &exit{exitFailedCheck, err}
			}
		}
	}
	if err == nil && !sealed {
		if from, err = os.Open(name); err != nil {
			return nil, fmt.Errorf("%w: a checkpoint is checked with the file of leaves that was written with it; name it with --leaves", err)
		}
	}
	if err == nil {
		if o.Leaves, err = verify.NewLeafReader(from); err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
	}
	if err != nil {
		if from != nil {
			from.Close()
		}
		return nil, err
	}
	return from, nil
}

// check runs the check and shows how far it is.
func (v *verification) check(ctx context.Context, db *durable.Database, o verify.Options) (*verify.Report, error) {
	var checked atomic.Int64
	o.Checked = checked.Store
	done := showProgress("accounts checked", progress.UnitsDefault, 0, checked.Load)
	defer done()
	return verify.Run(ctx, db, o)
}

// parseStored reads a program as a database keeps it.
func parseStored(document []byte) (*reward.Program, error) {
	return program.Parse("program in the database", document)
}
