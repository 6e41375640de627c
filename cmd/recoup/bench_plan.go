package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/bench/plan"
	"recoup/internal/kit/tabular"
)

// planOptions are the flags of `recoup bench plan`.
type planOptions struct {
	plan.Model
	rates, servers []int
	shards         int
	accounts       int
	skews          []string
	output         string
}

func benchPlanCommand() *cobra.Command {
	var o planOptions
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
			if err := checkOutput(o.output); err != nil {
				return err
			}
			return o.run(cmd)
		},
	}
	f := cmd.Flags()
	f.IntSliceVar(&o.rates, "rate", []int{100_000}, "events a second")
	f.IntSliceVar(&o.servers, "servers", []int{1}, "database servers, over which the shards are dealt out")
	f.IntVar(&o.Cores, "processors", 32, "of each of them")
	f.IntVar(&o.shards, "shards", 256, "in all")
	f.IntVar(&o.Lanes, "processes", 4, "of the service, each of which has a lane for each shard")
	f.IntVar(&o.accounts, "accounts", 100_000_000, "of which the busiest are in one shard each")
	f.StringSliceVar(&o.skews, "skew", []string{"0.8"}, "an account's activity is its rank to the power of minus this; 0: all are alike")
	f.IntVar(&o.MaxBatch, "max-batch", 1000, "events in a commit, at most")
	f.DurationVar(&o.Commit, "commit", 0, "a database processor's time for a commit")
	f.DurationVar(&o.Event, "event", 0, "and for each event in it")
	f.DurationVar(&o.Apply, "apply", 0, "a service processor's time for each event")
	f.DurationVar(&o.Sync, "sync", 0, "the disk's time for a sync")
	f.DurationVar(&o.Standby, "standby", 0, "until a standby has confirmed a commit, and the network")
	f.DurationVar(&o.Duration, "duration", time.Second, "of the time that is simulated")
	f.DurationVar(&o.Warmup, "warmup", 500*time.Millisecond, "and what is simulated before that, and does not count")
	f.Uint64Var(&o.Seed, "seed", 1, "of all draws")
	f.StringVar(&o.output, "output", "table", "table or json")
	return cmd
}

// planned is what came of one case.
type planned struct {
	Rate    int     `json:"rate"`
	Servers int     `json:"servers"`
	Skew    float64 `json:"skew"`
	KeepsUp bool    `json:"keeps_up"`
	*plan.Result
}

func (o *planOptions) run(cmd *cobra.Command) error {
	if o.shards < 1 || o.shards > plan.Buckets {
		return fmt.Errorf("--shards %d: expected 1 to %d", o.shards, plan.Buckets)
	}
	if o.accounts < 1 {
		return errors.New("--accounts: expected 1 or more")
	}
	var list []planned
	for _, text := range o.skews {
		skew, err := strconv.ParseFloat(text, 64)
		if err != nil || skew < 0 || skew > 2 {
			return fmt.Errorf("--skew %q: expected a number from 0 to 2", text)
		}
		m := o.Model
		m.Shares = plan.Shares(o.accounts, skew, o.shards)
		for _, rate := range o.rates {
			for _, servers := range o.servers {
				m.Rate, m.Servers = float64(rate), servers
				r, err := m.Run()
				if err != nil {
					return err
				}
				list = append(list, planned{rate, servers, skew, r.KeepsUp(&m), r})
			}
		}
	}
	return write(cmd.OutOrStdout(), o.output, func(w io.Writer) error { return tabular.WriteJSON(w, list) }, func(w io.Writer) error {
		table := tabular.New(w, ">rate", ">servers", ">skew", ">answered/s", ">busiest shard", ">lane", ">processors", ">disk", ">commits/s", ">events each", ">p50", ">p99", "verdict")
		for i := range list {
			table.AppendRow(list[i].row())
		}
		table.Render()
		return nil
	})
}

func (p *planned) row() tabular.Row {
	verdict := "keeps up"
	if !p.KeepsUp {
		verdict = "falls behind"
	}
	percent := func(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }
	return tabular.Row{
		p.Rate, p.Servers, p.Skew, int(p.Result.Rate), percent(p.Shard), percent(p.Lane), percent(p.Processor), percent(p.Disk),
		int(p.Commits), fmt.Sprintf("%.1f", p.Batch), p.P50.Round(10 * time.Microsecond), p.P99.Round(10 * time.Microsecond), verdict,
	}
}
