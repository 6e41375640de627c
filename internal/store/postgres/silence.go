package postgres

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync"
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
	hung = 30 * time.Second
	// lookUp is how often the server looks, while it is at work for a client or waits for
	// a lock, whether the client is still there. Otherwise one that was killed while it
	// waited for an account would keep those that it had locked already.
	lookUp = 50 * time.Millisecond
)

// dialer makes connections that notice when the server's machine is gone. It remembers
// machines that did not answer: they may come first in the URL, and would hold up each
// connection to the one that has taken their place.
type dialer struct {
	mu     sync.Mutex
	silent map[string]time.Time // when an address did not answer within connectWithin
}

const (
	// remembered is how long an address that did not answer is given less time, and
	// forSilent how much that is. Then it has all of it once more: it may be far away.
	remembered = 30 * time.Second
	forSilent  = 250 * time.Millisecond
)

// dial implements pgconn.DialFunc.
func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d.mu.Lock()
	known := time.Since(d.silent[address]) < remembered
	d.mu.Unlock()
	if known {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, forSilent)
		defer cancel()
	}
	to := net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: probeAfter, Interval: probeEvery, Count: probes},
		Control:         watchServer,
	}
	c, err := to.DialContext(ctx, network, address)
	if err != nil && !known && !errors.Is(err, syscall.ECONNREFUSED) {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.silent == nil {
			d.silent = make(map[string]time.Time)
		}
		d.silent[address] = time.Now()
	}
	return c, err
}

// watchServer limits how long what is sent may stay unconfirmed.
func watchServer(network, _ string, c syscall.RawConn) (err error) {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	if failed := c.Control(func(socket uintptr) { err = limitSilence(socket) }); failed != nil {
		return failed
	}
	return err
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
