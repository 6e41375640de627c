package probe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// target is an address that may be called, with the machines behind it as they
// were when it was checked.
type target struct {
	url       *url.URL // without credentials, query and final slash
	addresses []netip.AddrPort
}

// resolver looks the addresses of a host up.
type resolver func(ctx context.Context, host string) ([]netip.Addr, error)

func lookUp(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// checkTarget refuses what the prober must not call: it moves money. A target is
// a loopback address, or a host that is allowed by its name.
func checkTarget(ctx context.Context, address string, o *Options, resolve resolver) (*target, error) {
	u, err := url.Parse(address)
	if err != nil {
		// The error of url.Parse repeats the address, and with it what may be secret.
		return nil, errors.New("target: expected a URL such as http://127.0.0.1:9000")
	}
	if u.User != nil {
		return nil, fmt.Errorf("target %s: a URL is no place for credentials: give a token in the environment variable %s", u.Host, TokenVariable)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("target %s://%s%s: expected a URL such as http://127.0.0.1:9000, without a query", u.Scheme, u.Host, u.Path)
	}
	u = &url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(u.Path, "/")}
	ips, err := resolve(ctx, u.Hostname())
	if err != nil {
		return nil, fmt.Errorf("target %s: %w", u, err)
	}
	if len(ips) == 0 {
		return nil, fmt.Errorf("target %s: the host has no address", u)
	}
	allowed := slices.ContainsFunc(o.AllowHosts, func(name string) bool { return strings.EqualFold(name, u.Hostname()) })
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	t := &target{url: u}
	local := true
	for _, ip := range ips {
		local = local && ip.IsLoopback()
		if !ip.IsLoopback() && !allowed {
			return nil, fmt.Errorf("target %s: %s is not a loopback address: a probe moves money, so any other host must be allowed by its name, %s", u, ip, u.Hostname())
		}
		at, err := netip.ParseAddrPort(net.JoinHostPort(ip.String(), port))
		if err != nil {
			return nil, fmt.Errorf("target %s: port %q: expected a number up to 65535", u, port)
		}
		t.addresses = append(t.addresses, at)
	}
	if o.Token != "" && u.Scheme == "http" && !local {
		return nil, fmt.Errorf("target %s: a token would be readable on the way: expected https", u)
	}
	return t, nil
}

// transport reaches the addresses that were checked and no others: what the name
// resolves to from then on does not matter, nor do proxies.
func (t *target) transport() *http.Transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	return &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var errs []error
			for _, at := range t.addresses {
				c, err := dialer.DialContext(ctx, "tcp", at.String())
				if err == nil {
					return c, nil
				}
				errs = append(errs, err)
			}
			return nil, errors.Join(errs...)
		},
		// An answer that unpacks to more than its length must not get by the limit.
		DisableCompression:     true,
		TLSHandshakeTimeout:    5 * time.Second,
		MaxResponseHeaderBytes: MaxBody,
		// Less than servers wait, so that they do not hang up on a call.
		IdleConnTimeout: 4 * time.Second,
	}
}
