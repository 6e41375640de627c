package bench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib" // "pgx"

	"recoup/internal/kit/pgcluster"
)

// The stores that a suite can measure.
const (
	Pebble   = "pebble"
	Postgres = "postgres"
)

// Suite measures a service and what it could be compared with, in rounds: in each
// all of them take their turn, with fresh databases.
type Suite struct {
	Store string // Pebble or Postgres
	Load         // its Target is not used
	// Rounds is how often everything is measured; of each contender the round
	// with the median rate is reported.
	Rounds int
	// Dir is where databases are made, in a folder of their own that is removed;
	// empty for the system's own. A private PostgreSQL lives in the system's own.
	Dir string
	// Serve returns the command of a service over a database, named as on its
	// command line, that listens on an address.
	Serve func(db, listen string) *exec.Cmd
	// Progress is told what is being measured. Nil: nobody is.
	Progress func(string)
}

// ServiceName is the contender that the others are compared with.
const ServiceName = "recoup serve"

// Validate says what is wrong with the suite, in terms of its flags.
func (s *Suite) Validate() error {
	switch {
	case s.Store != Pebble && s.Store != Postgres:
		return fmt.Errorf("--store %q: expected pebble or postgres", s.Store)
	case s.Rounds < 1:
		return fmt.Errorf("--rounds %d: expected 1 or more", s.Rounds)
	}
	return s.Load.Validate()
}

// Run measures everything.
func (s *Suite) Run(ctx context.Context) (*Report, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(s.Dir, "recoup-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	list := s.onPebble
	if s.Store == Postgres {
		// Beside the load's clients there are the service's own connections.
		c, err := pgcluster.Start("max_connections=" + strconv.Itoa(s.Clients+64))
		if err != nil {
			return nil, err
		}
		defer c.Close()
		list = func(dir string) []contender { return s.onPostgres(c, dir) }
	}
	r := &Report{
		Store: s.Store, Clients: s.Clients, Batch: s.Batch, Accounts: s.Accounts,
		Warmup: s.Warmup.Seconds(), Duration: s.Duration.Seconds(), Processors: runtime.NumCPU(), Go: runtime.Version(),
	}
	for round := range s.Rounds {
		for i, c := range list(dir) {
			if s.Progress != nil {
				s.Progress(fmt.Sprintf("round %d of %d: %s", round+1, s.Rounds, c.name))
			}
			m, err := c.run(ctx)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			if round == 0 {
				r.Results = append(r.Results, Result{Name: c.name})
			}
			r.Results[i].Rounds = append(r.Results[i].Rounds, m)
		}
	}
	r.finish()
	return r, nil
}

// serve measures the service on a database.
func (s *Suite) serve(db string) func(context.Context) (*Measurement, error) {
	return func(ctx context.Context) (*Measurement, error) {
		service, err := startService(ctx, s.Serve, db)
		if err != nil {
			return nil, err
		}
		load := s.Load
		load.Target, load.Key = service.address, ""
		m, err := load.Run(ctx)
		usage, stopped := service.stop()
		if err != nil {
			return nil, fmt.Errorf("%w\n%s", err, service.log)
		}
		if stopped != nil {
			return nil, stopped
		}
		m.Server = usage
		return m, nil
	}
}

// onPebble are the contenders in folders, which are removed after use.
func (s *Suite) onPebble(dir string) []contender {
	in := func(name string, measure func(folder string) func(context.Context) (*Measurement, error)) contender {
		return contender{name, func(ctx context.Context) (m *Measurement, err error) {
			folder := filepath.Join(dir, "ledger")
			defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
			return measure(folder)(ctx)
		}}
	}
	return []contender{
		{"fsync", syncs(&s.Load, dir)},
		in("raw insertion", func(folder string) func(context.Context) (*Measurement, error) { return rawPebble(&s.Load, folder) }),
		in(ServiceName, s.serve),
	}
}

// onPostgres are the contenders on databases of a private PostgreSQL.
func (s *Suite) onPostgres(c *pgcluster.Cluster, dir string) []contender {
	fresh := func(name string, measure func(url string) func(context.Context) (*Measurement, error)) contender {
		return contender{name, func(ctx context.Context) (m *Measurement, err error) {
			if err := execute(ctx, c, "CREATE DATABASE contender", "CHECKPOINT"); err != nil {
				return nil, err
			}
			defer func() {
				err = errors.Join(err, execute(context.WithoutCancel(ctx), c, "DROP DATABASE contender WITH (FORCE)"))
			}()
			return measure(c.SocketURL("contender"))(ctx)
		}}
	}
	return []contender{
		{"fsync", syncs(&s.Load, dir)},
		fresh("pgbench -N", func(string) func(context.Context) (*Measurement, error) { return pgbench(&s.Load, c, "contender") }),
		fresh("naive SQL", func(url string) func(context.Context) (*Measurement, error) {
			return func(ctx context.Context) (*Measurement, error) {
				db, err := sql.Open("pgx", url)
				if err != nil {
					return nil, err
				}
				defer db.Close()
				db.SetMaxOpenConns(s.Clients)
				db.SetMaxIdleConns(s.Clients)
				return naive(&s.Load, db)(ctx)
			}
		}),
		fresh("raw insertion", func(url string) func(context.Context) (*Measurement, error) { return rawPostgres(&s.Load, url) }),
		fresh(ServiceName, func(url string) func(context.Context) (*Measurement, error) { return beside(c, s.serve(url)) }),
	}
}

// beside measures what a server uses up meanwhile.
func beside(c *pgcluster.Cluster, measure func(context.Context) (*Measurement, error)) func(context.Context) (*Measurement, error) {
	return func(ctx context.Context) (*Measurement, error) {
		before, err := spent(ctx, c)
		if err != nil {
			return nil, err
		}
		m, err := measure(ctx)
		if err != nil {
			return nil, err
		}
		after, err := spent(ctx, c)
		m.Database = &Usage{
			CPUSeconds: after.CPUSeconds - before.CPUSeconds, Commits: after.Commits - before.Commits,
			LogBytes: after.LogBytes - before.LogBytes, StoredBytes: after.StoredBytes - before.StoredBytes,
		}
		return m, err
	}
}

// spent is what a server has used up since it was started.
func spent(ctx context.Context, c *pgcluster.Cluster) (u Usage, err error) {
	conn, err := pgx.Connect(ctx, c.SocketURL("postgres"))
	if err != nil {
		return u, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	err = conn.QueryRow(ctx, `SELECT (SELECT sum(xact_commit)::INT8 FROM pg_stat_database), (pg_current_wal_lsn() - '0/0')::INT8,
		(SELECT sum(pg_database_size(oid))::INT8 FROM pg_database)`).Scan(&u.Commits, &u.LogBytes, &u.StoredBytes)
	if err != nil {
		return u, err
	}
	processor, err := c.ProcessorTime()
	u.CPUSeconds = processor.Seconds()
	return u, err
}

// execute executes statements that stand outside of transactions.
func execute(ctx context.Context, c *pgcluster.Cluster, statements ...string) error {
	conn, err := pgx.Connect(ctx, c.SocketURL("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}
