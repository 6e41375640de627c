package pgcluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// killFamily kills a process and its children, so that none sees another go: the parent
// is stopped first, and makes no more of them.
func killFamily(parent int) error {
	if err := syscall.Kill(parent, syscall.SIGSTOP); err != nil {
		return fmt.Errorf("stop process %d: %w", parent, err)
	}
	children, err := childrenOf(parent)
	for _, pid := range append(children, parent) {
		if failed := syscall.Kill(pid, syscall.SIGKILL); failed != nil && !errors.Is(failed, syscall.ESRCH) {
			err = errors.Join(err, fmt.Errorf("kill process %d: %w", pid, failed))
		}
	}
	return err
}

// ProcessorTime is how much processor time the server has used up since it was started,
// with all of its processes, those that have ended among them.
func (c *Cluster) ProcessorTime() (time.Duration, error) {
	if c.server == nil {
		return 0, errors.New("the server is not running")
	}
	children, err := childrenOf(c.server.process.Pid)
	ticks := int64(0)
	for _, pid := range append(children, c.server.process.Pid) {
		fields, err := statOf(pid)
		if err != nil {
			continue // it has ended, and its parent has its time
		}
		// Its own in user and in system mode, and that of its children which have ended.
		for _, field := range fields[11:15] {
			n, err := strconv.ParseInt(field, 10, 64)
			if err != nil {
				return 0, err
			}
			ticks += n
		}
	}
	return time.Duration(ticks) * time.Second / ticksPerSecond, err
}

// ticksPerSecond is the unit of time in /proc: Linux tells programs that it is 100.
const ticksPerSecond = 100

// statOf are the fields of /proc/PID/stat from the third on.
func statOf(pid int) ([]string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	// PID (NAME) STATE PARENT …, of which the name may have spaces and brackets.
	return strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:])), nil
}

// childrenOf are the processes that a process has started and that have not been waited
// for.
func childrenOf(parent int) (children []int, err error) {
	all, err := filepath.Glob("/proc/[0-9]*")
	for _, folder := range all {
		pid, err := strconv.Atoi(filepath.Base(folder))
		if err != nil {
			return nil, err
		}
		// One that cannot be read has ended.
		if fields, err := statOf(pid); err == nil && fields[1] == strconv.Itoa(parent) {
			children = append(children, pid)
		}
	}
	return children, err
}
