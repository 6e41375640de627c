package bench

import (
	"fmt"
	"io"
	"time"

	"recoup/internal/kit/tabular"
)

// Measurement is what one run came to. Latencies are of requests, in
// microseconds.
type Measurement struct {
	Rate     int64            `json:"events_per_second"`
	P50      int64            `json:"p50_us"`
	P99      int64            `json:"p99_us"`
	Max      int64            `json:"max_us"`
	Seconds  float64          `json:"seconds"`
	Events   int64            `json:"events"`
	Requests int64            `json:"requests"`
	Failed   int64            `json:"failed_requests"`
	Outcomes map[string]int64 `json:"outcomes,omitempty"`
	Failures map[string]int64 `json:"failures,omitempty"`
	// Answered is how many events were answered in all, also before and after what counts.
	Answered int64 `json:"answered,omitempty"`
	// Server is what the service used up, where this process started it, and Database
	// what its PostgreSQL did meanwhile.
	Server   *Usage `json:"server,omitempty"`
	Database *Usage `json:"database,omitempty"`
}

// Usage is what a process used up.
type Usage struct {
	CPUSeconds  float64 `json:"cpu_seconds"`
	MaxMemoryMB int64   `json:"max_memory_mb,omitempty"`
	// Of a database: transactions, bytes of its write-ahead log, and by how much it grew.
	Commits     int64 `json:"commits,omitempty"`
	LogBytes    int64 `json:"log_bytes,omitempty"`
	StoredBytes int64 `json:"stored_bytes,omitempty"`
}

// each is the processor time for each event, in microseconds.
func (u *Usage) each(events int64) float64 { return u.CPUSeconds / float64(max(events, 1)) * 1e6 }

func (m *Measurement) setLatencies(l *latencies) {
	m.P50, m.P99, m.Max = l.quantile(500).Microseconds(), l.quantile(990).Microseconds(), l.max.Microseconds()
}

// WriteTable prints the measurement of a load on a service that was there.
func (m *Measurement) WriteTable(w io.Writer) error {
	table := tabular.New(w, measured...)
	table.AppendRow(m.row("service"))
	table.Render()
	return nil
}

// measured are the columns of a measurement.
var measured = []string{"what", ">events/s", ">p50", ">p99", ">max", ">failed"}

func (m *Measurement) row(name string) tabular.Row {
	return tabular.Row{name, m.Rate, micros(m.P50), micros(m.P99), micros(m.Max), m.Failed}
}

// micros shows microseconds with three digits or so; "" for none.
func micros(n int64) string {
	switch d := time.Duration(n) * time.Microsecond; {
	case n == 0:
		return ""
	case n < 10_000:
		return d.Round(10 * time.Microsecond).String()
	default:
		return fmt.Sprintf("%dms", d.Round(time.Millisecond).Milliseconds())
	}
}
