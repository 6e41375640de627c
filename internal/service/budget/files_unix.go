//go:build unix

package budget

import "syscall"

// openFiles is how many files and connections the process may have open.
func openFiles() int64 {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 1024
	}
	return int64(min(l.Cur, 1<<20))
}
