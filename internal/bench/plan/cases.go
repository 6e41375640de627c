package plan

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"recoup/internal/kit/tabular"
)

// Cases are what is tried: each rate with each number of servers and each skew.
type Cases struct {
	Rates    []int    // events a second
	Servers  []int    // over which the shards are dealt out
	Skews    []string // an account's activity is its rank to the power of minus this
	Shards   int      // in all
	Accounts int
}

// Case is what came of one case.
type Case struct {
	Rate    int     `json:"rate"`
	Servers int     `json:"servers"`
	Skew    float64 `json:"skew"`
	KeepsUp bool    `json:"keeps_up"`
	*Result
}

// Planned are what came of all cases.
type Planned []Case

// Run tries all cases with a model, whose rate, servers and shares they are.
func (c *Cases) Run(m Model) (list Planned, err error) {
	if c.Shards < 1 || c.Shards > Buckets {
		return nil, fmt.Errorf("--shards %d: expected 1 to %d", c.Shards, Buckets)
	}
	if c.Accounts < 1 {
		return nil, errors.New("--accounts: expected 1 or more")
	}
	for _, text := range c.Skews {
		skew, err := strconv.ParseFloat(text, 64)
		if err != nil || skew < 0 || skew > 2 {
			return nil, fmt.Errorf("--skew %q: expected a number from 0 to 2", text)
		}
		m.Shares = Shares(c.Accounts, skew, c.Shards)
		for _, rate := range c.Rates {
			for _, servers := range c.Servers {
				m.Rate, m.Servers = float64(rate), servers
				r, err := m.Run()
				if err != nil {
					return nil, err
				}
				list = append(list, Case{rate, servers, skew, r.KeepsUp(&m), r})
			}
		}
	}
	return list, nil
}

// WriteTable writes the cases for people.
func (list Planned) WriteTable(w io.Writer) error {
	table := tabular.New(w, ">rate", ">servers", ">skew", ">answered/s", ">busiest shard", ">lane", ">processors", ">disk", ">commits/s", ">events each", ">p50", ">p99", "verdict")
	for i := range list {
		table.AppendRow(list[i].row())
	}
	table.Render()
	return nil
}

func (p *Case) row() tabular.Row {
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
