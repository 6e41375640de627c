package browser

import (
	"net"
	"net/http"
	"slices"
	"sync"
)

// gate is the proxy through which the browser asks for everything that is not on
// this machine. It lets nothing through. Who asked cannot be told here, and the
// browser asks for things by itself, other things in each version: what pages ask
// for is seen by their watch.
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

// flags are those of a browser that has no way out but the gate: no name has an
// address but this machine's, and calls between browsers go through the proxy as
// well or not at all.
func (g *gate) flags() []string {
	return []string{
		"proxy-server=http://" + g.listener.Addr().String(),
		"host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE [::1]",
		"webrtc-ip-handling-policy=disable_non_proxied_udp",
	}
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	g.asked = append(g.asked, r.Method+" "+r.Host)
	g.mu.Unlock()
	http.Error(w, "nothing leaves this machine", http.StatusBadGateway)
}

// refused is what was asked for so far.
func (g *gate) refused() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.asked)
}
