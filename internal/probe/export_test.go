package probe

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
)

// ConnectThrough reaches a target by a transport of the test's, with no check of
// its address.
func ConnectThrough(ctx context.Context, transport http.RoundTripper, o Options) (*Client, error) {
	return connect(ctx, &url.URL{Scheme: "http", Host: "target.test"}, transport, o)
}

// ConnectResolving is Connect where names mean what the test says.
func ConnectResolving(ctx context.Context, address string, o Options, resolve func(host string) []netip.Addr) (*Client, error) {
	t, err := checkTarget(ctx, address, &o, func(_ context.Context, host string) ([]netip.Addr, error) { return resolve(host), nil })
	if err != nil {
		return nil, err
	}
	return connect(ctx, t.url, t.transport(), o)
}

// ShowsAtOnce spares a client the measurement of a target that is known to show
// everything at once.
func (c *Client) ShowsAtOnce() { c.lag = Lag{Known: true} }
