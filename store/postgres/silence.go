package postgres

import (
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A process that dies closes its connections; a machine that dies, or loses its network,
// does not. Both ends of a connection look after the other: here, so that units of work
// go on with another server; there, so that the locks of a client that is gone are let go
// of.
const (
	// silence is how long the other end may leave unconfirmed what was sent to it, and
	// about how long an idle one may go without answering, before it is taken to be gone.
	silence = 10 * time.Second
	// An idle connection is tried after probeAfter, then every probeEvery.
	probeAfter, probeEvery, probes = 4 * time.Second, 2 * time.Second, 3
	// hung is how long a unit of work may leave its transaction idle, with accounts
	// locked: longer than a thousand events of the worst account take to be applied.
	hung = 15 * time.Second
	// lookUp is how often the server looks, while it is at work for a client or waits for
	// a lock, whether the client is still there. Otherwise one that was killed while it
	// waited for an account would keep those that it had locked already.
	lookUp = 50 * time.Millisecond
)

// dialer makes connections that notice when the server's machine is gone.
func dialer() *net.Dialer {
	return &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: probeAfter, Interval: probeEvery, Count: probes},
		Control: func(network, _ string, c syscall.RawConn) (err error) {
			if !strings.HasPrefix(network, "tcp") {
				return nil
			}
			if failed := c.Control(func(socket uintptr) { err = limitSilence(socket) }); failed != nil {
				return failed
			}
			return err
		},
	}
}

// watchClient is what the server is set to, so that it notices when the client's machine
// is gone. Where there is a pooler, it is the server's client, and has settings of its own.
func watchClient(s map[string]string, pooler bool) {
	s["client_connection_check_interval"] = milliseconds(lookUp)
	if pooler {
		return
	}
	s["tcp_keepalives_idle"] = seconds(probeAfter)
	s["tcp_keepalives_interval"] = seconds(probeEvery)
	s["tcp_keepalives_count"] = strconv.Itoa(probes)
	s["tcp_user_timeout"] = milliseconds(silence)
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

func seconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }
