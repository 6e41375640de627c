package bench_test

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/bench"
	"recoup/internal/kit/pgcluster"
)

// quick is a suite that is over soon, with this test binary as the service.
func quick(store string, batch int) *bench.Suite {
	s := &bench.Suite{Store: store, Rounds: 1}
	s.Load = *short("", 2, batch)
	s.Serve = func(_, listen string) *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asService+"="+listen)
		return cmd
	}
	return s
}

func TestASuiteMeasuresEverything(t *testing.T) {
	for _, c := range []struct {
		store string
		batch int
		want  []string
	}{
		{bench.Pebble, 1, []string{"fsync", "raw insertion", bench.ServiceName}},
		{bench.Pebble, 50, []string{"fsync", "raw insertion", bench.ServiceName}},
		{bench.Postgres, 20, []string{"fsync", "pgbench -N", "naive SQL", "raw insertion", bench.ServiceName}},
	} {
		t.Run(c.store, func(t *testing.T) {
			if _, err := pgcluster.FindPrograms(); c.store == bench.Postgres && err != nil {
				t.Fatal(err)
			}
			s := quick(c.store, c.batch)
			s.Dir = t.TempDir()
			var told []string
			s.Progress = func(what string) { told = append(told, what) }
			r := untilMeasured(t, s, &told)
			var names []string
			for _, result := range r.Results {
				names = append(names, result.Name)
				if result.Median.Rate == 0 || result.Median.Events == 0 || len(result.Rounds) != 1 || result.Service == 0 {
					t.Errorf("%s: %+v, ratio %g", result.Name, result.Median, result.Service)
				}
			}
			if strings.Join(names, ", ") != strings.Join(c.want, ", ") || len(told) != len(names) {
				t.Errorf("measured %q and told %q, want %q", names, told, c.want)
			}
			service := r.Results[len(r.Results)-1].Median
			if u := service.Database; (u != nil) != (c.store == bench.Postgres) || service.Answered < service.Events {
				t.Errorf("the database used %+v for %d events, %d of which count", u, service.Answered, service.Events)
			}
			if u := service.Server; u == nil || u.MaxMemoryMB == 0 {
				t.Errorf("the service used %+v", u)
			}
			if left, err := os.ReadDir(s.Dir); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
			var table strings.Builder
			if err := r.WriteTable(&table); err != nil {
				t.Error(err)
			}
			for _, name := range c.want {
				if !strings.Contains(table.String(), name) {
					t.Errorf("the table has no %s:\n%s", name, &table)
				}
			}
		})
	}
}

// untilMeasured runs a suite, on a busy machine as long as it takes until there is
// something of everything.
func untilMeasured(t *testing.T, s *bench.Suite, told *[]string) *bench.Report {
	t.Helper()
	for ; ; s.Duration *= 4 {
		*told = nil
		r, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		nothing := slices.ContainsFunc(r.Results, func(r bench.Result) bool { return r.Median.Events == 0 })
		if !nothing || s.Duration > 10*time.Second {
			return r
		}
	}
}

func TestASuiteTellsWhyTheServiceDidNotStart(t *testing.T) {
	s := quick(bench.Pebble, 1)
	s.Dir = t.TempDir()
	s.Duration, s.Warmup = time.Millisecond, 0
	s.Serve = func(string, string) *exec.Cmd { return exec.Command("sh", "-c", "echo no such flag; exit 2") }
	if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "it ended at once\nno such flag") {
		t.Errorf("the error is %v", err)
	}
}

func TestBadSuitesAreRefused(t *testing.T) {
	var none bench.Suite
	for _, c := range []struct {
		change func(*bench.Suite)
		want   string
	}{
		{func(s *bench.Suite) { s.Store = "oracle" }, `--store "oracle": expected pebble or postgres`},
		{func(s *bench.Suite) { s.Rounds = 0 }, "--rounds 0: expected 1 or more"},
		{func(s *bench.Suite) { s.Clients = 0 }, "--clients 0"},
	} {
		s := quick(bench.Pebble, 1)
		c.change(s)
		if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if err := none.Validate(); err == nil || errors.Is(err, bench.ErrUnexpected) {
		t.Errorf("the zero suite: %v", err)
	}
}
