package e2e_test

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"recoup/internal/kit/tabular"
)

// counted is a way to a PostgreSQL server on which it is counted how often the server is
// asked and how much it answers: figures that no other work on the machine changes.
type counted struct{ exchanges, bytes atomic.Int64 }

// through returns the URL with which a database is reached that way.
func (c *counted) through(t testing.TB, db string) string {
	t.Helper()
	at, err := url.Parse(db)
	noError(t, err)
	there := at.Host
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				continue
			}
			server, err := net.Dial("tcp", there)
			if err != nil {
				_ = client.Close()
				continue
			}
			asked := new(atomic.Bool) // and not answered yet
			go pass(client, server, func(int) {
				if !asked.Swap(true) {
					c.exchanges.Add(1)
				}
			})
			go pass(server, client, func(n int) {
				asked.Store(false)
				c.bytes.Add(int64(n))
			})
		}
	}()
	at.Host = listener.Addr().String()
	return at.String()
}

// pass copies what comes, telling how much, until one of the two ends.
func pass(from, to net.Conn, tell func(n int)) {
	defer from.Close()
	defer to.Close()
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			tell(n)
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// countExchanges asks for all pages of a service whose database is reached by way of c, each
// some times, and prints how often the server was asked for one and how much it answered.
// What the service does by itself meanwhile counts too, so it should be little.
func (v *visitor) countExchanges(t *testing.T, l *largeLedger, c *counted, requests int) {
	var out strings.Builder
	table := tabular.New(&out, "page", ">exchanges", ">kB", ">others: exchanges", ">kB")
	for _, p := range v.pagesOf(t, l) {
		if len(p.paths) == 0 {
			continue
		}
		v.fetch(t, &p, 0) // what is read once and kept
		row := tabular.Row{p.name}
		for step := range 2 {
			exchanges, bytes := c.exchanges.Load(), c.bytes.Load()
			for i := range requests {
				v.fetch(t, &p, step*(i+1))
			}
			each := func(n int64) string { return fmt.Sprintf("%.0f", float64(n)/float64(requests)) }
			row = append(row, each(c.exchanges.Load()-exchanges), each((c.bytes.Load()-bytes)/1000))
		}
		table.AppendRow(row)
	}
	table.Render()
	t.Logf("exchanges with PostgreSQL, and kB that it answers with, of %d requests each:\n%s", requests, out.String())
}
