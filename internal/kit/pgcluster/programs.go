package pgcluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// ErrNotInstalled says that this machine has no PostgreSQL server programs.
var ErrNotInstalled = errors.New("found no PostgreSQL server (initdb and postgres in the PATH or in /usr/lib/postgresql/*/bin): " +
	"`sh scripts/tools.sh`, which `make test` runs, installs Debian's postgresql")

// FindPrograms returns the folder of the newest PostgreSQL server programs on
// this machine, or ErrNotInstalled.
func FindPrograms() (string, error) {
	best, newest := "", -1
	installed, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	for _, dir := range installed {
		major, err := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
		if err == nil && major > newest && hasServer(dir) {
			best, newest = dir, major
		}
	}
	if best != "" {
		return best, nil
	}
	if initdb, err := exec.LookPath("initdb"); err == nil {
		if initdb, err = filepath.EvalSymlinks(initdb); err == nil && hasServer(filepath.Dir(initdb)) {
			return filepath.Dir(initdb), nil
		}
	}
	return "", ErrNotInstalled
}

func hasServer(dir string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// Bin returns the path of a PostgreSQL program, for example "pgbench".
func (c *Cluster) Bin(name string) string { return filepath.Join(c.programs, name) }

// run runs a program to its end as the cluster's user.
func (c *Cluster) run(name string, arguments ...string) error {
	_, err := c.output(name, arguments...)
	return err
}

// output is run for a program that has something to say.
func (c *Cluster) output(name string, arguments ...string) (string, error) {
	command := exec.Command(c.Bin(name), arguments...)
	c.as(command)
	output, err := command.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", name, err, output)
	}
	return string(output), nil
}
