package bench

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"recoup/internal/kit/pgcluster"
)

// pgbenchScale returns pgbench's unit of size, 100,000 accounts, for a load: the
// smallest that has as many.
func pgbenchScale(l *Load) int { return (l.Accounts + 99_999) / 100_000 }

// pgbench runs pgbench -N, which in each transaction updates an account, reads
// it and adds a row to a history, with as many clients as the load has. It is
// PostgreSQL's own measure of small transactions.
func pgbench(l *Load, c *pgcluster.Cluster, database string) func(context.Context) (*Measurement, error) {
	return func(ctx context.Context) (*Measurement, error) {
		common := []string{"-h", c.SocketDir(), "-p", strconv.Itoa(c.Port()), "-U", "postgres"}
		run := func(arguments ...string) ([]byte, error) {
			output, err := exec.CommandContext(ctx, c.Bin("pgbench"), append(append(arguments, common...), database)...).CombinedOutput()
			if err != nil {
				return nil, fmt.Errorf("pgbench: %w\n%s", err, output)
			}
			return output, nil
		}
		if _, err := run("-i", "-q", "-s", strconv.Itoa(pgbenchScale(l))); err != nil {
			return nil, err
		}
		arguments := []string{"-N", "-n", "-c", strconv.Itoa(l.Clients), "-j", strconv.Itoa(min(l.Clients, 2)), "-T"}
		if s := wholeSeconds(l.Warmup); s > 0 {
			if _, err := run(append(arguments, strconv.Itoa(s))...); err != nil {
				return nil, err
			}
		}
		output, err := run(append(arguments, strconv.Itoa(max(1, wholeSeconds(l.Duration))))...)
		if err != nil {
			return nil, err
		}
		return parsePgbench(output)
	}
}

func wholeSeconds(d time.Duration) int { return int(d.Round(time.Second) / time.Second) }

var (
	pgbenchRate  = regexp.MustCompile(`(?m)^tps = ([0-9]+)`)
	pgbenchCount = regexp.MustCompile(`(?m)^number of transactions actually processed: ([0-9]+)`)
)

// parsePgbench reads what pgbench prints. It says nothing of quantiles.
func parsePgbench(output []byte) (*Measurement, error) {
	rate, count := pgbenchRate.FindSubmatch(output), pgbenchCount.FindSubmatch(output)
	if rate == nil || count == nil {
		return nil, fmt.Errorf("pgbench printed no rate:\n%s", output)
	}
	m := new(Measurement)
	m.Rate, _ = strconv.ParseInt(string(rate[1]), 10, 64)
	m.Events, _ = strconv.ParseInt(string(count[1]), 10, 64)
	m.Requests = m.Events
	if m.Rate > 0 {
		m.Seconds = float64(m.Events) / float64(m.Rate)
	}
	return m, nil
}
