package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/bench"
	"recoup/internal/kit/tabular"
)

func benchCommand() *cobra.Command {
	var s bench.Suite
	var output string
	cmd := &cobra.Command{
		Use:   "bench --target URL | --store pebble|postgres",
		Short: "Measure how many events a second the service takes",
		Long: "With --target, a closed loop of clients sends events to a service that is running,\n" +
			"checks every answer and shows rate and latencies. Only on a service whose data\n" +
			"nobody needs: the events stay there.\n\n" +
			"With --store, everything is started on this machine and removed afterwards: a\n" +
			"database, the service, and in the same run what it can be compared with, which is\n" +
			"single syncs to the disk, the mere insertion of the same rows and, on PostgreSQL,\n" +
			"pgbench -N and one SQL transaction per event.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			if (s.Target == "") == (s.Store == "") {
				return errors.New("expected one of --target and --store")
			}
			if s.Target != "" {
				return benchTarget(cmd, &s.Load, output)
			}
			return benchStore(cmd, &s, output)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&s.Target, "target", "", "address of a service that is running, such as http://127.0.0.1:8080")
	flags.StringVar(&s.Key, "key", "", "API key for --target, of scope ingest and redeem")
	flags.StringVar(&s.Store, "store", "", "pebble or postgres: start a service and measure it")
	flags.IntVar(&s.Clients, "clients", 64, "how many send at the same time")
	flags.IntVar(&s.Batch, "batch", 1, "events in a request")
	flags.DurationVar(&s.Duration, "duration", 30*time.Second, "how long to measure")
	flags.DurationVar(&s.Warmup, "warmup", 5*time.Second, "how long to send before that")
	flags.IntVar(&s.Accounts, "accounts", 10_000, "over which the events are spread")
	flags.Uint64Var(&s.Seed, "seed", 1, "of all draws")
	flags.IntVar(&s.Rounds, "rounds", 3, "with --store: how often to measure; medians are shown")
	flags.StringVar(&s.Dir, "dir", "", "with --store: where to make the files, on the disk to be measured (default: where temporary files are)")
	flags.StringVar(&output, "output", "table", "table or json")
	cmd.AddCommand(benchPlanCommand())
	return cmd
}

func benchTarget(cmd *cobra.Command, l *bench.Load, output string) error {
	m, err := l.Run(cmd.Context())
	if err != nil {
		return benchFailure(err)
	}
	asJSON := func(w io.Writer) error { return tabular.WriteJSON(w, m) }
	if err := write(cmd.OutOrStdout(), output, asJSON, m.WriteTable); err != nil {
		return err
	}
	return benchFailed(m.Failed)
}

func benchStore(cmd *cobra.Command, s *bench.Suite, output string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	s.Serve = func(db, listen string) *exec.Cmd {
		return exec.Command(program, "serve", "--dev", "--db", db, "--listen", listen)
	}
	s.Progress = func(what string) { fmt.Fprintln(cmd.ErrOrStderr(), what) }
	r, err := s.Run(cmd.Context())
	if err != nil {
		return benchFailure(err)
	}
	asJSON := func(w io.Writer) error { return tabular.WriteJSON(w, r) }
	if err := write(cmd.OutOrStdout(), output, asJSON, r.WriteTable); err != nil {
		return err
	}
	return benchFailed(r.Failed())
}

// benchFailure tells a service that answers wrongly from one that cannot be
// measured.
func benchFailure(err error) error {
	if errors.Is(err, bench.ErrUnexpected) {
		return &exit{exitFailedCheck, err}
	}
	return err
}

func benchFailed(requests int64) error {
	if requests > 0 {
		return &exit{exitFailedCheck, fmt.Errorf("%d requests failed", requests)}
	}
	return nil
}
