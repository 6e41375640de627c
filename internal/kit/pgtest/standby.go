package pgtest

import (
	"fmt"
	"strings"
	"testing"

	"recoup/internal/kit/pgcluster"
)

// Trio is a PostgreSQL server and two standbys of it, of which one has to have on disk
// whatever is committed: any of the three may be the primary.
type Trio struct {
	Primary  *Cluster
	Standbys []*Cluster
	all      []*pgcluster.Cluster
}

// trio are settings of servers that take each other's place: what one needs to come
// back as a standby (pg_rewind), how soon a standby looks again for its primary, for which
// commits wait, and shared memory of which a crash leaves nothing.
var trio = []string{"wal_log_hints=on", "wal_keep_size=512MB", "wal_retrieve_retry_interval=100ms", "dynamic_shared_memory_type=mmap"}

// StartTrio starts a trio for this test alone, of which it may kill any.
func StartTrio(t testing.TB) *Trio {
	t.Helper()
	r := &Trio{Primary: Start(t, trio...)}
	r.all = append(r.all, r.Primary.Cluster)
	var names []string
	for i := range 3 {
		names = append(names, fmt.Sprintf("node%d", i+1))
	}
	r.Primary.Name = names[0]
	for _, name := range names[1:] {
		s := r.Primary.Standby(t, name)
		r.Standbys, r.all = append(r.Standbys, s), append(r.all, s.Cluster)
	}
	// Whoever is the primary waits for one of the other two.
	noError(t, r.Primary.Synchronous(Any1(names...)))
	for _, s := range r.Standbys {
		noError(t, s.Synchronous(Any1(names...)))
	}
	return r
}

// Any1 is what synchronous_standby_names says to wait for any one of those named.
func Any1(names ...string) string { return "ANY 1 (" + strings.Join(names, ", ") + ")" }

// URL is that of a database, wherever it takes changes.
func (r *Trio) URL(database string) string { return pgcluster.OneOf(database, r.all...) }

// Promote has the standby that has received most take the place of the primary, which is
// down, and the other follow it.
func (r *Trio) Promote(t testing.TB) {
	t.Helper()
	furthest, most := 0, int64(-1)
	for i, s := range r.Standbys {
		received, err := s.Received()
		noError(t, err)
		if received > most {
			furthest, most = i, received
		}
	}
	dead := r.Primary
	r.Primary = r.Standbys[furthest]
	noError(t, r.Primary.Promote())
	other := r.Standbys[1-furthest]
	noError(t, other.Follow(r.Primary.Cluster))
	r.Standbys = []*Cluster{other, dead}
}

// Rejoin has the server whose place was taken come back as a standby.
func (r *Trio) Rejoin(t testing.TB) {
	t.Helper()
	noError(t, r.Standbys[1].Cluster.Rejoin(r.Primary.Cluster))
}

// Standby makes a standby of the server.
func (c *Cluster) Standby(t testing.TB, name string) *Cluster {
	t.Helper()
	s, err := c.Cluster.Standby(name)
	noError(t, err)
	t.Cleanup(func() { noError(t, s.Close()) })
	return &Cluster{s, false}
}

// Crash takes all processes of the server away.
func (c *Cluster) Crash(t testing.TB) {
	t.Helper()
	noError(t, c.Cluster.Crash())
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
