package pgcluster

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// Unprivileged returns who is to run the server if we are root, nil if we are
// not.
func Unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return nil, err
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, fmt.Errorf("PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody")
}

// as has the command run by the cluster's user, in a process group of its own,
// so that an interrupt from the keyboard does not reach it.
func (c *Cluster) as(command *exec.Cmd) {
	command.Dir = c.dir
	command.SysProcAttr = &syscall.SysProcAttr{Credential: c.owner, Setpgid: true}
}

// watchman waits until its standard input ends, which it does when the process
// that started it is gone, then stops the server and removes its folder.
const watchman = `cat >/dev/null
pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
if [ -n "$pid" ]; then
	kill -QUIT "$pid" 2>/dev/null
	n=0
	while kill -0 "$pid" 2>/dev/null && [ $n -lt 100 ]; do sleep 0.1; n=$((n+1)); done
fi
rm -rf "$1"`

// keepWatch starts the watchman. Nothing is ever written to him.
func (c *Cluster) keepWatch() error {
	command := exec.Command("/bin/sh", "-c", watchman, "sh", c.dir)
	c.as(command)
	command.Dir = "/"
	// As ourselves: the folder lies in one that only we may be able to change.
	command.SysProcAttr.Credential = nil
	in, err := command.StdinPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	c.watch = in
	go func() { _ = command.Wait() }() // leave no zombie
	return nil
}
