package browser

import (
	"net"
	"net/http"
	"slices"
	"sync"
)

// gate is the proxy through which the browser asks for everything that is not on
// this machine. It lets nothing through, and remembers what it was asked for: by
// pages, and by the browser itself.
type gate struct {
	listener net.Listener
	mu       sync.Mutex
	asked    []string
}

func openGate() (*gate, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := &gate{listener: l}
	go http.Serve(l, g)
	return g, nil
}

func (g *gate) address() string { return "http://" + g.listener.Addr().String() }

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	g.asked = append(g.asked, r.Method+" "+r.Host)
	g.mu.Unlock()
	http.Error(w, "nothing leaves this machine", http.StatusBadGateway)
}

// count is how often it was asked so far.
func (g *gate) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.asked)
}

// since is what it was asked for after the first n times.
func (g *gate) since(n int) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.asked[n:])
}
