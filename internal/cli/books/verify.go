package books

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/kit/progress"
	"recoup/internal/kit/tabular"
	"recoup/internal/service/programs"
	"recoup/internal/service/verify"
	"recoup/internal/service/verify/keep"
	"recoup/internal/store/durable"
	"recoup/internal/store/open"
)

// verification is what `recoup verify` was asked for.
type verification struct {
	db            *open.Database
	output        *tabular.Format
	account       string
	kept          keep.Kept
	workers, list int
	readOnly      bool
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
	v.db, v.output = cli.Database(cmd), cli.Output(cmd)
	flags.StringVar(&v.account, "account", "", "check this account only")
	flags.StringVar(&v.kept.Name, "checkpoint", "", "check against this signed checkpoint, of a folder the newest")
	flags.StringVar(&v.kept.Leaves, "leaves", "", "what the checkpoint covers, by account (default the checkpoint's name with "+keep.LeavesSuffix+")")
	flags.StringVar(&v.kept.Key, "key", "", "the verifier's key of the checkpoint, as checkpoint keygen printed it")
	flags.IntVar(&v.workers, "workers", 0, "how many accounts to check at a time (default one a processor)")
	flags.IntVar(&v.list, "list", 100, "how many differences to list; all are counted")
	flags.BoolVar(&v.readOnly, "read-only", false, "do not record the result in the database")
	cmd.MarkFlagsRequiredTogether("checkpoint", "key")
	return cmd
}

func (v *verification) run(cmd *cobra.Command) error {
	if v.workers < 0 || v.list < 1 {
		return fmt.Errorf("--workers %d, --list %d: expected numbers above zero", v.workers, v.list)
	}
	ctx := cmd.Context()
	options := verify.Options{Account: v.account, Workers: v.workers, Most: v.list}
	switch {
	case v.kept.Name != "":
		leaves, err := v.kept.Open(&options)
		if errors.Is(err, verify.ErrNotSigned) {
			return &cli.Exit{Code: cli.FailedCheck, Err: err}
		}
		if err != nil {
			return err
		}
		defer leaves.Close()
	case v.kept.Leaves != "":
		return fmt.Errorf("--leaves %s: is of use with --checkpoint only", v.kept.Leaves)
	}
	db, err := v.db.Open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	if options.Programs, err = programs.Open(ctx, db); err != nil {
		return err
	}
	report, err := v.check(ctx, db, options)
	if err != nil {
		return err
	}
	if v.account != "" && report.Accounts == 0 && report.Count == 0 {
		return fmt.Errorf("--account %q: there is no such account", v.account)
	}
	if err := v.output.Write(cmd.OutOrStdout(), report.WriteJSON, report.WriteTable); err != nil {
		return err
	}
	if !v.readOnly && v.account == "" {
		if err := report.Record(ctx, db); err != nil {
			return fmt.Errorf("%w (with --read-only it is not recorded)", err)
		}
	}
	if report.Count > 0 {
		return cli.Failed("the database is not what its log adds up to; differences: %d", report.Count)
	}
	return nil
}

// check runs the check and shows how far it is.
func (v *verification) check(ctx context.Context, db *durable.Database, o verify.Options) (*verify.Report, error) {
	var checked atomic.Int64
	o.Checked = checked.Store
	done := progress.Show("accounts checked", progress.Units, 0, checked.Load)
	defer done()
	return verify.Run(ctx, db, o)
}
