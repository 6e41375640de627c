package bench

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"recoup/internal/kit/tabular"
)

// Report is what a suite found out.
type Report struct {
	Store      string   `json:"store"`
	Clients    int      `json:"clients"`
	Batch      int      `json:"batch"`
	Accounts   int      `json:"accounts"`
	Warmup     float64  `json:"warmup_seconds"`
	Duration   float64  `json:"duration_seconds"`
	Processors int      `json:"processors"`
	Go         string   `json:"go"`
	Results    []Result `json:"results"`
}

// Result is what was measured of one contender.
type Result struct {
	Name   string         `json:"name"`
	Median *Measurement   `json:"median"` // the round with the median rate
	Rounds []*Measurement `json:"rounds"`
	// Service is the service's rate as a multiple of this one's.
	Service float64 `json:"service_ratio"`
}

// finish works out the medians.
func (r *Report) finish() {
	for i := range r.Results {
		r.Results[i].Median = median(r.Results[i].Rounds)
	}
	service := r.Results[len(r.Results)-1].Median
	for i := range r.Results {
		if rate := r.Results[i].Median.Rate; rate > 0 {
			r.Results[i].Service = float64(service.Rate*100/rate) / 100
		}
	}
}

// median returns the round with the median rate, of an even number the lower of
// the two.
func median(rounds []*Measurement) *Measurement {
	byRate := slices.SortedFunc(slices.Values(rounds), func(a, b *Measurement) int { return cmp.Compare(a.Rate, b.Rate) })
	return byRate[(len(byRate)-1)/2]
}

// Failed returns how many requests to the service failed, over all rounds.
func (r *Report) Failed() (n int64) {
	for _, m := range r.Results[len(r.Results)-1].Rounds {
		n += m.Failed
	}
	return n
}

// WriteTable prints the medians.
func (r *Report) WriteTable(w io.Writer) error {
	fmt.Fprintf(w, "%s, %d clients, %s a request, %d accounts; medians of %d rounds of %gs, on %d processors\n",
		r.Store, r.Clients, counted(r.Batch, "event"), r.Accounts, len(r.Results[0].Rounds), r.Duration, r.Processors)
	table := tabular.New(w, append(measured, ">service ÷ it")...)
	for _, result := range r.Results {
		ratio := ""
		if result.Name != ServiceName {
			ratio = fmt.Sprintf("%.2f", result.Service)
		}
		table.AppendRow(append(result.Median.row(result.Name), ratio))
	}
	table.Render()
	service := r.Results[len(r.Results)-1].Median
	if u := service.Server; u != nil {
		fmt.Fprintf(w, "The service used %.1f s of processor time, from its start to its end, %.0f µs an event, and %d MB of memory at most.\n",
			u.CPUSeconds, u.each(service.Answered), u.MaxMemoryMB)
	}
	if u := service.Database; u != nil {
		n := max(service.Answered, 1)
		fmt.Fprintf(w, "The database used %.1f s meanwhile, %.0f µs an event, for %d events in %d commits; it wrote %d bytes of log and grew by %d bytes an event.\n",
			u.CPUSeconds, u.each(n), n, u.Commits, u.LogBytes/n, u.StoredBytes/n)
	}
	return nil
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
