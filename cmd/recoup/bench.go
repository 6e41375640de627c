package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/bench"
	"recoup/internal/bench/plan"
	"recoup/internal/cli"
	"recoup/internal/kit/tabular"
)

func benchCommand() *cobra.Command {
	var s bench.Suite
	var format *tabular.Format
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
			if (s.Target == "") == (s.Store == "") {
				return errors.New("expected one of --target and --store")
			}
			if s.Target != "" {
				return benchTarget(cmd, &s.Load, *format)
			}
			return benchStore(cmd, &s, *format)
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
	format = cli.Output(cmd)
	cmd.AddCommand(benchPlan())
	return cmd
}

func benchTarget(cmd *cobra.Command, l *bench.Load, format tabular.Format) error {
	m, err := l.Run(cmd.Context())
	if err != nil {
		return benchFailure(err)
	}
	if err := cli.WriteFound(cmd.OutOrStdout(), format, m); err != nil {
		return err
	}
	return benchFailed(m.Failed)
}

func benchStore(cmd *cobra.Command, s *bench.Suite, format tabular.Format) error {
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
	if err := cli.WriteFound(cmd.OutOrStdout(), format, r); err != nil {
		return err
	}
	return benchFailed(r.Failed())
}

// benchFailure tells a service that answers wrongly from one that cannot be
// measured.
func benchFailure(err error) error {
	if errors.Is(err, bench.ErrUnexpected) {
		return &cli.Exit{Code: cli.FailedCheck, Err: err}
	}
	return err
}

func benchFailed(requests int64) error {
	if requests > 0 {
		return cli.Failed("%d requests failed", requests)
	}
	return nil
}

func benchPlan() *cobra.Command {
	var m plan.Model
	var c plan.Cases
	var format *tabular.Format
	cmd := &cobra.Command{
		Use:   "plan --rate N --servers N",
		Short: "Simulate shards on servers, from figures that were measured",
		Long: "Works out how a number of database servers would get on with a load: how much of the\n" +
			"busiest server's processors and disk and of the busiest lane it takes, how many events\n" +
			"a commit has, and how long events wait. Accounts are of different activity, by a power\n" +
			"of their rank (--skew), and are hashed to 4,096 buckets and these to shards. What a\n" +
			"commit and an event cost is to be measured with `recoup bench --store postgres`\n" +
			"(docs/capacity.md). --rate, --servers and --skew may be lists: each is tried with each.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			planned, err := c.Run(m)
			if err != nil {
				return err
			}
			return cli.WriteFound(cmd.OutOrStdout(), *format, planned)
		},
	}
	f := cmd.Flags()
	f.IntSliceVar(&c.Rates, "rate", []int{100_000}, "events a second")
	f.IntSliceVar(&c.Servers, "servers", []int{1}, "database servers, over which the shards are dealt out")
	f.IntVar(&m.Cores, "processors", 32, "of each of them")
	f.IntVar(&c.Shards, "shards", 256, "in all")
	f.IntVar(&m.Lanes, "processes", 4, "of the service, each of which has a lane for each shard")
	f.IntVar(&c.Accounts, "accounts", 100_000_000, "of which the busiest are in one shard each")
	f.StringSliceVar(&c.Skews, "skew", []string{"0.8"}, "an account's activity is its rank to the power of minus this; 0: all are alike")
	f.IntVar(&m.MaxBatch, "max-batch", 1000, "events in a commit, at most")
	f.DurationVar(&m.Commit, "commit", 0, "a database processor's time for a commit")
	f.DurationVar(&m.Event, "event", 0, "and for each event in it")
	f.DurationVar(&m.Apply, "apply", 0, "a service processor's time for each event")
	f.DurationVar(&m.Sync, "sync", 0, "the disk's time for a sync")
	f.DurationVar(&m.Standby, "standby", 0, "until a standby has confirmed a commit, and the network")
	f.DurationVar(&m.Duration, "duration", time.Second, "of the time that is simulated")
	f.DurationVar(&m.Warmup, "warmup", 500*time.Millisecond, "and what is simulated before that, and does not count")
	f.Uint64Var(&m.Seed, "seed", 1, "of all draws")
	format = cli.Output(cmd)
	return cmd
}
