package webhook

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"syscall"

	"recoup/internal/kit/broker"
)

// errPrivate: an endpoint is, or resolves to, what only this machine can reach.
var errPrivate = errors.New("not a public address: deliveries to private addresses are not allowed")

// notPublic are the networks that are not, though they lie within what is:
// IPv4 as a whole, and 2000::/3, all of IPv6 that is in public use.
var notPublic = prefixes(
	"0.0.0.0/8",        // this network
	"10.0.0.0/8",       // private
	"100.64.0.0/10",    // shared by carriers, and metadata of some clouds
	"127.0.0.0/8",      // loopback
	"168.63.129.16/32", // a cloud's wire server, public by number alone
	"169.254.0.0/16",   // link-local, and metadata of most clouds
	"172.16.0.0/12",    // private
	"192.0.0.0/24",     // protocol assignments
	"192.0.2.0/24",     // documentation
	"192.168.0.0/16",   // private
	"198.18.0.0/15",    // benchmarks
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"224.0.0.0/3",      // multicast, reserved, broadcast
	"2001::/23",        // protocol assignments, Teredo
	"2001:db8::/32",    // documentation
	"2002::/16",        // 6to4, which holds an IPv4 address
	"3fff::/20",        // documentation
)

var (
	publicIPv6 = netip.MustParsePrefix("2000::/3")
	// translated is IPv4 as networks without it reach it: the last four bytes.
	translated = netip.MustParsePrefix("64:ff9b::/96")
)

func prefixes(list ...string) []netip.Prefix {
	parsed := make([]netip.Prefix, len(list))
	for i, p := range list {
		parsed[i] = netip.MustParsePrefix(p)
	}
	return parsed
}

// isPublic reports whether an address is one of the open Internet's.
func isPublic(a netip.Addr) bool {
	a = a.WithZone("").Unmap()
	if translated.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	if !a.Is4() && !publicIPv6.Contains(a) {
		return false
	}
	for _, p := range notPublic {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// publicOnly is called by the dialer with the very address that it is about to
// connect to, so that no name can be looked up differently in between.
func publicOnly(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if !isPublic(to.Addr()) {
		return fmt.Errorf("%s is %w", to.Addr(), errPrivate)
	}
	return nil
}

// checkURL refuses addresses that deliveries cannot or must not go to. What a
// host name stands for is not looked up: that is decided anew at each connection.
func checkURL(address string, allowPrivate bool) error {
	if broker.Is(address) {
		_, err := parseTopic(address)
		return err
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return fmt.Errorf("%q: expected the URL of an endpoint, such as https://example.com/recoup", address)
	case u.Scheme == "http" && !allowPrivate:
		return fmt.Errorf("%q: expected https; http is for private addresses, where these are allowed", address)
	case u.Scheme != "https" && u.Scheme != "http", u.Hostname() == "":
		return fmt.Errorf("%q: expected the URL of an endpoint, such as https://example.com/recoup", address)
	case u.User != nil:
		return errors.New("expected a URL without a user and password: it is shown in lists, and deliveries are signed")
	case u.Fragment != "":
		return fmt.Errorf("%q: expected a URL without a fragment, which is never sent", address)
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil && !allowPrivate && !isPublic(a) {
		return fmt.Errorf("%q: %w", address, errPrivate)
	}
	return nil
}

// parseTopic reads the address of a topic. Whether its brokers may be connected to depends on
// which are known where deliveries are sent from.
func parseTopic(address string) (broker.Address, error) {
	a, err := broker.Parse(address)
	if err == nil && !a.One() {
		err = fmt.Errorf("%q: expected a subject without wildcards", address)
	}
	return a, err
}

// Shown is what logs have of an address: where it is, and not its path, which may be secret.
func Shown(address string) string {
	if a, err := broker.Parse(address); err == nil {
		return a.Brokers()
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
