package plan_test

import (
	"math"
	"testing"
	"time"

	"recoup/internal/bench/plan"
)

// near sees that a figure is what a closed form says, within a share of it.
func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within*want {
		t.Errorf("%s is %.6g, by the closed form it is %.6g", what, got, want)
	}
}

func run(t *testing.T, m plan.Model) *plan.Result {
	t.Helper()
	m.Servers, m.Seed = max(m.Servers, 1), 7
	r, err := m.Run()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func evenly(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = 1 / float64(n)
	}
	return list
}

// One lane that takes one event at a time, each for as long, is the queue M/D/1: an event
// waits on average ρ/(2(1-ρ)) times as long as it takes (Pollaczek and Khinchine).
func TestOneAtATime(t *testing.T) {
	const takes = time.Millisecond
	for _, load := range []float64{0.3, 0.5, 0.8, 0.9} {
		r := run(t, plan.Model{
			Rate: load / takes.Seconds(), Shares: evenly(1), Cores: 1, Lanes: 1, MaxBatch: 1, Commit: takes,
			Warmup: 10 * time.Second, Duration: 600 * time.Second,
		})
		near(t, "the mean time", float64(r.Mean), float64(takes)*(1+load/(2*(1-load))), 0.05)
		near(t, "the processor's share of time", r.Processor, load, 0.02)
		near(t, "the lane's share of time", r.Lane, load, 0.02)
		near(t, "the batch", r.Batch, 1, 0)
	}
}

// gathered is the mean time of events that are served together, all that wait at a time,
// each time for as long. While one service runs, λD events arrive, which wait D/2 on
// average and then for their own D; if none did, which has the probability exp(-λD), the
// next event finds nobody and takes D.
func gathered(rate, takes float64) float64 {
	during, none := rate*takes, math.Exp(-rate*takes)
	return takes * (1.5*during + none) / (during + none)
}

// A lane with no limit to its batches gathers.
func TestALaneGathers(t *testing.T) {
	const takes = 5 * time.Millisecond
	for _, rate := range []float64{20, 200, 2000} {
		r := run(t, plan.Model{
			Rate: rate, Shares: evenly(1), Cores: 1, Lanes: 1, MaxBatch: math.MaxInt, Commit: takes,
			Warmup: time.Second, Duration: 200000 * time.Second / time.Duration(rate),
		})
		near(t, "the mean time", r.Mean.Seconds(), gathered(rate, takes.Seconds()), 0.02)
		during := rate * takes.Seconds()
		near(t, "the batch", r.Batch, during+math.Exp(-during), 0.02)
	}
}

// A disk gathers the commits of many lanes, of which none ever waits for itself, and what
// the standby takes comes on top, for it has one each.
func TestADiskGathers(t *testing.T) {
	const sync, standby = time.Millisecond, 3 * time.Millisecond
	for _, rate := range []float64{100, 1000, 5000} {
		r := run(t, plan.Model{
			Rate: rate, Shares: evenly(1), Cores: 1, Lanes: 1 << 14, MaxBatch: 1, Sync: sync, Standby: standby,
			Warmup: time.Second, Duration: 200000 * time.Second / time.Duration(rate),
		})
		near(t, "the mean time", r.Mean.Seconds(), standby.Seconds()+gathered(rate, sync.Seconds()), 0.02)
	}
}

// Work is neither lost nor made: processors are at work for what was asked of them,
// wherever it is, and a server that has half of the load has half of the work.
func TestWorkIsKept(t *testing.T) {
	r := run(t, plan.Model{
		Rate: 20_000, Shares: []float64{0.5, 0.3, 0.2}, Servers: 3, Cores: 4, Lanes: 2, MaxBatch: 1000,
		Commit: 100 * time.Microsecond, Event: 50 * time.Microsecond, Apply: 10 * time.Microsecond, Sync: 200 * time.Microsecond,
		Warmup: time.Second, Duration: 20 * time.Second,
	})
	near(t, "the rate", r.Rate, 20_000, 0.01)
	near(t, "the batches", r.Batch*r.Commits, 20_000, 0.01)
	near(t, "the work of all", r.Processors*12, r.Commits*100e-6+20_000*50e-6, 0.01)
	if r.Processor*4 < 10_000*50e-6 || r.Processor <= r.Processors {
		t.Errorf("the busiest server works for %.3f of its processors", r.Processor*4)
	}
}

// Beyond what its processors can do, a server falls behind, and that shows.
func TestTooMuch(t *testing.T) {
	m := plan.Model{
		Shares: evenly(8), Servers: 1, Cores: 2, Lanes: 1, MaxBatch: 100, Event: 100 * time.Microsecond, Sync: 100 * time.Microsecond,
		Warmup: time.Second, Duration: 5 * time.Second, Seed: 1,
	}
	for rate, keepsUp := range map[float64]bool{15_000: true, 25_000: false} {
		m.Rate = rate
		r, err := m.Run()
		if err != nil {
			t.Fatal(err)
		}
		if r.KeepsUp(&m) != keepsUp || !keepsUp && math.Abs(r.Rate-20_000) > 400 {
			t.Errorf("at %v events a second, of which 20,000 can be done, %.0f are, and %d wait", rate, r.Rate, r.Waiting)
		}
	}
}

func TestShares(t *testing.T) {
	sum := func(list []float64) (s, most float64) {
		for _, x := range list {
			s, most = s+x, max(most, x)
		}
		return s, most
	}
	for _, c := range []struct {
		accounts    int
		skew        float64
		least, most float64 // of the busiest of 256 shards, in even shares
	}{
		{10_000_000, 0, 1, 1.02},   // 39,000 accounts each, give or take 200
		{100_000_000, 1, 14, 17},   // the most active account has 1/(ln 10^8 + 0.577) = 5.3 %, which is 13.5, and others beside it
		{100_000_000, 0.8, 2, 2.6}, // with 0.8 it has 1/195, which is 1.3
		{100_000_000, 0.5, 1, 1.1}, // and with 0.5 nothing to speak of
	} {
		s, most := sum(plan.Shares(c.accounts, c.skew, 256))
		near(t, "the sum of all shares", s, 1, 1e-9)
		if most *= 256; most < c.least || most > c.most {
			t.Errorf("of %d accounts with skew %v the busiest shard has %.2f even shares, want %v to %v", c.accounts, c.skew, most, c.least, c.most)
		}
	}
}

// Spreading the less active accounts evenly makes no difference that matters.
func TestTheRestIsSpreadEvenly(t *testing.T) {
	const accounts, shards, skew = 4_000_000, 256, 0.9
	exact := plan.ExactShares(accounts, skew, shards)
	for i, share := range plan.Shares(accounts, skew, shards) {
		near(t, "a share", share, exact[i], 0.01)
	}
}

func TestNonsenseIsRefused(t *testing.T) {
	good := plan.Model{Rate: 1, Shares: evenly(2), Servers: 2, Cores: 1, Lanes: 1, MaxBatch: 1, Duration: time.Second}
	if _, err := good.Run(); err != nil {
		t.Fatal(err)
	}
	for what, spoil := range map[string]func(*plan.Model){
		"no rate":                     func(m *plan.Model) { m.Rate = 0 },
		"more servers than shards":    func(m *plan.Model) { m.Servers = 3 },
		"no processor":                func(m *plan.Model) { m.Cores = 0 },
		"no time":                     func(m *plan.Model) { m.Duration = 0 },
		"a commit that takes no time": func(m *plan.Model) { m.Commit = -1 },
	} {
		m := good
		spoil(&m)
		if _, err := m.Run(); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}
