package postgres

import "syscall"

// tcpUserTimeout is TCP_USER_TIMEOUT, which package syscall has no name for: how many
// milliseconds what was sent may stay unconfirmed. Without it that is a quarter of an hour.
const tcpUserTimeout = 18

func limitSilence(socket uintptr) error {
	return syscall.SetsockoptInt(int(socket), syscall.IPPROTO_TCP, tcpUserTimeout, int(silence.Milliseconds()))
}
