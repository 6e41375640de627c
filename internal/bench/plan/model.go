package plan

import (
	"fmt"
	"time"
)

// Model is what is to be simulated. Costs are those of one processor.
type Model struct {
	Rate     float64   // events a second
	Shares   []float64 // of the shards; they are dealt out to the servers in turn
	Servers  int       // of the database
	Cores    int       // of each
	Lanes    int       // for each shard: processes of the service
	MaxBatch int       // events in a commit, at most

	Commit  time.Duration // of the server's processor, a commit
	Event   time.Duration // and each event in it
	Apply   time.Duration // of the service's, each event
	Sync    time.Duration // of the server's disk, for all commits that are ready
	Standby time.Duration // until the standby has confirmed, and network

	Warmup, Duration time.Duration // simulated, of which only the second counts
	Seed             uint64
}

// Validate says what is wrong with the model, in terms of its flags.
func (m *Model) Validate() error {
	switch {
	case m.Rate <= 0:
		return fmt.Errorf("--rate %v: expected more than 0", m.Rate)
	case m.Servers < 1 || m.Cores < 1 || m.Lanes < 1 || m.MaxBatch < 1:
		return fmt.Errorf("--servers %d --processors %d --processes %d --max-batch %d: expected at least 1 of each", m.Servers, m.Cores, m.Lanes, m.MaxBatch)
	case len(m.Shares) < m.Servers:
		return fmt.Errorf("--servers %d: expected at most one for each of %d shards", m.Servers, len(m.Shares))
	case m.Duration <= 0:
		return fmt.Errorf("--duration %v: expected more than 0", m.Duration)
	case min(m.Commit, m.Event, m.Apply, m.Sync, m.Standby, m.Warmup) < 0:
		return fmt.Errorf("expected no time below 0")
	}
	return nil
}

// Result is what came of it. Shares of time are from 0 to 1.
type Result struct {
	Rate       float64 // events a second that were answered
	Waiting    int     // events that waited in the end
	Batch      float64 // events in a commit
	Commits    float64 // a second
	Processor  float64 // share of time that the processors of the busiest server work
	Processors float64 // and those of all servers
	Disk       float64 // share of time that the busiest disk syncs
	Lane       float64 // share of time that the busiest lane is in a commit
	Shard      float64 // share of all events that the busiest shard has
	// From an event's arrival to its answer.
	Mean, P50, P99, Max time.Duration
}

// KeepsUp reports whether what waited in the end is no more than what comes in a moment.
func (r *Result) KeepsUp(m *Model) bool {
	return float64(r.Waiting) < m.Rate*max(3*r.P99.Seconds(), 0.05) && r.Rate > 0.98*m.Rate
}
