package pgcluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
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

// childrenOf are the processes that a process has started and that have not been waited
// for.
func childrenOf(parent int) (children []int, err error) {
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range all {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// PID (NAME) STATE PARENT …, of which the name may have spaces and brackets.
		_, after, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')'):]), " ")
		if fields := strings.Fields(after); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			if err != nil {
				return nil, err
			}
			children = append(children, pid)
		}
	}
	return children, err
}
