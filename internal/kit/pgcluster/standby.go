package pgcluster

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// Standby makes a standby of the cluster: a server of its own, which begins with a copy
// that pg_basebackup takes and from then on writes what the primary writes. It goes by a
// name, which is what the primary's synchronous_standby_names knows it by, and has the
// same settings. The caller has to Close it.
func (c *Cluster) Standby(name string) (*Cluster, error) {
	s := &Cluster{programs: c.programs, Name: name}
	err := s.create(func() error {
		// As with initdb: nothing is lost if the machine dies before this is on disk.
		return s.run("pg_basebackup", "-D", s.data(), "-d", c.source(name), "-X", "stream", "-c", "fast", "-R", "--no-sync")
	})
	if err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("make a standby: %w", err)
	}
	return s, nil
}

// source is what a standby with a name connects to the cluster by.
func (c *Cluster) source(name string) string {
	return fmt.Sprintf("host=127.0.0.1 port=%d user=postgres dbname=postgres application_name=%s", c.port, name)
}

// Synchronous has the cluster report a commit when standbys have it on disk, so many of
// those named as synchronous_standby_names says, such as "ANY 1 (a, b)"; with "", when
// it is on its own disk. A server does not wait for itself, so the names of all servers
// may stand in it, whichever of them is the primary.
func (c *Cluster) Synchronous(names string) error {
	if _, err := c.ask("ALTER SYSTEM SET synchronous_standby_names = '" + names + "'"); err != nil {
		return err
	}
	return c.reload()
}

// Promote has a standby become a primary: it takes changes when this returns.
func (c *Cluster) Promote() error {
	return c.run("pg_ctl", "promote", "-D", c.data(), "-w", "-t", strconv.Itoa(int(patience.Seconds())))
}

// Follow has a standby go on with another primary, which was a standby of the same one
// before and had received as much.
func (c *Cluster) Follow(primary *Cluster) error {
	if _, err := c.ask("ALTER SYSTEM SET primary_conninfo = '" + primary.source(c.Name) + "'"); err != nil {
		return err
	}
	return c.reload()
}

// Rejoin has a cluster that was the primary, and is down, come back as a standby of the
// one that took its place. What it wrote and that one never received is undone, by
// pg_rewind, which needs wal_log_hints=on.
func (c *Cluster) Rejoin(primary *Cluster) error {
	// Until its first checkpoint a server that was promoted says that it is still on the
	// timeline of the one before, and PostgreSQL 15's pg_rewind believes that there is
	// nothing to undo.
	if _, err := primary.ask("CHECKPOINT"); err != nil {
		return err
	}
	if err := c.run("pg_rewind", "-D", c.data(), "--source-server", primary.source(c.Name), "-R", "--no-sync"); err != nil {
		return err
	}
	return c.start()
}

// Received is how much of what the primary wrote a standby has on disk, in bytes since
// the beginning. Of several standbys the one that has most takes the primary's place.
func (c *Cluster) Received() (int64, error) {
	text, err := c.ask("SELECT pg_last_wal_receive_lsn() - '0/0'::pg_lsn")
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}

// reload has the server read its settings again.
func (c *Cluster) reload() error {
	_, err := c.ask("SELECT pg_reload_conf()")
	return err
}

// ask has psql ask the server something.
func (c *Cluster) ask(statement string) (string, error) {
	out, err := c.output("psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-d", c.SocketURL("postgres"), "-c", statement)
	return strings.TrimSpace(out), err
}

// OneOf is the URL of a database that one of several clusters has, a primary and its
// standbys: connections are made with whichever takes changes.
func OneOf(database string, clusters ...*Cluster) string {
	var hosts []string
	for _, c := range clusters {
		hosts = append(hosts, "127.0.0.1:"+strconv.Itoa(c.port))
	}
	return fmt.Sprintf("postgres://postgres@%s/%s?sslmode=disable&target_session_attrs=read-write", strings.Join(hosts, ","), url.PathEscape(database))
}

// Crash takes all processes of the server away at once, as the end of its machine does:
// no process gets to say good-bye, to its clients or to its standbys.
func (c *Cluster) Crash() error {
	if c.server == nil {
		return errors.New("the server is not running")
	}
	memory := c.sharedMemory()
	if err := killFamily(c.server.process.Pid); err != nil {
		return err
	}
	<-c.server.gone
	c.server = nil
	// A machine that dies leaves no shared memory.
	if output, err := exec.Command("ipcrm", "-m", memory).CombinedOutput(); err != nil {
		return fmt.Errorf("ipcrm -m %s: %w\n%s", memory, err, output)
	}
	return nil
}

// sharedMemory is the id of the piece of shared memory that the server has for as long as
// it runs, so that no two work on the same data.
func (c *Cluster) sharedMemory() string {
	pid, _ := os.ReadFile(c.pidFile())
	if lines := strings.Split(string(pid), "\n"); len(lines) > 6 {
		if fields := strings.Fields(lines[6]); len(fields) == 2 {
			return fields[1]
		}
	}
	return ""
}
