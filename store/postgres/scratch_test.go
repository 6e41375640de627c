package postgres_test

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"recoup/internal/pgcluster"
	"recoup/internal/pgtest"
	"recoup/store/durable"
	"recoup/store/postgres"
)

func TestScratch(t *testing.T) {
	size, _ := strconv.Atoi(os.Getenv("SIZE"))
	if size == 0 {
		t.Skip()
	}
	c, err := pgcluster.Start("shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track_utility=on", "track_wal_io_timing=on", "max_wal_size=4GB", "shared_buffers=512MB")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	d := open(t, c.URL("postgres"), postgres.Options{Migrate: true})
	l := newLoad()
	var loading, rest time.Duration
	unit := func(n int) {
		r, picked := l.batch(n)
		a := time.Now()
		var b time.Time
		err := d.Update(context.Background(), func(tx durable.Tx) error {
			found, err := tx.Load(context.Background(), r)
			if err != nil {
				return err
			}
			loading += time.Since(a)
			ch := l.changes(r, picked, found.Numbers)
			b = time.Now()
			return tx.Write(context.Background(), ch)
		})
		rest += time.Since(b)
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 30 {
		unit(1000)
	}
	d.DB().Exec("CREATE EXTENSION pg_stat_statements")
	d.DB().Exec("SELECT pg_stat_statements_reset()")
	d.DB().Exec("SELECT pg_stat_reset_shared('wal')")
	loading, rest = 0, 0
	f, _ := os.Create("/tmp/pgcpu.prof")
	pprof.StartCPUProfile(f)
	start := time.Now()
	n := 0
	for time.Since(start) < 4*time.Second {
		unit(size)
		n++
	}
	total := time.Since(start)
	pprof.StopCPUProfile()
	fmt.Printf("%d units, %.0f events/s, per unit %v: load %v write %v\n", n, float64(n*size)/total.Seconds(), total/time.Duration(n), loading/time.Duration(n), rest/time.Duration(n))
	time.Sleep(1500 * time.Millisecond)
	var a, b2, c2, d2, e2 float64
	fmt.Println(d.DB().QueryRow("SELECT wal_records, wal_fpi, wal_bytes::float8, wal_write_time, wal_sync_time FROM pg_stat_wal").Scan(&a, &b2, &c2, &d2, &e2))
	fmt.Printf("per unit: records %.0f fpi %.0f bytes %.0f write %.2fms sync %.2fms\n", a/float64(n), b2/float64(n), c2/float64(n), d2/float64(n), e2/float64(n))
	var hot, upd int64
	fmt.Println(d.DB().QueryRow("SELECT n_tup_hot_upd, n_tup_upd FROM pg_stat_user_tables WHERE relname='accounts'").Scan(&hot, &upd), hot, upd)
	var sz string
	d.DB().QueryRow("SELECT string_agg(relname||' '||pg_relation_size(oid), ', ') FROM pg_class WHERE relname IN ('accounts','events','transactions','events_pkey','transactions_pkey','events_account_source_id_key','accounts_pkey')").Scan(&sz)
	fmt.Println(sz)
	rows, err := d.DB().Query("SELECT calls, total_exec_time/calls, rows/calls, wal_bytes/calls, left(regexp_replace(query, '\\s+', ' ', 'g'), 60) FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT 14")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var calls int64
		var ms float64
		var nrows int64
		var wal float64
		var q string
		if err := rows.Scan(&calls, &ms, &nrows, &wal, &q); err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%6d %8.3f ms %5d rows %9.0f wal  %s\n", calls, ms, nrows, wal, q)
	}
}

func TestScratchRaw(t *testing.T) {
	if os.Getenv("RAW") == "" {
		t.Skip()
	}
	c, err := pgcluster.Start("shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track_utility=on", "max_wal_size=4GB", "shared_buffers=512MB")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	d := open(t, c.URL("postgres"), postgres.Options{Migrate: true})
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, c.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	l := newLoad()
	next := int64(0)
	unit := func(n int) {
		r, picked := l.batch(n)
		numbers := make([]int64, n)
		for i := range numbers {
			next++
			numbers[i] = next
		}
		if err := insert(ctx, conn, l.changes(r, picked, numbers)); err != nil {
			t.Fatal(err)
		}
	}
	for range 30 {
		unit(1000)
	}
	d.DB().Exec("CREATE EXTENSION pg_stat_statements")
	d.DB().Exec("SELECT pg_stat_statements_reset()")
	start := time.Now()
	n := 0
	for time.Since(start) < 3*time.Second {
		unit(1000)
		n++
	}
	fmt.Printf("raw units %d per unit %v\n", n, time.Since(start)/time.Duration(n))
	stats(t, d)
}

func stats(t *testing.T, d *postgres.DB) {
	rows, err := d.DB().Query("SELECT calls, total_exec_time/calls, rows/calls, wal_bytes/calls, left(regexp_replace(query, '\\s+', ' ', 'g'), 60) FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT 7")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var calls int64
		var ms float64
		var nrows int64
		var wal float64
		var q string
		if err := rows.Scan(&calls, &ms, &nrows, &wal, &q); err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%6d %8.3f ms %5d rows %9.0f wal  %s\n", calls, ms, nrows, wal, q)
	}
}

func TestScratchPlans(t *testing.T) {
	if os.Getenv("PLANS") == "" {
		t.Skip()
	}
	d := open(t, pgtest.NewSchema(t), postgres.Options{Migrate: true})
	conn, err := d.DB().Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"SET enable_seqscan=off", "SET enable_hashjoin=off", "SET enable_mergejoin=off", "SET plan_cache_mode=force_generic_plan",
		"PREPARE a(text[], int8[]) AS SELECT a.account, CASE WHEN a.version <> k.held THEN a.head END FROM unnest($1,$2) AS k (account, held) JOIN accounts a ON a.account = k.account ORDER BY a.account FOR NO KEY UPDATE OF a",
		"PREPARE b(text[]) AS SELECT p.* FROM unnest($1::TEXT[]) AS k (of) CROSS JOIN LATERAL (SELECT * FROM transactions WHERE account = k.of AND working OFFSET 0) AS p",
		"PREPARE c(text[],text[]) AS SELECT p.* FROM unnest($1::TEXT[], $2::TEXT[]) AS k (of, name) CROSS JOIN LATERAL (SELECT * FROM transactions WHERE account = k.of AND id = k.name LIMIT 1) AS p",
		"PREPARE e(text[],text[],text[]) AS SELECT k.place, e.event FROM unnest($1::TEXT[], $2::TEXT[], $3::TEXT[]) WITH ORDINALITY AS k (of, origin, name, place) CROSS JOIN LATERAL (SELECT event FROM events WHERE account = k.of AND source = k.origin AND id = k.name LIMIT 1) AS e",
		"PREPARE f(text,int8) AS SELECT * FROM transactions WHERE account = $1 AND bucket = $2",
		"PREPARE g(text) AS SELECT * FROM transactions WHERE account = $1 AND working",
		"PREPARE h(text,text,int) AS SELECT * FROM transactions WHERE account = $1 AND id > $2 ORDER BY id LIMIT $3",
		"PREPARE u(text[],int8[],bytea[]) AS UPDATE accounts a SET version=k.base+1, head = k.head FROM unnest($1,$2,$3) AS k (account, base, head) WHERE a.account = k.account AND a.version = k.base",
	} {
		if _, err := conn.ExecContext(context.Background(), s); err != nil {
			t.Fatal(s, err)
		}
	}
	for _, s := range []string{"a(null,null)", "b(null)", "c(null,null)", "e(null,null,null)", "f(null,null)", "g(null)", "h(null,null,null)", "u(null,null,null)"} {
		rows, err := conn.QueryContext(context.Background(), "EXPLAIN EXECUTE "+s)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("==", s)
		for rows.Next() {
			var l string
			rows.Scan(&l)
			fmt.Println(l)
		}
	}
}
