// Package inmemory has tests keep their files in memory whose subject is not the disk: they wait
// for it thousands of times, which takes of the processor as well.
package inmemory

import (
	"os"
	"syscall"
)

// shared is where Linux has files in memory.
const shared = "/dev/shm"

// enough is how many bytes must be free there: the tests that ask for it keep some hundred
// megabytes at the same time, and a container has 64 of them unless it is told otherwise.
const enough = 2 << 30

// Folder is a folder for temporary files that are in memory, where there is enough of it, and
// os.TempDir elsewhere. With RECOUP_LONG=1 it is that everywhere, so that the long tests do the
// same on the disk.
func Folder() string {
	var is syscall.Statfs_t
	if os.Getenv("RECOUP_LONG") == "1" || syscall.Statfs(shared, &is) != nil || is.Bavail*uint64(is.Bsize) < enough {
		return os.TempDir()
	}
	const all = 7 // to read, to write and to search
	if syscall.Access(shared, all) != nil {
		return os.TempDir()
	}
	return shared
}

// Files has all temporary files of this process, and of what it starts, be in Folder. It is
// called by TestMain, before anything else.
func Files() { _ = os.Setenv("TMPDIR", Folder()) }
