package plan

import (
	"container/heap"
	"math/rand/v2"
	"slices"
	"time"
)

// Run simulates the model.
func (m *Model) Run() (*Result, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	r := newRun(m)
	r.work()
	return r.result(), nil
}

// run is a simulation. Times are nanoseconds since its beginning.
type run struct {
	*Model
	random  *rand.Rand
	shards  *dice
	now     int64
	agenda  agenda
	lanes   []lane
	servers []server
	waits   []int64 // of the events that were answered, where it counts
	commits int
}

// lane is one process's way into one shard.
type lane struct {
	server  int
	waiting []int64 // when what waits has arrived
	batch   []int64 // and what is in the commit under way
	since   int64   // when that began
	busy    int64   // how long there was one, where it counts
}

func newRun(m *Model) *run {
	r := &run{
		Model: m, random: rand.New(rand.NewPCG(m.Seed, 1)), shards: newDice(m.Shares),
		lanes: make([]lane, len(m.Shares)*m.Lanes), servers: make([]server, m.Servers),
	}
	for i := range r.lanes {
		r.lanes[i].server = i / m.Lanes % m.Servers
	}
	for i := range r.servers {
		r.servers[i].idle = m.Cores
	}
	return r
}

// step is what comes after what is under way.
type step int

const (
	arrived  step = iota // an event
	applied              // the service has applied a lane's batch
	written              // a server's processor has done its part
	synced               // a server's disk has
	answered             // the standby has
)

func (r *run) work() {
	end := int64(r.Warmup + r.Duration)
	r.agenda.add(r.gap(), arrived, 0)
	for {
		next := heap.Pop(&r.agenda).(entry)
		if r.now = next.at; r.now > end {
			r.now = end
			return
		}
		switch next.step {
		case arrived:
			at := r.shards.roll(r.random)*r.Lanes + r.random.IntN(r.Lanes)
			r.lanes[at].waiting = append(r.lanes[at].waiting, r.now)
			r.begin(at)
			r.agenda.add(r.now+r.gap(), arrived, 0)
		case applied:
			r.servers[r.lanes[next.of].server].ready(r, next.of)
		case written:
			r.servers[r.lanes[next.of].server].written(r, next.of)
		case synced:
			r.servers[next.of].synced(r, next.of)
		case answered:
			r.answer(next.of)
		}
	}
}

// gap is the time until the next event arrives: they come at random.
func (r *run) gap() int64 { return int64(r.random.ExpFloat64() / r.Rate * 1e9) }

// begin has a lane do what waits, unless it is at something.
func (r *run) begin(at int) {
	l := &r.lanes[at]
	if len(l.batch) > 0 || len(l.waiting) == 0 {
		return
	}
	n := min(len(l.waiting), r.MaxBatch)
	l.batch = append(l.batch, l.waiting[:n]...)
	l.waiting = append(l.waiting[:0], l.waiting[n:]...)
	l.since = r.now
	r.agenda.add(r.now+int64(n)*int64(r.Apply), applied, at)
}

func (r *run) answer(at int) {
	l := &r.lanes[at]
	if r.counts() {
		r.commits++
		for _, arrival := range l.batch {
			r.waits = append(r.waits, r.now-arrival)
		}
	}
	l.busy += r.within(l.since, r.now)
	l.batch = l.batch[:0]
	r.begin(at)
}

func (r *run) counts() bool { return r.now >= int64(r.Warmup) }

func (r *run) result() *Result {
	counted := float64(r.Duration)
	res := &Result{Rate: float64(len(r.waits)) / r.Duration.Seconds(), Commits: float64(r.commits) / r.Duration.Seconds(), Shard: slices.Max(r.Shares)}
	if r.commits > 0 {
		res.Batch = float64(len(r.waits)) / float64(r.commits)
	}
	for i := range r.lanes {
		l := &r.lanes[i]
		if len(l.batch) > 0 {
			l.busy += r.within(l.since, r.now)
		}
		res.Waiting += len(l.waiting) + len(l.batch)
		res.Lane = max(res.Lane, float64(l.busy)/counted)
	}
	for i := range r.servers {
		s := &r.servers[i]
		res.Disk = max(res.Disk, float64(s.syncing)/counted)
		res.Processor = max(res.Processor, float64(s.working)/counted/float64(r.Cores))
		res.Processors += float64(s.working) / counted / float64(r.Cores*r.Servers)
	}
	slices.Sort(r.waits)
	if n := len(r.waits); n > 0 {
		sum := 0.0
		for _, wait := range r.waits {
			sum += float64(wait)
		}
		res.Mean = time.Duration(sum / float64(n))
		res.P50, res.P99, res.Max = time.Duration(r.waits[n/2]), time.Duration(r.waits[n*99/100]), time.Duration(r.waits[n-1])
	}
	return res
}
