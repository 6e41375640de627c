package budget

import (
	"net"
	"net/netip"
	"sync"
)

// Listener accepts connections as long as there is room for those of their address,
// and closes others at once.
func (b *Budgets) Listener(l net.Listener) net.Listener { return &listener{l, b} }

type listener struct {
	net.Listener
	budgets *Budgets
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		work, err := l.budgets.Enter(Connections, Address(c.RemoteAddr().String()))
		if err == nil {
			return &connection{c, sync.OnceFunc(work.Leave)}, nil
		}
		c.Close()
	}
}

type connection struct {
	net.Conn
	leave func()
}

func (c *connection) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// Address is the holder that somebody at a remote address is, with or without a port:
// of IPv6 the network of 64 bits, which belongs to one of its users.
func Address(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	address, err := netip.ParseAddr(host)
	switch {
	case err != nil:
		return "address"
	case address.Unmap().Is4():
		return address.Unmap().String()
	}
	network, err := address.WithZone("").Prefix(64)
	if err != nil {
		return "address"
	}
	return network.String()
}
