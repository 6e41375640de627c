//go:build unix

package main

import "syscall"

// keepToOwner has whatever this process makes be for its owner alone: files of the
// database, copies of it, exports, sockets. What was set before might let others read
// them, and the libraries that make some of them go by it.
func keepToOwner() { syscall.Umask(0o077) }
